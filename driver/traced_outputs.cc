#include "driver/traced_outputs.h"

#include <set>

#include "driver/graph.h"
#include "driver/run/report.h"
#include "import/tensorflow/analysis/analysis.h"
#include "ir/ops/table.h"

namespace axle::driver {

namespace {

// Names of outputs that are all written to different files.
class FileNames {
 public:
  bool take(const std::string& name) { return taken_.insert(run::outputPath("", name)).second; }
  // Returns `name`, or `name.2` and so on if it is taken.
  std::string makeUnique(const std::string& name) {
    if (take(name)) return name;
    for (std::size_t n = 2;; ++n)
      if (std::string next = name + "." + std::to_string(n); take(next)) return next;
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace

TracedOutputs addTracedOutputs(ir::Model& model, const std::vector<ir::Traced>& values,
                               tensorflow::Analysis* analysis) {
  ir::Graph& graph = model.graphs.front();
  TracedOutputs result;
  result.own = model.outputNames.size();
  FileNames names;
  std::set<std::string> own;  // outputs of the entry, spelled like outlets
  for (const std::string& name : model.inputNames) names.take(name);
  for (const std::string& name : model.outputNames) {
    names.take(name);
    own.insert(withPortZero(name));
  }
  auto add = [&](const std::string& name, ir::OutletId outlet) {
    graph.outputs.push_back(outlet);
    model.outputNames.push_back(names.makeUnique(name));
    result.types.push_back(ir::typeText(*model.dims, graph[outlet].fact));
  };
  std::map<std::uint32_t, std::vector<std::string>> outlets;
  if (analysis) outlets = tensorflow::outletNames(*analysis);
  for (const ir::Traced& value : values) {
    if (graph[value.outlet].fact.elem == Elem::string) continue;
    if (!analysis) add(value.name, value.outlet);
    for (const std::string& name : outlets[value.binding.index])
      if (!own.count(name)) add(name, value.outlet);
  }
  result.trace = ir::traceOf(model);
  return result;
}

}  // namespace axle::driver
