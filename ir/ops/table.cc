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
    {Op::none, "OP_NONE", 0, atLeast(0), attributes::none, 0, Folding::never, &sourceRules},
    {Op::input, "INPUT", 0, 1, attributes::none, 0, Folding::never, &sourceRules},
    {Op::constant, "CONSTANT", 0, 1, attributes::none, 0, Folding::never, &sourceRules},
#define OPERATOR(name, number, printed, prepare, inputs, outputs, list, bodies, flags, rules) \
  {Op::name, printed, inputs, outputs, attributes::list, bodies, foldingOf(bodies, flags), &rules##Rules},
#include "runtime/ops.def"
};

constexpr auto byOp = [] {
  std::array<std::uint8_t, static_cast<std::size_t>(Op::constant) + 1> places{};
  for (std::size_t i = 0; i < std::size(rows); ++i)
    places[static_cast<std::size_t>(rows[i].op)] = static_cast<std::uint8_t>(i);
  return places;
}();

// The facts and bodies that the rules of a node read.
struct NodeFacts {
  std::vector<Fact> inputs, declared;
  std::vector<const Graph*> bodies;
  NodeFacts(const Model& model, const Graph& graph, const Node& node) {
    for (OutletId id : node.inputs) inputs.push_back(graph[id].fact);
    for (OutletId id : node.outputs) declared.push_back(graph[id].fact);
    for (GraphId id : node.bodies) bodies.push_back(&model.graphs[id.index]);
  }
};

std::size_t expectedInts(const OpRow& r, const InferContext& c) {
  std::size_t rank = !c.inputs.empty() ? c.inputs[0].shape.size() : 0,
              others = static_cast<std::size_t>(r.ints.otherAxes);
  rank -= std::min(rank, others);
  return static_cast<std::size_t>(r.ints.fixed) + static_cast<std::size_t>(r.ints.perAxis) * rank;
}

std::optional<std::string> countMismatch(const OpRow& r, const Node& node, const InferContext& c) {
  std::string name(r.name);
  if (!r.inputs.contains(node.inputs.size())) return name + " has " + std::to_string(node.inputs.size()) + " inputs";
  if (!r.outputs.contains(node.outputs.size()))
    return name + " has " + std::to_string(node.outputs.size()) + " outputs";
  if (node.bodies.size() != static_cast<std::size_t>(r.bodies))
    return name + " has " + std::to_string(node.bodies.size()) + " bodies";
  if (r.ints.fixed != any && node.ints.size() != expectedInts(r, c))
    return name + " has " + std::to_string(node.ints.size()) + " ints, not " + std::to_string(expectedInts(r, c));
  for (Dim d : node.ints)
    if (c.dims.isUndefined(d)) return name + " has an undefined attribute";
  return std::nullopt;
}

Dim bytesOf(DimStore& dims, const Fact& fact) {
  return dims.mul(elementCount(dims, fact.shape), dims.constant(static_cast<std::int64_t>(info(fact.elem).bytes)));
}

// The number of times that an operator runs its bodies.
Dim runsOf(DimStore& dims, const Node& node, const std::vector<Fact>& inputs) {
  auto leading = [&](std::size_t input) {
    return input < inputs.size() && !inputs[input].shape.empty() ? inputs[input].shape[0] : dims.constant(1);
  };
  switch (node.op) {
    case Op::map:
      return leading(0);
    case Op::loop:
      return leading(static_cast<std::size_t>(dims.asConstant(node.ints[0]).value_or(0)));
    case Op::reduce: {
      auto axis = static_cast<std::size_t>(dims.asConstant(node.ints[0]).value_or(0));
      return inputs.size() > 1 && axis < inputs[1].shape.size() ? elementCount(dims, inputs[1].shape)
                                                                : dims.constant(1);
    }
    default:
      return dims.constant(1);
  }
}

}  // namespace

std::span<const OpRow> opTable() { return rows; }

const OpRow& row(Op op) {
  auto index = static_cast<std::size_t>(op);
  return rows[index < byOp.size() ? byOp[index] : 0];
}

Inferred infer(const Model& model, const Graph& graph, const Node& node) {
  NodeFacts facts(model, graph, node);
  InferContext c{*model.dims, facts.inputs, node.ints, facts.declared, facts.bodies};
  const OpRow& r = row(node.op);
  if (auto wrong = countMismatch(r, node, c)) return doesNotFit(*wrong);
  Inferred inferred = r.rules->facts(c);
  if (inferred && inferred->size() != node.outputs.size())
    return doesNotFit(std::string(r.name) + " gives " + std::to_string(inferred->size()) + " outputs");
  return inferred;
}

Cost cost(const Model& model, const Graph& graph, const Node& node) {
  NodeFacts facts(model, graph, node);
  DimStore& dims = *model.dims;
  InferContext c{dims, facts.inputs, node.ints, facts.declared, facts.bodies};
  Cost total{row(node.op).rules->flops(c), dims.constant(0)};
  for (const Fact& fact : facts.inputs) total.bytes = dims.add(total.bytes, bytesOf(dims, fact));
  for (const Fact& fact : facts.declared) total.bytes = dims.add(total.bytes, bytesOf(dims, fact));
  Dim runs = runsOf(dims, node, facts.inputs);
  for (const Graph* body : facts.bodies)
    for (const Node& inner : body->nodes) {
      if (inner.op == Op::none) continue;
      Cost part = cost(model, *body, inner);
      total.flops = dims.add(total.flops, dims.mul(runs, part.flops));
      total.bytes = dims.add(total.bytes, dims.mul(runs, part.bytes));
    }
  return total;
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

std::optional<std::size_t> axisOf(const InferContext& c, std::size_t index) {
  std::optional<std::int64_t> axis = c.dims.asConstant(c.ints[index]);
  if (!axis || *axis < 0 || static_cast<std::size_t>(*axis) >= c.inputs[0].shape.size()) return std::nullopt;
  return static_cast<std::size_t>(*axis);
}

Dim noFlops(const InferContext& c) { return c.dims.constant(0); }
Dim flopsOfInput(const InferContext& c) { return elementCount(c.dims, c.inputs[0].shape); }
Dim flopsOfOutput(const InferContext& c) {
  return c.declared.empty() ? noFlops(c) : elementCount(c.dims, c.declared[0].shape);
}

}  // namespace axle::ir
