#include "import/tensorflow/reader/default_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "import/tensorflow/reader/variables.h"
#include "import/tensorflow/registry.h"

namespace axle::tensorflow {

namespace {

constexpr std::size_t mostOutputs = 10'000;  // a hostile file may have any `num_split`

const wire::NodeDef* nodeBehind(const Resolver& graph, std::string_view input) {
  const auto index = graph.nodeNamed(input.substr(0, input.find(':')));
  return index ? &graph.message(*index) : nullptr;
}

// Whether a node only marks that a branch is taken: a Switch whose data is its own condition.
bool isBranchMark(const Resolver& graph, const wire::NodeDef* node) {
  if (node && node->op() == "Identity" && node->input_size() > 0) node = nodeBehind(graph, node->input(0));
  return node && (node->op() == "Switch" || node->op() == "_SwitchN") && node->input_size() > 1 &&
         node->input(0) == node->input(1);
}

// Whether a sink is not a result: an Exit whose state is not used after its loop, a Merge of branch marks, an Identity
// that only carries control out of a branch or a loop, or the read of a variable that freezing made a constant.
bool isResidue(const Resolver& graph, const wire::NodeDef& node) {
  if (node.op() == "Exit" || node.op() == "RefExit") return true;
  if (node.op() == "Merge")
    return std::all_of(node.input().begin(), node.input().end(), [&](const std::string& input) {
      return input.starts_with('^') || isBranchMark(graph, nodeBehind(graph, input));
    });
  if (node.op() != "Identity" || node.input_size() == 0) return false;
  const wire::NodeDef* source = nodeBehind(graph, node.input(0));
  return source && (source->op() == "Switch" ||
                    (source->op() == "Const" && node.name().find("/ReadVariableOp") != std::string::npos));
}

bool hasVariables(const Resolver& graph) {
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (isVariable(graph.message(i).op())) return true;
  return false;
}

// Returns, by node, whether it depends on a placeholder.
std::vector<bool> dependOnInputs(const Resolver& graph) {
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> takers;
  std::vector<std::uint32_t> open;
  std::vector<bool> depends(graph.size());
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const wire::NodeDef& node = graph.message(i);
    for (std::string_view input : node.input()) takers[input.substr(0, input.find(':'))].push_back(i);
    if (isPlaceholder(node.op())) open.push_back(i);
  }
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    if (depends[node]) continue;
    depends[node] = true;
    const auto next = takers.find(graph.message(node).name());
    if (next != takers.end()) open.insert(open.end(), next->second.begin(), next->second.end());
  }
  return depends;
}

// Whether a node's outputs are references, such as those of Assign.
bool givesReference(Library& library, const wire::NodeDef& node) {
  const auto interface = library.interfaceOf(node.op());
  return interface && !interface->outputs.empty() && interface->outputs[0].isReference;
}

// Returns the names of a node's outputs, without those used for gradients only. Only the first if their number is
// unknown.
std::vector<std::string> outputsOf(Library& library, const wire::NodeDef& node) {
  const auto interface = library.interfaceOf(node.op());
  if (!interface) return {node.name()};
  std::vector<std::string> names;
  std::size_t port = 0;
  for (const OperatorArgument& output : interface->outputs) {
    const auto times = multiplicity(output, node, interface->op);
    if (!times) return {node.name()};
    for (std::int64_t i = 0; i < *times && port < mostOutputs; ++i, ++port)
      if (!output.name.starts_with("reserve_space"))
        names.push_back(port ? fmt::format("{}:{}", node.name(), port) : node.name());
  }
  return names;
}

}  // namespace

std::vector<std::uint32_t> sinkNodes(const Resolver& graph, Library& library) {
  std::unordered_set<std::string_view> taken;
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    for (std::string_view input : graph.message(i).input())
      if (!input.starts_with('^')) taken.insert(input.substr(0, input.find(':')));
  std::vector<std::uint32_t> sinks, results;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const wire::NodeDef& node = graph.message(i);
    const bool isUnusedInput = node.op() == "Placeholder" && graph.size() > 1;
    const auto interface = library.interfaceOf(node.op());
    const bool hasOutputs = !interface || !interface->outputs.empty();
    if (taken.contains(node.name()) || isUnusedInput || !hasOutputs) continue;
    sinks.push_back(i);
    if (!isResidue(graph, node)) results.push_back(i);
  }
  return results.empty() ? sinks : results;
}

std::vector<std::string> defaultOutputs(const Resolver& graph, Library& library) {
  const std::vector<std::uint32_t> sinks = sinkNodes(graph, library);
  std::vector<std::uint32_t> computed;
  if (hasVariables(graph)) {
    const std::vector<bool> depends = dependOnInputs(graph);
    for (std::uint32_t sink : sinks)
      if (depends[sink] && !givesReference(library, graph.message(sink))) computed.push_back(sink);
  }
  std::vector<std::string> tensors;
  for (std::uint32_t sink : computed.empty() ? sinks : computed)
    for (std::string& tensor : outputsOf(library, graph.message(sink)))
      if (tensors.size() < mostOutputs) tensors.push_back(std::move(tensor));
  return tensors;
}

}  // namespace axle::tensorflow
