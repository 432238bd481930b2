#include "import/tensorflow/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace axle::tensorflow {

namespace {

std::string typeText(Type type, const PartialShape& shape) {
  return (type == Type::invalid ? "?" : spelling(type)) + " " + toText(shape);
}

std::string portsText(std::string_view what, const Model& model, const std::vector<Port>& ports) {
  std::string text;
  for (const Port& port : ports)
    text += fmt::format("{} {} : {}  at {}{}\n", what, port.name, typeText(port.type, port.shape),
                        outletName(model.main, port.outlet), port.asked.empty() ? "" : "  asked " + port.asked);
  return text;
}

std::string variableText(const Variable& variable) {
  std::string text = fmt::format("variable {} : {}  {}", variable.name, typeText(variable.type, variable.shape),
                                 variable.access == Access::frozen ? "frozen" : "state");
  if (!variable.writers.empty()) text += fmt::format(", assigned by {}", fmt::join(variable.writers, ", "));
  return text + (variable.key.empty() ? ", no value" : fmt::format(", key {}", variable.key)) + "\n";
}

std::string head(const Model& model) {
  std::string text = fmt::format("{} {}\n", model.kind, model.path);
  for (const Signature& signature : model.signatures)
    text += fmt::format("signature {}{}\n", signature.key, signature.key == model.signature ? "  (chosen)" : "");
  return text + portsText("input", model, model.inputs) + portsText("output", model, model.outputs);
}

std::string nodeText(const Graph& graph, const Node& node) {
  std::string text = fmt::format("  {} = {}", node.name, node.op);
  std::string inputs;
  for (Outlet input : node.inputs) inputs += (inputs.empty() ? "" : ", ") + outletName(graph, input);
  for (NodeId control : node.controls) inputs += (inputs.empty() ? "^" : ", ^") + graph[control].name;
  text += "(" + inputs + ")";
  for (const Attribute& attribute : node.attributes)
    if (!attribute.name.starts_with('_')) text += fmt::format(" {}={}", attribute.name, toText(attribute.value));
  if (!node.fed.empty()) text += fmt::format("  fed {}", fmt::join(node.fed, ", "));
  return text + "\n";
}

std::string functionText(const Function& function) {
  std::string parameters, text;
  for (const Parameter& parameter : function.parameters)
    parameters += (parameters.empty() ? "" : ", ") + parameter.name + " : " +
                  (parameter.typeAttribute.empty() ? spelling(parameter.type) : parameter.typeAttribute);
  text = fmt::format("function {}({})\n", function.name, parameters);
  for (const Attribute& attribute : function.attributes)
    text += fmt::format("  @{} = {}\n", attribute.name, toText(attribute.value));
  for (const Node& node : function.body.nodes)
    if (node.op != "_Arg") text += nodeText(function.body, node);
  for (const Result& result : function.results)
    text += fmt::format("  return {} = {}\n", result.name, outletName(function.body, result.outlet));
  for (NodeId effect : function.effects) text += fmt::format("  effect {}\n", function.body[effect].name);
  return text;
}

}  // namespace

std::string summary(const Model& model) {
  std::string text = head(model);
  for (const Variable& variable : model.variables) text += variableText(variable);
  for (const Table& table : model.tables) text += fmt::format("table {} ({})\n", table.name, table.op);
  std::map<std::string_view, std::size_t> counts;
  std::size_t nodes = 0;
  const auto count = [&](const Graph& graph) {
    for (const Node& node : graph.nodes)
      if (node.op != "_Arg") ++counts[node.op], ++nodes;
  };
  count(model.main);
  for (const Function& function : model.functions) count(function.body);
  std::vector<std::pair<std::string_view, std::size_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  text += fmt::format("{} nodes, {} functions\n", nodes, model.functions.size());
  for (const auto& [op, times] : rows) text += fmt::format("  {:>6}  {}\n", times, op);
  return text;
}

std::string dump(const Model& model) {
  std::string text = head(model);
  for (const Variable& variable : model.variables) text += variableText(variable);
  text += "graph\n";
  for (const Node& node : model.main.nodes) text += nodeText(model.main, node);
  for (const Function& function : model.functions) text += functionText(function);
  return text;
}

}  // namespace axle::tensorflow
