#include "ir/lower/application.h"

#include "ir/lower/expressions.h"
#include "ir/lower/facts.h"
#include "ir/lower/graph_builder.h"

namespace axle::ir::lowering {

std::optional<std::vector<Tensor>> splatArguments(Context& c, const Application& a) {
  std::vector<Tensor> tensors;
  for (TypedId id : a.apply->arguments) {
    std::optional<Value> value = eval(c, id, a.environment);
    if (!value) return std::nullopt;
    const Tensor* tensor = std::get_if<Tensor>(&value->node);
    if (!tensor) return reportBug(c, "an argument is not a tensor", a.span());
    tensors.push_back(*tensor);
  }
  return tensors;
}

std::optional<std::vector<Tensor>> arguments(Context& c, const Application& a) {
  std::vector<Tensor> tensors;
  for (TypedId id : a.apply->arguments) {
    std::optional<Value> value = eval(c, id, a.environment);
    if (!value) return std::nullopt;
    const Tensor* t = std::get_if<Tensor>(&value->node);
    if (!t) return reportBug(c, "an argument is not a tensor", a.span());
    std::optional<Tensor> given = materialize(c, *t);
    if (!given) return std::nullopt;
    tensors.push_back(std::move(*given));
  }
  return tensors;
}

TypeId argumentType(Context& c, const Application& a, std::size_t index) {
  return c.solution.resolve(c.program[a.apply->arguments[index]].type, a.environment.substitution);
}

std::optional<Closure> functionArgument(Context& c, const Application& a, std::size_t argument) {
  std::optional<Value> value = eval(c, a.apply->arguments[argument], a.environment);
  if (!value) return std::nullopt;
  if (const Closure* closure = std::get_if<Closure>(&value->node)) return *closure;
  return reportBug(c, "an argument is not a function", a.span());
}

std::optional<std::vector<Tensor>> sequenceArguments(Context& c, const Application& a, std::size_t from) {
  std::vector<Tensor> sequences;
  for (std::size_t i = from; i < a.apply->arguments.size(); ++i) {
    std::optional<Value> value = eval(c, a.apply->arguments[i], a.environment);
    if (!value) return std::nullopt;
    const Tensor* t = std::get_if<Tensor>(&value->node);
    if (!t) return reportBug(c, "a sequence is not a tensor", a.span());
    std::optional<Tensor> all = materialize(c, *t);
    if (!all) return std::nullopt;
    if (fact(c, *all).shape.empty()) return reportBug(c, "a sequence is a scalar", a.span());
    sequences.push_back(*all);
  }
  if (sequences.empty()) return reportBug(c, "it has no sequence", a.span());
  return sequences;
}

std::optional<Operands> operands(Context& c, const Application& a) {
  auto inputs = arguments(c, a);
  std::optional<Fact> result = inputs ? factOfType(c, a.type, a.span()) : std::nullopt;
  if (!result) return std::nullopt;
  return Operands{std::move(*inputs), std::move(*result)};
}

}  // namespace axle::ir::lowering
