"""What schedules promise, by numbers and by form."""

import re

import modules
import numpy as np
import pytest
from moe.random import normal
from moe.testing import check_values

REDUCE = """
func.func @sums(%x: tensor<?x{columns}xf32>) -> tensor<?xf32> {{
  %sums = moe.kernel "sums" (%rows = %x : tensor<?x{columns}xf32>)
      -> (tensor<?xf32>) schedule(#moe.schedule<reduce, workgroup = {workgroup}>) {{
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = tensor.dim %rows, %c0 : tensor<?x{columns}xf32>
    %empty = tensor.empty(%n) : tensor<?xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>)
      -> tensor<?xf32>
    %sum = linalg.reduce {{ arith.addf }} ins(%rows : tensor<?x{columns}xf32>)
      outs(%init : tensor<?xf32>) dimensions = [1]
    moe.yield %sum : tensor<?xf32>
  }}
  return %sums : tensor<?xf32>
}}
"""


@pytest.mark.parametrize("columns", [16, 64, 255, 256, 257, 1536])
@pytest.mark.parametrize("workgroup", [8, 512])
def test_a_workgroup_wider_than_a_subgroup_reduces(tools, columns, workgroup):
    x = np.abs(normal((3, columns), columns))
    got = tools.run(REDUCE.format(columns=columns, workgroup=workgroup), x)
    check_values(got, x.sum(axis=1, dtype=np.float64))


def tile_rows(text):
    return re.findall(r"#moe.schedule<matmul, [^>]*rows = (\d+)", text)


def test_few_rows_for_each_expert_get_small_tiles(tools):
    # 128 tokens with 6 of 128 experts: 6 rows for each on average.
    text = modules.grouped_matmul(128, 64, 64, rows=128 * 6)
    assert tile_rows(tools.lower(text, "stop-after=schedule")) == ["8"]


def test_many_rows_for_each_expert_get_large_tiles(tools):
    text = modules.grouped_matmul(4, 64, 64, rows=128 * 6)
    assert tile_rows(tools.lower(text, "stop-after=schedule")) == ["16"]


@pytest.mark.parametrize("lanes, rows, columns, vector", [
    (8, 16, 32, 4), (8, 4, 64, 4), (8, 32, 32, 1), (1, 4, 8, 4), (1, 1, 4, 1),
    (4, 8, 16, 4)])
def test_a_schedule_by_hand_is_taken(tools, lanes, rows, columns, vector):
    schedule = (f"#moe.schedule<matmul, workgroup = {lanes}, lanes = {lanes}, "
                f"rows = {rows}, columns = {columns}, vector = {vector}>")
    text = f"""
func.func @product(%x: tensor<?x24xf32>, %w: tensor<24x40xf32>)
    -> tensor<?x40xf32> {{
  %y = moe.kernel "product" (%a = %x : tensor<?x24xf32>,
                             %b = %w : tensor<24x40xf32>)
      -> (tensor<?x40xf32>) schedule({schedule}) {{
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = tensor.dim %a, %c0 : tensor<?x24xf32>
    %empty = tensor.empty(%n) : tensor<?x40xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x40xf32>)
      -> tensor<?x40xf32>
    %p = linalg.matmul ins(%a, %b : tensor<?x24xf32>, tensor<24x40xf32>)
      outs(%init : tensor<?x40xf32>) -> tensor<?x40xf32>
    moe.yield %p : tensor<?x40xf32>
  }}
  return %y : tensor<?x40xf32>
}}
"""
    x, w = normal((37, 24), 1), normal((24, 40), 2)
    check_values(tools.run(text, x, w), x.astype(np.float64) @ w)
