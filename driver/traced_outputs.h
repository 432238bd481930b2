// Makes the intermediate values of a model further outputs.
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
  std::size_t own = 0;             // number of the entry's own outputs, which come first
  std::vector<std::string> types;  // of the other outputs, as printed
  ir::Trace trace;                 // the outputs from which each one is computed
};

// Makes `values` of a lowered model outputs of it. If the model is a graph's, `analysis` names them as the graph does;
// otherwise it is null.
TracedOutputs addTracedOutputs(ir::Model& model, const std::vector<ir::Traced>& values, tensorflow::Analysis* analysis);

}  // namespace axle::driver
