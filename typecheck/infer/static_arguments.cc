#include "typecheck/infer/static_arguments.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "frontend/spans.h"
#include "typecheck/infer/unknown_names.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace {

constexpr Message<> wholeNumberWanted{codes::notStatic, "this must be a whole number", "this is none"};
constexpr Message<Phrase> notKnownStatic{codes::notStatic,
                                         "a static argument must be known when the program is compiled", "{}"};
constexpr Message<> undefinedStatic{codes::overflow, "a size does not fit into 64 bits, or divides by 0", "here"};

}  // namespace

StaticId staticDim(Solution& solution, Dim dim) {
  StaticTerm term;
  term.kind = StaticKind::dim;
  term.dim = dim;
  return solution.types.add(std::move(term));
}

namespace {

StaticTerm realTerm(double value) {
  StaticTerm term;
  term.kind = StaticKind::real;
  term.real = value;
  term.text = fmt::format("{}", value);
  if (term.text.find_first_not_of("-0123456789") == std::string::npos) term.text += ".0";
  return term;
}

StaticTerm textTerm(std::string text) {
  StaticTerm term;
  term.kind = StaticKind::text;
  term.text = std::move(text);
  return term;
}

StaticTerm booleanTerm(bool value) {
  StaticTerm term;
  term.kind = StaticKind::boolean;
  term.boolean = value;
  return term;
}

// Returns the value of a decimal number; none for an integer.
std::optional<StaticTerm> realNumber(const ast::ExprNumber& number) {
  double magnitude = 0;
  if (number.form == ast::NumberForm::real)
    magnitude = number.real;
  else if (number.form == ast::NumberForm::inf)
    magnitude = std::numeric_limits<double>::infinity();
  else if (number.form == ast::NumberForm::integer && number.isFloat)
    magnitude = static_cast<double>(number.integer);
  else
    return std::nullopt;
  return realTerm(number.negative ? -magnitude : magnitude);
}

Dim wholeNumber(DimStore& dims, const ast::ExprNumber& number) {
  const auto magnitude = static_cast<std::int64_t>(number.integer);
  return dims.constant(number.negative ? -magnitude : magnitude);
}

}  // namespace

std::optional<Dim> readStaticDim(Inference& in, ast::ExprId id) {
  const auto value = readStatic(in, id);
  if (!value) return std::nullopt;
  const StaticTerm& term = termOf(in.solution, *value);
  if (term.kind == StaticKind::dim) return term.dim;
  report(in, wholeNumberWanted, in.module()[id].span);
  return std::nullopt;
}

std::optional<Dim> readSizeOfShape(Inference& in, Span span, const ast::ExprCall& call) {
  if (call.arguments.size() != 1 || !call.named.empty()) return std::nullopt;
  const auto* callee = std::get_if<ast::ExprName>(&in.module()[call.callee].node);
  const auto* given = std::get_if<ast::ExprName>(&in.module()[call.arguments[0]].node);
  if (!callee || !given || (callee->name != "size" && callee->name != "rank")) return std::nullopt;
  auto isValue = [](const Scope& scope, const std::string& name) {
    return scope.values.count(name) || scope.statics.count(name) || scope.names.dims.count(name);
  };
  std::optional<ShapeVar> shape;
  for (auto it = in.scopes.rbegin(); it != in.scopes.rend(); ++it) {
    if (isValue(**it, callee->name) || (!shape && isValue(**it, given->name))) return std::nullopt;
    auto named = (*it)->names.shapes.find(given->name);
    if (!shape && named != (*it)->names.shapes.end()) shape = named->second;
  }
  if (!shape) return std::nullopt;
  const ReasonId why = addReason(in.provenance, ReasonKind::application, span, fmt::format("`{}`", callee->name));
  const Dim result = freshDimTerm(in.solver, "n");
  if (callee->name == "rank")
    addConstraint(in.solver, why, constraint::RankOf{result, {ShapePart::of(*shape)}});
  else
    addConstraint(in.solver, why, constraint::SizeOf{result, {ShapePart::of(*shape)}});
  solve(in.solver);
  return result;
}

namespace {

// The reference is valid until the next error.
Diagnostic& reportStatic(Inference& in, Span span, const Phrase& label) {
  Diagnostic& d = report(in, notKnownStatic, span, label);
  const std::string_view written = in.checked.sources.text(span);
  auto has = [&](std::string_view part) { return written.find(part) != written.npos; };
  if (has(".shape") || written.starts_with("len(") || has(".size("))
    d.addHelp("a size has a name where it is written first, as in `f32 [n, 10]`: write that name here");
  return d;
}

std::optional<StaticId> reportNotStatic(Inference& in, Span span, const Phrase& label) {
  reportStatic(in, span, label);
  return std::nullopt;
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprGroup& group, Span) {
  return readStatic(in, group.inner);
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprNumber& number, Span span) {
  if (auto real = realNumber(number)) return in.solution.types.add(std::move(*real));
  if (number.form != ast::NumberForm::integer || number.integer > INT64_MAX)
    return reportNotStatic(in, span, "only whole numbers of 64 bits and decimal numbers are possible here");
  return staticDim(in.solution, wholeNumber(in.solution.dims, number));
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprString& text, Span) {
  return in.solution.types.add(textTerm(text.value));
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprBool& boolean, Span) {
  return in.solution.types.add(booleanTerm(boolean.value));
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprHole&, Span) {
  return in.solution.types.add(StaticTerm{});
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprList& list, Span) {
  StaticTerm term;
  term.kind = StaticKind::list;
  for (ast::ExprId item : list.items) {
    const auto value = readStatic(in, item);
    if (!value) return std::nullopt;
    term.items.push_back(*value);
  }
  return in.solution.types.add(std::move(term));
}

// Returns the places of indices, lists and named arguments, in which names are read as static arguments.
std::vector<Span> staticPlaces(const ast::Module& module) {
  std::vector<Span> places;
  for (const ast::Expr& e : module.exprs) {
    if (std::holds_alternative<ast::ExprList>(e.node)) places.push_back(e.span);
    if (const auto* index = std::get_if<ast::ExprIndex>(&e.node))
      for (const ast::IndexItem& item : index->items) places.push_back(item.span);
    if (const auto* call = std::get_if<ast::ExprCall>(&e.node))
      for (const ast::NamedArgument& argument : call->named) places.push_back(module[argument.value].span);
  }
  return places;
}

}  // namespace

std::vector<Span> staticUses(const ast::Module& module, const std::string& name, Span within) {
  const std::vector<Span> places = staticPlaces(module);
  std::vector<Span> uses;
  for (const ast::Expr& e : module.exprs)
    if (const auto* used = std::get_if<ast::ExprName>(&e.node); used && used->name == name && isWithin(e.span, within))
      if (std::ranges::any_of(places, [&](Span place) { return isWithin(e.span, place); })) uses.push_back(e.span);
  std::ranges::sort(uses, {}, &Span::begin);
  return uses;
}

namespace {

bool isOperand(const ast::Module& module, Span place) {
  return std::ranges::any_of(module.exprs, [&](const ast::Expr& e) {
    const auto* binary = std::get_if<ast::ExprBinary>(&e.node);
    return binary && (module[binary->left].span == place || module[binary->right].span == place);
  });
}

// Suggests the value of a name in place of all its static uses in the statement: a name is a value of the run, also
// where its value is static.
void suggestValue(const Inference& in, Diagnostic& d, Span use, Span name) {
  constexpr std::size_t longest = 60;
  const ast::Module& module = in.module();
  const auto binding =
      std::ranges::find(module.bindings, name, [&](const ast::Binding& b) { return module[b.pattern].span; });
  if (binding == module.bindings.end()) return;
  const ast::Expr& value = module[binding->value];
  const std::string text(in.checked.sources.text(value.span));
  if (text.size() > longest || text.find('\n') != text.npos) return;
  std::vector<Span> uses = staticUses(module, std::string(in.checked.sources.text(name)), in.at);
  if (std::ranges::find(uses, use) == uses.end()) uses = {use};
  Fix fix{fmt::format("write its value in its place: `{}`", text), {}};
  for (const Span place : uses) {
    const bool isFactor = std::holds_alternative<ast::ExprBinary>(value.node) && isOperand(module, place);
    fix.edits.push_back({place, isFactor ? "(" + text + ")" : text});
  }
  d.fixes.push_back(std::move(fix));
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprName& expr, Span span) {
  const std::string& name = expr.name;
  for (auto it = in.scopes.rbegin(); it != in.scopes.rend(); ++it) {
    const Scope& scope = **it;
    if (const auto value = scope.values.find(name); value != scope.values.end()) {
      const bool hidesSize = std::any_of(in.scopes.begin(), in.scopes.end(),
                                         [&](const Scope* s) { return s->names.dims.count(name) > 0; });
      Diagnostic& d =
          reportStatic(in, span,
                       hidesSize ? Phrase("{} is a value of the run, and hides the size of that name", arg::Name{name})
                                 : Phrase("{} is a value of the run", arg::Name{name}));
      suggestValue(in, d, span, in.program[value->second].span);
      return std::nullopt;
    }
    if (auto given = scope.statics.find(name); given != scope.statics.end()) return given->second;
    if (auto dim = scope.names.dims.find(name); dim != scope.names.dims.end())
      return staticDim(in.solution, in.solution.dims.variable(dim->second));
  }
  inferUnknownName(in, span, name);
  return std::nullopt;
}

constexpr Format<> possibleStatics = "literals, lists, and arithmetic over dimension names are possible here";

// Reports `(-1, 4)`, a shape as Python writes it, and suggests a list.
std::optional<StaticId> readNode(Inference& in, const ast::ExprTuple& tuple, Span span) {
  std::string list;
  bool hasOpenSize = false;
  for (ast::ExprId part : tuple.parts) {
    std::string_view written = in.checked.sources.text(in.module()[part].span);
    if (written == "-1") {
      written = "_";
      hasOpenSize = true;
    }
    list += (list.empty() ? "[" : ", ") + std::string(written);
  }
  Diagnostic& d = reportStatic(in, span, possibleStatics);
  if (tuple.parts.empty() || list.find('\n') != list.npos) return std::nullopt;
  list += "]";
  if (hasOpenSize)
    d.addHelp("a list is written in brackets, and `_` is the one size that follows from the others: {}",
              arg::Code{list});
  else
    d.addHelp("a list is written in brackets: {}", arg::Code{list});
  d.fixes.push_back({d.help.back(), {{span, list}}});
  return std::nullopt;
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprUnary& unary, Span span) {
  if (unary.op != ast::Operator::negate) return reportNotStatic(in, span, possibleStatics);
  const auto operand = readStatic(in, unary.operand);
  if (!operand) return std::nullopt;
  DimStore& dims = in.solution.dims;
  const StaticTerm& value = termOf(in.solution, *operand);
  if (value.kind == StaticKind::real) return in.solution.types.add(realTerm(-value.real));
  if (value.kind == StaticKind::dim) return staticDim(in.solution, dims.mul(dims.constant(-1), value.dim));
  return reportNotStatic(in, span, "only a number has a negative");
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprBinary& binary, Span span) {
  static constexpr std::pair<ast::Operator, DimOp> operations[] = {{ast::Operator::add, DimOp::add},
                                                                   {ast::Operator::sub, DimOp::sub},
                                                                   {ast::Operator::mul, DimOp::mul},
                                                                   {ast::Operator::div, DimOp::div},
                                                                   {ast::Operator::mod, DimOp::mod}};
  auto row = std::find_if(std::begin(operations), std::end(operations),
                          [&](const auto& operation) { return operation.first == binary.op; });
  if (row == std::end(operations)) return reportNotStatic(in, span, possibleStatics);
  const auto left = readStaticDim(in, binary.left);
  const auto right = left ? readStaticDim(in, binary.right) : std::nullopt;
  if (!right) return std::nullopt;
  DimStore& dims = in.solution.dims;
  const Dim value = dims.apply(row->second, *left, *right);
  if (divides(row->second)) requireDivisor(in.solver, value, *right, span);
  if (!dims.isUndefined(value)) return staticDim(in.solution, value);
  report(in, undefinedStatic, span);
  return std::nullopt;
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprCall& call, Span span) {
  static constexpr std::pair<std::string_view, DimOp> functions[] = {{"max", DimOp::max},
                                                                     {"min", DimOp::min},
                                                                     {"maximum", DimOp::max},
                                                                     {"minimum", DimOp::min},
                                                                     {"ceildiv", DimOp::ceildiv}};
  if (auto size = readSizeOfShape(in, span, call)) return staticDim(in.solution, *size);
  const auto* callee = std::get_if<ast::ExprName>(&in.module()[call.callee].node);
  auto row = std::find_if(std::begin(functions), std::end(functions),
                          [&](const auto& function) { return callee && callee->name == function.first; });
  if (row == std::end(functions) || call.arguments.size() != 2 || !call.named.empty())
    return reportNotStatic(in, span, possibleStatics);
  const auto left = readStaticDim(in, call.arguments[0]);
  const auto right = left ? readStaticDim(in, call.arguments[1]) : std::nullopt;
  if (!right) return std::nullopt;
  return staticDim(in.solution, in.solution.dims.apply(row->second, *left, *right));
}

std::optional<StaticId> readNode(Inference& in, const ast::ExprError&, Span) {
  in.bindingFailed = true;  // reported by the parser
  return std::nullopt;
}

// All other expressions.
template <class Node>
std::optional<StaticId> readNode(Inference& in, const Node&, Span span) {
  return reportNotStatic(in, span, possibleStatics);
}

}  // namespace

std::optional<StaticId> readStatic(Inference& in, ast::ExprId id) {
  const ast::Expr& e = in.module()[id];
  return std::visit([&](const auto& node) { return readNode(in, node, e.span); }, e.node);
}

std::optional<StaticId> readDefault(Solution& solution, const ast::Module& core, ast::ExprId id,
                                    const SignatureUse& signature, TypeReader& reader) {
  const ast::Expr& e = core[id];
  StaticTerm term;
  if (auto* name = std::get_if<ast::ExprName>(&e.node)) {
    auto attribute = signature.attributes.find(name->name);
    if (name->name == "reversed")
      term.kind = StaticKind::reversed;
    else if (name->name == "all")
      term.kind = StaticKind::all;
    else
      return attribute != signature.attributes.end() ? attribute->second
                                                     : staticDim(solution, readDimName(reader, name->name));
  } else if (auto* number = std::get_if<ast::ExprNumber>(&e.node)) {
    auto real = realNumber(*number);
    if (!real) return staticDim(solution, wholeNumber(solution.dims, *number));
    term = std::move(*real);
  } else if (auto* text = std::get_if<ast::ExprString>(&e.node)) {
    term = textTerm(text->value);
  } else if (auto* boolean = std::get_if<ast::ExprBool>(&e.node)) {
    term = booleanTerm(boolean->value);
  } else if (auto* list = std::get_if<ast::ExprList>(&e.node)) {
    term.kind = StaticKind::list;
    for (ast::ExprId item : list->items)
      if (auto value = readDefault(solution, core, item, signature, reader)) term.items.push_back(*value);
  }
  return solution.types.add(std::move(term));
}

}  // namespace axle
