#include "ir/lower/graph_builder.h"

#include <algorithm>

#include "ir/lower/bodies.h"
#include "ir/lower/facts.h"
#include "ir/lower/limits.h"
#include "ir/lower/run_sizes.h"

namespace axle::ir::lowering {

const Fact& fact(const Context& c, const Tensor& tensor) { return c.graphOf(tensor.scope)[tensor.outlet].fact; }

Tensor constantTensor(Context& c, ConstantId id) {
  auto [known, isNew] = c.scopes[c.scope].constants.try_emplace(id.index);
  if (isNew) {
    const Constant& constant = c.model[id];
    Fact fact{constant.elem, {}, id};
    for (std::int64_t size : constant.shape) fact.shape.push_back(c.dims().constant(size));
    known->second = addSource(c, c.scope, Op::constant, std::move(fact));
    Node& node = c.graph()[c.graph()[known->second].node];
    node.constant = id;
    if (!constant.name.empty()) node.names.push_back(constant.name);
    if (constant.weight) node.spans.push_back(c.model.weights[*constant.weight].span);
  }
  return {c.scope, known->second, std::nullopt};
}

Tensor zeroScalar(Context& c, Elem elem) {
  return constantTensor(c, c.model.addConstant(elem, {}, std::vector<std::byte>(info(elem).bytes)));
}

namespace {

constexpr Message<arg::Name, arg::Number> tooManyOperators{codes::modelTooLarge,
                                                           "the entry {} becomes more than {} operators"};
constexpr std::size_t shownNames = 6, shownCalls = 8;

// Joins the innermost bindings and functions around the current expression: `hidden/dense/y`.
std::string nodeName(const Context& c) {
  std::string name;
  for (std::size_t i = c.namePath.size() - std::min(shownNames, c.namePath.size()); i < c.namePath.size(); ++i)
    name += (name.empty() ? "" : "/") + c.namePath[i];
  return name;
}

// Returns the spans of the current expression and of the calls that inlined it, without the call of the entry.
std::vector<Span> nodeSpans(const Context& c, Span span) {
  std::vector<Span> spans{span};
  for (std::size_t i = c.calls.size(); i > 1 && c.calls.size() - i < shownCalls; --i)
    if (spans.back() != c.calls[i - 1]) spans.push_back(c.calls[i - 1]);
  return spans;
}

}  // namespace

std::optional<std::vector<Tensor>> emitNode(Context& c, Node node, const std::vector<Tensor>& inputs,
                                            std::vector<Fact> facts) {
  if (c.failed) return std::nullopt;
  Span span = c.spans.empty() ? Span{} : c.spans.back();
  for (const Fact& fact : facts)
    for (Dim d : fact.shape)
      if (!checkSizeKnown(c, d, span)) return std::nullopt;
  for (Dim d : integersOf(c.dims(), node.attributes))
    if (!checkSizeKnown(c, d, span)) return std::nullopt;
  if (++c.nodeCount > c.limits.nodes)
    return fail(c, Diagnostic(tooManyOperators, span, arg::Name{c.entry.name}, arg::Number{c.limits.nodes})
                       .addHelp(repetitionDoubles));
  for (const Tensor& input : inputs) node.inputs.push_back(inCurrentGraph(c, input));
  addSizeDependencies(c, node, inputs, facts);
  if (std::string name = nodeName(c); !name.empty()) node.names.push_back(std::move(name));
  node.spans = nodeSpans(c, span);
  NodeId id = c.graph().add(std::move(node), std::move(facts));
  for (const auto& [slot, size] : c.graph()[id].runSizes)
    c.runSizes[size.index] = {c.scope, c.graph()[id].outputs[slot]};
  std::vector<Tensor> outputs;
  for (OutletId outlet : c.graph()[id].outputs) outputs.push_back({c.scope, outlet, std::nullopt});
  return outputs;
}

std::optional<Tensor> emit(Context& c, Op op, const std::vector<Tensor>& inputs, Attributes attributes, Fact fact) {
  Node node;
  node.op = op;
  node.attributes = std::move(attributes);
  auto size = op == Op::nonzero ? c.dims().asVariable(fact.shape[0]) : std::nullopt;
  if (size && c.runSizes.count(size->index) && !c.runSizes[size->index].outlet) node.runSizes = {{0, *size}};
  std::vector<Fact> facts;
  facts.push_back(std::move(fact));
  auto outputs = emitNode(c, std::move(node), inputs, std::move(facts));
  if (!outputs) return std::nullopt;
  return outputs->front();
}

std::optional<Tensor> materialize(Context& c, const Tensor& tensor) {
  if (!tensor.splat || tensor.splat->empty()) return tensor;
  Tensor scalar = tensor;
  scalar.splat.reset();
  return emit(c, Op::broadcast, {scalar}, {}, Fact{fact(c, tensor).elem, *tensor.splat, {}});
}

bool flattenValue(Context& c, const Value& value, std::vector<Tensor>& into, Span span, const char* where) {
  if (const Tensor* t = std::get_if<Tensor>(&value.node)) {
    std::optional<Tensor> all = materialize(c, *t);
    if (!all) return false;
    into.push_back(*all);
    return true;
  }
  if (std::holds_alternative<Closure>(value.node)) {
    failFunctionAsValue(c, where, span);
    return false;
  }
  for (const Value& part : *std::get<Tuple>(value.node))
    if (!flattenValue(c, part, into, span, where)) return false;
  return true;
}

Value rebuildValue(Context& c, TypeId type, const std::vector<Tensor>& flat, std::size_t& next) {
  const TypeTerm& term = c.type(type);
  if (term.kind != TypeKind::tuple) return {next < flat.size() ? flat[next++] : Tensor{}};
  std::vector<TypeId> types = term.parts;
  std::vector<Value> parts;
  for (TypeId part : types) parts.push_back(rebuildValue(c, part, flat, next));
  return tupleOf(std::move(parts));
}

std::optional<Tensor> reshape(Context& c, const Tensor& x, std::vector<Dim> shape) {
  if (fact(c, x).shape == shape) return x;
  Elem elem = fact(c, x).elem;
  return emit(c, Op::reshape, {x}, {}, Fact{elem, std::move(shape), {}});
}

std::optional<Tensor> transpose(Context& c, const Tensor& x, const std::vector<std::size_t>& perm) {
  Fact turned{fact(c, x).elem, {}, {}};
  for (std::size_t axis : perm) turned.shape.push_back(fact(c, x).shape[axis]);
  return emit(c, Op::transpose, {x}, PermAttributes{perm}, std::move(turned));
}

std::optional<Tensor> sliceAlong(Context& c, const Tensor& x, std::size_t axis, Dim start, Dim length) {
  Fact part{fact(c, x).elem, fact(c, x).shape, {}};
  part.shape[axis] = length;
  return emit(c, Op::slice, {x}, SliceAttributes{axis, start, constantDim(c, 1)}, std::move(part));
}

}  // namespace axle::ir::lowering
