"""Mixture-of-experts layers: module generator, NumPy reference, test helpers.

* `moe.config`: `LayerConfig`, the description of one layer.
* `moe.layer`: prints the layer as an MLIR module; also `python3 -m moe.layer`.
* `moe.reference`: every operation and the whole layer in NumPy float64.
* `moe.testing`: runs a layer through `moe-run` and judges the result.
* `moe.demo`: one layer of a published geometry from text to numbers.
"""
