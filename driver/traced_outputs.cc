// What a model computes on the way, as further outputs.
#include <set>

#include "ir/ops/table.h"
#include "driver/compile.h"
#include "driver/run/report.h"

namespace axle::axc {

namespace {

// Names of which no two come to one file.
class FileNames {
 public:
  bool take(const std::string& name) { return taken_.insert(run::outputPath("", name)).second; }
  std::string another(const std::string& name) {
    if (take(name)) return name;
    for (std::size_t n = 2;; ++n)
      if (std::string next = name + "." + std::to_string(n); take(next)) return next;
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace

void Compilation::showTraced(const std::vector<ir::Traced>& traced) {
  ir::Graph& graph = model_->graphs.front();
  ownOutputs_ = model_->outputNames.size();
  FileNames names;
  std::set<std::string> own;  // outputs, as outlets are written
  for (const std::string& name : model_->inputNames) names.take(name);
  for (std::size_t i = 0; i < ownOutputs_; ++i) {
    names.take(model_->outputNames[i]);
    own.insert(outletName(model_->outputNames[i]));
  }
  auto show = [&](const std::string& name, ir::OutletId outlet) {
    graph.outputs.push_back(outlet);
    model_->outputNames.push_back(names.another(name));
    tracedTypes_.push_back(ir::typeText(*model_->dims, graph[outlet].fact));
  };
  std::map<std::uint32_t, std::vector<std::string>> outlets;
  if (analysis_) outlets = analysis_->outletNames();
  for (const ir::Traced& value : traced) {
    if (graph[value.outlet].fact.elem == Elem::string) continue;
    if (!analysis_) show(value.name, value.outlet);
    for (const std::string& name : outlets[value.binding.index])
      if (!own.count(name)) show(name, value.outlet);
  }
  trace_ = ir::traceOf(*model_);
}

}  // namespace axle::axc
