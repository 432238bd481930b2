// What `map` and `loop` feed to their function and collect from it, ragged sequences and results included.
#pragma once

#include "ir/lower/application.h"
#include "ir/lower/bodies.h"

namespace axle::ir::lowering {

// The sequences that an operator iterates over. It cannot feed elements of a ragged sequence, whose sizes differ: the
// body is fed the index of the iteration instead, last, and takes the element itself.
struct Iteration {
  Dim count;
  std::vector<Tensor> sequences;
  std::vector<TypeId> types;
  bool ragged = false;         // whether one of them is
  std::vector<Tensor> fed;     // to the operator
  std::vector<Fact> elements;  // fed to the body
};

// The lengths of a ragged dimension that a result has only outside of the body.
struct ResultLengths {
  DimVar length;
  Dim count, most;             // in one iteration: how many lengths, and their sum at most
  std::optional<DimVar> rows;  // the sum over all iterations, where a collected result has as many rows
};

// Over the arguments from `from` on.
std::optional<Iteration> iterationOver(Context& c, const Application& a, std::size_t from);
// In the body: the element of each sequence, made of what the body is fed. They are the parameters of `f` from
// `firstParameter` on.
std::optional<std::vector<Value>> iterationElements(Context& c, const Iteration& iteration,
                                                    const std::vector<Tensor>& fed, const Closure& f,
                                                    std::size_t firstParameter, Span span);
// In the body: the result as rows, then the lengths that `wholeType`, the type of all results, has beyond
// `elementType`, the type of one. Adds these to `added`.
std::optional<Value> appendLengths(Context& c, Value result, TypeId elementType, TypeId wholeType,
                                   std::vector<ResultLengths>& added);

// The outputs of the operator: one for each tensor of `wholeType`, then one for each of the lengths added.
struct Collected {
  std::vector<Fact> facts;
  std::vector<std::pair<std::uint32_t, DimVar>> runSizes;  // as in Node
};
// The body's first outputs, `states` of them, are not collected; `Collected` does not have them.
std::optional<Collected> collectedOutputs(Context& c, const Body& body, std::size_t states, Dim count, TypeId wholeType,
                                          std::vector<ResultLengths>& added, Span span);
// Makes row splits of the last outputs, which are the lengths added.
bool registerLengths(Context& c, const std::vector<Tensor>& outputs, const std::vector<ResultLengths>& added,
                     Dim count);

}  // namespace axle::ir::lowering
