#!/usr/bin/env python3
"""Writes goldens.txt: for every operator of the runtime, inputs and the results by NumPy.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install numpy==2.4.6 && /tmp/v/bin/python tests/runtime/make_goldens.py

References are computed in f64 (integers exactly) from the stored values, then rounded once to the output's element type.
One case is
    case NAME OP RTOL ATOL           OP a number of ops.def; tolerances 0 0: the same bits, except that any NaN equals any other
    ints I...                        where there are any
    body                             the bodies of the operator, in order; bodies of bodies follow
      value ELEM SHAPE               its values
      node OP inputs / outputs / ints / bodies
      io inputs / outputs
    in|out ELEM SHAPE HEX            little endian; a shape is sizes with commas, `-` for a scalar
    same                             the inputs of the case before
"""
import heapq
import math
import os
import re

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = open(os.path.join(HERE, "../../runtime/ops.def")).read()
OPS = {name: int(n) for n, name in re.findall(r'^(?:OPERATOR|POINTWISE|REDUCTION)\(\w+, +(\d+), +"(\w+)"', TABLE, re.M)}

FLOATS = ["f16", "bf16", "f32", "f64"]
INTS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32,
        "u64": np.uint64}
ALL = FLOATS + list(INTS) + ["bool"]
TOLERANCE = {"f16": (1e-3, 1e-6), "bf16": (8e-3, 1e-6), "f32": (2e-6, 1e-6), "f64": (1e-14, 1e-14)}
rng = np.random.default_rng(20240607)
lines = []
inputs_before = None


def to_bf16(x):
    """The nearest bf16, ties to even, as f64, computed by scaling to integers."""
    x = np.asarray(x, np.float64)
    out = x.copy()
    for i, v in np.ndenumerate(x):
        if math.isfinite(v) and v != 0:
            m, e = math.frexp(v)
            e = max(e, -125)
            r = math.ldexp(round(math.ldexp(v, 8 - e)), e - 8)
            out[i] = math.copysign(math.inf, r) if abs(r) >= 2.0**128 else r
    return out


def rounded(elem, x):
    """The values of an array, rounded to an element type: as f64, or as that integer type."""
    with np.errstate(all="ignore"):
        if elem == "bf16":
            return to_bf16(x)
        if elem in FLOATS:
            return np.asarray(x, {"f16": np.float16, "f32": np.float32, "f64": np.float64}[elem]).astype(np.float64)
        if elem == "bool":
            return np.asarray(x, bool)
        if np.asarray(x).dtype == object:
            bits = 8 * np.dtype(INTS[elem]).itemsize
            return np.array([int(v) % 2**bits for v in np.asarray(x).ravel()], np.uint64).reshape(np.shape(x)).astype(INTS[elem])
        return np.asarray(x).astype(INTS[elem])


def hexed(elem, x):
    x = rounded(elem, x)
    if elem == "bf16":
        data = (x.astype(np.float32).view(np.uint32) >> 16).astype("<u2")
    elif elem in FLOATS:
        data = x.astype({"f16": "<f2", "f32": "<f4", "f64": "<f8"}[elem])
    elif elem == "bool":
        data = x.astype(np.uint8)
    else:
        data = x.astype(np.dtype(INTS[elem]).newbyteorder("<"))
    return np.ascontiguousarray(data).tobytes().hex() or "-"


def shape_text(shape):
    return ",".join(map(str, shape)) or "-"


def case(name, op, inputs, outputs, ints=(), bodies=(), tolerance=None):
    """inputs, outputs: (elem, array). An output's tolerance is that of its element type unless given."""
    if tolerance is None:
        tolerance = max((TOLERANCE.get(e, (0, 0)) for e, _ in outputs), default=(0, 0))
    lines.append(f"case {name} {OPS[op]} {tolerance[0]:g} {tolerance[1]:g}")
    if len(ints):
        lines.append("ints " + " ".join(map(str, ints)))
    for body in bodies:
        lines.append("body")
        lines.extend("  " + line for line in body)
    def tensors(kind, items):
        return [f"{kind} {elem} {shape_text(np.shape(x))} {hexed(elem, x)}" for elem, x in items]

    global inputs_before
    lines.extend(["same"] if inputs and tensors("in", inputs) == inputs_before else tensors("in", inputs))
    inputs_before = tensors("in", inputs)
    lines.extend(tensors("out", outputs))


def draw(elem, *shape, low=-3, high=3):
    """Random values that the element type can represent."""
    if elem == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if elem in INTS:
        return rng.integers(max(low, 0) if elem[0] == "u" else low, high + 1, shape).astype(INTS[elem])
    return rounded(elem, rng.uniform(low, high, shape))


def wide(x):
    """Python integers, so that the reference does not overflow."""
    x = np.asarray(x)
    return x.astype(object) if x.dtype.kind in "iu" else x


def unary():
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -0.5, 2.5])
    erf = np.vectorize(math.erf, otypes=[np.float64])
    with np.errstate(all="ignore"):
        functions = {
            "EXP": np.exp, "LOG": np.log, "SQRT": np.sqrt, "TANH": np.tanh,
            "SIGMOID": lambda x: np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x))), "ERF": erf,
            "RSQRT": lambda x: 1 / np.sqrt(x), "FLOOR": np.floor, "CEIL": np.ceil, "ROUND": np.round, "SIN": np.sin, "COS": np.cos,
            "HARD_SWISH": lambda x: x * (np.minimum(np.maximum(x + 3, 0), 6) / 6),
            "NEG": lambda x: -wide(x), "ABS": lambda x: abs(wide(x)), "SIGN": np.sign, "RELU": lambda x: np.where(np.isnan(x), x, np.maximum(x, 0)) if x.dtype.kind == "f" else np.maximum(x, 0)}
        for elem in FLOATS:
            x = rounded(elem, np.concatenate([special, draw(elem, 3, low=-8, high=8)]))
            for op, f in functions.items():
                y = f(x)
                if op == "SIGMOID":
                    y[1], y[2] = 1, 0
                exact = op in ("FLOOR", "CEIL", "ROUND", "NEG", "ABS", "SIGN", "RELU")
                case(f"{op}.{elem}", op, [(elem, x)], [(elem, y)], tolerance=(0, 0) if exact else None)
        for elem, t in INTS.items():
            x = np.array([0, 1, 5, np.iinfo(t).min, np.iinfo(t).max], t)
            for op in ("NEG", "ABS", "SIGN", "RELU"):
                case(f"{op}.{elem}", op, [(elem, x)], [(elem, functions[op](x))])
        for x, form in ((np.zeros((2, 0, 3)), "empty"), (np.float64(0.75), "scalar")):
            for op, f in functions.items():
                case(f"{op}.{form}", op, [("f64", x)], [("f64", f(x))])
    x = draw("bool", 3, 5)
    case("NOT", "NOT", [("bool", x)], [("bool", ~x)])
    case("SIGMOID.far", "SIGMOID", [("f32", np.array([-200.0, 200.0, -80.0]))],
         [("f32", np.array([0.0, 1.0, math.exp(-80)]))], tolerance=(1e-6, 0))


def saturate(x, t):
    info = np.iinfo(t)
    return [0 if math.isnan(v) else info.min if v <= info.min else info.max if v >= info.max else int(v) for v in x]


def casts():
    for source in ALL:
        if source in FLOATS:
            x = rounded(source, np.array([0, -0.0, 0.5, -1.7, 2.9, 127.5, 255.6, -129, 300, 70000, 3e9, -3e9, 1e20, -1e20, np.inf, -np.inf, np.nan,
                                          1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8 + 2.0**-30, 2.0**-25, 6e-8]))
        elif source == "bool":
            x = np.array([True, False])
        else:
            t = INTS[source]
            x = np.array([0, 1, 2, 100, np.iinfo(t).min, np.iinfo(t).max], t)
        for target in ALL:
            with np.errstate(all="ignore"):
                if target == "bool":
                    y = x != 0
                elif target in INTS and source in FLOATS:
                    y = np.array(saturate(x, INTS[target]), object)
                elif target in INTS:
                    y = np.array([int(v) for v in x], object)
                elif source in INTS:
                    if target == "f64" or (target in ("f16", "bf16") and np.dtype(INTS[source]).itemsize < 8):
                        y = x.astype(np.float64)
                    elif target == "f32":
                        y = x.astype(np.float32)
                    else:
                        y = x.astype(np.float64)
                else:
                    y = x.astype(np.float64)
            case(f"CAST.{source}.{target}", "CAST", [(source, x)], [(target, y)], tolerance=(0, 0))


def floor_mod(a, b):
    return a - np.floor_divide(a, b) * b


def wrapping_power(a, b):
    out = []
    for x, y in zip(a.ravel(), b.ravel()):
        x, y = int(x), int(y)
        out.append(x**y if y >= 0 else (1 if x == 1 else (x if y % 2 else 1) if x == -1 else 0))
    return np.array(out, object).reshape(a.shape)


def binary():
    functions = {"ADD": lambda a, b: a + b, "SUB": lambda a, b: a - b, "MUL": lambda a, b: a * b,
                 "DIV": lambda a, b: a // b if a.dtype == object else a / b, "MOD": lambda a, b: a % b if a.dtype == object else floor_mod(a, b),
                 "MAXIMUM": np.maximum, "MINIMUM": np.minimum,
                 "LESS": lambda a, b: a < b, "LESS_EQUAL": lambda a, b: a <= b, "GREATER": lambda a, b: a > b,
                 "GREATER_EQUAL": lambda a, b: a >= b, "EQUAL": lambda a, b: a == b, "NOT_EQUAL": lambda a, b: a != b}
    with np.errstate(all="ignore"):
        for elem in FLOATS:
            a = rounded(elem, np.array([5, -5, 5, -5, 7.5, 3.25, 1, np.nan, 1, np.inf, -np.inf, 0]))
            b = rounded(elem, np.array([3, 3, -3, -3, -2, 0.5, 1, 1, np.nan, 2, np.inf, 0]))
            for op, f in functions.items():
                if op != "MOD":
                    case(f"{op}.{elem}", op, [(elem, a), (elem, b)], [("bool" if OPS[op] >= OPS["LESS"] else elem, f(a, b))])
            case(f"MOD.{elem}", "MOD", [(elem, a[:7]), (elem, b[:7])], [(elem, floor_mod(a[:7], b[:7]))])
        for elem, t in INTS.items():
            top, low = np.iinfo(t).max, np.iinfo(t).min
            a = np.array([7, top, low, top, low, 0, 100, low if low == 0 else -7, low if low == 0 else -7], t)
            b = np.array([2, top, top, 1, 1 if low == 0 else -1, 3, 7, 2, 2 if low == 0 else -2], t)
            for op, f in functions.items():
                case(f"{op}.{elem}", op, [(elem, a), (elem, b)], [("bool" if OPS[op] >= OPS["LESS"] else elem, f(wide(a), wide(b)))])
    for elem in FLOATS:
        a, b = rounded(elem, np.array([0, 2, 9, 1.5, 4, 2])), rounded(elem, np.array([0, 3, 0.5, -2, -0.5, 10]))
        case(f"POW.{elem}", "POW", [(elem, a), (elem, b)], [(elem, a**b)])
    for elem, t in INTS.items():
        a, b = np.array([0, 2, 3, 7, 1, 10], t), np.array([0, 5, 4, 30, 9, 2], t)
        if elem[0] == "i":
            a, b = np.append(a, np.array([-1, -1, -3, 2, 1], t)), np.append(b, np.array([-3, -2, 3, -1, -5], t))
        case(f"POW.{elem}", "POW", [(elem, a), (elem, b)], [(elem, wrapping_power(a, b))])
    for elem in ("bool",):
        a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
        for op, f in (("AND", np.logical_and), ("OR", np.logical_or), ("EQUAL", np.equal), ("NOT_EQUAL", np.not_equal)):
            case(f"{op}.bool", op, [(elem, a), (elem, b)], [("bool", f(a, b))])
    for i, (p, q) in enumerate([((2, 3, 4), (4,)), ((3, 1), (1, 5)), ((), (2, 3)), ((2, 3), ()), ((), ()), ((2, 1, 4, 1), (3, 1, 5)),
                                ((0, 3), (3,)), ((1, 3), (0, 3)), ((5, 1, 1), (5, 2, 3)), ((2, 3, 4), (2, 1, 4)), ((1, 1, 1), (1, 1))]):
        a, b = draw("f32", *p), draw("f32", *q)
        case(f"SUB.broadcast{i}", "SUB", [("f32", a), ("f32", b)], [("f32", a - b)])
        case(f"LESS.broadcast{i}", "LESS", [("f32", a), ("f32", b)], [("bool", a < b)])


def select():
    for elem in ALL:
        c, a, b = draw("bool", 2, 3), draw(elem, 2, 3), draw(elem, 2, 3)
        case(f"SELECT.{elem}", "SELECT", [("bool", c), (elem, a), (elem, b)], [(elem, np.where(c, a, b))])
    for i, shapes in enumerate([((), (2, 3), (3,)), ((2, 1), (1, 3), ()), ((4, 1, 3), (2, 1), (1,)), ((0,), (), ())]):
        c, a, b = draw("bool", *shapes[0]), draw("f32", *shapes[1]), draw("f32", *shapes[2])
        case(f"SELECT.broadcast{i}", "SELECT", [("bool", c), ("f32", a), ("f32", b)], [("f32", np.where(c, a, b))])


def matmul():
    for elem in FLOATS + list(INTS):
        a, b = draw(elem, 2, 2, 3), draw(elem, 2, 3, 3)
        case(f"MATMUL.{elem}", "MATMUL", [(elem, a), (elem, b)], [(elem, np.matmul(wide(a), wide(b)))])
    for i, (s, m, k, n) in enumerate([((), 1, 1, 1), ((), 7, 3, 9), ((), 5, 0, 3), ((), 0, 3, 2), ((0,), 2, 3, 2), ((2, 3), 2, 2, 2), ((), 2, 2, 130)]):
        a, b = draw("f32", *s, m, k), draw("f32", *s, k, n)
        case(f"MATMUL.shape{i}", "MATMUL", [("f32", a), ("f32", b)], [("f32", np.matmul(a, b))])
    a = rounded("f16", np.full((1, 300), 1.5))
    case("MATMUL.f16.long", "MATMUL", [("f16", a), ("f16", a.T)], [("f16", a @ a.T)])
    big = np.array([[100, 120], [127, -128]], np.int8)
    case("MATMUL.i8.wraps", "MATMUL", [("i8", big), ("i8", big)], [("i8", wide(big) @ wide(big))])


def out_size(size, window, stride, pads, dilation):
    room = size + sum(pads) - (dilation * (window - 1) + 1)
    return 0 if room < 0 else room // stride + 1


def spread_out(x, spread):
    """Inserts spread - 1 zeros between the elements of every axis except the outermost and the innermost."""
    sizes = [max((n - 1) * s + 1, 0) for n, s in zip(x.shape[1:-1], spread)]
    out = np.zeros((x.shape[0], *sizes, x.shape[-1]), x.dtype)
    out[(slice(None), *(slice(None, None, s) for s in spread))] = x
    return out


def conv(x, w, stride, pads, dilation, spread=None, groups=1):
    """Channels last; negative padding cuts off."""
    rank = x.ndim - 2
    x, w = spread_out(wide(x), spread or [1] * rank), wide(w)
    sizes = [out_size(*a) for a in zip(x.shape[1:-1], w.shape, stride, pads, dilation)]
    for axis, (before, after) in enumerate(pads):
        x = np.pad(x, [(max(before, 0), max(after, 0)) if i == axis + 1 else (0, 0) for i in range(x.ndim)])
        cut = slice(max(-before, 0), x.shape[axis + 1] - max(-after, 0))
        x = x[tuple(cut if i == axis + 1 else slice(None) for i in range(x.ndim))]
    depth, width = w.shape[-2], w.shape[-1] // groups
    y = np.zeros((x.shape[0], *sizes, w.shape[-1]), x.dtype)
    for at in np.ndindex(*sizes):
        window = tuple(slice(i * s, i * s + d * (r - 1) + 1, d) for i, s, d, r in zip(at, stride, dilation, w.shape))
        patch = x[(slice(None), *window)]
        for g in range(groups):
            part = w[..., g * width:(g + 1) * width]
            y[(slice(None), *at, slice(g * width, (g + 1) * width))] = np.tensordot(patch[..., g * depth:(g + 1) * depth], part, rank + 1)
    return y


def convolutions():
    def ints(stride, pads, dilation, spread, groups):
        return [*stride, *(p for pair in pads for p in pair), *dilation, *(spread or [1] * len(stride)), groups]

    plain = ((1, 1), ((0, 0), (0, 0)), (1, 1), None, 1)
    for elem in FLOATS + list(INTS):
        x, w = draw(elem, 1, 3, 3, 2), draw(elem, 2, 2, 2, 2)
        case(f"CONV.{elem}", "CONV", [(elem, x), (elem, w)], [(elem, conv(x, w, *plain))], ints(*plain))
    for i, (xs, ws, *how) in enumerate([
            ((2, 5, 4, 2), (3, 2, 2, 3), (2, 1), ((1, 1), (0, 1)), (1, 1), None, 1), ((1, 7, 6, 1), (3, 3, 1, 2), (1, 2), ((2, 0), (1, 3)), (2, 1), None, 1),
            ((1, 1, 1, 2), (3, 3, 2, 2), (1, 1), ((1, 1), (1, 1)), (1, 1), None, 1), ((1, 2, 9, 1), (1, 3, 1, 1), (1, 1), ((0, 0), (4, 4)), (1, 4), None, 1),
            ((0, 4, 4, 2), (2, 2, 2, 2), *plain), ((1, 3, 3, 0), (2, 2, 0, 2), *plain), ((1, 2, 2, 1), (3, 3, 1, 1), *plain),
            ((1, 5, 5, 1), (2, 2, 1, 1), (3, 4), ((3, 3), (0, 0)), (1, 1), None, 1), ((1, 1, 1, 2), (1, 1, 2, 270), *plain),
            ((2, 7, 3), (3, 3, 4), (2,), ((1, 2),), (2,), None, 1), ((1, 4, 3, 5, 2), (2, 3, 2, 2, 3), (1, 2, 2), ((1, 0), (0, 1), (1, 1)), (2, 1, 1), None, 1),
            ((1, 5, 4, 6), (2, 3, 1, 6), (1, 1), ((1, 1), (0, 0)), (1, 1), None, 6), ((1, 5, 4, 3), (3, 2, 1, 6), (2, 1), ((1, 0), (1, 0)), (1, 2), None, 3),
            ((2, 4, 4, 6), (2, 2, 3, 4), (1, 1), ((0, 0), (1, 1)), (1, 1), None, 2), ((1, 5, 264), (2, 2, 132), (1,), ((0, 0),), (1,), None, 132),
            ((1, 5, 2), (3, 2, 3), (1,), ((2, 2),), (1,), (2,), 1), ((1, 3, 4, 2), (3, 2, 2, 3), (1, 1), ((2, 1), (1, 3)), (1, 2), (2, 3), 1),
            ((1, 4, 4, 1), (2, 2, 1, 1), (1, 1), ((-1, 0), (1, -2)), (1, 1), (3, 2), 1), ((1, 6, 1), (4, 1, 2), (1,), ((3, 3),), (2,), (4,), 1),
            ((1, 2, 2, 2, 1), (2, 2, 2, 1, 1), (1, 1, 1), ((1, 1), (1, 1), (1, 1)), (1, 1, 1), (2, 2, 2), 1), ((1, 0, 2), (3, 2, 1), (1,), ((2, 2),), (1,), (2,), 1)]):
        x, w = draw("f32", *xs), draw("f32", *ws)
        case(f"CONV.form{i}", "CONV", [("f32", x), ("f32", w)], [("f32", conv(x, w, *how))], ints(*how))
    for elem in FLOATS + list(INTS):
        x, w = draw(elem, 1, 2, 3, 3), draw(elem, 2, 2, 2, 2)
        nhwc = conv(x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0), *plain)
        case(f"CONV_NCHW.{elem}", "CONV_NCHW", [(elem, x), (elem, w)], [(elem, nhwc.transpose(0, 3, 1, 2))])
    for i, (xs, ws) in enumerate([((2, 3, 5, 6), (2, 3, 2, 4)), ((1, 1, 2, 2), (1, 1, 2, 2)), ((0, 1, 3, 3), (2, 1, 2, 2)), ((1, 0, 3, 3), (2, 0, 2, 2))]):
        x, w = draw("f32", *xs), draw("f32", *ws)
        nhwc = conv(x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0), *plain)
        case(f"CONV_NCHW.form{i}", "CONV_NCHW", [("f32", x), ("f32", w)], [("f32", nhwc.transpose(0, 3, 1, 2))])


def pools():
    def pool(x, size, stride, pads, average):
        sizes = [out_size(*a, 1) for a in zip(x.shape[1:-1], size, stride, pads)]
        around = [(0, 0), *pads, (0, 0)]
        inside, xp = np.pad(np.ones(x.shape, bool), around), np.pad(wide(x), around)
        y = np.zeros((x.shape[0], *sizes, x.shape[-1]), xp.dtype)
        for n, *spatial, c in np.ndindex(*y.shape):
            at = (n, *(slice(i * s, i * s + r) for i, s, r in zip(spatial, stride, size)), c)
            seen = xp[at][inside[at]]
            y[(n, *spatial, c)] = (sum(seen) // len(seen) if xp.dtype == object else seen.mean()) if average else seen.max()
        return y
    for op, average in (("MAX_POOL", False), ("AVG_POOL", True)):
        for elem in FLOATS + list(INTS):
            x = draw(elem, 1, 3, 4, 2, low=-9, high=9)
            case(f"{op}.{elem}", op, [(elem, x)], [(elem, pool(x, (2, 2), (1, 2), ((0, 0), (0, 0)), average))], [2, 2, 1, 2, 0, 0, 0, 0])
        for i, (xs, size, stride, pads) in enumerate([((1, 5, 5, 2), (3, 3), (2, 2), ((1, 1), (1, 1))), ((2, 4, 3, 1), (2, 1), (2, 1), ((0, 0), (0, 0))),
                                                      ((1, 3, 6, 1), (2, 4), (1, 3), ((0, 1), (2, 1))), ((0, 4, 4, 1), (2, 2), (2, 2), ((0, 0), (0, 0))),
                                                      ((1, 1, 1, 3), (2, 2), (2, 2), ((0, 1), (0, 1))), ((2, 7, 3), (3,), (2,), ((1, 1),)),
                                                      ((1, 3, 4, 5, 2), (2, 3, 2), (1, 2, 2), ((0, 1), (1, 1), (0, 0)))]):
            x = draw("f32", *xs) - 5
            x = rounded("f32", x)
            case(f"{op}.form{i}", op, [("f32", x)], [("f32", pool(x, size, stride, pads, average))],
                 [*size, *stride, *(p for pair in pads for p in pair)])
    x = np.array([1, np.nan, 3, 4]).reshape(1, 2, 2, 1)
    case("MAX_POOL.nan", "MAX_POOL", [("f32", x)], [("f32", np.full((1, 1, 1, 1), np.nan))], [2, 2, 2, 2, 0, 0, 0, 0])


def positions(size, to, coordinates, t):
    """The position along an axis of the input for each element of the result."""
    at = np.arange(to, dtype=t)
    if coordinates == 1 and to > 1:
        return at * (t(size - 1) / t(to - 1))
    scale = t(size) / t(to)
    return (at + t(0.5)) * scale - t(0.5) if coordinates == 0 else at * scale


def mixing(size, to, method, coordinates, t):
    """The matrix [to, size] of weights: how much each element of the result takes from each of the input."""
    mix, at = np.zeros((to, size)), positions(size, to, coordinates, t)
    for i, x in enumerate(at):
        if method == 0:
            near = {0: math.floor((np.float32(i) + np.float32(0.5)) * (np.float32(size) / np.float32(to))), 1: math.floor(x + t(0.5)),
                    2: math.floor(x)}[coordinates]
            mix[i, min(max(near, 0), size - 1)] = 1
        elif method == 1:
            base = math.floor(x)
            mix[i, min(max(base, 0), size - 1)] += 1 - (x - base)
            mix[i, min(max(base + 1, 0), size - 1)] += x - base
        else:
            d = np.abs(x - np.arange(size))
            mix[i] = np.where(d < 1, (1.5 * d - 2.5) * d * d + 1, np.where(d < 2, ((-0.5 * d + 2.5) * d - 4) * d + 2, 0))
            mix[i] /= mix[i].sum()
    return mix


def signals():
    for method in range(3):
        for coordinates in range(3):
            for i, (xs, to) in enumerate([((2, 4, 3, 2), (7, 5)), ((1, 5, 6, 1), (3, 2)), ((1, 1, 2, 3), (4, 1)), ((1, 6, 3, 1), (4, 6))]):
                for elem in FLOATS if i == 0 else ("f32",):
                    x, t = draw(elem, *xs), np.float64 if elem == "f64" and method else np.float32
                    rows, columns = (mixing(xs[k + 1], to[k], method, coordinates, t) for k in (0, 1))
                    case(f"RESIZE.{method}.{coordinates}.{i}.{elem}", "RESIZE", [(elem, x)], [(elem, np.einsum("ih,jw,nhwc->nijc", rows, columns, x))],
                         [method, coordinates], tolerance=(0, 0) if method == 0 else None)
    x = draw("bool", 1, 2, 3, 2)
    case("RESIZE.bool", "RESIZE", [("bool", x)], [("bool", x.repeat(2, 1).repeat(3, 2))], [0, 0])
    for i, (xs, axis, length, step) in enumerate([((2, 9, 3), 1, 4, 2), ((7,), 0, 3, 3), ((2, 8), 1, 2, 5), ((5,), 0, 5, 1), ((3, 0, 4), 2, 2, 1)]):
        frames = (xs[axis] - length) // step + 1
        for elem in ALL if i == 0 else ("f32",):
            x = draw(elem, *xs)
            y = np.stack([np.take(x, range(f * step, f * step + length), axis) for f in range(frames)], axis)
            case(f"FRAME.form{i}.{elem}", "FRAME", [(elem, x)], [(elem, y)], [axis, step])
    for i, (xs, axis, step) in enumerate([((2, 4, 3, 2), 1, 2), ((3, 4), 0, 4), ((3, 2), 0, 3), ((1, 5), 0, 1), ((2, 3, 0), 1, 2), ((6, 7), 0, 1)]):
        if (xs[axis] - 1) * step + xs[axis + 1] < 0:
            continue
        for elem in FLOATS + list(INTS) if i == 0 else ("f32",):
            x = draw(elem, *xs)
            f, length = xs[axis], xs[axis + 1]
            y = np.zeros((*xs[:axis], (f - 1) * step + length, *xs[axis + 2:]), wide(x).dtype)
            for k in range(f):
                at = tuple(slice(None) for _ in range(axis))
                y[(*at, slice(k * step, k * step + length))] += wide(x)[(*at, k)]
            case(f"OVERLAP_ADD.form{i}.{elem}", "OVERLAP_ADD", [(elem, x)], [(elem, y)], [axis, step])
    def pairs(z):
        return np.stack([z.real, z.imag], -1)
    def cosines(n):
        k, j = np.mgrid[:n, :n]
        return 2 * np.cos(np.pi * k * (2 * j + 1) / (2 * n))
    for n in (1, 2, 3, 4, 5, 8, 12, 15, 16, 26, 49):
        for elem in FLOATS if n in (8, 15) else ("f32",):
            tolerance = {"f16": (1e-3, 1e-2), "bf16": (8e-3, 5e-2), "f32": (1e-6, 3e-6), "f64": (1e-12, 1e-12)}[elem]
            x = draw(elem, 2, n, 2)
            z = x[..., 0] + 1j * x[..., 1]
            case(f"FOURIER.fft.{n}.{elem}", "FOURIER", [(elem, x)], [(elem, pairs(np.fft.fft(z)))], [0], tolerance=tolerance)
            case(f"FOURIER.ifft.{n}.{elem}", "FOURIER", [(elem, x)], [(elem, pairs(np.fft.ifft(z)))], [1], tolerance=tolerance)
            half = z[:, :n // 2 + 1]
            case(f"FOURIER.irfft.{n}.{elem}", "FOURIER", [(elem, pairs(half))], [(elem, np.fft.irfft(half, n))], [3], tolerance=tolerance)
            x = draw(elem, 3, n)
            case(f"FOURIER.rfft.{n}.{elem}", "FOURIER", [(elem, x)], [(elem, pairs(np.fft.rfft(x)))], [2], tolerance=tolerance)
            case(f"FOURIER.dct.{n}.{elem}", "FOURIER", [(elem, x)], [(elem, x @ cosines(n).T)], [4], tolerance=tolerance)
            case(f"FOURIER.idct.{n}.{elem}", "FOURIER", [(elem, x)], [(elem, x @ np.linalg.inv(cosines(n)).T)], [5], tolerance=tolerance)


def structure():
    def each(op, make):
        for elem in ALL:
            make(op, elem)
    each("TRANSPOSE", lambda op, e: (lambda x: case(f"{op}.{e}", op, [(e, x)], [(e, x.transpose(2, 0, 1))], [2, 0, 1]))(draw(e, 2, 3, 2)))
    for i, (shape, perm) in enumerate([((), ()), ((4,), (0,)), ((3, 5), (1, 0)), ((2, 3, 4, 2), (0, 3, 1, 2)), ((2, 0, 3), (2, 1, 0)), ((1, 3, 1, 2), (3, 2, 1, 0)),
                                       ((2, 2, 2, 2, 2), (4, 1, 3, 0, 2)), ((2, 3, 4), (0, 1, 2))]):
        x = draw("f32", *shape)
        case(f"TRANSPOSE.form{i}", "TRANSPOSE", [("f32", x)], [("f32", x.transpose(perm))], perm)
    each("RESHAPE", lambda op, e: (lambda x: case(f"{op}.{e}", op, [(e, x)], [(e, x.reshape(3, 1, 2))]))(draw(e, 6)))
    case("RESHAPE.scalar", "RESHAPE", [("f32", np.float64(3))], [("f32", np.full((1, 1), 3.0))])
    case("RESHAPE.empty", "RESHAPE", [("f32", np.zeros((0, 4)))], [("f32", np.zeros((2, 0, 7)))])
    each("COPY", lambda op, e: (lambda x: case(f"{op}.{e}", op, [(e, x)], [(e, x)]))(draw(e, 2, 2)))
    for i, (shapes, axis) in enumerate([(((2, 3), (4, 3)), 0), (((2, 3), (2, 1), (2, 0), (2, 2)), 1), (((2, 2, 3), (2, 1, 3)), 1), (((0, 2), (0, 3)), 1), (((3,),), 0), (((0,), (2,)), 0)]):
        for elem in ("f16", "f32", "f64", "bool") if i == 1 else ("f32",):
            parts = [draw(elem, *s) for s in shapes]
            case(f"CONCAT.form{i}.{elem}", "CONCAT", [(elem, p) for p in parts], [(elem, np.concatenate(parts, axis))], [axis])
    for i, (shape, axis, start, stop, step) in enumerate([((5,), 0, 1, 4, 1), ((5, 3), 0, 0, 5, 2), ((2, 7), 1, 3, 7, 3), ((2, 5, 3), 1, 1, 4, 2), ((4,), 0, 2, 2, 1), ((4, 2), 0, 4, 4, 1),
                                                          ((3, 0), 0, 1, 3, 1), ((2, 3), 1, 0, 3, 1)]):
        for elem in ALL if i == 3 else ("f32",):
            x = draw(elem, *shape)
            y = x[(slice(None),) * axis + (slice(start, stop, step),)]
            case(f"SLICE.form{i}.{elem}", "SLICE", [(elem, x)], [(elem, y)], [axis, start, step])
    for i, (shape, axis) in enumerate([((5,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 3, 2), 1), ((0, 2), 0), ((2, 0), 0), ((1,), 0)]):
        for elem in ALL if i == 3 else ("f32",):
            x = draw(elem, *shape)
            case(f"REVERSE.form{i}.{elem}", "REVERSE", [(elem, x)], [(elem, np.flip(x, axis))], [axis])
    for i, (shape, pads) in enumerate([((2, 3), ((1, 2), (0, 1))), ((3,), ((0, 0),)), ((0, 2), ((1, 1), (2, 0))), ((2, 2, 2), ((0, 1), (1, 0), (2, 3))), ((2, 0), ((0, 0), (0, 0))), ((2, 0), ((1, 0), (0, 0)))]):
        for elem in ALL if i == 0 else ("f32",):
            x = draw(elem, *shape)
            case(f"PAD.form{i}.{elem}", "PAD", [(elem, x)], [(elem, np.pad(x, pads))], [n for p in pads for n in p])
            value = draw(elem, 1)[0]
            case(f"PAD.value{i}.{elem}", "PAD", [(elem, x), (elem, value)], [(elem, np.pad(x, pads, constant_values=value))], [n for p in pads for n in p])
    case("PAD.scalar", "PAD", [("f32", np.float64(2))], [("f32", np.float64(2))])
    for i, (shape, a, b) in enumerate([((1, 2, 3, 2), 2, 3), ((2, 1, 1, 1), 1, 4), ((1, 0, 2, 1), 2, 2), ((1, 2, 2, 3), 1, 1)]):
        for elem in ("f16", "f32", "i64", "u8") if i == 0 else ("f32",):
            x = draw(elem, *shape)
            case(f"UPSAMPLE.form{i}.{elem}", "UPSAMPLE", [(elem, x)], [(elem, x.repeat(a, 1).repeat(b, 2))], [a, b])
    for i, (shape, ids, axis) in enumerate([((4, 3), (2,), 0), ((4, 3), (), 0), ((2, 5), (2, 2), 1), ((2, 4, 3), (3,), 1), ((3, 2), (0,), 0), ((3, 0), (2,), 0), ((0, 3), (0,), 0)]):
        for elem in ALL if i == 0 else ("f32",):
            x, q = draw(elem, *shape), rng.integers(0, max(shape[axis], 1), ids)
            case(f"GATHER.form{i}.{elem}", "GATHER", [(elem, x), ("i64", q)], [(elem, x.take(q, axis))], [axis])
    for elem in INTS:
        x, q = draw("f32", 5, 2), np.array([4, 0, 3], INTS[elem])
        case(f"GATHER.ids.{elem}", "GATHER", [("f32", x), (elem, q)], [("f32", x[q])], [0])
    for i, (shape, target) in enumerate([((3,), (2, 3)), ((), (2, 2)), ((2, 1, 3), (2, 4, 3)), ((1, 1), (3, 2)), ((1, 3), (0, 3)), ((2, 3), (2, 3)), ((1,), (4, 1, 5))]):
        for elem in ALL if i == 2 else ("f32",):
            x = draw(elem, *shape)
            case(f"BROADCAST.form{i}.{elem}", "BROADCAST", [(elem, x)], [(elem, np.broadcast_to(x, target))])
    case("DIMS.vector", "DIMS", [], [("i64", np.array([3, -1, 2**40]))], [3, -1, 2**40])
    case("DIMS.scalar", "DIMS", [], [("i64", np.int64(7))], [7])
    case("DIMS.matrix", "DIMS", [], [("i64", np.array([[1, 2], [3, 4]]))], [1, 2, 3, 4])
    case("DIMS.empty", "DIMS", [], [("i64", np.zeros(0, np.int64))])


def reductions():
    functions = {"REDUCE_SUM": (lambda x, a: x.sum(a), lambda r, i: r + i), "REDUCE_PROD": (lambda x, a: x.prod(a), lambda r, i: r * i),
                 "REDUCE_MAX": (lambda x, a: x.max(a), np.maximum), "REDUCE_MIN": (lambda x, a: x.min(a), np.minimum)}
    for op, (reduce, combine) in functions.items():
        for elem in FLOATS + list(INTS):
            x, init = draw(elem, 2, 3, 2, low=-2), draw(elem, 2, 2)
            y = combine(reduce(wide(x), 1), wide(init))
            case(f"{op}.{elem}", op, [(elem, x), (elem, init)], [(elem, y)], [1])
        for i, (shape, axis, scalar) in enumerate([((5,), 0, True), ((3, 4), 0, True), ((3, 4), 1, True), ((2, 3, 2), 0, False), ((0, 3), 1, True), ((150,), 0, True), ((2, 130), 0, True)][:8 if op == "REDUCE_SUM" else 6]):
            x = draw("f32", *shape, low=0.9, high=1.1)
            result = reduce(x, axis)
            init = np.float64(2) if scalar else draw("f32", *result.shape)
            case(f"{op}.form{i}", op, [("f32", x), ("f32", init)], [("f32", combine(result, init))], [axis], tolerance=(2e-5, 1e-6))
        case(f"{op}.none", op, [("f32", np.zeros((2, 0, 3))), ("f32", np.float64(-7))], [("f32", np.full((2, 3), -7.0))], [1])
        case(f"{op}.keep", op, [("f64", np.full((2, 3), 2.0)), ("f64", np.float64(1))], [("f64", combine(reduce(np.full((2, 3), 2.0), 1), 1.0).reshape(2, 1))], [1])
    for op in ("REDUCE_MAX", "REDUCE_MIN"):
        case(f"{op}.nan", op, [("f32", np.array([[1, np.nan], [2, 3]])), ("f32", np.float64(0))], [("f32", np.array([np.nan, 3 if op == "REDUCE_MAX" else 0]))], [1])
        x = np.array([[True, False], [True, True], [False, False]])
        case(f"{op}.bool", op, [("bool", x), ("bool", op == "REDUCE_MIN")], [("bool", x.any(1) if op == "REDUCE_MAX" else x.all(1))], [1])
    x = rounded("f16", np.full(600, 1.0))
    case("REDUCE_SUM.f16.long", "REDUCE_SUM", [("f16", x[:600]), ("f16", np.float64(0))], [("f16", np.float64(600))], [0])


def body(values, nodes, inputs, outputs):
    """values: (elem, shape); nodes: (op, inputs, outputs, ints, bodies)"""
    text = [f"value {e} {shape_text(s)}" for e, s in values]
    for op, ins, outs, ints, bodies in nodes:
        text.append(f"node {OPS[op]} " + " / ".join(" ".join(map(str, part)) for part in (ins, outs, ints, bodies)))
    text.append("io " + " ".join(map(str, inputs)) + " / " + " ".join(map(str, outputs)))
    return text


def with_bodies():
    # reduce: acc*k + x, with a captured k; along the first and a middle axis, and over none
    for i, (shape, axis) in enumerate([((4,), 0), ((3, 2), 0), ((2, 3, 2), 1), ((0, 2), 0), ((2, 0), 1)]):
        rest = shape[:axis] + shape[axis + 1:]
        f = body([("f64", rest), ("f64", rest), ("f64", ()), ("f64", rest), ("f64", rest)],
                 [("MUL", [0, 2], [3], [], []), ("ADD", [3, 1], [4], [], [])], [0, 1, 2], [4])
        x, init, k = draw("f64", *shape), draw("f64", *rest), np.float64(0.5)
        y = init
        for part in np.moveaxis(x, axis, 0):
            y = y * k + part
        case(f"REDUCE.form{i}", "REDUCE", [("f64", init), ("f64", x), ("f64", k)], [("f64", y)], [axis], [f])
    # map over two sequences with a capture: (a - b) * c, and a alone
    f = body([("f32", (2,)), ("f32", ()), ("f32", (2,)), ("f32", (2,)), ("f32", (2,))],
             [("SUB", [0, 1], [3], [], []), ("MUL", [3, 2], [4], [], [])], [0, 1, 2], [4, 0])
    for n in (3, 0):
        a, b, c = draw("f32", n, 2), draw("f32", n), draw("f32", 2)
        case(f"MAP.{n}", "MAP", [("f32", a), ("f32", b), ("f32", c)], [("f32", (a - b[:, None]) * c), ("f32", a)], [2], [f])
    # nested maps: distances of all pairs
    outer = body([("i32", ()), ("i32", (4,)), ("i32", (4,))], [("MAP", [1, 0], [2], [1], [1])], [0, 1], [2])
    inner = body([("i32", ()), ("i32", ()), ("i32", ()), ("i32", ())], [("SUB", [0, 1], [2], [], []), ("ABS", [2], [3], [], [])], [0, 1], [3])
    p, q = draw("i32", 3, low=-9, high=9), draw("i32", 4, low=-9, high=9)
    case("MAP.pairs", "MAP", [("i32", p), ("i32", q)], [("i32", abs(p[:, None] - q))], [1], [outer, inner])
    # loop: the states (s, t) become (t, s + x); collected: s
    f = body([("i64", ()), ("i64", ()), ("i64", ()), ("i64", ())], [("ADD", [0, 2], [3], [], [])], [0, 1, 2], [1, 3, 0])
    for n in (6, 5, 0):
        x = draw("i64", n, low=-9, high=9)
        s, t, seen = 1, 10, []
        for v in x:
            seen.append(s)
            s, t = t, s + int(v)
        case(f"LOOP.{n}", "LOOP", [("i64", np.int64(1)), ("i64", np.int64(10)), ("i64", x)], [("i64", np.int64(s)), ("i64", np.int64(t)), ("i64", np.array(seen, np.int64))], [2, 1], [f])
    # loop without states over two sequences, with a capture
    f = body([("f32", ()), ("f32", (2,)), ("f32", (2,)), ("f32", (2,)), ("f32", (2,))], [("MUL", [0, 1], [3], [], []), ("ADD", [3, 2], [4], [], [])], [0, 1, 2], [4])
    a, b, c = draw("f32", 3), draw("f32", 3, 2), draw("f32", 2)
    case("LOOP.stateless", "LOOP", [("f32", a), ("f32", b), ("f32", c)], [("f32", a[:, None] * b + c)], [0, 2], [f])
    # while a < limit: (a, b) becomes (a + b, a)
    condition = body([("i32", ()), ("i32", ()), ("i32", ()), ("bool", ())], [("LESS", [0, 2], [3], [], [])], [0, 1, 2], [3])
    step = body([("i32", ()), ("i32", ()), ("i32", ()), ("i32", ())], [("ADD", [0, 1], [3], [], [])], [0, 1, 2], [3, 0])
    for limit in (100, 0, 2):
        a, b = 1, 1
        while a < limit:
            a, b = a + b, a
        case(f"WHILE.{limit}", "WHILE", [("i32", np.int32(v)) for v in (1, 1, limit)], [("i32", np.int32(a)), ("i32", np.int32(b))], [2], [condition, step])
    # if: x / y if y is not 0, otherwise a captured value unchanged
    yes = body([("i32", (2,)), ("i32", (2,)), ("i32", (2,))], [("DIV", [0, 1], [2], [], [])], [0, 1], [2])
    no = body([("i32", (2,)), ("i32", (2,))], [], [0, 1], [0])
    for c, y in ((True, [2, -3]), (False, [0, 0])):
        x, d = np.array([7, 7], np.int32), np.array(y, np.int32)
        case(f"IF.{c}", "IF", [("bool", c), ("i32", x), ("i32", d)], [("i32", x // d if c else x)], [], [yes, no])
    # a while with an if, in a map: steps of the Collatz sequence
    steps = body([("i64", ()), ("i64", ()), ("i64", ()), ("i64", ()), ("i64", ()), ("i64", ())],
                 [("SUB", [1, 1], [2], [], []), ("WHILE", [0, 2, 1], [3, 4], [2], [1, 2])], [0, 1], [4])
    going = body([("i64", ()), ("i64", ()), ("i64", ()), ("bool", ())], [("NOT_EQUAL", [0, 2], [3], [], [])], [0, 1, 2], [3])
    turn = body([("i64", ()), ("i64", ()), ("i64", ()), ("i64", ()), ("i64", ()), ("i64", ()), ("bool", ()), ("i64", ()), ("i64", ())],
                [("ADD", [2, 2], [3], [], []), ("MOD", [0, 3], [4], [], []), ("EQUAL", [4, 2], [6], [], []), ("IF", [6, 0, 3, 2], [7], [], [3, 4]),
                 ("ADD", [1, 2], [8], [], []), ("COPY", [1], [5], [], [])], [0, 1, 2], [7, 8])
    odd = body([("i64", ()), ("i64", ()), ("i64", ()), ("i64", ()), ("i64", ()), ("i64", ())],
               [("ADD", [1, 2], [3], [], []), ("MUL", [0, 3], [4], [], []), ("ADD", [4, 2], [5], [], [])], [0, 1, 2], [5])
    even = body([("i64", ()), ("i64", ()), ("i64", ()), ("i64", ())], [("DIV", [0, 1], [3], [], [])], [0, 1, 2], [3])
    numbers, counts = np.array([1, 2, 3, 6, 7, 27]), []
    for n in numbers:
        count = 0
        while n != 1:
            n, count = (3 * n + 1 if n % 2 else n // 2), count + 1
        counts.append(count)
    case("MAP.collatz", "MAP", [("i64", numbers), ("i64", np.int64(1))], [("i64", np.array(counts))], [1], [steps, going, turn, odd, even])


def more_unary():
    with np.errstate(all="ignore"):
        functions = {"ASIN": np.arcsin, "ACOS": np.arccos, "ATAN": np.arctan, "TAN": np.tan, "SINH": np.sinh, "COSH": np.cosh, "ASINH": np.arcsinh,
                     "ACOSH": np.arccosh, "ATANH": np.arctanh, "LOG1P": np.log1p, "EXPM1": np.expm1, "LOG2": np.log2, "EXP2": np.exp2,
                     "CBRT": np.cbrt, "TRUNC": np.trunc}
        for elem in FLOATS:
            x = rounded(elem, np.concatenate([[np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.75, 2.5, 1e-4], draw(elem, 3, low=-4, high=4)]))
            for op, f in functions.items():
                case(f"{op}.{elem}", op, [(elem, x)], [(elem, f(x))], tolerance=(0, 0) if op == "TRUNC" else None)
        for elem, t in INTS.items():
            x = np.array([0, 1, 5, np.iinfo(t).min, np.iinfo(t).max], t)
            case(f"BIT_NOT.{elem}", "BIT_NOT", [(elem, x)], [(elem, ~x)])
    for source, target in (("f32", "i32"), ("i64", "f64"), ("f16", "bf16"), ("u8", "i8"), ("bool", "u8")):
        x = draw(source, 2, 3)
        raw = bytes.fromhex(hexed(source, x))
        if target in INTS:
            y = np.frombuffer(raw, np.dtype(INTS[target]).newbyteorder("<")).reshape(2, 3)
        elif target == "bf16":
            y = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32).astype(np.float64).reshape(2, 3)
        else:
            y = np.frombuffer(raw, "<f8").reshape(2, 3)
        case(f"BITCAST.{source}.{target}", "BITCAST", [(source, x)], [(target, y)], tolerance=(0, 0))


def more_binary():
    with np.errstate(all="ignore"):
        for elem in FLOATS:
            a = rounded(elem, np.array([0, -0.0, 1, -1, 1, -1, np.inf, -np.inf, np.nan, 3]))
            b = rounded(elem, np.array([0, 0, 1, 1, -1, -1, np.inf, -np.inf, 1, 0]))
            case(f"ATAN2.{elem}", "ATAN2", [(elem, a), (elem, b)], [(elem, np.arctan2(a, b))])
    for elem, t in INTS.items():
        info, bits = np.iinfo(t), 8 * np.dtype(t).itemsize
        a, b = np.array([0, 1, 77, info.max, info.min, info.max], t), np.array([5, 3, info.max, info.min, 1, 12], t)
        for op, f in (("BIT_AND", np.bitwise_and), ("BIT_OR", np.bitwise_or), ("BIT_XOR", np.bitwise_xor)):
            case(f"{op}.{elem}", op, [(elem, a), (elem, b)], [(elem, f(a, b))])
        counts = np.array([0, 1, 3, bits - 1, bits, 100], t)
        if elem[0] == "i":
            a, counts = np.append(a, np.array([-5, -5], t)), np.append(counts, np.array([-1, 2], t))
        left = [int(x) << int(n) if 0 <= n < bits else 0 for x, n in zip(a, counts)]
        right = [int(x) >> int(n) if 0 <= n < bits else -1 if x < 0 else 0 for x, n in zip(a, counts)]
        case(f"SHIFT_LEFT.{elem}", "SHIFT_LEFT", [(elem, a), (elem, counts)], [(elem, np.array(left, object))])
        case(f"SHIFT_RIGHT.{elem}", "SHIFT_RIGHT", [(elem, a), (elem, counts)], [(elem, np.array(right, object))])


def scanned(f, x, start, axis, exclusive, reverse):
    x = np.moveaxis(wide(x), axis, 0)[:: -1 if reverse else 1]
    out, kept = [], np.full(x.shape[1:], start, x.dtype)
    for part in x:
        after = f(kept, part)
        out.append(kept if exclusive else after)
        kept = after
    return np.moveaxis(np.array(out, x.dtype).reshape(x.shape)[:: -1 if reverse else 1], 0, axis)


def scans():
    for op, f in (("CUM_SUM", np.add), ("CUM_PROD", np.multiply), ("CUM_MAX", np.maximum), ("CUM_MIN", np.minimum)):
        for elem in FLOATS + list(INTS):
            low, high = (-np.inf, np.inf) if elem in FLOATS else (np.iinfo(INTS[elem]).min, np.iinfo(INTS[elem]).max)
            start = {"CUM_SUM": 0, "CUM_PROD": 1, "CUM_MAX": low, "CUM_MIN": high}[op]
            for i, (shape, axis, exclusive, reverse) in enumerate([((2, 5, 2), 1, 0, 0), ((4,), 0, 1, 0), ((3, 2), 0, 0, 1), ((2, 3), 1, 1, 1), ((2, 0), 1, 0, 0)]):
                x = draw(elem, *shape)
                case(f"{op}.{elem}.{i}", op, [(elem, x)], [(elem, scanned(f, x, start, axis, exclusive, reverse))], [axis, exclusive, reverse])
    x = np.full(600, 1.0)
    case("CUM_SUM.f16.long", "CUM_SUM", [("f16", x)], [("f16", np.cumsum(x))], [0, 0, 0])
    x = np.array([1, np.nan, 3.0])
    case("CUM_MAX.nan", "CUM_MAX", [("f32", x)], [("f32", np.maximum.accumulate(x))], [0, 0, 0])


def orders():
    for elem in ALL:
        for i, (shape, axis) in enumerate([((2, 7, 2), 1), ((70,), 0), ((3, 1), 1)]):
            x = draw(elem, *shape)
            if elem in FLOATS and i == 0:
                x[0, :, 0] = [np.nan, 0.0, -0.0, -np.inf, np.inf, np.nan, 1]
            for descending in (0, 1):
                order = sorted_places(x, axis, descending)
                case(f"ARGSORT.{elem}.{i}.{descending}", "ARGSORT", [(elem, x)], [("i64", order)], [axis, descending])
                for k in (0, 1, min(5, x.shape[axis])):
                    case(f"TOP_PLACES.{elem}.{i}.{descending}.{k}", "TOP_PLACES", [(elem, x)], [("i64", np.take(order, range(k), axis))],
                         [axis, descending, 1])
            case(f"ARG_MAX.{elem}.{i}", "ARG_MAX", [(elem, x)], [("i64", np.argmax(x, axis))], [axis])
            case(f"ARG_MIN.{elem}.{i}", "ARG_MIN", [(elem, x)], [("i64", np.argmin(x, axis))], [axis])
    for elem in FLOATS + list(INTS):
        x, v = np.sort(draw(elem, 9)), draw(elem, 2, 3, low=-4, high=4)
        for right in (0, 1):
            case(f"SEARCH_SORTED.{elem}.{right}", "SEARCH_SORTED", [(elem, x), (elem, v)], [("i64", np.searchsorted(x, v, "right" if right else "left"))], [right])
    for i, (shape, axis, k) in enumerate([((10,), 0, 5), ((2, 40, 3), 1, 7), ((3, 6), 1, 1), ((5, 3), 0, 4)]):
        x = (np.arange(math.prod(shape)) * 17 % 13).reshape(shape).astype(np.float64)
        case(f"TOP_PLACES.heap.{i}", "TOP_PLACES", [("f32", x)], [("i64", heap_places(x, axis, k))], [axis, 1, 0])
    for elem, t in (("u64", np.uint64), ("i64", np.int64)):
        x = np.array([np.iinfo(t).max, np.iinfo(t).min, 5, np.iinfo(t).max], t)
        case(f"ARG_MIN.{elem}.ends", "ARG_MIN", [(elem, x)], [("i64", np.argmin(x))], [0])
        case(f"ARG_MAX.{elem}.ends", "ARG_MAX", [(elem, x)], [("i64", np.argmax(x))], [0])


def heap_places(x, axis, k):
    """The k largest as a binary heap leaves them that takes the elements one by one; of equal ones the first."""
    def one(line):
        entries = [(v, -i) for i, v in enumerate(line.tolist())]
        heap = entries[:k + 1]
        heapq.heapify(heap)
        heapq.heappop(heap)
        for entry in entries[k + 1:]:
            if entry > heap[0]:
                heapq.heapreplace(heap, entry)
        return np.array([-place for _, place in heap], np.int64)
    return np.apply_along_axis(one, axis, x)


def sorted_places(x, axis, descending):
    """A stable order in which NaN is the largest."""
    def one(line):
        keys = [(1, 0) if v != v else (0, v) for v in line.tolist()]
        return np.array(sorted(range(len(keys)), key=lambda i: keys[i]) if not descending
                        else sorted(range(len(keys)), key=lambda i: (-keys[i][0], -keys[i][1])), np.int64)
    return np.apply_along_axis(one, axis, x)


def indexing():
    for elem in ALL:
        x, ids = draw(elem, 2, 4, 3), rng.integers(0, 4, (2, 5, 3))
        case(f"GATHER_ELEMENTS.{elem}", "GATHER_ELEMENTS", [(elem, x), ("i64", ids)], [(elem, np.take_along_axis(x, ids, 1))], [1])
        rows = np.stack([rng.integers(0, 2, 5), rng.integers(0, 4, 5)], -1)
        case(f"GATHER_ND.{elem}", "GATHER_ND", [(elem, x), ("i32", rows)], [(elem, x[rows[:, 0], rows[:, 1]])])
    for ids_elem in INTS:
        x, ids = draw("f32", 4), rng.integers(0, 4, 3)
        case(f"GATHER_ELEMENTS.by.{ids_elem}", "GATHER_ELEMENTS", [("f32", x), (ids_elem, ids)], [("f32", x[ids])], [0])
    x = draw("f32", 2, 3)
    case("GATHER_ND.whole", "GATHER_ND", [("f32", x), ("i32", np.zeros((3, 0), np.int32))], [("f32", np.stack([x, x, x]))])
    case("GATHER_ND.element", "GATHER_ND", [("f32", x), ("i32", np.array([1, 2], np.int32))], [("f32", x[1, 2])])
    modes = [None, np.add, np.multiply, np.maximum, np.minimum]
    for mode, f in enumerate(modes):
        for elem in ALL if mode == 0 else FLOATS + list(INTS):
            base, ids, updates = draw(elem, 4, 2), np.array([[1], [3], [1]], np.int64), draw(elem, 3, 2)
            y = wide(base).copy()
            for row, update in zip(ids[:, 0], wide(updates)):
                y[row] = update if f is None else rounded(elem, f(y[row], update)) if elem in FLOATS else f(y[row], update)
            case(f"SCATTER_ND.{elem}.{mode}", "SCATTER_ND", [(elem, base), ("i64", ids), (elem, updates)], [(elem, y)], [mode])
            ids = np.array([[1, 0], [3, 3], [1, 2]], np.int64)
            y = wide(base).copy()
            for i in range(3):
                for j in range(2):
                    u, at = wide(updates)[i, j], (ids[i, j], j)
                    y[at] = u if f is None else rounded(elem, f(y[at], u)) if elem in FLOATS else f(y[at], u)
            case(f"SCATTER_ELEMENTS.{elem}.{mode}", "SCATTER_ELEMENTS", [(elem, base), ("i64", ids), (elem, updates)], [(elem, y)], [0, mode])


def philox(i, stream, seed):
    x, k = [i & 0xFFFFFFFF, i >> 32, stream, 0], [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [(b >> 32) ^ x[1] ^ k[0], b & 0xFFFFFFFF, (a >> 32) ^ x[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return x[1] << 32 | x[0]


def generators():
    for i, (shape, axis) in enumerate([((4,), 0), ((2, 3, 2), 1), ((2, 0), 0)]):
        case(f"IOTA.{i}", "IOTA", [], [("i64", np.indices(shape)[axis])], [axis])
    # the first words of Random123's known answers: counter and key 0
    assert philox(0, 0, 0) == 0xE169C58D_6627E8D5
    for seed, stream in ((0, 0), (2**64 - 1, 1), (7, 0)):
        bits = np.array([philox(i, stream, seed) for i in range(6)], np.uint64).reshape(2, 3)
        case(f"RANDOM_BITS.{seed}.{stream}", "RANDOM_BITS", [("u64", np.uint64(seed))], [("u64", bits)], [stream])


# Sizes that are known when a graph is bound are compared with those found.
def found():
    for elem in ALL:
        x = draw(elem, 3, 4)
        x[1] = 0
        case(f"NONZERO.{elem}", "NONZERO", [(elem, x)], [("i64", np.argwhere(wide(x) != 0))])
    case("NONZERO.scalar", "NONZERO", [("i32", np.int32(5))], [("i64", np.zeros((1, 0), np.int64))])
    x = draw("f32", 5, 2)
    for a, b in ((1, 4), (2, 2), (0, 5)):
        case(f"SEGMENT.{a}.{b}", "SEGMENT", [("f32", x), ("i64", np.array([a, b]))], [("f32", x[a:b])])
    # a map whose results are concatenated
    f = body([("f32", (2,)), ("f32", (2,))], [("NEG", [0], [1], [], [])], [0], [1])
    case("MAP.behind", "MAP", [("f32", x)], [("f32", -x.reshape(10))], [1], [f])
    case("SIZE", "SIZE", [("i64", np.int64(7))], [("i64", np.int64(7))])
    case("GUARD", "GUARD", [("f32", x)], [("f32", x)])
    splits = np.array([0, 2, 2, 5])
    case("REQUIRE.splits", "REQUIRE", [("i64", splits), ("i64", splits), ("f32", x)], [("f32", x)], [0])
    case("REQUIRE.lengths", "REQUIRE", [("i64", splits), ("i64", splits + 1), ("f32", x)], [("f32", x)], [1])


if __name__ == "__main__":
  for section in (unary, casts, binary, select, matmul, convolutions, pools, structure, reductions, with_bodies,
                  more_unary, more_binary, scans, orders, indexing, generators, signals, found):
      section()
  with open(os.path.join(HERE, "goldens.txt"), "w") as out:
      out.write("\n".join(lines) + "\n")
