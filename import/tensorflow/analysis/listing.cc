#include "import/tensorflow/analysis/listing.h"

#include <algorithm>

#include <fmt/format.h>

#include "import/tensorflow/registry.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t longestAttribute = 48;
constexpr std::int64_t mostValues = 8;

// Returns the value of a tensor of a few integers; empty for other tensors.
std::string valueText(const Tensor& tensor) {
  auto element = info(tensor.type).element;
  if (!element || !axle::info(*element).isInt || tensor.count > mostValues) return {};
  std::string out;
  for (std::int64_t i = 0; i < tensor.count; ++i) out += fmt::format("{}{}", i ? ", " : "", tensor.integer(i));
  return tensor.shape.empty() ? " = " + out : " = [" + out + "]";
}

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
    if (op && std::any_of(op->inputs.begin(), op->inputs.end(), isCount)) continue;  // the inputs show it
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
  GraphListing text(SourceId{static_cast<std::uint32_t>(sources.size())});
  GraphPlaces places;
  Listing listing;
  for (const Node& node : graph.nodes) {
    std::vector<GraphListing::Input> inputs;
    for (const Outlet& from : node.inputs) inputs.push_back({graph[from.node].name, from.port});
    places.nodes.push_back(text.add(node.name, node.op, inputs, details(node)));
    listing.nodes.push_back(prefix + node.name);
  }
  listing.text = text.takeText();
  sources.add(path, std::move(listing));
  return places;
}

}  // namespace axle::tensorflow
