#!/usr/bin/env python3
"""Writes cases.txt: for every core operator, programs with inputs and what NumPy says comes out, and programs to refuse.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install numpy==2.4.6 && /tmp/v/bin/python tests/operators/make_cases.py

References are computed in f64 (integers exactly) from the stored values, then rounded once to the output's element type.
One case is
    case OPERATOR RTOL ATOL   tolerances 0 0: bit for bit, but for the kind of NaN
    program TEXT              on one line
    in|out ELEM SHAPE HEX     as in tests/runtime/goldens.txt; without any `out` the compiler must refuse the program
    code CODE                 with this diagnostic
"""
import math
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../runtime"))
from make_goldens import (FLOATS, INTS, draw, hexed, out_size, philox, shape_text, sorted_places,  # noqa: E402
                          wide)
import make_goldens  # noqa: E402

rng = make_goldens.rng
TOLERANCE = {"f16": (2e-3, 1e-5), "bf16": (1.6e-2, 1e-5), "f32": (1e-5, 1e-6), "f64": (1e-12, 1e-13)}
lines = []
f32 = "f32"


def type_text(elem, x):
    return f"{elem} [{', '.join(map(str, x if isinstance(x, list) else np.shape(x)))}]"


def program(expression, inputs, result):
    names = "abcdefgh"
    parameters = ", ".join(f"{names[i]} : {type_text(e, x)}" for i, (e, x) in enumerate(inputs))
    return f"main = fn ({parameters}) {': ' + result + ' ' if result else ''}{{ {expression} }};"


def ok(op, expression, inputs, *outputs, result=None, tolerance=None):
    if tolerance is None:
        tolerance = max((TOLERANCE.get(e, (0, 0)) for e, _ in outputs), default=(0, 0))
    lines.append(f"case {op} {tolerance[0]:g} {tolerance[1]:g}")
    lines.append("program " + program(expression, inputs, result))
    lines.extend(f"in {e} {shape_text(np.shape(x))} {hexed(e, x)}" for e, x in inputs)
    lines.extend(f"out {e} {shape_text(np.shape(x))} {hexed(e, x)}" for e, x in outputs)
    tell_elements(op, expression, inputs, result)


OTHER = {"f16": "bf16", "bf16": "f16", "f32": "f64", "f64": "f32", "i8": "i16", "i16": "i8", "i32": "i64", "i64": "i32", "u8": "u16", "u16": "u8",
         "u32": "u64", "u64": "u32", "bool": "u8"}
told = set()


def tell_elements(op, expression, inputs, result):
    """Inputs of one element type must all have it."""
    elems = [e for e, _ in inputs]
    if op in told or len(set(elems)) == len(elems):
        return
    told.add(op)
    for i, elem in enumerate(elems):
        if elems.count(elem) > 1:
            no(op, expression, [(OTHER[e] if j == i else e, np.shape(x)) for j, (e, x) in enumerate(inputs)], result)


def no_through(op, call, value, inputs, result=None):
    """Refused where a function's static parameter `v` brings the value."""
    names = ", ".join("abcdefgh"[:len(inputs)])
    lines.append(f"case {op} 0 0")
    main = program(f"f({names + (', ' if names else '')}v={value})", [(e, np.zeros(s)) for e, s in inputs], result)
    lines.append(f"program f = fn ({names}; v = 1) {{ {call} }}; {main}")


def no(op, expression, inputs, result=None):
    """Inputs are (elem, shape)."""
    lines.append(f"case {op} 0 0")
    lines.append("program " + program(expression, [(e, np.zeros(s)) for e, s in inputs], result))


def T(elem, *shape, low=-3, high=3):
    return elem, draw(elem, *shape, low=low, high=high)


def ids(elem, below, *shape):
    return elem, rng.integers(0, below, shape).astype(INTS[elem])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(x, 0)


ERF = np.vectorize(math.erf, otypes=[np.float64])


# ---- elementwise

def unary():
    floats = {
        "exp": np.exp, "log": (np.log, 0.1, 5), "sqrt": (np.sqrt, 0, 5), "rsqrt": (lambda x: 1 / np.sqrt(x), 0.1, 5), "tanh": np.tanh,
        "sigmoid": sigmoid, "erf": ERF, "sin": np.sin, "cos": np.cos, "tan": (np.tan, -1.2, 1.2), "asin": (np.arcsin, -1, 1),
        "acos": (np.arccos, -1, 1), "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "asinh": np.arcsinh, "acosh": (np.arccosh, 1.1, 5),
        "atanh": (np.arctanh, -0.9, 0.9), "log1p": (np.log1p, -0.9, 5), "expm1": np.expm1, "log2": (np.log2, 0.1, 5), "log10": (np.log10, 0.1, 5),
        "exp2": np.exp2, "cbrt": np.cbrt, "trunc": np.trunc, "reciprocal": (lambda x: 1 / x, 0.5, 4), "floor": np.floor, "ceil": np.ceil,
        "round": np.round, "leaky_relu": lambda x: np.where(x < 0, 0.01 * x, x), "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
        "celu": lambda x: np.where(x > 0, x, np.expm1(x)),
        "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
        "gelu": lambda x: x * (1 + ERF(x / math.sqrt(2))) / 2, "silu": lambda x: x * sigmoid(x), "mish": lambda x: x * np.tanh(softplus(x)),
        "softplus": softplus, "log_sigmoid": lambda x: -softplus(-x), "softsign": lambda x: x / (1 + abs(x)),
        "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1), "hard_swish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
        "hard_tanh": lambda x: np.clip(x, -1, 1), "relu6": (lambda x: np.clip(x, 0, 6), -2, 9)}
    for op, row in floats.items():
        f, low, high = row if isinstance(row, tuple) else (row, -4, 4)
        for elem, shape in (("f32", (2, 3)), ("f64", (3,)), ("f16", (4, 1, 2)), ("bf16", ()), ("f32", (0, 2))):
            x = T(elem, *shape, low=low, high=high)
            ok(op, f"{op}(a)", [x], (elem, f(x[1])))
        no(op, f"{op}(a)", [("i32", (2,))])
        no(op, f"{op}(a)", [("bool", (2,))])
    x = np.array([-200.0, -30, 30, 200])
    for op in ("softplus", "log_sigmoid", "mish", "elu", "selu", "gelu", "silu"):
        ok(op, f"{op}(a)", [(f32, x)], (f32, floats[op](x)), tolerance=(1e-5, 1e-30))
    a = T(f32, 2, 3, low=-4, high=4)
    x = a[1]
    ok("leaky_relu", "leaky_relu(a, slope=0.25)", [a], (f32, np.where(x < 0, x / 4, x)))
    ok("elu", "elu(a, alpha=2)", [a], (f32, np.where(x > 0, x, 2 * np.expm1(x))))
    ok("celu", "celu(a, alpha=0.5)", [a], (f32, np.where(x > 0, x, 0.5 * np.expm1(x / 0.5))))
    ok("gelu", "gelu(a, approximate=true)", [a], (f32, x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2))
    no("leaky_relu", "leaky_relu(a, slope=true)", [(f32, (2,))])
    numbers = {"-": lambda x: -wide(x), "abs": lambda x: abs(wide(x)), "sign": np.sign, "relu": lambda x: np.maximum(x, 0),
               "square": lambda x: wide(x) * wide(x)}
    for op, f in numbers.items():
        for elem, shape in (("f32", (2, 3)), ("i8", (5,)), ("u32", ()), ("f16", (2,))):
            x = T(elem, *shape)
            ok(op, "-a" if op == "-" else f"{op}(a)", [x], (elem, f(x[1])))
        no(op, "-a" if op == "-" else f"{op}(a)", [("bool", (2,))])
    special = np.array([np.nan, np.inf, -np.inf, 0, 2.5])
    for elem in FLOATS:
        for op, f in (("is_nan", np.isnan), ("is_inf", np.isinf), ("is_finite", np.isfinite)):
            ok(op, f"{op}(a)", [(elem, special)], ("bool", f(special)))
    for op in ("is_nan", "is_inf", "is_finite"):
        no(op, f"{op}(a)", [("i32", (2,))])
    for elem in INTS:
        x = T(elem, 2, 2)
        ok("bit_not", "bit_not(a)", [x], (elem, ~x[1]))
    no("bit_not", "bit_not(a)", [(f32, (2,))])
    x = T("bool", 3)
    ok("not", "not a", [x], ("bool", ~x[1]))
    no("not", "not a", [("i8", (2,))])


def binary():
    num = {"+": (lambda a, b: a + b), "-": (lambda a, b: a - b), "*": (lambda a, b: a * b), "maximum": np.maximum, "minimum": np.minimum,
           "squared_difference": lambda a, b: (a - b) * (a - b), "/": None, "floor_div": None}
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}
    shapes = [((2, 3), (2, 3)), ((2, 1), (1, 3)), ((), (4,)), ((3, 2, 1), (2, 2)), ((2, 2), ())]

    def text(op):
        return f"a {op} b" if not op[0].isalpha() or op in ("and", "or") else f"{op}(a, b)"

    for op, f in {**num, **compare}.items():
        for i, (p, q) in enumerate(shapes):
            for elem in (("f32", "i16") if i == 0 else ("f32",) if i % 2 else ("i32",)):
                a, b = T(elem, *p), T(elem, *q)
                if op in ("/", "floor_div"):
                    b = (elem, np.where(b[1] == 0, 1, b[1]))
                    y = np.floor_divide(a[1], b[1]) if op == "floor_div" or elem in INTS else a[1] / b[1]
                else:
                    y = f(wide(a[1]), wide(b[1])) if op in num else f(a[1], b[1])
                ok(op, text(op), [a, b], ("bool" if op in compare else elem, y))
        if op not in ("==", "!="):
            no(op, text(op), [("bool", (2,)), ("bool", (2,))])
        else:
            a, b = T("bool", 5), T("bool", 5)
            ok(op, text(op), [a, b], ("bool", f(a[1], b[1])))
            no(op, text(op), [("string", (2,)), ("string", (2,))])
        no(op, text(op), [(f32, (2,)), ("i32", (2,))])
        no(op, text(op), [(f32, (2,)), (f32, (3,))])
    for elem in ("i32", "u8"):
        a, b = T(elem, 3, 2, low=-9, high=9), (elem, np.array([4, 3], INTS[elem]))
        ok("%", "a % b", [a, b], (elem, np.mod(a[1], b[1])))
    no("%", "a % b", [(f32, (2,)), (f32, (2,))])
    for op, f in (("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)):
        for p, q in shapes[:3]:
            a, b = T("bool", *p), T("bool", *q)
            ok(op, text(op), [a, b], ("bool", f(a[1], b[1])))
        no(op, text(op), [("i8", (2,)), ("i8", (2,))])
        no(op, text(op), [("bool", (2,)), ("bool", (3,))])
    for op, f in (("max", np.maximum), ("min", np.minimum)):
        for elem in ("f32", "i8"):
            a, b = T(elem, 2, 3), T(elem, 2, 3)
            ok(op, f"{op}(a, b)", [a, b], (elem, f(a[1], b[1])))
        no(op, f"{op}(a, b)", [(f32, (2, 1)), (f32, (1, 3))])
        no(op, f"{op}(a, b)", [("bool", (2,)), ("bool", (2,))])
    floats = {"pow": (np.power, 0.2, 3), "atan2": (np.arctan2, -3, 3), "fmod": (np.fmod, -5, 5), "hypot": (np.hypot, -3, 3),
              "logaddexp": (np.logaddexp, -9, 9), "xlogy": (lambda a, b: a * np.log(b), 0.1, 3), "prelu": (lambda a, b: np.where(a < 0, b * a, a), -3, 3)}
    for op, (f, low, high) in floats.items():
        for i, (p, q) in enumerate(shapes):
            elem = ("f32", "f64", "f32", "f16", "bf16")[i]
            a, b = T(elem, *p, low=low, high=high), T(elem, *q, low=low, high=high)
            ok(op, text(op), [a, b], (elem, f(a[1], b[1])), tolerance=(2e-5, 1e-6) if op == "fmod" and elem == "f32" else None)
        no(op, text(op), [("i32", (2,)), ("i32", (2,))])
        no(op, text(op), [(f32, (2,)), (f32, (3,))])
    ok("xlogy", "xlogy(a, b)", [(f32, np.array([0.0, 0, 2])), (f32, np.array([0.0, -1, 0]))], (f32, np.array([0, 0, -np.inf])))
    ok("hypot", "hypot(a, b)", [(f32, np.array([3e30, 0, np.inf])), (f32, np.array([4e30, 0, np.inf]))], (f32, np.array([5e30, 0, np.inf])))
    ok("logaddexp", "logaddexp(a, b)", [(f32, np.array([-np.inf, 200])), (f32, np.array([-np.inf, 200]))], (f32, np.array([-np.inf, 200 + math.log(2)])))
    ok("floor_div", "floor_div(a, b)", [(f32, np.array([1.0, -7, 5])), (f32, np.array([0.1, 2, 0]))],
       (f32, np.array([9, -4, np.inf])), tolerance=(0, 0))
    for op, f in (("bit_and", np.bitwise_and), ("bit_or", np.bitwise_or), ("bit_xor", np.bitwise_xor), ("shift_left", np.left_shift),
                  ("shift_right", np.right_shift)):
        for elem in INTS:
            a, b = T(elem, 2, 1, low=-60, high=60), (elem, np.array([0, 1, 2], INTS[elem]))
            ok(op, text(op), [a, b], (elem, f(a[1], b[1])))
        no(op, text(op), [(f32, (2,)), (f32, (2,))])
        no(op, text(op), [("i8", (2,)), ("i8", (3,))])


def ternary():
    for elem in ("f32", "i8", "bool"):
        c, a, b = T("bool", 2, 1), T(elem, 1, 3), T(elem)
        ok("select", "select(a, b, c)", [c, a, b], (elem, np.where(c[1], a[1], b[1])))
    no("select", "select(a, b, c)", [("i8", (2,)), (f32, (2,)), (f32, (2,))])
    no("select", "select(a, b, c)", [("bool", (2,)), (f32, (2,)), ("i8", (2,))])
    no("select", "select(a, b, c)", [("bool", (2,)), (f32, (3,)), (f32, (1,))])
    for elem in ("f32", "i32"):
        a, b, c = T(elem, 2, 3, low=-9, high=9), T(elem, 3, low=-3, high=0), T(elem, 2, 1, low=1, high=3)
        ok("clip", "clip(a, b, c)", [a, b, c], (elem, np.clip(a[1], b[1], c[1])))
    no("clip", "clip(a, b, c)", [("bool", (2,))] * 3)
    no("clip", "clip(a, b, c)", [(f32, (2,)), (f32, (3,)), (f32, ())])
    no("clip", "clip(a, b, c)", [(f32, (2,)), (f32, ()), (f32, (3,))])
    a, b, w = T(f32, 2, 1), T(f32, 1, 3), T(f32)
    ok("lerp", "lerp(a, b, c)", [a, b, w], (f32, a[1] + w[1] * (b[1] - a[1])))
    a, b, w = T(f32), T(f32), T(f32, 3)
    ok("lerp", "lerp(a, b, c)", [a, b, w], (f32, a[1] + w[1] * (b[1] - a[1])))
    no("lerp", "lerp(a, b, c)", [("i32", (2,))] * 3)
    for elem, q in (("f32", "i8"), ("f16", "u8")):
        x, scale, zero = T(elem, 2, 3, low=-40, high=40), (elem, np.array([0.25, 0.5, 1])), ids(q, 9)
        y = np.clip(np.round(x[1] / scale[1]) + zero[1].astype(np.float64), np.iinfo(INTS[q]).min, np.iinfo(INTS[q]).max)
        ok("quantize", "quantize(a, b, c)", [x, scale, zero], (q, y.astype(np.int64)))
        v, zero = T(q, 2, 1, low=-100, high=100), T(q, 2, 3)
        ok("dequantize", "dequantize(a, b, c)", [v, scale, zero], (elem, (v[1].astype(np.float64) - zero[1]) * scale[1]))
    no("quantize", "quantize(a, b, c)", [("i32", (2,)), ("i32", ()), ("i8", ())])
    no("quantize", "quantize(a, b, c)", [(f32, (2,)), (f32, ()), (f32, ())])
    no("dequantize", "dequantize(a, b, c)", [("i8", (2,)), ("i8", ()), ("i8", ())])
    no("dequantize", "dequantize(a, b, c)", [(f32, (2,)), (f32, ()), (f32, ())])
    for source, target in (("f32", "i8"), ("i64", "f16"), ("bool", "f32"), ("f64", "bool")):
        x = T(source, 2, 3, low=-90, high=90)
        y = np.trunc(x[1]).astype(np.int64) if target in INTS else x[1] != 0 if target == "bool" else x[1].astype(np.float64)
        ok("cast", "cast(a)", [x], (target, y), result=f"{target} s", tolerance=(0, 0))
    x = T(f32, 2, 3)
    ok("bitcast", "bitcast(a)", [x], ("i32", np.frombuffer(bytes.fromhex(hexed(*x)), "<i4").reshape(2, 3)), result="i32 s")
    no("bitcast", "bitcast(a)", [("f64", (2,))], result="i32 s")


# ---- reductions, scans, orders

def reductions():
    rows = {"sum": np.sum, "prod": np.prod, "amax": np.max, "amin": np.min, "mean": np.mean, "variance": np.var, "std": np.std,
            "l1_norm": lambda x, axis, keepdims: np.sum(abs(x), axis, keepdims=keepdims),
            "l2_norm": lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis, keepdims=keepdims)),
            "logsumexp": lambda x, axis, keepdims: np.log(np.sum(np.exp(x), axis, keepdims=keepdims)),
            "any": np.any, "all": np.all, "count_nonzero": lambda x, axis, keepdims: np.sum(x != 0, axis, keepdims=keepdims)}
    forms = [("", None), (", axis=1", (1,)), (", axis=[0, -1]", (0, 2)), (", axis=-1, keep=true", (2,)), (", keep=true", (0, 1, 2)),
             (", axis=[]", ()), (", axis=[2, 0, 1]", (0, 1, 2)), (", axis=[-1, -2], keep=true", (1, 2))]
    for op, f in rows.items():
        elems = ("bool",) if op in ("any", "all") else ("f32", "i32", "f16") if op in ("sum", "prod", "amax", "amin") else \
            ("f32", "i8", "bool") if op == "count_nonzero" else ("f32", "bf16")
        for i, (text, axis) in enumerate(forms):
            elem = elems[i % len(elems)]
            x = T(elem, 2, 3, 2)
            y = f(x[1], axis=axis, keepdims="keep" in text)
            ok(op, f"{op}(a{text})", [x], ("i64" if op == "count_nonzero" else elem, y))
        no(op, f"{op}(a)", [("bool" if elems[0] != "bool" and op != "count_nonzero" else "string" if op == "count_nonzero" else f32, (2,))])
        if elems == ("f32", "bf16"):
            no(op, f"{op}(a)", [("i32", (2,))])
        no(op, f"{op}(a, axis=[0, 0])", [(elems[0], (2, 2))])
        no(op, f"{op}(a, axis=[1, -1])", [(elems[0], (2, 2))])
        no(op, f"{op}(a, axis=2)", [(elems[0], (2, 2))])
    x = T(f32, 4, 3)
    for op, f in (("variance", np.var), ("std", np.std)):
        ok(op, f"{op}(a, axis=0, correction=1)", [x], (f32, f(x[1], axis=0, ddof=1)))
    ones = ("f16", np.ones((5000,)))
    ok("sum", "sum(a)", [ones], ("f16", np.float64(5000)))
    ok("mean", "mean(a)", [("f16", np.full((600, 2), 300.0))], ("f16", np.float64(300)))
    x = np.array([[-np.inf, -np.inf], [1000.0, 1000]])
    ok("logsumexp", "logsumexp(a, axis=1)", [(f32, x)], (f32, np.array([-np.inf, 1000 + math.log(2)])))
    ok("amax", "amax(a, axis=0)", [("i8", np.zeros((0, 2)))], ("i8", np.array([-128, -128])))
    ok("amin", "amin(a, axis=0)", [("u16", np.zeros((0, 2)))], ("u16", np.array([65535, 65535])))
    for elem in ("f32", "f16"):
        for text, axis in (("", -1), (", axis=0", 0), (", axis=-2", 1)):
            x = T(elem, 2, 3, 2, low=-9, high=9)
            e = np.exp(x[1] - x[1].max(axis, keepdims=True))
            ok("softmax", f"softmax(a{text})", [x], (elem, e / e.sum(axis, keepdims=True)))
            ok("log_softmax", f"log_softmax(a{text})", [x], (elem, np.log(e / e.sum(axis, keepdims=True))))
    for op in ("softmax", "log_softmax"):
        no(op, f"{op}(a)", [("i32", (2,))])
        no(op, f"{op}(a)", [(f32, ())])
        no(op, f"{op}(a, axis=1)", [(f32, (2,))])
    for op, f in (("argmax", np.argmax), ("argmin", np.argmin)):
        for elem, text, axis, keep in (("f32", "", -1, False), ("i16", ", axis=0", 0, False), ("bf16", ", axis=1, keep=true", 1, True)):
            x = T(elem, 3, 4)
            ok(op, f"{op}(a{text})", [x], ("i64", f(x[1], axis=axis, keepdims=keep)))
        no(op, f"{op}(a)", [("bool", (2,))])
        no(op, f"{op}(a)", [(f32, (2, 0))])


def scans():
    starts = {"cumsum": lambda e: 0, "cumprod": lambda e: 1, "cummax": lambda e: -np.inf if e in FLOATS else np.iinfo(INTS[e]).min,
              "cummin": lambda e: np.inf if e in FLOATS else np.iinfo(INTS[e]).max}
    for op, f in (("cumsum", np.add), ("cumprod", np.multiply), ("cummax", np.maximum), ("cummin", np.minimum)):
        for elem, text, axis, exclusive, reverse in (("f32", "", 0, 0, 0), ("i32", ", axis=1", 1, 0, 0), ("f16", ", axis=-1, exclusive=true", 1, 1, 0),
                                                     ("i8", ", reverse=true", 0, 0, 1), ("f32", ", exclusive=true, reverse=true", 0, 1, 1)):
            x = T(elem, 3, 4)
            ok(op, f"{op}(a{text})", [x], (elem, make_goldens.scanned(f, x[1], starts[op](elem), axis, exclusive, reverse)))
        no(op, f"{op}(a)", [("bool", (2,))])
        no(op, f"{op}(a, axis=1)", [(f32, (2,))])
    for elem in ("f32", "i32", "u8"):
        for text, axis, descending in (("", -1, False), (", axis=0, descending=true", 0, True)):
            x = T(elem, 3, 5)
            order = sorted_places(x[1], axis, descending)
            ok("argsort", f"argsort(a{text})", [x], ("i64", order))
            ok("sort", f"sort(a{text})", [x], (elem, np.take_along_axis(x[1], order, axis)))
    for op in ("sort", "argsort"):
        no(op, f"{op}(a)", [("bool", (2,))])
        no(op, f"{op}(a)", [(f32, ())])
    for text, axis, largest in (("k=2", -1, True), ("k=3, axis=0", 0, True), ("k=1, largest=false", -1, False), ("k=0", -1, True), ("k=5", -1, True)):
        x = T("f32", 3, 5)
        order = np.take(sorted_places(x[1], axis, largest), range(int(text[2])), axis)
        ok("top_k", f"top_k(a, {text})", [x], (f32, np.take_along_axis(x[1], order, axis)), ("i64", order))
    no_through("top_k", "top_k(a, k=v)", -1, [(f32, (3, 5))])
    x = T("i8", 4)
    order = sorted_places(x[1], -1, True)[:2]
    ok("top_k", "top_k(a, k=2)", [x], ("i8", x[1][order]), ("i64", order))
    no("top_k", "top_k(a, k=6)", [(f32, (3, 5))])
    no("top_k", "top_k(a, k=-1)", [(f32, (3, 5))])
    no("top_k", "top_k(a, k=1)", [("bool", (3,))])
    for elem in ("f32", "i16"):
        x, v = (elem, np.sort(draw(elem, 6))), T(elem, 2, 3)
        ok("searchsorted", "searchsorted(a, b)", [x, v], ("i64", np.searchsorted(x[1], v[1])))
        x, v = (elem, np.array([1, 2, 2, 3])), (elem, np.array(2))
        ok("searchsorted", "searchsorted(a, b, right=true)", [x, v], ("i64", np.int64(3)))
        ok("searchsorted", "searchsorted(a, b)", [x, v], ("i64", np.int64(1)))
    no("searchsorted", "searchsorted(a, b)", [(f32, (3, 2)), (f32, (2,))])
    no("searchsorted", "searchsorted(a, b)", [("bool", (3,)), ("bool", (2,))])


# ---- linear algebra

def padded(x, pads, value=0):
    return np.pad(x, [(0, 0), pads[0], pads[1], (0, 0)], constant_values=value)


def conv2d(x, w, stride, pads, dilation, depthwise):
    r, s, c, k = w.shape
    xp = padded(wide(x), pads)
    h = out_size(x.shape[1], r, stride[0], pads[0], dilation[0])
    v = out_size(x.shape[2], s, stride[1], pads[1], dilation[1])
    y = np.zeros((x.shape[0], h, v, c * k if depthwise else k), xp.dtype)
    for i in range(h):
        for j in range(v):
            patch = xp[:, i * stride[0]:, j * stride[1]:][:, ::dilation[0], ::dilation[1]][:, :r, :s]
            if depthwise:
                y[:, i, j] = np.einsum("nrsc,rsck->nck", patch, wide(w)).reshape(x.shape[0], c * k)
            else:
                y[:, i, j] = np.tensordot(patch, wide(w), 3)
    return y


def linear():
    for elem, s in (("f32", ()), ("i32", (2,)), ("f16", (2, 1))):
        a, b = T(elem, *s, 2, 3), T(elem, *s, 3, 4)
        ok("matmul", "matmul(a, b)", [a, b], (elem, wide(a[1]) @ wide(b[1])))
    no("matmul", "matmul(a, b)", [(f32, (2, 3)), (f32, (4, 2))])
    no("matmul", "matmul(a, b)", [(f32, (2, 2, 3)), (f32, (3, 2))])
    no("matmul", "matmul(a, b)", [("bool", (2, 2)), ("bool", (2, 2))])
    x = T(f32, 2, 3, 4)
    ok("transpose", "transpose(a)", [x], (f32, x[1].T))
    ok("transpose", "transpose(a, perm=[2, 0, 1])", [x], (f32, x[1].transpose(2, 0, 1)))
    no("transpose", "transpose(a, perm=[0, 1])", [(f32, (2, 3, 4))])
    no("transpose", "transpose(a, perm=[0, 1, 1])", [(f32, (2, 3, 4))])
    for elem in (f32, "i32"):
        x, w = T(elem, 2, 3, 5, 4), T(elem, 6, 3, 2, 3)
        y = conv2d(x[1].transpose(0, 2, 3, 1), w[1].transpose(2, 3, 1, 0), (1, 1), ((0, 0), (0, 0)), (1, 1), False)
        ok("conv", "conv(a, b)", [x, w], (elem, y.transpose(0, 3, 1, 2)), tolerance=(1e-4, 1e-5) if elem == f32 else None)
    no("conv", "conv(a, b)", [(f32, (2, 3, 1, 4)), (f32, (6, 3, 2, 3))])
    no("conv", "conv(a, b)", [(f32, (2, 3, 5, 2)), (f32, (6, 3, 2, 3))])
    no("conv", "conv(a, b)", [(f32, (2, 4, 5, 4)), (f32, (6, 3, 2, 3))])
    no("conv", "conv(a, b)", [("bool", (2, 3, 5, 4)), ("bool", (6, 3, 2, 3))])

    def same(n, window, stride):
        total = max((math.ceil(n / stride) - 1) * stride + window - n, 0)
        return total // 2, total - total // 2

    for op, depthwise in (("conv2d", False), ("depthwise_conv2d", True)):
        x, w = T(f32, 2, 5, 6, 3), T(f32, 2, 3, 3, 4)
        for text, stride, pads, dilation in (
                ("", (1, 1), ((0, 0), (0, 0)), (1, 1)), (", stride=[2, 1]", (2, 1), ((0, 0), (0, 0)), (1, 1)),
                (', padding="same", stride=[1, 2]', (1, 2), (same(5, 2, 1), same(6, 3, 2)), (1, 1)),
                (", padding=[[1, 0], [0, 2]], dilation=[2, 2]", (1, 1), ((1, 0), (0, 2)), (2, 2)), (", dilation=[3, 2]", (1, 1), ((0, 0), (0, 0)), (3, 2))):
            ok(op, f"{op}(a, b{text})", [x, w], (f32, conv2d(x[1], w[1], stride, pads, dilation, depthwise)), tolerance=(1e-4, 1e-5))
        x, w = T("i32", 1, 3, 4, 2), T("i32", 2, 2, 2, 3)
        ok(op, f"{op}(a, b)", [x, w], ("i32", conv2d(x[1], w[1], (1, 1), ((0, 0), (0, 0)), (1, 1), depthwise)))
        no(op, f"{op}(a, b)", [(f32, (2, 1, 6, 3)), (f32, (2, 3, 3, 4))])
        no(op, f"{op}(a, b)", [(f32, (2, 5, 6, 2)), (f32, (2, 3, 3, 4))])
        no(op, f"{op}(a, b)", [("bool", (2, 5, 6, 3)), ("bool", (2, 3, 3, 4))])
        no(op, f"{op}(a, b, stride=[0, 1])", [(f32, (2, 5, 6, 3)), (f32, (2, 3, 3, 4))])

    no("conv2d", "conv2d(a, b, groups=2)", [(f32, (1, 4, 4, 4)), (f32, (2, 2, 2, 3))])
    no_through("conv2d", "conv2d(a, b, groups=v)", -1, [(f32, (1, 4, 4, 0)), (f32, (2, 2, 0, 3))])

    def pool(x, size, stride, pads, average):
        value = np.nan
        xp = padded(x, pads, value)
        h, v = out_size(x.shape[1], size[0], stride[0], pads[0], 1), out_size(x.shape[2], size[1], stride[1], pads[1], 1)
        y = np.zeros((x.shape[0], h, v, x.shape[3]))
        for i in range(h):
            for j in range(v):
                patch = xp[:, i * stride[0]:i * stride[0] + size[0], j * stride[1]:j * stride[1] + size[1]]
                y[:, i, j] = (np.nanmean if average else np.nanmax)(patch, axis=(1, 2))
        return y

    for op in ("max_pool", "avg_pool"):
        x = T(f32, 2, 5, 6, 3)
        for text, size, stride, pads in (("size=[2, 3]", (2, 3), (2, 3), ((0, 0), (0, 0))), ("size=[2, 2], stride=[1, 2]", (2, 2), (1, 2), ((0, 0), (0, 0))),
                                         ("size=[2, 2], padding=[[0, 0], [1, 1]]", (2, 2), (2, 2), ((0, 0), (1, 1))),
                                         ('size=[3, 2], stride=[2, 2], padding="same"', (3, 2), (2, 2), (same(5, 3, 2), same(6, 2, 2)))):
            ok(op, f"{op}(a, {text})", [x], (f32, pool(x[1], size, stride, pads, op == "avg_pool")))
        no(op, f"{op}(a, size=[0, 2], stride=[1, 1])", [(f32, (2, 5, 6, 3))])
        no(op, f"{op}(a, size=[2, 0], stride=[1, 1])", [(f32, (2, 5, 6, 3))])
        no(op, f"{op}(a, size=[6, 2])", [(f32, (2, 5, 6, 3))])
        no(op, f"{op}(a, size=[2, 2])", [("bool", (2, 5, 6, 3))])


# ---- structure

def structure():
    a, b, c = T(f32, 2, 3), T(f32, 4, 3), T(f32, 2, 1)
    ok("concat", "concat(a, b)", [a, b], (f32, np.concatenate([a[1], b[1]])))
    ok("concat", "concat(a, b, a, axis=-1)", [a, c], (f32, np.concatenate([a[1], c[1], a[1]], 1)))
    no("concat", "concat(a, b)", [(f32, (2, 3)), (f32, (2, 4))])
    no("concat", "concat(a, b)", [(f32, (2, 3)), ("i8", (2, 3))])
    x = T(f32, 6, 4)
    ok("split", "split(a, parts=3)", [x], *[(f32, p) for p in np.split(x[1], 3)])
    ok("split", "split(a, parts=2, axis=-1)", [x], *[(f32, p) for p in np.split(x[1], 2, 1)])
    no("split", "split(a, parts=4)", [(f32, (6, 4))])
    ok("reshape", "reshape(a, [4, 6])", [x], (f32, x[1].reshape(4, 6)))
    ok("reshape", "reshape(a, [2, _, 3])", [x], (f32, x[1].reshape(2, -1, 3)))
    no("reshape", "reshape(a, [5, _])", [(f32, (6, 4))])
    no("reshape", "reshape(a, [4, 5])", [(f32, (6, 4))])
    x = T("i8", 2, 3)
    for axis in (0, 1, 2, -1, -3):
        ok("expand", f"expand(a, axis={axis})", [x], ("i8", np.expand_dims(x[1], axis)))
    no("expand", "expand(a, axis=3)", [(f32, (2, 3))])
    x = T("bool", 1, 3, 1)
    for axis in (0, 2, -1, -3):
        ok("squeeze", f"squeeze(a, axis={axis})", [x], ("bool", np.squeeze(x[1], axis)))
    no("squeeze", "squeeze(a, axis=1)", [(f32, (1, 3, 1))])
    x = T(f32, 2, 3)
    ok("reverse", "reverse(a)", [x], (f32, x[1][::-1]))
    ok("reverse", "reverse(a, axis=-1)", [x], (f32, x[1][:, ::-1]))
    no("reverse", "reverse(a, axis=2)", [(f32, (2, 3))])
    ok("pad", "pad(a, [[1, 0], [2, 3]])", [x], (f32, np.pad(x[1], ((1, 0), (2, 3)))))
    no("pad", "pad(a, [[1, 0]])", [(f32, (2, 3))])
    no("pad", "pad(a, [[1, -1], [0, 0]])", [(f32, (2, 3))])
    x = T(f32, 6, 5)
    ok("slice", "slice(a)", [x], (f32, x[1]))
    ok("slice", "slice(a, start=1, stop=5, step=2)", [x], (f32, x[1][1:5:2]))
    ok("slice", "slice(a, axis=-1, start=3)", [x], (f32, x[1][:, 3:]))
    ok("slice", "slice(a, axis=1, step=3)", [x], (f32, x[1][:, ::3]))
    no_through("slice", "slice(a, step=v)", 0, [(f32, (6, 5))])
    no_through("slice", "slice(a, step=v)", -1, [(f32, (6, 5))])
    no_through("slice", "slice(a, start=4, stop=v)", 3, [(f32, (6, 5))])
    ok("slice", "slice(a, start=2, stop=2)", [x], (f32, x[1][2:2]))
    for text in ("start=-1", "stop=7", "start=3, stop=2", "step=0", "axis=2"):
        no("slice", f"slice(a, {text})", [(f32, (6, 5))])
    x = T(f32, 2, 3, 4, 2)
    ok("upsample", "upsample(a, scale=[2, 3])", [x], (f32, x[1].repeat(2, 1).repeat(3, 2)))
    no("upsample", "upsample(a, scale=[0, 1])", [(f32, (2, 2, 3, 2))])
    no("upsample", "upsample(a, scale=[1, 0])", [(f32, (2, 2, 3, 2))])
    for elem in ("f32", "bool"):
        for k in (1, 3):
            parts = [T(elem, 2, 3) for _ in range(k)]
            names = ", ".join("abc"[:k])
            ok("stack", f"stack({names})", parts, (elem, np.stack([p[1] for p in parts])))
            ok("stack", f"stack({names}, axis=-1)", parts, (elem, np.stack([p[1] for p in parts], -1)))
            ok("stack", f"stack({names}, axis=1)", parts, (elem, np.stack([p[1] for p in parts], 1)))
    no("stack", "stack(a, b)", [(f32, (2,)), (f32, (3,))])
    no("stack", "stack(a, b)", [(f32, (2,)), ("i8", (2,))])
    no("stack", "stack(a, axis=2)", [(f32, (2,))])
    x = T("i8", 3, 2)
    ok("unstack", "unstack(a)", [x], *[("i8", p) for p in x[1]])
    ok("unstack", "unstack(a, axis=-1)", [x], *[("i8", x[1][:, i]) for i in range(2)])
    no("unstack", "unstack(a, axis=2)", [(f32, (2, 3))])
    x = T(f32, 2, 3)
    for times in ([2, 3], [1, 2], [0, 1]):
        ok("tile", f"tile(a, times={times})", [x], (f32, np.tile(x[1], times)))
    no("tile", "tile(a, times=[2])", [(f32, (2, 3))])
    no("tile", "tile(a, times=[2, -1])", [(f32, (2, 3))])
    for times, text, axis in ((2, "", 0), (3, ", axis=-1", 1), (0, "", 0)):
        ok("repeat", f"repeat(a, times={times}{text})", [x], (f32, np.repeat(x[1], times, axis)))
    no("repeat", "repeat(a, times=-1)", [(f32, (2, 3))])
    x = T(f32, 4, 3)
    for shift, text, axis in ((1, "", 0), (-1, ", axis=-1", 1), (9, "", 0), (-9, "", 0)):
        ok("roll", f"roll(a, shift={shift}{text})", [x], (f32, np.roll(x[1], shift, axis)))
    no("roll", "roll(a, shift=1)", [(f32, ())])
    x = T("u8", 1, 3)
    ok("broadcast_to", "broadcast_to(a, [2, 4, 3])", [x], ("u8", np.broadcast_to(x[1], (2, 4, 3))))
    no("broadcast_to", "broadcast_to(a, [2, 4])", [(f32, (1, 3))])
    no("broadcast_to", "broadcast_to(a, [3])", [(f32, (1, 3))])
    no("broadcast_to", "broadcast_to(a, [1, 1])", [(f32, (1, 3))])
    for shape in ((2, 3), (), (0, 2)):
        x = T("bool", *shape)
        ok("flatten", "flatten(a)", [x], ("bool", x[1].ravel()))
    x = T(f32, 2, 3, 4)
    for p, q in ((0, 1), (0, -1), (-1, 0), (-1, -2), (1, 1)):
        ok("swap_axes", f"swap_axes(a, a={p}, b={q})", [x], (f32, x[1].swapaxes(p, q)))
        ok("move_axis", f"move_axis(a, from={p}, to={q})", [x], (f32, np.moveaxis(x[1], p, q)))
    ok("move_axis", "move_axis(a, from=0, to=2)", [x], (f32, np.moveaxis(x[1], 0, 2)))
    for op, names in (("swap_axes", ("a", "b")), ("move_axis", ("from", "to"))):
        no(op, f"{op}(a, {names[0]}=3, {names[1]}=0)", [(f32, (2, 3, 4))])
        no(op, f"{op}(a, {names[0]}=0, {names[1]}=-4)", [(f32, (2, 3, 4))])
    ok("shape", "shape(a)", [x], ("i64", np.array([2, 3, 4])))
    ok("size", "size(a)", [x], ("i64", np.int64(24)))


def matrices():
    for elem in ("f32", "bool"):
        x = T(elem, 3)
        ok("diag", "diag(a)", [x], (elem, np.diag(x[1])))
        for m, n in ((2, 4), (4, 2), (3, 3)):
            x = T(elem, 2, m, n)
            ok("diagonal", "diagonal(a)", [x], (elem, np.diagonal(x[1], axis1=-2, axis2=-1)))
            for text, k in (("", 0), (", k=1", 1), (", k=-1", -1)):
                ok("tril", f"tril(a{text})", [x], (elem, np.tril(x[1], k)))
                ok("triu", f"triu(a{text})", [x], (elem, np.triu(x[1], k)))
    for op in ("diag", "tril", "triu"):
        no(op, f"{op}(a)", [("string", (2,) if op == "diag" else (2, 2))])
    no("diag", "diag(a)", [(f32, (2, 2))])
    no("diagonal", "diagonal(a)", [(f32, (2,))])
    for elem in ("f32", "i32", "f16"):
        x = T(elem, 2, 3, 3)
        ok("trace", "trace(a)", [x], (elem, np.trace(x[1], axis1=-2, axis2=-1)))
    no("trace", "trace(a)", [(f32, (2, 3))])
    no("trace", "trace(a)", [("bool", (2, 2))])
    ok("eye", "eye(3)", [], (f32, np.eye(3)), result="f32 s")
    ok("eye", "eye(2, columns=3)", [], ("bool", np.eye(2, 3)), result="bool s")
    no("eye", "eye(-1, columns=1)", [], result="f32 s")
    no("eye", "eye(1, columns=-1)", [], result="f32 s")
    ok("eye", "eye(0)", [], (f32, np.eye(0)), result="f32 s")
    no_through("eye", "eye(v, columns=1)", -1, [], result="f32 s")
    no_through("eye", "eye(1, columns=v)", -1, [], result="f32 s")
    no("eye", "eye(2)", [], result="string s")
    x = T("i8")
    ok("full", "full([2, 3], a)", [x], ("i8", np.full((2, 3), x[1])))
    no("full", "full([2, 3], a)", [("i8", (3,))])
    no("full", "full([2, _], a)", [("i8", ())])
    for op, value in (("zeros", 0), ("ones", 1)):
        for elem in ("f16", "bool", "i32"):
            ok(op, f"{op}([2, 0])", [], (elem, np.full((2, 0), value)), result=f"{elem} s")
            ok(op, f"{op}([3])", [], (elem, np.full(3, value)), result=f"{elem} s")
            x = T(elem, 2, 3)
            ok(op + "_like", f"{op}_like(a)", [x], (elem, np.full((2, 3), value)))
        no(op, f"{op}([-1])", [], result="f32 s")
        no(op, f"{op}([1])", [], result="string s")
        no(op + "_like", f"{op}_like(a)", [("string", (2,))])
    ok("full_like", "full_like(a, b)", [T(f32, 2, 3), ("bool", np.array(True))], ("bool", np.full((2, 3), True)))
    no("full_like", "full_like(a, b)", [(f32, (2, 3)), ("bool", (3,))])
    ok("arange", "arange(4)", [], ("i8", np.arange(4)), result="i8 s")
    ok("arange", "arange(9, start=-2, step=3)", [], (f32, np.arange(-2, 9, 3)), result="f32 s")
    ok("arange", "arange(3, start=3)", [], ("i8", np.arange(0)), result="i8 s")
    no_through("arange", "arange(v, start=3)", 1, [], result="i8 s")
    no_through("arange", "arange(4, step=v)", -1, [], result="i8 s")
    no_through("arange", "arange(-4, start=-4, step=v)", -1, [], result="i8 s")
    no("arange", "arange(1, start=2)", [], result="i8 s")
    no("arange", "arange(1, step=0)", [], result="i8 s")
    no("arange", "arange(1)", [], result="bool s")
    for count in (1, 2, 7):
        p, q = T(f32), T(f32)
        ok("linspace", f"linspace(a, b, count={count})", [p, q], (f32, np.linspace(p[1], q[1], count)))
    no("linspace", "linspace(a, b, count=0)", [(f32, ()), (f32, ())])
    no("linspace", "linspace(a, b, count=2)", [("i32", ()), ("i32", ())])
    for elem, text, axis in (("f32", "", -1), ("bool", ", axis=0", 0), ("i8", ", axis=1", 1)):
        x = ("i32", np.array([[0, 2, 3], [-1, 1, 7]]))
        y = np.moveaxis(x[1][..., None] == np.arange(4), -1, axis)
        ok("one_hot", f"one_hot(a, depth=4{text})", [x], (elem, y), result=f"{elem} s")
    no("one_hot", "one_hot(a, depth=-1)", [("i32", (2,))], result="f32 s")
    ok("one_hot", "one_hot(a, depth=0)", [("i8", np.zeros(2))], (f32, np.zeros((2, 0))), result="f32 s")
    no_through("one_hot", "one_hot(a, depth=v)", -1, [("i32", (2,))], result="f32 s")
    no("one_hot", "one_hot(a, depth=1)", [(f32, (2,))], result="f32 s")
    no("one_hot", "one_hot(a, depth=1)", [("i32", (2,))], result="string s")
    x = T(f32, 2, 4, 6, 3)
    y = x[1].reshape(2, 2, 2, 3, 2, 3).transpose(0, 1, 3, 2, 4, 5).reshape(2, 2, 3, 12)
    ok("space_to_depth", "space_to_depth(a, block=2)", [x], (f32, y))
    ok("depth_to_space", "depth_to_space(a, block=2)", [(f32, y)], x)
    x = T(f32, 1, 2, 2, 18)
    y = x[1].reshape(1, 2, 2, 3, 3, 2).transpose(0, 1, 3, 2, 4, 5).reshape(1, 6, 6, 2)
    ok("depth_to_space", "depth_to_space(a, block=3)", [x], (f32, y))
    x = T(f32, 1, 2, 2, 4)
    for op in ("space_to_depth", "depth_to_space"):
        ok(op, f"{op}(a, block=1)", [x], x)
        no_through(op, f"{op}(a, block=v)", -1, [(f32, (1, 4, 4, 4))])
        no_through(op, f"{op}(a, block=v)", 0, [(f32, (1, 4, 4, 4))])
        no_through(op, f"{op}(a, block=v)", -2, [(f32, (0, 4, 4, 4))])
    for block, shape in ((0, (1, 4, 4, 4)), (3, (1, 4, 3, 9)), (3, (1, 3, 4, 9))):
        no("space_to_depth", f"space_to_depth(a, block={block})", [(f32, shape)])
    for block, shape in ((0, (1, 4, 4, 4)), (2, (1, 4, 4, 6))):
        no("depth_to_space", f"depth_to_space(a, block={block})", [(f32, shape)])


# ---- gathers and scatters

def indexing():
    x = T(f32, 4, 3)
    for q in ((2,), (), (2, 2)):
        i = ids("i32", 3, *q)
        ok("gather", "gather(a, b)", [x, i], (f32, np.take(x[1], i[1], 0)))
        ok("gather", "gather(a, b, axis=-1)", [x, i], (f32, np.take(x[1], i[1], 1)))
        ok("embedding", "embedding(a, b)", [x, i], (f32, x[1][i[1]]))
    for op in ("gather", "embedding"):
        no(op, f"{op}(a, b)", [(f32, (4, 3)), (f32, (2,))])
    no("embedding", "embedding(a, b)", [(f32, (4,)), ("i32", (2,))])
    i = ids("i64", 4, 5, 3)
    ok("take_along", "take_along(a, b)", [x, i], (f32, np.take_along_axis(x[1], i[1], 0)))
    i = ids("u8", 3, 4, 2)
    ok("take_along", "take_along(a, b, axis=-1)", [x, i], (f32, np.take_along_axis(x[1], i[1].astype(int), 1)))
    no("take_along", "take_along(a, b)", [(f32, (4, 3)), ("i32", (2, 2))])
    no("take_along", "take_along(a, b)", [(f32, (4, 3)), (f32, (2, 3))])
    no("take_along", "take_along(a, b, axis=1)", [(f32, (4, 3)), ("i32", (5, 2))])
    u, i = T(f32, 2, 3), ("i32", np.array([[0, 1, 2], [3, 3, 0]]))
    y = x[1].copy()
    np.put_along_axis(y, i[1], u[1], 0)
    ok("scatter_along", "scatter_along(a, b, c)", [x, i, u], (f32, y))
    u, i, y = T(f32, 4, 1), ("i32", np.array([[0], [2], [1], [1]])), x[1].copy()
    np.put_along_axis(y, i[1], u[1], 1)
    ok("scatter_along", "scatter_along(a, b, c, axis=-1)", [x, i, u], (f32, y))
    no("scatter_along", "scatter_along(a, b, c)", [(f32, (4, 3)), ("i32", (2, 3)), (f32, (3, 3))])
    no("scatter_along", "scatter_along(a, b, c)", [(f32, (4, 3)), (f32, (2, 3)), (f32, (2, 3))])
    for at, base in (("", (4, 3)), (", axis=1", (3, 4))):
        shape = (2, 3) if at == "" else (3, 2)
        other = (2, 5) if at == "" else (5, 2)
        no("scatter_along", f"scatter_along(a, b, c{at})", [(f32, base), ("i32", other), (f32, shape)])
        no("scatter_along", f"scatter_along(a, b, c{at})", [(f32, base), ("i32", shape), (f32, other)])
        no("scatter_along", f"scatter_along(a, b, c{at})", [(f32, base), ("i32", other), (f32, other)])
    for r in (0, 1, 2):
        i = ("i64", rng.integers(0, 3, (5, r)))
        ok("gather_nd", "gather_nd(a, b)", [x, i], (f32, np.stack([x[1][tuple(row)] for row in i[1]])))
    no("gather_nd", "gather_nd(a, b)", [(f32, (4, 3)), ("i32", (5, 3))])
    no("gather_nd", "gather_nd(a, b)", [(f32, (4, 3)), (f32, (5, 1))])
    for op, f in (("scatter_update", lambda a, b: b), ("scatter_add", np.add), ("scatter_mul", np.multiply), ("scatter_max", np.maximum),
                  ("scatter_min", np.minimum)):
        for elem in ("f32", "i16", "f16"):
            for rows, shape in (([[1], [3], [1]], (3, 3)), ([[1, 2], [0, 0], [1, 2]], (3,))):
                base, u, i = T(elem, 4, 3), T(elem, *shape), np.array(rows)
                y = wide(base[1]).copy()
                for row, part in zip(i, wide(u[1])):
                    y[tuple(row)] = f(y[tuple(row)], part)
                ok(op, f"{op}(a, b, c)", [base, ("i32", i), u], (elem, y))
        no(op, f"{op}(a, b, c)", [(f32, (4, 3)), (f32, (3, 1)), (f32, (3, 3))])
        no(op, f"{op}(a, b, c)", [(f32, (4, 3)), ("i32", (3, 1)), (f32, (3, 2))])
        no(op, f"{op}(a, b, c)", [(f32, (4, 3)), ("i32", (3, 1)), (f32, (2, 3))])
        no(op, f"{op}(a, b, c)", [(f32, (4, 3)), ("i32", (3, 1)), (f32, (3,))])
        if op != "scatter_update":
            no(op, f"{op}(a, b, c)", [("bool", (4, 3)), ("i32", (3, 1)), ("bool", (3, 3))])
    ok("scatter_update", "scatter_update(a, b, c)", [("bool", np.zeros(3)), ("i32", np.array([[1]])), ("bool", np.ones(1))], ("bool", np.array([0, 1, 0])))

    where = np.array([2, 0, 2, 3, 0])
    for op, f, empty in (("segment_sum", np.sum, lambda e: 0), ("segment_mean", np.mean, lambda e: 0), ("segment_max", np.max, starts_low),
                         ("segment_min", np.min, starts_high)):
        for elem in ("f32", "f16") if op == "segment_mean" else ("f32", "i8"):
            for s in ((), (2,)):
                x = T(elem, 5, *s)
                y = [f(wide(x[1])[where == k], 0) if (where == k).any() else np.full(s, empty(elem)) for k in range(4)]
                ok(op, f"{op}(a, b, count=4)", [x, ("i32", where)], (elem, np.array(y, wide(x[1]).dtype)))
        no(op, f"{op}(a, b, count=4)", [(f32, (5, 2)), ("i32", (4,))])
        no(op, f"{op}(a, b, count=4)", [(f32, (5, 2)), (f32, (5,))])
        no_through(op, f"{op}(a, b, count=v)", -1, [(f32, (5, 2)), ("i32", (5,))])
        ok(op, f"{op}(a, b, count=0)", [(f32, np.zeros((0, 2))), ("i32", np.zeros(0))], (f32, np.zeros((0, 2))))
        no(op, f"{op}(a, b, count=4)", [("bool", (5, 2)), ("i32", (5,))])
    no("segment_mean", "segment_mean(a, b, count=4)", [("i32", (5, 2)), ("i32", (5,))])
    ok("bincount", "bincount(a, count=5)", [("u16", where)], ("i64", np.bincount(where, minlength=5)))
    no_through("bincount", "bincount(a, count=v)", -1, [("i32", (5,))])
    ok("bincount", "bincount(a, count=0)", [("i32", np.zeros(0))], ("i64", np.zeros(0)))
    no("bincount", "bincount(a, count=1)", [(f32, (5,))])
    x = T(f32, 5, 4)
    for start in (0, 2, 9, -3):
        at = min(max(start, 0), 2)
        ok("dynamic_slice", "dynamic_slice(a, b, size=3)", [x, ("i32", np.array(start))], (f32, x[1][at:at + 3]))
        u, at, y = T(f32, 3, 4), min(max(start, 0), 2), x[1].copy()
        y[at:at + 3] = u[1]
        ok("dynamic_update_slice", "dynamic_update_slice(a, b, c)", [x, u, ("i64", np.array(start))], (f32, y))
    ok("dynamic_slice", "dynamic_slice(a, b, size=1, axis=-1)", [x, ("i32", np.array(2))], (f32, x[1][:, 2:3]))
    u, y = T(f32, 5, 1), x[1].copy()
    y[:, 3:] = u[1]
    ok("dynamic_update_slice", "dynamic_update_slice(a, b, c, axis=1)", [x, u, ("u8", np.array(3))], (f32, y))
    no_through("dynamic_slice", "dynamic_slice(a, b, size=v)", -1, [(f32, (5, 4)), ("i32", ())])
    ok("dynamic_slice", "dynamic_slice(a, b, size=0)", [x, ("i32", np.array(2))], (f32, x[1][:0]))
    for size in (-1, 6):
        no("dynamic_slice", f"dynamic_slice(a, b, size={size})", [(f32, (5, 4)), ("i32", ())])
    no("dynamic_slice", "dynamic_slice(a, b, size=2)", [(f32, (5, 4)), (f32, ())])
    no("dynamic_slice", "dynamic_slice(a, b, size=2)", [(f32, (5, 4)), ("i32", (1,))])
    for k in (0, 6):
        no("dynamic_update_slice", "dynamic_update_slice(a, b, c)", [(f32, (5, 4)), (f32, (k, 4)), ("i32", ())])
    no("dynamic_update_slice", "dynamic_update_slice(a, b, c)", [(f32, (5, 4)), (f32, (2, 3)), ("i32", ())])
    no("dynamic_update_slice", "dynamic_update_slice(a, b, c, axis=1)", [(f32, (5, 4)), (f32, (3, 2)), ("i32", ())])
    no("dynamic_update_slice", "dynamic_update_slice(a, b, c)", [(f32, (5, 4)), (f32, (2, 4)), (f32, ())])
    for s in ((), (2,)):
        x, length = T(f32, 3, 4, *s), np.array([4, 0, 3])
        y = x[1].copy()
        for row, n in enumerate(length):
            y[row, :n] = y[row, :n][::-1]
        ok("reverse_sequence", "reverse_sequence(a, b)", [x, ("i32", length)], (f32, y))
    no("reverse_sequence", "reverse_sequence(a, b)", [(f32, (3, 4)), ("i32", (4,))])
    no("reverse_sequence", "reverse_sequence(a, b)", [(f32, (3, 4)), (f32, (3,))])


def starts_low(elem):
    return -np.inf if elem in FLOATS else np.iinfo(INTS[elem]).min


def starts_high(elem):
    return np.inf if elem in FLOATS else np.iinfo(INTS[elem]).max


# ---- random numbers

def random():
    seed = 2024
    bits = [np.array([philox(i, stream, seed) for i in range(6)], object).reshape(2, 3) for stream in (0, 1)]
    s = [("u64", np.uint64(seed))]
    ok("random_bits", "random_bits(a, [2, 3])", s, ("u64", bits[0]))
    for elem, significand in (("f16", 11), ("bf16", 8), ("f32", 24), ("f64", 53)):
        u = (bits[0] >> (64 - significand)).astype(np.float64) / 2.0**significand
        ok("random_uniform", "random_uniform(a, [2, 3])", s, (elem, u), result=f"{elem} s", tolerance=(0, 0))
    u = (bits[0] >> 40).astype(np.float64) / 2.0**24
    ok("random_uniform", "random_uniform(a, [2, 3], low=-1, high=2.5)", s, (f32, u * 3.5 - 1), result="f32 s")
    for elem, significand in (("f32", 24), ("f64", 53), ("f16", 24)):
        u, v = [(b >> (64 - significand)).astype(np.float64) / 2.0**significand for b in bits]
        y = np.sqrt(-2 * np.log(u + 2.0**-significand)) * np.cos(2 * np.pi * v)
        ok("random_normal", "random_normal(a, [2, 3])", s, (elem, y), result=f"{elem} s")
        ok("random_normal", "random_normal(a, [2, 3], mean=3, std=0.5)", s, (elem, y / 2 + 3), result=f"{elem} s")
    u = (bits[0] >> 11).astype(np.float64) / 2.0**53
    many = np.array([philox(i, 0, seed) >> 11 for i in range(40)], np.float64) / 2.0**53
    ok("random_bernoulli", "random_bernoulli(a, [40])", s, ("bool", many < 0.5))
    ok("random_bernoulli", "random_bernoulli(a, [2, 3], p=0.2)", s, ("bool", u < 0.2))
    for op in ("random_bits", "random_uniform", "random_normal", "random_bernoulli"):
        result = "f32 s" if op in ("random_uniform", "random_normal") else None
        no(op, f"{op}(a, [2])", [("i32", ())], result=result)
        no(op, f"{op}(a, [2])", [("u64", (2,))], result=result)
        no(op, f"{op}(a, [-2])", [("u64", ())], result=result)
    for op in ("random_uniform", "random_normal"):
        no(op, f"{op}(a, [2])", [("u64", ())], result="i32 s")


# ---- functional core

def functional():
    x = T(f32, 3, 2)
    f = "fn (p, q) { 0.5 * p + q }"

    def fold(x, start, axis):
        for part in np.moveaxis(x, axis, 0):
            start = 0.5 * start + part
        return start

    ok("reduce", f"reduce({f}, 0f, a)", [x], (f32, fold(x[1], 0, 0)))
    start = T(f32, 3)
    ok("reduce", f"reduce({f}, b, a, axis=-1, keep=true)", [x, start], (f32, fold(x[1], start[1], 1)[:, None]))
    ok("reduce", "reduce(+, 1f, a, axis=1)", [x], (f32, 1 + x[1].sum(1)))
    no("reduce", "reduce(+, b, a)", [(f32, (3, 2)), (f32, (3,))])
    no("reduce", "reduce(+, 0f, a, axis=2)", [(f32, (3, 2))])
    no("reduce", "reduce(fn (p, q) { p > q }, 0f, a)", [(f32, (3, 2))])
    for text in ("select(q, p, p)", "p + sum(q, axis=[0, 1, 2])", "expand(p, axis=0)", "expand(p, axis=-1)"):
        no("reduce", f"reduce(fn (p, q) {{ {text} }}, 0f, a)", [(f32, (3, 2))])
        no("reduce", f"reduce(fn (p, q) {{ {text} }}, 0f, a, axis=1)", [(f32, (3, 2))])
    no("reduce", "reduce(fn (p, q) { p }, b, a)", [(f32, (3, 2)), ("i32", (2,))])
    no("reduce", "reduce(fn (p, q) { p }, b, a, axis=1)", [(f32, (3, 2)), (f32, (4,))])
    y = T("i32", 3)
    ok("map", "map(fn (p, q) { (sum(p), q + 1) }, a, b)", [x, y], (f32, x[1].sum(1)), ("i32", y[1] + 1))
    no("map", "map(fn (p, q) { q }, a, b)", [(f32, (3, 2)), ("i32", (4,))])
    no("map", "map(fn (p) { p }, a)", [(f32, ())])
    states, total = [], 1.0
    for part in x[1].sum(1):
        states.append(total)
        total += part
    ok("loop", "loop(b, fn (s, p) { (s + sum(p), s) }, a)", [x, (f32, np.float64(1))], (f32, np.float64(total)), (f32, np.array(states)))
    no("loop", "loop(b, fn (s, p) { (p, s) }, a)", [(f32, (3, 2)), (f32, ())])
    no("loop", "loop(b, fn (s, p) { s }, a)", [(f32, (3, 2)), (f32, ())])
    no("loop", "loop(b, fn (s, p) { (b, max(s, p)) }, a)", [(f32, (3, 2)), (f32, ())])
    no("loop", "loop(b, fn (s, p) { (s, select(p, s, s)) }, a)", [(f32, (3, 2)), (f32, ())])
    no("while", "while(fn (p) { p < 5 }, fn (p) { amax(p, axis=[0, 1]) }, a)", [("i32", ())])
    ok("while", "while(fn (p) { p < 50 }, fn (p) { 2 * p }, a)", [("i32", np.int32(3))], ("i32", np.int32(96)))
    no("while", "while(fn (p) { p }, fn (p) { 2 * p }, a)", [("i32", ())])
    no("while", "while(fn (p) { sum(p) < 5 }, fn (p) { sum(p) }, a)", [("i32", (2,))])


# ---- streams

def streams():
    """What needs all of a dimension takes none that arrives over time."""
    t = "~T"
    line, matrix = [(f32, [t])], [(f32, [t, 3])]

    def whole(op, expression, inputs):
        lines.append(f"case {op} 0 0")
        lines.append("program " + program(expression, inputs, None))
        lines.append("code E0318")

    for op in ("softmax", "log_softmax", "argmax", "argmin", "cumsum", "cumprod", "cummax", "cummin", "sort", "argsort", "reverse"):
        whole(op, f"{op}(a, axis=0)", matrix)
    whole("top_k", "top_k(a, k=0, axis=0)", matrix)
    whole("searchsorted", "searchsorted(a, b)", [(f32, [t]), (f32, [2])])
    whole("matmul", "matmul(a, b)", [(f32, [2, t]), (f32, [t, 3])])
    whole("conv", "conv(a, b)", [(f32, [1, t, 4, 4]), (f32, [1, t, 2, 2])])
    whole("conv2d", "conv2d(a, b)", [(f32, [1, 4, 4, t]), (f32, [2, 2, t, 1])])
    whole("depthwise_conv2d", "depthwise_conv2d(a, b)", [(f32, [1, 4, 4, t]), (f32, [2, 2, t, 1])])
    whole("slice", "a[-1]", matrix)
    for op in ("gather", "embedding"):
        whole(op, f"{op}(a, b)", [*matrix, ("i32", [2])])
    whole("concat", "concat(a, b)", [*line, (f32, [2])])
    whole("split", "split(a, parts=2)", line)
    whole("unstack", "unstack(a)", line)
    whole("roll", "roll(a, shift=1)", line)
    whole("diag", "diag(a)", line)
    whole("diagonal", "diagonal(a)", [(f32, [2, t])])
    whole("trace", "trace(a)", [(f32, [t, t])])
    whole("shape", "shape(a)", line)
    whole("size", "size(a)", line)
    whole("take_along", "take_along(a, b)", [*line, ("i32", [2])])
    whole("gather_nd", "gather_nd(a, b)", [*line, ("i32", [2, 1])])
    whole("scatter_along", "scatter_along(a, b, c)", [*line, ("i32", [2]), (f32, [2])])
    for op in ("scatter_update", "scatter_add", "scatter_mul", "scatter_max", "scatter_min"):
        whole(op, f"{op}(a, b, c)", [*line, ("i32", [2, 1]), (f32, [2])])
    for op in ("segment_sum", "segment_mean", "segment_max", "segment_min"):
        whole(op, f"{op}(a, b, count=2)", [*line, ("i32", [t])])
    whole("bincount", "bincount(a, count=2)", [("i32", [t])])
    whole("dynamic_slice", "dynamic_slice(a, b, size=0)", [*line, ("i32", [])])
    whole("dynamic_update_slice", "dynamic_update_slice(a, a, b)", [*line, ("i32", [])])
    whole("reverse_sequence", "reverse_sequence(a, b)", [(f32, [2, t]), ("i32", [2])])
    whole("reduce", "reduce(+, 0f, a)", matrix)


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        for family in (unary, binary, ternary, reductions, scans, linear, structure, matrices, indexing, random, functional, streams):
            family()
    with open(os.path.join(HERE, "cases.txt"), "w") as out:
        out.write("\n".join(lines) + "\n")
