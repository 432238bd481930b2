#include "ir/dump.h"

#include <functional>

#include "frontend/spans.h"
#include "ir/ops/table.h"
#include "ir/passes/liveness.h"

namespace axle::ir {

namespace {

std::string placeText(const SourceMap& sources, const Node& node) {
  if (node.spans.empty() || node.spans.front().source.index >= sources.size()) return "";
  Span span = node.spans.front();
  if (sources.isListing(span.source))
    return std::string(sources.path(span.source)) + ": node \"" + std::string(sources.node(span.source, span.begin)) +
           "\"";
  return placeText(sources, span);
}

std::string namesText(const Node& node) {
  std::string text;
  for (const std::string& name : node.names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string intsText(const Model& model, const Node& node) {
  std::string text;
  for (Dim d : integersOf(*model.dims, node.attributes)) text += (text.empty() ? "" : ", ") + model.dims->print(d);
  return text.empty() ? "" : "{" + text + "}";
}

std::string bodiesText(const Node& node) {
  std::string text;
  for (GraphId body : node.bodies)
    text += (text.empty() ? "" : ", ") + std::string("body ") + std::to_string(body.index);
  return text.empty() ? "" : "(" + text + ")";
}

std::string number(const Constant& constant) {
  const std::byte* at = constant.bytes->data();
  std::int64_t integer = 0;
  for (std::size_t i = 0; i < constant.bytes->size(); ++i) integer |= static_cast<std::int64_t>(at[i]) << (8 * i);
  int bits = static_cast<int>(constant.bytes->size()) * 8;
  char text[64];
  if (constant.elem == Elem::f32) {
    float value = 0;
    __builtin_memcpy(&value, at, sizeof value);
    std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  } else if (constant.elem == Elem::f64) {
    double value = 0;
    __builtin_memcpy(&value, at, sizeof value);
    std::snprintf(text, sizeof text, "%.17g", value);
  } else if (constant.elem == Elem::boolean) {
    return integer ? "true" : "false";
  } else if (info(constant.elem).isFloat) {
    std::snprintf(text, sizeof text, "0x%04llx", static_cast<unsigned long long>(integer));
  } else {
    if (info(constant.elem).isSigned && bits < 64 && (integer >> (bits - 1)) & 1) integer -= std::int64_t{1} << bits;
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(integer));
  }
  return text;
}

std::string constantText(const Model& model, const Node& node) {
  if (node.op != Op::constant) return "";
  const Constant& constant = model[node.constant];
  if (constant.weight) return constant.name;
  return constant.shape.empty() ? number(constant) : std::to_string(constant.bytes->size()) + " bytes";
}

std::string nodeLine(const Model& model, const Graph& graph, const Node& node, const SourceMap& sources) {
  std::string text;
  for (OutletId output : node.outputs)
    text +=
        (text.empty() ? "%" : ", %") + std::to_string(output.index) + " : " + typeText(*model.dims, graph[output].fact);
  text += (text.empty() ? "= " : " = ") + std::string(row(node.op).name);
  for (OutletId input : node.inputs) text += " %" + std::to_string(input.index);
  for (const std::string& more : {constantText(model, node), intsText(model, node), bodiesText(node)})
    if (!more.empty()) text += " " + more;
  std::string from = node.op == Op::constant && !model[node.constant].name.empty() ? "" : namesText(node),
              place = placeText(sources, node);
  if (!from.empty() || !place.empty()) text += "    // " + from + (from.empty() || place.empty() ? "" : "  ") + place;
  return text;
}

std::string listText(const std::vector<OutletId>& outlets) {
  std::string text;
  for (OutletId outlet : outlets)
    text += (text.empty() ? "" : ", ") + (outlet ? "%" + std::to_string(outlet.index) : std::string("-"));
  return text;
}

std::string compositeLine(const Model& model, const Composite& composite) {
  std::string inputs;
  for (std::size_t i = 0; i < composite.inputs.size(); ++i) {
    ConstantId constant = composite.constants[i];
    bool isElsewhere = !composite.inputs[i] && constant && !model[constant].name.empty();
    inputs += (i ? ", " : "") + (isElsewhere ? model[constant].name : listText({composite.inputs[i]}));
  }
  std::string text = "composite " + composite.implements + " (" + inputs + ") gives " + listText(composite.outputs) +
                     "    // " + composite.function;
  return composite.refused.empty() ? text : text + "; refused: " + composite.refused;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

void dotGraph(const Model& model, std::uint32_t g, const SourceMap& sources, std::string& out) {
  const Graph& graph = model.graphs[g];
  auto order = topologicalOrder(graph);
  if (!order) return;
  auto name = [&](NodeId id) { return "n" + std::to_string(g) + "_" + std::to_string(id.index); };
  for (NodeId id : *order) {
    const Node& node = graph[id];
    std::string label(row(node.op).name);
    std::string constant = constantText(model, node), names = namesText(node);
    for (const std::string& line :
         {constant, intsText(model, node), names == constant ? std::string() : names, placeText(sources, node)})
      if (!line.empty()) label += "\n" + line;
    out += "  " + name(id) + " [label=" + quoted(label) + "];\n";
    for (OutletId input : node.inputs)
      out += "  " + name(graph[input].node) + " -> " + name(id) +
             " [label=" + quoted(typeText(*model.dims, graph[input].fact)) + "];\n";
    for (GraphId body : node.bodies) {
      out += "  subgraph cluster_" + std::to_string(body.index) +
             " {\n  label=" + quoted("body " + std::to_string(body.index)) + ";\n";
      dotGraph(model, body.index, sources, out);
      out += "  }\n";
    }
  }
}

}  // namespace

std::string dumpText(const Model& model, const SourceMap& sources) {
  std::string text;
  for (std::uint32_t g = 0; g < model.graphs.size(); ++g) {
    const Graph& graph = model.graphs[g];
    if (g && graph.nodes.empty()) continue;  // a removed body
    text += g ? "\nbody " + std::to_string(g) : "entry " + model.entry;
    text += " (" + listText(graph.inputs) + ")\n";
    if (auto order = topologicalOrder(graph))
      for (NodeId id : *order) text += "  " + nodeLine(model, graph, graph[id], sources) + "\n";
    for (const Composite& composite : model.composites)
      if (composite.graph.index == g) text += "  " + compositeLine(model, composite) + "\n";
    text += "  give " + listText(graph.outputs) + "\n";
    auto live = g ? std::nullopt : liveness(model, graph);
    if (live && live->peakBytes) text += "  peak " + std::to_string(*live->peakBytes) + " bytes live\n";
  }
  return text;
}

std::string dumpDot(const Model& model, const SourceMap& sources) {
  std::string out = "digraph " + quoted(model.entry) + " {\n  node [shape=box];\n";
  dotGraph(model, 0, sources, out);
  return out + "}\n";
}

}  // namespace axle::ir
