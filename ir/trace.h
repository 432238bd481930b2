// Finds the dependencies between the outputs of a model, for runs that return every named tensor.
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
  std::vector<std::size_t> order;  // of the outputs, each after those from which it is computed
  std::vector<std::vector<TracePort>>
      from;  // of each output: the ports it is computed from directly, without constants
};

// Returns the dependencies. The main graph must have no cycle.
Trace traceOf(const Model& model);

}  // namespace axle::ir
