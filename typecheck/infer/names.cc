// Infers names: values in scope, static parameters, sizes, members of modules, operators without arguments.
#include <memory>

#include <fmt/format.h>

#include "typecheck/infer/calls.h"
#include "typecheck/infer/expressions.h"
#include "typecheck/infer/hidden_values.h"
#include "typecheck/infer/operators.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/infer/unknown_names.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace {

constexpr Message<arg::Name> lengthAsValue{codes::raggedMismatch, "{} is no number: it is a length for each element",
                                           "used as a value here"};
constexpr Message<arg::Name> streamAsValue{codes::streamMismatch, "{} is no number: it is a streamed dimension",
                                           "used as a value here"};
constexpr Message<arg::Name> staticAsTensor{codes::notStatic, "the static parameter {} is no tensor",
                                            "only a number or a bool can be used as a value"};

}  // namespace

TypedId inferReference(Inference& in, BindingId binding, Span span) {
  TypedRef ref;
  ref.binding = binding;
  TypeId type = in.program[binding].type;
  if (in.checked.failed.count(binding.index)) return errorExpr(in, span);
  if (const Scheme* scheme = schemeOf(in.checked, binding)) {
    const ReasonId use =
        addReason(in.provenance, ReasonKind::call, span, fmt::format("`{}`", in.program[binding].name));
    auto instantiation = std::make_shared<Instantiation>(instantiate(in.checked, *scheme, use));
    type = instantiatedType(in.checked, type, *instantiation, use);
    ref.instantiation = std::move(instantiation);
  }
  return addExpr(in.program, type, span, std::move(ref));
}

namespace {

TypedId inferSize(Inference& in, Dim size, Span span) {
  const TypeId type = tensorType(in.solution, ElemTerm::of(Elem::i64), {}, originAt(in.provenance, span));
  return addExpr(in.program, type, span, TypedDim{size});
}

// Infers a dimension as a scalar; a ragged length and a streamed dimension are not single numbers.
TypedId inferDimName(Inference& in, Dim dim, Span span) {
  const DimKind kind = in.solution.kindOf(dim);
  if (kind != DimKind::ragged && kind != DimKind::streamed) return inferSize(in, dim, span);
  const arg::Name name{in.solution.printSize(dim)};
  if (kind == DimKind::ragged)
    report(in, lengthAsValue, span, name).addHelp("inside a `map` over the dimensions before it, it is a number");
  else
    report(in, streamAsValue, span, name).addHelp("a stream has no size; count its frames with `loop`");
  return errorExpr(in, span);
}

TypedId inferStaticName(Inference& in, const std::string& name, StaticId value, Span span) {
  const StaticTerm& term = termOf(in.solution, value);
  if (term.kind == StaticKind::dim) return inferSize(in, term.dim, span);
  const StaticKind kind = term.kind == StaticKind::var ? in.solution.staticVars[term.var.index].scalar : term.kind;
  if (kind == StaticKind::real || kind == StaticKind::boolean) {  // its value, where calls are followed
    const ElemTerm elem = kind == StaticKind::boolean ? ElemTerm::of(Elem::boolean)
                                                      : ElemTerm::of(freshElem(in.solver, "", ElemClass::floating));
    const TypeId type = tensorType(in.solution, elem, {}, originAt(in.provenance, span));
    return addExpr(in.program, type, span, TypedStatic{value});
  }
  report(in, staticAsTensor, span, arg::Name{name});
  return errorExpr(in, span);
}

}  // namespace

TypedId inferName(Inference& in, Span span, const ast::ExprName& expr, std::optional<TypeId> expected) {
  const std::string& name = expr.name;
  if (const FollowedFunction* fn = followedFunction(in, name); fn && !fn->scopes.empty())
    return inferFollowedValue(in, span, *fn, expected);
  for (auto it = in.scopes.rbegin(); it != in.scopes.rend(); ++it) {
    const Scope& scope = **it;
    if (auto value = scope.values.find(name); value != scope.values.end())
      return inferReference(in, value->second, span);
    if (auto given = scope.statics.find(name); given != scope.statics.end())
      return inferStaticName(in, name, given->second, span);
    if (auto dim = scope.names.dims.find(name); dim != scope.names.dims.end()) {
      rememberHiddenValue(in, name, span);
      return inferDimName(in, in.solution.dims.variable(dim->second), span);
    }
  }
  if (auto dot = name.find('.'); dot != std::string::npos) {
    const auto& imports = in.checked.modules.imports[in.current];
    if (auto import = imports.find(name.substr(0, dot)); import != imports.end()) {
      const Scope& other = in.checked.moduleScopes[import->second];
      if (auto value = other.values.find(name.substr(dot + 1)); value != other.values.end())
        return inferReference(in, value->second, span);
    }
  }
  if (auto op = findOperator(in, name, 0)) return inferOperatorValue(in, *op, span, 0);
  return inferUnknownName(in, span, name);
}

}  // namespace axle
