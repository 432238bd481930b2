#include "typecheck/infer/expressions.h"

#include "typecheck/infer/bindings.h"
#include "typecheck/infer/calls.h"
#include "typecheck/infer/functions.h"
#include "typecheck/infer/indexing.h"
#include "typecheck/infer/operators.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/infer/type_reader.h"
#include "typecheck/infer/unknown_names.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

TypedId inferNumber(Inference& in, Span span, const ast::ExprNumber& number, bool isScalar) {
  LiteralValue value;
  value.form = number.form;
  value.negative = number.negative;
  value.integer = number.integer;
  value.real = number.real;
  const OriginId origin = originAt(in.provenance, span);
  ElemTerm elem;
  if (number.suffix) {
    elem = ElemTerm::of(*number.suffix);
  } else {
    const ElemVar v = freshElem(in.solver, "", number.isFloat ? ElemClass::floating : ElemClass::num);
    in.solution.elemVars.edit(v.index).origin = origin;
    elem = ElemTerm::of(v);
  }
  Shape shape;
  if (!isScalar) shape.push_back(ShapePart::of(freshShape(in.solver, "s", true), origin));
  const TypeId type = tensorType(in.solution, elem, std::move(shape), origin);
  in.deferred.literals.push_back(addExpr(in.program, type, span, TypedLiteral{value}));
  return in.deferred.literals.back();
}

namespace {

constexpr Message<> stringAsTensor{codes::notStatic, "a string is no tensor", "strings stand only as named arguments"};
constexpr Message<> listAsTensor{codes::notStatic, "a list is no tensor", "lists stand only as static arguments"};
constexpr Message<> holeAsValue{codes::notStatic, "`_` is no value",
                                "a hole stands only in types and in the list of a `reshape`"};

using Expected = std::optional<TypeId>;

TypedId inferNode(Inference& in, const ast::ExprName& name, Span span, Expected expected) {
  return inferName(in, span, name, expected);
}

TypedId inferNode(Inference& in, const ast::ExprNumber& number, Span span, Expected) {
  return inferNumber(in, span, number, false);
}

TypedId inferNode(Inference& in, const ast::ExprBool& literal, Span span, Expected) {
  LiteralValue value;
  value.isBool = true;
  value.boolean = literal.value;
  const OriginId origin = originAt(in.provenance, span);
  Shape shape{ShapePart::of(freshShape(in.solver, "s", true), origin)};
  const TypeId type = tensorType(in.solution, ElemTerm::of(Elem::boolean), std::move(shape), origin);
  return addExpr(in.program, type, span, TypedLiteral{value});
}

TypedId inferNode(Inference& in, const ast::ExprString&, Span span, Expected) {
  report(in, stringAsTensor, span);
  return errorExpr(in, span);
}

TypedId inferNode(Inference& in, const ast::ExprList&, Span span, Expected) {
  Diagnostic& d = report(in, listAsTensor, span);
  if (auto call = callAt(in.module(), in.checked.sources, span))
    if (const ForeignName* use = foreignUse(call->callee)) suggestForeign(in, d, call->span, *use, call->call, {});
  return errorExpr(in, span);
}

TypedId inferNode(Inference& in, const ast::ExprHole&, Span span, Expected) {
  report(in, holeAsValue, span);
  return errorExpr(in, span);
}

TypedId inferNode(Inference& in, const ast::ExprSection& section, Span span, Expected) {
  const auto op = findOperator(in, std::string(ast::spelling(section.op)), 2);
  return op ? inferOperatorValue(in, *op, span, 2) : errorExpr(in, span);
}

TypedId inferNode(Inference& in, const ast::ExprUnary& unary, Span span, Expected) {
  const auto op = findOperator(in, std::string(ast::spelling(unary.op)), 1);
  return op ? applyOperator(in, {*op, span, {unary.operand}, {}, {}, {}}) : errorExpr(in, span);
}

TypedId inferNode(Inference& in, const ast::ExprBinary& binary, Span span, Expected) {
  const auto op = findOperator(in, std::string(ast::spelling(binary.op)), 2);
  return op ? applyOperator(in, {*op, span, {binary.left, binary.right}, {}, {}, {}}) : errorExpr(in, span);
}

TypedId inferNode(Inference& in, const ast::ExprCall& call, Span span, Expected) { return inferCall(in, span, call); }

TypedId inferNode(Inference& in, const ast::ExprIndex& index, Span span, Expected) {
  return inferIndex(in, span, index);
}

TypedId inferNode(Inference& in, const ast::ExprTuple& tuple, Span span, Expected) {
  TypeTerm term;
  term.kind = TypeKind::tuple;
  term.origin = originAt(in.provenance, span);
  TypedTuple typed;
  for (ast::ExprId part : tuple.parts) {
    typed.parts.push_back(inferExpr(in, part));
    term.parts.push_back(in.program[typed.parts.back()].type);
  }
  return addExpr(in.program, in.solution.types.add(std::move(term)), span, std::move(typed));
}

TypedId inferNode(Inference& in, const ast::ExprGroup& group, Span, Expected expected) {
  return inferExpr(in, group.inner, expected);
}

TypedId inferNode(Inference& in, const ast::ExprBlock& block, Span span, Expected) {
  in.ownedScopes.emplace_back();
  in.scopes.push_back(&in.ownedScopes.back());
  TypedBlock typed;
  for (std::uint32_t binding : block.bindings)
    if (!followLocal(in, binding)) typed.lets.push_back(inferBinding(in, binding));
  typed.result = block.result ? inferExpr(in, block.result) : errorExpr(in, span);
  in.scopes.pop_back();
  const TypeId type = in.program[typed.result].type;
  return addExpr(in.program, type, span, std::move(typed));
}

TypedId inferNode(Inference& in, const ast::ExprFn& fn, Span span, Expected expected) {
  return inferFunction(in, span, fn, expected, nullptr);
}

// Returns the span of a block's result.
Span resultSpan(const ast::Module& module, ast::ExprId id) {
  const auto* block = std::get_if<ast::ExprBlock>(&module[id].node);
  return block && block->result ? module[block->result].span : module[id].span;
}

TypedId inferNode(Inference& in, const ast::ExprIf& branch, Span span, Expected) {
  const ast::Module& module = in.module();
  const TypedId condition = inferExpr(in, branch.condition);
  const ReasonId asked = addReason(in.provenance, ReasonKind::condition, module[branch.condition].span, "`if`");
  unify(in.solver, tensorType(in.solution, ElemTerm::of(Elem::boolean), {}, {}), in.program[condition].type, asked);
  bool failed = reportConflicts(in);
  const TypedId then = inferExpr(in, branch.thenBlock), otherwise = inferExpr(in, branch.elseBlock);
  const Span thenSpan = resultSpan(module, branch.thenBlock), elseSpan = resultSpan(module, branch.elseBlock);
  const ReasonId joined = addReason(in.provenance, ReasonKind::branches, elseSpan, "`if`");
  in.provenance.edit(joined).also = {{thenSpan, "the other branch"}};
  in.provenance.edit(joined).given = {{in.program[then].type}, {in.program[otherwise].type}};
  const TypeId type = withOrigin(in.solution, in.program[then].type, originAt(in.provenance, thenSpan));
  unify(in.solver, type, in.program[otherwise].type, joined);
  failed |= reportConflicts(in);
  return failed ? errorExpr(in, span) : addExpr(in.program, type, span, TypedIf{condition, then, otherwise});
}

TypedId inferNode(Inference& in, const ast::ExprMatch& match, Span span, Expected) {
  const ast::Module& module = in.module();
  const TypedId scrutinee = inferExpr(in, match.scrutinee);
  in.ownedScopes.emplace_back();
  in.scopes.push_back(&in.ownedScopes.back());
  const std::size_t made = in.solution.dimVars.size();
  TypeReader reader(in.checked, module, in.scopes, in.diagnostics);
  reader.isMatch = true;
  const TypeId type = readType(reader, match.type);
  const Span typeSpan = module[match.type].span;
  const ReasonId asked = addReason(in.provenance, ReasonKind::match, typeSpan, "`match`");
  if (!reader.failed) unify(in.solver, type, in.program[scrutinee].type, asked);
  const bool failed = reportConflicts(in) || reader.failed;
  if (!failed && hasRuntimeRank(in.solver, in.program[scrutinee].type))
    makeRuntimeSizes(in.solver, type, made, originAt(in.provenance, typeSpan), "`match`");
  // Inside the body, the matched name has the type of the match.
  BindingId named;
  const ast::Expr& given = module[withoutParentheses(module, match.scrutinee)];
  const auto* name = std::get_if<ast::ExprName>(&given.node);
  if (name && !failed && std::holds_alternative<TypedRef>(in.program[scrutinee].node)) {
    named = declare(in.program, name->name, given.span, BindingKind::value, type);
    in.program.bindings[named.index].value = scrutinee;
    in.scopes.back()->values[name->name] = named;
  }
  const TypedId body = inferExpr(in, match.body);
  in.scopes.pop_back();
  if (failed) return errorExpr(in, span);
  return addExpr(in.program, in.program[body].type, span, TypedMatch{scrutinee, type, named, body});
}

TypedId inferNode(Inference& in, const ast::ExprError&, Span span, Expected) { return errorExpr(in, span); }

}  // namespace

// The parser limits the nesting of expressions, and so the depth of this recursion.
TypedId inferExpr(Inference& in, ast::ExprId id, std::optional<TypeId> expected) {
  in.solution.dims.checkInterrupt();
  const ast::Expr& e = in.module()[id];
  if (in.followed && in.bindingFailed) return errorExpr(in, e.span);  // only the first failure is needed
  return std::visit([&](const auto& node) { return inferNode(in, node, e.span, expected); }, e.node);
}

}  // namespace axle
