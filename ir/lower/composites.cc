// Composites: calls of functions that a source says implement one, and those that a graph came with.
#include <algorithm>

#include "ir/lower/lowerer.h"

namespace axle::ir {

// Tensors in order; none for what is no tensor.
void Lowerer::leavesOf(const Value& value, std::vector<std::optional<Tensor>>& into) const {
  if (const auto* parts = std::get_if<Tuple>(&value.node)) {
    for (const Value& part : **parts) leavesOf(part, into);
  } else {
    const auto* tensor = std::get_if<Tensor>(&value.node);
    into.push_back(tensor ? std::optional(*tensor) : std::nullopt);
  }
}

void Lowerer::leafTypes(TypeId type, Types& into) const {
  const TypeTerm term = solution_.types[solution_.resolve(type)];
  if (term.kind != TypeKind::tuple) {
    into.push_back(type);
    return;
  }
  for (TypeId part : term.parts) leafTypes(part, into);
}

// It stands in the graph of its outputs; what goes in is seen from there, if anything there reads it.
void Lowerer::addComposite(Composite composite, const std::vector<std::optional<Tensor>>& inputs,
                           const std::vector<std::optional<Tensor>>& outputs) {
  auto first = std::find_if(outputs.begin(), outputs.end(), [](const auto& output) { return output.has_value(); });
  if (first == outputs.end()) return;
  const Scope& scope = scopes_[(*first)->scope];
  auto seen = [&](const std::optional<Tensor>& tensor) {
    if (!tensor) return OutletId();
    if (tensor->scope == (*first)->scope) return tensor->outlet;
    auto known = scope.imported.find({tensor->scope, tensor->outlet.index});
    return known == scope.imported.end() ? OutletId() : known->second;
  };
  composite.graph = scope.graph;
  for (const auto& input : inputs) {
    composite.inputs.push_back(seen(input));
    composite.constants.push_back(
        input ? model_.graphs[scopes_[input->scope].graph.index].producer(input->outlet).constant : ConstantId());
  }
  for (const auto& output : outputs)
    composite.outputs.push_back(output && output->scope == (*first)->scope ? output->outlet : OutletId());
  model_.composites.push_back(std::move(composite));
}

void Lowerer::addCall(const TypedExpr& expr, const TypedCall& call, const TypedBinding& callee,
                      const std::vector<Value>& arguments, const Value& result, const Substitution* with) {
  Composite composite{{}, callee.implements, callee.name, {}, {}, {}, expr.span, {}};
  std::vector<std::optional<Tensor>> inputs, outputs;
  Types inputTypes, outputTypes;
  for (const Value& argument : arguments) leavesOf(argument, inputs);
  for (TypedId argument : call.arguments) leafTypes(solution_.resolve(program_[argument].type, with), inputTypes);
  leavesOf(result, outputs);
  leafTypes(solution_.resolve(expr.type, with), outputTypes);
  composite.refused = whyNotComposite(callee.implements, solution_, inputTypes, outputTypes);
  addComposite(std::move(composite), inputs, outputs);
}

void Lowerer::addGraphComposites() {
  if (program_.composites.empty()) return;
  std::unordered_map<std::uint32_t, const Value*> values;  // by binding
  auto note = [&](const Frame& frame) {
    for (const auto& [binding, bound] : frame.names)
      if (const auto* value = std::get_if<Value>(&bound)) values[binding.index] = value;
  };
  note(topFrame_);
  for (const Frame& frame : frames_) note(frame);
  auto tensorOf = [&](TypedId id) -> std::optional<Tensor> {
    const auto* ref = id ? std::get_if<TypedRef>(&program_[id].node) : nullptr;
    if (!ref) return std::nullopt;
    if (const TypedBinding& binding = program_[ref->binding]; binding.kind == BindingKind::weight) {
      auto weight = weights_.find(binding.weight);
      const auto* tensor = weight == weights_.end() ? nullptr : std::get_if<Tensor>(&weight->second.node);
      return tensor ? std::optional(*tensor) : std::nullopt;
    }
    auto value = values.find(ref->binding.index);
    const auto* tensor = value == values.end() ? nullptr : std::get_if<Tensor>(&value->second->node);
    return tensor ? std::optional(*tensor) : std::nullopt;
  };
  for (const TypedComposite& typed : program_.composites) {
    Composite composite{{}, typed.implements, typed.function, {}, {}, {}, typed.span, {}};
    std::vector<std::optional<Tensor>> inputs, outputs;
    Types inputTypes, outputTypes;
    auto read = [&](const std::vector<TypedId>& ids, auto& tensors, Types& types) {
      for (TypedId id : ids) {
        tensors.push_back(tensorOf(id));
        types.push_back(id ? std::optional(program_[id].type) : std::nullopt);
      }
    };
    read(typed.inputs, inputs, inputTypes);
    read(typed.outputs, outputs, outputTypes);
    composite.refused = whyNotComposite(typed.implements, solution_, inputTypes, outputTypes);
    addComposite(std::move(composite), inputs, outputs);
  }
}

}  // namespace axle::ir
