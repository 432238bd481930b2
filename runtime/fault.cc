#include "runtime/fault.h"

#include <utility>

#include "io/joined.h"

namespace axle::runtime {

RunError faultError(const manifest::Manifest& manifest, Fault& fault) {
  if (fault.refused) return std::move(*fault.refused);
  RunError error{fault.code, fault.message, {}, {}};
  if (fault.step == nullptr) return error;
  const manifest::Graph& graph = *fault.step->graph->graph;
  NodeText text = manifest::describeNode(manifest, graph, *fault.step->node);
  if (!text.name.empty() || manifest.debug.section.empty())
    error.message += joined({" in ", manifest::nodeLabel(text, graph, *fault.step->node)});
  error.places = std::move(text.places);
  return error;
}

}  // namespace axle::runtime
