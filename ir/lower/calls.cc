// Inlines calls.
#include <algorithm>

#include "ir/lower/composites.h"
#include "ir/lower/expressions.h"
#include "ir/lower/limits.h"

namespace axle::ir::lowering {

namespace {

constexpr Message<arg::Number> callsTooDeep{codes::inliningTooDeep, "calls nest more than {} levels deep here"};
constexpr Message<arg::Name, arg::Number> tooManyCalls{codes::modelTooLarge, "the entry {} inlines more than {} calls"};

// Adds the call's static arguments to the closure's substitution, for static parameters that it does not have yet.
void bindStatics(Context& c, Closure& closure, const TypedCall& call, const Environment& environment) {
  const TypeTerm type = c.type(c.program[closure.lambda].type);
  const Substitution& known = *closure.environment.substitution;
  std::optional<Substitution> extended;
  for (std::size_t i = 0; i < std::min(type.statics.size(), call.statics.size()); ++i) {
    const StaticTerm& parameter = c.solution.types[type.statics[i].value];
    if (parameter.kind != StaticKind::var || c.solution.staticVars[parameter.var.index].binding) continue;
    const std::uint32_t var = parameter.var.index;
    if (known.statics.count(var)) continue;
    if (!extended) extended = known;
    extended->statics[var] = c.solution.resolve(call.statics[i], environment.substitution);
  }
  if (!extended) return;
  c.substitutions.push_back(std::move(*extended));
  closure.environment.substitution = &c.substitutions.back();
}

}  // namespace

std::optional<Value> evalCall(Context& c, const TypedExpr& expr, const TypedCall& call,
                              const Environment& environment) {
  std::optional<Value> callee = eval(c, call.callee, environment);
  if (!callee) return std::nullopt;
  const Closure* function = std::get_if<Closure>(&callee->node);
  if (!function) return reportBug(c, "the callee is not a function", expr.span);
  Closure closure = *function;
  std::vector<Value> arguments;
  for (TypedId id : call.arguments) {
    std::optional<Value> argument = eval(c, id, environment);
    if (!argument) return std::nullopt;
    arguments.push_back(std::move(*argument));
  }
  bindStatics(c, closure, call, environment);
  auto* ref = std::get_if<TypedRef>(&c.program[call.callee].node);
  if (!ref) return inlineCall(c, closure, std::move(arguments), expr.span);
  const TypedBinding& binding = c.program[ref->binding];
  ScopedPush<std::string> name(c.namePath, binding.name);
  if (binding.implements.empty()) return inlineCall(c, closure, std::move(arguments), expr.span);
  std::optional<Value> result = inlineCall(c, closure, arguments, expr.span);
  if (result) addCallComposite(c, expr, call, binding, arguments, *result, environment);
  return result;
}

std::optional<Value> inlineCall(Context& c, const Closure& closure, std::vector<Value> arguments, Span span) {
  const TypedLambda& lambda = std::get<TypedLambda>(c.program[closure.lambda].node);
  if (arguments.size() != lambda.parameters.size()) return reportBug(c, "the number of arguments differs", span);
  if (c.calls.size() >= c.limits.depth) return fail(c, Diagnostic(callsTooDeep, span, arg::Number{c.limits.depth}));
  if (++c.callCount > c.limits.calls)
    return fail(c, Diagnostic(tooManyCalls, span, arg::Name{c.entry.name}, arg::Number{c.limits.calls})
                       .addHelp(repetitionDoubles));
  c.frames.push_back({closure.environment.frame, {}});
  Frame* frame = &c.frames.back();
  for (std::size_t i = 0; i < arguments.size(); ++i)
    frame->names.emplace_back(lambda.parameters[i], std::move(arguments[i]));
  ScopedPush<Span> call(c.calls, span);
  return eval(c, lambda.body, {frame, closure.environment.substitution});
}

}  // namespace axle::ir::lowering
