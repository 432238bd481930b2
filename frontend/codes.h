// The table of the front end's diagnostics: E00 files, E01 syntax, E02 names and modules. Name resolution in typecheck/
// uses the E02 rows too. Explanations are what `axc explain` prints.
#pragma once

#include <span>

#include "frontend/diagnostic.h"

namespace axle {

namespace codes {

// ---- E00: source files

inline constexpr DiagnosticCode cannotRead{
    "E0001", Severity::error, "a source file cannot be read",
    R"(A file named on the command line does not exist, is a folder, or may not be read.

    $ axc check modle.ax
    error[E0001]: cannot read `modle.ax`: No such file or directory

Mend it by checking the path's spelling, the current folder, and the file's permissions.)"};

inline constexpr DiagnosticCode tooLarge{
    "E0002", Severity::error, "a source file is too large",
    R"(A source has at most 16 MiB. A program that large is usually generated, with constants written out
in it.

Mend it by moving constants into a weights file (safetensors or npz) and naming them with `param`.)"};

inline constexpr DiagnosticCode notText{
    "E0003", Severity::error, "a source is not UTF-8 text",
    R"(Source files are UTF-8 text without NUL bytes. A byte that cannot be part of UTF-8 usually means
that the file was saved in another encoding, or is not a source file at all (a bundle or weights,
for instance).

Mend it by saving the file as UTF-8. A byte order mark at its start is allowed and ignored.)"};

// ---- E01: syntax

inline constexpr DiagnosticCode syntax{
    "E0101", Severity::error, "syntax error",
    R"(The text does not fit the grammar at this place. The message says what could stand there.

    y = relu(x) 3;

    error[E0101]: expected `;` before `3`

Bindings end with `;`, a block's last expression is its value, and lists are separated by `,`.

    y = relu(x) * 3;)"};

inline constexpr DiagnosticCode unbalanced{
    "E0102", Severity::error, "unbalanced bracket",
    R"(A bracket was opened and never closed, or closed without being opened. The second place shown is the
bracket that was still open.

    y = relu(conv2d(x, w);

    error[E0102]: unclosed `(`

Mend it by adding or removing the bracket:

    y = relu(conv2d(x, w));)"};

inline constexpr DiagnosticCode nestedTooDeeply{
    "E0103", Severity::error, "nested too deeply",
    R"(Brackets may nest 500 deep, and expressions, types and dimensions may be at most 1000 operations
deep: a sum of 5000 terms written in one line is too deep, since each `+` contains the sum before
it. No program written by hand gets there; generated ones may.

Mend it by giving inner parts names of their own:

    a = x1 + x2 + x3;
    b = a + x4 + x5;)"};

inline constexpr DiagnosticCode unknownCharacter{
    "E0104", Severity::error, "unknown character",
    R"(A character is no part of the language. Outside of strings and comments a program is written in
ASCII.

    y = a && b;

    error[E0104]: unknown characters `&&`
      = help: write `and`

    y = a and b;)"};

inline constexpr DiagnosticCode unterminatedString{
    "E0105", Severity::error, "unterminated string",
    R"(A string starts on this line and does not end on it. Strings stand in double quotes and do not span
lines.

    y = conv2d(x, w, padding="same);

Mend it by closing the string:

    y = conv2d(x, w, padding="same");)"};

inline constexpr DiagnosticCode badEscape{
    "E0106", Severity::error, "unknown escape in a string",
    R"(In a string a backslash starts an escape: `\"`, `\\`, `\n` and `\t` are the ones there are.

    param w = "dense\kernel";

Mend it by doubling a backslash that is meant as one:

    param w = "dense\\kernel";)"};

inline constexpr DiagnosticCode badNumber{
    "E0107", Severity::error, "malformed number",
    R"(A number is digits, perhaps with a fraction and an exponent, perhaps followed by `f` or a numeric
element type: `3`, `0.5`, `1e-5`, `0f`, `3i64`, `0.5f32`. Whole numbers go up to
18446744073709551615, and only whole ones take a suffix of an integer type. A dimension is a whole
number without a suffix.

    y = x * 2.5x;

    error[E0107]: unknown number suffix `x`

    y = x * 2.5;)"};

inline constexpr DiagnosticCode notATarget{
    "E0108", Severity::error, "`=` needs a name on its left",
    R"(On the left of `=` stands what gets bound: a name, `_`, or a tuple of those.

    relu(x) = maximum(x, 0);

    error[E0108]: cannot bind a call

Mend it by binding a name; a function is defined with `fn`:

    relu = fn (x) { maximum(x, 0) };)"};

inline constexpr DiagnosticCode unusedValue{
    "E0109", Severity::error, "a value that nothing uses",
    R"(Only the last expression of a block is its value; one before it would be computed for nothing, since
expressions have no effects. At the top level there are only bindings.

    f = fn (x) { relu(x); x + 1 };

Mend it by naming the value, or by removing it:

    f = fn (x) { y = relu(x); y + 1 };)"};

inline constexpr DiagnosticCode noResult{
    "E0110", Severity::error, "a block without a value",
    R"(A block's value is its last expression. A block that is empty or ends in a binding has none.

    f = fn (x) { y = relu(x); };

Mend it by ending the block with the value:

    f = fn (x) { y = relu(x); y };)"};

inline constexpr DiagnosticCode badElse{
    "E0111", Severity::error, "`if` and `else` do not match",
    R"(`if` is an expression: it has a value whichever way its condition goes, so it ends with exactly one
`else`.

    y = if flip { reverse(x) };

    error[E0111]: `if` without `else`

    y = if flip { reverse(x) } else { x };)"};

inline constexpr DiagnosticCode chainedComparison{
    "E0112", Severity::error, "comparisons do not chain",
    R"(A comparison's result is a bool, so comparing it once more is hardly ever meant.

    inside = 0 <= x < n;

Mend it by joining two comparisons, with `and` in expressions and with `,` after `where`:

    inside = 0 <= x and x < n;)"};

inline constexpr DiagnosticCode onlyInOp{
    "E0113", Severity::error, "only in `op` declarations",
    R"(Packs (`..n`), attributes (`stride[0]`) and shape functions (`permute(s, perm)`, `conv_out(...)`)
exist only in the declarations of core operators. Types in programs are made of `@`, `#`, dimensions
with `+ - * / %`, and the functions `max`, `min`, `ceildiv`, `rank` and `size`.

    f = fn (x : f32 [conv_out(h, 3, 1, 0, 1)]) { x };

Mend it by writing the dimension out, or by leaving it to inference with `_`:

    f = fn (x : f32 [h - 2]) { x };)"};

inline constexpr DiagnosticCode misplacedFn{
    "E0114", Severity::error, "a named function inside an expression",
    R"(`fn name(...) {...}` is short for `name = fn (...) {...}`: it is a statement, not an expression.

    ys = map(fn double(x) { 2 * x }, xs);

Mend it by leaving the name out, or by defining the function before:

    ys = map(fn (x) { 2 * x }, xs);)"};

inline constexpr DiagnosticCode badArgument{
    "E0115", Severity::error, "malformed argument list",
    R"(A call has positional arguments first and then named static ones, each name once.

    y = conv2d(x, stride=[2, 2], w);

    error[E0115]: positional argument after a named one

    y = conv2d(x, w, stride=[2, 2]);)"};

inline constexpr DiagnosticCode misplacedAnnotation{
    "E0116", Severity::error, "an annotation without a binding",
    R"(`@implements("...")` and `@inline(...)` stand before a binding. Imports, parameters, operator
declarations and a block's value take none.

    @inline(never)
    param w : f32 [3];

Mend it by moving the annotation before the function that it is about.)"};

inline constexpr DiagnosticCode misplacedWhere{
    "E0117", Severity::error, "`where` at a type that has none",
    R"(Facts follow a whole signature: after a function's parameters or result type, after the type of a
`param`, or inside the parentheses round a function type.

    f = fn (x : (f32 [n] where n > 1)) { x };

Mend it by moving the facts behind the signature:

    f = fn (x : f32 [n]) where n > 1 { x };)"};

inline constexpr DiagnosticCode badFact{
    "E0118", Severity::error, "malformed fact",
    R"(After `where` stand relations between dimensions (`h >= r`, `n % 2 == 0`), classes of elements (`t :
float`; the classes are `eq`, `num`, `float` and `int`) and stretchable dimensions (`n : 1 or m`).

    f = fn (x : t [n]) where n : 2 or m { x };

Mend it by writing one of the three:

    f = fn (x : t [n]) where n : 1 or m { x };)"};

inline constexpr DiagnosticCode badOp{
    "E0119", Severity::error, "malformed operator declaration",
    R"(An `op` declaration lists its positional types, then its static attributes, each as `name : sort`
with one of the sorts `int`, `ints`, `pairs`, `axis`, `axes`, `perm`, `padding`, `bool`, `elem` and
`shape`:

    op concat : (t p @ [..n] @ s; axis : axis(p, s) = 0) -> t p @ [sum(n)] @ s;)"};

// ---- E02: names and modules

inline constexpr DiagnosticCode unknownAnnotation{
    "E0120", Severity::error, "unknown annotation",
    R"(There are two annotations: `@implements("NAME")` says which fused operator a function computes, and
`@inline(never)` keeps a function's boundary. Each takes exactly one argument.

    @implement("layer_norm")
    norm = fn (x) { x };

    error[E0120]: unknown annotation `@implement`

Mend it by writing the annotation as it is known.)"};

inline constexpr DiagnosticCode unknownName{
    "E0201", Severity::error, "unknown name",
    R"(No binding, parameter, dimension or core operator of this name is visible here. Names are visible
below their binding only.

    f = fn (x, w) { mathmul(x, w) };

    error[E0201]: unknown name `mathmul`
      = help: did you mean `matmul`?

    f = fn (x, w) { matmul(x, w) };)"};

inline constexpr DiagnosticCode duplicateName{
    "E0202", Severity::error, "duplicate name",
    R"(One block, one parameter list and one module bind each name once. An inner block may bind it again,
and any binding may shadow a core operator.

    h = relu(x);
    h = relu(h);

Mend it with a second name:

    h = relu(x);
    h2 = relu(h);)"};

inline constexpr DiagnosticCode recursive{
    "E0203", Severity::error, "recursive binding",
    R"(A binding uses its own name. There is no recursion: shapes could not be inferred, and a bundle has a
fixed set of buffers. Iterate with `map`, `reduce`, `loop` or `while`.

    fact = fn (n : i64) { if n < 2 { n } else { n * fact(n - 1) } };

Mend it with a loop:

    fact = fn (n : i64) {
      _, p = while(fn (s) { i, _ = s; i > 1 }, fn (s) { i, p = s; i - 1, p * i }, (n, 1i64));
      p
    };)"};

inline constexpr DiagnosticCode unknownModule{
    "E0204", Severity::error, "unknown module",
    R"(`import name;` reads `name.ax`, which is looked for in the folder of the importing file, then in the
folders given with `-I`, then among the modules that the compiler carries (`nn`, `rnn`, `attention`,
...).

    import n;

    error[E0204]: unknown module `n`
      = help: did you mean `nn`?

    import nn;)"};

inline constexpr DiagnosticCode unknownMember{
    "E0205", Severity::error, "a module has no such member",
    R"(The module is known, but it does not bind this name. Where a module of the compiler has no binding
of a name, the core operator of that name is meant.

    import nn;
    f = fn (x) { nn.rleu(x) };

    error[E0205]: module `nn` has no member `rleu`
      = help: did you mean `relu`?

    f = fn (x) { nn.relu(x) };)"};

inline constexpr DiagnosticCode importCycle{
    "E0206", Severity::error, "modules import each other",
    R"(A module's names are checked before those of a module that imports it, so imports may not go round
in a circle. Each place shown is one `import` of the circle.

Mend it by moving what both modules need into a third one that both import.)"};

inline constexpr DiagnosticCode moduleNameTaken{
    "E0207", Severity::error, "a name starts with a module's name",
    R"(After `import nn;` every `nn.x` is a member of the module, so no parameter or binding may be called
`nn` or `nn.x`.

    import nn;
    param nn.kernel : f32 [3, 4];

Mend it by another first part:

    param net.kernel : f32 [3, 4] = "nn.kernel";)"};

}  // namespace codes

// All rows above, in their order.
std::span<const DiagnosticCode* const> frontendCodes();

}  // namespace axle
