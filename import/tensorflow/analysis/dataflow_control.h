// Control flow without functions (TF1): Switch and Merge for branches; Enter, NextIteration, LoopCond and Exit for
// loops.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "import/tensorflow/analysis/frame.h"

namespace axle::tensorflow {

struct Branch;
struct Loop;
struct StructuralOperator;

std::span<const StructuralOperator> dataflowControlOperators();

// The outlet whose number selects an input of a Merge: each input depends on one port of a Switch by it. Where several
// do, each tells wherever the Merge gives anything. `inputs` are the Merge's, in the order of the cases.
struct MergeSelector {
  Outlet condition;
  std::vector<std::uint32_t> inputs;
};
std::optional<MergeSelector> mergeSelector(const Frame& frame, NodeId merge);

// The conditions of the Switches that an outlet depends on, with the ports that it depends on, as bits.
std::map<Outlet, unsigned> switchesBehind(const Frame& frame, Outlet outlet);

// Whether the outlet depends on an Enter whose loop has not ended.
bool isWithinLoop(const Frame& frame, Outlet outlet);

// The loop that an Exit leaves: all of its Merges, which stand behind Enters of one name. None where its nodes do not
// make a loop.
std::optional<Loop> loopOfExit(Frame& frame, NodeId exit);

// The cases of a Merge that is not a loop's; none where nothing is known that selects one.
std::optional<Branch> branchOfMerge(Frame& frame, NodeId merge);

}  // namespace axle::tensorflow
