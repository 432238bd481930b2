"""Diagonals and triangles, tensors made of sizes, blocks of pixels."""
import numpy as np

from families.writer import T, f32, no, no_through, ok


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
