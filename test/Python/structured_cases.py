"""Functions of linalg ops whose operands and reductions are of any kind.

As those of derivative_cases.py: windows, reversed, repeated and constant
indices, elements at computed positions, reductions by any body.
"""


def generic(maps, loops, ins, out, body, init="%e"):
    """A linalg.generic; maps as "(i, j) -> (j)", ins as {"%x": "3x4"}."""
    arguments = [f"%a{i}: f64" for i in range(len(ins))] + ["%o: f64"]
    given = ("ins(" + ", ".join(ins) + " : "
             + ", ".join(f"tensor<{shape}f64>" for shape in ins.values())
             + ") ") if ins else ""
    return "\n".join([
        "%r = linalg.generic {indexing_maps = ["
        + ", ".join(f"affine_map<{m}>" for m in maps)
        + "], iterator_types = ["
        + ", ".join(f'"{loop}"' for loop in loops) + "]} "
        + f"{given}outs({init} : tensor<{out}f64>) {{",
        f"^bb0({', '.join(arguments)}):", *body, f"}} -> tensor<{out}f64>",
        f"return %r : tensor<{out}f64>"])


def function(arguments, out, text):
    """A function of tensors, given as {"%x": "3x4x"}."""
    names = ", ".join(f"{n}: tensor<{s}f64>" for n, s in arguments.items())
    return (f"({names}) -> tensor<{out}f64>",
            f"%e = tensor.empty() : tensor<{out}f64>\n{text}")


def window(op, x, w, out, attributes="", start=0.5):
    return function({"%x": x, "%w": w}, out, (
        f"%c = arith.constant dense<{start}> : tensor<{out}f64>\n"
        f"%r = linalg.{op} {attributes} ins(%x, %w : tensor<{x}f64>, "
        f"tensor<{w}f64>) outs(%c : tensor<{out}f64>) -> tensor<{out}f64>\n"
        f"return %r : tensor<{out}f64>"))


def pooling(op, x, k, out, attributes="", start=-1e9):
    return function({"%x": x}, out, (
        f"%c = arith.constant dense<{start}> : tensor<{out}f64>\n"
        f"%w = tensor.empty() : tensor<{k}f64>\n"
        f"%r = linalg.pooling_{op} {attributes} ins(%x, %w : tensor<{x}f64>, "
        f"tensor<{k}f64>) outs(%c : tensor<{out}f64>) -> tensor<{out}f64>\n"
        f"return %r : tensor<{out}f64>"))


def steps(*strides, dilations=None):
    text = f"strides = dense<{list(strides)}> : tensor<{len(strides)}xi64>"
    if dilations:
        text += (f", dilations = dense<{list(dilations)}> : "
                 f"tensor<{len(dilations)}xi64>")
    return f"{{{text}}}"


def reduce(body, x="3x5x", out="3x", **options):
    """Rows of x, reduced by a body of the element and what is so far."""
    return function({"%x": x, "%z": out}, out, generic(
        ["(i, j) -> (i, j)", "(i, j) -> (i)"], ["parallel", "reduction"],
        {"%x": x}, out, body, init="%z", **options))


SQUARE = ["%0 = arith.mulf %a0, %a0 : f64"]
CASES = {
    "conv_1d": window("conv_1d", "9x", "3x", "7x"),
    "conv_2d_strided": window(
        "conv_2d_nhwc_hwcf", "2x8x7x3x", "3x2x3x4x", "2x3x5x4x",
        steps(2, 1, dilations=(1, 2))),
    "conv_2d_channels_first": window(
        "conv_2d_nchw_fchw", "1x2x6x5x", "3x2x2x3x", "1x3x3x3x", steps(2, 1)),
    "conv_1d_dilated": window("conv_1d_nwc_wcf", "1x9x2x", "2x2x3x", "1x2x3x",
                              steps(3, dilations=(4,))),
    "depthwise": window("depthwise_conv_2d_nhwc_hwc", "1x5x5x3x", "2x2x3x",
                        "1x2x2x3x", steps(3, 3)),
    "pooling_sum": pooling("nhwc_sum", "1x6x6x2x", "2x2x", "1x3x3x2x",
                           steps(2, 2), 0.0),
    "pooling_max": pooling("nhwc_max", "1x6x5x2x", "3x2x", "1x4x4x2x"),
    "pooling_min": pooling("nwc_min", "1x7x2x", "3x", "1x3x2x", steps(2),
                           start=1e9),
    # Each element of a row against those that follow.
    "windows_of_squares": function({"%x": "7x", "%w": "3x"}, "5x", generic(
        ["(i, k) -> (i + k)", "(i, k) -> (k)", "(i, k) -> (i)"],
        ["parallel", "reduction"], {"%x": "7x", "%w": "3x"}, "5x", [
            "%d = arith.divf %a0, %a1 : f64", "%s = arith.mulf %d, %d : f64",
            "%t = arith.addf %o, %s : f64", "linalg.yield %t : f64"],
        init="%i").replace("%r =", "%i = arith.constant dense<1.0> : "
                           "tensor<5xf64>\n%r =", 1)),
    "unfold": function({"%x": "7x"}, "5x3x", generic(
        ["(i, k) -> (i + k)", "(i, k) -> (i, k)"],
        ["parallel", "parallel"], {"%x": "7x"}, "5x3x",
        [*SQUARE, "linalg.yield %0 : f64"])),
    "reversed": function({"%x": "3x4x"}, "3x4x", generic(
        ["(i, j) -> (2 - i, 3 - j)", "(i, j) -> (i, j)"],
        ["parallel", "parallel"], {"%x": "3x4x"}, "3x4x",
        [*SQUARE, "linalg.yield %0 : f64"])),
    "diagonal": function({"%x": "4x4x", "%z": "3x4x"}, "3x4x", generic(
        ["(i, j) -> (j, j)", "(i, j) -> (i, j)", "(i, j) -> (i, j)"],
        ["parallel", "parallel"], {"%x": "4x4x", "%z": "3x4x"}, "3x4x",
        ["%0 = arith.mulf %a0, %a1 : f64", "linalg.yield %0 : f64"])),
    "constant": function({"%x": "3x1x", "%z": "2x4x"}, "3x4x", generic(
        ["(i, j) -> (i, 0)", "(i, j) -> (1, j)", "(i, j) -> (i, j)"],
        ["parallel", "parallel"], {"%x": "3x1x", "%z": "2x4x"}, "3x4x",
        ["%0 = arith.divf %a0, %a1 : f64", "linalg.yield %0 : f64"])),
    "nearest": function({"%x": "2x3x"}, "4x6x", generic(
        ["(i, j) -> (i floordiv 2, j mod 3)", "(i, j) -> (i, j)"],
        ["parallel", "parallel"], {"%x": "2x3x"}, "4x6x",
        [*SQUARE, "linalg.yield %0 : f64"])),
    # Rows that a table of numbers names, one of them twice and one never.
    "gather": function({"%x": "4x3x", "%z": "5x3x"}, "5x3x", (
        "%ids = arith.constant dense<[3, 0, 3, 1, 0]> : tensor<5xi32>\n"
        + generic(
            ["(i, j) -> (i)", "(i, j) -> (i, j)", "(i, j) -> (i, j)"],
            ["parallel", "parallel"], {"%ids": "5x", "%z": "5x3x"}, "5x3x", [
                "%i = arith.index_cast %a0 : i32 to index",
                "%j = linalg.index 1 : index",
                "%v = tensor.extract %x[%i, %j] : tensor<4x3xf64>",
                "%0 = arith.mulf %v, %a1 : f64", "linalg.yield %0 : f64"],
        ).replace("tensor<5xf64>, ", "tensor<5xi32>, ")
         .replace("%a0: f64", "%a0: i32"))),
    # Neighbours: an element is read at three positions.
    "stencil": function({"%x": "8x"}, "6x", generic(
        ["(i) -> (i)"], ["parallel"], {}, "6x", [
            "%c1 = arith.constant 1 : index", "%c2 = arith.constant 2 : index",
            "%i = linalg.index 0 : index", "%j = arith.addi %i, %c1 : index",
            "%k = arith.addi %i, %c2 : index",
            "%a = tensor.extract %x[%i] : tensor<8xf64>",
            "%b = tensor.extract %x[%j] : tensor<8xf64>",
            "%c = tensor.extract %x[%k] : tensor<8xf64>",
            "%p = arith.mulf %a, %b : f64", "%q = arith.divf %p, %c : f64",
            "linalg.yield %q : f64"])),
    "every_third_backwards": function({"%x": "9x3x"}, "3x3x", generic(
        ["(i, j) -> (i, j)"], ["parallel", "parallel"], {}, "3x3x", [
            "%c3 = arith.constant 3 : index", "%c8 = arith.constant 8 : index",
            "%i = linalg.index 0 : index", "%j = linalg.index 1 : index",
            "%m = arith.muli %i, %c3 : index",
            "%k = arith.subi %c8, %m : index",
            "%a = tensor.extract %x[%k, %j] : tensor<9x3xf64>",
            "%p = arith.mulf %a, %a : f64", "linalg.yield %p : f64"])),
    "captured_scalar": function({"%x": "3x4x", "%z": "2x"}, "3x4x", (
        "%c1 = arith.constant 1 : index\n"
        "%s = tensor.extract %z[%c1] : tensor<2xf64>\n" + generic(
            ["(i, j) -> (i, j)", "(i, j) -> (i, j)"],
            ["parallel", "parallel"], {"%x": "3x4x"}, "3x4x",
            ["%0 = arith.divf %a0, %s : f64", "linalg.yield %0 : f64"]))),
    "product": reduce(["%0 = arith.mulf %o, %a0 : f64",
                       "linalg.yield %0 : f64"]),
    "product_of_logarithms": reduce([
        "%2 = math.log %a0 : f64", "%0 = arith.mulf %2, %o : f64",
        "linalg.yield %0 : f64"]),
    "logarithm_of_sums": reduce([
        "%0 = math.exp %o : f64", "%1 = math.exp %a0 : f64",
        "%2 = arith.addf %0, %1 : f64", "%3 = math.log %2 : f64",
        "linalg.yield %3 : f64"]),
    "horner": reduce(["%h = arith.constant 0.75 : f64",
                      "%0 = arith.mulf %o, %h : f64",
                      "%1 = arith.addf %0, %a0 : f64",
                      "linalg.yield %1 : f64"]),
    "last": reduce(["%0 = arith.mulf %a0, %a0 : f64",
                    "linalg.yield %0 : f64"]),
    "weighted_by_position": reduce([
        "%j = linalg.index 1 : index", "%i = arith.index_cast %j : index to i64",
        "%f = arith.sitofp %i : i64 to f64", "%0 = arith.mulf %f, %a0 : f64",
        "%1 = arith.mulf %o, %a0 : f64", "%2 = arith.addf %0, %1 : f64",
        "linalg.yield %2 : f64"]),
    "product_over_two": function({"%x": "2x3x2x", "%z": "3x"}, "3x", generic(
        ["(i, j, k) -> (i, j, k)", "(i, j, k) -> (j)"],
        ["reduction", "parallel", "reduction"], {"%x": "2x3x2x"}, "3x",
        ["%0 = arith.mulf %o, %a0 : f64", "linalg.yield %0 : f64"],
        init="%z")),
    "recurrence_over_two": function({"%x": "2x3x2x", "%z": "3x"}, "3x", generic(
        ["(i, j, k) -> (i, j, k)", "(i, j, k) -> (j)"],
        ["reduction", "parallel", "reduction"], {"%x": "2x3x2x"}, "3x",
        ["%1 = arith.addf %o, %a0 : f64", "%0 = math.sqrt %1 : f64",
         "linalg.yield %0 : f64"], init="%z")),
    # The largest so far and the sum of exp(x - largest), then their logarithm.
    "softmax_in_one_pass": function({"%x": "3x5x"}, "3x", (
        "%low = arith.constant dense<-9.0> : tensor<3xf64>\n"
        "%none = arith.constant dense<0.0> : tensor<3xf64>\n"
        "%p:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,"
        " affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], "
        'iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x5xf64>) '
        "outs(%low, %none : tensor<3xf64>, tensor<3xf64>) {\n"
        "^bb0(%a: f64, %m: f64, %s: f64):\n"
        "%n = arith.maximumf %m, %a : f64\n%d = arith.subf %m, %n : f64\n"
        "%f = arith.subf %a, %n : f64\n%u = math.exp %d : f64\n"
        "%v = math.exp %f : f64\n%t = arith.mulf %s, %u : f64\n"
        "%w = arith.addf %t, %v : f64\nlinalg.yield %n, %w : f64, f64\n"
        "} -> (tensor<3xf64>, tensor<3xf64>)\n"
        "%l = math.log %p#1 : tensor<3xf64>\n"
        "%r = arith.addf %l, %p#0 : tensor<3xf64>\nreturn %r : tensor<3xf64>")),
    # The largest, and where it is: the first of equal ones.
    "largest_and_its_position": function({"%x": "3x5x"}, "3x", (
        "%low = arith.constant dense<-9.0> : tensor<3xf64>\n"
        "%none = arith.constant dense<0> : tensor<3xi32>\n"
        "%p:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>,"
        " affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], "
        'iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x5xf64>) '
        "outs(%low, %none : tensor<3xf64>, tensor<3xi32>) {\n"
        "^bb0(%a: f64, %m: f64, %s: i32):\n"
        "%j = linalg.index 1 : index\n%k = arith.index_cast %j : index to i32\n"
        "%g = arith.cmpf ogt, %a, %m : f64\n"
        "%n = arith.select %g, %a, %m : f64\n"
        "%w = arith.select %g, %k, %s : i32\nlinalg.yield %n, %w : f64, i32\n"
        "} -> (tensor<3xf64>, tensor<3xi32>)\n"
        "%f = arith.sitofp %p#1 : tensor<3xi32> to tensor<3xf64>\n"
        "%r = arith.mulf %f, %p#0 : tensor<3xf64>\nreturn %r : tensor<3xf64>")),
}
