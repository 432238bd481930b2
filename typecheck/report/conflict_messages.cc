#include "typecheck/report/conflict_messages.h"

#include <algorithm>
#include <cctype>

#include "frontend/keywords.h"
#include "typecheck/solver/attribute_forms.h"

namespace axle {
namespace conflict_messages {  // whose names for kinds of arguments are those of types elsewhere
namespace {

using arg::Code;
using arg::Counted;
using arg::ElementType;
using arg::Name;
using arg::Number;
using arg::Shape;
using arg::Size;
using arg::Subject;
using arg::Type;

// ---- ranks

constexpr Message<Shape> conditionRank{codes::rankMismatch,
                                       "`if` needs a bool scalar as its condition, but gets the shape {}",
                                       "this has shape {}, not rank 0"};
constexpr Message<> indexRankOpen{codes::rankMismatch, "an index has more items than the tensor has dimensions",
                                  "no dimension is left for this"};
constexpr Message<> indexRank{codes::rankMismatch, "an index has more items than the tensor has dimensions",
                              "no dimension is left for this item"};
constexpr Message<Subject, Size, Shape, Number, Phrase> axisOutOfRange{
    codes::rankMismatch, "{} has no axis {} in the shape {} of rank {}", "axis {1} is out of range: {4}"};
constexpr Message<Subject, Number, Shape, Number> rankNeeded{
    codes::rankMismatch, "{} needs a tensor of rank {}, but gets {} of rank {}", "the shapes meet here"};
constexpr Message<Subject, Shape, Shape, Phrase> shapeNeeded{
    codes::rankMismatch, "{} needs a tensor of shape {}, but gets {}{}", "the shapes meet here"};
constexpr Message<Subject, Shape, Shape, Phrase> oneRankNeeded{
    codes::rankMismatch, "{} needs tensors of one rank, but gets {} and {}{}", "the shapes meet here"};
constexpr Message<Subject, Shape, Shape, Phrase> notStretched{
    codes::rankMismatch, "{} cannot make {} of {}, which has more axes{}", "the shapes meet here"};
constexpr Message<Subject, Shape, Shape, Phrase> ranksDiffer{
    codes::rankMismatch, "{}: the shapes {} and {} do not have the same rank{}", "the shapes meet here"};

// A shape of sizes that the solver made for a rank: `[d0, d1]`.
bool isOnlyRank(const std::string& shape) {
  std::size_t axis = 0;
  std::string made;
  for (; made.size() + 1 < shape.size() && axis < 100; ++axis)
    made.append(axis ? ", " : "[").append("d").append(std::to_string(axis));
  return axis > 0 && shape == made + "]";
}

constexpr Message<Subject, Shape, Shape> shapeNotSplit{codes::rankMismatch, "{}: the shape {} cannot be split as {}",
                                                       "no ranks of the parts fit"};

// The rank of a printed shape; nothing where it is open.
std::optional<std::size_t> rankOf(const std::string& shape) {
  if (shape.find('@') != std::string::npos || shape.empty() || shape[0] != '[') return std::nullopt;
  if (shape == "[]") return 0;
  int depth = 0;
  std::size_t commas = 0;
  for (char ch : shape) {
    if (ch == '(' || ch == '[') ++depth;
    if (ch == ')' || ch == ']') --depth;
    if (ch == ',' && depth == 1) ++commas;
  }
  return commas + 1;
}

bool isInRange(const std::string& axis, std::size_t rank) {
  if (axis.find_first_not_of("-0123456789") != axis.npos || rank > 999 || axis.size() > 9) return false;
  const int at = std::stoi(axis), of = static_cast<int>(rank);
  return -of <= at && at < of;
}

Diagnostic rankMessage(const Conflict& found, const Reason& why) {
  Conflict f = found;
  if (f.kind == ConflictKind::split)
    return {shapeNotSplit, why.span, Subject{why.subject}, Shape{f.left}, Shape{f.right}};
  if (isOnlyRank(f.right) && !f.left.empty()) std::swap(f.left, f.right);
  const auto left = rankOf(f.left), right = rankOf(f.right);
  const Phrase ranks = left && right ? Phrase(" (rank {} and rank {})", Number{*left}, Number{*right})
                       : right       ? Phrase(" (of rank {})", Number{*right})
                                     : Phrase("");
  const Subject subject{why.subject};
  if (why.kind == ReasonKind::condition) return {conditionRank, why.span, Shape{f.right}};
  if (why.kind == ReasonKind::index) return {right ? indexRank : indexRankOpen, why.span};
  if (!why.axis.empty() && right && !isInRange(why.axis, *right))
    return {axisOutOfRange,
            why.span,
            subject,
            Size{why.axis},
            Shape{f.right},
            Number{*right},
            Phrase("{}", Subject{axesOfRank(*right)})};
  if (why.kind == ReasonKind::application && isOnlyRank(f.left) && left && right)
    return {rankNeeded, why.span, subject, Number{*left}, Shape{f.right}, Number{*right}};
  if (why.signature.find("(tensors : ") != std::string::npos)
    return {oneRankNeeded, why.span, subject, Shape{f.left}, Shape{f.right}, ranks};
  if (why.signature.find(" stretch(") != std::string::npos && left && right && *left < *right)
    return {notStretched, why.span, subject, Shape{f.left}, Shape{f.right}, ranks};
  if (why.kind == ReasonKind::application && !f.left.empty())
    return {shapeNeeded, why.span, subject, Shape{f.left}, Shape{f.right}, ranks};
  return {ranksDiffer, why.span, subject, Shape{f.left}, Shape{f.right}, ranks};
}

// ---- sizes

constexpr Message<Subject, Name, Size, Size> namedSizesDiffer{
    codes::dimMismatch, "{} needs one size for its {}, but gets {} and {}", "{1} cannot be both {2} and {3}"};
constexpr Message<Subject, Size, Size> promisedSizeDiffers{
    codes::dimMismatch, "{} is promised with size {}, but has {}", "{1} is promised here"};
constexpr Message<Subject, Size, Size, Name> promisedNamedSizeDiffers{
    codes::dimMismatch, "{} is promised with size {}, but has {} for {}", "{1} is promised here"};
constexpr Message<Subject, Size, Size> sizesDiffer{codes::dimMismatch, "{} needs equal sizes, but gets {} and {}",
                                                   "the sizes meet here"};
constexpr Message<Subject> sizeOverflows{codes::overflow, "{}: a size does not fit into 64 bits, or divides by 0",
                                         "here"};

Diagnostic sizeMessage(const Conflict& f, const Reason& why) {
  const Subject subject{why.subject};
  const Size left{f.left}, right{f.right};
  if (!f.sizeName.empty() && why.kind == ReasonKind::application && isSizeOf(why.signature, f.sizeName))
    return {namedSizesDiffer, why.span, subject, Name{f.sizeName}, left, right};
  if (why.kind != ReasonKind::result) return {sizesDiffer, why.span, subject, left, right};
  if (f.sizeName.empty()) return {promisedSizeDiffers, why.span, subject, left, right};
  return {promisedNamedSizeDiffers, why.span, subject, left, right, Name{f.sizeName}};
}

// ---- facts

constexpr Message<Subject, Shape, Shape, Size, Size> reshapeDivides{
    codes::reshapeTotal, "{} cannot make {} of {}: {} does not divide by {}", "{3} is no multiple of {4}"};
constexpr Message<Subject, Shape, Shape, Size, Size> reshapeCounts{
    codes::reshapeTotal, "{} cannot make {} of {}: {} elements are not {}", "{4} elements do not fit"};
constexpr Message<Subject, Code> factFails{codes::factRefuted, "{} needs {}, which does not hold",
                                           "this can never hold"};
constexpr Message<Subject, Code, Phrase> factFailsFor{codes::factRefuted, "{} needs {}, which does not hold: {}",
                                                      "here {2}"};

constexpr Message<Subject, Code, Subject, Size> sizeNeeded{codes::factRefuted, "{} needs {}, but {} is {}",
                                                           "here {2} is {3}"};

// "n is 3, k is 2 and m is 4"
Phrase listOf(const std::vector<std::pair<std::string, std::string>>& values) {
  const auto valueIs = [&](std::size_t i) {
    return Phrase("{} is {}", Subject{values[i].first}, Size{values[i].second});
  };
  Phrase list = valueIs(0);
  for (std::size_t i = 1; i + 1 < values.size(); ++i) list = Phrase("{}, {}", list, valueIs(i));
  if (values.size() > 1) list = Phrase("{} and {}", list, valueIs(values.size() - 1));
  return list;
}

// With a note that tells the fact as it was asked for.
Diagnostic neededMessage(const Conflict& f, const Reason& why, const Subject& subject) {
  Diagnostic d(sizeNeeded, why.span, subject, Code{f.needed}, Subject{f.neededOf.first}, Size{f.neededOf.second});
  std::vector<std::pair<std::string, std::string>> others = f.values;
  std::erase(others, f.neededOf);
  if (others.empty())
    d.addNote("that is {}", Code{f.text});
  else
    d.addNote("that is {}, where {}", Code{f.text}, listOf(others));
  return d;
}

// Of a name of a size, which has no dots.
bool isPartOfSizeName(char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_'; }

// Whether a word is all of one side of a comparison.
bool isWholeSide(std::string_view fact, std::size_t begin, std::size_t end) {
  constexpr std::string_view comparisons = "<>=!";
  const std::size_t before = fact.substr(0, begin).find_last_not_of(' '), behind = fact.find_first_not_of(' ', end);
  const bool isFirst = begin == 0 || before == fact.npos || comparisons.find(fact[before]) != comparisons.npos;
  return isFirst && (behind == fact.npos || comparisons.find(fact[behind]) != comparisons.npos);
}

// The fact with the values in the place of the operator's names, where one of the values has another size of such a
// name: "w is w / 2" says nothing.
std::optional<std::string> withValuesOfSameNames(const Conflict& f) {
  const bool areClear = std::ranges::none_of(f.values, [&](const auto& value) {
    return std::ranges::any_of(f.values, [&](const auto& other) {
      return value.second != value.first && containsName(value.second, other.first);
    });
  });
  if (areClear) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < f.text.size();) {
    std::size_t end = i;
    while (end < f.text.size() && isPartOfSizeName(f.text[end])) ++end;
    const std::string word = f.text.substr(i, std::max<std::size_t>(end - i, 1));
    const auto value = std::ranges::find(f.values, word, [](const auto& each) { return each.first; });
    const bool isAlone = value == f.values.end() || std::ranges::all_of(value->second, isPartOfSizeName) ||
                         isWholeSide(f.text, i, i + word.size());
    text += value == f.values.end() ? word : isAlone ? value->second : "(" + value->second + ")";
    i += word.size();
  }
  return text;
}

Diagnostic factMessage(const Conflict& f, const Reason& why) {
  const Subject subject{why.subject.empty() ? "the signature" : why.subject};
  const Shape wanted{f.sizeName}, given{f.text};
  if (f.isReshape && !f.divisor.empty())
    return {reshapeDivides, why.span, Subject{why.subject}, wanted, given, Size{f.dividend}, Size{f.divisor}};
  if (f.isReshape) return {reshapeCounts, why.span, Subject{why.subject}, wanted, given, Size{f.right}, Size{f.left}};
  if (f.values.empty()) return {factFails, why.span, subject, Code{f.text}};
  if (const auto text = withValuesOfSameNames(f)) return {factFails, why.span, subject, Code{*text}};
  if (!f.needed.empty()) return neededMessage(f, why, subject);
  return {factFailsFor, why.span, subject, Code{f.text}, listOf(f.values)};
}

// ---- sizes known only at run time

constexpr Message<Subject, Name, Size, Phrase> sizeEscapes{
    codes::runtimeEscape, "{} would make a size of {} the size {}, which is known only at run time{}",
    "a caller decides the sizes of {1}, and cannot know this one"};
constexpr Message<Subject, Phrase> twoRunSizes{
    codes::runtimeEscape, "{} needs one size, but gets two that are known only at run time{}", "the sizes meet here"};
constexpr Message<Subject, Size, Size, Phrase> oneRunSize{
    codes::runtimeEscape, "{} needs one size, but gets {} and {}, of which one is known only at run time{}",
    "the sizes meet here"};
constexpr Message<Subject, Size, Size, Name> sizeUndetermined{
    codes::runtimeEscape, "{} needs {} to be {}, which is known only at run time and does not tell {}",
    "nothing tells {3}"};
constexpr Message<Subject, Size, Phrase> sizeOfEachCall{
    codes::runtimeEscape, "{} has one size {} for all its calls of a function, but each of them makes another{}",
    "such calls need not agree"};

// The call that makes a size of the run, behind a colon; empty where it is not known.
Phrase makerOf(const Conflict& f) { return f.text.empty() ? Phrase("") : Phrase(": {} makes it", Subject{f.text}); }

Diagnostic escapeMessage(const Conflict& f, const Reason& why) {
  const Subject subject{why.subject};
  if (f.reason.index == 0 || f.leftOrigins == 0)
    return {sizeEscapes,  why.span,      Subject{why.subject.empty() ? "this function" : why.subject},
            Name{f.left}, Size{f.right}, makerOf(f)};
  const bool areBoth = f.left.find('?') != std::string::npos && f.right.find('?') != std::string::npos;
  if (!areBoth) return {oneRunSize, why.span, subject, Size{f.left}, Size{f.right}, makerOf(f)};
  const Phrase calls = f.text.empty() ? Phrase("") : Phrase(": each call of {} makes another", Subject{f.text});
  return {twoRunSizes, why.span, subject, calls};
}

// ---- ragged and streamed sizes

constexpr Message<Subject, Name, Size> raggedLengthEscapes{
    codes::raggedMismatch, "{} would make a size of {} the ragged length {}",
    "{2} is a function of dimensions that {1} does not have before it"};
constexpr Message<Subject, Size> raggedLengthChanges{
    codes::raggedMismatch, "{} would give the ragged length {} another meaning",
    "a length is a function of the dimensions before it, and nothing is computed of it"};
constexpr Message<Subject, Size, Size> raggedLengthsDiffer{
    codes::raggedMismatch, "{} needs equal sizes, but gets the different lengths {} and {}",
    "each element of the one may have another length than that of the other"};
constexpr Message<Subject, Size, Size> raggedLengthAndSize{
    codes::raggedMismatch, "{} needs equal sizes, but gets a ragged length and a size: {} and {}",
    "the lengths differ from element to element"};
constexpr Message<Subject, Size> raggedLengthRefused{codes::raggedMismatch, "{} cannot take the ragged length {}",
                                                     "one size is needed here for all elements"};
constexpr Message<Subject, Size> streamNeededWhole{
    codes::streamMismatch, "{} needs all of the streamed dimension {} at once", "{1} never ends"};
constexpr Message<Subject, Size, Size> streamAndSize{
    codes::streamMismatch, "{} needs equal sizes, but gets {} and {}: a stream has no fixed size",
    "the sizes meet here"};

Diagnostic raggedMessage(const Conflict& f, const Reason& why) {
  const Subject subject{why.subject};
  if (!f.sizeName.empty() && f.right.empty())
    return {raggedLengthEscapes, why.span, subject, Name{f.sizeName}, Size{f.left}};
  if (f.right.empty()) return {raggedLengthChanges, why.span, subject, Size{f.left}};
  const bool areBoth = f.left.starts_with('*') && f.right.starts_with('*');
  return {areBoth ? raggedLengthsDiffer : raggedLengthAndSize, why.span, subject, Size{f.left}, Size{f.right}};
}

Diagnostic streamMessage(const Conflict& f, const Reason& why) {
  if (!f.text.empty() && f.left.empty()) return {streamNeededWhole, why.span, Subject{why.subject}, Size{f.text}};
  return {streamAndSize, why.span, Subject{why.subject}, Size{f.left}, Size{f.right}};
}

// ---- element types

constexpr Message<Subject, ElementType> boolNeeded{codes::elemMismatch, "{} takes bool, but gets {}",
                                                   "{1} is no truth value"};
constexpr Message<ElementType> conditionNotBool{codes::elemMismatch,
                                                "`if` needs a bool scalar as its condition, but gets {}", "{}"};
constexpr Message<Subject, ElementType, ElementType> elementTypesDiffer{
    codes::elemMismatch, "{} needs one element type, but gets {} and {}", "the element types meet here"};
constexpr Message<Subject, Name, ElementType> elementClass{
    codes::elemClass, "{} needs elements of class {}, but gets {}", "{2} is not of class {1}"};
constexpr Message<Subject, Phrase, ElementType> elementKind{codes::elemClass, "{} needs {}, but gets {}",
                                                            "{2} is of another kind"};

Phrase wordsOfClass(std::string_view elemClass) {
  if (elemClass == "int") return "whole numbers";
  if (elemClass == "float") return "floats";
  if (elemClass == "num") return "numbers";
  if (elemClass == "eq") return "elements that can be compared";
  return Phrase("{}", Subject{elemClass});
}

Diagnostic elementMessage(const Conflict& f, const Reason& why) {
  const ElementType right{f.right};
  if (wantsBool(f, why)) return {boolNeeded, why.span, Subject{why.subject}, right};
  if (why.kind == ReasonKind::condition) return {conditionNotBool, why.span, right};
  return {elementTypesDiffer, why.span, Subject{why.subject}, ElementType{f.left}, right};
}

// ---- types and attributes

constexpr Message<Subject> typeContainsItself{codes::infiniteType, "{} would have an infinite type: it contains itself",
                                              "here"};
constexpr Message<Size, Size> patternParts{codes::typeMismatch, "the pattern has {} names, but the value has {} parts",
                                           "{0} names"};
constexpr Message<Subject, Size, Size> tupleParts{codes::typeMismatch, "{}: tuples of {} and of {} parts do not fit",
                                                  "here"};
constexpr Message<Subject, Counted, Size> argumentCounts{codes::typeMismatch,
                                                         "{} needs a function of {}, but gets one of {}", "here"};
constexpr Message<Subject, Type, Type> typesDiffer{codes::typeMismatch, "{} needs {}, but gets {}", "here"};
constexpr Message<Subject, Phrase> attributeWrong{codes::badAttribute, "{}: {}", "here"};

}  // namespace
}  // namespace conflict_messages

bool isSizeOf(std::string_view signature, std::string_view name) {
  int depth = 0;
  auto isPart = [&](std::size_t at) {
    return at < signature.size() && (std::isalnum(static_cast<unsigned char>(signature[at])) || signature[at] == '_');
  };
  for (std::size_t i = 0; i < signature.size(); ++i) {
    depth += (signature[i] == '[') - (signature[i] == ']');
    if (depth > 0 && signature.substr(i).starts_with(name) && (i == 0 || !isPart(i - 1)) && !isPart(i + name.size()))
      return true;
  }
  return false;
}

bool wantsBool(const Conflict& f, const Reason& why) {
  constexpr std::string_view mark = " : bool ";
  const std::string_view signature = why.signature;
  const std::size_t type = signature.find(" : ", std::min(signature.find('('), signature.size()));  // of the first one
  return f.kind == ConflictKind::elem && f.left == "bool" && why.kind == ReasonKind::application &&
         type != signature.npos && signature.substr(type).starts_with(mark) &&
         (f.origins.empty() || !f.origins.front().index);
}

Diagnostic conflictMessage(const Conflict& f, const Reason& why, bool isGraph) {
  using namespace conflict_messages;
  const Subject subject{why.subject};
  switch (f.kind) {
    case ConflictKind::rank:
    case ConflictKind::split:
      return rankMessage(f, why);
    case ConflictKind::dim:
      return sizeMessage(f, why);
    case ConflictKind::fact:
      return factMessage(f, why);
    case ConflictKind::elem:
      return elementMessage(f, why);
    case ConflictKind::elemClass:
      if (isGraph) return {elementKind, why.span, subject, wordsOfClass(f.left), ElementType{f.right}};
      return {elementClass, why.span, subject, Name{f.left}, ElementType{f.right}};
    case ConflictKind::occurs:
      return {typeContainsItself, why.span, subject};
    case ConflictKind::tupleArity:
      if (why.kind == ReasonKind::pattern) return {patternParts, why.span, Size{f.left}, Size{f.right}};
      return {tupleParts, why.span, subject, Size{f.left}, Size{f.right}};
    case ConflictKind::functionArity:
      return {argumentCounts, why.span, subject, Counted{std::stoul(f.left), "argument"}, Size{f.right}};
    case ConflictKind::type:
      return {typesDiffer, why.span, subject, Type{f.left}, Type{f.right}};
    case ConflictKind::attribute:
      return {attributeWrong, why.span, subject, Phrase("{}", Subject{f.text})};
    case ConflictKind::escape:
      return escapeMessage(f, why);
    case ConflictKind::undetermined:
      return {sizeUndetermined, why.span, subject, Size{f.left}, Size{f.right}, Name{f.sizeName}};
    case ConflictKind::unopened:
      return {sizeOfEachCall, why.span, subject, Size{f.right}, makerOf(f)};
    case ConflictKind::ragged:
      return raggedMessage(f, why);
    case ConflictKind::unragged:
      return {raggedLengthRefused, why.span, subject, Size{f.left}};
    case ConflictKind::stream:
      return streamMessage(f, why);
    case ConflictKind::overflow:
      break;
  }
  return {sizeOverflows, why.span, subject};
}

}  // namespace axle
