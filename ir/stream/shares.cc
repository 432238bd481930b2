// Wires the operators of stages that add shares of frames to sums.
#include "ir/passes/attributes.h"
#include "ir/stream/stage_model.h"

namespace axle::ir {

// Wires a convolution of frames that are read once, with taps as result channels.
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

// Wires the average over the other axes, divided by the number of frames in a result, and repeats it for each result
// that uses a frame.
OutletId StageModel::poolShares(NodeId id, const SharesStage& shares) {
  const Node& from = node(id);
  auto attributes = as<PoolAttributes>(from);
  const std::size_t axis = flow(from.inputs[0]).axis, k = axis - 1;
  const auto size = static_cast<double>(main_.dims->asConstant(attributes.sizes[k]).value_or(1));
  attributes.sizes[k] = number(1);
  attributes.strides[k] = number(shares.window.stride);
  attributes.before[k] = attributes.after[k] = number(0);
  Fact fact = factOf(from.outputs[0], frames_);
  const OutletId pooled = wireOne(id, from.op, {operand(id, 0)}, attributes, fact);
  Constant weight{"", fact.elem, {}, {}, nullptr, {}};
  weight.bytes = std::make_shared<const std::vector<std::byte>>(floatBytes(fact.elem, 1 / size));
  const OutletId share = wireOne(id, Op::mul, {pooled, ownConstant(std::move(weight))}, NoAttributes{}, fact);
  if (shares.sink.count == 1) return share;
  const Dim channels = fact.shape.back(), count = number(shares.sink.count);
  Fact column = fact, copies = fact;
  column.shape.insert(column.shape.end() - 1, number(1));
  copies.shape.insert(copies.shape.end() - 1, count);
  fact.shape.back() = main_.dims->mul(channels, count);
  const OutletId shaped = wireOne(id, Op::reshape, {share}, NoAttributes{}, column);
  const OutletId repeated = wireOne(id, Op::broadcast, {shaped}, NoAttributes{}, copies);
  return wireOne(id, Op::reshape, {repeated}, NoAttributes{}, fact);
}

// Wires the frames one after another along one axis.
OutletId StageModel::overlapAddShares(NodeId id) {
  const std::size_t axis = as<FrameAttributes>(node(id)).axis;
  Fact fact = stage_.model.main()[operand(id, 0)].fact;
  fact.shape[axis] = main_.dims->mul(fact.shape[axis], fact.shape[axis + 1]);
  fact.shape.erase(fact.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const OutletId rows = wireOne(id, Op::reshape, {operand(id, 0)}, NoAttributes{}, fact);
  return wireOne(id, Op::copy, {rows}, NoAttributes{}, fact);
}

std::optional<std::string> StageModel::addShares(NodeId id, const SharesStage& shares, std::uint32_t buffer) {
  const Op op = node(id).op;
  const OutletId made = op == Op::conv      ? convShares(id, shares)
                        : op == Op::avgPool ? poolShares(id, shares)
                                            : overlapAddShares(id);
  if (!wrong_.empty()) return wrong_;
  stage_.model.graphs.front().outputs.push_back(made);
  stage_.model.outputNames.push_back("out.0");
  stage_.sinks.push_back(shares.sink);
  stage_.sinks.back().index = buffer;
  return std::nullopt;
}

}  // namespace axle::ir
