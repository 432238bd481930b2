"""Products, transposition."""
import numpy as np

from families.writer import T, f32, no, ok, wide


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
    no("transpose", "transpose(a, perm=[0, 1, 3])", [(f32, (2, 3, 4))])
    matrices_and_vectors()
    einsum()


def matrices_and_vectors():
    """op, the shapes of its arguments, what it is, shapes to refuse"""
    rows = [("batch_matmul", (2, 1, 3, 4), (5, 4, 2), lambda a, b: a @ b, [((2, 3, 4), (3, 4, 2)), ((3, 4), (3, 2)), ((4,), (4, 2))]),
            ("matmul_nt", (2, 3, 4), (2, 5, 4), lambda a, b: a @ b.swapaxes(-1, -2), [((3, 4), (4, 5)), ((2, 3, 4), (5, 4)), ((4,), (4,))]),
            ("matmul_tn", (2, 4, 3), (2, 4, 5), lambda a, b: a.swapaxes(-1, -2) @ b, [((3, 4), (4, 5)), ((2, 4, 3), (4, 5)), ((4,), (4,))]),
            ("matvec", (2, 3, 4), (2, 4), lambda a, b: (a @ b[..., None])[..., 0], [((3, 4), (3,)), ((2, 3, 4), (4,)), ((4,), (4,))]),
            ("dot", (5,), (5,), lambda a, b: np.sum(a * b), [((5,), (4,)), ((2, 5), (5,)), ((), ())]),
            ("inner", (2, 3, 4), (5, 4), lambda a, b: np.tensordot(a, b, (-1, -1)), [((3, 4), (3, 5)), ((), (4,)), ((4,), ())]),
            ("outer", (2, 3), (4,), np.multiply.outer, [])]
    for op, p, q, f, wrong in rows:
        for elem in ("f32", "i16", "f64"):
            a, b = T(elem, *p), T(elem, *q)
            ok(op, f"{op}(a, b)", [a, b], (elem, f(wide(a[1]), wide(b[1]))))
        for shapes in wrong:
            no(op, f"{op}(a, b)", [(f32, shape) for shape in shapes])
        no(op, f"{op}(a, b)", [("bool", p), ("bool", q)])
    for op, p, q in (("batch_matmul", (3, 4), (2, 4, 5)), ("matmul_nt", (2, 0), (3, 0)), ("matmul_tn", (0, 2), (0, 3)), ("matvec", (2, 0), (0,)), ("dot", (0,), (0,)),
                     ("inner", (0,), (2, 0)), ("inner", (4,), (4,)), ("outer", (), (3,)), ("outer", (0, 2), (3,))):
        a, b = T(f32, *p), T(f32, *q)
        ok(op, f"{op}(a, b)", [a, b], (f32, next(row[3] for row in rows if row[0] == op)(a[1], b[1])))


def einsum():
    for equation, shapes in [
            ("ij,jk->ik", [(2, 3), (3, 4)]), ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]), ("ij->ji", [(2, 3)]), ("ij->", [(2, 3)]), ("ii", [(3, 3)]),
            ("ii->i", [(3, 3)]), ("iji->j", [(2, 3, 2)]), ("i,j->ij", [(2,), (3,)]), ("i,i->i", [(4,), (4,)]), ("ij,ij", [(2, 3), (2, 3)]),
            ("ij,jk,kl->li", [(2, 3), (3, 4), (4, 2)]), ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]), ("...i->i...", [(2, 3, 4)]),
            ("iij,jkk->ik", [(2, 2, 3), (3, 4, 4)]), ("...,...", [(3, 1), (2,)]), ("ij,j->i", [(2, 0), (0,)])]:
        given = [T(f32, *shape) for shape in shapes]
        ok("einsum", f'einsum("{equation}", {", ".join("abc"[:len(given)])})', given, (f32, np.einsum(equation, *(x for _, x in given))))
    a, b = T("i32", 2, 3), T("i32", 4, 3)
    ok("einsum", 'einsum("ij,kj->ik", a, b)', [a, b], ("i32", wide(a[1]) @ wide(b[1]).T))
    for equation, shapes in [("ij,jk->ik", [(2, 3), (4, 2)]), ("ij->i", [(2,)]), ("ii->i", [(2, 3)]), ("ij->ijk", [(2, 3)]), ("ij->ii", [(2, 3)]), ("ij,jk", [(2, 3)]),
                             ("...i,...i->...", [(2, 3), (4, 3)]), ("i->i", [()])]:
        no("einsum", f'einsum("{equation}", {", ".join("abc"[:len(shapes)])})', [(f32, shape) for shape in shapes])
    no("einsum", 'einsum("i->i", a)', [("bool", (2,))])
    no("einsum", 'einsum("i,i->i", a, b)', [(f32, (2,)), ("i32", (2,))])
