"""tensor.extract and tensor.insert outside of any loop."""

import numpy as np

from .case import (Case, check_index, numbers, of_input, position, positions)
from .slices import check_slice
from .text import index_of, limit_of, tensor_type

# The sizes of a tensor, None where one is dynamic, and what is drawn for it.
SHAPES = [([5], [[5]]), ([None], [[1], [4], [9]]), ([3, None, 4], [[3, 2, 4],
          [3, 5, 4]]), ([None, 8], [[2, 8], [7, 8], [0, 8]])]


def extract(number, sizes, shapes):
    """x, p -> x[p] in each of four elements."""
    rank = len(sizes)
    names = ", ".join(f"%i{dim}" for dim in range(rank))
    text = f"""
func.func @extract{number}(%x: {tensor_type(sizes)}, %p: tensor<{rank}xi32>)
    -> tensor<4xf32> {{
{"".join(index_of(f"i{dim}", "%p", rank, dim) for dim in range(rank))}
  %v = tensor.extract %x[{names}] : {tensor_type(sizes)}
  %r = tensor.splat %v : tensor<4xf32>
  return %r : tensor<4xf32>
}}
"""

    def expect(x, p):
        for dim, at in enumerate(p):
            check_index(at, x.shape[dim], dim, limit=limit_of(sizes, dim))
        return [[x[tuple(p)]] * 4]

    return Case(f"extract{number}", text, _draw(shapes), expect,
                lambda x, p: p.size)


def insert(number, sizes, shapes):
    """x, p -> x with 500 at p; an insert is a slice of one element."""
    rank = len(sizes)
    names = ", ".join(f"%i{dim}" for dim in range(rank))
    text = f"""
func.func @insert{number}(%x: {tensor_type(sizes)}, %p: tensor<{rank}xi32>)
    -> {tensor_type(sizes)} {{
  %v = arith.constant 500.0 : f32
{"".join(index_of(f"i{dim}", "%p", rank, dim) for dim in range(rank))}
  %r = tensor.insert %v into %x[{names}] : {tensor_type(sizes)}
  return %r : {tensor_type(sizes)}
}}
"""

    def expect(x, p):
        for dim, at in enumerate(p):
            check_slice("tensor.insert_slice", at, 1, 1, x.shape[dim], dim,
                        limit_of(sizes, dim))
        result = x.copy()
        result[tuple(p)] = 500
        return [result]

    return Case(f"insert{number}", text, _draw(shapes), expect,
                lambda x, p: p.size)


def _draw(shapes):
    def draw(random):
        shape = shapes[random.integers(len(shapes))]
        at = [random.integers(0, max(size, 1)) for size in shape]
        if random.integers(2):
            dim = random.integers(len(shape))
            at[dim] = position(random, shape[dim])
        return numbers(random, *shape), np.array(at, np.int32)

    return draw


def at_a_position_that_is_read():
    """x, i, k -> x[i[k]], where k is a tensor without dims."""
    text = """
func.func @nested_extract(%x: tensor<?xf32>, %i: tensor<7xi32>, %k: tensor<i32>)
    -> tensor<2xf32> {
  %a = tensor.extract %k[] : tensor<i32>
  %at = arith.index_cast %a : i32 to index
  %b = tensor.extract %i[%at] : tensor<7xi32>
  %then = arith.index_cast %b : i32 to index
  %v = tensor.extract %x[%then] : tensor<?xf32>
  %r = tensor.splat %v : tensor<2xf32>
  return %r : tensor<2xf32>
}
"""

    def draw(random):
        size = (1, 6)[random.integers(2)]
        return (numbers(random, size), positions(random, size, 7),
                positions(random, 7, ()))

    def expect(x, i, k):
        check_index(int(k), 7, 0)
        check_index(int(i[k]), x.size, 0, limit=of_input(0, 0))
        return [[x[i[k]]] * 2]

    return Case("nested_extract", text, draw, expect, lambda x, i, k: 2)


CASES = [make(number, *shape) for number, shape in enumerate(SHAPES)
         for make in (extract, insert)] + [at_a_position_that_is_read()]
