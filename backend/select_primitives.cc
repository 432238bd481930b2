// The primitives: for operators that take most of the time, kernels beside the plain ones.
#include <algorithm>

#include "backend/program.h"
#include "runtime/ops.h"

namespace axle {
namespace {

struct Candidate {
  const ir::Model& model;
  const ir::Graph& graph;
  const ir::Node& node;
  const Call& call;

  const ir::Fact& input(std::size_t i) const { return graph[call.inputs[i]].fact; }
  std::optional<std::int64_t> constant(Dim size) const { return model.dims->asConstant(size); }
  bool isConstant(std::size_t i) const { return graph.producer(call.inputs[i]).op == ir::Op::constant; }
};

bool isF32(const Candidate& c) { return c.input(0).elem == Elem::f32 && c.input(1).elem == Elem::f32; }

constexpr std::size_t mostSpatialAxes = 3;  // of the kernels that follow windows

const ir::ConvAttributes* windowsOf(const Candidate& c) {
  const auto& conv = std::get<ir::ConvAttributes>(c.node.attributes);
  const bool isSpread =
      std::any_of(conv.spreads.begin(), conv.spreads.end(), [&](Dim spread) { return c.constant(spread) != 1; });
  return isF32(c) && !isSpread && conv.strides.size() <= mostSpatialAxes ? &conv : nullptr;
}

bool isDepthwise(const Candidate& c) {
  const ir::ConvAttributes* conv = windowsOf(c);
  if (conv == nullptr) return false;
  const std::vector<Dim>& filter = c.input(1).shape;
  const auto groups = c.constant(conv->groups);
  return groups && c.constant(filter[filter.size() - 2]) == 1 && c.constant(filter.back()) == groups;
}

std::int64_t noPanels(const Candidate&) { return 0; }

bool isConvByConstant(const Candidate& c) {
  const ir::ConvAttributes* conv = windowsOf(c);
  return conv != nullptr && c.isConstant(1) && c.constant(conv->groups);
}

std::int64_t groupsOf(const Candidate& c) {
  return *c.constant(std::get<ir::ConvAttributes>(c.node.attributes).groups);
}

bool isProductByConstant(const Candidate& c) {
  const std::vector<Dim>& right = c.input(1).shape;
  return isF32(c) && c.isConstant(1) &&
         std::all_of(right.begin(), right.end() - 2, [&](Dim size) { return c.constant(size) == 1; });
}

std::int64_t oneGroup(const Candidate&) { return 1; }

struct Primitive {
  ir::Op op;  // that it computes
  std::uint32_t number;
  bool (*applies)(const Candidate&);
  std::int64_t (*groups)(const Candidate&);  // in which input 1 is stored in panels; 0: as it is
};

// The first one that applies is taken.
constexpr Primitive primitives[] = {
    {ir::Op::conv, op::convDepthwise, isDepthwise, noPanels},
    {ir::Op::conv, op::convPanels, isConvByConstant, groupsOf},
    {ir::Op::matmul, op::matmulPanels, isProductByConstant, oneGroup},
    {ir::Op::matmul, op::matmulVector, isF32, noPanels},
};

}  // namespace

void selectPrimitives(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g)
    for (Call& call : program.graphs[g]) {
      if (!call.node || call.alias) continue;
      const ir::Node& node = model.graphs[g][call.node];
      const Candidate candidate{model, model.graphs[g], node, call};
      for (const Primitive& primitive : primitives) {
        if (primitive.op != node.op || !primitive.applies(candidate)) continue;
        call.primitive = primitive.number;
        call.groupsInPanels = primitive.groups(candidate);
        break;
      }
    }
}

}  // namespace axle
