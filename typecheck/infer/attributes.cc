// Checks the values of attributes against the sorts in the operators' signatures.
#include <algorithm>

#include "frontend/lower_case.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/attribute_forms.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

constexpr Message<arg::Name, arg::Size> impossibleSize{codes::badAttribute, "{} cannot make a size {}", "this list"};
constexpr Message<arg::Name, arg::Name, arg::Form> wrongForm{codes::badAttribute, "{} of {} must be {}",
                                                             "this argument"};
constexpr Message<arg::Name, arg::Name, arg::Form, arg::Number> wrongLength{
    codes::badAttribute, "{} of {} must be {}, but has {}", "this argument"};
constexpr Message<arg::Name, arg::Name, arg::Form, arg::String> wrongWord{
    codes::badAttribute, "{} of {} must be {}: {} is not possible", "this argument"};

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
    Diagnostic& d = report(in, impossibleSize, span, arg::Name{op}, arg::Size{std::to_string(*known)});
    if (op == "reshape") d.addHelp("`_` stands for the one size that follows from the others: `[_, 2]`");
    return false;
  }
  return true;
}

// Whether only the length of a list is wrong.
bool isListOfNumbers(Solution& solution, const ast::OpAttribute& attribute, const StaticTerm& list) {
  return attribute.sort == ast::Sort::ints && list.kind == StaticKind::list &&
         std::ranges::all_of(list.items, [&](StaticId item) { return termOf(solution, item).kind == StaticKind::dim; });
}

void suggestLowerCase(Diagnostic& d, const ast::OpAttribute& attribute, const std::string& text, Span span) {
  const std::string lower = lowerCase(text);
  const std::vector<std::string> words = wordsOf(attribute);
  if (std::find(words.begin(), words.end(), lower) == words.end()) return;
  d.addHelp("words are lower case: {}", arg::Code{attribute.name.text + "=\"" + lower + "\""});
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
  const arg::Name name{attribute.name.text}, owner{op};
  if (term.kind == StaticKind::text) {
    Diagnostic& d = report(in, wrongWord, span, name, owner, arg::Form{*wanted}, arg::String{term.text});
    suggestLowerCase(d, attribute, term.text, span);
  } else if (isListOfNumbers(in.solution, attribute, term)) {
    report(in, wrongLength, span, name, owner, arg::Form{*wanted}, arg::Number{term.items.size()});
  } else {
    report(in, wrongForm, span, name, owner, arg::Form{*wanted});
  }
  return false;
}

}  // namespace axle
