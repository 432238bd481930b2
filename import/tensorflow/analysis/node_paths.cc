// What errors say of the chains between the node where they show and those that gave the sizes.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostNamed = 6;   // nodes of a way
constexpr std::size_t mostSteps = 64;  // back to a source
constexpr std::size_t mostInputs = 3;  // of a node that makes a size

}  // namespace

std::vector<NodeId> Analysis::wayTo(const Frame& frame, NodeId begin, NodeId end,
                                    const std::function<bool(Outlet)>& passes) {
  std::map<NodeId, NodeId> towards;  // the end
  std::deque<NodeId> open{end};
  towards.emplace(end, end);
  while (!open.empty() && !towards.count(begin)) {
    NodeId node = open.front();
    open.pop_front();
    for (Outlet from : (*frame.graph)[node].inputs)
      if (!towards.count(from.node) && passes(from)) {
        towards.emplace(from.node, node);
        open.push_back(from.node);
      }
  }
  std::vector<NodeId> way;
  if (!towards.count(begin)) return way;
  for (NodeId node = begin; node != end; node = towards.at(node)) way.push_back(node);
  way.push_back(end);
  return way;
}

bool Analysis::bears(const Frame& frame, Outlet outlet, Dim value) {
  const std::vector<OutletFact>& facts = frame.facts[outlet.node.index];
  if (outlet.port >= facts.size()) return false;
  Solution& solution = typer_.solution();
  if (auto shape = resolvedShape(facts[outlet.port]))
    for (const ShapePart& part : *shape)
      if (!part.isVar && solution.resolve(part.dim) == value) return true;
  const std::optional<Known>& known = facts[outlet.port].known;
  return known && std::any_of(known->elements.begin(), known->elements.end(),
                              [&](Dim d) { return solution.resolve(d) == value; });
}

std::string Analysis::typeText(const Frame& frame, Outlet outlet) {
  const std::vector<OutletFact>& facts = frame.facts[outlet.node.index];
  std::string name = nameOf(frame, outlet);
  if (outlet.port >= facts.size()) return name;
  std::string text = fmt::format("{} {}", name, spelling(facts[outlet.port].type));
  std::string value = printValue(facts[outlet.port]);
  return text + (value.empty() ? " " + printShape(facts[outlet.port]) : " " + value);
}

// Of a node that computes a size the one that stands at the beginning: back along the size that it is computed of, and
// where that is computed along the next.
std::optional<NodeId> Analysis::sourceOf(Site made, std::optional<Dim> size) {
  const Graph& graph = *made.frame->graph;
  auto at = sizeBehind(*made.frame, made.node, size);
  for (std::size_t steps = 0; at && steps < mostSteps; ++steps) {
    auto handsOn = [&](Outlet from) { return from.node < at->first && bears(*made.frame, from, at->second); };
    const std::vector<Outlet>& inputs = graph[at->first].inputs;
    auto same = std::find_if(inputs.begin(), inputs.end(), handsOn);
    auto next = same != inputs.end() ? std::optional(std::pair(same->node, at->second))
                                     : sizeBehind(*made.frame, at->first, at->second);
    if (!next) break;
    at = next;
  }
  return at ? std::optional(at->first) : std::nullopt;
}

// The size of an input along the axis of the result that has `size`; else one that the result does not have, or not
// there.
std::optional<std::pair<NodeId, Dim>> Analysis::sizeBehind(const Frame& frame, NodeId node, std::optional<Dim> size) {
  Solution& solution = typer_.solution();
  auto shapeAt = [&](Outlet outlet) {
    const std::vector<OutletFact>& facts = frame.facts[outlet.node.index];
    auto shape = outlet.port < facts.size() ? resolvedShape(facts[outlet.port]) : std::nullopt;
    std::vector<Dim> sizes;
    for (std::size_t i = 0; shape && i < shape->size(); ++i) sizes.push_back(solution.resolve((*shape)[i].dim));
    return sizes;
  };
  const std::vector<Dim> result = shapeAt({node, 0});
  std::optional<std::pair<NodeId, Dim>> changed;
  for (Outlet from : (*frame.graph)[node].inputs) {
    if (from.node >= node || (*frame.graph)[from.node].op == "Const") continue;
    const std::vector<Dim> its = shapeAt(from);
    const bool isAlike = its.size() == result.size();
    for (std::size_t i = 0; i < its.size() && !result.empty(); ++i) {
      if (!solution.dims.asConstant(its[i])) continue;
      if (isAlike && size && result[i] == *size) return std::pair(from.node, its[i]);
      const bool stays =
          isAlike ? result[i] == its[i] : std::find(result.begin(), result.end(), its[i]) != result.end();
      if (!stays && !changed) changed = std::pair(from.node, its[i]);
    }
  }
  return changed;
}

std::string Analysis::howMade(Site made, const std::string& what, std::optional<Dim> size) {
  const Node& node = (*made.frame->graph)[made.node];
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < std::min(node.inputs.size(), mostInputs); ++i)
    inputs.push_back(typeText(*made.frame, node.inputs[i]));
  const std::string with = details(node);
  std::string how = fmt::format("{} is what `{}`{}{} makes of {}", what, node.name,
                                node.name == node.op ? "" : fmt::format(", a `{}`", node.op),
                                with.empty() ? "" : fmt::format(" ({})", with.substr(1)), fmt::join(inputs, ", "));
  auto source = sourceOf(made, size);
  bool isShown =
      source && std::any_of(node.inputs.begin(), node.inputs.end(), [&](Outlet from) { return from.node == *source; });
  if (source && !isShown) how += fmt::format("; it goes back to {}", typeText(*made.frame, {*source, 0}));
  return how;
}

NodeId Analysis::beginOfRank(const Frame& frame, Outlet outlet) {
  auto rankAt = [&](Outlet at) -> std::optional<std::size_t> {
    const std::vector<OutletFact>& facts = frame.facts[at.node.index];
    auto shape = at.port < facts.size() ? resolvedShape(facts[at.port]) : std::nullopt;
    return shape ? std::optional(shape->size()) : std::nullopt;
  };
  const auto rank = rankAt(outlet);
  NodeId node = outlet.node;
  for (bool moved = rank.has_value(); moved;) {
    moved = false;
    for (Outlet from : (*frame.graph)[node].inputs) {
      if (from.node >= node || rankAt(from) != rank) continue;
      node = from.node;
      moved = true;
      break;
    }
  }
  return node;
}

// Of ranks that do not fit: which nodes made them, where the node's own inputs do not show it.
void Analysis::noteRanks(Diagnostic& d, Site culprit) {
  const Frame& frame = *culprit.frame;
  std::vector<NodeId> told;
  for (Outlet from : (*frame.graph)[culprit.node].inputs) {
    const NodeId begin = beginOfRank(frame, from);
    const bool isMade = !(*frame.graph)[begin].inputs.empty();
    if (!isMade || told.size() >= mostInputs || std::find(told.begin(), told.end(), begin) != told.end()) continue;
    told.push_back(begin);
    if (!frame.facts[begin.index].empty())
      d.notes.push_back(howMade({culprit.frame, begin}, printShape(frame.facts[begin.index][0]), std::nullopt));
  }
}

void Analysis::noteWays(Diagnostic& d, Site culprit, const Ends& ends) {
  if (d.code->code == "E0303") noteRanks(d, culprit);
  std::vector<std::pair<std::size_t, std::string>> notes;  // by length
  for (const auto& [size, begin] : ends) {
    if (begin.frame != culprit.frame) continue;
    Dim value = typer_.constant(size);
    const Frame& frame = *culprit.frame;
    std::vector<NodeId> way =
        wayTo(frame, begin.node, culprit.node, [&](Outlet outlet) { return bears(frame, outlet, value); });
    if (way.size() > 2) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < way.size(); ++i) {
        bool isNamed = way.size() <= mostNamed || i + 2 >= way.size() || i + 3 < mostNamed;
        if (isNamed) names.push_back((*frame.graph)[way[i]].name);
        if (!isNamed && names.back() != "..") names.push_back("..");
      }
      notes.emplace_back(way.size(), fmt::format("the way of {}: {}", size, fmt::join(names, " > ")));
    }
    const Node& node = (*frame.graph)[begin.node];
    if (!node.inputs.empty() && begin.node != culprit.node && bears(frame, {begin.node, 0}, value))
      notes.emplace_back(way.size(), howMade(begin, std::to_string(size), value));
  }
  std::stable_sort(notes.begin(), notes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [length, note] : notes) d.notes.push_back(std::move(note));
}

}  // namespace axle::tensorflow
