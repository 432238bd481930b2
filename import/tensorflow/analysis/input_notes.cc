#include "import/tensorflow/analysis/input_notes.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/tensorflow/analysis/analysis.h"
#include "import/tensorflow/analysis/typed_facts.h"
#include "import/tensorflow/problems.h"
#include "typecheck/report/conflict_messages.h"

namespace axle::tensorflow {
namespace {

constexpr std::size_t mostNotedInputs = 6;
constexpr std::int64_t mostShown = 16;  // elements of a value

// Whether the number after this word is not a size of a type.
bool announcesNoSize(std::string_view word) {
  static constexpr std::string_view words[] = {"rank", "axis", "dimension", "stride", "makes"};
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Whether the word counts something other than a tensor's size: numbers of an attribute, outputs of a node.
bool countsNoSize(std::string_view word) {
  static constexpr std::string_view words[] = {"numbers", "parts", "tensors", "batch"};
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Whether the word counts the items of a list of numbers that the node takes.
bool countsList(std::string_view word) {
  static constexpr std::string_view words[] = {"axes", "starts", "sizes"};
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool isWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '/' || c == '.'; }

bool isShortNumber(const std::string& word) {
  return !word.empty() && word.size() < 18 &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
}

// Returns the sizes to mark, by input: if a message names two sizes and only one of two inputs can have the first, the
// other has the second.
std::vector<std::vector<MentionedSize>> markedSizes(Analysis& analysis, const Diagnostic& d, const Site& site) {
  const std::vector<Outlet>& inputs = (*site.frame)[site.node].inputs;
  const std::vector<MentionedSize> sizes = mentionedSizes(d);
  if (sizes.size() != 2 || inputs.size() != 2) return std::vector<std::vector<MentionedSize>>(inputs.size(), sizes);
  Solution& solution = analysis.typer.solution();
  const auto has = [&](std::size_t input, const MentionedSize& mentioned) {
    const auto shape = resolvedShape(analysis.typer, site.frame->factOf(inputs[input]));
    const Dim size = analysis.typer.constant(mentioned.value);
    return shape && std::any_of(shape->begin(), shape->end(),
                                [&](const ShapePart& part) { return solution.resolve(part.dim) == size; });
  };
  const bool inOrder = has(0, sizes[0]) && has(1, sizes[1]), swapped = has(0, sizes[1]) && has(1, sizes[0]);
  if (inOrder == swapped) return {sizes, sizes};
  return {{sizes[inOrder ? 0 : 1]}, {sizes[inOrder ? 1 : 0]}};
}

std::string valueText(Analysis& analysis, const OutletFact& fact) {
  const std::optional<Known>& known = fact.known;
  if (!known || known->isReal || known->shape.size() > 1 || known->count() > mostShown) return {};
  std::vector<std::string> items;
  for (Dim item : known->elements) items.push_back(analysis.sizeNames.printNamed(item));
  return known->shape.empty() ? " = " + items.front() : fmt::format(" = [{}]", fmt::join(items, ", "));
}

// Adds a line with the type of an input and, if it has a size of `marked`, a line of marks below it.
void addTypeLines(Analysis& analysis, std::string line, const OutletFact& fact,
                  const std::vector<MentionedSize>& marked, std::vector<std::string>& lines) {
  Solution& solution = analysis.typer.solution();
  std::string marks(line.size(), ' ');
  const auto shape = resolvedShape(analysis.typer, fact);
  line += shape ? "[" : "..";
  for (std::size_t i = 0; shape && i < shape->size(); ++i) {
    const std::string size = analysis.sizeNames.printNamed((*shape)[i].dim);
    line += i > 0 ? ", " : "";
    marks.resize(line.size(), ' ');
    const auto value = solution.dims.asConstant(solution.resolve((*shape)[i].dim));
    const bool differs = value && std::any_of(marked.begin(), marked.end(), [&](const MentionedSize& mentioned) {
                           return mentioned.value == *value && mayHave(mentioned, fact.type);
                         });
    marks += std::string(size.size(), differs ? '^' : ' ');
    line += size;
  }
  if (shape) line += "]";
  lines.push_back(line + valueText(analysis, fact));
  if (const std::size_t last = marks.find_last_of('^'); last != marks.npos) lines.push_back(marks.substr(0, last + 1));
}

}  // namespace

std::vector<MentionedSize> mentionedSizes(const Diagnostic& d) {
  // Messages with these codes have other numbers: of ranks, of arguments, and values of attributes.
  static const DiagnosticCode* const otherNumbers[] = {&codes::rankMismatch, &codes::inputCount, &codes::badFunction,
                                                       &codes::badAttribute};
  if (std::find(std::begin(otherNumbers), std::end(otherNumbers), d.code) != std::end(otherNumbers)) return {};
  std::vector<MentionedSize> sizes;
  const std::string& text = d.message;
  bool isQuoted = false;
  std::string before;
  std::optional<std::int64_t> number;  // the previous word, if it may be a size
  const auto addNumber = [&](std::string_view next) {
    if (!number || countsNoSize(next)) return;
    const auto isThere = [&](const MentionedSize& other) { return other.value == *number; };
    if (std::none_of(sizes.begin(), sizes.end(), isThere)) sizes.push_back({*number, countsList(next)});
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '`') isQuoted = !isQuoted;
    std::size_t end = i;
    while (end < text.size() && isWordPart(text[end])) ++end;
    std::string word = text.substr(i, end - i);
    if (!word.empty()) {
      addNumber(word);
      number.reset();
      if (!isQuoted && isShortNumber(word) && !announcesNoSize(before)) number = std::stoll(word);
      before = std::move(word);
    }
    i = std::max(end, i + 1);
  }
  addNumber("");
  return sizes;
}

bool mayHave(const MentionedSize& size, Type type) {
  const auto element = elementOf(type);
  return !size.isCount || (element && info(*element).isInt);
}

void noteInputs(Analysis& analysis, Diagnostic& d, const Site& site) {
  const Frame& frame = *site.frame;
  const Node& node = frame[site.node];
  const std::vector<std::vector<MentionedSize>> marked = markedSizes(analysis, d, site);
  std::size_t width = 0;
  for (Outlet from : node.inputs) width = std::max(width, outletLabel(frame, from).size());
  std::vector<std::string> lines;
  std::vector<Outlet> seen;
  for (std::size_t input = 0; input < node.inputs.size(); ++input) {
    const Outlet from = node.inputs[input];
    if (from.port >= frame.facts[from.node.index].size() || seen.size() >= mostNotedInputs) continue;
    if (std::find(seen.begin(), seen.end(), from) != seen.end()) continue;
    seen.push_back(from);
    const OutletFact& fact = frame.factOf(from);
    addTypeLines(analysis, fmt::format("{:<{}}  {} ", outletLabel(frame, from), width, spelling(fact.type)), fact,
                 marked[input], lines);
  }
  if (!lines.empty())
    d.notes.insert(d.notes.begin(), fmt::format("{} is given\n{}", withDetails(node), fmt::join(lines, "\n")));
}

}  // namespace axle::tensorflow
