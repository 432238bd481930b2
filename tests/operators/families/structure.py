"""Operators that move elements."""
import numpy as np

from families.writer import T, f32, no, no_through, ok


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
    paddings()
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
    ok("upsample", "upsample(a, scale=[1, 1])", [x], x)
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


def paddings():
    for elem in ("f32", "bool"):
        for mode, name in (("edge", "edge"), ("reflect", "reflect"), ("symmetric", "symmetric"), ("circular", "wrap"), ("constant", "constant")):
            x = T(elem, 3, 4)
            for pads in ([[2, 1], [0, 3]], [[1, 0], [0, 0]], [[0, 2], [2, 0]]):
                ok("pad", f'pad(a, {pads}, mode="{mode}")', [x], (elem, np.pad(x[1], pads, mode=name)))
    x = T("i8", 3, 4)
    ok("pad", 'pad(a, [[5, 0], [0, 6]], mode="edge")', [x], ("i8", np.pad(x[1], [[5, 0], [0, 6]], mode="edge")))
    for text, shape in (('[[3, 0]], mode="reflect"', (3,)), ('[[0, 4]], mode="symmetric"', (3,)), ('[[4, 0]], mode="circular"', (3,)), ('[[1, 0]], mode="edge"', (0,)),
                        ('[[1, 0]], mode="mirror"', (3,)), ("[[0, -1]]", (3,)), ("[[1, 1], [0, 0]]", (3,))):
        no("pad", f"pad(a, {text})", [(f32, shape)])
    for elem in ("f32", "i16", "bool"):
        x, v = T(elem, 2, 3), T(elem)
        ok("pad_with", "pad_with(a, b, [[1, 0], [2, 3]])", [x, v], (elem, np.pad(x[1], [[1, 0], [2, 3]], constant_values=v[1])))
        for text, before, after, axis in (("", 0, 0, -1), (", before=1", 1, 0, -1), (", after=2, axis=0", 0, 2, 0), (", before=2, after=1, axis=1", 2, 1, 1)):
            pads = [[before, after] if i == axis % 2 else [0, 0] for i in range(2)]
            ok("pad_axis", f"pad_axis(a{text})", [x], (elem, np.pad(x[1], pads)))
    no("pad_with", "pad_with(a, b, [[1, 0], [2, 3]])", [(f32, (2, 3)), (f32, (1,))])
    no("pad_with", "pad_with(a, b, [[1, 0], [2, -1]])", [(f32, (2, 3)), (f32, ())])
    no("pad_with", "pad_with(a, b, [[1, 0]])", [(f32, (2, 3)), (f32, ())])
    for text in ("before=-1", "after=-1", "axis=2", "before=-1, after=1"):
        no("pad_axis", f"pad_axis(a, {text})", [(f32, (2, 3))])
    for text in ("before=v", "after=v"):
        no_through("pad_axis", f"pad_axis(a, {text})", -1, [(f32, (2, 3))])
    no("pad_axis", "pad_axis(a)", [(f32, ())])
