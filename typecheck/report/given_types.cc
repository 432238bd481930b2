#include "typecheck/report/given_types.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guess_words.h"

namespace axle {
namespace {

// A type in two pieces: what is before its sizes, and these; no sizes where its shape is no list.
struct PrintedType {
  std::string lead;
  std::vector<std::string> sizes;
};

PrintedType piecesOf(const std::string& type) {
  const std::size_t open = type.find('['), close = type.rfind(']');
  if (open == type.npos || close + 1 != type.size() || type.find('@') != type.npos || type[0] == '(') return {type, {}};
  PrintedType pieces{type.substr(0, open + 1), {""}};
  int depth = 0;
  for (const char ch : type.substr(open + 1, close - open - 1)) {
    depth += (ch == '(') - (ch == ')');
    if (ch == ',' && depth == 0)
      pieces.sizes.emplace_back();
    else if (ch != ' ' || !pieces.sizes.back().empty())
      pieces.sizes.back() += ch;
  }
  return pieces;
}

bool isConflict(const std::string& one, const std::string& other, const Conflict& conflict) {
  return (one == conflict.left && other == conflict.right) || (one == conflict.right && other == conflict.left);
}

// The names in a size.
std::set<std::string> namesIn(const std::string& size) {
  std::set<std::string> names;
  for (const std::string& word : wordsOf(size))
    if (std::isalpha(static_cast<unsigned char>(word[0])) || word[0] == '_') names.insert(word);
  return names;
}

// Whether two sizes at one place are the conflict's, or differ too: only the first ones that differ are a conflict.
// Other names may still become equal.
bool areUnlike(const std::string& one, const std::string& other, const Conflict& conflict) {
  return isConflict(one, other, conflict) || (one != other && namesIn(one) == namesIn(other));
}

// Marks under what differs in the second of two types: the sizes that are the conflict's, if there are such, and others
// that are unlike, or else all from the first to the last difference.
std::string marksUnder(const std::string& one, const std::string& other, const Conflict& conflict) {
  const PrintedType a = piecesOf(one), b = piecesOf(other);
  std::string marks(b.lead.size(), ' ');
  bool isMarked = false;
  for (std::size_t i = 0; i < b.sizes.size() && a.sizes.size() == b.sizes.size() && a.lead == b.lead; ++i) {
    marks += std::string(b.sizes[i].size(), areUnlike(a.sizes[i], b.sizes[i], conflict) ? '^' : ' ') + "  ";
    isMarked |= isConflict(a.sizes[i], b.sizes[i], conflict);
  }
  if (isMarked) return marks.substr(0, marks.find_last_of('^') + 1);
  auto isPart = [](char ch) { return std::isalnum(static_cast<unsigned char>(ch)) || ch == '_'; };
  const std::size_t shorter = std::min(one.size(), other.size());
  std::size_t begin = 0, end = 0;  // of what differs, from the front and from the back
  while (begin < shorter && one[begin] == other[begin]) ++begin;
  while (end < shorter - begin && one[one.size() - 1 - end] == other[other.size() - 1 - end]) ++end;
  while (begin > 0 && isPart(other[begin - 1])) --begin;  // whole words
  while (end > 0 && isPart(other[other.size() - end])) --end;
  return std::string(begin, ' ') + std::string(std::max(other.size() - end, begin + 1) - begin, '^');
}

// A note with two types one below the other, and marks under what differs.
Phrase typesInColumns(const std::string& oneLead, const std::string& one, const std::string& otherLead,
                      const std::string& other, const std::string& marks) {
  const std::size_t lead = std::max(oneLead.size(), otherLead.size());
  auto padded = [&](const std::string& text) { return text + std::string(lead - text.size(), ' '); };
  return Phrase("{}{}\n{}{}\n{}", arg::Subject{padded(oneLead)}, arg::Type{one}, arg::Subject{padded(otherLead)},
                arg::Type{other}, arg::Subject{std::string(lead, ' ') + marks});
}

// The type that the function declares for the argument of a call, as it is written; empty where it declares none.
std::string declaredType(const Checked& checked, const std::optional<CalledFunction>& called, std::size_t argument) {
  if (!called || argument >= called->function->parameters.size()) return {};
  const ast::TypeId type = called->function->parameters[argument].type;
  return type ? std::string(checked.sources.text((*called->module)[type].span)) : std::string();
}

// The names of the sizes that a parameter declares; empty for one that is no name.
std::vector<std::string> sizeNamesOf(const CalledFunction& called, std::size_t argument) {
  std::vector<std::string> names;
  if (argument >= called.function->parameters.size()) return names;
  for (const ast::Dim* size : declaredSizesOf(*called.module, called.function->parameters[argument])) {
    const auto* name = std::get_if<ast::DimName>(&size->node);
    names.push_back(name ? name->name : std::string());
  }
  return names;
}

void noteArgument(Checked& checked, const std::optional<CalledFunction>& called, const Reason& reason,
                  const std::vector<std::string>& types, const std::string& marks, Diagnostic& d) {
  const std::string declared = declaredType(checked, called, reason.argument), &name = reason.given[1].name;
  d.addNote(typesInColumns(reason.subject + " takes ", declared.empty() ? types[1] : declared,
                           "and is given " + (name.empty() ? "" : name + " : "), types[0], marks));
}

// A type, with the name of the argument that has it.
Phrase typed(Checked& checked, const Given& given) {
  const arg::Type type{printType(checked, given.type)};
  return given.name.empty() ? Phrase("{}", type) : Phrase("{} : {}", arg::Subject{given.name}, type);
}

// The reasons of the earlier arguments of the call, by argument. A call in a function that is followed several times
// has several of each: the last ones before the failure are its own.
std::map<std::size_t, const Reason*> earlierArguments(const Checked& checked, ReasonId failing) {
  std::map<std::size_t, const Reason*> earlier;
  const Reason& reason = checked.provenance[failing];
  for (std::uint32_t i = 1; i < failing.index; ++i) {
    const Reason& other = checked.provenance[ReasonId{i}];
    if (other.kind == ReasonKind::call && other.span == reason.span && other.argument < reason.argument &&
        other.given.size() > 1)
      earlier[other.argument] = &other;
  }
  return earlier;
}

// Notes the earlier arguments of a call whose parameters declare the same names for sizes that differ. False where
// there are none.
bool noteOthersOfSize(Checked& checked, const CalledFunction& called, const Reason& reason,
                      const std::vector<std::string>& types, const Conflict& conflict, Diagnostic& d) {
  const std::vector<std::string> names = sizeNamesOf(called, reason.argument);
  const PrintedType given = piecesOf(types[0]), wanted = piecesOf(types[1]);
  if (names.size() != given.sizes.size() || names.size() != wanted.sizes.size()) return false;
  std::vector<std::string> unlike;
  for (std::size_t axis = 0; axis < names.size(); ++axis)
    if (!names[axis].empty() && areUnlike(wanted.sizes[axis], given.sizes[axis], conflict))
      unlike.push_back(names[axis]);
  bool isNoted = false;
  for (const auto& [argument, other] : earlierArguments(checked, conflict.reason)) {
    const std::vector<std::string> its = sizeNamesOf(called, argument);
    const std::string type = printType(checked, other->given[1].type);
    const PrintedType printed = piecesOf(type);
    if (printed.sizes.size() != its.size()) continue;
    std::string marks(printed.lead.size(), ' ');
    for (std::size_t i = 0; i < its.size(); ++i) {
      const bool isIt = std::ranges::find(unlike, its[i]) != unlike.end();
      marks += std::string(printed.sizes[i].size(), isIt ? '^' : ' ') + "  ";
    }
    const std::size_t last = marks.find_last_of('^');
    if (last == marks.npos) continue;
    noteArgument(checked, called, *other, {type, type}, marks.substr(0, last + 1), d);
    isNoted = true;
  }
  return isNoted;
}

// Notes all arguments of a call up to the one that fails.
void noteGivenTypes(Checked& checked, ReasonId failing, const Reason& reason, Diagnostic& d) {
  const std::map<std::size_t, const Reason*> earlier = earlierArguments(checked, failing);
  if (earlier.empty()) return;
  Phrase types = "";
  for (const auto& [argument, other] : earlier) types = Phrase("{}{}, ", types, typed(checked, other->given[1]));
  d.addNote("{} is given ({}{})", arg::Subject{reason.subject}, types, typed(checked, reason.given[1]));
}

// Labels an argument that the excerpt of a long call does not show: it is far behind the function's name, or on another
// line.
void labelFarArgument(const Checked& checked, const CalledFunction& called, const Reason& reason, Diagnostic& d) {
  constexpr std::size_t shown = 60;
  if (reason.argument >= called.call->arguments.size()) return;
  const Span argument = (*called.caller)[called.call->arguments[reason.argument]].span;
  const std::string_view before = checked.sources.text({argument.source, reason.span.begin, argument.begin});
  const bool isShown = before.size() <= shown && before.find('\n') == before.npos;
  auto isAt = [&](const Label& label) {
    const Span* span = std::get_if<Span>(&label.place);
    return span && *span == argument;
  };
  if (!isShown && std::ranges::none_of(d.secondary, isAt)) d.addLabel(argument, "this argument");
}

}  // namespace

void addGivenTypes(Checked& checked, const Conflict& conflict, const Reason& reason, Diagnostic& d) {
  if (reason.given.empty() || reason.kind == ReasonKind::condition) return;
  Phrase types = typed(checked, reason.given[0]);
  for (std::size_t i = 1; i < reason.given.size(); ++i)
    types = Phrase("{}, {}", types, typed(checked, reason.given[i]));
  if (reason.kind == ReasonKind::application) d.addNote("{} is given ({})", arg::Subject{reason.subject}, types);
  const bool differ =
      conflict.kind == ConflictKind::dim || conflict.kind == ConflictKind::rank || conflict.kind == ConflictKind::elem;
  if (reason.kind == ReasonKind::call && differ && reason.given.size() > 1) {
    const std::vector<std::string> both = printTypes(checked, {reason.given[1].type, reason.given[0].type});
    const auto called = calledFunctionAt(checked.modules, reason.span);
    if (called) labelFarArgument(checked, *called, reason, d);
    const bool isNoted =
        called && conflict.kind == ConflictKind::dim && noteOthersOfSize(checked, *called, reason, both, conflict, d);
    if (!isNoted && conflict.kind != ConflictKind::elem) noteGivenTypes(checked, conflict.reason, reason, d);
    noteArgument(checked, called, reason, both, marksUnder(both[1], both[0], conflict), d);
  }
  if (reason.kind == ReasonKind::branches) d.addNote("the branches of `if` have the types {}", types);
}

}  // namespace axle
