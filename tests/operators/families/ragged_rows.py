"""General operators on ragged tensors: the result is NumPy's for each row by itself."""
import numpy as np

from families.writer import Rows, ids, lines, ok, program, splits_of, found, T

LENGTHS = (2, 0, 3)


def ragged_rows():
    rows = [T("f64", n, 2, low=-2, high=2)[1] for n in LENGTHS]
    x, splits = Rows("f64", rows), splits_of(LENGTHS)

    def each(op, expression, of, *more, elem="f64"):
        """One result for each row."""
        ok(op, expression, [x, *more], (elem, np.stack([of(r) for r in rows])))

    def kept(op, expression, of, *more, elem="f64"):
        """As many results as the row has elements."""
        ok(op, expression, [x, *more], found(elem, np.concatenate([of(r) for r in rows])), splits)

    def distances(x):
        return (x - x.mean(0)) ** 2 if len(x) else x

    def softmax(x, axis):
        e = np.exp(x)
        return e / e.sum(axis, keepdims=True)

    each("sum", "sum(a, axis=1)", lambda r: r.sum(0))
    each("sum", "sum(a, axis=[1, 2], keep=true)", lambda r: r.sum().reshape(1, 1))
    each("prod", "prod(a, axis=1)", lambda r: r.prod(0))
    each("mean", "mean(a, axis=1)", lambda r: r.sum(0) / len(r))
    each("amax", "amax(a, axis=1)", lambda r: r.max(0, initial=-np.inf))
    each("amin", "amin(a, axis=1)", lambda r: r.min(0, initial=np.inf))
    each("any", "any(a > 0, axis=1)", lambda r: (r > 0).any(0), elem="bool")
    each("all", "all(a > 0, axis=1)", lambda r: (r > 0).all(0), elem="bool")
    each("variance", "variance(a, axis=1)", lambda r: distances(r).sum(0) / len(r))
    each("std", "std(a, axis=1)", lambda r: np.sqrt(distances(r).sum(0) / len(r)))
    each("l1_norm", "l1_norm(a, axis=1)", lambda r: np.abs(r).sum(0))
    each("l2_norm", "l2_norm(a, axis=1)", lambda r: np.sqrt((r * r).sum(0)))
    each("count_nonzero", "count_nonzero(a > 0, axis=1)", lambda r: (r > 0).sum(0), elem="i64")
    each("logsumexp", "logsumexp(a, axis=1)", lambda r: np.log(np.exp(r).sum(0)))
    each("reduce", "reduce(+, 0f, a, axis=1)", lambda r: r.sum(0))
    each("map", "map(fn (r) { sum(r, axis=0) }, a)", lambda r: r.sum(0))
    total = np.cumsum([r.sum() for r in rows])
    ok("loop", "loop(0, fn (s, r) { t = s + sum(r); t, t }, a)", [x], ("f64", total[-1]), ("f64", total))
    ok("size", "size(a)", [x], ("i64", np.int64(sum(r.size for r in rows))))
    for axis in (1, 2):
        kept("softmax", f"softmax(a, axis={axis})", lambda r: softmax(r, axis - 1))
        kept("log_softmax", f"log_softmax(a, axis={axis})", lambda r: np.log(softmax(r, axis - 1)))
        kept("l2_normalize", f"l2_normalize(a, axis={axis})", lambda r: r / np.sqrt((r * r).sum(axis - 1, keepdims=True)))
    kept("reduce", "reduce(+, 0f, a, axis=2)", lambda r: r.sum(1))
    kept("concat", "concat(a, a * 2, axis=2)", lambda r: np.concatenate([r, r * 2], 1))
    ok("concat", "concat(a, a * 2, axis=1)", [x], found("f64", np.concatenate([np.concatenate([r, r * 2]) for r in rows])),
       splits_of([2 * n for n in LENGTHS]))
    matrix, stack = T("f64", 2, 4), T("f64", 3, 2, 4)
    kept("einsum", "einsum(\"bld,dk->blk\", a, b)", lambda r: r @ matrix[1], matrix)
    ok("matmul", "matmul(a, b)", [x, stack], found("f64", np.concatenate([r @ m for r, m in zip(rows, stack[1])])), splits)
    kept("matmul", "matmul(expand(a, axis=2), expand(a, axis=3))", lambda r: (r * r).sum(1)[:, None, None])
    kept("expand", "expand(a, axis=3)", lambda r: r[:, :, None])
    kept("squeeze", "squeeze(sum(a, axis=2, keep=true), axis=2)", lambda r: r.sum(1))
    kept("reshape", "reshape(a, [3, _, 2])", lambda r: r)
    places = [ids("i64", 5, n)[1] for n in LENGTHS]
    table = T("f64", 5, 2)
    for op in ("embedding", "gather"):
        ok(op, f"{op}(b, a)", [Rows("i64", places), table], found("f64", np.concatenate([table[1][p] for p in places])), splits)

    # Along an axis after the ragged one.
    kept("slice", "a[:, :, 1:]", lambda r: r[:, 1:])
    kept("reverse", "reverse(a, axis=2)", lambda r: r[:, ::-1])
    kept("split", "y, _ = split(a, parts=2, axis=2); y", lambda r: r[:, :1])
    kept("pad_axis", "pad_axis(a, before=1, axis=2)", lambda r: np.pad(r, ((0, 0), (1, 0))))
    kept("sort", "sort(a, axis=2)", lambda r: np.sort(r, 1))
    kept("argsort", "argsort(a, axis=2)", lambda r: np.argsort(r, 1), elem="i64")
    kept("argmax", "argmax(a, axis=2)", lambda r: np.argmax(r, 1), elem="i64")
    kept("argmin", "argmin(a, axis=-1)", lambda r: np.argmin(r, 1), elem="i64")
    kept("cumsum", "cumsum(a, axis=2)", lambda r: np.cumsum(r, 1))
    kept("cumprod", "cumprod(a, axis=2)", lambda r: np.cumprod(r, 1))
    kept("cummax", "cummax(a, axis=2)", lambda r: np.maximum.accumulate(r, 1))
    kept("cummin", "cummin(a, axis=2)", lambda r: np.minimum.accumulate(r, 1))
    kept("top_k", "y, _ = top_k(a, k=1, axis=2); y", lambda r: r.max(1, keepdims=True))
    kept("roll", "roll(a, shift=1, axis=2)", lambda r: np.roll(r, 1, 1))
    kept("repeat", "repeat(a, times=2, axis=2)", lambda r: np.repeat(r, 2, 1))

    for op, expression in (("reverse", "reverse(a, axis=1)"), ("transpose", "transpose(a)"), ("softmax", "softmax(a, axis=0)"),
                           ("argmax", "argmax(a, axis=1)"), ("shape", "shape(a)"), ("flatten", "flatten(a)"), ("slice", "a[0]"),
                           ("expand", "expand(a, axis=0)"), ("tile", "tile(a, times=[1, 1, 2])"), ("to_dense", "to_dense(a, 0)")):
        more = "*m" if op == "to_dense" else 2
        lines.append(f"case {op} 0 0")
        lines.append("program " + program(expression, [("f32", ["b", "*l", more])], None))
        lines.append("code E0317")
