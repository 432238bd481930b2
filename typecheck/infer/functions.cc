#include "typecheck/infer/functions.h"

#include <algorithm>
#include <map>

#include "typecheck/infer/bindings.h"
#include "typecheck/infer/expressions.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/infer/type_reader.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

constexpr Message<arg::Name> parameterTwice{codes::duplicateName, "parameter {} is declared twice", "again here"};

// Checks that the parameter names of a signature differ.
class DistinctNames {
 public:
  explicit DistinctNames(Inference& in) : in_(in) {}
  // Reports a name that is taken.
  void add(const ast::Name& name) {
    reportModuleMember(in_, name.text, name.span);
    auto [first, isNew] = seen_.try_emplace(name.text, name.span);
    if (isNew || name.text == "_") return;
    report(in_, parameterTwice, name.span, arg::Name{name.text}).addLabel(first->second, "first here");
  }

 private:
  Inference& in_;
  std::map<std::string, Span> seen_;
};

// Requires that a static parameter whose default is a decimal number or a bool is given one.
void requireScalar(Inference& in, const ast::StaticParameter& parameter, StaticId value, StaticKind kind) {
  ast::OpAttribute scalar{};
  scalar.name = parameter.name;
  scalar.sort = kind == StaticKind::real ? ast::Sort::real : ast::Sort::boolean;
  in.checked.scalars.push_back(std::move(scalar));
  const ReasonId why = addReason(in.provenance, ReasonKind::application, parameter.span, "a static parameter");
  addConstraint(in.solver, why, constraint::AttributeForm{value, &in.checked.scalars.back()});
}

// Makes the variable of a static parameter inside the function; it has the form of the default value.
StaticId staticParameter(Inference& in, const ast::StaticParameter& parameter, StaticId defaultValue) {
  const StaticKind kind = in.solution.types[defaultValue].kind;
  const std::string& name = parameter.name.text;
  StaticTerm term;
  if (kind == StaticKind::dim) {
    term.kind = StaticKind::dim;
    term.dim = freshInteger(in.solver, name);
    in.solution.dimVars.edit(in.solution.dims.asVariable(term.dim)->index).named = true;
    return in.solution.types.add(std::move(term));
  }
  term.kind = StaticKind::var;
  term.var = freshStatic(in.solver, name);
  const bool isScalar = kind == StaticKind::real || kind == StaticKind::boolean;
  if (isScalar) in.solution.staticVars.edit(term.var.index).scalar = kind;
  const StaticId value = in.solution.types.add(std::move(term));
  if (isScalar) requireScalar(in, parameter, value, kind);
  return value;
}

// Whether a static value mentions names, which may be those of sizes in the parameters' types.
bool mentionsNames(const ast::Module& module, ast::ExprId id) {
  auto mentions = [&](ast::ExprId part) { return mentionsNames(module, part); };
  const auto& node = module[id].node;
  if (const auto* list = std::get_if<ast::ExprList>(&node))
    return std::any_of(list->items.begin(), list->items.end(), mentions);
  if (const auto* unary = std::get_if<ast::ExprUnary>(&node)) return mentions(unary->operand);
  return !std::holds_alternative<ast::ExprNumber>(node) && !std::holds_alternative<ast::ExprString>(node) &&
         !std::holds_alternative<ast::ExprBool>(node) && !std::holds_alternative<ast::ExprHole>(node);
}

void declareStatic(Inference& in, const ast::StaticParameter& parameter, Scope& scope, TypeTerm& function) {
  const std::string& name = parameter.name.text;
  if (auto value = readStatic(in, parameter.defaultValue)) {
    scope.statics[name] = staticParameter(in, parameter, *value);
    scope.defaults[name] = *value;
    function.statics.push_back({name, scope.statics[name], *value});
  } else {
    scope.values[name] = declare(in.program, name, parameter.span, BindingKind::parameter, errorType(in.solution));
  }
}

// Declares parameters and static parameters. Types may mention static parameters, and defaults may mention sizes of the
// parameters' types: a static parameter whose default mentions no names is declared when a type first names it, the
// others after the parameters.
void declareParameters(Inference& in, const ast::ExprFn& fn, TypeReader& reader, Scope& scope, TypedLambda& lambda,
                       TypeTerm& function) {
  DistinctNames names(in);
  for (const ast::Parameter& parameter : fn.parameters) names.add(parameter.name);
  for (const ast::StaticParameter& parameter : fn.statics) names.add(parameter.name);
  std::vector<bool> isDeclared(fn.statics.size(), false);
  auto declareAt = [&](std::size_t i) {
    if (!isDeclared[i]) declareStatic(in, fn.statics[i], scope, function);
    isDeclared[i] = true;
  };
  reader.onName = [&](const std::string& name) {
    for (std::size_t i = 0; i < fn.statics.size(); ++i)
      if (fn.statics[i].name.text == name && !mentionsNames(in.module(), fn.statics[i].defaultValue)) declareAt(i);
  };
  for (const ast::Parameter& parameter : fn.parameters) {
    const TypeId type = parameter.type ? readType(reader, parameter.type) : freshType(in.solver);
    function.parts.push_back(type);
    const BindingId id = declare(in.program, parameter.name.text, parameter.span, BindingKind::parameter, type);
    lambda.parameters.push_back(id);
    scope.values[parameter.name.text] = id;
  }
  reader.onName = nullptr;
  for (std::size_t i = 0; i < fn.statics.size(); ++i) declareAt(i);
  auto placeOf = [&](const StaticField& field) {
    return std::ranges::find(fn.statics, field.name, [](const auto& parameter) { return parameter.name.text; });
  };
  std::ranges::stable_sort(function.statics, {}, placeOf);
}

// Gives the parameters the types that the function's context expects.
void applyExpected(Inference& in, const ast::ExprFn& fn, TypeId expected, const TypeTerm& function) {
  const TypeTerm want = termOf(in.solution, expected);
  if (want.kind == TypeKind::function && want.parts.size() == function.parts.size())
    for (std::size_t i = 0; i < want.parts.size(); ++i)
      unify(in.solver, want.parts[i], function.parts[i],
            addReason(in.provenance, ReasonKind::annotation, fn.parameters[i].span, "the function"));
  reportConflicts(in);
}

void requireStated(Inference& in, const DimFact& fact, const char* subject) {
  requireFact(in.solver, fact, addReason(in.provenance, ReasonKind::where, fact.places.front(), subject));
}

// Assumes the facts of `where` inside the function; reports one that cannot hold.
void assumeStated(Inference& in, const std::vector<DimFact>& stated) {
  for (const DimFact& fact : stated) {
    if (decideFact(in.solver, fact) != FactVerdict::refuted) {
      in.solver.assumptions.push_back(fact);
    } else {
      requireStated(in, fact, "");
      reportConflicts(in);
    }
  }
}

// Reports run-time sizes made since `made` that would become sizes of a parameter.
void checkParametersKeepSizes(Inference& in, const ast::ExprFn& fn, const TypeTerm& function, std::size_t made) {
  if (reportConflicts(in)) return;
  for (std::size_t i = 0; i < function.parts.size(); ++i)
    if (!checkEscape(in.solver, function.parts[i], made, fn.parameters[i].name.text)) break;
  reportConflicts(in);
}

Scope& enterScope(Inference& in) {
  in.scopes.push_back(&in.ownedScopes.emplace_back());
  return *in.scopes.back();
}

// A function literal with declared parameters, in its own scope.
struct OpenFunction {
  OpenFunction(Inference& in, const ast::ExprFn& literal)
      : fn(literal), scope(enterScope(in)), reader(in.checked, in.module(), in.scopes, in.diagnostics) {}
  OpenFunction(const OpenFunction&) = delete;

  const ast::ExprFn& fn;
  Scope& scope;
  TypeReader reader;
  TypedLambda lambda;
  TypeTerm function;
  std::size_t parameterNames = 0;  // number of names in its signature that occur in the parameters' types
  std::optional<TypeId> result;
  std::vector<DimFact> stated;
};

void readSignature(Inference& in, OpenFunction& open, bool isUniversal) {
  open.function.kind = TypeKind::function;
  open.function.origin = originAt(in.provenance, open.fn.signature);
  open.reader.isUniversal = isUniversal;
  declareParameters(in, open.fn, open.reader, open.scope, open.lambda, open.function);
  open.reader.isUniversal = false;
  open.parameterNames = open.scope.names.written.size();
  if (open.fn.resultType) open.result = readType(open.reader, open.fn.resultType);
  for (const ast::Fact& fact : open.fn.where) readFact(open.reader, fact, open.stated);
  if (open.reader.failed) acceptReaderError(in);
}

// Adds the names of static parameters that are numbers: the function may give them a value, too.
void addStaticNames(const Inference& in, const OpenFunction& open, std::vector<WrittenName>& written) {
  for (const ast::StaticParameter& parameter : open.fn.statics) {
    const auto named = open.scope.statics.find(parameter.name.text);
    if (named == open.scope.statics.end()) continue;
    const StaticTerm& term = in.solution.types[named->second];
    if (term.kind == StaticKind::dim) written.push_back({parameter.name.span, ShapePart::of(term.dim)});
  }
}

void inferBody(Inference& in, OpenFunction& open) {
  open.lambda.body = inferExpr(in, open.fn.body);
  open.function.result = in.program[open.lambda.body].type;
  if (!open.result) return;
  const ReasonId promised =
      addReason(in.provenance, ReasonKind::result, in.module()[open.fn.resultType].span, "the result");
  const OriginId body = originAt(in.provenance, in.program[open.lambda.body].span);
  unify(in.solver, *open.result, withOrigin(in.solution, open.function.result, body), promised);
  open.function.result = *open.result;
}

}  // namespace

TypedId inferFunction(Inference& in, Span span, const ast::ExprFn& fn, std::optional<TypeId> expected,
                      FunctionDefinition* defined) {
  const std::size_t made = in.solution.dimVars.size();
  OpenFunction open(in, fn);
  readSignature(in, open, defined != nullptr);
  if (expected) applyExpected(in, fn, *expected, open.function);

  const std::size_t assumed = in.solver.assumptions.size();
  if (!open.stated.empty()) solve(in.solver);  // determines sizes of shapes, which the facts may mention
  assumeStated(in, open.stated);
  inferBody(in, open);
  checkParametersKeepSizes(in, fn, open.function, made);
  if (!defined) closeRuntimeSizes(in.solver, open.function.result, made);
  in.scopes.pop_back();
  if (open.reader.failed || !defined) in.solver.assumptions.resize(assumed);
  if (open.reader.failed) return errorExpr(in, span);
  if (defined) {
    defined->stated = open.stated;
    defined->written = open.scope.names.written;
    addStaticNames(in, open, defined->written);
    defined->parameterNames = open.parameterNames;
  } else {
    for (const DimFact& fact : open.stated) requireStated(in, fact, "the function");
    reportConflicts(in);
  }
  const TypeId type = in.solution.types.add(std::move(open.function));
  const TypedId out = addExpr(in.program, type, span, std::move(open.lambda));
  in.checked.written[out.index] = open.scope.names.written;
  return out;
}

TypedId inferFunctionOnce(Inference& in, Span span, const ast::ExprFn& fn, ReasonId use, const GiveParameters& give) {
  OpenFunction open(in, fn);
  readSignature(in, open, false);
  bool failed = open.reader.failed || !give(open.function, open.scope);
  if (!failed && !open.stated.empty()) {
    for (const DimFact& fact : open.stated) {
      const ReasonId why = addReason(in.provenance, ReasonKind::where, fact.places.front(), in.provenance[use].subject);
      if (use.index) in.provenance.edit(why).within = use;
      requireFact(in.solver, fact, why);
    }
    failed = reportConflicts(in);
  }
  const std::size_t assumed = in.solver.assumptions.size();
  in.solver.assumptions.insert(in.solver.assumptions.end(), open.stated.begin(), open.stated.end());
  if (!failed) inferBody(in, open);
  failed |= reportConflicts(in);
  in.solver.assumptions.resize(assumed);
  in.scopes.pop_back();
  if (failed) return errorExpr(in, span);
  const TypeId type = in.solution.types.add(std::move(open.function));
  return addExpr(in.program, type, span, std::move(open.lambda));
}

}  // namespace axle
