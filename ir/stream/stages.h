// Which nodes of a streamed model run together as a stage, and what they read through buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/stream/network.h"
#include "ir/stream/partial_sums.h"

namespace axle::ir {

// Frame j of a tensor is frame j + offset of another one's buffer.
struct FrameReference {
  OutletId base;
  std::int64_t offset = 0;
};

struct Stages {
  static constexpr std::uint32_t none = UINT32_MAX;

  std::vector<bool> isLive;          // by node: a result needs it
  std::vector<bool> isAlias;         // by node: its frames are read where its operand's lie
  std::vector<std::uint32_t> of;     // by node: its stage; none for inputs, constants, aliases and joins
  std::vector<std::uint32_t> order;  // of stages
};

// The output of a node that arrives in frames; its first output where none does.
OutletId frameOutput(const StreamAnalysis& analysis, const Node& node);
// A concatenation along the stream.
bool isJoin(const StreamAnalysis& analysis, const Node& node);
// Whether the node reads positions before or behind an operand's frames.
bool readsOutside(const Model& model, const StreamAnalysis& analysis, NodeId node, std::size_t input);
// Whether it computes several frames from one: its stage has no other node.
bool isScaled(const StreamAnalysis& analysis, NodeId node);
// Where the frames of a tensor lie.
FrameReference frameReference(const Graph& graph, const StreamAnalysis& analysis, const Stages& stages, OutletId id);
// Whether a node takes an operand from the stage that it is in: the same frames, not through an alias, none outside.
bool isDirect(const Model& model, const StreamAnalysis& analysis, const Stages& stages, NodeId node, std::size_t input);

// Nodes that keep sums are stages of their own.
Stages makeStages(const Model& model, const StreamAnalysis& analysis, const SumPlans& sums);

}  // namespace axle::ir
