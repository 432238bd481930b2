// Lowering an entry: its inputs, its function, its outputs.
#include <algorithm>

#include "ir/lower/bodies.h"
#include "ir/lower/composites.h"
#include "ir/lower/expressions.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/ragged.h"

namespace axle::ir::lowering {

namespace {

void addBindings(const TypedPattern& pattern, std::uint32_t let,
                 std::unordered_map<std::uint32_t, std::uint32_t>& lets) {
  if (pattern.binding) lets[pattern.binding.index] = let;
  for (const TypedPattern& part : pattern.parts) addBindings(part, let, lets);
}

// Variables in the entry's substitution may have been solved since it was made.
void addTopSubstitution(Context& c) {
  Substitution top = c.entry.substitution;
  for (auto& [var, type] : top.types) type = c.solution.resolve(type);
  for (auto& [var, elem] : top.elems) elem = c.solution.resolve(elem);
  for (auto& [var, shape] : top.shapes) shape = c.solution.resolve(shape);
  for (auto& [var, dim] : top.dims) dim = c.solution.resolve(dim);
  for (auto& [var, value] : top.statics) value = c.solution.resolve(value);
  c.substitutions.push_back(std::move(top));
  c.topSubstitution = &c.substitutions.back();
}

// The state before the first expression.
void initialize(Context& c) {
  addTopSubstitution(c);
  c.model.dims = &c.solution.dims;
  c.model.entry = c.entry.name;
  for (const TypedWeight& weight : c.program.weights)
    c.model.weights.push_back({weight.parameter, weight.tensorName, weight.span});
  for (std::uint32_t let : c.program.topLevel) addBindings(c.program.lets[let].pattern, let, c.topLets);
  for (DimVar symbol : c.entry.symbols) c.symbols.insert(symbol.index);
  for (const DimFact& guard : c.entry.guards)
    if (auto v = guard.stretch ? c.dims().asVariable(c.solution.resolve(guard.stretch->first)) : std::nullopt)
      c.broadcastSizes[v->index] = c.solution.resolve(guard.stretch->second);
  c.anyRagged = std::any_of(c.solution.dimVars.begin(), c.solution.dimVars.end(),
                            [](const DimVarInfo& info) { return info.kind == DimKind::ragged; });
  c.model.graphs.emplace_back();
  c.scopes.emplace_back().graph = GraphId{0};
}

// Adds the inputs of the main graph; returns the values of the entry's parameters.
std::vector<Value> addInputs(Context& c) {
  std::size_t rows = 0;
  std::vector<Tensor> tensors;
  for (InputTensor& input : inputTensors(c.solution, c.entry, false)) {
    std::size_t port = c.model.inputNames.size();
    Elem elem = input.splitsOf ? Elem::i64 : c.type(c.entry.inputs[input.input].type).elem.elem;
    Tensor tensor{0, addSource(c, 0, Op::input, Fact{elem, std::move(input.shape), {}}), std::nullopt};
    c.graph()[c.graph()[tensor.outlet].node].names.push_back(input.name);
    c.graph().inputs.push_back(tensor.outlet);
    c.model.inputNames.push_back(std::move(input.name));
    if (!input.splitsOf) {
      rows = port;
      tensors.push_back(tensor);
      continue;
    }
    Splits splits{port, rows, input.rows, std::nullopt};
    if (const RaggedLengths* known = findRaggedLengths(c, *input.splitsOf)) {
      const std::vector<OutletId>& inputs = c.graph().inputs;
      splits.sameAs =
          static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), known->splits.outlet) - inputs.begin());
    } else {
      c.raggedLengths[input.splitsOf->index] = {0, tensor, input.rows};
    }
    c.model.inputSplits.push_back(splits);
  }
  std::vector<Value> arguments;
  std::size_t next = 0;
  for (TypeId parameter : c.entry.parameters) arguments.push_back(rebuildValue(c, parameter, tensors, next));
  return arguments;
}

bool addOutputs(Context& c, const std::vector<Tensor>& outputs) {
  Span span = c.program[c.entry.function].span;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const EntryPort& port = c.entry.outputs[i];
    std::size_t rows = c.model.outputNames.size(), level = 0;
    c.graph().outputs.push_back(inCurrentGraph(c, outputs[i]));
    c.model.outputNames.push_back(port.name);
    for (DimVar length : raggedLengthsOf(c, port.type)) {
      const RaggedLengths* ragged = findRaggedLengths(c, length);
      if (!ragged) {
        reportBug(c, "its result has ragged lengths that nothing computes", span);
        return false;
      }
      c.model.outputSplits.push_back({c.model.outputNames.size(), rows, ragged->rows, std::nullopt});
      c.graph().outputs.push_back(inCurrentGraph(c, ragged->splits));
      c.model.outputNames.push_back(splitsName(port.name, level++));
    }
  }
  return true;
}

std::optional<Model> lowerEntry(Context& c) {
  Span span = c.program[c.entry.function].span;
  std::vector<Value> arguments = addInputs(c);
  std::optional<Value> value = eval(c, c.entry.function, {nullptr, c.topSubstitution});
  if (value && std::holds_alternative<Closure>(value->node))
    value = inlineCall(c, std::get<Closure>(value->node), std::move(arguments), span);
  std::vector<Tensor> outputs;
  if (!value || !flattenValue(c, *value, outputs, span, "an entry's result")) return std::nullopt;
  if (outputs.size() != c.entry.outputs.size()) return reportBug(c, "its results differ from its type", span);
  if (!addOutputs(c, outputs)) return std::nullopt;
  addGraphComposites(c);
  return std::move(c.model);
}

}  // namespace

}  // namespace axle::ir::lowering

namespace axle::ir {

Lowered lower(Checked& checked, const Entry& entry, Diagnostics& diagnostics, const LowerLimits& limits, bool trace) {
  lowering::Context c(checked, entry, diagnostics, limits);
  c.tracing = trace;
  lowering::initialize(c);
  std::optional<Model> model = lowering::lowerEntry(c);
  return {std::move(model), std::move(c.bug), std::move(c.traced)};
}

}  // namespace axle::ir
