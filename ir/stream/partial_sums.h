// Partial sums: an operator that adds up frames may keep sums of the results that are begun, in place of the frames
// that these results need. Each new frame is multiplied once, and its shares are added to all results that use it.
// docs/streaming.md has the mathematics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/stream/network.h"

namespace axle::ir {

// A stage that adds the shares of some of an operand's frames. Several stages may contribute to one result.
struct SharesStage {
  FrameWindow window;                     // of the operand's buffer
  StageSink sink;                         // without its index
  std::optional<Rearrangement> filter{};  // of a convolution
};

struct SumPlan {
  std::vector<SharesStage> stages;
  // The most sums, and the most frames that wait for others, at any time if frames arrive one by one.
  std::int64_t begun = 0, waiting = 0;
};
using SumPlans = std::map<std::uint32_t, SumPlan>;  // by node

// The readers of a tensor's frames.
struct FrameUse {
  struct Reader {
    NodeId node;
    std::int64_t history = 0;  // the most frames that it needs again
    double sumBytes = 0;       // the bytes of one frame of its result
    std::vector<SumPlan> plans;
  };
  double frameBytes = 0;
  std::vector<Reader> readers;
};
// Returns the nodes that keep sums: those that save more than a tenth of the bytes kept of a tensor's frames. All
// readers share the frames that one needs, so either the readers that reach back farthest keep sums, or none does.
SumPlans choosePlans(const std::vector<FrameUse>& uses);

// Returns the ways to keep sums for a node over its first operand, whose frame j is frame j + offset of its buffer.
// Returns none if the node does more than multiply by constants and add, or if frames outside of the operand would have
// shares.
std::vector<SumPlan> sumPlans(const Model& model, const StreamAnalysis& analysis, NodeId node, std::int64_t offset);

}  // namespace axle::ir
