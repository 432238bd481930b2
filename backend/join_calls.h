// Calls of which one is made.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/program.h"

namespace axle {

// A pointwise operator that cannot fail: integer operators that may keep a call of their own, which the error names.
bool isFusablePointwise(const ir::Graph& graph, const ir::Node& node);

// A reduction of the last axis by an operator of its own.
bool isRowReduction(const ir::Graph& graph, const ir::Node& node);

// The call of `members`, single operators in order, and of `base` in front of them (noCall: none). Reshapes and
// paddings among them are passed over: their input is taken instead. `makers`: by outlet, the call that computes it.
Call joinCalls(const ir::Graph& graph, const Calls& calls, const std::vector<std::uint32_t>& makers,
               const std::vector<std::uint32_t>& members, std::uint32_t base);

// Whether the runtime takes a call with so many operands, operators and results that are needed at the same time.
bool fitsCall(const Call& call);

}  // namespace axle
