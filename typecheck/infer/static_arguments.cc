// Static arguments: values known when the program is compiled.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/infer/infer.h"
#include "typecheck/solver/attribute_forms.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

StaticId Inferer::staticDim(Dim dim) {
  StaticTerm term;
  term.kind = StaticKind::dim;
  term.dim = dim;
  return c_.solution.types.add(std::move(term));
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

}  // namespace

std::optional<Dim> Inferer::readDim(ast::ExprId id) {
  auto value = readStatic(id);
  if (!value) return std::nullopt;
  const StaticTerm& term = c_.solution.types[c_.solution.resolve(*value)];
  if (term.kind == StaticKind::dim) return term.dim;
  report(codes::notStatic, module()[id].span, "a whole number is wanted here", "this is none");
  return std::nullopt;
}

std::optional<Dim> Inferer::sizeOfShape(Span span, const ast::ExprCall& call) {
  if (call.arguments.size() != 1 || !call.named.empty()) return std::nullopt;
  const auto* callee = std::get_if<ast::ExprName>(&module()[call.callee].node);
  const auto* given = std::get_if<ast::ExprName>(&module()[call.arguments[0]].node);
  if (!callee || !given || (callee->name != "size" && callee->name != "rank")) return std::nullopt;
  auto isValue = [](const Scope& scope, const std::string& name) {
    return scope.values.count(name) || scope.statics.count(name) || scope.names.dims.count(name);
  };
  std::optional<ShapeVar> shape;
  for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it) {
    if (isValue(**it, callee->name) || (!shape && isValue(**it, given->name))) return std::nullopt;
    auto named = (*it)->names.shapes.find(given->name);
    if (!shape && named != (*it)->names.shapes.end()) shape = named->second;
  }
  if (!shape) return std::nullopt;
  const ReasonId why = reason(ReasonKind::application, span, fmt::format("`{}`", callee->name));
  Dim result = freshDimTerm(c_.solver, "n");
  if (callee->name == "rank")
    addConstraint(c_.solver, why, constraint::RankOf{result, {ShapePart::of(*shape)}});
  else
    addConstraint(c_.solver, why, constraint::SizeOf{result, {ShapePart::of(*shape)}});
  solve(c_.solver);
  return result;
}

std::optional<StaticId> Inferer::readStatic(ast::ExprId id) {
  const ast::Expr& e = module()[id];
  DimStore& dims = c_.solution.dims;
  StaticTerm term;
  auto notStatic = [&](std::string label) -> std::optional<StaticId> {
    Diagnostic& d = report(codes::notStatic, e.span, "a static argument must be known when the program is compiled",
                           std::move(label));
    const std::string_view written = c_.sources.text(e.span);
    if (written.find(".shape") != written.npos || written.starts_with("len(") || written.find(".size(") != written.npos)
      d.help.emplace_back("a size has a name where it is written first, as in `f32 [n, 10]`: write that name here");
    return std::nullopt;
  };
  if (std::holds_alternative<ast::ExprError>(e.node)) {  // which the parser told
    bindingFailed_ = true;
    return std::nullopt;
  }
  if (auto* group = std::get_if<ast::ExprGroup>(&e.node)) return readStatic(group->inner);
  if (auto* number = std::get_if<ast::ExprNumber>(&e.node)) {
    if (auto real = realNumber(*number)) return c_.solution.types.add(std::move(*real));
    if (number->form != ast::NumberForm::integer || number->integer > INT64_MAX)
      return notStatic("only whole numbers of 64 bits and decimal numbers are possible here");
    auto magnitude = static_cast<std::int64_t>(number->integer);
    return staticDim(dims.constant(number->negative ? -magnitude : magnitude));
  }
  if (auto* text = std::get_if<ast::ExprString>(&e.node)) {
    term.kind = StaticKind::text;
    term.text = text->value;
    return c_.solution.types.add(std::move(term));
  }
  if (auto* boolean = std::get_if<ast::ExprBool>(&e.node)) {
    term.kind = StaticKind::boolean;
    term.boolean = boolean->value;
    return c_.solution.types.add(std::move(term));
  }
  if (std::holds_alternative<ast::ExprHole>(e.node)) return c_.solution.types.add(std::move(term));
  if (auto* list = std::get_if<ast::ExprList>(&e.node)) {
    term.kind = StaticKind::list;
    for (ast::ExprId item : list->items) {
      auto value = readStatic(item);
      if (!value) return std::nullopt;
      term.items.push_back(*value);
    }
    return c_.solution.types.add(std::move(term));
  }
  if (auto* name = std::get_if<ast::ExprName>(&e.node)) {
    for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it) {
      if ((*it)->values.count(name->name)) {
        bool hides = std::any_of(scopes_.begin(), scopes_.end(),
                                 [&](const Scope* s) { return s->names.dims.count(name->name) > 0; });
        return notStatic(
            fmt::format("`{}` is a value of the run{}", name->name, hides ? ", and hides the size of that name" : ""));
      }
      if (auto given = (*it)->statics.find(name->name); given != (*it)->statics.end()) return given->second;
      if (auto dim = (*it)->names.dims.find(name->name); dim != (*it)->names.dims.end())
        return staticDim(dims.variable(dim->second));
    }
    unknownName(e.span, name->name);
    return std::nullopt;
  }
  if (auto* unary = std::get_if<ast::ExprUnary>(&e.node); unary && unary->op == ast::Operator::negate) {
    auto operand = readStatic(unary->operand);
    if (!operand) return std::nullopt;
    const StaticTerm& value = c_.solution.types[c_.solution.resolve(*operand)];
    if (value.kind == StaticKind::real) return c_.solution.types.add(realTerm(-value.real));
    if (value.kind == StaticKind::dim) return staticDim(dims.mul(dims.constant(-1), value.dim));
    return notStatic("only a number has a negative");
  }
  using Op = Dim (DimStore::*)(Dim, Dim);
  if (auto* binary = std::get_if<ast::ExprBinary>(&e.node)) {
    static constexpr std::pair<ast::Operator, Op> table[] = {{ast::Operator::add, &DimStore::add},
                                                             {ast::Operator::sub, &DimStore::sub},
                                                             {ast::Operator::mul, &DimStore::mul},
                                                             {ast::Operator::div, &DimStore::div},
                                                             {ast::Operator::mod, &DimStore::mod}};
    for (const auto& [op, apply] : table)
      if (binary->op == op) {
        auto left = readDim(binary->left), right = left ? readDim(binary->right) : std::nullopt;
        if (!right) return std::nullopt;
        Dim value = (dims.*apply)(*left, *right);
        bool divides = op == ast::Operator::div || op == ast::Operator::mod;
        if (divides) requireDivisor(c_.solver, value, *right, e.span);
        if (!dims.isUndefined(value)) return staticDim(value);
        report(codes::overflow, e.span, "a size does not fit into 64 bits, or divides by 0", "here");
        return std::nullopt;
      }
  }
  if (auto* call = std::get_if<ast::ExprCall>(&e.node))
    if (auto size = sizeOfShape(e.span, *call)) return staticDim(*size);
  if (auto* call = std::get_if<ast::ExprCall>(&e.node); call && call->arguments.size() == 2 && call->named.empty()) {
    static constexpr std::pair<std::string_view, Op> table[] = {{"max", &DimStore::max},
                                                                {"min", &DimStore::min},
                                                                {"maximum", &DimStore::max},
                                                                {"minimum", &DimStore::min},
                                                                {"ceildiv", &DimStore::ceildiv}};
    const auto* callee = std::get_if<ast::ExprName>(&module()[call->callee].node);
    for (const auto& [name, apply] : table)
      if (callee && callee->name == name) {
        auto left = readDim(call->arguments[0]), right = left ? readDim(call->arguments[1]) : std::nullopt;
        return right ? std::optional(staticDim((dims.*apply)(*left, *right))) : std::nullopt;
      }
  }
  return notStatic("literals, lists, and arithmetic over dimension names are possible here");
}

// Defaults of `core.ax`: literals, an attribute, a dimension of the signature, `reversed`, `all`.
std::optional<StaticId> Inferer::readDefault(const ast::Module& from, ast::ExprId id, const SignatureUse& signature,
                                             TypeReader& reader) {
  const ast::Expr& e = from[id];
  StaticTerm term;
  if (auto* name = std::get_if<ast::ExprName>(&e.node)) {
    if (name->name == "reversed")
      term.kind = StaticKind::reversed;
    else if (name->name == "all")
      term.kind = StaticKind::all;
    else if (auto it = signature.attributes.find(name->name); it != signature.attributes.end())
      return it->second;
    else
      return staticDim(reader.dimName(name->name));
    return c_.solution.types.add(std::move(term));
  }
  if (auto* number = std::get_if<ast::ExprNumber>(&e.node)) {
    if (auto real = realNumber(*number)) return c_.solution.types.add(std::move(*real));
    auto magnitude = static_cast<std::int64_t>(number->integer);
    return staticDim(c_.solution.dims.constant(number->negative ? -magnitude : magnitude));
  }
  if (auto* text = std::get_if<ast::ExprString>(&e.node)) {
    term.kind = StaticKind::text;
    term.text = text->value;
  } else if (auto* boolean = std::get_if<ast::ExprBool>(&e.node)) {
    term.kind = StaticKind::boolean;
    term.boolean = boolean->value;
  } else if (auto* list = std::get_if<ast::ExprList>(&e.node)) {
    term.kind = StaticKind::list;
    for (ast::ExprId item : list->items)
      if (auto value = readDefault(from, item, signature, reader)) term.items.push_back(*value);
  }
  return c_.solution.types.add(std::move(term));
}

// A value given for an attribute must be of its sort; an open static parameter takes the sort's form.
bool Inferer::checkSort(const ast::OpAttribute& attribute, StaticId value, Span span, const std::string& op,
                        ReasonId why) {
  value = c_.solution.resolve(value);
  StaticTerm term = c_.solution.types[value];
  if (term.kind == StaticKind::var) {
    if (attribute.sort == ast::Sort::ints && attribute.length) {
      StaticTerm list;
      list.kind = StaticKind::list;
      for (std::uint64_t i = 0; i < *attribute.length; ++i)
        list.items.push_back(staticDim(freshInteger(c_.solver, attribute.name.text + std::to_string(i))));
      return unifyStatic(c_.solver, value, c_.solution.types.add(std::move(list)), why);
    }
    if (attribute.sort == ast::Sort::integer)
      return unifyStatic(c_.solver, value, staticDim(freshInteger(c_.solver, attribute.name.text)), why);
    addConstraint(c_.solver, why, constraint::AttributeForm{value, &attribute});
    return true;
  }
  auto wanted = expectedForm(c_.solution, attribute, value);
  if (!wanted && attribute.sort == ast::Sort::shape)
    for (StaticId item : term.items)
      if (const StaticTerm& size = c_.solution.types[c_.solution.resolve(item)]; size.kind == StaticKind::dim)
        if (auto known = c_.solution.dims.asConstant(c_.solution.resolve(size.dim)); known && *known < 0) {
          Diagnostic& d =
              report(codes::badAttribute, span, fmt::format("`{}` cannot make a size {}", op, *known), "this list");
          if (op == "reshape") d.help.push_back("`_` stands for the one size that follows from the others: `[_, 2]`");
          return false;
        }
  if (!wanted) return true;
  std::string given = term.kind == StaticKind::text ? fmt::format(": \"{}\" is not possible", term.text) : "";
  Diagnostic& d =
      report(codes::badAttribute, span,
             fmt::format("`{}` of `{}` must be {}{}", attribute.name.text, op, *wanted, given), "this argument");
  if (term.kind == StaticKind::text) {
    std::string lower = term.text;
    for (char& ch : lower) ch = static_cast<char>(ch >= 'A' && ch <= 'Z' ? ch - 'A' + 'a' : ch);
    const std::vector<std::string> words = wordsOf(attribute);
    if (std::find(words.begin(), words.end(), lower) != words.end()) {
      d.help.push_back(fmt::format("words are lower case: `{}=\"{}\"`", attribute.name.text, lower));
      d.fixes.push_back({d.help.back(), {{span, "\"" + lower + "\""}}});
    }
  }
  return false;
}

}  // namespace axle
