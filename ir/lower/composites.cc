#include "ir/lower/composites.h"

#include <algorithm>

#include "typecheck/entry/composite_interfaces.h"

namespace axle::ir::lowering {

namespace {

// Appends the tensors of a value in order, and nullopt for a function.
void collectTensors(const Value& value, std::vector<std::optional<Tensor>>& into) {
  if (const auto* parts = std::get_if<Tuple>(&value.node)) {
    for (const Value& part : **parts) collectTensors(part, into);
  } else {
    const auto* tensor = std::get_if<Tensor>(&value.node);
    into.push_back(tensor ? std::optional(*tensor) : std::nullopt);
  }
}

void addParameterTypes(Context& c, TypeId type, Types& into) {
  const TypeTerm term = c.type(c.solution.resolve(type));
  if (term.kind != TypeKind::tuple) {
    into.push_back(type);
    return;
  }
  for (TypeId part : term.parts) addParameterTypes(c, part, into);
}

// Adds the composite to the graph of its outputs. An input that this graph does not use has no outlet.
void addComposite(Context& c, Composite composite, const std::vector<std::optional<Tensor>>& inputs,
                  const std::vector<std::optional<Tensor>>& outputs) {
  auto first = std::find_if(outputs.begin(), outputs.end(), [](const auto& output) { return output.has_value(); });
  if (first == outputs.end()) return;
  const Scope& scope = c.scopes[(*first)->scope];
  auto outletOf = [&](const std::optional<Tensor>& tensor) {
    if (!tensor) return OutletId();
    if (tensor->scope == (*first)->scope) return tensor->outlet;
    auto known = scope.imported.find({tensor->scope, tensor->outlet.index});
    return known == scope.imported.end() ? OutletId() : known->second;
  };
  composite.graph = scope.graph;
  for (const auto& input : inputs) {
    composite.inputs.push_back(outletOf(input));
    composite.constants.push_back(input ? c.graphOf(input->scope).producer(input->outlet).constant : ConstantId());
  }
  for (const auto& output : outputs)
    composite.outputs.push_back(output && output->scope == (*first)->scope ? output->outlet : OutletId());
  c.model.composites.push_back(std::move(composite));
}

}  // namespace

void addCallComposite(Context& c, const TypedExpr& expr, const TypedCall& call, const TypedBinding& callee,
                      const std::vector<Value>& arguments, const Value& result, const Environment& environment) {
  Composite composite{{}, callee.implements, callee.name, {}, {}, {}, expr.span, {}};
  std::vector<std::optional<Tensor>> inputs, outputs;
  Types inputTypes, outputTypes;
  for (const Value& argument : arguments) collectTensors(argument, inputs);
  for (TypedId argument : call.arguments) addParameterTypes(c, typeOf(c, argument, environment), inputTypes);
  collectTensors(result, outputs);
  addParameterTypes(c, c.solution.resolve(expr.type, environment.substitution), outputTypes);
  composite.refused = compositeMismatch(callee.implements, c.solution, inputTypes, outputTypes);
  addComposite(c, std::move(composite), inputs, outputs);
}

namespace {

// Returns the tensors bound to names after the lowering, by binding.
std::unordered_map<std::uint32_t, Tensor> boundTensors(const Context& c) {
  std::unordered_map<std::uint32_t, Tensor> tensors;
  auto add = [&](const Frame& frame) {
    for (const auto& [binding, bound] : frame.names) {
      const auto* value = std::get_if<Value>(&bound);
      if (!value) continue;
      tensors.erase(binding.index);
      if (const auto* tensor = std::get_if<Tensor>(&value->node)) tensors[binding.index] = *tensor;
    }
  };
  add(c.topFrame);
  for (const Frame& frame : c.frames) add(frame);
  return tensors;
}

}  // namespace

void addGraphComposites(Context& c) {
  if (c.program.composites.empty()) return;
  const std::unordered_map<std::uint32_t, Tensor> bound = boundTensors(c);
  auto tensorOf = [&](TypedId id) -> std::optional<Tensor> {
    const auto* ref = id ? std::get_if<TypedRef>(&c.program[id].node) : nullptr;
    if (!ref) return std::nullopt;
    if (const TypedBinding& binding = c.program[ref->binding]; binding.kind == BindingKind::weight) {
      auto weight = c.weights.find(binding.weight);
      const auto* tensor = weight == c.weights.end() ? nullptr : std::get_if<Tensor>(&weight->second.node);
      return tensor ? std::optional(*tensor) : std::nullopt;
    }
    auto tensor = bound.find(ref->binding.index);
    return tensor == bound.end() ? std::nullopt : std::optional(tensor->second);
  };
  for (const TypedComposite& typed : c.program.composites) {
    Composite composite{{}, typed.implements, typed.function, {}, {}, {}, typed.span, {}};
    std::vector<std::optional<Tensor>> inputs, outputs;
    Types inputTypes, outputTypes;
    auto read = [&](const std::vector<TypedId>& ids, auto& tensors, Types& types) {
      for (TypedId id : ids) {
        tensors.push_back(tensorOf(id));
        types.push_back(id ? std::optional(c.program[id].type) : std::nullopt);
      }
    };
    read(typed.inputs, inputs, inputTypes);
    read(typed.outputs, outputs, outputTypes);
    composite.refused = compositeMismatch(typed.implements, c.solution, inputTypes, outputTypes);
    addComposite(c, std::move(composite), inputs, outputs);
  }
}

}  // namespace axle::ir::lowering
