"""Programs that were judged wrongly once, or are today, and the causes by which random programs fail.

A case is a text and what must come of it:
  ("result", TYPE)     `main` is accepted as an entry, and its result has this type
  ("refused",)         `main` is refused as an entry, by an error that names something and has a place
  ("alive",)           any verdict
  ("type", TYPE)       `f` has this type
  ("reads back",)      a function with the printed type of `f`, which calls `f`, is accepted and has the same type
  ("runs", SHAPE, [(NAME, SHAPE)...])   `main` runs with inputs of these shapes, and gives one of the first
A `known` case fails today: it is a failure of the test that it passes, so that it is taken from the list of those.
"""
import re

import programs
import sizes


class Case:
    def __init__(self, text, *wanted, known=False):
        self.text, self.wanted, self.known = text, wanted, known


def called(function, *shapes):
    """A `main` that calls `function` with tensors of these shapes."""
    given = ", ".join(f"{x} : f32 {list(shape)}" for x, shape in zip("xyzuv", shapes))
    return f"main = fn ({given}) {{ {function}({', '.join('xyzuv'[:len(shapes)])}) }};\n"


TWICE = "f = fn (x : f32 s @ s) { x };\n"
AROUND = "f = fn (x : f32 s @ [n] @ s) { x };\n"
TURNED = "f = fn (x : f32 s @ r, y : f32 r @ s) { (x, y) };\n"
STRETCHED = "f = fn (x : f32 s, y : f32 r) : f32 s { x + y };\n"
CASES = {
    # types that were not printed, and programs that did not end
    "size of itself, added": Case("f = fn (x : f32 s @ [n]) { x + flatten(x) };\n", "alive"),
    "size of itself, as a factor": Case("f = fn (x) { inner(x, flatten(x)) };\n", "alive"),
    "size of itself, promised": Case("f = fn (x : f32 s @ [n]) : f32 [n] { flatten(x) };\n" + called("f", [1, 4]), "result", "f32 [4]"),
    "remainder by zero": Case("f = fn (x : f32 [n % 0], y : f32 [n]) { x + y };\n", "alive"),
    "quotient by zero": Case("f = fn (x : f32 [n / 0], y : f32 [n]) { x + y };\n", "alive"),
    "a row that repeats in itself": Case("f = fn (x : f32 p @ s @ r @ s @ q, y : f32 s) { max(x, y) };\n", "alive"),
    # shapes appended to each other
    "twice, fits": Case(TWICE + called("f", [3, 3]), "result", "f32 [3, 3]"),
    "twice, other sizes": Case(TWICE + called("f", [2, 3]), "refused"),
    "twice, other sizes, summed": Case(TWICE + "main = fn (x : f32 [2, 3]) { sum(f(x)) };\n", "refused"),
    "twice, odd rank": Case(TWICE + "main = fn (x : f32 [2, 2, 2]) { sum(f(x)) };\n", "refused"),
    "twice, of rank 0": Case(TWICE + called("f", []), "result", "f32"),
    "around a size, fits": Case(AROUND + called("f", [2, 5, 2]), "result", "f32 [2, 5, 2]"),
    "around a size, even rank": Case(AROUND + "main = fn (x : f32 [2, 2]) { sum(f(x)) };\n", "refused"),
    "turned, fits once": Case(TURNED + called("f", [2, 3], [3, 2]), "result", "(f32 [2, 3], f32 [3, 2])"),
    "turned, does not fit": Case(TURNED + "main = fn (x : f32 [2, 3], y : f32 [4, 2]) { a, b = f(x, y); sum(a) };\n", "refused"),
    "around two, found by a literal": Case("f = fn (x : f32 s @ [1] @ r) { x };\n" + called("f", [3, 1, 2]), "result", "f32 [3, 1, 2]"),
    "around two, of many ways": Case("f = fn (x : f32 s @ [n] @ r) { sum(x) / cast(n) };\n" + called("f", [3, 1]), "refused"),
    "around two, of many ways, as a shape": Case("f = fn (x : f32 s @ r) { size(s) };\n" + called("f", [3, 1]), "refused"),
    "of many ways with one result": Case("f = fn (x : f32 s @ r) { exp(x) + 1 };\nmain = fn (x : f32 [3, 1]) { f(x) };\n", "runs", (3, 1), [("x", (3, 1))]),
    "of many ways, turned": Case("f = fn (x : f32 s @ r) { transpose(x) };\nmain = fn (x : f32 [3, 1]) { f(x) };\n", "runs", (1, 3), [("x", (3, 1))]),
    "several parts of an input": Case("main = fn (x : f32 s @ s @ [n]) { x };\n", "runs", (2, 2, 3), [("x", (2, 2, 3))]),
    "several parts of an input, of many ways": Case("main = fn (x : f32 s @ r) { x + x };\n", "runs", (2, 3), [("x", (2, 3))]),
    "contradicting residuals": Case("f = fn (x : f32 s @ r) : f32 [3] { x + x };\n" + called("f", [5]), "refused"),
    "a row that repeats": Case("f = fn (x : f32 p @ s @ r @ s @ q, y : f32 s) { max(x, y) };\n" + called("f", [3, 3], [3]), "refused"),
    "result of open appends": Case("f = fn (x, y : f32 s @ [m, 3] @ r @ [m]) { matmul_nt(x, y) };\n" + called("f", [2, 3, 4, 3], [2, 3, 3, 3]),
                                   "result", "f32 [2, 3, 4, 3]"),
    # sizes that follow from other sizes
    "refined behind a shape": Case("main = fn (x : f32 s @ [n]) { max(x, zeros([5, 4, 7])) };\n", "runs", (5, 4, 7), [("x", (5, 4, 7))]),
    "a square of nothing": Case("f = fn (x : f32 [n, n*n + n]) { x };\n" + called("f", [0, 0]), "result", "f32 [0, 0]"),
    "a square of nothing, at a run": Case("main = fn (x : f32 [n, n*n + n]) { x };\n", "runs", (0, 0), [("x", (0, 0))]),
    "a square of nothing, turned": Case("f = fn (x : f32 [n*n + n, n]) { x };\n" + called("f", [0, 0]), "result", "f32 [0, 0]"),
    "the second place tells": Case("f = fn (x : f32 [n], y : f32 [n*m, 2*m]) { y };\n" + called("f", [0], [0, 4]), "result", "f32 [0, 4]"),
    "the second place tells, at a run": Case("main = fn (x : f32 [n], y : f32 [n*m, 2*m]) { y };\n", "runs", (0, 4),
                                             [("x", (0,)), ("y", (0, 4))]),
    "a square that is its root": Case("f = fn (x : f32 [n]) : f32 [n*n] { x };\n" + called("f", [0]), "result", "f32 [0]"),
    "one of two factors": Case("f = fn (x : f32 [n, m], y : f32 [0, n*m]) { matmul_nt(x, y) };\n" + called("f", [4, 0], [0, 0]), "result",
                               "f32 [4, 0]"),
    "an empty slice of every other element": Case("main = fn (x : f32 [2, 2]) { slice(einsum(\"ii->i\", x), axis=0, start=2, stop=2, step=2) };\n",
                                                  "runs", (0,), [("x", (2, 2))]),
    "an empty slice of every other element, open": Case("main = fn (x : f32 [n, n]) { slice(einsum(\"ii->i\", x), axis=0, start=n) };\n",
                                                        "runs", (0,), [("x", (2, 2))]),
    # no guesses
    "a promised broadcast": Case(STRETCHED + called("f", [2, 3], [3]), "result", "f32 [2, 3]"),
    "a promised broadcast, too wide": Case(STRETCHED + called("f", [3], [2, 3]), "refused"),
    "a broadcast beside its operand": Case("f = fn (x, y) { max(x * y, x) };\n" + called("f", [4, 2], [1, 1]), "result", "f32 [4, 2]"),
    "a broadcast in a branch": Case("f = fn (c : bool, x, y) { if c { x + y } else { x } };\n"
                                    "main = fn (x : f32 [2, 3], y : f32 [3]) { f(true, x, y) };\n", "result", "f32 [2, 3]"),
    "a broadcast as a state": Case("f = fn (x, y) { while(fn (a) { sum(a) < 0 }, fn (a) { a + y }, x) };\n" + called("f", [2, 3], [3]), "result", "f32 [2, 3]"),
    "a broadcast of two, told": Case("f = fn (x : f32 (a # b), y : f32 a, z : f32 b) { x };\n" + called("f", [9, 3], [1, 1], [3]), "refused"),
    # printed types
    "a broadcast that no result has": Case("f = fn (x, y) { t = x + y; sum(x) };\n" + called("f", [2], [3]), "refused"),
    "one order of a sum": Case("f = fn (x, y : f32 [n, 3]) { concat(x, y, axis=-2) };\n", "reads back"),
    "one order of a minimum": Case("f = fn (x : f32 [min(n, 3)]) { x };\n", "reads back"),
    "one order of a product": Case("f = fn (y, z : f32 [3, n]) { flatten(matmul(y, z)) };\n", "reads back"),
    "appended variables, called": Case("f = fn (x : f32 s @ r) { x };\n", "reads back"),
    "a quotient, called": Case("f = fn (x : f32 [n / 2]) { x };\n", "reads back"),
    "a maximum, called": Case("f = fn (x : f32 [max(n, m)], y) { y };\n", "reads back"),
    "a permuted shape": Case("f = fn (x : f32 s @ r) { transpose(x) };\n", "reads back"),
    "a shape's size": Case("f = fn (x) { flatten(x) };\n", "reads back"),
    "an open reshape": Case("f = fn (x) { reshape(x, [2, _]) };\n", "reads back"),
    "a stretched shape": Case("f = fn (x) { broadcast_to(x, [2, 1, 3]) };\n", "reads back"),
    "an open index": Case("f = fn (x) { x[1:, ..., 0] };\n", "reads back"),
    "a padded shape": Case("f = fn (x : f32 s @ r) { pad(x, [[1, 1], [0, 2]], mode=\"reflect\") };\n", "reads back"),
    "windows of static parameters": Case("f = fn (x, w; stride = [1], padding = \"same\") { conv1d(x, w, stride=stride, padding=padding) };\n", "reads back"),
    "windows of two axes": Case("f = fn (x, w; padding = \"same\") { conv2d(x, w, padding=padding) };\n", "reads back"),
    "transposed windows": Case("f = fn (x, w; size = [_, 7]) { conv_transpose2d(x, w, stride=[2, 1], padding=[[0, 0], [1, 1]], size=size) };\n", "reads back"),
    "a size beside a static parameter of its name": Case("f = fn (x, y; n = 2) { concat(x, y) * cast(n) };\n", "reads back"),
    "one shape that two others are": Case("f = fn (x : f32 s @ [2]) : f32 r @ [2] { move_axis(x, from=0, to=0) };\n", "type",
                                          "(f32 s @ [2]) -> f32 s @ [2]"),
    "one shape that two others cannot be": Case("f = fn (x : f32 [4] @ s, y : f32 r) { t = matvec(y, x); matvec(x, y) };\n" + called("f", [4, 2], [2]),
                                                "refused"),
    "one shape of two sizes": Case("f = fn (x : f32 [n, n], y : f32 [3] @ s @ [m]) : f32 [2] @ s @ [m] { batch_matmul(x, y) };\n" +
                                   called("f", [2, 2], [2, 3]), "refused"),
    "one variable in the same places": Case("f = fn (x : f32 s @ s) { t = transpose(x); slice(x, axis=0, start=2, stop=2, step=1) };\n", "reads back"),
    "sizes of shapes that nothing uses": Case("f = fn (x : f32 [n, 2], y : f32 s @ r, z : f32 [2] @ r @ p) { t = flatten(z); u = transpose(z); x };\n",
                                              "reads back"),
    "a function of a shape, twice": Case("f = fn (x) { reshape(sum(x, keep=true), [1]) };\n", "reads back"),
    "sizes of equal shapes": Case("f = fn (x : f32 [2, n] @ s @ r, y) { t = reshape(x, [1, 2, 3]); matvec(x, y) };\n", "reads back"),
    "an equation that a fact implies": Case("f = fn (x : f32 [n], y : f32 [max(n, 1)]) { slice(max(x, y), axis=0, start=1) };\n", "type",
                                            "(f32 [n], f32 [n]) -> f32 [n - 1] where n >= 1"),
    "a size of elements by way of another": Case("f = fn (x : f32 s @ [n, m]) { reshape(flatten(x), [n]) };\n", "type",
                                                 "(f32 s @ [n, m]) -> f32 [n] where size(s @ [n, m]) == n"),
    "a quotient that is taken away": Case("f = fn (x : f32 [n, m]) { slice(repeat(x, times=0, axis=0), axis=1, start=m / 2, stop=0) };\n",
                                          "type", "(f32 [n, m]) -> f32 [0, 0] where 1 >= m"),
    "a maximum beside what it contains": Case("f = fn (x) : f32 [m, k, min(k, 2), max(k, m)] { outer(x, x) };\nmain = fn (x : f32 s) { f(x) };\n",
                                              "runs", (2, 3, 2, 3), [("x", (2, 3))]),
    "a minimum of three": Case("f = fn (x : f32 s @ [n, m], y, z : f32 [k]) { t = batch_matmul(x, y); max(diagonal(diagonal(x)), z) };\n", "reads back"),
    "an order of a minimum that an equation tells": Case("f = fn (x : f32 s @ r) : f32 [n, 1] { diagonal(x) };\n", "reads back"),
    "a broadcast that sizes end": Case("f = fn (x : f32 [n], y, z : f32 [n / 2]) { z + x * y };\n", "reads back"),
    "a broadcast within another": Case("f = fn (x : f32 [1, 0] @ s @ [n], y : f32 [1] @ s @ [n - 3] @ r, z : f32 [m] @ s @ [k, 3]) { max(z + (x - y), z + (x - y)) };\n",
                                       "reads back"),
    "a broadcast of an equal shape": Case("f = fn (x : f32 [3, 2], y, z : f32 [2]) { roll(batch_matmul(x, y), shift=1, axis=0) + z };\n", "type",
                                          "(f32 [3, 2], f32 s @ [2, 2], f32 [2]) -> f32 s @ [3, 2]"),
    "a broadcast of an equal shape that cannot be": Case("f = fn (x : f32 s @ [5]) { broadcast_to(roll(x, shift=1, axis=1), [3, 4]) };\n" +
                                                         called("f", [1, 5]), "refused"),
    "a broadcast of an equal shape by twice the size": Case(
        "f = fn (x : f32 [n] @ s @ [n], y : f32 [n + n]) { roll(x, shift=-2, axis=1) * y };\n" + called("f", [0, 3, 0], [0]), "refused"),
    "sizes of equal shapes that are not the same": Case("f = fn (x : f32 [n], y : f32 [k] @ s @ [h, k * n + k]) : f32 p @ q @ [n] @ q @ [1] "
                                                        "{ swap_axes(y, a=1, b=1) };\n" + called("f", [3], [1, 6, 1]), "refused"),
    "equations of one shape and another": Case("f = fn (x : f32 s @ [n] @ r @ [m], y) { batch_matmul(expand(x, axis=0), y) };\n", "reads back"),
    "one equation by way of a stated fact": Case("f = fn (x : f32 [n, m] @ s, y : f32 [n]) where (n + m) / 3 == 1 { x };\n", "reads back"),
    "a fact of a name that stands nowhere else": Case("f = fn (x, y : f32 [k + m]) { x };\n", "reads back"),
    "a fact that what is stated implies": Case("f = fn (x : f32 [n], y : f32 r @ [m, min(n, 3)]) where n >= 3 { squeeze(y, axis=0) };\n", "reads back"),
    "a broadcast of a shape that only a rank splits": Case(
        "f = fn (y : f32 [2, 1] @ r) { t = diagonal(y); broadcast_to(y, [1, 2, 3, 2]) };\n" + called("f", [2, 1, 2]), "result",
        "f32 [1, 2, 3, 2]"),
    "a broadcast of a shape whose last size another operator names": Case(
        "f = fn (x) { t = expand(x, axis=1); u = reverse(t, axis=-1); broadcast_to(t, [2, 2]) };\n" + called("f", [2]), "result",
        "f32 [2, 2]"),
    "a broadcast of a size that only a split makes 1": Case(
        "f = fn (x, y : f32 [n]) { diagonal(expand(amax(x, axis=-1, keep=true), axis=0)) * y };\n" + called("f", [6], [2]), "result", "f32 [2]"),
    "a broadcast of a size that only a split makes 1, printed": Case("f = fn (y : f32 [2, 1] @ r) { t = diagonal(y); broadcast_to(y, [1, 2, 3, 2]) };\n",
                                                                     "reads back"),
    "a size shared with a static parameter": Case(
        "f = fn (y : f32 [n]; k = 1) : f32 [n, n * n] { repeat(einsum(\"i,j->ji\", y, y), times=k, axis=1) };\n" + called("f", [0]),
        "result", "f32 [0, 0]"),
    # windows
    "windows without taps": Case("main = fn (x : f32 [0, 2, 2], y : f32 [1, 2, 2]) { conv1d(y, x, stride=[2], padding=\"same\", dilation=[2]) };\n",
                                 "runs", (1, 1, 2), [("x", (0, 2, 2)), ("y", (1, 2, 2))]),
    "windows without taps, found at a run": Case("main = fn (x : f32 [r, c, k], y : f32 [n, l, c]) { conv1d(y, x, stride=[2], padding=\"same\", "
                                                 "dilation=[2]) };\n", "runs", (1, 1, 2), [("x", (0, 2, 2)), ("y", (1, 2, 2))]),
    # facts that the body decides
    "a fact that the body refutes": Case("main = fn (x : f32 [n]) where 2 * n <= 2 { broadcast_to(x, [5]) };\n", "refused"),
    "a fact that the body refutes by a remainder": Case("f = fn (y : f32 [n, m], z) : f32 [m, 3] where n % 2 < m - 3 { matmul(z, y) };\n", "type", None),
    "a fact that the body refutes by all tiers": Case(
        "f = fn (x : f32 [m], z : f32 [w]) where m % 2 == w { broadcast_to(z, [2, 3]) };\n", "type", None),
    "a fact that the body refutes by all tiers, beside another": Case(
        "f = fn (x : f32 [n, m], z : f32 [w]) where m == 2 * n, m * m + w == 4 * (n * n) { z + zeros([3]) };\n", "type", None),
    "a fact that the body leaves open": Case("f = fn (x : f32 [m], z : f32 [w]) where m % 5 == w { broadcast_to(z, [2, 3]) };\n", "type",
                                             "(f32 [m], f32 [3]) -> f32 [2, 3] where m % 5 == 3"),
    "a size that the body makes negative": Case("main = fn (x : f32 [m], y : f32 [m - 2]) { max(x, ones([1])) };\n", "refused"),
    "a size that the body makes negative, of the result": Case(
        "f = fn (x : f32 [n] @ r @ s) : f32 [0, 2, n - 4] @ r @ r @ [n] { stack(x, x, axis=1) };\n" + called("f", [0, 1, 5]), "refused"),
    "a negative size of a reshape": Case("f = fn (x : f32 [n]) { t = reshape(x, [n, n - 2]); x };\n" + called("f", [0]), "refused"),
    "a negative size of a reshape of any rank": Case("f = fn (x : f32 s, y : f32 [n]) { t = reshape(x, [n - 1, n - 1]); y };\n" +
                                                     called("f", [1], [0]), "refused"),
    "a size that only 0 solves, which a later argument says": Case(
        "f = fn (x : f32 [4, n, m], y : f32 [k, m / 2]) : f32 s @ [4] @ s @ s @ r @ [k * m, _] { outer(x, y) };\n" + called("f", [4, 3, 3], [0, 1]),
        "result", "f32 [4, 3, 3, 0, 1]"),
    "a size that only 0 solves, of one of two splits": Case(
        "g = fn (a, b) { matmul(a, b) };\nf = fn (x : f32 s @ [n] @ r @ r @ [0], y : f32 p @ [2 * n, m]) { g(transpose(x, perm=[3, 0, 1, 2]), y) };\n" +
        called("f", [3, 3, 0, 0], [0, 3, 0, 2]), "result", "f32 [0, 3, 3, 2]"),
    "a size that a fact makes 0": Case("f = fn (x : f32 [n], y : f32 [m]) { slice(y, axis=0, start=n, stop=0) };\n", "type",
                                       "(f32 [0], f32 [m]) -> f32 [0]"),
    "an axis that is a part of itself": Case("f = fn (x : f32 [n] @ s) : f32 [n] { diagonal(x) };\n", "type",
                                             "(f32 [n, m]) -> f32 [n] where n == min(n, m)"),
    "an axis that is a part of itself, at a run": Case("main = fn (x : f32 [n] @ s) : f32 [n] { diagonal(x) };\n", "runs", (2,), [("x", (2, 3))]),
    "an axis that is a part of itself and more": Case("main = fn (x : f32 [n] @ s) : f32 [n - 1] { diagonal(x) };\n", "runs", (2,), [("x", (3, 2))]),
    "shape equations are written": Case("f = fn (x : f32 s, y : f32 r) where s # r == s { x + y };\n", "type",
                                        "(f32 s, f32 r) -> f32 s where s # r == s"),
    "permutations are written": Case("f = fn (x : f32 s, y : f32 permute(s, [1, 0])) { matmul(x, y) };\n", "type",
                                     "(f32 [m, k], f32 [k, m]) -> f32 [m, m]"),
    "sizes of shapes are facts": Case("f = fn (x : f32 s) where size(s) == 24 { x };\n", "type", "(f32 s) -> f32 s where size(s) == 24"),
    "a size that is a number": Case("f = fn (x : f32 s) : f32 [24] { flatten(x) };\n", "type", "(f32 s) -> f32 [24] where size(s) == 24"),
}



def applies(program, names):
    return any(operator in names for _, operator, _, _ in program.lets)


# Known causes of failures: name -> whether (program, kind of failure, message) may have this cause.
KNOWN = {
    "sizes that two sides share are cancelled as if they were not 0": lambda program, kind, what: kind == "type refuses" and
        re.search(r" refuses [^a-z]*\b0\b", what),
    "an entry whose inputs tell a size only together, or not at all": lambda program, kind, what: kind == "run: refused" and what.startswith("E0521"),
    "an entry takes the sizes of a broadcast to be equal before it looks how a shape is split": lambda program, kind, what:
        kind == "run: refused" and re.match("E0803|E0303", what) and programs.splits_at_ranks(program, programs.judge(program).shapes),
    "equal sizes in several orders, facts of names that stand nowhere else": lambda program, kind, what: kind == "pasted: another type",
}


def cause_of(program, kind, what):
    """The known cause of a failure, or None."""
    return next((cause for cause, fits in KNOWN.items() if fits(program, kind, what)), None)


def failure(compiler, case):
    """What is wrong with the answer to a case, or None."""
    kind, *wanted = case.wanted
    types = compiler.check(case.text)
    if kind == "alive":
        return None
    if kind == "reads back":
        again = compiler.check(case.text + programs.pasted("xyz", types["f"], "g", "f"))
        return None if again.get("g") == types["f"] else f"{types['f']} reads back as {again.get('g')} {compiler.errors[:1]}"
    if kind == "type":
        return None if types.get("f") == wanted[0] else f"f : {types.get('f')}"
    if kind == "runs":
        outputs = compiler.run(case.text, {name: (shape, [1.0] * sizes.count(shape)) for name, shape in wanted[1]})
        if isinstance(outputs, str):
            return outputs.strip()[:300]
        return None if outputs["out"][0] == wanted[0] else f"shape {outputs['out'][0]}"
    entered = compiler.check(case.text, "--entry", "main")
    if kind == "refused":
        if entered is not None:
            return f"accepted, main : {entered.get('main')}"
        unnamed = [d for d in compiler.diagnostics if d["severity"] == "error" and (d["message"].startswith(" ") or "``" in d["message"] or not d["primary"].get("line"))]
        open_shape = [d for d in compiler.diagnostics if d["code"] == "E0504" and "many ways" not in case.text]
        return f"{(unnamed or open_shape)[0]['message']}" if unnamed or open_shape else None
    if entered is None:
        return f"refused: {compiler.errors[:1]}"
    found = entered["main"].split(" -> ", 1)[-1]
    return None if found == wanted[0] else f"main : {entered['main']}"
