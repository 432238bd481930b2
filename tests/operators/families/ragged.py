"""Ragged tensors, and sizes known only at run time."""
import numpy as np

from families.writer import Rows, T, f32, found, no, ok, splits_of, stops


def rows_of(elem, lengths, *trailing):
    return [T(elem, n, *trailing)[1] for n in lengths]


def padded(rows, value):
    out = np.full((len(rows), max(map(len, rows)), *rows[0].shape[1:]), value, rows[0].dtype)
    for i, row in enumerate(rows):
        out[i, :len(row)] = row
    return out


def ragged():
    for elem, lengths, trailing in (("f32", (2, 0, 3), (2,)), ("i8", (1, 4), ()), ("f32", (0, 0), (3,)), ("bool", (2, 1), (2, 1))):
        rows, value = rows_of(elem, lengths, *trailing), T(elem)
        ok("to_dense", "to_dense(a, b)", [Rows(elem, rows), value], found(elem, padded(rows, value[1]), 1))
        x, y = T(elem, len(lengths), 4, *trailing), rows_of("i32", lengths, 2)
        kept = np.concatenate([x[1][i, :n] for i, n in enumerate(lengths)])
        ok("to_ragged", "to_ragged(a, b)", [x, ("i64", np.array(lengths))], found(elem, kept), splits_of(lengths))
        z = Rows("i32", y, "m")
        ok("same_lengths", "same_lengths(a, b)", [Rows(elem, rows), z], found("i32", np.concatenate(y)), splits_of(lengths))
    a, b = rows_of(f32, (2, 1), 2), rows_of(f32, (2, 1), 2)
    ok("same_lengths", "a + same_lengths(a, b)", [Rows(f32, a), Rows(f32, b, "m")], found(f32, np.concatenate(a) + np.concatenate(b)), splits_of((2, 1)))
    no("same_lengths", "b + same_lengths(a, b)", [Rows(f32, a), Rows(f32, b, "m")])
    stops("same_lengths", "same_lengths(a, b)", [Rows(f32, a), Rows(f32, rows_of(f32, (1, 2), 2), "m")])
    no("same_lengths", "same_lengths(a, b)", [Rows(f32, a), Rows(f32, rows_of(f32, (1, 2, 0), 2), "m")])
    no("same_lengths", "same_lengths(a, b)", [Rows(f32, a), (f32, (2, 2))])
    no("same_lengths", "same_lengths(a, b)", [(f32, (2, 2)), Rows(f32, a)])
    for lengths in ((5, 0), (-1, 2)):
        stops("to_ragged", "to_ragged(a, b)", [T(f32, 2, 4), ("i64", np.array(lengths))])
    no("to_ragged", "to_ragged(a, b)", [(f32, (2, 4)), ("i64", (3,))])
    no("to_ragged", "to_ragged(a, b)", [(f32, (2, 4)), ("i32", (2,))])
    no("to_ragged", "to_ragged(a, b)", [(f32, (4,)), ("i64", (4,))])
    no("to_ragged", "to_ragged(a, b)", [(f32, (2, 4)), ("i64", (2, 1))])
    no("to_dense", "to_dense(a, b)", [(f32, (2, 3)), (f32, ())])
    no("to_dense", "to_dense(a, b)", [Rows(f32, a), ("i32", ())])
    no("to_dense", "to_dense(a, b)", [Rows(f32, a), (f32, (2,))])


def found_sizes():
    for elem, shape in (("f32", (3, 4)), ("i8", (5,)), ("bool", (2, 1, 3)), ("i32", (0, 2)), ("f32", ())):
        x = T(elem, *shape, low=-1, high=1)
        x = (elem, x[1] * (np.random.default_rng(len(shape)).integers(0, 2, shape) == 1)) if elem == "f32" else x
        ok("nonzero", "nonzero(a)", [x], found("i64", np.argwhere(x[1])))
        if elem != "bool":
            ok("unique", "unique(a)", [x], found(elem, np.unique(x[1])))
    x = ("f32", np.array([1.5, -np.inf, np.nan, 1.5, np.nan, 0]))
    ok("unique", "unique(a)", [x], found("f32", np.array([-np.inf, 0, 1.5, np.nan, np.nan])))
    for elem, count in (("i32", 3), ("i64", 0), ("u8", 5)):
        ok("arange_to", "arange_to(a, most=5)", [(elem, np.array(count))], found("i64", np.arange(count)))
    ok("arange_to", "arange_to(a, most=0)", [("i32", np.array(0))], found("i64", np.arange(0)))
    for count in (6, -1):
        stops("arange_to", "arange_to(a, most=5)", [("i32", np.array(count))])
    no("arange_to", "arange_to(a, most=5)", [("f32", ())])
    no("arange_to", "arange_to(a, most=5)", [("i32", (1,))])
    no("arange_to", "arange_to(a, most=-1)", [("i32", ())])
    no("arange_to", "arange_to(a, most=5) + arange_to(a, most=5)", [("i32", ())])
    no("arange_to", "arange_to(a, most=5)", [("i32", ())], result="i32 [?k]")
    no("nonzero", "nonzero(a)", [("string", (2,))])
    no("unique", "unique(a)", [("bool", (2,))])
    for op, text in (("nonzero", "nonzero(a) + nonzero(b)"), ("unique", "unique(a) + unique(b)")):
        no(op, text, [("i64", (2,)), ("i64", (2,))])  # each call has a separate count
