"""Extreme programs for the compiler. Each is named for what grows, and is a function `make(n)` from a size to the text.

Most of them are not correct programs; `axc check` must only end quickly.
"""


def nest(before, opening, middle, closing, after):
    return lambda n: before + opening * n + middle + closing * n + after


def lines(line, before="", after=""):
    """`line` for i = 1..n, where {i} is i and {j} is i - 1."""
    return lambda n: before + "".join(line.format(i=i, j=i - 1) for i in range(1, n + 1)) + after.format(n=n)


def joined(before, piece, separator, after):
    return lambda n: before + separator.join(piece.format(i=i, j=i - 1) for i in range(1, n + 1)) + after


def param(shape):
    return "param p : f32 " + shape + ";\n"


DEEP = 480  # just below the limit of nesting

# name: (make, the size for a test, the size for a search)
SYNTAX = {
    # deep
    "parentheses": (nest("x = ", "(", "1", ")", ";"), DEEP, DEEP),
    "calls in calls": (nest("x = ", "f(", "1", ")", ";"), DEEP, DEEP),
    "named arguments": (nest("x = ", "f(k=", "1", ")", ";"), DEEP, DEEP),
    "functions": (nest("x = ", "fn (a) { ", "a", " }", ";"), DEEP, DEEP),
    "patterns": (nest("", "(a, ", "x", ")", " = 1;"), DEEP, DEEP),
    "types": (nest("param p : ", "((u) -> ", "t", ")", ";"), DEEP // 2, DEEP // 2),
    "result types": (nest("param p : ", "(u) -> ", "t", "", ";"), 4000, 100000),
    "type calls": (nest("op o : (", "collect(", "t s", ", n)", ") -> t s;"), DEEP, DEEP),
    "shapes": (nest("param p : t ", "(s # [n] @ ", "s", ")", ";"), DEEP, DEEP),
    "shape functions": (nest("op o : (t ", "f(s, ", "s", ")", ") -> t s;"), DEEP, DEEP),
    "sums of dimensions": (nest("param p : t [", "(1 + ", "n", ")", "];"), DEEP, DEEP),
    "prefix sums": (nest("param p : t [", "(+ 1 ", "n", ")", "];"), DEEP, DEEP),
    "prefix sums, left": (nest("param p : t [", "(+ ", "n", " 1)", "];"), DEEP, DEEP),
    "prefix differences": (nest("param p : t [", "(- 1 ", "n", ")", "];"), DEEP, DEEP),
    "prefix differences, left": (nest("param p : t [", "(- ", "n", " 1)", "];"), DEEP, DEEP),
    "negated dimensions": (nest("param p : t [", "(-", "n", " + 1)", "];"), DEEP, DEEP),
    "maxima": (nest("param p : t [", "max(1, ", "n", ")", "];"), DEEP, DEEP),
    "maxima, left": (nest("param p : t [", "max(", "n", ", 1)", "];"), DEEP, DEEP),
    "maxima and parentheses": (nest("param p : t [", "max((", "n", "), 1)", "];"), DEEP // 2, DEEP // 2),
    "maxima, unclosed": (nest("param p : t [", "max(", "n", "", "];"), DEEP, DEEP),
    "ranks": (nest("param p : t [", "rank([", "n", "])", "];"), DEEP // 2, DEEP // 2),
    "ranks of parentheses": (nest("param p : t [rank(", "(", "s", ")", ")];"), DEEP, DEEP),
    "ranks of appended parentheses": (nest("param p : t [rank(", "(", "s", " @ q)", ")];"), DEEP, DEEP),
    "streams": (nest("param p : t [", "~(1 - ", "n", ")", "];"), DEEP, DEEP),
    "conditions": (nest("x = ", "if a { ", "a", " } else { b }", ";"), DEEP, DEEP),
    "conditions of conditions": (nest("x = ", "if ", "a", " { b } else { c }", ";"), DEEP, DEEP),
    "matches": (nest("x = ", "match ", "a", " : t { a }", ";"), DEEP, DEEP),
    "indices": (nest("x = ", "a[", "1", ":]", ";"), DEEP, DEEP),
    # long
    "a maximum around a large type": (
        lambda n: "param p : (" + "f32 [n], " * n + "f32 [" + "max(" * 40 + "n" + ", 1)" * 40 + "]);", 300, 20000),
    "a wide maximum": (lambda n: "param p : t [" + "max(" * 30 + "n + " * n + "1" + ", 1)" * 30 + "];", 300, 20000),
    "calls in a row": (nest("x = f", "", "", "(1)", ";"), 20000, 200000),
    "a large number": (nest("x = ", "9", "", "", ";"), 100000, 1000000),
    "a large string": (nest("x = \"", "a", "", "", "\";"), 100000, 1000000),
    "a large comment": (nest("// ", "a", "", "", "\nx = 1;"), 100000, 1000000),
    "a large documentation": (nest("", "/// a\n", "x = 1;", "", ""), 20000, 160000),
    "a large name": (nest("x = ", "a.", "a", "", ";"), 100000, 400000),
    "annotations": (nest("", "@inline(never) ", "x = 1;", "", ""), 5000, 60000),
    "annotation arguments": (nest("@inline(", "never, ", "a", "", ") x = 1;"), 5000, 100000),
    "minuses": (nest("x = ", "-", "1", "", ";"), 20000, 900000),
    "nots": (nest("x = ", "not ", "true", "", ";"), 20000, 200000),
    "minuses of a dimension": (nest("param p : t [", "-", "n", "", "];"), 20000, 900000),
    "else ifs": (nest("f = fn (a) { if a { 1 } ", "else if a { 1 } ", "", "", " else { 2 } };"), 900, 50000),
    "static parameters": (joined("f = fn (a; ", "b{i} = 1", ", ", ") { a };"), 2000, 60000),
    "commas": (nest("x = [", ",", "", "", "];"), 20000, 900000),
    "semicolons": (nest("", ";", "x = 1;", "", ""), 20000, 1000000),
    "opened": (nest("", "x = (\n", "", "", ""), 20000, 150000),
    "closed": (nest("", ")", "", "", ""), 20000, 900000),
    "words": (nest("", "a ", "", "", ""), 20000, 400000),
    "unknown characters": (nest("", "$ ", "", "", ""), 20000, 400000),
    "quotes": (nest("", "\"\n", "", "", ""), 20000, 400000),
    "facts in a row": (joined("f = fn (x : f32 [n]) where ", "n >= {i}", ", ", " { x };"), 500, 50000),
    "broken facts": (joined("f = fn (x : f32 [n]) where ", "n >= {i} >= 1", ", ", " { x };"), 500, 30000),
}

NAMES = {
    "undefined names": (lines("x{i} = y{i};\n"), 1000, 60000),
    "one name often": (lines("x = 1;\n"), 2000, 100000),
    "parameters of one name": (joined("f = fn (", "x", ", ", ") { x };"), 2000, 200000),
    "mutual recursion": (lines("x{i} = x{j};\n", "", "x0 = x{n};\n"), 1000, 50000),
    "close names": (lines("value{i} = valeu{j};\n"), 1000, 40000),
    "long names": (lambda n: "".join(f"{'a' * n}{i} = {'b' * n}{i};\n" for i in range(8)), 2000, 60000),
    "imports": (lines("import nosuch{i};\n"), 500, 40000),
    "uses": (lines("x{i} = fn (a) {{ x{j}(a) }};\n", "x0 = fn (a) { a };\n"), 1000, 30000),
    "uses before": (
        lambda n: "".join(f"x{i} = fn (a) {{ x{i + 1}(a) }};\n" for i in range(n)) + f"x{n} = fn (a) {{ a }};", 1000,
        30000),
    "nested functions": (nest("x = ", "fn (a) { y = ", "a", "; y }", ";"), DEEP, DEEP),
}

INFERENCE = {
    "doubled tuples": (lines("f{i} = fn (x) {{ f{j}(f{j}(x)) }};\n", "f0 = fn (x) { x, x };\n"), 30, 2000),
    "pairs of pairs": (lines("  x{i} = (x{j}, x{j});\n", "f = fn (x0) {\n", "  x{n}\n}};\n"), 25, 1000),
    "pairs at the top": (lines("x{i} = (x{j}, x{j});\n", "x0 = 1;\n"), 25, 2000),
    "triples of functions": (lines("  x{i} = fn (g) {{ g(x{j}, x{j}) }};\n", "f = fn (x0) {\n", "  x{n}\n}};\n"), 20,
                             1000),
    "composed with itself": (lines("f{i} = twice(f{j});\n", "twice = fn (f) { fn (x) { f(f(x)) } };\nf0 = twice;\n"), 20,
                             2000),
    "applied to itself": (lambda n: "f = fn (x) { x, x };\nmain = fn (x : f32 []) { " + "f(" * n + "x" + ")" * n + " };\n",
                          25, DEEP),
    "tower": (lines("t{i} = fn (f) {{ fn (x) {{ t{j}(f)(t{j}(f)(x)) }} }};\n", "t0 = fn (f) { f };\n"), 20, 2000),
    "a large tuple": (joined("x = ", "{i}", ", ", ";"), 5000, 150000),
    "a tuple of tuples": (joined("x = ", "({i}, {i})", ", ", ";"), 2000, 80000),
    "tuple taken apart": (lambda n: "f = fn (t) { " + ", ".join(f"a{i}" for i in range(n)) + " = t; a0 };\nx = f(("
                          + ", ".join("1" for i in range(n)) + "));", 1000, 60000),
    "many arguments": (lambda n: "f = fn (" + ", ".join(f"x{i}" for i in range(n)) + ") { x0 };\ny = f("
                       + ", ".join("1" for i in range(n)) + ");", 2000, 80000),
    "wrong many arguments": (lambda n: "f = fn (x) { x };\ny = f(" + ", ".join("1" for i in range(n)) + ");", 2000, 200000),
    "many arguments added": (lambda n: "f = fn (" + ", ".join(f"x{i}" for i in range(n)) + ") { "
                             + " + ".join(f"x{i}" for i in range(n)) + " };", 200, 990),
    "a long list": (joined("x = [", "{i}", ", ", "];"), 5000, 140000),
    "a list of lists": (joined("x = [", "[{i}, {i}]", ", ", "];"), 2000, 60000),
    "deep lists": (nest("x = ", "[", "1", "]", ";"), 400, DEEP),
    "a long sum": (joined("f = fn (x) { ", "x", " + ", " };"), 900, 990),
    "a long body": (lines("  x{i} = x{j} + 1;\n", "f = fn (x0) {\n", "  x{n}\n}};\n"), 1000, 40000),
    "a long body of unknown rank": (lines("  x{i} = x{j} + y;\n", "f = fn (x0, y) {\n", "  x{n}\n}};\n"), 400, 40000),
    "a long body of products": (lines("  x{i} = matmul(x{j}, w);\n", "f = fn (x0, w) {\n", "  x{n}\n}};\n"), 200, 30000),
    "a chain of functions": (lines("f{i} = fn (x) {{ relu(f{j}(x)) }};\n", "relu = fn (x) { maximum(x, 0f) };\nf0 = relu;\n"),
                             1000, 25000),
    "broadcasts of many": (lambda n: "f = fn (" + ", ".join(f"x{i}" for i in range(n)) + ") {\n  s0 = x0;\n"
                           + "".join(f"  s{i} = s{i - 1} + x{i};\n" for i in range(1, n)) + f"  s{n - 1}\n}};\n", 100, 8000),
    "one function of many uses": (lines("x{i} = f({i}, x{j});\n", "f = fn (a, b) { a + b };\nx0 = 1;\n"), 1000, 40000),
    "a function with many constraints": (
        lambda n: "g = fn (x, y) {\n" + "".join(f"  z{i} = x + y;\n" for i in range(n)) + "  z0\n};\n"
        + "".join(f"u{i} = fn (a, b) {{ g(a, b) }};\n" for i in range(n)), 60, 2000),
    "params in a row": (lines("param w{i};\n", "", "f = fn (x) {{ matmul(x, w{n}) }};\n"), 2000, 60000),
    "params multiplied": (
        lambda n: "".join(f"param w{i};\n" for i in range(n)) + "f = fn (x) {\n  y0 = x;\n"
        + "".join(f"  y{i + 1} = matmul(y{i}, w{i});\n" for i in range(n)) + f"  y{n}\n}};\n", 200, 15000),
    "params added": (
        lambda n: "".join(f"param w{i};\n" for i in range(n)) + "f = fn (x : f32 [n, m]) {\n  y0 = x;\n"
        + "".join(f"  y{i + 1} = y{i} + w{i};\n" for i in range(n)) + f"  y{n}\n}};\n", 100, 15000),
    "matches in a row": (lambda n: "f = fn (x) {\n  y0 = nonzero(x);\n" + "".join(
        f"  z{i} = match nonzero(x) : i64 [k{i}, r] {{ reduce(+, 0, z{i - 1}) + cast(k{i}) }};\n" if i else
        "  z0 = x;\n" for i in range(n)) + "  z0\n};\n", 50, 8000),
    "nested matches": (lambda n: "f = fn (x : f32 [n]) { " + "".join(
        f"match x : f32 [k{i}] {{ " for i in range(n)) + "x" + " }" * n + " };", 100, DEEP),
    "ifs in a row": (lines("  x{i} = if c {{ x{j} }} else {{ x{j} + 1f }};\n", "f = fn (c, x0) {\n", "  x{n}\n}};\n"), 500,
                     20000),
    "loops in loops": (lambda n: "f = fn (x) { " + "loop(3, x, fn (i, a) { " * n + "a + 1" + " })" * n + " };", 20, 240),
    "maps in maps": (lambda n: "f = fn (x) { " + "map(fn (a) { " * n + "a + 1" + " }, x)" * n + " };", 20, 240),
    "reshapes": (lines("  x{i} = reshape(x{j}, [n, m, {i}]);\n", "f = fn (x0; n = 1, m = 1) {\n", "  x{n}\n}};\n"), 50,
                 10000),
    "transposes": (lines("  x{i} = transpose(x{j}, perm=[1, 0]);\n", "f = fn (x0) {\n", "  x{n}\n}};\n"), 500, 20000),
    "concatenations": (lines("  x{i} = concat(x{j}, x{j}, axis=0);\n", "f = fn (x0 : f32 [n]) {\n", "  x{n}\n}};\n"), 40,
                       10000),
    "convolutions": (
        lines("  x{i} = conv2d(x{j}, w, stride=[2, 2], padding=\"same\");\n", "f = fn (x0 : f32 [n, h, w, 3], w : f32 [3, 3, 3, 3]) {\n",
              "  x{n}\n}};\n"), 20, 10000),
    "convolutions of a window": (
        lines("  x{i} = conv2d(x{j}, w, stride=[2, 2]);\n", "f = fn (x0 : f32 [n, h, u, 3], w : f32 [a, b, 3, 3]) {\n",
              "  x{n}\n}};\n"), 20, 5000),
    "errors": (lines("x{i} = matmul(1, 2);\n"), 200, 40000),
    "errors of types": (lines("x{i} = fn (a : f32 [2]) : f32 [3] {{ a }};\n"), 200, 20000),
}

SIZES = {
    "squares": (lambda n: "f = fn (x : f32 [n]) {\n  x0 = x;\n" + "".join(
        f"  x{i + 1} = reshape(matmul(reshape(x{i}, [_, 1]), reshape(x{i}, [1, _])), [_]);\n" for i in range(n))
        + f"  x{n}\n}};\n", 8, 2000),
    "powers": (lambda n: param("[" + "(a + b + c + d) * " * n + "1]"), 12, 400),
    "powers of many": (lambda n: param("[(" + " + ".join(f"a{i}" for i in range(n)) + ") * (" + " + ".join(
        f"b{i}" for i in range(n)) + ")]"), 60, 20000),
    "quotients": (lambda n: param("[" + "(" * n + "a" + " / b)" * n + "]"), 100, DEEP),
    "quotients of sums": (lambda n: param("[" + "(1 + " * n + "a" + " / b) / c" * n + "]"), 60, DEEP),
    "remainders": (lambda n: param("[" + "(1 + " * n + "a" + " % b) % c" * n + "]"), 60, DEEP),
    "maxima of sums": (lambda n: param("[" + "max(a + 1, 2 * " * n + "b" + ")" * n + "]"), 100, DEEP),
    "a sum of many": (joined("param p : f32 [", "a{i}", " + ", "];"), 900, 990),
    "a product of many": (joined("param p : f32 [", "a{i}", " * ", "];"), 900, 990),
    "dimensions": (joined("param p : f32 [", "a{i}", ", ", "];"), 64, 150000),
    "appended shapes": (joined("f = fn (x : f32 ", "s{i}", " @ ", ") { x + x };"), 60, 100000),
    "appended shapes, added": (lambda n: "f = fn (x : f32 " + " @ ".join(f"s{i}" for i in range(n)) + ", y : f32 " + " @ ".join(
        f"t{i}" for i in range(n)) + ") { x + y };", 60, 60000),
    "broadcast shapes": (joined("f = fn (x : f32 (", "s{i}", " # ", ")) { x + x };"), 60, 100000),
    "broadcast dimensions": (lambda n: "f = fn (x : f32 (" + " # ".join(f"[a{i}, b{i}]" for i in range(n)) + ")) { x + x };",
                             60, 40000),
    "shapes of many": (lambda n: "f = fn (" + ", ".join(f"x{i} : f32 s{i} @ s{i + 1}" for i in range(n)) + ") { x0 };\nmain = fn ("
                       + ", ".join(f"x{i} : f32 [2, 3]" for i in range(n)) + ") { f(" + ", ".join(f"x{i}" for i in range(n))
                       + ") };", 100, 10000),
    "a long static list": (lambda n: "f = fn (x : f32 [n]) { reshape(x, [" + ", ".join("1" for _ in range(n)) + "]) };", 60,
                           200000),
    "linear facts": (lambda n: "f = fn (" + ", ".join(f"x{i} : f32 [a{i}]" for i in range(n + 1)) + ") where " + ", ".join(
        f"a{i} <= a{i + 1}" for i in range(n)) + f" {{ x0 }};\ng = fn (x : f32 [n]) {{ f(" + ", ".join("x" for _ in range(n + 1))
        + ") };", 100, 10000),
    "nonlinear facts": (lambda n: "f = fn (" + ", ".join(f"x{i} : f32 [a{i}]" for i in range(n + 1)) + ") where " + ", ".join(
        f"a{i} * a{i} <= a{i + 1} * a0 + 1" for i in range(n)) + " { x0 };\nmain = fn (" + ", ".join(
            f"x{i} : f32 [a{i}]" for i in range(n + 1)) + ") { f(" + ", ".join(f"x{i}" for i in range(n + 1)) + ") };", 50, 8000),
    "nonlinear facts promised": (lambda n: "f = fn (" + ", ".join(f"x{i} : f32 [a{i}]" for i in range(n + 1)) + ") where " + ", ".join(
        f"a{i} * a{i} <= a{i + 1} * a0 + 1" for i in range(n)) + " { x0 + 1 };\nmain = fn (" + ", ".join(
            f"x{i} : f32 [a{i}]" for i in range(n + 1)) + ") where " + ", ".join(f"a{i} <= a{i + 1}" for i in range(n)) + " { f("
            + ", ".join(f"x{i}" for i in range(n + 1)) + ") };", 30, 8000),
    "facts of remainders": (lambda n: "f = fn (x : f32 [n]) where " + ", ".join(f"n % {i + 2} == 1" for i in range(n)) + " { x };",
                            20, 50000),
    "facts of large numbers": (lambda n: "f = fn (x : f32 [n]) where " + ", ".join(
        f"n * {9 * 10 ** 17 + i} >= {i}" for i in range(n)) + " { x };", 60, 20000),
    "cubes": (lambda n: "".join(
        f"f{i} = fn (x : f32 [a, b, c], y : f32 [a*a*a + b*b*b + {i}], z : f32 [c*c*c]) where a >= 1, b >= 1, c >= 1 {{ y + z }};\n"
        for i in range(n)), 10, 6000),
    "reshaped sizes": (lambda n: "".join(
        f"f{i} = fn (x : f32 [a, b, c]) {{ reshape(x, [a * {i + 2}, b, c / {i + 2}]) }};\n" for i in range(n)), 60, 10000),
    "calls that ask facts": (lambda n: "f = fn (x : f32 [n]) where n % 8 == 0, n >= 16 { x };\n" + "".join(
        f"g{i} = fn (x : f32 [m]) {{ f(concat(x, x, axis=0)) }};\n" for i in range(n)), 100, 15000),
    "ragged lengths": (joined("f = fn (", "x{i} : f32 [n, *l{i}]", ", ", ") { x1 };"), 300, 40000),
    "runtime sizes": (lines("  x{i} = nonzero(y);\n", "f = fn (y : f32 [n]) {\n", "  x{n}\n}};\n"), 300, 30000),
    "unrolled repeats": (nest("op o : (", "repeat(99, ", "t s", ")", ") -> t s;"), 5, 50),
}

KINDS = {"syntax": SYNTAX, "names": NAMES, "inference": INFERENCE, "sizes": SIZES}
