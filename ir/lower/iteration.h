// Makes the elements that `map` and `loop` feed to their function and collects its results. Sequences and results are
// dense or ragged.
#pragma once

#include "ir/lower/application.h"
#include "ir/lower/bodies.h"

namespace axle::ir::lowering {

// The sequences that an operator iterates over. The elements of a ragged sequence differ in size, so the operator
// cannot feed them: it feeds the index of the iteration as the last input, and the body slices the element itself.
struct Iteration {
  Dim count;
  std::vector<Tensor> sequences;
  std::vector<TypeId> types;
  bool ragged = false;         // whether any sequence is
  std::vector<Tensor> fed;     // to the operator
  std::vector<Fact> elements;  // fed to the body
};

// The lengths of a ragged dimension of the collected result that the result in the body lacks.
struct ResultLengths {
  DimVar length;
  Dim count, most;             // in one iteration: the number of lengths, and an upper bound of their sum
  std::optional<DimVar> rows;  // the sum over all iterations, if it is the number of rows of a collected result
};

// Returns the iteration over the arguments from `from` on.
std::optional<Iteration> iterationOver(Context& c, const Application& a, std::size_t from);
// In the body: computes the element of each sequence from the body's inputs. The elements are the parameters of `f`
// from `firstParameter` on.
std::optional<std::vector<Value>> iterationElements(Context& c, const Iteration& iteration,
                                                    const std::vector<Tensor>& fed, const Closure& f,
                                                    std::size_t firstParameter, Span span);
// In the body: returns the result as rows, then the lengths that `wholeType`, the type of all results, has and
// `elementType`, the type of one result, lacks. Appends these lengths to `added`.
std::optional<Value> appendLengths(Context& c, Value result, TypeId elementType, TypeId wholeType,
                                   std::vector<ResultLengths>& added);

// The outputs of the operator: one for each tensor of `wholeType`, then one for each added length.
struct Collected {
  std::vector<Fact> facts;
  std::vector<std::pair<std::uint32_t, DimVar>> runSizes;  // as in Node
};
// Returns the outputs without the body's first `states` outputs, which are not collected.
std::optional<Collected> collectedOutputs(Context& c, const Body& body, std::size_t states, Dim count, TypeId wholeType,
                                          std::vector<ResultLengths>& added, Span span);
// Makes row splits from the last outputs, which are the added lengths.
bool registerLengths(Context& c, const std::vector<Tensor>& outputs, const std::vector<ResultLengths>& added,
                     Dim count);

}  // namespace axle::ir::lowering
