// The values that a model computes on the way to its outputs, as further outputs.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/lower/lower.h"
#include "ir/trace.h"

namespace axle::tensorflow {
class Analysis;
}

namespace axle::driver {

struct TracedOutputs {
  std::size_t own = 0;             // outputs of the entry itself: they come first
  std::vector<std::string> types;  // of the other ones, as printed
  ir::Trace trace;                 // which output is computed from which
};

// Makes `values` of a lowered model outputs of it. `analysis`, of a model that is a graph's, names them as the graph
// does; null for others.
TracedOutputs addTracedOutputs(ir::Model& model, const std::vector<ir::Traced>& values, tensorflow::Analysis* analysis);

}  // namespace axle::driver
