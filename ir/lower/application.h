// One application of a core operator: its arguments and its static attributes.
#pragma once

#include "ir/lower/context.h"

namespace axle::ir::lowering {

struct Application {
  const TypedExpr* expr = nullptr;
  const TypedApply* apply = nullptr;
  Environment environment;
  TypeId type;  // of the result, resolved

  Span span() const { return expr->span; }
};

// Arguments (application.cc).

// Returns the arguments, which are tensors; literals stay splats.
std::optional<std::vector<Tensor>> splatArguments(Context& c, const Application& a);
// Returns the arguments, materialized.
std::optional<std::vector<Tensor>> arguments(Context& c, const Application& a);
// Returns the arguments from `from` on, materialized: at least one, none of them a scalar.
std::optional<std::vector<Tensor>> sequenceArguments(Context& c, const Application& a, std::size_t from);
std::optional<Closure> functionArgument(Context& c, const Application& a, std::size_t index);
TypeId argumentType(Context& c, const Application& a, std::size_t index);

struct Operands {
  std::vector<Tensor> inputs;  // materialized
  Fact result;
};
// Returns the operands of an application whose arguments are tensors and whose result is one tensor.
std::optional<Operands> operands(Context& c, const Application& a);

// Attributes (attributes.cc). A required attribute that is missing is a bug of the compiler.

StaticId attributeAt(Context& c, const Application& a, std::size_t index);
std::optional<std::size_t> requireAttribute(Context& c, const Application& a, std::string_view name);
std::optional<Dim> dimAttribute(Context& c, const Application& a, std::string_view name);
std::optional<std::vector<Dim>> dimListAttribute(Context& c, const Application& a, std::string_view name,
                                                 std::size_t count);
// Returns the numbers of a list of pairs, one after the other.
std::vector<Dim> pairsAttribute(Context& c, const StaticTerm& list);
// Empty if the operator has no such attribute.
std::string wordAttribute(Context& c, const Application& a, std::string_view name);
bool boolAttribute(Context& c, const Application& a, std::string_view name);
// Returns the attribute `axis`, counted from the first axis.
std::optional<std::size_t> axisAttribute(Context& c, const Application& a, std::size_t rank);
// Returns `axis` as an axis of the stored first argument: all axes up to a ragged one are stored as one, the rows.
std::optional<std::size_t> flatAxis(Context& c, const Application& a, const Tensor& first);

}  // namespace axle::ir::lowering
