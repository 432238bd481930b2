// Selects primitives: kernels for the operators that take most of the time, used in place of the plain ones.
#include <algorithm>
#include <iterator>

#include "backend/primitive_rows.h"
#include "backend/program.h"
#include "backend/winograd_costs.h"
#include "runtime/ops.h"
#include "runtime/program.h"
#include "runtime/vector/groups.h"
#include "runtime/vector/winograd.h"

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

bool isHalf(const Candidate& c) {
  const Elem elem = c.input(0).elem;
  return (elem == Elem::f16 || elem == Elem::bf16) && c.input(1).elem == elem;
}

constexpr std::size_t mostSpatialAxes = 3;  // of the kernels that follow windows

const ir::ConvAttributes* windowsOf(const Candidate& c) {
  const auto& conv = std::get<ir::ConvAttributes>(c.node.attributes);
  const bool isSpread =
      std::any_of(conv.spreads.begin(), conv.spreads.end(), [&](Dim spread) { return c.constant(spread) != 1; });
  return !isSpread && conv.strides.size() <= mostSpatialAxes ? &conv : nullptr;
}

bool isDepthwise(const Candidate& c) {
  const ir::ConvAttributes* conv = windowsOf(c);
  if (conv == nullptr) return false;
  const std::vector<Dim>& filter = c.input(1).shape;
  const auto groups = c.constant(conv->groups);
  return groups && c.constant(filter[filter.size() - 2]) == 1 && c.constant(filter.back()) == groups;
}

// Whether vectors can hold the results of several groups.
bool hasNarrowGroups(const Candidate& c) {
  const ir::ConvAttributes* conv = windowsOf(c);
  if (conv == nullptr) return false;
  const std::vector<Dim>& filter = c.input(1).shape;
  const auto groups = c.constant(conv->groups), depth = c.constant(filter[filter.size() - 2]),
             results = c.constant(filter.back()), channels = c.constant(c.input(0).shape.back());
  return groups && depth && results && channels && *groups > 0 && *channels % runtime::groupedChannels == 0 &&
         runtime::groupFormOf(*depth, *results / *groups) < std::size(runtime::groupForms);
}

Storage asItIs(const Candidate&) { return {}; }

bool isConvByConstant(const Candidate& c) {
  const ir::ConvAttributes* conv = windowsOf(c);
  return conv != nullptr && c.isConstant(1) && c.constant(conv->groups);
}

Storage inGroups(const Candidate& c) { return {*c.constant(std::get<ir::ConvAttributes>(c.node.attributes).groups)}; }

// Whether tiles of `tile` x `tile` results by Winograd's algorithm are the fastest way to compute a convolution with
// windows of 3 x 3.
template <std::int64_t tile>
bool isFastestInTiles(const Candidate& c) {
  if (!isConvByConstant(c) || c.input(1).shape.size() != 4) return false;
  const auto& conv = std::get<ir::ConvAttributes>(c.node.attributes);
  const auto isOne = [&](Dim size) { return c.constant(size) == 1; };
  if (!isOne(conv.groups) || !std::all_of(conv.strides.begin(), conv.strides.end(), isOne) ||
      !std::all_of(conv.dilations.begin(), conv.dilations.end(), isOne))
    return false;
  const std::vector<Dim>&filter = c.input(1).shape, &result = c.graph[c.node.outputs[0]].fact.shape;
  const auto channels = c.constant(filter[2]), columns = c.constant(filter[3]);
  const auto height = c.constant(result[1]), width = c.constant(result[2]);
  if (c.constant(filter[0]) != runtime::winogradWindow || c.constant(filter[1]) != runtime::winogradWindow ||
      !channels || !columns || !height || !width)
    return false;
  return fastestWinogradTile({c.constant(result[0]).value_or(1), *height, *width, *channels, *columns}) == tile;
}

bool isProductByConstant(const Candidate& c) {
  const std::vector<Dim>& right = c.input(1).shape;
  return isF32(c) && c.isConstant(1) &&
         std::all_of(right.begin(), right.end() - 2, [&](Dim size) { return c.constant(size) == 1; });
}

Storage inPanels(const Candidate&) { return {1}; }

using Condition = bool (*)(const Candidate&);
template <Condition hasElem, Condition applies>
bool both(const Candidate& c) {
  return hasElem(c) && applies(c);
}

struct Primitive {
  ir::Op op;  // the operator that it computes
  std::uint32_t number;
  bool (*applies)(const Candidate&);
  Storage (*storage)(const Candidate&);  // of input 1
  std::string_view when;                 // `applies`, in words
};

// The first that applies is used.
constexpr Primitive primitives[] = {
    {ir::Op::conv, op::convDepthwise, both<isF32, isDepthwise>, asItIs, "f32; one result for each channel"},
    {ir::Op::conv, op::convGroups, both<isF32, hasNarrowGroups>, asItIs, "f32; groups of few channels"},
    {ir::Op::conv, op::convWinogradF2, both<isF32, isFastestInTiles<2>>, inGroups,
     "f32; a constant filter of 3 x 3, stride 1, where tiles of 2 x 2 results are the fastest"},
    {ir::Op::conv, op::convWinogradF4, both<isF32, isFastestInTiles<4>>, inGroups,
     "f32; as CONV_WINOGRAD_F2, with tiles of 4 x 4"},
    {ir::Op::conv, op::convWinogradF6, both<isF32, isFastestInTiles<6>>, inGroups,
     "f32; as CONV_WINOGRAD_F2, with tiles of 6 x 6"},
    {ir::Op::conv, op::convPanels, both<isF32, isConvByConstant>, inGroups, "f32; another constant filter"},
    {ir::Op::conv, op::convDepthwiseHalf, both<isHalf, isDepthwise>, asItIs,
     "f16 or bf16; one result for each channel"},
    {ir::Op::conv, op::convGroups, both<isHalf, hasNarrowGroups>, asItIs, "f16 or bf16; groups of few channels"},
    {ir::Op::conv, op::convWinogradHalfF2, both<isHalf, isFastestInTiles<2>>, inGroups,
     "f16 or bf16; as CONV_WINOGRAD_F2"},
    {ir::Op::conv, op::convWinogradHalfF4, both<isHalf, isFastestInTiles<4>>, inGroups,
     "f16 or bf16; as CONV_WINOGRAD_F4"},
    {ir::Op::conv, op::convWinogradHalfF6, both<isHalf, isFastestInTiles<6>>, inGroups,
     "f16 or bf16; as CONV_WINOGRAD_F6"},
    {ir::Op::conv, op::convPanelsHalf, both<isHalf, isConvByConstant>, inGroups,
     "f16 or bf16; another constant filter"},
    {ir::Op::matmul, op::matmulPanels, isProductByConstant, inPanels, "f32; a constant right factor"},
    {ir::Op::matmul, op::matmulVector, isF32, asItIs, "f32; another right factor"},
    {ir::Op::matmul, op::matmulVector, isHalf, asItIs, "f16 or bf16"},
};

// Primitives that no row above chooses: fusing makes these calls.
constexpr PrimitiveRow joining[] = {
    {"CHAIN", "pointwise operators", "several in a row, in one pass over memory"},
    {"ROWS", "pointwise operators and reductions", "over whole rows: softmax, normalisations"},
    {"SHIFT", "SLICE", "of padded rows, within ROWS"},
};

}  // namespace

std::vector<PrimitiveRow> primitiveRows() {
  std::vector<PrimitiveRow> rows;
  for (const Primitive& primitive : primitives)
    rows.push_back({runtime::operatorRow(primitive.number)->name,
                    runtime::operatorRow(static_cast<std::uint32_t>(primitive.op))->name, primitive.when});
  rows.insert(rows.end(), std::begin(joining), std::end(joining));
  return rows;
}

void selectPrimitives(const ir::Model& model, Program& program) {
  for (std::size_t g = 0; g < model.graphs.size(); ++g)
    for (Call& call : program.graphs[g]) {
      if (!call.node || call.alias) continue;
      const ir::Node& node = model.graphs[g][call.node];
      const Candidate candidate{model, model.graphs[g], node, call};
      for (const Primitive& primitive : primitives) {
        if (primitive.op != node.op || !primitive.applies(candidate)) continue;
        call.primitive = primitive.number;
        call.storage = primitive.storage(candidate);
        break;
      }
    }
}

}  // namespace axle
