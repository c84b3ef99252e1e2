"""More sizes in a kernel than a device has push constants for."""

import numpy as np
import pytest


def module(sizes):
    """x [T, 4] plus the lengths of `sizes` further arguments."""
    count = range(sizes)
    arguments = "".join(f", %s{i}: tensor<?xf32>" for i in count)
    dims = "".join(f"""
  %dim{i} = tensor.dim %s{i}, %c0 : tensor<?xf32>
  %n{i} = arith.index_cast %dim{i} : index to i32""" for i in count)
    body = "".join(f"""
    %f{i} = arith.sitofp %n{i} : i32 to f32
    %a{i + 1} = arith.addf %a{i}, %f{i} : f32""" for i in count)
    return f"""#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @lengths(%x: tensor<?x4xf32>{arguments}) -> tensor<?x4xf32> {{
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>{dims}
  %empty = tensor.empty(%t) : tensor<?x4xf32>
  %y = linalg.generic {{indexing_maps = [#id, #id],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%x : tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) {{
  ^bb0(%a0: f32, %init: f32):{body}
    linalg.yield %a{sizes} : f32
  }} -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}}
"""


@pytest.mark.parametrize("sizes", [1, 31, 32, 40])
def test_lengths(tools, sizes):
    others = [np.zeros(3 * i + 1, np.float32) for i in range(sizes)]
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    got = tools.run(module(sizes), x, *others)
    np.testing.assert_array_equal(got, x + sum(map(len, others)))
