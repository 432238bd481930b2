// Groups the nodes of a streamed model into stages, and finds the tensors that they read through buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/stream/network.h"
#include "ir/stream/partial_sums.h"

namespace axle::ir {

// The place of a tensor's frames: frame j is frame j + offset of the buffer of `base`.
struct FrameReference {
  OutletId base;
  std::int64_t offset = 0;
};

struct Stages {
  static constexpr std::uint32_t none = UINT32_MAX;

  std::vector<bool> isLive;          // by node: a result needs it
  std::vector<bool> isAlias;         // by node: its frames are read from its operand's buffer
  std::vector<std::uint32_t> of;     // by node: its stage; none for inputs, constants, aliases and joins
  std::vector<std::uint32_t> order;  // of stages
};

// Returns the output of a node that arrives in frames, or its first output if none does.
OutletId frameOutput(const StreamAnalysis& analysis, const Node& node);
// Whether the node is a concatenation along the stream.
bool isJoin(const StreamAnalysis& analysis, const Node& node);
// Whether the node reads positions before or behind an operand's frames.
bool readsOutside(const Model& model, const StreamAnalysis& analysis, NodeId node, std::size_t input);
// Whether the node computes several frames from one. Then its stage has no other node.
bool isScaled(const StreamAnalysis& analysis, NodeId node);
// Returns the place of a tensor's frames.
FrameReference frameReference(const Graph& graph, const StreamAnalysis& analysis, const Stages& stages, OutletId id);
// Whether a node can be in the stage that computes its operand: it reads the same frames, not through an alias, and
// none outside.
bool isDirect(const Model& model, const StreamAnalysis& analysis, const Stages& stages, NodeId node, std::size_t input);

// Makes the stages. A node that keeps sums is a separate stage.
Stages makeStages(const Model& model, const StreamAnalysis& analysis, const SumPlans& sums);

}  // namespace axle::ir
