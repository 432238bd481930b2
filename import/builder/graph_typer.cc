#include "import/builder/graph_typer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "typecheck/infer/expressions.h"
#include "typecheck/infer/operators.h"
#include "typecheck/solver/conflicts.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/unify.h"

namespace axle {

const Modules GraphTyper::none{};

GraphTyper::GraphTyper(const SourceMap& sources, std::span<const CoreOp> operators, Diagnostics& diagnostics)
    : diagnostics_(diagnostics),
      checked_(none, sources, operators),
      options_{nullptr, operators, false},
      inference_(checked_, options_, diagnostics) {
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
  return inferReference(inference_, declare(checked_.program, name, at, BindingKind::parameter, type), at);
}

TypedId GraphTyper::weight(const std::string& tensor, TypeId type, Span at) {
  BindingId id = declare(checked_.program, tensor, at, BindingKind::weight, type);
  TypedProgram& program = checked_.program;
  program.bindings[id.index].weight = static_cast<std::uint32_t>(program.weights.size());
  program.weights.push_back({id, tensor, tensor, at});
  return inferReference(inference_, id, at);
}

std::optional<TypedId> GraphTyper::apply(std::string_view op, Span at, std::vector<TypedId> arguments, Statics statics,
                                         std::string subject) {
  auto found = checked_.operators.find(op, arguments.size());
  if (!found) return std::nullopt;
  clearFailure(inference_);
  TypedId made =
      applyOperator(inference_, {*found, at, {}, std::move(arguments), {}, std::move(statics), std::move(subject)});
  if (!settle(inference_)) return std::nullopt;
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
  return inferReference(inference_, declare(checked_.program, name, at, BindingKind::value, type), at);
}

bool GraphTyper::settleFacts() {
  clearFailure(inference_);
  while (axle::settleFacts(checked_.solver, [](const Constraint&) { return true; })) solve(checked_.solver);
  return settle(inference_);
}

std::vector<Span> GraphTyper::placesOf(const ShapePart& size) {
  std::vector<Span> places;
  for (OriginId id : originsOf(checked_.solver, size))
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
      if (isIn(*beside, link.variable)) break;  // the chains are equal from here on
      last.index = std::max(last.index, link.why.index);
    }
  return reasonOf(last);
}

bool GraphTyper::ask(Span at, std::string subject, const std::function<void(ReasonId)>& what) {
  clearFailure(inference_);
  Reason why;
  why.span = at;
  why.subject = std::move(subject);
  what(checked_.provenance.add(std::move(why)));
  return settle(inference_);
}

bool GraphTyper::unify(TypeId a, TypeId b, Span at, std::string subject) {
  return ask(at, std::move(subject), [&](ReasonId why) { axle::unify(checked_.solver, a, b, why); });
}

bool GraphTyper::equate(Dim a, Dim b, Span at, std::string subject) {
  return ask(at, std::move(subject),
             [&](ReasonId why) { unifyDim(checked_.solver, ShapePart::of(a), ShapePart::of(b), why); });
}

bool GraphTyper::demand(const DimFact& fact, Span at, std::string subject) {
  return ask(at, std::move(subject), [&](ReasonId why) { requireFact(checked_.solver, fact, why); });
}

}  // namespace axle
