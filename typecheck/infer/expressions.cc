#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/infer/foreign_names.h"
#include "typecheck/infer/infer.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"
#include "typecheck/types/overloaded.h"

namespace axle {

TypedId Inferer::make(TypeId type, Span span, decltype(TypedExpr::node) node) {
  c_.program.exprs.push_back({type, span, std::move(node)});
  return TypedId{static_cast<std::uint32_t>(c_.program.exprs.size() - 1)};
}

TypeId Inferer::errorType() { return c_.solution.types.add(TypeTerm{}); }

TypedId Inferer::errorAt(Span span) {
  bindingFailed_ = true;
  return make(errorType(), span, TypedLiteral{});
}

bool Inferer::isError(TypedId id) {
  return c_.solution.types[c_.solution.resolve(c_.program[id].type)].kind == TypeKind::error;
}

TypeId Inferer::tensor(ElemTerm elem, Shape shape, OriginId origin) {
  TypeTerm term;
  term.kind = TypeKind::tensor;
  term.elem = elem;
  term.shape = std::move(shape);
  term.origin = origin;
  return c_.solution.types.add(std::move(term));
}

// The type with `origin` wherever its parts come from nowhere yet.
TypeId Inferer::stamped(TypeId type, OriginId origin) {
  TypeTerm term = c_.solution.types[type];
  if (term.kind == TypeKind::var || term.kind == TypeKind::error) return type;
  if (!term.origin.index) term.origin = origin;
  for (ShapePart& part : term.shape)
    if (!part.origin.index) part.origin = origin;
  if (term.kind == TypeKind::tuple)
    for (TypeId& part : term.parts) part = stamped(part, origin);
  return c_.solution.types.add(std::move(term));
}

OriginId Inferer::originAt(Span span) {
  Origin origin;
  origin.span = span;
  return c_.provenance.add(std::move(origin));
}

ReasonId Inferer::reason(ReasonKind kind, Span span, std::string subject) {
  Reason r;
  r.kind = kind;
  r.span = span;
  r.subject = std::move(subject);
  return c_.provenance.add(std::move(r));
}

Given Inferer::asGiven(TypedId argument) const {
  const TypedExpr& expr = c_.program[argument];
  const auto* name = c_.isGraph ? nullptr : std::get_if<TypedRef>(&expr.node);
  return {expr.type, name ? c_.program[name->binding].name : std::string()};
}

std::vector<Scope*> Inferer::annotationScopes() { return scopes_; }

Diagnostic& Inferer::report(const DiagnosticCode& code, Span span, std::string message, std::string label) {
  bindingFailed_ = true;
  if (errors_++ >= maxErrors) return unread_ = {};
  Diagnostic d;
  d.code = &code;
  d.message = std::move(message);
  d.primary = {span, std::move(label)};
  diagnostics_.push_back(std::move(d));
  return diagnostics_.back();
}

bool Inferer::flush() {
  c_.solution.restartSteps();
  solve(c_.solver);
  if (c_.solver.conflicts.empty()) return false;
  bindingFailed_ = true;
  if (!conflicted_ && errors_++ < maxErrors) diagnostics_.push_back(explain(c_, c_.solver.conflicts.front()));
  conflicted_ = true;
  c_.solver.conflicts.clear();
  return true;
}

bool Inferer::checkLengths(TypeId result, ReasonId why) {
  if (auto length = findMisplacedLength(c_.solver, result)) {
    Conflict conflict;
    conflict.kind = ConflictKind::ragged;
    conflict.reason = why;
    conflict.left = c_.solution.printSize(*length);
    for (DimVar v : c_.solution.dims.variables(*length))
      conflict.origins.push_back(c_.solution.dimVars[v.index].origin);
    c_.solver.conflicts.push_back(std::move(conflict));
  }
  return !flush();
}

// The parser caps how deeply expressions nest, so this recursion is bounded.
TypedId Inferer::infer(ast::ExprId id) { return inferWith(id, std::nullopt); }

TypedId Inferer::inferWith(ast::ExprId id, std::optional<TypeId> expected) {
  const ast::Expr& e = module()[id];
  return std::visit(
      Overloaded{
          [&](const ast::ExprName& name) { return inferName(id, name); },
          [&](const ast::ExprNumber& number) { return inferNumber(e.span, number, false); },
          [&](const ast::ExprBool& b) {
            LiteralValue value;
            value.isBool = true;
            value.boolean = b.value;
            OriginId origin = originAt(e.span);
            Shape shape{ShapePart::of(freshShape(c_.solver, "s", true), origin)};
            return make(tensor(ElemTerm::of(Elem::boolean), std::move(shape), origin), e.span, TypedLiteral{value});
          },
          [&](const ast::ExprString&) {
            report(codes::notStatic, e.span, "a string is no tensor", "strings stand only as named arguments");
            return errorAt(e.span);
          },
          [&](const ast::ExprList&) {
            Diagnostic& d =
                report(codes::notStatic, e.span, "a list is no tensor", "lists stand only as static arguments");
            if (auto call = callAt(module(), c_.sources, e.span))
              if (const ForeignName* use = foreignUse(call->callee)) tellForeign(d, call->span, *use, call->call, {});
            return errorAt(e.span);
          },
          [&](const ast::ExprHole&) {
            report(codes::notStatic, e.span, "`_` is no value",
                   "a hole stands only in types and in the list of a `reshape`");
            return errorAt(e.span);
          },
          [&](const ast::ExprSection& section) {
            auto op = coreOperator(std::string(ast::spelling(section.op)), 2);
            return op ? operatorValue(*op, e.span, 2) : errorAt(e.span);
          },
          [&](const ast::ExprUnary& unary) {
            auto op = coreOperator(std::string(ast::spelling(unary.op)), 1);
            return op ? applyOperator({*op, e.span, {unary.operand}, {}, {}, {}}) : errorAt(e.span);
          },
          [&](const ast::ExprBinary& binary) {
            auto op = coreOperator(std::string(ast::spelling(binary.op)), 2);
            return op ? applyOperator({*op, e.span, {binary.left, binary.right}, {}, {}, {}}) : errorAt(e.span);
          },
          [&](const ast::ExprCall& call) { return inferCall(e.span, call); },
          [&](const ast::ExprIndex& index) { return inferIndex(e.span, index); },
          [&](const ast::ExprTuple& tuple) { return inferTuple(e.span, tuple); },
          [&](const ast::ExprGroup& group) { return inferWith(group.inner, expected); },
          [&](const ast::ExprBlock& block) { return inferBlock(e.span, block); },
          [&](const ast::ExprFn& fn) { return inferFunction(e.span, fn, expected, nullptr); },
          [&](const ast::ExprIf& branch) { return inferIf(e.span, branch); },
          [&](const ast::ExprMatch& match) { return inferMatch(e.span, match); },
          [&](const ast::ExprError&) { return errorAt(e.span); },
      },
      e.node);
}

TypedId Inferer::inferNumber(Span span, const ast::ExprNumber& number, bool scalar) {
  LiteralValue value;
  value.form = number.form;
  value.negative = number.negative;
  value.integer = number.integer;
  value.real = number.real;
  OriginId origin = originAt(span);
  ElemTerm elem;
  if (number.suffix) {
    elem = ElemTerm::of(*number.suffix);
  } else {
    ElemVar v = freshElem(c_.solver, "", number.isFloat ? ElemClass::floating : ElemClass::num);
    c_.solution.elemVars[v.index].origin = origin;
    elem = ElemTerm::of(v);
  }
  Shape shape;
  if (!scalar) shape.push_back(ShapePart::of(freshShape(c_.solver, "s", true), origin));
  literals_.push_back(make(tensor(elem, std::move(shape), origin), span, TypedLiteral{value}));
  return literals_.back();
}

TypedId Inferer::reference(BindingId binding, Span span) {
  TypedRef ref;
  ref.binding = binding;
  TypeId type = c_.program[binding].type;
  if (c_.failed.count(binding.index)) return errorAt(span);
  auto scheme = c_.schemes.find(binding.index);
  if (scheme != c_.schemes.end()) {
    ReasonId use = reason(ReasonKind::call, span, fmt::format("`{}`", c_.program[binding].name));
    auto instantiation = std::make_shared<Instantiation>(instantiate(c_, scheme->second, use));
    Substitution with = asSubstitution(*instantiation);
    type = c_.solution.resolve(type, &with);
    ref.instantiation = std::move(instantiation);
  }
  return make(type, span, std::move(ref));
}

// A dimension as a scalar. One that is a length of each element, or arrives over time, is no single number.
TypedId Inferer::dimValue(Dim dim, Span span) {
  DimKind kind = c_.solution.kindOf(dim);
  if (kind == DimKind::ragged || kind == DimKind::streamed) {
    bool ragged = kind == DimKind::ragged;
    Diagnostic& d = report(ragged ? codes::raggedMismatch : codes::streamMismatch, span,
                           fmt::format("`{}` is no number: it is {}", c_.solution.printSize(dim),
                                       ragged ? "a length for each element" : "a streamed dimension"),
                           "used as a value here");
    d.help.push_back(ragged ? "inside of a `map` over the dimensions before it, it is one"
                            : "a stream has no size; count its frames with `loop`");
    return errorAt(span);
  }
  return make(tensor(ElemTerm::of(Elem::i64), {}, originAt(span)), span, TypedDim{dim});
}

TypedId Inferer::inferName(ast::ExprId id, const ast::ExprName& name) {
  Span span = module()[id].span;
  for (auto it = scopes_.rbegin(); it != scopes_.rend(); ++it) {
    if (auto value = (*it)->values.find(name.name); value != (*it)->values.end()) return reference(value->second, span);
    if (auto given = (*it)->statics.find(name.name); given != (*it)->statics.end()) {
      const StaticTerm& term = c_.solution.types[c_.solution.resolve(given->second)];
      if (term.kind == StaticKind::dim)
        return make(tensor(ElemTerm::of(Elem::i64), {}, originAt(span)), span, TypedDim{term.dim});
      if (term.kind == StaticKind::var && c_.solution.staticVars[term.var.index].isReal) {
        ElemTerm elem = ElemTerm::of(freshElem(c_.solver, "", ElemClass::floating));
        return make(tensor(elem, {}, originAt(span)), span, TypedStatic{given->second});
      }
      report(codes::notStatic, span, fmt::format("the static parameter `{}` is no tensor", name.name),
             "only a number can be used as a value");
      return errorAt(span);
    }
    if (auto dim = (*it)->names.dims.find(name.name); dim != (*it)->names.dims.end())
      return dimValue(c_.solution.dims.variable(dim->second), span);
  }
  if (auto dot = name.name.find('.'); dot != std::string::npos) {
    const auto& imports = c_.modules.imports[current_];
    if (auto import = imports.find(name.name.substr(0, dot)); import != imports.end()) {
      std::string member = name.name.substr(dot + 1);
      const Scope& other = c_.moduleScopes[import->second];
      if (auto value = other.values.find(member); value != other.values.end()) return reference(value->second, span);
    }
  }
  if (auto op = coreOperator(name.name, 0)) return operatorValue(*op, span, 0);
  return unknownName(span, name.name);
}

TypedId Inferer::inferTuple(Span span, const ast::ExprTuple& tuple) {
  TypeTerm term;
  term.kind = TypeKind::tuple;
  term.origin = originAt(span);
  TypedTuple typed;
  for (ast::ExprId part : tuple.parts) {
    typed.parts.push_back(infer(part));
    term.parts.push_back(c_.program[typed.parts.back()].type);
  }
  return make(c_.solution.types.add(std::move(term)), span, std::move(typed));
}

TypedId Inferer::inferBlock(Span span, const ast::ExprBlock& block) {
  ownedScopes_.emplace_back();
  scopes_.push_back(&ownedScopes_.back());
  TypedBlock typed;
  for (std::uint32_t binding : block.bindings) {
    std::uint32_t let = inferBinding(binding);
    typed.lets.push_back(let);
  }
  typed.result = block.result ? infer(block.result) : errorAt(span);
  scopes_.pop_back();
  TypeId type = c_.program[typed.result].type;
  return make(type, span, std::move(typed));
}

TypedId Inferer::inferIf(Span span, const ast::ExprIf& branch) {
  TypedId condition = infer(branch.condition);
  ReasonId asked = reason(ReasonKind::condition, module()[branch.condition].span, "`if`");
  unify(c_.solver, tensor(ElemTerm::of(Elem::boolean), {}, {}), c_.program[condition].type, asked);
  bool failed = flush();
  TypedId then = infer(branch.thenBlock), otherwise = infer(branch.elseBlock);
  auto value = [&](ast::ExprId block) {
    const auto* b = std::get_if<ast::ExprBlock>(&module()[block].node);
    return b && b->result ? module()[b->result].span : module()[block].span;
  };
  ReasonId joined = reason(ReasonKind::branches, value(branch.elseBlock), "`if`");
  c_.provenance[joined].also = {{value(branch.thenBlock), "the other branch"}};
  c_.provenance[joined].given = {{c_.program[then].type}, {c_.program[otherwise].type}};
  TypeId thenType = stamped(c_.program[then].type, originAt(value(branch.thenBlock)));
  unify(c_.solver, thenType, c_.program[otherwise].type, joined);
  failed |= flush();
  return failed ? errorAt(span) : make(thenType, span, TypedIf{condition, then, otherwise});
}

TypedId Inferer::inferMatch(Span span, const ast::ExprMatch& match) {
  TypedId scrutinee = infer(match.scrutinee);
  ownedScopes_.emplace_back();
  scopes_.push_back(&ownedScopes_.back());
  std::size_t made = c_.solution.dimVars.size();
  TypeReader reader(c_, module(), annotationScopes(), diagnostics_);
  reader.setMatch();
  TypeId type = reader.type(match.type);
  ReasonId asked = reason(ReasonKind::match, module()[match.type].span, "`match`");
  if (!reader.failed()) unify(c_.solver, type, c_.program[scrutinee].type, asked);
  bool failed = flush() || reader.failed();
  if (!failed && hasRuntimeRank(c_.solver, c_.program[scrutinee].type))
    makeRuntimeSizes(c_.solver, type, made, originAt(module()[match.type].span), "`match`");
  BindingId named;
  ast::ExprId given = match.scrutinee;
  while (auto* group = std::get_if<ast::ExprGroup>(&module()[given].node)) given = group->inner;
  if (auto* name = std::get_if<ast::ExprName>(&module()[given].node);
      name && !failed && std::holds_alternative<TypedRef>(c_.program[scrutinee].node)) {
    named = declare(name->name, module()[given].span, BindingKind::value, type);
    c_.program.bindings[named.index].value = scrutinee;
    scopes_.back()->values[name->name] = named;
  }
  TypedId body = infer(match.body);
  scopes_.pop_back();
  return failed ? errorAt(span) : make(c_.program[body].type, span, TypedMatch{scrutinee, type, named, body});
}

// An operator as a function value: a lambda over its parameters, attributes at their defaults.
TypedId Inferer::operatorValue(std::uint32_t op, Span span, std::size_t arity) {
  const ast::OpDecl& decl = *c_.operators[op].decl;
  if (!arity) arity = decl.parameters.size();
  SignatureUse signature;
  signature.packSize = 1;
  Scope scope;
  ReasonId why = reason(ReasonKind::application, span, fmt::format("`{}`", c_.operators[op].name));
  TypeReader reader(c_, *c_.operators[op].module, {&scope}, diagnostics_, &signature, why);
  OperatorUse use{op, span, {}, {}, {}, {}};
  for (const ast::OpParameter& parameter : decl.parameters)
    if (!parameter.type) {
      report(codes::notStatic, span,
             fmt::format("`{}` as a value lacks its static argument `{}`", c_.operators[op].name, parameter.name),
             "wrap it in a function: `fn (x) { ... }`");
      return errorAt(span);
    }
  TypedLambda lambda;
  TypeTerm function;
  function.kind = TypeKind::function;
  function.origin = originAt(span);
  TypedApply apply;
  apply.op = op;
  if (!readAttributes(use, decl, signature, reader, why)) return errorAt(span);
  std::size_t made = c_.solution.dimVars.size();
  for (std::size_t i = 0; i < arity; ++i) {
    reader.setUniversal(true);
    TypeId type = reader.type(decl.parameters[i].type);
    reader.setUniversal(false);
    function.parts.push_back(type);
    BindingId parameter = declare("", span, BindingKind::parameter, type);
    lambda.parameters.push_back(parameter);
    apply.arguments.push_back(make(type, span, TypedRef{parameter, nullptr}));
  }
  for (const ast::OpAttribute& attribute : decl.attributes)
    apply.attributes.push_back(signature.attributes[attribute.name.text]);
  demandSignature(decl, signature, reader, why);
  settleElementShapes(c_.solver);
  function.result = reader.type(decl.result);
  if (reader.failed() || flush()) return errorAt(span);
  closeRuntimeSizes(c_.solver, function.result, made);
  lambda.body = make(function.result, span, std::move(apply));
  TypeId type = c_.solution.types.add(std::move(function));
  return make(type, span, std::move(lambda));
}

}  // namespace axle
