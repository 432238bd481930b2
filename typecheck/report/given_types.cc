#include "typecheck/report/given_types.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "typecheck/report/called_functions.h"

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

// Marks under what differs in the second of two types: the sizes that are the conflict's, if there are such, or else
// all from the first to the last difference.
std::string marksUnder(const std::string& one, const std::string& other, const Conflict& conflict) {
  const PrintedType a = piecesOf(one), b = piecesOf(other);
  std::string marks(b.lead.size(), ' ');
  bool isMarked = false;
  for (std::size_t i = 0; i < b.sizes.size() && a.sizes.size() == b.sizes.size() && a.lead == b.lead; ++i) {
    const bool isIt = isConflict(a.sizes[i], b.sizes[i], conflict);
    marks += std::string(b.sizes[i].size(), isIt ? '^' : ' ') + "  ";
    isMarked |= isIt;
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

// Notes the earlier arguments of a call whose parameters declare the same name for the size that differs.
void noteOthersOfSize(Checked& checked, const CalledFunction& called, const Reason& reason,
                      const std::vector<std::string>& types, const Conflict& conflict, Diagnostic& d) {
  const std::vector<std::string> names = sizeNamesOf(called, reason.argument);
  const PrintedType given = piecesOf(types[0]), wanted = piecesOf(types[1]);
  if (names.size() != given.sizes.size() || names.size() != wanted.sizes.size()) return;
  std::map<std::size_t, const Reason*> others;  // by argument
  for (std::uint32_t i = 1; i < checked.provenance.reasons(); ++i) {
    const Reason& other = checked.provenance[ReasonId{i}];
    if (other.kind == ReasonKind::call && other.span == reason.span && other.argument < reason.argument &&
        other.given.size() > 1)
      others[other.argument] = &other;
  }
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    if (names[axis].empty() || !isConflict(wanted.sizes[axis], given.sizes[axis], conflict)) continue;
    for (const auto& [argument, other] : others) {
      const std::vector<std::string> its = sizeNamesOf(called, argument);
      const auto same = std::ranges::find(its, names[axis]);
      if (same == its.end()) continue;
      const std::string type = printType(checked, other->given[1].type);
      const PrintedType printed = piecesOf(type);
      if (printed.sizes.size() != its.size()) continue;
      std::string marks(printed.lead.size(), ' ');
      for (std::size_t i = 0; its.begin() + static_cast<std::ptrdiff_t>(i) != same; ++i)
        marks += std::string(printed.sizes[i].size() + 2, ' ');
      marks += std::string(printed.sizes[static_cast<std::size_t>(same - its.begin())].size(), '^');
      noteArgument(checked, called, *other, {type, type}, marks, d);
    }
  }
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
  auto typed = [&](const Given& given) {
    const arg::Type type{printType(checked, given.type)};
    return given.name.empty() ? Phrase("{}", type) : Phrase("{} : {}", arg::Subject{given.name}, type);
  };
  Phrase types = typed(reason.given[0]);
  for (std::size_t i = 1; i < reason.given.size(); ++i) types = Phrase("{}, {}", types, typed(reason.given[i]));
  if (reason.kind == ReasonKind::application) d.addNote("{} is given ({})", arg::Subject{reason.subject}, types);
  const bool differ =
      conflict.kind == ConflictKind::dim || conflict.kind == ConflictKind::rank || conflict.kind == ConflictKind::elem;
  if (reason.kind == ReasonKind::call && differ && reason.given.size() > 1) {
    const std::vector<std::string> both = printTypes(checked, {reason.given[1].type, reason.given[0].type});
    const auto called = calledFunctionAt(checked.modules, reason.span);
    if (called) labelFarArgument(checked, *called, reason, d);
    if (called && conflict.kind == ConflictKind::dim) noteOthersOfSize(checked, *called, reason, both, conflict, d);
    noteArgument(checked, called, reason, both, marksUnder(both[1], both[0], conflict), d);
  }
  if (reason.kind == ReasonKind::branches) d.addNote("the branches of `if` have the types {}", types);
}

}  // namespace axle
