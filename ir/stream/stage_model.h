// The model of one stage: the nodes of a streamed model over the frames that a push makes ready.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "ir/stream/network.h"
#include "ir/stream/partial_sums.h"

namespace axle::ir {

class StageModel {
 public:
  // `frames`: the symbol of the number of frames that a run computes; for a stage that computes several frames from
  // each, of the number that it reads.
  StageModel(const Model& main, const StreamAnalysis& analysis, DimVar frames);

  // Whether the operand is computed in this stage.
  bool has(NodeId node, std::size_t input) const;
  // Returns the window of the operand's frames that the stage reads.
  FrameWindow windowOf(NodeId node, std::size_t input) const;
  std::int64_t placesBefore(NodeId node, const FrameWindow& window) const;
  // Adds the source of an operand. Operands with the same source share one input of the model.
  void addSource(NodeId node, std::size_t input, const StageSource& source);
  // Adds the source of a loop's operand that is a first state.
  void addState(NodeId node, std::size_t input, std::uint32_t state);
  // Adds a node whose operands are added or are constants. Returns the reason if that is not possible. `state`: the
  // state of a running sum.
  std::optional<std::string> addNode(NodeId node, std::optional<std::uint32_t> state);
  // Adds the shares of the node's first operand in sums, instead of the node.
  std::optional<std::string> addShares(NodeId node, const SharesStage& shares, std::uint32_t buffer);
  // Adds a copy of a constant.
  void addConstant(OutletId constant);
  void addSink(OutletId output, StageSink sink);

  tl::expected<StreamStage, std::string> finish() &&;

 private:
  const Node& node(NodeId id) const { return main_.main()[id]; }
  const Flow& flow(OutletId id) const { return analysis_.flows[id.index]; }
  Dim number(std::int64_t value) { return main_.dims->constant(value); }

  OutletId operand(NodeId id, std::size_t input);
  OutletId input(const StageSource& source, Fact fact);
  OutletId constant(ConstantId id);
  OutletId ownConstant(Constant made);
  // Copies a body, over `frames_` frames in place of `all`.
  GraphId copyBody(GraphId id, Dim all);
  // Adds a node whose operator infers its facts. If it does not fit, sets `wrong_` and returns no outlets.
  std::vector<OutletId> wire(Node node, std::vector<Fact> declared);
  OutletId wireOne(NodeId origin, Op op, std::vector<OutletId> inputs, Attributes attributes, Fact declared);
  // Returns the fact of an outlet of the main graph with `size` frames.
  Fact factOf(OutletId id, Dim size) const;
  OutletId slice(NodeId origin, OutletId x, std::size_t axis, Dim start, Dim length);

  void addPlain(NodeId id);
  void addConv(NodeId id);
  void addPool(NodeId id);
  void addPad(NodeId id);
  void addOverlapAdd(NodeId id);
  OutletId convShares(NodeId id, const SharesStage& shares);
  OutletId poolShares(NodeId id, const SharesStage& shares);
  OutletId overlapAddShares(NodeId id);
  void addRunning(NodeId id, std::uint32_t state);
  void addLoop(NodeId id);
  void addIota(NodeId id);

  const Model& main_;
  const StreamAnalysis& analysis_;
  Dim frames_;
  StreamStage stage_;
  std::map<std::pair<std::uint32_t, std::size_t>, OutletId> operands_;  // by node and input
  std::map<std::uint32_t, OutletId> local_;                             // by main outlet
  std::map<std::uint32_t, OutletId> constants_;                         // by constant of the main model
  std::vector<std::pair<StageSource, OutletId>> inputs_;
  std::string wrong_;
};

}  // namespace axle::ir
