"""No value has the size of experts times rows."""

import re

import numpy as np
import pytest
from harness import run_tool
from moe.config import LayerConfig
from moe.layer import layer_module
from moe.testing import layer_inputs


@pytest.mark.parametrize("stage", ["kernels", "schedule", "linalg", "gpu",
                                   "spirv", "program"])
def test_no_stage_has_a_value_of_experts_times_rows(tools, stage):
    config = LayerConfig(96, 64, 6, 40, return_routing=True)
    text = tools.lower(layer_module(config), f"stop-after={stage}")
    shapes = re.findall(r"(?:tensor|memref|array)<((?:[\d?]+x)+)[fi]", text)
    for shape in shapes:
        sizes = shape.split("x")[:-1]
        if "?" in sizes:  # rows and one width; what is flat, the arena shows
            width = np.prod([int(size) for size in sizes if size != "?"])
            assert len(sizes) <= 2 and width <= config.hidden, shape


def test_memory_grows_with_rows_and_not_with_experts(tools):
    config = LayerConfig(96, 64, 6, 40, return_routing=True)
    tokens = 1000
    command = tools.command(layer_module(config),
                            *layer_inputs(config, tokens, 7).values())
    report = run_tool([*command, "--profile"])
    arena = int(re.search(r"arena (\d+) bytes", report).group(1))
    row = 4 * (config.hidden + 2 * config.intermediate)
    assert arena < 1.5 * tokens * config.top_k * row
