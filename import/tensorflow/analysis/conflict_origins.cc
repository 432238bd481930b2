// What errors say of where their values come from: labels go on to the constants that gave them, and the types that the
// node takes stand below, what differs marked.
#include <algorithm>
#include <cctype>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/analysis/analysis.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostLabels = 3;
constexpr std::size_t mostInputs = 6;    // whose types are noted
constexpr std::size_t longestCall = 80;  // of the path to a function
constexpr std::int64_t mostShown = 16;   // elements of a value

bool holds(const Known& known, Dim value, Solution& solution) {
  auto isIt = [&](Dim d) { return solution.resolve(d) == value; };
  return !known.isReal && std::any_of(known.elements.begin(), known.elements.end(), isIt);
}

// Behind these words stands a number that no type has.
bool isNoSize(std::string_view before) {
  static constexpr std::string_view words[] = {"rank", "axis", "dimension", "stride", "makes"};
  return std::find(std::begin(words), std::end(words), before) != std::end(words);
}

// How many inputs may hold sizes that the node hands on: the others of these operators are places and axes.
std::size_t sizesAmong(std::string_view op) {
  static constexpr std::string_view ofFirst[] = {"StridedSlice", "Gather", "GatherV2", "ExpandDims", "Transpose"};
  return std::find(std::begin(ofFirst), std::end(ofFirst), op) == std::end(ofFirst) ? SIZE_MAX : 1;
}

// The whole numbers of a message that are sizes: what stands in a name is none.
std::vector<std::int64_t> numbersIn(const std::string& text) {
  std::vector<std::int64_t> out;
  bool quoted = false;
  std::string before;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '`') quoted = !quoted;
    auto isWord = [&](std::size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' ||
                                  text[at] == '/' || text[at] == '.');
    };
    std::size_t end = i;
    while (isWord(end)) ++end;
    std::string word = text.substr(i, end - i);
    bool isNumber = !word.empty() && word.size() < 18 && !isNoSize(before) &&
                    std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
    if (isNumber && !quoted && std::find(out.begin(), out.end(), std::stoll(word)) == out.end())
      out.push_back(std::stoll(word));
    if (!word.empty()) before = std::move(word);
    i = std::max(end, i + 1);
  }
  return out;
}

// Those that are sizes: a message about ranks shows shapes besides, those about calls count.
std::vector<std::int64_t> sizesIn(const Diagnostic& d) {
  static constexpr std::string_view ofOthers[] = {"E0303", "E0909", "E0913"};
  const bool isOfOthers = std::find(std::begin(ofOthers), std::end(ofOthers), d.code->code) != std::end(ofOthers);
  return isOfOthers ? std::vector<std::int64_t>() : numbersIn(d.message);
}

bool isBetween(const Label& label) { return label.text == "by way of this" || label.text == "from here"; }

// A part of a type that no node gave has no place. What was said of it is said of the first that is left, where all of
// them are between.
void dropNowhere(Diagnostic& d) {
  std::string said;
  std::erase_if(d.secondary, [&](const Label& label) {
    const Span* span = std::get_if<Span>(&label.place);
    const bool isNowhere = span && span->begin == span->end;
    if (isNowhere && !label.text.ends_with(" comes from here") && !isBetween(label)) said = label.text;
    return isNowhere;
  });
  if (!said.empty() && !d.secondary.empty() && std::all_of(d.secondary.begin(), d.secondary.end(), isBetween))
    d.secondary[0].text = said;
}

}  // namespace

std::string Analysis::nameOf(const Frame& frame, Outlet outlet) {
  std::string name = (*frame.graph)[outlet.node].name;
  return outlet.port == 0 ? name : fmt::format("{}:{}", name, outlet.port);
}

std::string Analysis::functionOf(const Frame& frame) const {
  auto isIts = [&](const Function& function) { return &function.body == frame.graph; };
  auto found = std::find_if(model_.functions.begin(), model_.functions.end(), isIts);
  return found == model_.functions.end() ? std::string() : found->name;
}

std::optional<Analysis::Site> Analysis::siteOf(const Label& label, Frame* first) {
  const Span* span = std::get_if<Span>(&label.place);
  if (!span || !sources_.isListing(span->source)) return std::nullopt;
  auto isOf = [&](const Frame& frame) {
    return !frame.places->nodes.empty() && frame.places->nodes[0].line.source == span->source;
  };
  std::uint32_t line = sources_.position(span->source, span->begin).line - 1;
  if (first && isOf(*first)) return Site{first, NodeId{line}};
  for (Frame& frame : frames_)
    if (isOf(frame)) return Site{&frame, NodeId{line}};
  return std::nullopt;
}

// What a node takes a tensor from that holds `value`: of a function's argument the caller's node.
std::optional<Analysis::Site> Analysis::takenFrom(Site site, Dim value) {
  Frame* frame = site.frame;
  const Node* node = &(*frame->graph)[site.node];
  std::vector<Outlet> inputs = node->inputs;
  if (node->op == "_Arg" && frame->caller) {
    const auto* index = node->get<std::int64_t>("index");
    const std::vector<Outlet>& given = (*frame->caller->graph)[frame->call].inputs;
    const std::size_t first = given.size() - std::min(given.size(), frame->arguments.size());  // behind a condition
    inputs.clear();
    if (index && *index >= 0 && first + static_cast<std::size_t>(*index) < given.size())
      inputs.push_back(given[first + static_cast<std::size_t>(*index)]);
    frame = frame->caller;
  }
  if (const auto count = sizesAmong(node->op); inputs.size() > count) inputs.resize(count);
  for (Outlet from : inputs) {
    const std::vector<OutletFact>& facts = frame->facts[from.node.index];
    const bool isBack = frame == site.frame && from.node.index >= site.node.index;
    if (isBack || from.port >= facts.size() || !facts[from.port].known) continue;
    if (holds(*facts[from.port].known, value, typer_.solution())) return Site{frame, from.node};
  }
  return std::nullopt;
}

// The node where `value` came into the tensor of sizes that `site` makes: a constant, or what takes a shape.
Analysis::Site Analysis::beginOfValue(Site site, Dim value) {
  while (auto from = takenFrom(site, value)) site = *from;
  return site;
}

// Which input of a node brings `value`: where that began.
std::optional<Analysis::Site> Analysis::originIn(Site site, Dim value) {
  Solution& solution = typer_.solution();
  for (Outlet from : (*site.frame->graph)[site.node].inputs) {
    const std::vector<OutletFact>& facts = site.frame->facts[from.node.index];
    if (from.port >= facts.size()) continue;
    if (auto shape = resolvedShape(facts[from.port]))
      for (const ShapePart& part : *shape) {
        if (solution.resolve(part.dim) != value) continue;
        for (Span place : typer_.placesOf(part))
          if (auto found = siteOf({place, {}}, site.frame); found && found->node != site.node) return found;
        return Site{site.frame, from.node};
      }
    if (facts[from.port].known && holds(*facts[from.port].known, value, solution))
      return beginOfValue({site.frame, from.node}, value);
  }
  return std::nullopt;
}

// Labels at nodes that only hand a value on lead to where it began; numbers that no label explains get one. What is
// between is told by the notes.
Analysis::Ends Analysis::followLabels(Diagnostic& d, Frame* teller) {
  Ends ends;
  auto culprit = siteOf(d.primary, teller);
  if (!culprit) return ends;
  dropNowhere(d);
  auto lineOf = [&](const Label& label) -> std::optional<std::pair<std::uint32_t, std::uint32_t>> {
    const Span* span = std::get_if<Span>(&label.place);
    if (!span) return std::nullopt;
    return std::pair(span->source.index, sources_.position(span->source, span->begin).line);
  };
  auto show = [&](Site site, std::int64_t value) {
    Label label{(*site.frame->places)[site.node].name, fmt::format("{} comes from here", value)};
    if (!bears(*site.frame, {site.node, 0}, typer_.constant(value)))
      label.text = fmt::format("{} is computed of this", value);
    auto isSame = [&](const Label& other) { return lineOf(other) == lineOf(label); };
    if (isSame(d.primary)) return;
    if (auto shown = std::find_if(d.secondary.begin(), d.secondary.end(), isSame); shown != d.secondary.end()) {
      if (!shown->text.ends_with(" comes from here") || shown->text == label.text) *shown = std::move(label);
    } else {
      d.secondary.push_back(std::move(label));
    }
    ends.emplace_back(value, site);
  };
  for (std::int64_t number : sizesIn(d)) {
    Dim value = typer_.constant(number);
    std::string text = fmt::format("{} comes from here", number);
    auto label = std::find_if(d.secondary.begin(), d.secondary.end(), [&](const Label& l) { return l.text == text; });
    std::optional<Site> from = label != d.secondary.end() ? siteOf(*label, culprit->frame) : originIn(*culprit, value);
    if (!from) continue;
    Site begin = beginOfValue(*from, value);
    if (label != d.secondary.end() && begin.node != from->node) label->text = "by way of this";
    show(begin, number);
  }
  if (!std::all_of(d.secondary.begin(), d.secondary.end(), isBetween)) std::erase_if(d.secondary, isBetween);
  if (d.secondary.size() > mostLabels) d.secondary.resize(mostLabels);
  return ends;
}

// Which of the sizes that a message names are marked in each input: where it names two and only one of the inputs can
// have the one, the other has the other.
std::vector<std::vector<std::int64_t>> Analysis::markedSizes(const Diagnostic& d, Site site) {
  const std::vector<Outlet>& inputs = (*site.frame->graph)[site.node].inputs;
  std::vector<std::int64_t> named = sizesIn(d);
  std::vector<std::vector<std::int64_t>> marked(inputs.size(), named);
  if (named.size() != 2 || inputs.size() != 2) return marked;
  auto has = [&](std::size_t input, std::int64_t value) {
    const std::vector<OutletFact>& facts = site.frame->facts[inputs[input].node.index];
    auto shape = inputs[input].port < facts.size() ? resolvedShape(facts[inputs[input].port]) : std::nullopt;
    Dim size = typer_.constant(value);
    return shape && std::any_of(shape->begin(), shape->end(),
                                [&](const ShapePart& part) { return typer_.solution().resolve(part.dim) == size; });
  };
  bool straight = has(0, named[0]) && has(1, named[1]), crossed = has(0, named[1]) && has(1, named[0]);
  if (straight != crossed) marked = {{named[straight ? 0 : 1]}, {named[straight ? 1 : 0]}};
  return marked;
}

// The types that the node takes, the sizes that the message names marked.
void Analysis::noteInputs(Diagnostic& d, Site site) {
  const Node& node = (*site.frame->graph)[site.node];
  std::vector<std::vector<std::int64_t>> marked = markedSizes(d, site);
  std::size_t width = 0;
  for (Outlet from : node.inputs) width = std::max(width, nameOf(*site.frame, from).size());
  std::vector<std::string> lines;
  std::vector<Outlet> seen;
  for (std::size_t input = 0; input < node.inputs.size(); ++input) {
    const Outlet from = node.inputs[input];
    const std::vector<std::int64_t>& named = marked[input];
    const std::vector<OutletFact>& facts = site.frame->facts[from.node.index];
    if (from.port >= facts.size() || seen.size() >= mostInputs) continue;
    if (std::find(seen.begin(), seen.end(), from) != seen.end()) continue;
    seen.push_back(from);
    const OutletFact& fact = facts[from.port];
    std::string line = fmt::format("{:<{}}  {} ", nameOf(*site.frame, from), width, spelling(fact.type));
    std::string marks(line.size(), ' ');
    auto shape = resolvedShape(fact);
    line += shape ? "[" : "..";
    for (std::size_t i = 0; shape && i < shape->size(); ++i) {
      std::string size = printNamed((*shape)[i].dim);
      line += i > 0 ? ", " : "";
      marks.resize(line.size(), ' ');
      auto value = typer_.solution().dims.asConstant(typer_.solution().resolve((*shape)[i].dim));
      bool differs = value && std::find(named.begin(), named.end(), *value) != named.end();
      marks += std::string(size.size(), differs ? '^' : ' ');
      line += size;
    }
    if (shape) line += "]";
    if (fact.known && !fact.known->isReal && fact.known->shape.size() <= 1 && fact.known->count() <= mostShown) {
      std::vector<std::string> items;
      for (Dim item : fact.known->elements) items.push_back(printNamed(item));
      line += fact.known->shape.empty() ? " = " + items.front() : fmt::format(" = [{}]", fmt::join(items, ", "));
    }
    lines.push_back(std::move(line));
    if (marks.find('^') != marks.npos) {
      marks.erase(marks.find_last_of('^') + 1);
      lines.push_back(std::move(marks));
    }
  }
  if (!lines.empty())
    d.notes.insert(d.notes.begin(), fmt::format("{} is given\n{}", withDetails(node), fmt::join(lines, "\n")));
}

void Analysis::tellCauses(Diagnostic& d, Frame* teller) {
  auto site = siteOf(d.primary, teller);
  if (!site) return;
  if (site->frame == &frames_.front() && d.code->severity == Severity::error) refused_.insert(site->node);
  Ends ends = followLabels(d, teller);
  noteInputs(d, *site);
  noteWays(d, *site, ends);
  std::string_view call = site->frame->prefix;
  if (call.empty()) return;
  call.remove_suffix(1);
  d.notes.push_back(fmt::format("this is `{}` of the function `{}`, in what `{}{}` calls",
                                (*site->frame->graph)[site->node].name, functionOf(*site->frame),
                                call.substr(0, longestCall), call.size() > longestCall ? "..." : ""));
}

void Analysis::tellCauses() {
  tellers_.resize(diagnostics_.size() - toldBefore_, nullptr);
  for (std::size_t i = toldBefore_; i < diagnostics_.size(); ++i)
    tellCauses(diagnostics_[i], tellers_[i - toldBefore_]);
  // A function that several calls follow is told of once.
  std::set<std::string> seen;
  auto isAgain = [&](const Diagnostic& d) {
    const Span* at = std::get_if<Span>(&d.primary.place);
    return at && !seen.insert(fmt::format("{}:{} {}", at->source.index, at->begin, d.message)).second;
  };
  diagnostics_.erase(
      std::remove_if(diagnostics_.begin() + static_cast<std::ptrdiff_t>(toldBefore_), diagnostics_.end(), isAgain),
      diagnostics_.end());
}

}  // namespace axle::tensorflow
