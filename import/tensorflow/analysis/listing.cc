#include "import/tensorflow/analysis/listing.h"

#include <algorithm>

#include <fmt/format.h>

#include "import/tensorflow/registry.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t longestAttribute = 48;
constexpr std::int64_t mostValues = 8;
constexpr std::size_t longestNames = 90;  // of a node and its inputs together; longer ones are shortened
constexpr std::size_t shortestScope = 8;  // that is left out of a name

// The value of a few whole numbers; empty for other tensors.
std::string valueText(const Tensor& tensor) {
  auto element = info(tensor.type).element;
  if (!element || !axle::info(*element).isInt || tensor.count > mostValues) return {};
  std::string out;
  for (std::int64_t i = 0; i < tensor.count; ++i) out += fmt::format("{}{}", i ? ", " : "", tensor.integer(i));
  return tensor.shape.empty() ? " = " + out : " = [" + out + "]";
}

// `name` without the scopes that it shares with `beside`, where they are long: `../q/Reshape`.
std::string withoutScope(const std::string& name, const std::string& beside) {
  auto differs = std::mismatch(name.begin(), name.end(), beside.begin(), beside.end()).first;
  std::size_t slash = name.rfind('/', static_cast<std::size_t>(differs - name.begin()));
  if (slash == name.npos || slash < shortestScope) return name;
  return ".." + name.substr(slash);
}

class Lister {
 public:
  Lister(const Graph& graph, SourceId source) : graph_(graph), source_(source) {}

  void add(const Node& node) {
    NodePlaces places;
    auto begin = position();
    places.name = put(node.name);
    text_ += " = ";
    places.op = put(node.op);
    if (!node.inputs.empty()) {
      std::size_t length = node.name.size() + node.op.size();
      for (const Outlet& from : node.inputs) length += graph_[from.node].name.size() + 2;
      const bool isLong = length > longestNames;
      text_ += "(";
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (i > 0) text_ += ", ";
        const Outlet& from = node.inputs[i];
        std::string input = isLong ? withoutScope(graph_[from.node].name, node.name) : graph_[from.node].name;
        if (from.port > 0) input += fmt::format(":{}", from.port);
        places.inputs.push_back(put(input));
      }
      text_ += ")";
    }
    text_ += details(node);
    places.line = {source_, begin, position()};
    text_ += "\n";
    places_.nodes.push_back(std::move(places));
  }

  std::string takeText() { return std::move(text_); }
  GraphPlaces takePlaces() { return std::move(places_); }

 private:
  std::uint32_t position() const { return static_cast<std::uint32_t>(text_.size()); }
  // Names may hold anything; one line stays one line.
  Span put(const std::string& part) {
    std::uint32_t begin = position();
    for (char ch : part) text_ += ch == '\n' || ch == '\r' ? ' ' : ch;
    return {source_, begin, position()};
  }

  const Graph& graph_;
  SourceId source_;
  std::string text_;
  GraphPlaces places_;
};

}  // namespace

std::string details(const Node& node) {
  std::string out;
  const Operator* op = operatorNamed(node.op);
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name.starts_with("_")) continue;
    if (const auto* tensor = std::get_if<std::shared_ptr<const Tensor>>(&attribute.value)) {
      if (!*tensor) continue;
      out += " " + spelling((*tensor)->type) + " " + toText(PartialShape{true, (*tensor)->shape}) + valueText(**tensor);
      continue;
    }
    if (std::holds_alternative<Type>(attribute.value)) {
      if (attribute.name == "dtype" && node.op != "Const") out += " " + spelling(std::get<Type>(attribute.value));
      continue;
    }
    auto isCount = [&](const OperatorArgument& input) { return input.number == attribute.name; };
    if (op && std::any_of(op->inputs.begin(), op->inputs.end(), isCount)) continue;  // the inputs are there to count
    std::string text = toText(attribute.value);
    const OperatorAttribute* known = op ? op->find(attribute.name) : nullptr;
    if (known && known->fallback && toText(*known->fallback) == text) continue;
    if (text.empty() || text.size() > longestAttribute) continue;
    out += " " + attribute.name + "=" + text;
  }
  return out;
}

std::string withDetails(const Node& node) {
  std::string with = details(node);
  return with.empty() ? fmt::format("`{}`", node.op) : fmt::format("`{}` ({})", node.op, with.substr(1));
}

GraphPlaces list(const Graph& graph, const std::string& path, const std::string& prefix, SourceMap& sources) {
  Lister lister(graph, SourceId{static_cast<std::uint32_t>(sources.size())});
  Listing listing;
  for (const Node& node : graph.nodes) {
    lister.add(node);
    listing.nodes.push_back(prefix + node.name);
  }
  listing.text = lister.takeText();
  sources.add(path, std::move(listing));
  return lister.takePlaces();
}

}  // namespace axle::tensorflow
