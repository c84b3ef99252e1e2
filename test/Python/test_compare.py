"""The comparison accepts what it should, and nothing else."""

import re
from dataclasses import replace

import numpy as np
import pytest
from moe.compare import compare_layer, selection_gap
from moe.config import LayerConfig
from moe.reference import layer

CONFIG = LayerConfig(6, 4, 2, 3, return_routing=True)


def run(config=CONFIG, tokens=9, seed=0):
    random = np.random.default_rng(seed)
    inputs = {name: random.normal(size=[tokens if n is None else n
                                        for n in shape]).astype(np.float32)
              for name, shape in config.arguments()}
    exact = layer(config, inputs)
    return inputs, {"out": exact.out.astype(np.float32),
                    "weights": exact.weights.astype(np.float32),
                    "indices": exact.indices}


@pytest.mark.parametrize("tokens", [0, 1, 9])
def test_rounded_reference_passes(tokens):
    inputs, outputs = run(tokens=tokens)
    report = compare_layer(outputs, inputs, CONFIG)
    assert not report.failures and report.relative_error < 1e-6
    assert report.differing_tokens == 0


def test_one_wrong_element_fails_and_is_named():
    inputs, outputs = run()
    outputs["out"][4, 2] += 1e-4 * np.abs(outputs["out"]).max()
    failures = compare_layer(outputs, inputs, CONFIG).failures
    assert "worst at [4, 2]" in failures[0]


def test_wrong_small_row_fails_although_the_whole_passes():
    inputs, outputs = run()
    inputs["x"][3] *= 1e-4
    exact = layer(CONFIG, inputs)
    outputs["out"] = exact.out.astype(np.float32)
    outputs["weights"] = exact.weights.astype(np.float32)
    outputs["indices"] = exact.indices
    outputs["out"][3] *= 1.001
    failures = compare_layer(outputs, inputs, CONFIG).failures
    assert len(failures) == 1 and "in row 3" in failures[0]


@pytest.mark.parametrize("name", ["out", "weights"])
def test_nan_fails(name):
    inputs, outputs = run()
    outputs[name][5, 1] = np.nan
    assert compare_layer(outputs, inputs, CONFIG).failures


def test_wrong_expert_fails_even_with_its_right_output():
    inputs, outputs = run()
    indices = outputs["indices"].copy()
    indices[2, 1] = next(e for e in range(4) if e not in indices[2])
    other = layer(CONFIG, inputs, indices)
    outputs = {"out": other.out.astype(np.float32), "indices": indices,
               "weights": other.weights.astype(np.float32)}
    report = compare_layer(outputs, inputs, CONFIG)
    assert report.differing_tokens == 1 and len(report.failures) == 1
    assert "expected token 2 to go to experts" in report.failures[0]


def test_tied_experts_may_be_exchanged():
    inputs, _ = run()
    inputs["router"][:, 1] = inputs["router"][:, 2]  # a tie of every token
    indices = layer(CONFIG, inputs).indices
    swapped = np.where(indices == 1, 2, np.where(indices == 2, 1, indices))
    other = layer(CONFIG, inputs, swapped)
    outputs = {"out": other.out.astype(np.float32),
               "weights": other.weights.astype(np.float32),
               "indices": swapped.astype(np.int32)}
    report = compare_layer(outputs, inputs, CONFIG)
    assert not report.failures and report.differing_tokens > 0


@pytest.mark.parametrize("change, message", [
    ({"out": np.zeros((9, 5), np.float32)},
     r"expected out to be float32 \(9, 6\), but got float32 \(9, 5\)"),
    ({"weights": np.zeros((9, 2))},
     r"expected weights to be float32 \(9, 2\), but got float64 \(9, 2\)"),
    ({"indices": np.full((9, 2), 4, np.int32)},
     "expected indices between 0 and 3, but got 4"),
])
def test_malformed_results(change, message):
    inputs, outputs = run()
    failures = compare_layer({**outputs, **change}, inputs, CONFIG).failures
    assert len(failures) == 1 and re.fullmatch(message, failures[0])


def test_missing_result():
    inputs, outputs = run()
    del outputs["weights"]
    assert compare_layer(outputs, inputs, CONFIG).failures == [
        "expected a result weights, but got none"]


GROUPED = replace(CONFIG, experts=6, groups=3, selected_groups=1,
                  group_score="max")


@pytest.mark.parametrize("config, values, chosen, gap", [
    (CONFIG, [3, 2, 1, 0], [0, 1], 0),
    (CONFIG, [3, 2, 1, 0], [1, 0], 1),
    (CONFIG, [3, 2, 1.75, 0], [0, 2], 0.25),
    (CONFIG, [3, 2, 1, 0], [0, 0], np.inf),
    (CONFIG, [3, -np.inf, -np.inf, -np.inf], [0, 1], 0),
    # Groups 0 and 1 tie; group 2 could never have been selected.
    (GROUPED, [5, 1, 5, 2, 4, 3], [0, 1], 0),
    (GROUPED, [5, 1, 5, 2, 4, 3], [2, 3], 0),
    (GROUPED, [5, 1, 5, 2, 4, 3], [0, 2], np.inf),
    (GROUPED, [5, 1, 5, 2, 4, 3], [4, 5], np.inf),
])
def test_selection_gap(config, values, chosen, gap):
    assert selection_gap(np.float64(values), np.array(chosen), config) == gap
