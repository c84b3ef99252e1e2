"""Parts of the text of functions."""

from .case import of_input


def tensor_type(sizes, element="f32"):
    """A tensor of these sizes; None is a dynamic one."""
    return ("tensor<" + "".join(f"{'?' if size is None else size}x"
                                for size in sizes) + f"{element}>")


def index_of(name, vector, size, at):
    """Lines that define an index: element `at` of a vector of i32."""
    return (f"  %at_{name} = arith.constant {at} : index\n"
            f"  %raw_{name} = tensor.extract {vector}[%at_{name}] "
            f": tensor<{size}xi32>\n"
            f"  %{name} = arith.index_cast %raw_{name} : i32 to index\n")


def limit_of(sizes, dim, number=0):
    """How messages name the size of input `number`."""
    return of_input(number, dim) if sizes[dim] is None else str(sizes[dim])


def function(name, arguments, results, body, returned):
    """A function from text.

    Parameters
    ----------
    name : str
    arguments : dict of str to str
        Their types by name.
    results : str or list of str
        Types.
    body : str
    returned : str or list of str
        Names of values.
    """
    results = [results] if isinstance(results, str) else results
    returned = [returned] if isinstance(returned, str) else returned
    types = ", ".join(results)
    signature = ", ".join(f"%{k}: {v}" for k, v in arguments.items())
    return (f"func.func @{name}({signature}) -> ({types}) {{\n{body.strip()}\n"
            f"  return {', '.join(returned)} : {types}\n}}\n")


def generic(maps, iterators, inputs, init, arguments, body, result):
    """A linalg.generic of one result.

    Parameters
    ----------
    maps : sequence of str
        "(d0, d1) -> (d0)", the result's last.
    iterators : str
        A letter a loop: "p" of a parallel one, "r" of a reduction.
    inputs : dict of str to str
        Types by name.
    init : (str, str)
        The name of a value, and its type.
    arguments : str
        Of the body.
    body : str
    result : str
        The name of the result.
    """
    kinds = {"p": '"parallel"', "r": '"reduction"'}
    loops = ", ".join(kinds[letter] for letter in iterators)
    types = ", ".join(inputs.values())
    ins = f"ins({', '.join(inputs)} : {types}) " if inputs else ""
    return (f"  {result} = linalg.generic {{indexing_maps = ["
            f"{', '.join(f'affine_map<{each}>' for each in maps)}], "
            f"iterator_types = [{loops}]}}\n      {ins}outs({init[0]} : "
            f"{init[1]}) {{\n  ^bb0({arguments}):\n{body.strip()}\n"
            f"  }} -> {init[1]}\n")
