#include "import/tensorflow/analysis/node_paths.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/fact_text.h"
#include "import/tensorflow/analysis/typed_facts.h"
#include "typecheck/report/conflict_messages.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostNamed = 6;     // nodes of a path
constexpr std::size_t mostSteps = 64;    // back to an origin
constexpr std::size_t mostOperands = 3;  // of a node that computes a size, and of one whose ranks conflict

// Returns the nodes of the shortest path over outlets that `passes` allows, both ends included; empty if there is none.
std::vector<NodeId> shortestPath(const Frame& frame, NodeId begin, NodeId end,
                                 const std::function<bool(Outlet)>& passes) {
  std::map<NodeId, NodeId> towardsEnd;
  std::deque<NodeId> open{end};
  towardsEnd.emplace(end, end);
  while (!open.empty() && !towardsEnd.count(begin)) {
    const NodeId node = open.front();
    open.pop_front();
    for (Outlet from : frame[node].inputs)
      if (!towardsEnd.count(from.node) && passes(from)) {
        towardsEnd.emplace(from.node, node);
        open.push_back(from.node);
      }
  }
  std::vector<NodeId> path;
  if (!towardsEnd.count(begin)) return path;
  for (NodeId node = begin; node != end; node = towardsEnd.at(node)) path.push_back(node);
  path.push_back(end);
  return path;
}

// Returns `a > b > .. > y > z`.
std::string pathText(const Frame& frame, const std::vector<NodeId>& path) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool isNamed = path.size() <= mostNamed || i + 2 >= path.size() || i + 3 < mostNamed;
    if (isNamed) names.push_back(frame[path[i]].name);
    if (!isNamed && names.back() != "..") names.push_back("..");
  }
  return fmt::format("{}", fmt::join(names, " > "));
}

// Returns `conv1 f32 [n, 8]`, or the value of a small tensor instead of the shape.
std::string outletText(Analysis& analysis, const Frame& frame, Outlet outlet) {
  if (outlet.port >= frame.facts[outlet.node.index].size()) return outletLabel(frame, outlet);
  const OutletFact& fact = frame.factOf(outlet);
  const std::string value = printValue(analysis, fact);
  return fmt::format("{} {} {}", outletLabel(frame, outlet), spelling(fact.type),
                     value.empty() ? printShape(analysis, fact) : value);
}

// ---- the computation of a size

struct NodeSize {
  NodeId node;
  Dim size;
};

// Returns the sizes of an outlet, without the axis of a complex tensor's parts; empty if the rank is open.
std::vector<Dim> sizesAt(Analysis& analysis, const Frame& frame, Outlet outlet) {
  const auto shape = resolvedShape(analysis.typer, frame.factOf(outlet));
  std::vector<Dim> sizes;
  for (std::size_t i = 0; shape && i < shape->size(); ++i)
    sizes.push_back(analysis.typer.solution().resolve((*shape)[i].dim));
  return sizes;
}

// Returns the size from which a node computes `size`: an input's size along the same axis; otherwise one that the
// result does not have, or has elsewhere.
std::optional<NodeSize> sizeBehind(Analysis& analysis, const Frame& frame, NodeId node, std::optional<Dim> size) {
  const std::vector<Dim> result = sizesAt(analysis, frame, {node, 0});
  std::optional<NodeSize> changed;
  for (Outlet from : frame[node].inputs) {
    if (from.node >= node || frame[from.node].op == "Const") continue;
    const std::vector<Dim> its = sizesAt(analysis, frame, from);
    const bool isAlike = its.size() == result.size();
    for (std::size_t i = 0; i < its.size() && !result.empty(); ++i) {
      if (!analysis.typer.solution().dims.asConstant(its[i])) continue;
      if (isAlike && size && result[i] == *size) return NodeSize{from.node, its[i]};
      const bool stays =
          isAlike ? result[i] == its[i] : std::find(result.begin(), result.end(), its[i]) != result.end();
      if (!stays && !changed) changed = NodeSize{from.node, its[i]};
    }
  }
  return changed;
}

// Returns the origin of the size from which `made` computes `size`: goes back along nodes that pass it on, and, at a
// node that computes it, along the size that it is computed from.
std::optional<NodeId> originOfSize(Analysis& analysis, const Site& made, std::optional<Dim> size) {
  const Frame& frame = *made.frame;
  auto at = sizeBehind(analysis, frame, made.node, size);
  for (std::size_t steps = 0; at && steps < mostSteps; ++steps) {
    const auto handsOn = [&](Outlet from) {
      return from.node < at->node && hasSize(analysis, frame.factOf(from), at->size);
    };
    const std::vector<Outlet>& inputs = frame[at->node].inputs;
    const auto same = std::find_if(inputs.begin(), inputs.end(), handsOn);
    const auto next = same != inputs.end() ? std::optional(NodeSize{same->node, at->size})
                                           : sizeBehind(analysis, frame, at->node, at->size);
    if (!next) break;
    at = next;
  }
  return at ? std::optional(at->node) : std::nullopt;
}

// Returns how a node computes a size, or a shape, and the origin of the size that it computes it from.
std::string computationText(Analysis& analysis, const Site& made, const std::string& what, std::optional<Dim> size) {
  const Frame& frame = *made.frame;
  const Node& node = frame[made.node];
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < std::min(node.inputs.size(), mostOperands); ++i)
    operands.push_back(outletText(analysis, frame, node.inputs[i]));
  const std::string with = details(node);
  std::string text = fmt::format("{} is what `{}`{}{} makes of {}", what, node.name,
                                 node.name == node.op ? "" : fmt::format(", a `{}`", node.op),
                                 with.empty() ? "" : fmt::format(" ({})", with.substr(1)), fmt::join(operands, ", "));
  const auto origin = originOfSize(analysis, made, size);
  const bool isShown =
      origin && std::any_of(node.inputs.begin(), node.inputs.end(), [&](Outlet from) { return from.node == *origin; });
  if (origin && !isShown) text += fmt::format("; it goes back to {}", outletText(analysis, frame, {*origin, 0}));
  return text;
}

// ---- ranks

std::optional<std::size_t> rankAt(Analysis& analysis, const Frame& frame, Outlet outlet) {
  const auto shape = resolvedShape(analysis.typer, frame.factOf(outlet));
  return shape ? std::optional(shape->size()) : std::nullopt;
}

// Returns the node that determined the rank of an outlet: its inputs, if any, have other ranks.
NodeId originOfRank(Analysis& analysis, const Frame& frame, Outlet outlet) {
  const auto rank = rankAt(analysis, frame, outlet);
  NodeId node = outlet.node;
  while (rank) {
    const std::vector<Outlet>& inputs = frame[node].inputs;
    const auto from = std::find_if(inputs.begin(), inputs.end(), [&](Outlet input) {
      return input.node < node && rankAt(analysis, frame, input) == rank;
    });
    if (from == inputs.end()) break;
    node = from->node;
  }
  return node;
}

// Notes the nodes that determined the ranks of the inputs.
void noteRanks(Analysis& analysis, Diagnostic& d, const Site& culprit) {
  const Frame& frame = *culprit.frame;
  std::vector<NodeId> noted;
  for (Outlet from : frame[culprit.node].inputs) {
    const NodeId origin = originOfRank(analysis, frame, from);
    const bool isMade = !frame[origin].inputs.empty();
    if (!isMade || noted.size() >= mostOperands || std::find(noted.begin(), noted.end(), origin) != noted.end())
      continue;
    noted.push_back(origin);
    if (const OutletFacts& facts = frame.facts[origin.index]; !facts.empty())
      d.notes.push_back(
          computationText(analysis, {culprit.frame, origin}, printShape(analysis, facts[0]), std::nullopt));
  }
}

}  // namespace

bool hasSize(Analysis& analysis, const OutletFact& fact, Dim size) {
  Solution& solution = analysis.typer.solution();
  if (const auto shape = resolvedShape(analysis.typer, fact))
    for (const ShapePart& part : *shape)
      if (solution.resolve(part.dim) == size) return true;
  return fact.known && std::any_of(fact.known->elements.begin(), fact.known->elements.end(),
                                   [&](Dim d) { return solution.resolve(d) == size; });
}

void notePaths(Analysis& analysis, Diagnostic& d, const Site& culprit, const SizeOrigins& origins) {
  if (d.code == &codes::rankMismatch) noteRanks(analysis, d, culprit);
  const Frame& frame = *culprit.frame;
  std::vector<std::pair<std::size_t, std::string>> notes;  // by length of the path
  for (const auto& [size, origin] : origins) {
    if (origin.frame != culprit.frame) continue;
    const Dim value = analysis.typer.constant(size);
    const auto bears = [&](Outlet outlet) { return hasSize(analysis, frame.factOf(outlet), value); };
    const std::vector<NodeId> path = shortestPath(frame, origin.node, culprit.node, bears);
    if (path.size() > 2) notes.emplace_back(path.size(), fmt::format("the way of {}: {}", size, pathText(frame, path)));
    if (!frame[origin.node].inputs.empty() && origin.node != culprit.node && bears({origin.node, 0}))
      notes.emplace_back(path.size(), computationText(analysis, origin, std::to_string(size), value));
  }
  std::stable_sort(notes.begin(), notes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [length, note] : notes) d.notes.push_back(std::move(note));
}

}  // namespace axle::tensorflow
