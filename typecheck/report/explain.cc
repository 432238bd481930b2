// Conflicts as diagnostics: what was asked, both values, where each comes from (LANGUAGE.md, section 7).
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "typecheck/checked.h"
#include "typecheck/codes.h"
#include "typecheck/report/operator_notes.h"
#include "typecheck/solver/attribute_forms.h"
#include "typecheck/solver/conflicts.h"

namespace axle {
namespace {

struct MessageText {
  const DiagnosticCode* code;
  std::string text;
  std::string label;
};

// A shape of sizes that the solver made for a rank: `[d0, d1]`.
bool isOnlyRank(const std::string& shape) {
  std::size_t axis = 0;
  std::string made;
  for (; made.size() + 1 < shape.size() && axis < 100; ++axis) made += fmt::format("{}d{}", axis ? ", " : "[", axis);
  return axis > 0 && shape == made + "]";
}

bool isInRange(const std::string& axis, const std::string& rank) {
  if (axis.find_first_not_of("-0123456789") != axis.npos || rank.size() > 3 || axis.size() > 9) return false;
  const int at = std::stoi(axis), of = std::stoi(rank);
  return -of <= at && at < of;
}

MessageText rankMessage(const Conflict& found, const Reason& why) {
  Conflict f = found;
  if (isOnlyRank(f.right) && !f.left.empty()) std::swap(f.left, f.right);
  auto rank = [](const std::string& shape) {
    if (shape.find('@') != std::string::npos || shape.empty() || shape[0] != '[') return std::string();
    if (shape == "[]") return std::string("0");
    int depth = 0, commas = 0;
    for (char ch : shape) {
      if (ch == '(' || ch == '[') ++depth;
      if (ch == ')' || ch == ']') --depth;
      if (ch == ',' && depth == 1) ++commas;
    }
    return std::to_string(commas + 1);
  };
  std::string left = rank(f.left), right = rank(f.right);
  std::string ranks = !left.empty() && !right.empty() ? fmt::format(" (rank {} and rank {})", left, right)
                      : !right.empty()                ? fmt::format(" (of rank {})", right)
                                                      : "";
  if (why.kind == ReasonKind::condition)
    return {&codes::rankMismatch,
            fmt::format("`if` needs a bool scalar as its condition, but gets the shape {}", f.right),
            fmt::format("this has shape {}, not rank 0", f.right)};
  if (why.kind == ReasonKind::index)
    return {&codes::rankMismatch, "an index has more items than the tensor has dimensions",
            fmt::format("no dimension is left for this{}", right.empty() ? "" : " item")};
  if (!why.axis.empty() && !right.empty() && !isInRange(why.axis, right))
    return {&codes::rankMismatch,
            fmt::format("{} has no axis {} in the shape {} of rank {}", why.subject, why.axis, f.right, right),
            fmt::format("axis {} is out of range: {}", why.axis, axesOfRank(std::stoul(right)))};
  if (why.kind == ReasonKind::application && isOnlyRank(f.left) && !right.empty())
    return {&codes::rankMismatch,
            fmt::format("{} needs a tensor of rank {}, but gets {} of rank {}", why.subject, left, f.right, right),
            "the shapes meet here"};
  if (why.kind == ReasonKind::application && !f.left.empty())
    return {&codes::rankMismatch,
            fmt::format("{} needs a tensor of shape {}, but gets {}{}", why.subject, f.left, f.right, ranks),
            "the shapes meet here"};
  return {&codes::rankMismatch,
          fmt::format("{}: the shapes {} and {} do not have the same rank{}", why.subject, f.left, f.right, ranks),
          "the shapes meet here"};
}

// Whether a signature that the note shows has this name: others are a callee's own.
bool names(std::string_view signature, std::string_view name) {
  auto isPart = [](char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_' || ch == '\''; };
  for (std::size_t at = signature.find(name); at != signature.npos; at = signature.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !isPart(signature[at - 1])) && (end == signature.size() || !isPart(signature[end]))) return true;
  }
  return false;
}

MessageText dimMessage(const Conflict& f, const Reason& why) {
  if (!f.sizeName.empty() && why.kind == ReasonKind::application && names(why.signature, f.sizeName))
    return {&codes::dimMismatch,
            fmt::format("{} needs one size for its `{}`, but gets {} and {}", why.subject, f.sizeName, f.left, f.right),
            fmt::format("`{}` cannot be both {} and {}", f.sizeName, f.left, f.right)};
  if (why.kind == ReasonKind::result)
    return {&codes::dimMismatch,
            fmt::format("{} is promised with size {}, but has {}{}", why.subject, f.left, f.right,
                        f.sizeName.empty() ? "" : fmt::format(" for `{}`", f.sizeName)),
            fmt::format("{} is promised here", f.left)};
  return {&codes::dimMismatch, fmt::format("{} needs equal sizes, but gets {} and {}", why.subject, f.left, f.right),
          "the sizes meet here"};
}

MessageText factMessage(const Conflict& f, const Reason& why) {
  std::string values;
  for (std::size_t i = 0; i < f.values.size(); ++i)
    values += (i == 0                     ? ""
               : i + 1 == f.values.size() ? " and "
                                          : ", ") +
              fmt::format("{} is {}", f.values[i].first, f.values[i].second);
  if (f.isReshape && !f.divisor.empty())
    return {&codes::reshapeTotal,
            fmt::format("{} cannot make {} of {}: {} does not divide by {}", why.subject, f.sizeName, f.text,
                        f.dividend, f.divisor),
            fmt::format("{} is no multiple of {}", f.dividend, f.divisor)};
  if (f.isReshape)
    return {&codes::reshapeTotal,
            fmt::format("{} cannot make {} of {}: {} elements are not {}", why.subject, f.sizeName, f.text, f.right,
                        f.left),
            fmt::format("{} elements do not fit", f.left)};
  std::string who = why.subject.empty() ? "the signature" : why.subject;
  return {&codes::factRefuted,
          fmt::format("{} needs `{}`, which does not hold{}{}", who, f.text, values.empty() ? "" : ": ", values),
          values.empty() ? "this can never hold" : fmt::format("here {}", values)};
}

MessageText escapeMessage(const Conflict& f, const Reason& why) {
  std::string maker = f.text.empty() ? "" : fmt::format(": {} makes it", f.text);
  if (f.reason.index == 0 || f.leftOrigins == 0)
    return {&codes::runtimeEscape,
            fmt::format("{} would make a size of `{}` the size {}, which is known only at run time{}",
                        why.subject.empty() ? "this function" : why.subject, f.left, f.right, maker),
            fmt::format("a caller decides the sizes of `{}`, and cannot know this one", f.left)};
  bool both = f.left.find('?') != std::string::npos && f.right.find('?') != std::string::npos;
  return {&codes::runtimeEscape,
          both ? fmt::format("{} needs one size, but gets two that are known only at run time{}", why.subject,
                             f.text.empty() ? "" : fmt::format(": each call of {} makes another", f.text))
               : fmt::format("{} needs one size, but gets {} and {}, of which one is known only at run time{}",
                             why.subject, f.left, f.right, maker),
          "the sizes meet here"};
}

MessageText raggedMessage(const Conflict& f, const Reason& why) {
  if (!f.sizeName.empty() && f.right.empty())
    return {&codes::raggedMismatch,
            fmt::format("{} would make a size of `{}` the ragged length {}", why.subject, f.sizeName, f.left),
            fmt::format("{} is a function of dimensions that `{}` does not have before it", f.left, f.sizeName)};
  if (f.right.empty())
    return {&codes::raggedMismatch,
            fmt::format("{} would give the ragged length {} another meaning", why.subject, f.left),
            "a length is a function of the dimensions before it, and nothing is computed of it"};
  bool both = f.left.find('*') == 0 && f.right.find('*') == 0;
  return {&codes::raggedMismatch,
          fmt::format("{} needs equal sizes, but gets {} {} and {}", why.subject,
                      both ? "the different lengths" : "a ragged length and a size:", f.left, f.right),
          both ? "each element of the one may have another length than that of the other"
               : "the lengths differ from element to element"};
}

MessageText streamMessage(const Conflict& f, const Reason& why) {
  if (!f.text.empty() && f.left.empty())
    return {&codes::streamMismatch,
            fmt::format("{} needs all of the streamed dimension {} at once", why.subject, f.text),
            fmt::format("{} never ends", f.text)};
  return {
      &codes::streamMismatch,
      fmt::format("{} needs equal sizes, but gets {} and {}: a stream has no fixed size", why.subject, f.left, f.right),
      "the sizes meet here"};
}

// Bool is what the signature says, not another argument.
bool wantsBool(const Conflict& f, const Reason& why) {
  return f.kind == ConflictKind::elem && f.left == "bool" && why.kind == ReasonKind::application &&
         why.signature.find("(bool ") != why.signature.npos && (f.origins.empty() || !f.origins.front().index);
}

MessageText messageOf(const Conflict& f, const Reason& why) {
  switch (f.kind) {
    case ConflictKind::rank:
      return rankMessage(f, why);
    case ConflictKind::dim:
      return dimMessage(f, why);
    case ConflictKind::fact:
      return factMessage(f, why);
    case ConflictKind::elem:
      if (wantsBool(f, why))
        return {&codes::elemMismatch, fmt::format("{} takes bool, but gets {}", why.subject, f.right),
                fmt::format("{} is no truth value", f.right)};
      if (why.kind == ReasonKind::condition)
        return {&codes::elemMismatch, fmt::format("`if` needs a bool scalar as its condition, but gets {}", f.right),
                f.right};
      return {&codes::elemMismatch,
              fmt::format("{} needs one element type, but gets {} and {}", why.subject, f.left, f.right),
              "the element types meet here"};
    case ConflictKind::elemClass:
      return {&codes::elemClass,
              fmt::format("{} needs elements of class `{}`, but gets {}", why.subject, f.left, f.right),
              fmt::format("{} is not of class `{}`", f.right, f.left)};
    case ConflictKind::occurs:
      return {&codes::infiniteType, fmt::format("{} would have an infinite type: it contains itself", why.subject),
              "here"};
    case ConflictKind::tupleArity:
      if (why.kind == ReasonKind::pattern)
        return {&codes::typeMismatch,
                fmt::format("the pattern has {} names, but the value has {} parts", f.left, f.right),
                fmt::format("{} names", f.left)};
      return {&codes::typeMismatch,
              fmt::format("{}: tuples of {} and of {} parts do not fit", why.subject, f.left, f.right), "here"};
    case ConflictKind::functionArity:
      return {&codes::typeMismatch,
              fmt::format("{} needs a function of {} argument{}, but gets one of {}", why.subject, f.left,
                          f.left == "1" ? "" : "s", f.right),
              "here"};
    case ConflictKind::type:
      return {&codes::typeMismatch, fmt::format("{} needs {}, but gets {}", why.subject, f.left, f.right), "here"};
    case ConflictKind::attribute:
      return {&codes::badAttribute, fmt::format("{}: {}", why.subject, f.text), "here"};
    case ConflictKind::escape:
      return escapeMessage(f, why);
    case ConflictKind::undetermined:
      return {&codes::runtimeEscape,
              fmt::format("{} needs {} to be {}, which is known only at run time and does not tell `{}`", why.subject,
                          f.left, f.right, f.sizeName),
              fmt::format("nothing tells `{}`", f.sizeName)};
    case ConflictKind::unopened:
      return {&codes::runtimeEscape,
              fmt::format("{} has one size {} for all its calls of a function, but each of them makes another{}",
                          why.subject, f.right, f.text.empty() ? "" : fmt::format(": {} makes it", f.text)),
              "such calls need not agree"};
    case ConflictKind::ragged:
      return raggedMessage(f, why);
    case ConflictKind::unragged:
      return {&codes::raggedMismatch, fmt::format("{} cannot take the ragged length {}", why.subject, f.left),
              "one size is needed here for all elements"};
    case ConflictKind::stream:
      return streamMessage(f, why);
    case ConflictKind::overflow:
      return {&codes::overflow, fmt::format("{}: a size does not fit into 64 bits, or divides by 0", why.subject),
              "here"};
  }
  return {&codes::typeMismatch, {}, {}};
}

bool isNumber(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

// Two types under each other, and marks under what differs.
std::string besideEachOther(std::string_view oneLead, std::string_view one, std::string_view otherLead,
                            std::string_view other) {
  auto isPart = [](char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_'; };
  const std::size_t shorter = std::min(one.size(), other.size());
  std::size_t begin = 0, end = 0;  // of what differs, from the front and from the back
  while (begin < shorter && one[begin] == other[begin]) ++begin;
  while (end < shorter - begin && one[one.size() - 1 - end] == other[other.size() - 1 - end]) ++end;
  while (begin > 0 && isPart(other[begin - 1])) --begin;  // whole words
  while (end > 0 && isPart(other[other.size() - end])) --end;
  const std::size_t lead = std::max(oneLead.size(), otherLead.size());
  return fmt::format("{:<{}}{}\n{:<{}}{}\n{}{}", oneLead, lead, one, otherLead, lead, other,
                     std::string(lead + begin, ' '),
                     std::string(std::max<std::size_t>(other.size() - end, begin + 1) - begin, '^'));
}

// `written` is what stands there: a size that follows from it is told as such.
std::string originLabel(const Conflict& f, std::size_t index, const Origin& origin, const std::string& place,
                        std::string_view written = {}) {
  if (origin.makes) return "each call makes a size of its own here";
  bool isLeft = index < f.leftOrigins;
  bool isFirst = index == 0 || index == f.leftOrigins;
  if (!isFirst) return "by way of this";
  const std::string& value = isLeft ? f.left : f.right;
  switch (f.kind) {
    case ConflictKind::stream:
      return value.empty() || value[0] == '~' ? "this dimension arrives over time"
                                              : fmt::format("{} comes from {}", value, place);
    case ConflictKind::escape:
    case ConflictKind::undetermined:
    case ConflictKind::ragged:
    case ConflictKind::unragged:
    case ConflictKind::dim:
    case ConflictKind::elem:
      if (isNumber(written) && isNumber(value) && written != value)
        return fmt::format("{} follows from {} {}", value, place == "here" ? "this" : place + "'s", written);
      return value.empty() ? "from " + place : fmt::format("{} comes from {}", value, place);
    case ConflictKind::rank:
      return "one of the shapes is from here";
    case ConflictKind::elemClass:
      return isLeft ? fmt::format("class `{}` is needed here", f.left)
                    : fmt::format("{} comes from {}", f.right, place);
    default:
      return "from here";
  }
}

}  // namespace

namespace {

// The origins as they are shown: the first written place of each side, what else was written, what was inferred.
std::vector<std::size_t> inOrder(const Conflict& conflict, const Provenance& why) {
  std::vector<std::size_t> order;
  auto push = [&](std::size_t i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  };
  const std::size_t count = conflict.origins.size(), left = std::min(conflict.leftOrigins, count);
  auto first = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (why[conflict.origins[i]].written) return push(i);
  };
  first(0, left);
  first(left, count);
  for (bool written : {true, false})
    for (std::size_t i = 0; i < count; ++i)
      if (why[conflict.origins[i]].written == written) push(i);
  return order;
}

}  // namespace

namespace {

// What signatures call the sizes that their facts are about.
struct SizeWords {
  std::string_view signature, name, words;
};
constexpr SizeWords sizeWords[] = {
    {"op conv", "h", "h, the height,"},
    {"op conv", "w", "w, the width,"},
    {"op conv", "r", "r, the filter's height,"},
    {"op conv", "s", "s, the filter's width,"},
    {"op depthwise_conv", "h", "h, the height,"},
    {"op depthwise_conv", "w", "w, the width,"},
    {"op depthwise_conv", "r", "r, the filter's height,"},
    {"op depthwise_conv", "s", "s, the filter's width,"},
    {"op split ", "n", "n, the size of the axis,"},
    {"op split ", "parts", "parts, their number,"},
    {"op slice ", "n", "n, the size of the axis,"},
    {"op slice ", "start", "start, where it begins,"},
    {"op slice ", "stop", "stop, where it ends,"},
    {"op depth_to_space ", "c", "c, the number of channels,"},
    {"op depth_to_space ", "block", "block, the block's size,"},
    {"op space_to_depth ", "h", "h, the height,"},
    {"op space_to_depth ", "w", "w, the width,"},
    {"op space_to_depth ", "block", "block, the block's size,"},
};

std::string_view wordsOfClass(std::string_view elemClass) {
  static constexpr std::pair<std::string_view, std::string_view> rows[] = {
      {"int", "whole numbers"}, {"float", "floats"}, {"num", "numbers"}, {"eq", "elements that can be compared"}};
  auto row = std::find_if(std::begin(rows), std::end(rows), [&](const auto& r) { return r.first == elemClass; });
  return row == std::end(rows) ? elemClass : row->second;
}

// Who has a graph has not seen the core operators' signatures: their letters are used only where a fact is about them.
void inWordsOfGraphs(Conflict& conflict, Reason& reason) {
  reason.given.clear();
  if (conflict.kind == ConflictKind::dim) conflict.sizeName.clear();
  if (conflict.isReshape) std::replace(conflict.sizeName.begin(), conflict.sizeName.end(), '_', '?');
  if (conflict.kind != ConflictKind::fact || conflict.isReshape || conflict.values.empty()) reason.signature.clear();
  bool told = true;
  for (auto& [name, value] : conflict.values) {
    auto row = std::find_if(std::begin(sizeWords), std::end(sizeWords), [&](const SizeWords& words) {
      return words.name == name && reason.signature.starts_with(words.signature);
    });
    told &= row != std::end(sizeWords);
    if (row != std::end(sizeWords)) name = row->words;
  }
  if (told) reason.signature.clear();
}

}  // namespace

std::string ownerOf(const Checked& checked, const Origin& origin) {
  const Provenance& why = checked.provenance;
  if (!origin.file.empty()) return {};
  auto isHere = [&](OriginId id) { return id.index && why[id].file.empty() && why[id].span == origin.span; };
  for (const TypedBinding& binding : checked.program.bindings) {
    const TypeTerm& type = checked.solution.types[binding.type];
    bool isIts = type.kind == TypeKind::tensor && isHere(type.origin);
    if (type.kind == TypeKind::tensor)
      for (const ShapePart& part : type.shape) isIts |= isHere(part.origin);
    if (isIts) return binding.name;
  }
  return {};
}

namespace {

bool isNamed(const Modules& modules, SourceId source, const std::string& size) {
  for (const ast::Module& module : modules.modules)
    if (module.source == source)
      for (const ast::Dim& dim : module.dims)
        if (auto* name = std::get_if<ast::DimName>(&dim.node); name && name->name == size) return true;
  return false;
}

}  // namespace

std::optional<Source> sourceOf(Checked& checked, const ShapePart& size) {
  for (OriginId id : originsOf(checked.solver, size))
    if (const Origin& origin = checked.provenance[id]; origin.file.empty())
      return Source{origin.span, ownerOf(checked, origin)};
  return std::nullopt;
}

Diagnostic explain(Checked& checked, const Conflict& found) {
  const Provenance& why = checked.provenance;
  Conflict conflict = found;
  Reason reason = why[conflict.reason];
  if (checked.isGraph) inWordsOfGraphs(conflict, reason);
  // An operator's name for a size says nothing where the text has one that is spelled alike.
  if (!checked.isGraph && reason.kind == ReasonKind::result &&
      isNamed(checked.modules, reason.span.source, conflict.sizeName))
    conflict.sizeName.clear();
  MessageText message = messageOf(conflict, reason);
  if (checked.isGraph && conflict.kind == ConflictKind::elemClass)
    message = {&codes::elemClass,
               fmt::format("{} needs {}, but gets {}", reason.subject, wordsOfClass(conflict.left), conflict.right),
               fmt::format("{} is of another kind", conflict.right)};
  Diagnostic d;
  d.code = message.code;
  d.message = std::move(message.text);
  d.primary = {reason.span, std::move(message.label)};
  std::vector<Span> shown{reason.span};
  auto isShown = [&](Span span) { return std::find(shown.begin(), shown.end(), span) != shown.end(); };
  // The uses that brought the constraint here, innermost first; the outermost is what the user should look at.
  for (ReasonId use = reason.within; use.index != 0; use = why[use].within) {
    if (isShown(why[use].span)) continue;
    d.secondary.push_back(d.primary);
    d.secondary.back().text = "asked for here";
    d.primary = {why[use].span, fmt::format("in this use of {}", why[use].subject)};
    shown.push_back(why[use].span);
  }
  // An argument's own name is told with its type.
  auto placeOf = [&](const Origin& origin) {
    const std::string owner = checked.isGraph ? std::string() : ownerOf(checked, origin);
    bool isGiven =
        std::any_of(reason.given.begin(), reason.given.end(), [&](const Given& g) { return g.name == owner; });
    return owner.empty() || isGiven ? std::string("here") : fmt::format("`{}`", owner);
  };
  constexpr std::size_t most = 3;
  for (std::size_t i : inOrder(conflict, why)) {
    const Origin& origin = why[conflict.origins[i]];
    if (conflict.origins[i].index == 0 || d.secondary.size() >= most) continue;
    if (!origin.file.empty()) {
      d.secondary.push_back({ArtifactPlace{origin.file, origin.node}, originLabel(conflict, i, origin, "here")});
      continue;
    }
    if (isShown(origin.span)) continue;
    shown.push_back(origin.span);
    d.secondary.push_back(
        {origin.span, originLabel(conflict, i, origin, placeOf(origin), checked.sources.text(origin.span))});
  }
  for (const auto& [span, label] : reason.also)
    if (!isShown(span)) d.secondary.push_back({span, label});
  if (!reason.given.empty() && reason.kind != ReasonKind::condition) {
    auto typesFrom = [&](std::size_t first) {
      std::string types;
      for (std::size_t i = first; i < reason.given.size(); ++i)
        types += (i > first ? ", " : "") + (reason.given[i].name.empty() ? "" : reason.given[i].name + " : ") +
                 printType(checked, reason.given[i].type);
      return types;
    };
    if (reason.kind == ReasonKind::application)
      d.notes.push_back(fmt::format("{} is given ({})", reason.subject, typesFrom(0)));
    const bool differ = conflict.kind == ConflictKind::dim || conflict.kind == ConflictKind::rank ||
                        conflict.kind == ConflictKind::elem;
    if (reason.kind == ReasonKind::call && differ && reason.given.size() > 1)
      d.notes.push_back(
          besideEachOther(fmt::format("{} takes ", reason.subject), printType(checked, reason.given[0].type),
                          "and is given " + (reason.given[1].name.empty() ? "" : reason.given[1].name + " : "),
                          printType(checked, reason.given[1].type)));
    if (reason.kind == ReasonKind::branches)
      d.notes.push_back(fmt::format("the branches of `if` have the types {}", typesFrom(0)));
  }
  for (const auto& [span, label] : conflict.because)
    if (!isShown(span)) d.secondary.push_back({span, label});
  for (const std::string& note : conflict.notes) d.notes.push_back(note);
  if (!checked.isGraph) addOperatorNotes(checked, conflict, reason, d);
  if (!reason.signature.empty()) d.notes.push_back(reason.signature);
  struct Hint {
    const char* subject;
    ConflictKind kind;
    const char* text;
  };
  static constexpr Hint anywhere[] = {
      {"", ConflictKind::unragged,
       "`map(fn (row) { ... }, x)` hands over one element at a time, as a tensor of one length"},
      {"", ConflictKind::escape,
       "`match y : f32 [k, d] { ... }` names the size inside of a block; a result type can say `?k`"},
      {"", ConflictKind::undetermined,
       "a name, or a multiple of one, as in `match y : f32 [2*k] { ... }`, is told by the size that is found"},
      {"", ConflictKind::unopened,
       "call the function by its own name, or write it where `map` applies it: each such call has its own size"},
      {"", ConflictKind::stream,
       "convolutions, pools, `map`, a forward `loop`, and the other axes stream; a mean over a window is `avg_pool`"},
      {"", ConflictKind::stream, "where the whole sequence is at hand, write its size without `~`"},
      {"", ConflictKind::elemClass, "`cast` converts; to what, an annotation says, as in `fn (x) : f32 [n] { ... }`"},
  };
  static constexpr Hint hints[] = {
      {"`if`", ConflictKind::rank, "`select(condition, a, b)` chooses element by element"},
      {"`matmul`", ConflictKind::rank,
       "it multiplies matrices, in batches of equal shape: for vectors, or a batch by one matrix, use `einsum` or "
       "`map`"},
      {"`slice`", ConflictKind::fact, "bounds lie within the axis, the first one first, and a step is >= 1"},
  };
  if (wantsBool(conflict, reason)) {
    if (!checked.isGraph) d.help.push_back("a comparison gives bool, as in `x > 0`");
  } else if (conflict.kind == ConflictKind::elem && reason.kind == ReasonKind::application)
    d.help.push_back(checked.isGraph
                         ? "nothing is converted unasked: a `Cast` node makes one type of the other"
                         : "nothing is converted unasked: `cast` gives the element type that its use asks for");
  const bool isMask = conflict.kind == ConflictKind::elemClass && conflict.left == "int" && conflict.right == "bool";
  for (const Hint& hint : anywhere)
    if (conflict.kind == hint.kind && !checked.isGraph && !isMask) d.help.push_back(hint.text);
  if (conflict.kind == ConflictKind::ragged && (!conflict.right.empty() || !conflict.sizeName.empty()))
    d.help.push_back(conflict.right.find('*') == 0 && conflict.left.find('*') == 0
                         ? "where the lengths are always equal, give them one name in the signature; "
                           "`same_lengths(x, y)` gives y the lengths of x, checked in the run"
                         : "`map(fn (row) { ... }, x)` hands over one element at a time, as a tensor of one length");
  for (const Hint& hint : hints)
    if (reason.subject == hint.subject && conflict.kind == hint.kind) d.help.push_back(hint.text);
  return d;
}

}  // namespace axle
