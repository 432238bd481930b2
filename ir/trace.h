// Of a model whose outputs are all that a run shows of it: which of them each one is computed from.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/graph.h"

namespace axle::ir {

// An input or an output of the main graph.
struct TracePort {
  bool isInput = false;
  std::size_t index = 0;
  friend bool operator==(const TracePort&, const TracePort&) = default;
};

struct Trace {
  std::vector<std::size_t> order;            // of outputs: each after those that it is computed from
  std::vector<std::vector<TracePort>> from;  // of each output: with no other one between; constants are left out
};

// The graph has no cycle.
Trace traceOf(const Model& model);

}  // namespace axle::ir
