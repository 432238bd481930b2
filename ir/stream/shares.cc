// Stages that add the shares of frames to sums: what they compute in place of an operator.
#include "ir/stream/stage_model.h"

namespace axle::ir {

// The convolution of frames that are read once, with taps as result channels.
OutletId StageModel::convShares(NodeId id, const SharesStage& shares) {
  const Node& from = node(id);
  auto attributes = as<ConvAttributes>(from);
  const std::size_t axis = flow(from.inputs[0]).axis;
  attributes.before[axis - 1] = attributes.after[axis - 1] = number(0);
  attributes.strides[axis - 1] = number(shares.window.stride);
  attributes.dilations[axis - 1] = attributes.spreads[axis - 1] = number(1);
  Constant filter = main_[main_.main().producer(from.inputs[1]).constant];
  filter.shape[axis - 1] = shares.window.last - shares.window.first + 1;
  filter.shape.back() *= shares.sink.count;
  filter.rearranged = shares.filter;
  Fact fact = factOf(from.outputs[0], frames_);
  fact.shape.back() = main_.dims->mul(fact.shape.back(), number(shares.sink.count));
  return wireOne(id, Op::conv, {operand(id, 0), ownConstant(std::move(filter))}, attributes, std::move(fact));
}

// Its frames one after another.
OutletId StageModel::overlapAddShares(NodeId id) {
  const std::size_t axis = as<FrameAttributes>(node(id)).axis;
  Fact fact = stage_.model.main()[operand(id, 0)].fact;
  fact.shape[axis] = main_.dims->mul(fact.shape[axis], fact.shape[axis + 1]);
  fact.shape.erase(fact.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const OutletId rows = wireOne(id, Op::reshape, {operand(id, 0)}, NoAttributes{}, fact);
  return wireOne(id, Op::copy, {rows}, NoAttributes{}, fact);
}

std::optional<std::string> StageModel::addShares(NodeId id, const SharesStage& shares, std::uint32_t buffer) {
  const OutletId made = node(id).op == Op::conv ? convShares(id, shares) : overlapAddShares(id);
  if (!wrong_.empty()) return wrong_;
  stage_.model.graphs.front().outputs.push_back(made);
  stage_.model.outputNames.push_back("out.0");
  stage_.sinks.push_back(shares.sink);
  stage_.sinks.back().index = buffer;
  return std::nullopt;
}

}  // namespace axle::ir
