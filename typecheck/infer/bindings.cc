#include "typecheck/infer/bindings.h"

#include <algorithm>

#include "frontend/syntax_codes.h"
#include "typecheck/infer/expressions.h"
#include "typecheck/infer/functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_facts.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {

namespace codes {
const DiagnosticCode moduleNameTaken{"E0207", Severity::error, "a name starts with a module's name"};
}

namespace {

constexpr Message<arg::Name> startsWithModule{codes::moduleNameTaken, "{} begins with the name of an imported module",
                                              "choose another first part"};
constexpr Message<arg::Name> boundTwice{codes::duplicateName, "{} is defined twice", "again here"};
constexpr Message<arg::Code> annotatedValue{codes::misplacedAnnotation, "{} before what is no function",
                                            "annotations are about functions"};

constexpr Message<arg::Name, arg::Number> negativeInside{codes::overflow, "a size of {} cannot be negative",
                                                         "the body makes it {1}"};

constexpr Message<arg::Number> negativeResult{codes::overflow, "a size of the result cannot be negative",
                                              "the body makes it {}"};

// Whether a binding of this value may be polymorphic: the value is a function literal, or a name that may be a
// function's.
bool mayBePolymorphic(const ast::Module& module, ast::ExprId value) {
  const auto& node = module[withoutParentheses(module, value)].node;
  return std::holds_alternative<ast::ExprFn>(node) || std::holds_alternative<ast::ExprName>(node) ||
         std::holds_alternative<ast::ExprSection>(node);
}

enum class Ranks : std::uint8_t { all, open };

// Returns a negative number among the sizes of a tensor, or of the parts of a tuple, of these ranks.
std::optional<std::int64_t> negativeSizeOf(Inference& in, TypeId type, Ranks ranks) {
  const TypeTerm term = termOf(in.solution, type);
  if (term.kind == TypeKind::tuple)
    for (TypeId part : term.parts)
      if (const auto size = negativeSizeOf(in, part, ranks)) return size;
  if (term.kind != TypeKind::tensor) return std::nullopt;
  const Shape shape = in.solution.resolve(term.shape);
  const bool isOpen = std::ranges::any_of(shape, [](const ShapePart& part) { return part.isVar; });
  if (ranks == Ranks::open && !isOpen) return std::nullopt;
  for (const ShapePart& part : shape) {
    const auto size = part.isVar ? std::nullopt : in.solution.dims.asConstant(in.solution.resolve(part.dim));
    if (size && *size < 0) return size;
  }
  return std::nullopt;
}

// Reports a size of a parameter or of the declared result, such as `m - 2`, that the body makes negative.
void rejectNegativeSizes(Inference& in, const ast::ExprFn& fn, const TypeTerm& function) {
  for (std::size_t i = 0; i < function.parts.size() && i < fn.parameters.size(); ++i)
    if (const auto size = negativeSizeOf(in, function.parts[i], Ranks::all)) {
      report(in, negativeInside, fn.parameters[i].span, arg::Name{fn.parameters[i].name.text}, arg::Number{*size});
      return;
    }
  // The sizes of a result of known rank are those of the body's result, which are not negative.
  const auto size = fn.resultType ? negativeSizeOf(in, function.result, Ranks::open) : std::nullopt;
  if (size) report(in, negativeResult, in.module()[fn.resultType].span, arg::Number{*size});
}

// Generalises a function; `fn` is its literal, null if the binding is another name of a function.
Scheme generaliseFunction(Inference& in, TypeId type, const ast::ExprFn* fn, const VariableMark& mark,
                          const FunctionDefinition& defined) {
  const std::vector<TypeId> parameters = termOf(in.solution, type).parts;
  settleOpenChoices(in.checked, mark, parameters);
  if (!reportConflicts(in) && fn && fn->parameters.size() == parameters.size())
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (!checkGivenType(in.solver, parameters[i], mark.dims, fn->parameters[i].name.text)) break;
  if (!reportConflicts(in)) {
    rejectRefutedFacts(in, defined.stated);
    if (fn) rejectNegativeSizes(in, *fn, termOf(in.solution, type));
  }
  Scheme scheme = generalise(in.checked, mark, defined.stated);
  closeRuntimeSizes(in.solver, termOf(in.solution, type).result, mark.dims);
  return scheme;
}

// Binds a name of a pattern. Reports a name that is taken, and returns none.
BindingId bindName(Inference& in, const std::string& name, Span span, TypeId type, TypedId value) {
  if (reportModuleMember(in, name, span)) return {};
  Scope& scope = *in.scopes.back();
  if (auto known = scope.values.find(name); known != scope.values.end()) {
    report(in, boundTwice, span, arg::Name{name})
        .addLabel(in.program[known->second].span, "first here")
        .addHelp("a name can be bound only once: give the second value another name, and use that name below");
    return {};
  }
  const BindingId binding = declare(in.program, name, span, BindingKind::value, type);
  in.program.bindings[binding.index].value = value;
  scope.values[name] = binding;
  return binding;
}

// `value` is none for parts of a tuple.
TypedPattern bindPattern(Inference& in, ast::PatternId id, TypeId type, TypedId value) {
  const ast::Pattern& pattern = in.module()[id];
  TypedPattern out;
  if (std::holds_alternative<ast::PatternWildcard>(pattern.node)) return out;
  if (auto* name = std::get_if<ast::PatternName>(&pattern.node)) {
    out.binding = bindName(in, name->name, pattern.span, type, value);
    return out;
  }
  const auto& tuple = std::get<ast::PatternTuple>(pattern.node);
  TypeTerm term;
  term.kind = TypeKind::tuple;
  term.origin = originAt(in.provenance, pattern.span);
  for (std::size_t i = 0; i < tuple.parts.size(); ++i) term.parts.push_back(freshType(in.solver));
  const std::vector<TypeId> parts = term.parts;
  const ReasonId why = addReason(in.provenance, ReasonKind::pattern, pattern.span, "the pattern");
  TypeId given = type;
  if (value) {
    const Span span = in.program[value].span;
    in.provenance.edit(why).also = {{span, "the value"}};
    given = withOrigin(in.solution, type, originAt(in.provenance, span));
  }
  unify(in.solver, in.solution.types.add(std::move(term)), given, why);
  const bool failed = reportConflicts(in);
  out.isTuple = true;
  for (std::size_t i = 0; i < tuple.parts.size(); ++i)
    out.parts.push_back(bindPattern(in, tuple.parts[i], failed ? errorType(in.solution) : parts[i], {}));
  return out;
}

void applyAnnotations(Inference& in, const ast::Binding& binding, TypeKind kind, BindingId name) {
  for (const ast::Annotation& annotation : binding.annotations) {
    if (annotation.name.text == "implements" && kind == TypeKind::function && name)
      in.program.bindings[name.index].implements = annotation.arguments.front();
    if (kind == TypeKind::tensor || kind == TypeKind::tuple)
      report(in, annotatedValue, annotation.span, arg::Code{"@" + annotation.name.text});
  }
}

}  // namespace

bool reportModuleMember(Inference& in, const std::string& name, Span span) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || in.checked.modules.imports[in.current].count(name.substr(0, dot)) == 0) return false;
  report(in, startsWithModule, span, arg::Name{name});
  return true;
}

void rejectRefutedFacts(Inference& in, const std::vector<DimFact>& stated) {
  for (const DimFact& fact : stated) {
    const bool isAsStated =
        in.solution.resolve(fact.left) == fact.left && in.solution.resolve(fact.right) == fact.right;
    if (isAsStated) continue;  // was decided before the body
    std::vector<DimFact> others = in.solver.assumptions;
    std::erase_if(others, [&](const DimFact& other) {
      return other.left == fact.left && other.relation == fact.relation && other.right == fact.right;
    });
    const AssumptionsInScope scope(in.solver, std::move(others));
    if (decideFact(in.solver, fact) != FactVerdict::refuted) continue;
    const ReasonId stated = addReason(in.provenance, ReasonKind::where, fact.places.front(), "");
    requireFact(in.solver, fact, stated);
    settleFacts(in.solver, [&](const Constraint& asked) { return asked.reason.index == stated.index; });
    if (reportConflicts(in)) return;
  }
}

bool followLocal(Inference& in, std::uint32_t index) {
  const ast::Binding& binding = in.module().bindings[index];
  const auto* name = std::get_if<ast::PatternName>(&in.module()[binding.pattern].node);
  const auto* fn = std::get_if<ast::ExprFn>(&in.module()[withoutParentheses(in.module(), binding.value)].node);
  if (!in.followed || !name || !fn) return false;
  const Span place = in.module()[binding.pattern].span;
  const BindingId id = bindName(in, name->name, place, errorType(in.solution), {});
  if (id) in.followed->functions[id.index] = {in.current, fn, in.scopes, place};
  return true;
}

std::uint32_t inferBinding(Inference& in, std::uint32_t index) {
  const ast::Binding& binding = in.module().bindings[index];
  if (in.defining.empty()) in.at = binding.span;
  const auto* name = std::get_if<ast::PatternName>(&in.module()[binding.pattern].node);
  const bool mayGeneralise = name && mayBePolymorphic(in.module(), binding.value);
  in.defining.push_back(name ? name->name : "");
  const VariableMark mark = markVariables(in.checked);
  const std::size_t assumed = in.solver.assumptions.size();
  if (mayGeneralise) ++in.solver.level;

  FunctionDefinition defined;
  const ast::ExprId value = withoutParentheses(in.module(), binding.value);
  const auto* fn = std::get_if<ast::ExprFn>(&in.module()[value].node);
  const TypedId typed = fn && mayGeneralise ? inferFunction(in, in.module()[value].span, *fn, std::nullopt, &defined)
                                            : inferExpr(in, value);
  const TypeId type = in.program[typed].type;
  const bool isFunction = termOf(in.solution, type).kind == TypeKind::function;
  std::optional<Scheme> scheme;
  if (mayGeneralise) {
    if (isFunction) scheme = generaliseFunction(in, type, fn, mark, defined);
    --in.solver.level;
    if (!isFunction) {  // another name of a value: its variables belong to the scope
      OpenVariables variables;
      collectVariables(in.solver, type, variables);
      lowerLevels(in.solver, variables, in.solver.level);
    }
  }
  in.defining.pop_back();
  if (in.defining.empty() && in.isRoot && !in.bindingFailed) {
    if (name && name->name == in.options.entry)
      for (std::size_t i = 0; i < defined.parameterNames; ++i) defined.written[i].by = NamedBy::entryParameter;
    std::vector<WrittenName>& written = in.deferred.written;
    written.insert(written.end(), defined.written.begin(), defined.written.end());
  }

  TypedLet let;
  let.span = binding.span;
  let.value = typed;
  let.pattern = bindPattern(in, binding.pattern, type, typed);
  applyAnnotations(in, binding, termOf(in.solution, type).kind, let.pattern.binding);
  if (scheme && let.pattern.binding) {
    in.program.bindings[let.pattern.binding.index].polymorphic = true;
    in.checked.schemes[let.pattern.binding.index] = std::move(*scheme);
  }
  in.solver.assumptions.resize(assumed);
  in.program.lets.push_back(std::move(let));
  return static_cast<std::uint32_t>(in.program.lets.size() - 1);
}

}  // namespace axle
