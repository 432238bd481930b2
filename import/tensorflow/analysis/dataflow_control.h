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

// The outlet whose number selects an input of a Merge: each input depends on one port of a Switch by it. If there are
// several such outlets, any of them determines the input that arrives. `inputs` are the Merge's, in the order of the
// cases.
struct MergeSelector {
  Outlet condition;
  std::vector<std::uint32_t> inputs;
};
std::optional<MergeSelector> mergeSelector(const Frame& frame, NodeId merge);

// Returns the conditions of the Switches that an outlet depends on, each with a bit set of the ports it depends on.
std::map<Outlet, unsigned> switchesBehind(const Frame& frame, Outlet outlet);

// Whether the outlet depends on an Enter whose loop has not ended.
bool isWithinLoop(const Frame& frame, Outlet outlet);

// Returns the loop that an Exit leaves: all Merges whose Enters have the same name. None if its nodes do not form a
// loop.
std::optional<Loop> loopOfExit(Frame& frame, NodeId exit);

// Returns the cases of a Merge that does not belong to a loop; none if no selector is known.
std::optional<Branch> branchOfMerge(Frame& frame, NodeId merge);

}  // namespace axle::tensorflow
