#include "typecheck/solver/attribute_forms.h"

#include <algorithm>
#include <vector>

namespace axle {

namespace {

// "a", "b" or "c"
std::string quotedWords(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i)
    text += (i == 0 ? "" : i + 1 == all.size() ? " or " : ", ") + ('"' + all[i] + '"');
  return text;
}

}  // namespace

std::string axesOfRank(std::size_t rank) {
  return rank == 0 ? "it has none" : "-" + std::to_string(rank) + " to " + std::to_string(rank - 1);
}

std::optional<std::string> expectedForm(Solution& solution, const ast::OpAttribute& attribute, StaticId value) {
  const StaticTerm& term = solution.types[solution.resolve(value)];
  auto kindOf = [&](StaticId id) { return solution.types[solution.resolve(id)].kind; };
  auto all = [&](const StaticTerm& list, auto&& test) {
    return list.kind == StaticKind::list && std::all_of(list.items.begin(), list.items.end(), test);
  };
  auto isDim = [&](StaticId id) { return kindOf(id) == StaticKind::dim; };
  auto isPair = [&](StaticId id) {
    const StaticTerm& pair = solution.types[solution.resolve(id)];
    return all(pair, isDim) && pair.items.size() == 2;
  };
  auto unless = [](bool ok, std::string wanted) { return ok ? std::nullopt : std::optional(std::move(wanted)); };
  if (term.kind == StaticKind::var) return std::nullopt;
  std::uint64_t axes = attribute.length.value_or(paddedAxes);
  switch (attribute.sort) {
    case ast::Sort::integer:
    case ast::Sort::axis:
      return unless(term.kind == StaticKind::dim, "a whole number");
    case ast::Sort::ints:
      return unless(all(term, isDim) && (!attribute.length || term.items.size() == *attribute.length),
                    attribute.length ? "a list of " + std::to_string(*attribute.length) + " whole numbers"
                                     : "a list of whole numbers");
    case ast::Sort::axes:
      return unless(term.kind == StaticKind::dim || term.kind == StaticKind::all || all(term, isDim),
                    "an axis or a list of axes");
    case ast::Sort::perm:
      return unless(term.kind == StaticKind::reversed || all(term, isDim), "a list of axes");
    case ast::Sort::pairs:
      return unless(all(term, isPair), "a list of pairs [before, after], one for each dimension");
    case ast::Sort::padding:
      return unless(
          (term.kind == StaticKind::text && (term.text == ast::validPadding || term.text == ast::samePadding)) ||
              (all(term, isPair) && term.items.size() == axes),
          std::string("\"valid\", \"same\" or ") + (axes == 1   ? "[[before, after]]"
                                                    : axes == 2 ? "[[top, bottom], [left, right]]"
                                                                : "[before, after] for each of its axes, in a list"));
    case ast::Sort::sizes:
      return unless(all(term, [&](StaticId id) { return isDim(id) || kindOf(id) == StaticKind::hole; }) &&
                        term.items.size() == axes,
                    "a list of sizes or `_`, " + std::to_string(axes) + " in all");
    case ast::Sort::word:
      return unless(term.kind == StaticKind::text &&
                        std::count(attribute.sortArguments.begin(), attribute.sortArguments.end(), term.text) > 0,
                    quotedWords(attribute.sortArguments));
    case ast::Sort::equation:
      return unless(term.kind == StaticKind::text, "an equation such as \"ij,jk->ik\"");
    case ast::Sort::boolean:
      return unless(term.kind == StaticKind::boolean, "`true` or `false`");
    case ast::Sort::shape: {
      auto isHole = [&](StaticId id) { return kindOf(id) == StaticKind::hole; };
      return unless(all(term, [&](StaticId id) { return isDim(id) || isHole(id); }) &&
                        std::count_if(term.items.begin(), term.items.end(), isHole) <= 1,
                    "a list of sizes, at most one of them `_`");
    }
    case ast::Sort::real:
      return unless(term.kind == StaticKind::real ||
                        (term.kind == StaticKind::dim && solution.dims.asConstant(solution.resolve(term.dim))),
                    "a number");
    case ast::Sort::elem:
      return "an element type";
  }
  return std::nullopt;
}

}  // namespace axle
