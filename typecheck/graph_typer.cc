#include "typecheck/graph_typer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace axle {

const Modules GraphTyper::none{};

GraphTyper::GraphTyper(const SourceMap& sources, std::span<const CoreOp> operators, Diagnostics& diagnostics)
    : diagnostics_(diagnostics),
      checked_(none, sources, operators),
      options_{nullptr, operators, false},
      inferer_(checked_, options_, diagnostics) {
  checked_.isGraph = true;
}

StaticId GraphTyper::integer(Dim value) {
  StaticTerm term;
  term.kind = StaticKind::dim;
  term.dim = value;
  return solution().types.add(std::move(term));
}

StaticId GraphTyper::boolean(bool value) {
  StaticTerm term;
  term.kind = StaticKind::boolean;
  term.boolean = value;
  return solution().types.add(std::move(term));
}

StaticId GraphTyper::real(double value) {
  StaticTerm term;
  term.kind = StaticKind::real;
  term.real = value;
  term.text = fmt::format("{}", value);
  return solution().types.add(std::move(term));
}

StaticId GraphTyper::word(std::string text) {
  StaticTerm term;
  term.kind = StaticKind::text;
  term.text = std::move(text);
  return solution().types.add(std::move(term));
}

StaticId GraphTyper::hole() { return solution().types.add(StaticTerm{}); }

StaticId GraphTyper::list(std::vector<StaticId> items) {
  StaticTerm term;
  term.kind = StaticKind::list;
  term.items = std::move(items);
  return solution().types.add(std::move(term));
}

StaticId GraphTyper::list(const std::vector<std::int64_t>& items) {
  std::vector<StaticId> terms;
  for (std::int64_t item : items) terms.push_back(integer(item));
  return list(std::move(terms));
}

StaticId GraphTyper::list(const std::vector<Dim>& items) {
  std::vector<StaticId> terms;
  for (Dim item : items) terms.push_back(integer(item));
  return list(std::move(terms));
}

Shape GraphTyper::shape(const std::vector<Dim>& dims) {
  Shape shape;
  for (Dim dim : dims) shape.push_back(ShapePart::of(dim));
  return shape;
}

TypeId GraphTyper::tensor(ElemTerm elem, Shape shape, Span at) {
  Origin origin;
  origin.span = at;
  OriginId id = checked_.provenance.add(std::move(origin));
  TypeTerm term;
  term.kind = TypeKind::tensor;
  term.elem = elem;
  term.shape = std::move(shape);
  term.origin = id;
  for (ShapePart& part : term.shape)
    if (!part.origin.index) part.origin = id;
  return solution().types.add(std::move(term));
}

TypeId GraphTyper::tuple(std::vector<TypeId> parts) {
  TypeTerm term;
  term.kind = TypeKind::tuple;
  term.parts = std::move(parts);
  return solution().types.add(std::move(term));
}

TypedId GraphTyper::input(const std::string& name, TypeId type, Span at) {
  return inferer_.reference(inferer_.declare(name, at, BindingKind::parameter, type), at);
}

TypedId GraphTyper::weight(const std::string& tensor, TypeId type, Span at) {
  BindingId id = inferer_.declare(tensor, at, BindingKind::weight, type);
  TypedProgram& program = checked_.program;
  program.bindings[id.index].weight = static_cast<std::uint32_t>(program.weights.size());
  program.weights.push_back({id, tensor, tensor, at});
  return inferer_.reference(id, at);
}

std::optional<TypedId> GraphTyper::apply(std::string_view op, Span at, std::vector<TypedId> arguments, Statics statics,
                                         std::string subject) {
  auto found = checked_.operators.find(op, arguments.size());
  if (!found) return std::nullopt;
  inferer_.restart();
  TypedId made = inferer_.apply(*found, at, std::move(arguments), std::move(statics), std::move(subject));
  if (!inferer_.settle()) return std::nullopt;
  return made;
}

TypedId GraphTyper::literal(double value, Elem elem, Span at) {
  LiteralValue literal;
  literal.negative = std::signbit(value);
  const double magnitude = std::fabs(value);
  if (elem == Elem::boolean) {
    literal = {};
    literal.isBool = true;
    literal.boolean = value != 0;
  } else if (std::isnan(value)) {
    literal.form = ast::NumberForm::nan;
  } else if (std::isinf(value)) {
    literal.form = ast::NumberForm::inf;
  } else if (info(elem).isInt) {
    literal.integer = static_cast<std::uint64_t>(magnitude);
  } else {
    literal.form = ast::NumberForm::real;
    literal.real = magnitude;
  }
  return make(tensor(ElemTerm::of(elem), {}, at), at, TypedLiteral{literal});
}

TypedId GraphTyper::opaque(const std::string& name, TypeId type, Span at) {
  return inferer_.reference(inferer_.declare(name, at, BindingKind::value, type), at);
}

bool GraphTyper::settleFacts() {
  inferer_.restart();
  while (checked_.solver.settleFacts([](const Constraint&) { return true; })) checked_.solver.solve();
  return inferer_.settle();
}

std::vector<Span> GraphTyper::placesOf(const ShapePart& size) {
  std::vector<Span> places;
  for (OriginId id : checked_.solver.originsOf(size))
    if (const Origin& origin = checked_.provenance[id]; id.index != 0 && origin.file.empty())
      places.push_back(origin.span);
  return places;
}

std::vector<GraphTyper::Link> GraphTyper::chainOf(const ShapePart& part) {
  constexpr std::size_t most = 64;
  std::vector<Link> chain;
  std::vector<ShapePart> open{part};
  for (std::size_t i = 0; i < open.size() && i < most; ++i) {
    const ShapePart at = open[i];
    if (!at.isVar) {
      for (DimVar v : solution().dims.variables(at.dim))
        if (const DimVarInfo& info = solution().dimVars[v.index]; info.binding) {
          chain.push_back({ShapePart::of(solution().dims.variable(v)), info.boundWhy});
          open.push_back(ShapePart::of(*info.binding));
        }
    } else if (const ShapeVarInfo& info = solution().shapeVars[at.var.index]; info.binding) {
      chain.push_back({at, info.boundWhy});
      std::copy_if(info.binding->begin(), info.binding->end(), std::back_inserter(open),
                   [](const ShapePart& inner) { return inner.isVar; });
    }
  }
  return chain;
}

const Reason* GraphTyper::whatFixed(const ShapePart& part) {
  ReasonId last;
  for (const Link& link : chainOf(part)) last.index = std::max(last.index, link.why.index);
  return reasonOf(last);
}

const Reason* GraphTyper::whatJoined(const ShapePart& a, const ShapePart& b) {
  const std::vector<Link> mine = chainOf(a), other = chainOf(b);
  auto isIn = [](const std::vector<Link>& chain, const ShapePart& variable) {
    return std::any_of(chain.begin(), chain.end(), [&](const Link& link) { return link.variable == variable; });
  };
  ReasonId last;
  for (const auto& [chain, beside] : {std::pair(&mine, &other), std::pair(&other, &mine)})
    for (const Link& link : *chain) {
      if (isIn(*beside, link.variable)) break;  // from here on they are one
      last.index = std::max(last.index, link.why.index);
    }
  return reasonOf(last);
}

bool GraphTyper::ask(Span at, std::string subject, const std::function<void(ReasonId)>& what) {
  inferer_.restart();
  Reason why;
  why.span = at;
  why.subject = std::move(subject);
  what(checked_.provenance.add(std::move(why)));
  return inferer_.settle();
}

bool GraphTyper::unify(TypeId a, TypeId b, Span at, std::string subject) {
  return ask(at, std::move(subject), [&](ReasonId why) { checked_.solver.unify(a, b, why); });
}

bool GraphTyper::equate(Dim a, Dim b, Span at, std::string subject) {
  return ask(at, std::move(subject),
             [&](ReasonId why) { checked_.solver.unifyDim(ShapePart::of(a), ShapePart::of(b), why); });
}

bool GraphTyper::demand(const DimFact& fact, Span at, std::string subject) {
  return ask(at, std::move(subject), [&](ReasonId why) { inferer_.demand(fact, why); });
}

std::vector<TypedId> GraphTyper::bind(const std::string& name, TypedId value, Span at) {
  const TypeTerm& type = solution().types[typeOf(value)];
  TypedPattern pattern;
  pattern.isTuple = type.kind == TypeKind::tuple;
  std::vector<TypedId> references;
  for (TypeId part : pattern.isTuple ? type.parts : std::vector<TypeId>{checked_.program[value].type}) {
    BindingId id = inferer_.declare(name, at, BindingKind::value, part);
    if (pattern.isTuple)
      pattern.parts.push_back({id, false, {}});
    else
      pattern.binding = id;
    references.push_back(inferer_.reference(id, at));
  }
  addLet(std::move(pattern), value, at);
  return references;
}

// ---- the program

TypedId GraphTyper::make(TypeId type, Span at, decltype(TypedExpr::node) node) {
  checked_.program.exprs.push_back({type, at, std::move(node)});
  return TypedId{static_cast<std::uint32_t>(checked_.program.exprs.size() - 1)};
}

std::uint32_t GraphTyper::addLet(TypedPattern pattern, TypedId value, Span at) {
  const auto index = static_cast<std::uint32_t>(checked_.program.lets.size());
  if (pattern.binding) lets_[pattern.binding.index] = index;
  for (const TypedPattern& part : pattern.parts) lets_[part.binding.index] = index;
  checked_.program.lets.push_back({std::move(pattern), value, at});
  return index;
}

void GraphTyper::redefine(TypedId reference, TypedId value) {
  const auto* ref = std::get_if<TypedRef>(&checked_.program[reference].node);
  const auto* other = std::get_if<TypedRef>(&checked_.program[value].node);
  if (ref && other && ref->binding != other->binding) redefined_[ref->binding.index] = value;
}

std::optional<TypedId> GraphTyper::valueOf(BindingId binding) const {
  if (auto better = redefined_.find(binding.index); better != redefined_.end()) return better->second;
  auto let = lets_.find(binding.index);
  if (let == lets_.end()) return std::nullopt;
  return checked_.program.lets[let->second].value;
}

std::optional<BindingId> GraphTyper::opaqueBehind(TypedId reference) const {
  std::optional<BindingId> last;
  // No chain of names is longer than there are names.
  for (std::size_t steps = 0; steps <= checked_.program.bindings.size(); ++steps) {
    const auto* ref = std::get_if<TypedRef>(&checked_.program[reference].node);
    if (!ref || checked_.program[ref->binding].kind != BindingKind::value) return std::nullopt;
    last = ref->binding;
    auto value = valueOf(ref->binding);
    if (!value) return last;
    reference = *value;
  }
  return last;
}

std::vector<BindingId> GraphTyper::namesIn(TypedId value) const {
  std::vector<BindingId> names;
  std::vector<TypedId> open{value};
  while (!open.empty()) {
    const TypedExpr& expr = checked_.program[open.back()];
    open.pop_back();
    if (const auto* ref = std::get_if<TypedRef>(&expr.node)) names.push_back(ref->binding);
    if (const auto* apply = std::get_if<TypedApply>(&expr.node))
      open.insert(open.end(), apply->arguments.begin(), apply->arguments.end());
    if (const auto* tuple = std::get_if<TypedTuple>(&expr.node))
      open.insert(open.end(), tuple->parts.begin(), tuple->parts.end());
  }
  return names;
}

std::vector<BindingId> GraphTyper::define(const std::vector<TypedId>& inputs, std::vector<TypedId> results, Span at) {
  TypedProgram& program = checked_.program;
  std::vector<BindingId> missing;
  TypedBlock block;
  std::set<std::uint32_t> seen;
  struct Step {
    BindingId binding;
    bool isReady = false;  // all that its value names has been seen
  };
  std::vector<Step> steps;
  for (TypedId result : results)
    for (BindingId name : namesIn(result)) steps.push_back({name});
  std::set<std::uint32_t> placed;  // lets
  while (!steps.empty()) {
    Step step = steps.back();
    steps.pop_back();
    auto better = redefined_.find(step.binding.index);
    if (step.isReady) {
      std::uint32_t let = better == redefined_.end()
                              ? lets_.at(step.binding.index)
                              : addLet({step.binding, false, {}}, better->second, program[step.binding].span);
      if (placed.insert(let).second) block.lets.push_back(let);
      continue;
    }
    if (program[step.binding].kind != BindingKind::value || !seen.insert(step.binding.index).second) continue;
    auto value = valueOf(step.binding);
    if (!value) {
      missing.push_back(step.binding);
      continue;
    }
    steps.push_back({step.binding, true});
    for (BindingId name : namesIn(*value)) steps.push_back({name});
  }
  if (!missing.empty()) return missing;

  TypeTerm function;
  function.kind = TypeKind::function;
  TypedLambda lambda;
  for (TypedId input : inputs) {
    lambda.parameters.push_back(std::get<TypedRef>(program[input].node).binding);
    function.parts.push_back(program[input].type);
  }
  std::vector<TypeId> types;
  for (TypedId result : results) types.push_back(program[result].type);
  function.result = types.size() == 1 ? types[0] : tuple(types);
  block.result = types.size() == 1 ? results[0] : make(function.result, at, TypedTuple{std::move(results)});
  lambda.body = make(function.result, at, std::move(block));
  TypeId type = solution().types.add(std::move(function));
  BindingId main = inferer_.declare("main", at, BindingKind::value, type);
  program.bindings[main.index].value = make(type, at, std::move(lambda));
  checked_.rootNames.push_back({"main", main});
  return {};
}

}  // namespace axle
