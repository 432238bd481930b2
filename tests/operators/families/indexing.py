"""Gathers and scatters."""
import numpy as np

from families.writer import FLOATS, INTS, T, f32, ids, no, no_through, ok, rng, wide


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
    ok("dynamic_slice", "dynamic_slice(a, b, size=5)", [x, ("i32", np.array(0))], x)
    ok("dynamic_update_slice", "dynamic_update_slice(a, b, c)", [x, T(f32, 5, 4, low=1, high=1), ("i32", np.array(0))], (f32, np.ones((5, 4))))
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
