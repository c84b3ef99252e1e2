"""More tokens, slots and tiles than a grid has workgroups."""

from moe.config import LayerConfig
from moe.layer import layer_module
from moe.testing import check_layer, layer_inputs


def test_a_million_rows(tools):
    # 65535 workgroups are all that a dimension of a grid has.
    config = LayerConfig(8, 16, 16, 4, return_routing=True)
    inputs = layer_inputs(config, 66_000, 1)
    got = tools.run(layer_module(config), *inputs.values(), results=3)
    names = [name for name, _, _ in config.results()]
    check_layer(dict(zip(names, got)), inputs, config)


def test_more_bytes_than_a_binding_has_are_an_error(tools):
    config = LayerConfig(64, 4, 2, 128)
    inputs = [f"--input={value}=zeros" for value in (
        "600000x64xf32", "64x4xf32", "4x256x64xf32", "4x64x128xf32")]
    message = tools.fault(layer_module(config), options=inputs, status=3)
    assert message == (
        "expected binding 0 of kernel 'matmul' to bind at most 134217728 bytes "
        "of buffer 'input 0' (the storage range of the device), but got "
        "153600000")
