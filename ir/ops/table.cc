#include "ir/ops/table.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "ir/ops/rules.h"

namespace axle::ir {

namespace {

using namespace ops;

constexpr Folding foldingOf(int bodies, Flags flags) {
  if (bodies > 0 || (flags & (findsSizes | checksInputs)) != 0) return Folding::never;
  return (flags & mayFail) != 0 ? Folding::checked : Folding::always;
}

constexpr OpRow rows[] = {
    {Op::none, "OP_NONE", 0, atLeast(0), AttributesKind::No, {}, 0, Folding::never, &sourceRules},
    {Op::input, "INPUT", 0, 1, AttributesKind::No, {}, 0, Folding::never, &sourceRules},
    {Op::constant, "CONSTANT", 0, 1, AttributesKind::No, {}, 0, Folding::never, &sourceRules},
#define OPERATOR(name, number, printed, prepare, inputs, outputs, list, bodies, flags, kernel, rules)                \
  {Op::name,     printed, inputs, outputs, AttributesKind::list, attributes::list, bodies, foldingOf(bodies, flags), \
   &rules##Rules},
#include "runtime/ops.def"
};

constexpr auto byOp = [] {
  std::array<std::uint8_t, static_cast<std::size_t>(Op::constant) + 1> places{};
  for (std::size_t i = 0; i < std::size(rows); ++i)
    places[static_cast<std::size_t>(rows[i].op)] = static_cast<std::uint8_t>(i);
  return places;
}();

// The data that the rules of a node read.
struct NodeContext {
  std::vector<Fact> inputs, declared;
  std::vector<const Graph*> bodies;
  InferContext context;
  NodeContext(const Model& model, const Graph& graph, const Node& node)
      : context{*model.dims, inputs, node.attributes, declared, bodies} {
    for (OutletId id : node.inputs) inputs.push_back(graph[id].fact);
    for (OutletId id : node.outputs) declared.push_back(graph[id].fact);
    for (GraphId id : node.bodies) bodies.push_back(&model.graphs[id.index]);
  }
};

// Returns the number of axes of the first input that attribute lists have an item for.
std::size_t listedAxes(const OpRow& r, const InferContext& c) {
  const std::size_t rank = c.inputs.empty() ? 0 : c.inputs[0].shape.size();
  return rank - std::min(rank, static_cast<std::size_t>(r.ints.otherAxes));
}

std::optional<std::string> countMismatch(const OpRow& r, const Node& node, const InferContext& c) {
  std::string name(r.name);
  if (!r.inputs.contains(node.inputs.size())) return name + " has " + std::to_string(node.inputs.size()) + " inputs";
  if (!r.outputs.contains(node.outputs.size()))
    return name + " has " + std::to_string(node.outputs.size()) + " outputs";
  if (node.bodies.size() != static_cast<std::size_t>(r.bodies))
    return name + " has " + std::to_string(node.bodies.size()) + " bodies";
  if (kindOf(c.attributes) != r.attributes) return name + " has the attributes of another operator";
  if (r.ints.perAxis != 0 && !listsHaveLength(c.attributes, listedAxes(r, c)))
    return name + " has attributes for another number of axes than " + std::to_string(listedAxes(r, c));
  for (Dim d : integersOf(c.dims, c.attributes))
    if (c.dims.isUndefined(d)) return name + " has an undefined attribute";
  return std::nullopt;
}

Dim bytesOf(DimStore& dims, const Fact& fact) {
  return dims.mul(elementCount(dims, fact.shape), dims.constant(static_cast<std::int64_t>(info(fact.elem).bytes)));
}

// Returns the number of times that an operator runs its bodies, or 1 if it is not known.
Dim runsOf(Op op, const InferContext& c) {
  auto leading = [&](std::size_t input) {
    return input < c.inputs.size() && !c.inputs[input].shape.empty() ? c.inputs[input].shape[0] : c.dims.constant(1);
  };
  switch (op) {
    case Op::map:
      return leading(0);
    case Op::loop:
      return leading(c.as<LoopAttributes>().states);
    case Op::reduce:
      return c.inputs.size() > 1 && c.as<AxisAttributes>().axis < c.inputs[1].shape.size()
                 ? elementCount(c.dims, c.inputs[1].shape)
                 : c.dims.constant(1);
    default:
      return c.dims.constant(1);
  }
}

}  // namespace

std::span<const OpRow> opTable() { return rows; }

const OpRow& row(Op op) {
  auto index = static_cast<std::size_t>(op);
  return rows[index < byOp.size() ? byOp[index] : 0];
}

Inferred infer(const Model& model, const Graph& graph, const Node& node) {
  const NodeContext of(model, graph, node);
  const OpRow& r = row(node.op);
  if (auto wrong = countMismatch(r, node, of.context)) return doesNotFit(*wrong);
  Inferred inferred = r.rules->facts(of.context);
  if (inferred && inferred->size() != node.outputs.size())
    return doesNotFit(std::string(r.name) + " gives " + std::to_string(inferred->size()) + " outputs");
  return inferred;
}

Cost cost(const Model& model, const Graph& graph, const Node& node) {
  const NodeContext of(model, graph, node);
  DimStore& dims = *model.dims;
  Cost total{row(node.op).rules->cost(of.context), dims.constant(0)};
  for (const Fact& fact : of.inputs) total.bytes = dims.add(total.bytes, bytesOf(dims, fact));
  for (const Fact& fact : of.declared) total.bytes = dims.add(total.bytes, bytesOf(dims, fact));
  if (of.bodies.empty()) return total;
  const Dim runs = runsOf(node.op, of.context);
  for (const Graph* body : of.bodies)
    for (const Node& inner : body->nodes) {
      if (inner.op == Op::none) continue;
      Cost part = cost(model, *body, inner);
      total.flops = dims.add(total.flops, dims.mul(runs, part.flops));
      total.bytes = dims.add(total.bytes, dims.mul(runs, part.bytes));
    }
  return total;
}

AxisMap axes(const Model& model, const Graph& graph, const Node& node) {
  const NodeContext of(model, graph, node);
  return row(node.op).rules->axes(of.context);
}

bool alwaysDiffer(DimStore& dims, Dim a, Dim b) {
  if (a == b) return false;
  std::optional<std::int64_t> difference = dims.asConstant(dims.sub(a, b));
  return difference && *difference != 0;
}

bool alwaysDiffer(DimStore& dims, const std::vector<Dim>& a, const std::vector<Dim>& b) {
  if (a.size() != b.size()) return true;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (alwaysDiffer(dims, a[i], b[i])) return true;
  return false;
}

std::string typeText(const DimStore& dims, const Fact& fact) {
  std::string text(info(fact.elem).name);
  text += " [";
  for (std::size_t i = 0; i < fact.shape.size(); ++i) text += (i ? ", " : "") + dims.print(fact.shape[i]);
  return text + "]";
}

}  // namespace axle::ir
