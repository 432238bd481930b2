#include "import/tensorflow/analysis/conflict_origins.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/fact_text.h"
#include "import/tensorflow/analysis/input_notes.h"
#include "import/tensorflow/analysis/node_paths.h"
#include "import/tensorflow/analysis/typed_facts.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostLabels = 3;
constexpr std::size_t longestCall = 80;  // characters of the path to a function

constexpr std::string_view comesFromHere = " comes from here";
constexpr std::string_view passesHere = "by way of this";

bool holds(const Known& known, Dim value, Solution& solution) {
  const auto isIt = [&](Dim d) { return solution.resolve(d) == value; };
  return !known.isReal && std::any_of(known.elements.begin(), known.elements.end(), isIt);
}

// Returns how many inputs may hold sizes that the node passes on: the other inputs of these operators are indices and
// axes.
std::size_t inputsWithSizes(std::string_view op) {
  static constexpr std::string_view onlyFirst[] = {"StridedSlice", "Gather", "GatherV2", "ExpandDims", "Transpose"};
  return std::find(std::begin(onlyFirst), std::end(onlyFirst), op) == std::end(onlyFirst) ? SIZE_MAX : 1;
}

// ---- the node that a value comes from

// Returns the inputs of a node with their frame; for a parameter of a function, the caller's argument.
std::pair<Frame*, std::vector<Outlet>> sourcesOf(const Site& site) {
  Frame* frame = site.frame;
  const Node& node = (*frame)[site.node];
  if (node.op != "_Arg" || !frame->caller) return {frame, node.inputs};
  const auto* index = node.get<std::int64_t>("index");
  const std::vector<Outlet>& given = (*frame->caller)[frame->call].inputs;
  const std::size_t first = given.size() - std::min(given.size(), frame->arguments.size());  // after a condition
  std::vector<Outlet> inputs;
  if (index && *index >= 0 && first + static_cast<std::size_t>(*index) < given.size())
    inputs.push_back(given[first + static_cast<std::size_t>(*index)]);
  return {frame->caller, std::move(inputs)};
}

// Returns the node from which a node takes a tensor of sizes that contains `value`.
std::optional<Site> sourceHolding(Analysis& analysis, const Site& site, Dim value) {
  auto [frame, inputs] = sourcesOf(site);
  if (const auto count = inputsWithSizes((*site.frame)[site.node].op); inputs.size() > count) inputs.resize(count);
  for (Outlet from : inputs) {
    const bool isBackEdge = frame == site.frame && from.node.index >= site.node.index;
    const std::optional<Known>& known = frame->factOf(from).known;
    if (!isBackEdge && known && holds(*known, value, analysis.typer.solution())) return Site{frame, from.node};
  }
  return std::nullopt;
}

// Returns the node that put `value` into the tensor of sizes that `site` makes: a constant, or a node that takes a
// shape.
Site originOfValue(Analysis& analysis, Site site, Dim value) {
  while (const auto from = sourceHolding(analysis, site, value)) site = *from;
  return site;
}

// Returns the origin of a size that an input of the node has, or contains as a value.
std::optional<Site> originBehind(Analysis& analysis, const Site& site, const MentionedSize& size) {
  Solution& solution = analysis.typer.solution();
  const Dim value = analysis.typer.constant(size.value);
  for (Outlet from : (*site.frame)[site.node].inputs) {
    const OutletFact& fact = site.frame->factOf(from);
    if (!mayHave(size, fact.type)) continue;
    if (const auto shape = resolvedShape(analysis.typer, fact))
      for (const ShapePart& part : *shape) {
        if (solution.resolve(part.dim) != value) continue;
        for (Span place : analysis.typer.placesOf(part))
          if (auto found = siteOf(analysis, {place, {}}, site.frame); found && found->node != site.node) return found;
        return Site{site.frame, from.node};
      }
    if (fact.known && holds(*fact.known, value, solution))
      return originOfValue(analysis, {site.frame, from.node}, value);
  }
  return std::nullopt;
}

// ---- labels

bool isBetween(const Label& label) { return label.text == passesHere || label.text == "from here"; }

// Drops labels of parts of types that no node gave, which have no place. If all remaining labels only mark nodes in
// between, the first one gets the dropped text.
void dropLabelsWithoutPlace(Diagnostic& d) {
  std::string text;
  std::erase_if(d.secondary, [&](const Label& label) {
    const Span* span = std::get_if<Span>(&label.place);
    const bool isNowhere = span && span->begin == span->end;
    if (isNowhere && !label.text.ends_with(comesFromHere) && !isBetween(label)) text = label.text;
    return isNowhere;
  });
  if (!text.empty() && !d.secondary.empty() && std::all_of(d.secondary.begin(), d.secondary.end(), isBetween))
    d.secondary[0].text = text;
}

bool areOnOneLine(const SourceMap& sources, const Label& a, const Label& b) {
  const Span *first = std::get_if<Span>(&a.place), *second = std::get_if<Span>(&b.place);
  if (!first || !second) return !first && !second;
  return first->source.index == second->source.index &&
         sources.position(first->source, first->begin).line == sources.position(second->source, second->begin).line;
}

// Labels the node that a size comes from. Returns false if the error itself is there.
bool labelOrigin(Analysis& analysis, Diagnostic& d, const Site& site, std::int64_t size) {
  Label label{site.frame->at(site.node).name, fmt::format("{}{}", size, comesFromHere)};
  if (!hasSize(analysis, site.frame->factOf({site.node, 0}), analysis.typer.constant(size)))
    label.text = fmt::format("{} is computed from this", size);
  if (areOnOneLine(analysis.sources, d.primary, label)) return false;
  const auto isThere = [&](const Label& other) { return areOnOneLine(analysis.sources, other, label); };
  const auto shown = std::find_if(d.secondary.begin(), d.secondary.end(), isThere);
  if (shown == d.secondary.end())
    d.secondary.push_back(std::move(label));
  else if (!shown->text.ends_with(comesFromHere) || shown->text == label.text)
    *shown = std::move(label);
  return true;
}

// Adds the shape to the label of a size that occurs in it several times: the operator determines which of them is
// meant.
void nameShapes(Analysis& analysis, Diagnostic& d, const Site& culprit, const SizeOrigins& origins) {
  for (const auto& [size, origin] : origins)
    for (Label& label : d.secondary) {
      const auto site = siteOf(analysis, label, culprit.frame);
      if (!site || *site != origin || label.text != fmt::format("{}{}", size, comesFromHere)) continue;
      const OutletFact& fact = origin.frame->factOf({origin.node, 0});
      const auto shape = resolvedShape(analysis.typer, fact);
      if (!shape) continue;
      const Dim value = analysis.typer.constant(size);
      const auto times = std::count_if(shape->begin(), shape->end(), [&](const ShapePart& part) {
        return analysis.typer.solution().resolve(part.dim) == value;
      });
      if (times > 1) label.text = fmt::format("{} of {}{}", size, printShape(analysis, fact), comesFromHere);
    }
}

// Moves labels from nodes that only pass a value on to its origin, and labels the origins of sizes without a label.
SizeOrigins labelOrigins(Analysis& analysis, Diagnostic& d, const Site& culprit) {
  SizeOrigins origins;
  dropLabelsWithoutPlace(d);
  for (const MentionedSize& mentioned : mentionedSizes(d)) {
    const std::int64_t size = mentioned.value;
    const Dim value = analysis.typer.constant(size);
    const std::string text = fmt::format("{}{}", size, comesFromHere);
    const auto label =
        std::find_if(d.secondary.begin(), d.secondary.end(), [&](const Label& its) { return its.text == text; });
    const bool isLabelled = label != d.secondary.end();
    const auto from = isLabelled ? siteOf(analysis, *label, culprit.frame) : originBehind(analysis, culprit, mentioned);
    if (!from) continue;
    const Site origin = originOfValue(analysis, *from, value);
    if (isLabelled && origin.node != from->node) label->text = passesHere;
    if (labelOrigin(analysis, d, origin, size)) origins.emplace_back(size, origin);
  }
  if (!std::all_of(d.secondary.begin(), d.secondary.end(), isBetween)) std::erase_if(d.secondary, isBetween);
  if (d.secondary.size() > mostLabels) d.secondary.resize(mostLabels);
  nameShapes(analysis, d, culprit, origins);
  return origins;
}

// ---- whole diagnostics

// Returns the function whose body a frame follows; empty for the main graph.
std::string functionName(const Model& model, const Frame& frame) {
  const auto isIts = [&](const Function& function) { return &function.body == frame.graph; };
  const auto found = std::find_if(model.functions.begin(), model.functions.end(), isIts);
  return found == model.functions.end() ? std::string() : found->name;
}

void noteCall(const Model& model, Diagnostic& d, const Site& site) {
  std::string_view call = site.frame->prefix;
  if (call.empty()) return;
  call.remove_suffix(1);
  d.addNote("this is {} of the function {}, in what {} calls", arg::Name{(*site.frame)[site.node].name},
            arg::Name{functionName(model, *site.frame)},
            arg::Name{fmt::format("{}{}", call.substr(0, longestCall), call.size() > longestCall ? "..." : "")});
}

// Adds origins to a diagnostic. `reporting` is the frame that was visited.
void addOriginsTo(Analysis& analysis, Diagnostic& d, Frame* reporting) {
  const auto site = siteOf(analysis, d.primary, reporting);
  if (!site) return;
  if (analysis.isMain(*site->frame) && d.code->severity == Severity::error) analysis.refused.insert(site->node);
  const SizeOrigins origins = labelOrigins(analysis, d, *site);
  noteInputs(analysis, d, *site);
  notePaths(analysis, d, *site, origins);
  noteCall(analysis.model, d, *site);
}

// Finds errors that repeat an earlier one, or follow from its cause.
class FollowOns {
 public:
  explicit FollowOns(Analysis& analysis) : analysis_(analysis) {}

  // Returns true if the diagnostic repeats one of another call of the same function, is a second error of a node, or
  // blames a node for the same thing as an earlier error. Otherwise the diagnostic is kept, and `place` will be its
  // index.
  bool add(const Diagnostic& d, std::size_t place, Frame* reporting) {
    const Span* at = std::get_if<Span>(&d.primary.place);
    if (!at || d.code->severity != Severity::error) return false;
    if (!told_.insert(fmt::format("{}:{} {}", at->source.index, at->begin, d.message)).second) return true;
    const auto site = siteOf(analysis_, d.primary, reporting);
    if (!site) return false;
    if (!refused_.insert(*site).second) return true;
    const std::vector<Blame> blames = blamesOf(d, *site);
    bool isFollowOn = false;
    for (const Blame& blame : blames)
      if (const auto before = blamed_.find(blame); before != blamed_.end()) {
        before->second.others.push_back((*site->frame)[site->node].name);
        isFollowOn = true;
      }
    if (!isFollowOn)
      for (const Blame& blame : blames) blamed_.emplace(blame, Blamed{place, {}});
    return isFollowOn;
  }

  // Adds a note to each kept error with the other nodes that do not accept what it blames.
  void noteOthers() {
    for (const auto& [key, blamed] : blamed_) {
      if (blamed.others.empty()) continue;
      const std::vector<std::string> first(
          blamed.others.begin(),
          std::next(blamed.others.begin(), static_cast<std::ptrdiff_t>(std::min(blamed.others.size(), mostOthers))));
      const arg::Name blamedNode{(*key.first.frame)[key.first.node].name};
      Diagnostic& d = analysis_.diagnostics[blamed.place];
      if (const std::size_t more = blamed.others.size() - first.size(); more > 0)
        d.addNote("{} does not fit {} and {} more either", blamedNode, arg::Names{first}, arg::Number{more});
      else
        d.addNote("{} does not fit {} either", blamedNode, arg::Names{first});
    }
  }

 private:
  static constexpr std::size_t mostOthers = 3;
  // A node and what errors say about it. The text is empty for a constant, which is wrong as a whole, unless it holds
  // axes or sizes, which may mean different things to different nodes.
  using Blame = std::pair<Site, std::string>;
  struct Blamed {
    std::size_t place;  // of the error that is kept
    std::vector<std::string> others;
  };

  // Returns the nodes that labels point to, constants for any reason, other nodes for the same numbers. If there are no
  // labels, the constants that hold axes or sizes for the node.
  std::vector<Blame> blamesOf(const Diagnostic& d, const Site& site) {
    std::string text(d.code->code);
    for (std::size_t i = 1; i < d.arguments.size(); ++i) text += " " + d.arguments[i];  // the first is the operator
    std::vector<Blame> blames;
    for (const Label& label : d.secondary)
      if (const auto from = siteOf(analysis_, label, site.frame))
        blames.emplace_back(*from, !isConstant(*from) ? text : holdsNumbers(*from) ? label.text : "");
    if (!blames.empty()) return blames;
    for (Outlet input : (*site.frame)[site.node].inputs)
      if (const Site from{site.frame, input.node}; isConstant(from) && holdsNumbers(from))
        blames.emplace_back(from, text);
    return blames;
  }
  static bool isConstant(const Site& site) { return (*site.frame)[site.node].op == "Const"; }
  static bool holdsNumbers(const Site& site) {
    const std::optional<Known>& known = site.frame->factOf({site.node, 0}).known;
    return known && !known->isReal;
  }

  Analysis& analysis_;
  std::set<std::string> told_;
  std::set<Site> refused_;
  std::map<Blame, Blamed> blamed_;
};

}  // namespace

std::optional<Site> siteOf(Analysis& analysis, const Label& label, Frame* first) {
  const Span* span = std::get_if<Span>(&label.place);
  if (!span || !analysis.sources.isListing(span->source)) return std::nullopt;
  const auto isOf = [&](const Frame& frame) {
    return !frame.places->nodes.empty() && frame.places->nodes[0].line.source == span->source;
  };
  const std::uint32_t line = analysis.sources.position(span->source, span->begin).line - 1;
  if (first && isOf(*first)) return Site{first, NodeId{line}};
  for (Frame& frame : analysis.frames)
    if (isOf(frame)) return Site{&frame, NodeId{line}};
  return std::nullopt;
}

void addConflictOrigins(Analysis& analysis) {
  Diagnostics& diagnostics = analysis.diagnostics;
  attributeDiagnostics(analysis, nullptr);
  FollowOns followOns(analysis);
  std::size_t kept = analysis.firstDiagnostic;
  for (std::size_t i = analysis.firstDiagnostic; i < diagnostics.size(); ++i) {
    Frame* reporting = analysis.reportingFrame[i - analysis.firstDiagnostic];
    addOriginsTo(analysis, diagnostics[i], reporting);
    if (!followOns.add(diagnostics[i], kept, reporting)) std::swap(diagnostics[kept++], diagnostics[i]);
  }
  diagnostics.resize(kept);
  followOns.noteOthers();
}

}  // namespace axle::tensorflow
