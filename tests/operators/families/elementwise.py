"""Operators of single elements."""
import math

import numpy as np

from families.writer import FLOATS, INTS, T, f32, hexed, ids, no, ok, wide


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(x, 0)


ERF = np.vectorize(math.erf, otypes=[np.float64])


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
