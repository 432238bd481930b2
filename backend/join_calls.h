// Joins several calls to one.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/program.h"

namespace axle {

// Whether a node is a pointwise operator that cannot fail. Integer operators that may fail keep their own call, which
// the error names.
bool isFusablePointwise(const ir::Graph& graph, const ir::Node& node);

// Whether a node is a reduction of the last axis by a reduction operator.
bool isRowReduction(const ir::Graph& graph, const ir::Node& node);

// Joins `members`, single operators in order, to one call, with `base` in front of them (noCall: none). Reads the input
// of reshapes and paddings among them instead of their result. `makers`: by outlet, the call that computes it.
Call joinCalls(const ir::Graph& graph, const Calls& calls, const std::vector<std::uint32_t>& makers,
               const std::vector<std::uint32_t>& members, std::uint32_t base);

// Whether the runtime accepts a call with this number of operands, of operators, and of results needed at the same
// time.
bool fitsCall(const Call& call);

}  // namespace axle
