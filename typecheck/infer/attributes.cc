// Checks the values of attributes against the sorts in the operators' signatures.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/solver/attribute_forms.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

// Gives an open static parameter the form of the attribute's sort.
bool giveForm(Inference& in, const ast::OpAttribute& attribute, StaticId value, ReasonId why) {
  const std::string& name = attribute.name.text;
  if (attribute.sort == ast::Sort::ints && attribute.length) {
    StaticTerm list;
    list.kind = StaticKind::list;
    for (std::uint64_t i = 0; i < *attribute.length; ++i)
      list.items.push_back(staticDim(in.solution, freshInteger(in.solver, name + std::to_string(i))));
    return unifyStatic(in.solver, value, in.solution.types.add(std::move(list)), why);
  }
  if (attribute.sort == ast::Sort::integer)
    return unifyStatic(in.solver, value, staticDim(in.solution, freshInteger(in.solver, name)), why);
  addConstraint(in.solver, why, constraint::AttributeForm{value, &attribute});
  return true;
}

// Reports a negative size in a list of sizes.
bool checkSizes(Inference& in, const std::vector<StaticId>& sizes, Span span, const std::string& op) {
  for (StaticId item : sizes) {
    const StaticTerm& size = termOf(in.solution, item);
    if (size.kind != StaticKind::dim) continue;
    const auto known = in.solution.dims.asConstant(in.solution.resolve(size.dim));
    if (!known || *known >= 0) continue;
    Diagnostic& d =
        report(in, codes::badAttribute, span, fmt::format("`{}` cannot make a size {}", op, *known), "this list");
    if (op == "reshape") d.help.push_back("`_` stands for the one size that follows from the others: `[_, 2]`");
    return false;
  }
  return true;
}

void suggestLowerCase(Diagnostic& d, const ast::OpAttribute& attribute, const std::string& text, Span span) {
  std::string lower = text;
  for (char& ch : lower) ch = static_cast<char>(ch >= 'A' && ch <= 'Z' ? ch - 'A' + 'a' : ch);
  const std::vector<std::string> words = wordsOf(attribute);
  if (std::find(words.begin(), words.end(), lower) == words.end()) return;
  d.help.push_back(fmt::format("words are lower case: `{}=\"{}\"`", attribute.name.text, lower));
  d.fixes.push_back({d.help.back(), {{span, "\"" + lower + "\""}}});
}

}  // namespace

bool checkAttribute(Inference& in, const ast::OpAttribute& attribute, StaticId value, Span span, const std::string& op,
                    ReasonId why) {
  value = in.solution.resolve(value);
  const StaticTerm term = in.solution.types[value];
  if (term.kind == StaticKind::var) return giveForm(in, attribute, value, why);
  const auto wanted = expectedForm(in.solution, attribute, value);
  if (!wanted) return attribute.sort != ast::Sort::shape || checkSizes(in, term.items, span, op);
  const bool isText = term.kind == StaticKind::text;
  const std::string given = isText ? fmt::format(": \"{}\" is not possible", term.text) : "";
  Diagnostic& d =
      report(in, codes::badAttribute, span,
             fmt::format("`{}` of `{}` must be {}{}", attribute.name.text, op, *wanted, given), "this argument");
  if (isText) suggestLowerCase(d, attribute, term.text, span);
  return false;
}

}  // namespace axle
