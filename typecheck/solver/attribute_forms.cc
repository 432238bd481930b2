#include "typecheck/solver/attribute_forms.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace axle {

namespace {

// Prints words as `"a", "b" or "c"`.
std::string quotedWords(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i)
    text += (i == 0 ? "" : i + 1 == all.size() ? " or " : ", ") + ('"' + all[i] + '"');
  return text;
}

// A static value and the values in its lists.
class StaticForm {
 public:
  StaticForm(Solution& solution, StaticId value) : solution_(solution), term_(termOf(value)) {}

  const StaticTerm& term() const { return term_; }
  bool is(StaticKind kind) const { return term_.kind == kind; }
  bool isListOf(std::initializer_list<StaticKind> kinds) const {
    return is(StaticKind::list) && std::all_of(term_.items.begin(), term_.items.end(), [&](StaticId item) {
             return std::find(kinds.begin(), kinds.end(), termOf(item).kind) != kinds.end();
           });
  }
  bool isListOfPairs() const {
    return is(StaticKind::list) && std::all_of(term_.items.begin(), term_.items.end(), [&](StaticId item) {
             const StaticForm pair(solution_, item);
             return pair.isListOf({StaticKind::dim}) && pair.term_.items.size() == 2;
           });
  }
  std::size_t count(StaticKind kind) const {
    return static_cast<std::size_t>(std::count_if(term_.items.begin(), term_.items.end(),
                                                  [&](StaticId item) { return termOf(item).kind == kind; }));
  }
  bool isNumber() const {
    return is(StaticKind::real) ||
           (is(StaticKind::dim) && solution_.dims.asConstant(solution_.resolve(term_.dim)).has_value());
  }

 private:
  const StaticTerm& termOf(StaticId id) const { return solution_.types[solution_.resolve(id)]; }

  Solution& solution_;
  const StaticTerm& term_;
};

// Returns the number of axes that a list of paddings or sizes has entries for.
std::uint64_t axisCount(const ast::OpAttribute& attribute) { return attribute.length.value_or(paddedAxes); }

bool hasForm(const ast::OpAttribute& attribute, const StaticForm& value) {
  const StaticTerm& term = value.term();
  switch (attribute.sort) {
    case ast::Sort::integer:
    case ast::Sort::axis:
      return value.is(StaticKind::dim);
    case ast::Sort::ints:
      return value.isListOf({StaticKind::dim}) && (!attribute.length || term.items.size() == *attribute.length);
    case ast::Sort::axes:
      return value.is(StaticKind::dim) || value.is(StaticKind::all) || value.isListOf({StaticKind::dim});
    case ast::Sort::perm:
      return value.is(StaticKind::reversed) || value.isListOf({StaticKind::dim});
    case ast::Sort::pairs:
      return value.isListOfPairs();
    case ast::Sort::padding:
      if (value.is(StaticKind::text)) return term.text == ast::validPadding || term.text == ast::samePadding;
      return value.isListOfPairs() && term.items.size() == axisCount(attribute);
    case ast::Sort::sizes:
      return value.isListOf({StaticKind::dim, StaticKind::hole}) && term.items.size() == axisCount(attribute);
    case ast::Sort::word:
      return value.is(StaticKind::text) &&
             std::count(attribute.sortArguments.begin(), attribute.sortArguments.end(), term.text) > 0;
    case ast::Sort::equation:
      return value.is(StaticKind::text);
    case ast::Sort::boolean:
      return value.is(StaticKind::boolean);
    case ast::Sort::shape:
      return value.isListOf({StaticKind::dim, StaticKind::hole}) && value.count(StaticKind::hole) <= 1;
    case ast::Sort::real:
      return value.isNumber();
    case ast::Sort::elem:
      return false;
  }
  return true;
}

std::string describePadding(std::uint64_t axes) {
  const char* byAxis = axes == 1   ? "[[before, after]]"
                       : axes == 2 ? "[[top, bottom], [left, right]]"
                                   : "[before, after] for each of its axes, in a list";
  return std::string("\"valid\", \"same\" or ") + byAxis;
}

std::string describeForm(const ast::OpAttribute& attribute) {
  switch (attribute.sort) {
    case ast::Sort::integer:
    case ast::Sort::axis:
      return "a whole number";
    case ast::Sort::ints:
      return attribute.length == 1 ? "a list of one whole number"
             : attribute.length    ? "a list of " + std::to_string(*attribute.length) + " whole numbers"
                                   : "a list of whole numbers";
    case ast::Sort::axes:
      return "an axis or a list of axes";
    case ast::Sort::perm:
      return "a list of axes";
    case ast::Sort::pairs:
      return "a list of pairs [before, after], one for each dimension";
    case ast::Sort::padding:
      return describePadding(axisCount(attribute));
    case ast::Sort::sizes:
      return "a list of sizes or `_`, " + std::to_string(axisCount(attribute)) + " in all";
    case ast::Sort::word:
      return quotedWords(attribute.sortArguments);
    case ast::Sort::equation:
      return "an equation such as \"ij,jk->ik\"";
    case ast::Sort::boolean:
      return "`true` or `false`";
    case ast::Sort::shape:
      return "a list of sizes, at most one of them `_`";
    case ast::Sort::real:
      return "a number";
    case ast::Sort::elem:
      return "an element type";
  }
  return {};
}

}  // namespace

std::string axesOfRank(std::size_t rank) {
  return rank == 0 ? "it has none" : "-" + std::to_string(rank) + " to " + std::to_string(rank - 1);
}

std::optional<std::string> expectedForm(Solution& solution, const ast::OpAttribute& attribute, StaticId value) {
  const StaticForm form(solution, value);
  if (form.is(StaticKind::var) || hasForm(attribute, form)) return std::nullopt;
  return describeForm(attribute);
}

}  // namespace axle
