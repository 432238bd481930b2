// Static arguments: values known when the program is compiled.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/infer.h"

namespace axle {

StaticId Inferer::staticDim(Dim dim) {
  StaticTerm term;
  term.kind = StaticKind::dim;
  term.dim = dim;
  return c_.solution.types.add(std::move(term));
}

std::optional<Dim> Inferer::readDim(ast::ExprId id) {
  auto value = readStatic(id);
  if (!value) return std::nullopt;
  const StaticTerm& term = c_.solution.types[c_.solution.resolve(*value)];
  if (term.kind == StaticKind::dim) return term.dim;
  report(codes::notStatic, module()[id].span, "a whole number is wanted here", "this is none");
  return std::nullopt;
}

std::optional<StaticId> Inferer::readStatic(ast::ExprId id) {
  const ast::Expr& e = module()[id];
  DimStore& dims = c_.solution.dims;
  StaticTerm term;
  auto notStatic = [&](std::string label) -> std::optional<StaticId> {
    report(codes::notStatic, e.span, "a static argument must be known when the program is compiled", std::move(label));
    return std::nullopt;
  };
  if (auto* group = std::get_if<ast::ExprGroup>(&e.node)) return readStatic(group->inner);
  if (auto* number = std::get_if<ast::ExprNumber>(&e.node)) {
    if (number->form != ast::NumberForm::integer || number->isFloat || number->integer > INT64_MAX)
      return notStatic("only whole numbers of 64 bits are possible here");
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
      if ((*it)->values.count(name->name)) return notStatic(fmt::format("`{}` is a value of the run", name->name));
      if (auto given = (*it)->statics.find(name->name); given != (*it)->statics.end()) return given->second;
      if (auto dim = (*it)->names.dims.find(name->name); dim != (*it)->names.dims.end())
        return staticDim(dims.variable(dim->second));
    }
    unknownName(e.span, name->name);
    return std::nullopt;
  }
  if (auto* unary = std::get_if<ast::ExprUnary>(&e.node); unary && unary->op == ast::Operator::negate) {
    auto inner = readDim(unary->operand);
    return inner ? std::optional(staticDim(dims.mul(dims.constant(-1), *inner))) : std::nullopt;
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
        if (!dims.isUndefined(value)) return staticDim(value);
        report(codes::overflow, e.span, "a size does not fit into 64 bits, or divides by 0", "here");
        return std::nullopt;
      }
  }
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

// Defaults of `core.ax`: literals, an attribute, a dimension of the signature, `reversed`.
std::optional<StaticId> Inferer::readDefault(const ast::Module& from, ast::ExprId id, const SignatureUse& signature,
                                             TypeReader& reader) {
  const ast::Expr& e = from[id];
  StaticTerm term;
  if (auto* name = std::get_if<ast::ExprName>(&e.node)) {
    if (name->name == "reversed")
      term.kind = StaticKind::reversed;
    else if (auto it = signature.attributes.find(name->name); it != signature.attributes.end())
      return it->second;
    else
      return staticDim(reader.dimName(name->name));
    return c_.solution.types.add(std::move(term));
  }
  if (auto* number = std::get_if<ast::ExprNumber>(&e.node)) {
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
  auto kindOf = [&](StaticId id) { return c_.solution.types[c_.solution.resolve(id)].kind; };
  auto all = [&](const StaticTerm& list, auto&& test) {
    return list.kind == StaticKind::list && std::all_of(list.items.begin(), list.items.end(), test);
  };
  auto isDim = [&](StaticId id) { return kindOf(id) == StaticKind::dim; };
  auto isPair = [&](StaticId id) {
    const StaticTerm pair = c_.solution.types[c_.solution.resolve(id)];
    return all(pair, isDim) && pair.items.size() == 2;
  };
  if (term.kind == StaticKind::var) {
    if (attribute.sort == ast::Sort::ints && attribute.length) {
      StaticTerm list;
      list.kind = StaticKind::list;
      for (std::uint64_t i = 0; i < *attribute.length; ++i)
        list.items.push_back(staticDim(c_.solver.freshInteger(attribute.name.text + std::to_string(i))));
      return c_.solver.unifyStatic(value, c_.solution.types.add(std::move(list)), why);
    }
    return true;
  }
  std::string wanted;
  bool ok = false;
  switch (attribute.sort) {
    case ast::Sort::integer:
    case ast::Sort::axis:
      wanted = "a whole number";
      ok = term.kind == StaticKind::dim;
      break;
    case ast::Sort::ints:
      wanted =
          attribute.length ? fmt::format("a list of {} whole numbers", *attribute.length) : "a list of whole numbers";
      ok = all(term, isDim) && (!attribute.length || term.items.size() == *attribute.length);
      break;
    case ast::Sort::axes:
    case ast::Sort::perm:
      wanted = "a list of axes";
      ok = all(term, isDim);
      break;
    case ast::Sort::pairs:
      wanted = "a list of pairs [before, after], one for each dimension";
      ok = all(term, isPair);
      break;
    case ast::Sort::padding:
      wanted = "\"valid\", \"same\" or [[top, bottom], [left, right]]";
      ok = (term.kind == StaticKind::text && (term.text == "valid" || term.text == "same")) ||
           (all(term, isPair) && term.items.size() == 2);
      break;
    case ast::Sort::boolean:
      wanted = "`true` or `false`";
      ok = term.kind == StaticKind::boolean;
      break;
    case ast::Sort::shape:
      wanted = "a list of sizes, at most one of them `_`";
      ok = all(term, [&](StaticId id) { return isDim(id) || kindOf(id) == StaticKind::hole; }) &&
           std::count_if(term.items.begin(), term.items.end(),
                         [&](StaticId id) { return kindOf(id) == StaticKind::hole; }) <= 1;
      break;
    case ast::Sort::elem:
      wanted = "an element type";
      break;
  }
  if (ok) return true;
  std::string given = term.kind == StaticKind::text ? fmt::format(": \"{}\" is not possible", term.text) : "";
  Diagnostic& d =
      report(codes::badAttribute, span,
             fmt::format("`{}` of `{}` must be {}{}", attribute.name.text, op, wanted, given), "this argument");
  if (term.kind == StaticKind::text && attribute.sort == ast::Sort::padding) {
    std::string lower = term.text;
    for (char& ch : lower) ch = static_cast<char>(ch >= 'A' && ch <= 'Z' ? ch - 'A' + 'a' : ch);
    if (lower == "same" || lower == "valid")
      d.help.push_back(fmt::format("words are lower case: `{}=\"{}\"`", attribute.name.text, lower));
  }
  return false;
}

}  // namespace axle
