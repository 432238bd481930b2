// Operators that add up frames may keep sums of the results that are begun, in place of the frames that these results
// are computed from: each frame that comes is multiplied once, and its shares are added to all results that it has a
// share in. docs/streaming.md has the mathematics.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/stream/network.h"

namespace axle::ir {

// A stage that adds the shares of some of an operand's frames; several may add up one result.
struct SharesStage {
  FrameWindow window;                     // of the operand's buffer
  StageSink sink;                         // without its index
  std::optional<Rearrangement> filter{};  // of a convolution
};

struct SumPlan {
  std::vector<SharesStage> stages;
  // At a time, where frames come one by one: sums, and frames that wait for others.
  std::int64_t begun = 0, waiting = 0;
};
using SumPlans = std::map<std::uint32_t, SumPlan>;  // by node

// Who reads a tensor's frames.
struct FrameUse {
  struct Reader {
    NodeId node;
    std::int64_t history = 0;  // frames that it needs again, at most
    double sumBytes = 0;       // of one frame of its result
    std::vector<SumPlan> plans;
  };
  double frameBytes = 0;
  std::vector<Reader> readers;
};
// Which nodes keep sums: those for which that saves more than a tenth of what is kept of a tensor's frames. Frames that
// one reader needs serve all, so the readers that reach back farthest keep sums, or none does.
SumPlans choosePlans(const std::vector<FrameUse>& uses);

// The ways to keep sums for a node over its first operand; frame j of that is frame j + offset of its buffer. None
// where it does more than multiply by constants and add, or where frames outside of the operand would have shares.
std::vector<SumPlan> sumPlans(const Model& model, const StreamAnalysis& analysis, NodeId node, std::int64_t offset);

}  // namespace axle::ir
