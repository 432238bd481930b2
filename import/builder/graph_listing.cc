#include "import/builder/graph_listing.h"

#include <algorithm>

namespace axle {
namespace {

constexpr std::size_t longestNames = 90;  // of a node and its inputs, in characters; longer lines get short names
constexpr std::size_t shortestScope = 8;  // characters; a shorter scope is not left out of a name

// Returns `name` without the scope that it shares with `beside`, if that is long: `../q/Reshape`.
std::string withoutScope(const std::string& name, const std::string& beside) {
  auto differs = std::mismatch(name.begin(), name.end(), beside.begin(), beside.end()).first;
  std::size_t slash = name.rfind('/', static_cast<std::size_t>(differs - name.begin()));
  if (slash == name.npos || slash < shortestScope) return name;
  return ".." + name.substr(slash);
}

}  // namespace

NodePlaces GraphListing::add(const std::string& name, const std::string& op, const std::vector<Input>& inputs,
                             const std::string& details) {
  NodePlaces places;
  const std::uint32_t begin = position();
  places.name = put(name);
  text_ += " = ";
  places.op = put(op);
  if (!inputs.empty()) {
    std::size_t length = name.size() + op.size();
    for (const Input& from : inputs) length += from.node.size() + 2;
    const bool isLong = length > longestNames;
    text_ += "(";
    for (const Input& from : inputs) {
      if (!places.inputs.empty()) text_ += ", ";
      std::string input = isLong ? withoutScope(from.node, name) : from.node;
      if (from.port > 0) input += ":" + std::to_string(from.port);
      places.inputs.push_back(put(input));
    }
    text_ += ")";
  }
  text_ += details;
  places.line = {source_, begin, position()};
  text_ += "\n";
  return places;
}

// Replaces line breaks, which names may contain, so that each node stays on one line.
Span GraphListing::put(const std::string& part) {
  const std::uint32_t begin = position();
  for (char ch : part) text_ += ch == '\n' || ch == '\r' ? ' ' : ch;
  return {source_, begin, position()};
}

}  // namespace axle
