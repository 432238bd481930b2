// Runs a bound graph. A step that depends on sizes computed in the run gets its shapes just before it runs.
#include <string>

#include "io/joined.h"
#include "runtime/arena_access.h"
#include "runtime/program.h"
#include "runtime/run_sizes.h"

namespace axle::runtime {

bool refreshValue(BoundGraph& graph, std::uint32_t value) {
  TensorView& view = graph.values[value];
  const std::vector<std::uint32_t>& dims = graph.graph->values[value].shape;
  Shape shape;
  for (std::uint32_t dim : dims) {
    const DimValue size = graph.sizes->dim(dim);
    if (!size.known() || size.value < 0) return false;
    shape.push(size.value);
  }
  const auto bytes = shape.checkedBytes(view.elem);
  if (!bytes || *bytes > graph.planned[value]) return false;
  view.shape = shape;
  return true;
}

std::uint64_t Step::capacity(int output) const {
  const std::uint32_t value = node->outputs[static_cast<std::size_t>(output)];
  return graph->late[value] ? graph->planned[value] : values[value].bytes();
}

bool Step::setSize(int output, std::int64_t size, Fault& fault) {
  if (!finds(output)) {
    if (out(output).shape.rank() == 0 || out(output).shape[0] == size) return true;
    fault.code = ErrorCode::badSize;
    fault.message = joined({"a size is ", size, " here and ", out(output).shape[0], " elsewhere"});
    return false;
  }
  if (!graph->sizes->set(node->finds[static_cast<std::size_t>(output)] - 1, size, fault)) return false;
  for (std::uint32_t value : node->outputs)
    if (graph->late[value]) refreshValue(*graph, value);
  return true;
}

namespace {

bool unknownSize(Fault& fault, const Step& step) {
  fault.code = ErrorCode::badSize;
  fault.message = joined(
      {"a size of the result of ", step.row->name, " is negative, overflows, is divided by zero or is not found yet"});
  return false;
}

// Gives a late step its shapes, integers and kernel.
bool prepareLate(Step& step, Fault& fault) {
  BoundGraph& graph = *step.graph;
  for (std::uint32_t value : step.node->outputs)
    if (graph.late[value] && !refreshValue(graph, value) && !step.findsAny()) return unknownSize(fault, step);
  step.unknownInt = DimState::known;
  for (std::size_t i = 0; i < step.ints.size(); ++i) {
    const DimValue value = graph.sizes->dim(step.node->ints[i]);
    step.ints[i] = value.known() ? value.value : 0;
    if (!value.known()) step.unknownInt = value.state;
  }
  if (step.unknownInt != DimState::known && !(step.bodies.empty() && step.node->inputs.empty()))
    return unknownSize(fault, step);
  for (BoundGraph& body : step.bodies) {
    graph.sizes->clear(body.found);
    for (std::uint32_t value : body.graph->inputs)
      if (body.late[value]) body.open[value] = !refreshValue(body, value);
    for (std::uint32_t value : body.graph->outputs)
      if (body.late[value]) body.open[value] = !refreshValue(body, value);
  }
  const char* problem = prepareStep(step);
  if (problem == nullptr && step.workspaceBytes > step.workspacePlanned)
    problem = "it needs more memory than was planned";
  if (problem == nullptr) {
    settleStep(step);
    return true;
  }
  fault.code = ErrorCode::inconsistent;
  fault.message = joined({"bundle: ", step.row->name, ": ", problem});
  return false;
}

}  // namespace

bool runGraph(BoundGraph& graph, Fault& fault) {
  if (!graph.found.empty()) graph.sizes->clear(graph.found);
  for (std::uint32_t view : graph.viewsOfInputs) {
    const auto [root, offset] = graph.storage[view];
    graph.values[view].data = graph.values[root].as<std::byte>() + offset;
  }
  ArenaAccess access(graph);
  for (Step& step : graph.steps) {
    if (step.late && !prepareLate(step, fault)) {
      if (fault.step == nullptr) fault.step = &step;
      return false;
    }
    access.open(step);
    if (step.isEmpty || (graph.observer == nullptr ? step.kernel(step, fault) : graph.observer->run(step, fault)))
      continue;
    if (fault.step == nullptr) fault.step = &step;
    return false;
  }
  return true;
}

}  // namespace axle::runtime
