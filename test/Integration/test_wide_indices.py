"""An index has 64 bits in what a program means; so it has on the device."""

import numpy as np
import pytest
from index_expressions import Expressions, function, wide

EXTREMES = np.array([-7, 7, -2**31, 2**31 - 1, -1, 0, 1, -100], np.int32)


def run(tools, lines, names, data, dynamic=False):
    """The 64-bit values of `names`, for each element of data."""
    text = function(lines, names, data.size, dynamic)
    return wide(tools.run(text, data, results=2 * len(names)))


@pytest.mark.parametrize("dynamic", [False, True])
def test_square_of_an_index(tools, dynamic):
    i = np.arange(50001)
    square, quotient = run(tools, [
        "%square = arith.muli %i, %i : index",
        "%d = arith.constant 100000 : index",
        "%quotient = arith.divsi %square, %d : index"],
        ["%square", "%quotient"], np.zeros(i.size, np.int32), dynamic)
    assert quotient[50000] == 25000
    np.testing.assert_array_equal(square, i * i)
    np.testing.assert_array_equal(quotient, i * i // 100000)


@pytest.mark.parametrize("value", [3 * 10**9, -3 * 10**9, 2**31, -2**31 - 1,
                                   2**62])
def test_constant_of_more_than_32_bits(tools, value):
    total, quotient = run(tools, [
        f"%c = arith.constant {value} : index",
        "%d = arith.constant 1000000000 : index",
        "%total = arith.addi %c, %i : index",
        "%quotient = arith.floordivsi %total, %d : index"],
        ["%total", "%quotient"], EXTREMES)
    want = value + np.arange(EXTREMES.size)
    np.testing.assert_array_equal(total, want)
    np.testing.assert_array_equal(quotient, want // 10**9)


@pytest.mark.parametrize("cast", ["index_cast", "index_castui"])
@pytest.mark.parametrize("divide, floor", [("divui", lambda x: x // 3),
                                           ("remui", lambda x: x % 3),
                                           ("ceildivui", lambda x: -(-x // 3)),
                                           ("shrui", lambda x: x >> 3)])
def test_number_without_a_sign(tools, cast, divide, floor):
    got = run(tools, [f"%x = arith.{cast} %a : i32 to index",
                      "%three = arith.constant 3 : index",
                      f"%q = arith.{divide} %x, %three : index"],
              ["%q"], EXTREMES)[0]
    bits = 64 if cast == "index_cast" else 32
    want = [floor(int(value) % 2**bits) for value in EXTREMES]
    np.testing.assert_array_equal(got.view(np.uint64),
                                  np.array(want, np.uint64))


def test_sign_of_a_number_that_was_extended(tools):
    names, lines, want = [], ["%long = arith.extsi %a : i32 to i64"], []
    for constant in [0, 1, -1, 7, 2**31 - 1, -2**31, 2**40]:
        for predicate, compare in [("slt", np.less), ("sge", np.greater_equal)]:
            name = f"%{predicate}{len(names)}"
            lines += [f"{name}_k = arith.constant {constant} : i64",
                      f"{name}_c = arith.cmpi {predicate}, %long, {name}_k "
                      ": i64",
                      f"{name} = arith.index_castui {name}_c : i1 to index"]
            names.append(name)
            want.append(compare(EXTREMES.astype(np.int64), constant))
    np.testing.assert_array_equal(run(tools, lines, names, EXTREMES), want)


@pytest.mark.parametrize("bits", [1, 32, 64])
@pytest.mark.parametrize("back", ["index_cast", "index_castui"])
def test_index_that_was_an_integer(tools, bits, back):
    got = run(tools, ["%five = arith.constant 5000000001 : index",
                      "%x = arith.index_cast %a : i32 to index",
                      "%product = arith.muli %x, %five : index",
                      f"%cut = arith.index_cast %product : index to i{bits}",
                      f"%back = arith.{back} %cut : i{bits} to index"],
              ["%back"], EXTREMES)[0]
    want = [int(value) * 5000000001 % 2**bits for value in EXTREMES]
    if back == "index_cast" or bits == 64:
        half = 2**(bits - 1)
        want = [(value + half) % (2 * half) - half for value in want]
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("seed", range(40))
def test_random_arithmetic(tools, seed):
    random = np.random.default_rng(seed)
    size = int(random.choice([8, 61, 128]))
    data = random.integers(-2**31, 2**31, size).astype(np.int32)
    data[:EXTREMES.size] = EXTREMES
    if seed % 3 == 0:  # small numbers, so that more is done in 32 bits
        data = data % 1000
    body = Expressions(seed, {"%i": np.arange(size), "%x": data,
                              "%n": np.full(size, size)}, count=10)
    names = list(body.values)[-4:]
    got = run(tools, ["%x = arith.index_cast %a : i32 to index", *body.lines],
              names, data, dynamic=bool(seed % 2))
    for name, value in zip(names, got):
        np.testing.assert_array_equal(value, body.values[name], err_msg=name)
