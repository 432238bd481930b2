#include "ir/codes.h"

namespace axle::codes {

constexpr DiagnosticCode functionAsValue{"E0511", Severity::error, "a function where only tensors can flow",
                                         "All functions vanish when an entry is compiled: they are inlined, or become "
                                         "the body of `map`, `reduce`, `loop`, `while` or\n"
                                         "`if`. So a function may be an argument, a local name or a function's result, "
                                         "but not what an `if` or a `match` gives, a\n"
                                         "loop's state or result, or a result of the entry.\n\n"
                                         "    f = if fast { tanh } else { sigmoid };     // E0511\n"
                                         "    f(x)\n\n"
                                         "Apply the function inside of the branches instead:\n\n"
                                         "    if fast { tanh(x) } else { sigmoid(x) }\n"};

constexpr DiagnosticCode inliningTooDeep{
    "E0513", Severity::error, "calls nest too deeply",
    "Functions are inlined when an entry is compiled, and the nesting of calls has a limit. A chain of thousands of "
    "functions, each\n"
    "of which calls the next, goes beyond it. Repetition is written as `loop` or `while`.\n"};

constexpr DiagnosticCode modelTooLarge{"E0514", Severity::error, "the inlined entry is too large",
                                       "Functions are inlined when an entry is compiled. A function that calls another "
                                       "twice, which calls a third twice, and so on,\n"
                                       "doubles with each level, until the graph has more nodes than any device could "
                                       "run. Repetition is written as `loop`, `map` or\n"
                                       "`while`, whose function is stored once.\n"};

constexpr DiagnosticCode openSize{
    "E0515", Severity::error, "a size that is known only in the middle of a run",
    "Every size of a compiled entry is arithmetic over the sizes of its inputs, and over "
    "what comes before has found, as `nonzero`\n"
    "does. A size that nothing before it tells, and a rank that only the run knows, cannot "
    "be compiled: memory is planned for every\n"
    "tensor, for what the run finds at its largest.\n"};

constexpr DiagnosticCode raggedOperator{
    "E0517", Severity::error, "an operator that ragged tensors cannot be compiled for",
    "A ragged tensor flows as rows and row splits. Operators whose signature says `s : ragged` take it so, and all "
    "that "
    "work on each\n"
    "element; of reductions over several axes, and of operands that stretch, the axes must stand together and end at "
    "the "
    "ragged one.\n\n"
    "    main = fn (x : f32 [2, b, *l]) { sum(x, axis=[0, 2]) };         // E0517\n\n"
    "Take one axis after the other, or the elements one by one, where the ragged dimension is one size:\n\n"
    "    main = fn (x : f32 [2, b, *l]) { sum(sum(x, axis=2), axis=0) };\n"};

constexpr DiagnosticCode noSuchElements{
    "E0516", Severity::error, "an operator that has no meaning for its elements",
    "The type of a pool allows any element, but only numbers have a largest one or a mean. Where the element type is "
    "known only at a\n"
    "call, this is found when an entry is compiled.\n\n"
    "    main = fn (x : bool [1, h, w, c]) { max_pool(x, size=[2, 2]) };    // E0516\n\n"
    "Cast to numbers before the pool.\n"};

constexpr DiagnosticCode rankOfMatch{
    "E0518", Severity::error, "a `match` that the rank does not fit",
    "The rank of a tensor `x : f32 ?s` is known when an entry is compiled for inputs: a `match` on it must state as "
    "many "
    "dimensions.\n\n"
    "    main = fn (x : f32 ?s) { match x : f32 [n, d] { sum(x, axis=1) } };    // E0518 for an x of one dimension\n\n"
    "Give a tensor of the rank that the `match` names.\n"};

}  // namespace axle::codes

namespace axle {

std::span<const DiagnosticCode* const> irCodes() {
  static constexpr const DiagnosticCode* all[] = {
      &codes::functionAsValue, &codes::inliningTooDeep, &codes::modelTooLarge, &codes::openSize,
      &codes::noSuchElements,  &codes::raggedOperator,  &codes::rankOfMatch};
  return all;
}

}  // namespace axle
