"""Cases, and the lines that are written for them."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../runtime"))
from make_goldens import FLOATS, INTS, draw, hexed, rng, shape_text, wide  # noqa: E402, F401

TOLERANCE = {"f16": (2e-3, 1e-5), "bf16": (1.6e-2, 1e-5), "f32": (1e-5, 1e-6), "f64": (1e-12, 1e-13)}
OTHER = {"f16": "bf16", "bf16": "f16", "f32": "f64", "f64": "f32", "i8": "i16", "i16": "i8", "i32": "i64", "i64": "i32", "u8": "u16", "u16": "u8",
         "u32": "u64", "u64": "u32", "bool": "u8"}
lines = []
told = set()
f32 = "f32"


class Rows:
    """A ragged input: the rows of each element; `letter` names their lengths."""

    def __init__(self, elem, rows, letter="l"):
        self.elem, self.rows, self.letter = elem, rows, letter

    def tensors(self):
        return [(self.elem, np.concatenate(self.rows)), ("i64", np.cumsum([0, *map(len, self.rows)]))]

    def type_text(self):
        return f"{self.elem} [{', '.join([str(len(self.rows)), '*' + self.letter, *map(str, self.rows[0].shape[1:])])}]"


def found(elem, x, axis=0):
    """A result with a size that is known only at run time."""
    return elem, x, ",".join(("?" if i == axis else "") + str(n) for i, n in enumerate(np.shape(x)))


def splits_of(lengths):
    return "i64", np.cumsum([0, *lengths])


def type_text(elem, x):
    return f"{elem} [{', '.join(map(str, x if isinstance(x, list) else np.shape(x)))}]"


def program(expression, inputs, result):
    names = "abcdefgh"
    types = [x.type_text() if isinstance(x, Rows) else type_text(*x) for x in inputs]
    parameters = ", ".join(f"{names[i]} : {text}" for i, text in enumerate(types))
    return f"main = fn ({parameters}) {': ' + result + ' ' if result else ''}{{ {expression} }};"


def tensors_of(inputs):
    return [tensor for x in inputs for tensor in (x.tensors() if isinstance(x, Rows) else [x])]


def ok(op, expression, inputs, *outputs, result=None, tolerance=None):
    if tolerance is None:
        tolerance = max((TOLERANCE.get(e, (0, 0)) for e, *_ in outputs), default=(0, 0))
    lines.append(f"case {op} {tolerance[0]:g} {tolerance[1]:g}")
    lines.append("program " + program(expression, inputs, result))
    lines.extend(f"in {e} {shape_text(np.shape(x))} {hexed(e, x)}" for e, x in tensors_of(inputs))
    lines.extend(f"out {e} {text[0] if text else shape_text(np.shape(x))} {hexed(e, x)}" for e, x, *text in outputs)
    if not any(isinstance(x, Rows) for x in inputs):
        tell_elements(op, expression, inputs, result)


def stops(op, expression, inputs):
    """A program that compiles, but whose run fails."""
    lines.append(f"case {op} 0 0")
    lines.append("program " + program(expression, inputs, None))
    lines.extend(f"in {e} {shape_text(np.shape(x))} {hexed(e, x)}" for e, x in tensors_of(inputs))
    lines.append("stops")


def tell_elements(op, expression, inputs, result):
    """Cases that are refused because the inputs have different element types."""
    elems = [e for e, _ in inputs]
    if op in told or len(set(elems)) == len(elems):
        return
    told.add(op)
    for i, elem in enumerate(elems):
        if elems.count(elem) > 1:
            no(op, expression, [(OTHER[e] if j == i else e, np.shape(x)) for j, (e, x) in enumerate(inputs)], result)


def no_through(op, call, value, inputs, result=None):
    """A program that is refused when a function's static parameter `v` gives the value."""
    names = ", ".join("abcdefgh"[:len(inputs)])
    lines.append(f"case {op} 0 0")
    main = program(f"f({names + (', ' if names else '')}v={value})", [(e, np.zeros(s)) for e, s in inputs], result)
    lines.append(f"program f = fn ({names}; v = 1) {{ {call} }}; {main}")


def no(op, expression, inputs, result=None):
    """Inputs are (elem, shape), a list where sizes are text, or ragged."""
    lines.append(f"case {op} 0 0")
    given = [x if isinstance(x, Rows) else (x[0], x[1] if isinstance(x[1], list) else np.zeros(x[1])) for x in inputs]
    lines.append("program " + program(expression, given, result))


def T(elem, *shape, low=-3, high=3):
    return elem, draw(elem, *shape, low=low, high=high)


def ids(elem, below, *shape):
    return elem, rng.integers(0, below, shape).astype(INTS[elem])
