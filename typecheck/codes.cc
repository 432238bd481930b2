#include "typecheck/codes.h"

namespace axle::codes {

const DiagnosticCode nameRefined{
    "N0301", Severity::note, "a name is inferred to be something",
    "Names in annotations are flexible: what a function does with its parameters may make two of them equal, or one a "
    "number. That\n"
    "is no error; the note says so because the text reads more general than the function is.\n"
    "\n"
    "    f = fn (x : f32 [n, 10], y : f32 [n, k]) { x + y };    // k is 10"};
const DiagnosticCode elementDefaulted{"N0501", Severity::note, "an open element type",
                                      "The element type of an entry's input or result follows neither from an "
                                      "annotation nor from a use: f32 is taken for numbers and\n"
                                      "floats, i64 for integers. Annotate the parameter to choose another."};
const DiagnosticCode typeMismatch{
    "E0301", Severity::error, "types do not fit",
    "A tensor, a tuple and a function are different things, and tuples and functions fit only others of their\n"
    "length.\n"
    "\n"
    "    a, b = split(x, parts=3);    // three parts, two names\n"
    "\n"
    "Give as many names as there are parts, or `_` for those you do not need."};
const DiagnosticCode dimMismatch{
    "E0302", Severity::error, "sizes differ",
    "Two sizes that must be equal are not. Both places are shown: where each size was fixed, and the operator\n"
    "or call in which they meet.\n"
    "\n"
    "    f = fn (x : f32 [n, 784], w : f32 [512, 10]) { matmul(x, w) };\n"
    "\n"
    "Only a literal 1 stretches in a broadcast; `[n] + [m]` makes n and m equal."};
const DiagnosticCode rankMismatch{"E0303", Severity::error, "ranks differ",
                                  "Two shapes that must be equal have different numbers of dimensions.\n"
                                  "\n"
                                  "    f = fn (a : f32 [1, 2], b : f32 [3]) { matmul(a, b) };\n"
                                  "\n"
                                  "`expand(x, axis=...)` adds a dimension of size 1, `squeeze` takes one away, `map` "
                                  "applies a function to every slice."};
const DiagnosticCode elemMismatch{"E0304", Severity::error, "element types differ",
                                  "Two element types that must be equal are not: there are no implicit conversions.\n"
                                  "\n"
                                  "    f = fn (x : f32 [n], y : i32 [n]) { x + y };\n"
                                  "\n"
                                  "Write `cast(y)`; its target comes from the use."};
const DiagnosticCode elemClass{
    "E0305", Severity::error, "element type of the wrong class",
    "An operator takes elements of one class: `num` (numbers), `float`, `int`, or `eq` (numbers and bool).\n"
    "\n"
    "    f = fn (x : i32 [n]) { exp(x) };\n"
    "\n"
    "Convert with `cast`, and annotate the target where it is not known from the use."};
const DiagnosticCode infiniteType{"E0306", Severity::error, "a type that contains itself",
                                  "A function that is applied to itself would need a type that contains itself.\n"
                                  "\n"
                                  "    omega = fn (f) { f(f) };\n"
                                  "\n"
                                  "There is no recursion; use `map`, `reduce`, `loop` or `while`."};
const DiagnosticCode factRefuted{
    "E0307", Severity::error, "a fact that does not hold",
    "An operator or a `where` asks for a relation between sizes that cannot hold.\n"
    "\n"
    "    f = fn (x : f32 [n, 10]) { split(x, parts=4, axis=1) };    // 10 % 4 == 0 is false\n"
    "\n"
    "What can neither be proved nor refuted is checked when the program is run."};
const DiagnosticCode reshapeTotal{
    "E0308", Severity::error, "a reshape that changes the number of elements",
    "`reshape` keeps all elements in their order, so the product of the sizes stays the same.\n"
    "\n"
    "    f = fn (x : f32 [7]) { reshape(x, [2, _]) };\n"
    "\n"
    "One size may be `_`: the exact quotient of the others."};
const DiagnosticCode badAttribute{
    "E0309", Severity::error, "a static argument of the wrong form",
    "Static arguments are words, whole numbers, lists or truth values, each of its own form.\n"
    "\n"
    "    conv2d(x, k, padding=\"SAME\")    // words are lower case: \"same\""};
const DiagnosticCode arity{"E0310", Severity::error, "wrong arguments",
                           "A function is given too many or too few arguments, or a named one that it does not have.\n"
                           "\n"
                           "    conv2d(x, k, strides=[2, 2])    // the name is `stride`\n"
                           "\n"
                           "`axc ops NAME` prints an operator's signature."};
const DiagnosticCode unsupported{"E0311", Severity::error, "a form that cannot stand here",
                                 "`op` declarations and functions of shapes belong to the core operators, whose "
                                 "signatures `axc ops` prints. A model "
                                 "is functions and\n"
                                 "parameters: `twice = fn (x) { x + x };`."};
const DiagnosticCode overflow{"E0312", Severity::error, "a size out of range",
                              "Sizes are whole numbers of 64 bits. This one is larger, or it divides by 0."};
const DiagnosticCode unknownClass{"E0313", Severity::error, "unknown class of elements",
                                  "The classes of elements are `eq` (numbers and bool), `num`, `float` and `int`.\n"
                                  "\n"
                                  "    f = fn (x : t s) where t : float { exp(x) };"};
const DiagnosticCode notStatic{"E0314", Severity::error, "not a static value",
                               "Attributes such as `axis` and `stride` are known when the program is compiled: "
                               "literals, lists of them, and arithmetic over\n"
                               "dimension names that are in scope. A value that is computed at run time cannot stand "
                               "there; strings and lists stand nowhere else."};
const DiagnosticCode typesTooLarge{"E0315", Severity::error, "types grow too large",
                                   "The type of a binding can be exponentially larger than its text: a tuple that "
                                   "holds itself twice, again and again. The check\n"
                                   "is given up at a fixed size, so that it always ends. So it is where the arithmetic "
                                   "of sizes multiplies with each step, and\n"
                                   "where shapes that are left open are looked at again and again: a type that is "
                                   "written down in between ends both.\n"
                                   "\n"
                                   "    double = fn (x) { x, x };\n"
                                   "    many = fn (x) { double(double(double(x))) };    // and so on, sixty times"};
const DiagnosticCode runtimeEscape{
    "E0316", Severity::error, "a size known only at run time",
    "Some operators make as many results as their values decide: `nonzero` has a size `?k` that every call makes anew. "
    "It "
    "may stand\n"
    "in a result type, but it never equals another call's, a number, a size of a parameter or of a loop's state.\n"
    "\n"
    "    f = fn (x : f32 [n]) : f32 [n] { gather(x, squeeze(nonzero(x), axis=1)) };    // `: f32 [?k]`\n"
    "\n"
    "`match e : f32 [k, d] { ... }` names the size inside of its block, and checks there what it says."};
const DiagnosticCode raggedMismatch{
    "E0317", Severity::error, "ragged lengths",
    "In `[b, *l, d]` the length of the second dimension is a function of the first: each element of the batch has its "
    "own. It equals\n"
    "neither a size nor another length function, nothing is computed of it, and it stands behind the dimensions that "
    "it "
    "is a function of.\n"
    "\n"
    "    f = fn (x : f32 [b, *l, d], y : f32 [b, *m, d]) { x + y };\n"
    "\n"
    "`same_lengths(x, y)` gives y the lengths of x, checked in the run; `map` hands each element to a function, as a "
    "tensor of one length.\n"
    "So it takes every operator; over a ragged dimension itself there are those whose signature says `s : ragged`: "
    "reductions, `softmax`,\n"
    "products, `concat`, and all that works on each element."};
const DiagnosticCode streamMismatch{
    "E0318", Severity::error, "a streamed dimension",
    "`~T` arrives over time: it has no fixed size, no size as a value, and no operator may need all of it at once.\n"
    "\n"
    "    f = fn (x : f32 [~T, 40]) { reduce(+, 0f, x) };\n"
    "\n"
    "Convolutions, pools, `map`, a forward `loop`, and operators along the other axes stream."};
const DiagnosticCode unknownElem{
    "E0319", Severity::error, "an unknown element type",
    "The element types are f16, bf16, f32, f64, i8 to i64, u8 to u64, bool and string. Any other name stands for any "
    "element, as `t` in `x : t s`;\n"
    "one that another language gives an element type, or that looks like one of ours, is taken for a slip.\n"
    "\n"
    "    f = fn (x : float32 [n]) { x };    // f32"};
const DiagnosticCode weightMissing{
    "E0401", Severity::error, "a tensor is missing in the weights",
    "Every `param` needs a tensor of its name, or of the name that it gives, in the file of weights.\n"
    "\n"
    "    param head.bias : f32 [3] = \"dense/bias\";"};
const DiagnosticCode weightType{"E0402", Severity::error, "a tensor of another type",
                                "The tensor in the file of weights does not have the type that the source gives its "
                                "parameter. Element types are never\n"
                                "converted silently: declare the stored one and use `cast`."};
const DiagnosticCode weightsNeeded{
    "E0403", Severity::error, "weights are needed",
    "The type of a parameter follows neither from its annotation nor from its uses, and no file of weights was given."};
const DiagnosticCode weightUnreadable{
    "E0404", Severity::error, "a tensor that cannot be read",
    "The file of weights has a tensor of this name, but not one that can be used: it holds text or objects, or "
    "elements "
    "of a type that\n"
    "Axle lacks, such as complex numbers, or its bytes are damaged. The message says which."};
const DiagnosticCode paramType{
    "E0405", Severity::error, "a parameter that is no tensor",
    "A `param` is a tensor of the file of weights: neither a tuple nor a function can come from there.\n"
    "\n"
    "    param w : (f32 [3], f32 [2]);    // two parameters: w.a and w.b\n"
    "\n"
    "Declare one `param` for each tensor."};
const DiagnosticCode noEntry{"E0501", Severity::error, "no such entry",
                             "The entry is `main` unless --entry names another top-level binding."};
const DiagnosticCode entryType{"E0502", Severity::error, "not an entry",
                               "An entry takes tensors and gives tensors or tuples of them. Functions vanish when it "
                               "is compiled, so none may be its\n"
                               "parameter or its result."};
const DiagnosticCode entryRank{
    "E0503", Severity::error, "the rank of an input is open",
    "Programs have tensors of known ranks. `axc build` compiles an entry for every rank that "
    "its inputs can have, where the\nrank tells the shape; else, and to draw inputs, give "
    "the shape: `--set s=[2,3]`."};
const DiagnosticCode openEntry{"E0504", Severity::error, "a result of open shape",
                               "The shape of a result must follow from the shapes of the inputs."};
const DiagnosticCode unknownSet{"E0505", Severity::error, "nothing to set",
                                "`--set` names a dimension or a shape variable of the entry's type."};
const DiagnosticCode entryText{"E0506", Severity::error, "text cannot be compiled",
                               "The element type `string` is one that types can speak of, but bundles hold numbers "
                               "and bool only: no input, result or weight\n"
                               "of an entry may be text. Give bytes as `u8` instead."};
const DiagnosticCode literalOutOfRange{
    "E0512", Severity::error, "a number that its element type cannot hold",
    "A number literal takes the element type that its use asks for, and its value must be one of that type. Where the "
    "type is\n"
    "known only at a call, the error shows the literal and the call.\n\n"
    "    bump = fn (x) { x + 300 };\n"
    "    main = fn (x : u8 [n]) { bump(x) };        // E0512: u8 ends at 255\n\n"
    "Cast the tensor to a wider element type first, or choose a value in range.\n"};

}  // namespace axle::codes

namespace axle {

std::span<const DiagnosticCode* const> typecheckCodes() {
  using namespace codes;
  // clang-format off
  static const DiagnosticCode* const all[] = {  // one a line
      &nameRefined,
      &elementDefaulted,
      &typeMismatch,
      &dimMismatch,
      &rankMismatch,
      &elemMismatch,
      &elemClass,
      &infiniteType,
      &factRefuted,
      &reshapeTotal,
      &badAttribute,
      &arity,
      &unsupported,
      &overflow,
      &unknownClass,
      &notStatic,
      &typesTooLarge,
      &weightMissing,
      &weightType,
      &weightsNeeded,
      &weightUnreadable,
      &paramType,
      &noEntry,
      &entryType,
      &entryRank,
      &openEntry,
      &unknownSet,
      &entryText,
      &literalOutOfRange,
      &runtimeEscape,
      &raggedMismatch,
      &streamMismatch,
      &unknownElem,
  };
  // clang-format on
  return all;
}

}  // namespace axle
