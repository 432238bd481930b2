"""Random numbers, operators that take functions, operators that need a whole dimension at once."""
import numpy as np
from make_goldens import philox

from families.writer import T, f32, lines, no, ok, program


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


def streams():
    """Operators that need a whole dimension at once refuse streamed dimensions."""
    t = "~T"
    line, matrix = [(f32, [t])], [(f32, [t, 3])]

    def whole(op, expression, inputs):
        lines.append(f"case {op} 0 0")
        lines.append("program " + program(expression, inputs, None))
        lines.append("code E0318")

    for op in ("softmax", "log_softmax", "l2_normalize", "argmax", "argmin", "sort", "argsort", "reverse"):
        whole(op, f"{op}(a, axis=0)", matrix)
    for op in ("cumsum", "cumprod", "cummax", "cummin"):
        whole(op, f"{op}(a, axis=0, reverse=true)", matrix)
    whole("top_k", "top_k(a, k=0, axis=0)", matrix)
    whole("searchsorted", "searchsorted(a, b)", [(f32, [t]), (f32, [2])])
    whole("matmul", "matmul(a, b)", [(f32, [2, t]), (f32, [t, 3])])
    whole("batch_matmul", "batch_matmul(a, b)", [(f32, [2, t]), (f32, [t, 3])])
    whole("matmul_nt", "matmul_nt(a, b)", [(f32, [2, t]), (f32, [3, t])])
    whole("matmul_tn", "matmul_tn(a, b)", [(f32, [t, 2]), (f32, [t, 3])])
    whole("matvec", "matvec(a, b)", [(f32, [2, t]), (f32, [t])])
    whole("dot", "dot(a, b)", [*line, *line])
    whole("inner", "inner(a, b)", [(f32, [2, t]), *line])
    for rank in (1, 2, 3):
        image, window = [1, *[4] * rank], [2] * rank
        whole(f"conv{rank}d", f"conv{rank}d(a, b)", [(f32, [*image, t]), (f32, [*window, t, 1])])
        whole(f"depthwise_conv{rank}d", f"depthwise_conv{rank}d(a, b)", [(f32, [*image, t]), (f32, [*window, t, 1])])
        whole(f"conv_transpose{rank}d", f"conv_transpose{rank}d(a, b)", [(f32, [*image, t]), (f32, [*window, 1, t])])
    for op in ("resize", "resize_nearest"):
        for image in ([1, t, 4, 2], [1, 4, t, 2]):
            whole(op, f"{op}(a, size=[2, 2])", [(f32, image)])
    for op in ("nonzero", "unique"):
        whole(op, f"{op}(a)", line)
    for op in ("rfft", "dct", "idct"):
        whole(op, f"{op}(a)", [(f32, [2, t])])
    for op in ("fft", "ifft"):
        whole(op, f"{op}(a)", [(f32, [t, 2])])
    whole("conv", "conv(a, b)", [(f32, [1, t, 4, 4]), (f32, [1, t, 2, 2])])
    whole("slice", "a[-1]", matrix)
    for op in ("gather", "embedding"):
        whole(op, f"{op}(a, b)", [*matrix, ("i32", [2])])
    whole("concat", "concat(a, b)", [*line, (f32, [2])])
    whole("split", "split(a, parts=2)", line)
    whole("unstack", "unstack(a)", line)
    whole("roll", "roll(a, shift=1)", line)
    whole("roll", "roll(a, shift=1, axis=0)", matrix)
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
