#include "typecheck/infer/calls.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "typecheck/checked_trial.h"
#include "typecheck/infer/expressions.h"
#include "typecheck/infer/functions.h"
#include "typecheck/infer/operators.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

constexpr Message<arg::Name> tensorCalled{codes::typeMismatch, "{} is a tensor, not a function", "called here"};
constexpr Message<arg::Name> tupleCalled{codes::typeMismatch, "{} is a tuple, not a function", "called here"};
constexpr Message<arg::Name, arg::Counted, arg::Number, Phrase> argumentCount{codes::arity,
                                                                              "{} takes {}, but is given {}", "{3}"};
constexpr Message<arg::Name, arg::Name> noStatic{codes::arity, "{} has no static parameter {}", "not known"};
constexpr Message<arg::Name> staticTwice{codes::arity, "{} is given twice", "again here"};
constexpr Message<arg::Name, Phrase> takesByPlace{codes::arity, "{} takes {} by its place, not by name", "this call"};
constexpr Message<arg::Name, Phrase> takeByPlace{codes::arity, "{} takes {} by their place, not by name", "this call"};

// Returns the core operator that a call applies; none for a function.
std::optional<std::uint32_t> calledOperator(Inference& in, ast::ExprId callee, std::size_t arity) {
  const auto& node = in.module()[callee].node;
  if (auto* section = std::get_if<ast::ExprSection>(&node))
    return findOperator(in, std::string(ast::spelling(section->op)), 2);
  const auto* named = std::get_if<ast::ExprName>(&node);
  if (!named) return std::nullopt;
  const std::string& name = named->name;
  const bool isInScope = std::any_of(in.scopes.begin(), in.scopes.end(), [&](const Scope* scope) {
    return scope->values.count(name) || scope->statics.count(name) || scope->names.dims.count(name);
  });
  if (isInScope) return std::nullopt;
  if (auto dot = name.find('.'); dot != std::string::npos) {
    const auto& imports = in.checked.modules.imports[in.current];
    auto import = imports.find(name.substr(0, dot));
    if (import != imports.end() && in.checked.moduleScopes[import->second].values.count(name.substr(dot + 1)))
      return std::nullopt;
  }
  return findOperator(in, name, arity);
}

// Returns the names of a function's parameters; none if its definition is not known.
std::vector<std::string> parameterNames(const TypedProgram& program, TypedId callee) {
  const auto* ref = std::get_if<TypedRef>(&program[callee].node);
  const TypedId value = ref ? program[ref->binding].value : callee;
  const auto* lambda = value ? std::get_if<TypedLambda>(&program[value].node) : nullptr;
  std::vector<std::string> names;
  if (lambda)
    for (BindingId parameter : lambda->parameters) names.push_back(program[parameter].name);
  return names;
}

// A call whose callee was inferred.
struct FunctionCall {
  Span span;
  const ast::ExprCall& call;
  TypedId callee;
  std::string name;  // for messages
};

void reportNotFunction(Inference& in, const FunctionCall& use, TypeKind kind) {
  report(in, kind == TypeKind::tensor ? tensorCalled : tupleCalled, use.span, arg::Name{use.name})
      .addNote("its type is {}", arg::Code{printType(in.checked, in.program[use.callee].type)});
}

// Whether an argument names a tuple, which may have been meant as several arguments.
bool givesTuple(Inference& in, const FunctionCall& use) {
  return std::any_of(use.call.arguments.begin(), use.call.arguments.end(), [&](ast::ExprId argument) {
    const auto* name = std::get_if<ast::ExprName>(&in.module()[argument].node);
    for (auto scope = in.scopes.rbegin(); name && scope != in.scopes.rend(); ++scope)
      if (auto found = (*scope)->values.find(name->name); found != (*scope)->values.end())
        return termOf(in.solution, in.program[found->second].type).kind == TypeKind::tuple;
    return false;
  });
}

// Returns a text on one line, with one space between words.
std::string oneLine(std::string_view text) {
  std::string line;
  for (const char ch : text) {
    const bool isSpace = std::isspace(static_cast<unsigned char>(ch)) != 0;
    if (!isSpace) line += ch;
    if (isSpace && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// Names the functions beside the called one that are called like it, with more words, and take so many arguments.
void suggestVariants(const Inference& in, Diagnostic& d, const CalledFunction& called, Span callee, std::size_t given) {
  const std::size_t member = called.name.find('.') + 1;
  const ast::Module& module = *called.module;
  for (const ast::Binding& binding : module.bindings) {
    const auto* named = std::get_if<ast::PatternName>(&module[binding.pattern].node);
    const auto* function = std::get_if<ast::ExprFn>(&module[binding.value].node);
    if (!named || !function || function->parameters.size() != given) continue;
    if (!named->name.starts_with(called.name.substr(member) + "_")) continue;
    const std::string name = called.name.substr(0, member) + named->name;
    const Phrase title("{} takes {}: {}", arg::Name{name}, arg::Counted{given, "argument"},
                       arg::Code{oneLine(in.checked.sources.text(function->signature))});
    d.fixes.push_back({title.text, {{callee, name}}});
  }
}

void reportArgumentCount(Inference& in, const FunctionCall& use, const TypeTerm& function) {
  const std::vector<ast::ExprId>& arguments = use.call.arguments;
  if (in.conflicted && givesTuple(in, use)) return void(in.bindingFailed = true);  // reported with the first use of it
  const std::vector<std::string> names = parameterNames(in.program, use.callee);
  if (reportPositionalByName(in, use.span, use.call, use.name, names)) return;
  const std::size_t given = arguments.size(), wanted = function.parts.size();
  const Phrase missing = missingArguments(names, given).value_or("this call");
  const arg::Name name{use.name};
  Diagnostic& d =
      report(in, argumentCount, use.span, name, arg::Counted{wanted, "argument"}, arg::Number{given}, missing);
  const auto called = calledFunctionAt(in.checked.modules, use.span);
  if (called && !called->function->parameters.empty())
    d.addNote("{} = {}", name, arg::Code{oneLine(in.checked.sources.text(called->function->signature))});
  else
    d.addNote("{} : {}", name, arg::Type{printType(in.checked, in.program[use.callee].type)});
  if (called) suggestVariants(in, d, *called, in.module()[use.call.callee].span, given);
  if (given != wanted + 1 || function.statics.empty()) return;
  const Span last = in.module()[arguments.back()].span;
  const std::string named = fmt::format("{}={}", function.statics.front().name, in.checked.sources.text(last));
  d.addHelp("static arguments are given by name");
  d.fixes.push_back({fmt::format("write `{}`", named), {{last, named}}});
}

// Unifies a callee of open type with a function of as many parameters as the call has arguments.
std::optional<TypeTerm> makeFunction(Inference& in, const FunctionCall& use, ReasonId why) {
  TypeTerm function;
  function.kind = TypeKind::function;
  for (std::size_t i = 0; i < use.call.arguments.size(); ++i) function.parts.push_back(freshType(in.solver));
  function.result = freshType(in.solver);
  unify(in.solver, in.program[use.callee].type, in.solution.types.add(TypeTerm(function)), why);
  return reportConflicts(in) ? std::nullopt : std::optional(std::move(function));
}

// Reports a static argument that the function does not have, or that is given twice.
bool checkStaticNames(Inference& in, const std::vector<ast::NamedArgument>& named, std::size_t at,
                      const TypeTerm& function, const std::string& name) {
  const ast::NamedArgument& given = named[at];
  const std::string& wanted = given.name.text;
  const bool isKnown = std::any_of(function.statics.begin(), function.statics.end(),
                                   [&](const StaticField& f) { return f.name == wanted; });
  if (!isKnown) {
    Diagnostic& d = report(in, noStatic, given.span, arg::Name{name}, arg::Name{wanted});
    std::vector<std::string_view> known;
    for (const StaticField& f : function.statics) known.push_back(f.name);
    for (const std::string& near : closestNames(wanted, known)) suggestName(d, given.name.span, near);
    return false;
  }
  const auto here = named.begin() + static_cast<std::ptrdiff_t>(at);
  auto first =
      std::find_if(named.begin(), here, [&](const ast::NamedArgument& other) { return other.name.text == wanted; });
  if (first == here) return true;
  report(in, staticTwice, given.span, arg::Name{wanted}).addLabel(first->span, "first here");
  return false;
}

// Says in the last conflict which static parameter it is about.
void nameStatic(Inference& in, const StaticField& field) {
  Conflict& conflict = in.solver.conflicts.back();
  if (conflict.kind == ConflictKind::attribute) conflict.text = fmt::format("`{}` {}", field.name, conflict.text);
}

// Gives static parameters the call's arguments, and the others their defaults.
bool giveStatics(Inference& in, const FunctionCall& use, const TypeTerm& function, ReasonId why) {
  const std::vector<ast::NamedArgument>& named = use.call.named;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (!checkStaticNames(in, named, i, function, use.name)) return false;
    auto field = std::find_if(function.statics.begin(), function.statics.end(),
                              [&](const StaticField& f) { return f.name == named[i].name.text; });
    const auto value = readStatic(in, named[i].value);
    if (!value) return false;
    const ReasonId given = addReason(in.provenance, ReasonKind::call, named[i].span, in.provenance[why].subject);
    if (!unifyStatic(in.solver, field->value, *value, given)) nameStatic(in, *field);
  }
  for (const StaticField& field : function.statics) {
    const bool isGiven =
        std::any_of(named.begin(), named.end(), [&](const ast::NamedArgument& n) { return n.name.text == field.name; });
    if (!isGiven && !unifyStatic(in.solver, field.value, field.defaultValue, why)) nameStatic(in, field);
  }
  return !reportConflicts(in);
}

// Infers the arguments and unifies them with the parameters. Function literals come last, once the types of their
// parameters are known. None after an error.
std::optional<std::vector<TypedId>> giveArguments(Inference& in, const FunctionCall& use, const TypeTerm& function) {
  const std::vector<ast::ExprId>& arguments = use.call.arguments;
  std::vector<TypedId> typed(arguments.size());
  bool failed = false;
  auto give = [&](std::size_t i) {
    const TypedId argument = typed[i] = inferExpr(in, arguments[i], function.parts[i]);
    const ReasonId asked = addReason(in.provenance, ReasonKind::call, use.span, fmt::format("`{}`", use.name));
    in.provenance.edit(asked).given = {{function.parts[i]}, givenArgument(in.checked, argument)};
    in.provenance.edit(asked).argument = i;
    const TypedExpr& expr = in.program[argument];
    const TypeId type = withOrigin(in.solution, expr.type, originAt(in.provenance, expr.span));
    // The callee has one type for all calls that it makes of this argument.
    if (auto size = failed ? std::nullopt : findClosedSize(in.solver, type, true))
      failed = reportClosedSize(in, *size, asked);
    if (!failed) unify(in.solver, function.parts[i], type, asked);
    failed |= reportConflicts(in) || isErrorExpr(in.checked, argument);
  };
  for (bool isLiteral : {false, true})
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (isFunctionLiteral(in, arguments[i]) == isLiteral) give(i);
  return failed ? std::nullopt : std::optional(std::move(typed));
}

TypedId callFunction(Inference& in, const FunctionCall& use) {
  const ReasonId why = addReason(in.provenance, ReasonKind::call, use.span, fmt::format("`{}`", use.name));
  TypeTerm function = termOf(in.solution, in.program[use.callee].type);
  if (function.kind == TypeKind::tensor || function.kind == TypeKind::tuple) {
    reportNotFunction(in, use, function.kind);
    return errorExpr(in, use.span);
  }
  const bool isKnown = function.kind == TypeKind::function;
  if (isKnown && function.parts.size() != use.call.arguments.size()) {
    reportArgumentCount(in, use, function);
    return errorExpr(in, use.span);
  }
  // A function that is used only for this call makes its run-time sizes here.
  const auto* ref = std::get_if<TypedRef>(&in.program[use.callee].node);
  const bool isCalledOnce = !ref || ref->instantiation;
  if (isKnown && isCalledOnce) openRuntimeSizes(in.solver, function.result);
  if (!isKnown) {
    auto made = makeFunction(in, use, why);
    if (!made) return errorExpr(in, use.span);
    function = std::move(*made);
  }
  if (!giveStatics(in, use, function, why)) return errorExpr(in, use.span);
  auto arguments = giveArguments(in, use, function);
  if (!arguments || !checkRaggedLengths(in, function.result, why)) return errorExpr(in, use.span);
  if (auto size = isCalledOnce ? std::nullopt : findClosedSize(in.solver, function.result, true)) {
    reportClosedSize(in, *size, why);
    return errorExpr(in, use.span);
  }
  TypedCall typed;
  typed.callee = use.callee;
  typed.arguments = std::move(*arguments);
  for (const StaticField& field : function.statics) typed.statics.push_back(field.value);
  const TypeId result = withOrigin(in.solution, function.result, originAt(in.provenance, use.span));
  return addExpr(in.program, result, use.span, std::move(typed));
}

// Returns the scopes at the function's definition.
std::vector<Scope*> scopesOf(Inference& in, const FollowedFunction& fn) {
  return fn.scopes.empty() ? std::vector<Scope*>{&in.checked.moduleScopes[in.checked.programScope]} : fn.scopes;
}

// Infers the body of the function with the types of the call's arguments.
TypedId inferFollowed(Inference& in, const FunctionCall& use, const FollowedFunction& fn) {
  if (in.followed->left > 0) --in.followed->left;
  const std::string subject = fmt::format("`{}`", use.name);
  const ReasonId asked = addReason(in.provenance, ReasonKind::call, use.span, subject);
  const ReasonId why = addReason(in.provenance, ReasonKind::call, use.span, subject);
  in.provenance.edit(why).isFollowed = true;
  std::vector<Scope*> ofCaller = std::exchange(in.scopes, scopesOf(in, fn));
  const ReasonId caller = in.provenance.within;
  std::size_t ofOther = std::exchange(in.current, fn.module);
  std::optional<std::vector<TypedId>> arguments;
  const ast::ExprFn& literal = *fn.literal;  // `fn` may be another one once arguments that fail were tried
  const TypedId function =
      inferFunctionOnce(in, use.span, literal, asked, [&](const TypeTerm& declared, const Scope& scope) {
        std::swap(in.scopes, ofCaller);
        std::swap(in.current, ofOther);
        if (giveStatics(in, use, declared, asked)) arguments = giveArguments(in, use, declared);
        std::swap(in.scopes, ofCaller);
        std::swap(in.current, ofOther);
        for (std::size_t i = 0; arguments && i < arguments->size(); ++i)
          if (const auto named = scope.values.find(literal.parameters[i].name.text); named != scope.values.end())
            in.program.bindings[named->second.index].value = (*arguments)[i];
        in.provenance.within = why;
        return arguments.has_value();
      });
  in.provenance.within = caller;
  in.current = ofOther;
  in.scopes = std::move(ofCaller);
  if (isErrorExpr(in.checked, function)) return errorExpr(in, use.span);
  const TypeTerm& type = termOf(in.solution, in.program[function].type);
  TypedCall typed{function, std::move(*arguments), {}};
  for (const StaticField& field : type.statics) typed.statics.push_back(field.value);
  const TypeId result = withOrigin(in.solution, type.result, originAt(in.provenance, use.span));
  return addExpr(in.program, result, use.span, std::move(typed));
}

// Whether nothing has failed so far. If some sizes are promised to be arbitrary, tries whether equating the sizes that
// are broadcast with each other fails, as it happens in the end.
bool holds(Inference& in) {
  if (!settle(in)) return false;
  const std::size_t sizes = in.solution.dimVars.size();
  std::uint32_t i = 0;
  while (i < sizes && !in.solution.dimVars[i].promised) ++i;
  if (i == sizes) return true;
  const CheckedTrial trial(in.checked);
  equateBroadcastSizes(in.solver, [](const Constraint&) { return true; });
  return settle(in);
}

// Infers a call; if it fails, undoes it and passes it to `onFailure`.
TypedId inferWatched(Inference& in, const FunctionCall& use, const FollowedFunction& fn) {
  const std::size_t literals = in.deferred.literals.size();
  {
    CheckedTrial trial(in.checked);
    const TypedId result = inferFollowed(in, use, fn);
    if (holds(in)) {
      trial.commit();
      return result;
    }
  }
  in.deferred.literals.resize(literals);
  in.followed->onFailure(use.span, [&](const std::optional<FollowedCalls::Instead>& instead) {
    clearFailure(in);
    in.followed->left = FollowedCalls::most;
    const std::vector<Span> watched = std::exchange(in.followed->watched, {});
    const std::size_t caller = in.current;
    if (instead) in.current = instead->module;
    const FollowedFunction* now = instead ? nullptr : followedFunction(in, use.name);
    if (instead)
      inferExpr(in, instead->expression);
    else if (now && now->literal->parameters.size() == use.call.arguments.size())
      inferFollowed(in, use, *now);
    else
      in.bindingFailed = true;
    in.current = caller;
    const bool isWhole = holds(in);
    in.followed->watched = watched;
    in.deferred.literals.resize(literals);
    return isWhole;
  });
  in.conflicted = true;  // nothing more is reported
  return errorExpr(in, use.span);
}

TypedId followCall(Inference& in, const FunctionCall& use, const FollowedFunction& fn) {
  const bool isWatched = std::ranges::find(in.followed->watched, use.span) != in.followed->watched.end();
  return isWatched ? inferWatched(in, use, fn) : inferFollowed(in, use, fn);
}

}  // namespace

const FollowedFunction* followedFunction(const Inference& in, const std::string& name) {
  if (!in.followed) return nullptr;
  for (auto scope = in.scopes.rbegin(); scope != in.scopes.rend(); ++scope) {
    if (const auto value = (*scope)->values.find(name); value != (*scope)->values.end()) {
      const auto known = in.followed->functions.find(value->second.index);
      if (known == in.followed->functions.end()) return nullptr;
      const FollowedFunction& fn = known->second;
      const bool isLocal = !fn.scopes.empty();  // a local function has no type by itself
      if (isLocal ? fn.place == in.program[value->second].span : in.followed->left > 0) return &fn;
      return nullptr;
    }
    if ((*scope)->statics.count(name) || (*scope)->names.dims.count(name)) return nullptr;
  }
  return nullptr;
}

bool isFunctionLiteral(const Inference& in, ast::ExprId argument) {
  const auto& node = in.module()[withoutParentheses(in.module(), argument)].node;
  const auto* name = std::get_if<ast::ExprName>(&node);
  const FollowedFunction* fn = name ? followedFunction(in, name->name) : nullptr;
  return std::holds_alternative<ast::ExprFn>(node) || (fn && !fn->scopes.empty());
}

TypedId inferFollowedValue(Inference& in, Span span, const FollowedFunction& fn, std::optional<TypeId> expected) {
  const std::size_t ofUse = std::exchange(in.current, fn.module);
  std::vector<Scope*> scopesOfUse = std::exchange(in.scopes, scopesOf(in, fn));
  const TypedId function = inferFunction(in, span, *fn.literal, expected, nullptr);
  in.scopes = std::move(scopesOfUse);
  in.current = ofUse;
  return function;
}

TypedId inferCall(Inference& in, Span span, const ast::ExprCall& call) {
  if (auto size = readSizeOfShape(in, span, call)) {
    const TypeId type = tensorType(in.solution, ElemTerm::of(Elem::i64), {}, originAt(in.provenance, span));
    return addExpr(in.program, type, span, TypedDim{*size});
  }
  const ast::ExprId callee = withoutParentheses(in.module(), call.callee);
  if (auto op = calledOperator(in, callee, call.arguments.size()))
    return applyOperator(in, {*op, span, call.arguments, {}, call.named, {}});
  const auto* name = std::get_if<ast::ExprName>(&in.module()[callee].node);
  if (const FollowedFunction* fn = name ? followedFunction(in, name->name) : nullptr)
    if (fn->literal->parameters.size() == call.arguments.size())
      return followCall(in, {span, call, {}, name->name}, *fn);
  const TypedId function = inferExpr(in, callee);
  if (isErrorExpr(in.checked, function)) return errorExpr(in, span);  // so the types of the arguments are not known
  return callFunction(in, {span, call, function, name ? name->name : "a function"});
}

bool reportPositionalByName(Inference& in, Span span, const ast::ExprCall& call, const std::string& name,
                            const std::vector<std::string>& parameters) {
  Fix fix;
  Phrase names = "";
  std::string becomes(in.checked.sources.text(span));
  std::size_t next = call.arguments.size();
  bool isInOrder = true;
  for (const ast::NamedArgument& given : call.named) {
    if (std::find(parameters.begin(), parameters.end(), given.name.text) == parameters.end()) continue;
    const arg::Name place{given.name.text};
    names = fix.edits.empty() ? Phrase("{}", place) : Phrase("{}, {}", names, place);
    isInOrder = isInOrder && next < parameters.size() && parameters[next] == given.name.text;
    ++next;
    fix.edits.push_back({{span.source, given.name.span.begin, in.module()[given.value].span.begin}, ""});
  }
  if (fix.edits.empty()) return false;
  Diagnostic& d = report(in, fix.edits.size() == 1 ? takesByPlace : takeByPlace, span, arg::Name{name}, names);
  for (auto edit = fix.edits.rbegin(); edit != fix.edits.rend(); ++edit)
    becomes.erase(edit->span.begin - span.begin, edit->span.end - edit->span.begin);
  fix.title = fmt::format("without the names: `{}`", becomes);
  if (isInOrder) d.fixes.push_back(std::move(fix));
  return true;
}

std::optional<Phrase> missingArguments(const std::vector<std::string>& parameters, std::size_t given) {
  if (given >= parameters.size()) return std::nullopt;
  Phrase all("{}", arg::Name{parameters.front()});  // the types of the arguments may show which
  for (std::size_t i = 1; i < parameters.size(); ++i) all = Phrase("{}, {}", all, arg::Name{parameters[i]});
  if (parameters.size() == 1) return Phrase("{} is missing", all);
  return given + 1 == parameters.size() ? Phrase("one of {} is missing", all) : Phrase("some of {} are missing", all);
}

bool reportClosedSize(Inference& in, DimVar size, ReasonId why) {
  Conflict conflict;
  conflict.kind = ConflictKind::unopened;
  conflict.reason = why;
  conflict.right = in.solution.printSize(in.solution.dims.variable(size));
  conflict.text = in.solution.dimVars[size.index].maker;
  conflict.origins = {in.solution.dimVars[size.index].origin};
  in.solver.conflicts.push_back(std::move(conflict));
  return reportConflicts(in);
}

}  // namespace axle
