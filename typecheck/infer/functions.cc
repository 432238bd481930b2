#include <algorithm>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/infer/infer.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/solver/unify.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

bool isFunctionLiteral(const ast::Module& module, ast::ExprId id) {
  while (auto* group = std::get_if<ast::ExprGroup>(&module[id].node)) id = group->inner;
  return std::holds_alternative<ast::ExprFn>(module[id].node);
}

}  // namespace

TypedId Inferer::inferFunction(Span span, const ast::ExprFn& fn, std::optional<TypeId> expected, Function* defined) {
  ownedScopes_.emplace_back();
  Scope& scope = ownedScopes_.back();
  scopes_.push_back(&scope);
  std::size_t made = c_.solution.dimVars.size();
  TypeReader reader(c_, module(), annotationScopes(), diagnostics_);
  reader.setUniversal(defined != nullptr);
  TypedLambda lambda;
  TypeTerm function;
  function.kind = TypeKind::function;
  function.origin = originAt(fn.signature);

  std::map<std::string, Span> seen;
  auto isNew = [&](const ast::Name& name) {
    auto [it, fresh] = seen.try_emplace(name.text, name.span);
    if (fresh || name.text == "_") return true;
    Diagnostic& d =
        report(codes::duplicateName, name.span, fmt::format("parameter `{}` is there twice", name.text), "again here");
    d.secondary.push_back({it->second, "first here"});
    return false;
  };
  for (const ast::Parameter& parameter : fn.parameters) {
    isNew(parameter.name);
    TypeId type = parameter.type ? reader.type(parameter.type) : freshType(c_.solver);
    function.parts.push_back(type);
    BindingId id = declare(parameter.name.text, parameter.span, BindingKind::parameter, type);
    lambda.parameters.push_back(id);
    scope.values[parameter.name.text] = id;
  }
  for (const ast::StaticParameter& parameter : fn.statics) {
    isNew(parameter.name);
    auto value = readStatic(parameter.defaultValue);
    if (!value) {
      scope.values[parameter.name.text] =
          declare(parameter.name.text, parameter.span, BindingKind::parameter, errorType());
      continue;
    }
    StaticTerm term;
    if (c_.solution.types[*value].kind == StaticKind::dim) {
      term.kind = StaticKind::dim;
      term.dim = freshInteger(c_.solver, parameter.name.text);
      c_.solution.dimVars[c_.solution.dims.asVariable(term.dim)->index].named = true;
    } else {
      term.kind = StaticKind::var;
      term.var = freshStatic(c_.solver, parameter.name.text);
    }
    bool isReal = c_.solution.types[*value].kind == StaticKind::real;
    if (isReal) c_.solution.staticVars[term.var.index].isReal = true;
    StaticId inner = c_.solution.types.add(std::move(term));
    if (isReal) demandNumber(parameter, inner);
    scope.statics[parameter.name.text] = inner;
    function.statics.push_back({parameter.name.text, inner, *value});
  }
  std::optional<TypeId> result;
  reader.setUniversal(false);
  if (fn.resultType) result = reader.type(fn.resultType);
  std::vector<DimFact> stated;
  for (const ast::Fact& fact : fn.where) reader.fact(fact, stated);
  if (reader.failed()) {
    if (conflicted_) diagnostics_.pop_back();  // one is told already
    conflicted_ = bindingFailed_ = true;
  }

  if (expected) {
    TypeTerm want = c_.solution.types[c_.solution.resolve(*expected)];
    if (want.kind == TypeKind::function && want.parts.size() == function.parts.size())
      for (std::size_t i = 0; i < want.parts.size(); ++i)
        unify(c_.solver, want.parts[i], function.parts[i],
                        reason(ReasonKind::annotation, fn.parameters[i].span, "the function"));
    flush();
  }
  std::size_t assumed = c_.solver.assumptions.size();
  for (const DimFact& fact : stated) {
    if (decideFact(c_.solver, fact) != FactVerdict::refuted) {
      c_.solver.assumptions.push_back(fact);
    } else {
      demand(fact, reason(ReasonKind::where, fact.places.front(), ""));
      flush();
    }
  }
  lambda.body = infer(fn.body);
  function.result = c_.program[lambda.body].type;
  if (result) {
    ReasonId promised = reason(ReasonKind::result, module()[fn.resultType].span, "the result");
    unify(c_.solver, *result, stamped(function.result, originAt(c_.program[lambda.body].span)), promised);
    function.result = *result;
  }
  if (!flush()) {
    for (std::size_t i = 0; i < function.parts.size(); ++i)
      if (!checkEscape(c_.solver, function.parts[i], made, fn.parameters[i].name.text)) break;
    flush();
  }
  if (!defined) closeRuntimeSizes(c_.solver, function.result, made);
  scopes_.pop_back();
  if (reader.failed()) {
    c_.solver.assumptions.resize(assumed);
    return errorAt(span);
  }
  std::vector<WrittenName> written = scope.names.written;
  if (defined) {  // the assumptions stay until the binder has generalised
    defined->stated = stated;
    defined->written = written;
  } else {
    c_.solver.assumptions.resize(assumed);
    for (const DimFact& fact : stated) demand(fact, reason(ReasonKind::where, fact.places.front(), "the function"));
    flush();
  }
  TypeId type = c_.solution.types.add(std::move(function));
  TypedId out = make(type, span, std::move(lambda));
  c_.written[out.index] = std::move(written);
  if (defined) defined->lambda = out;
  return out;
}

TypedId Inferer::inferCall(Span span, const ast::ExprCall& call) {
  if (auto size = sizeOfShape(span, call))
    return make(tensor(ElemTerm::of(Elem::i64), {}, originAt(span)), span, TypedDim{*size});
  ast::ExprId callee = call.callee;
  while (auto* group = std::get_if<ast::ExprGroup>(&module()[callee].node)) callee = group->inner;
  std::string name = "a function";
  std::optional<std::uint32_t> op;
  if (auto* named = std::get_if<ast::ExprName>(&module()[callee].node)) {
    name = named->name;
    bool local = std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope* s) {
      return s->values.count(named->name) || s->statics.count(named->name) || s->names.dims.count(named->name);
    });
    if (!local) {
      std::string core = named->name;
      if (auto dot = core.find('.'); dot != std::string::npos) {
        auto import = c_.modules.imports[current_].find(core.substr(0, dot));
        bool member = import != c_.modules.imports[current_].end() &&
                      c_.moduleScopes[import->second].values.count(core.substr(dot + 1));
        core = member ? "" : core;
      }
      if (!core.empty()) op = coreOperator(core, call.arguments.size());
    }
  }
  if (auto* section = std::get_if<ast::ExprSection>(&module()[callee].node))
    op = coreOperator(std::string(ast::spelling(section->op)), 2);
  if (op) return applyOperator({*op, span, call.arguments, {}, call.named, {}});
  TypedId function = infer(callee);
  if (isError(function)) {
    return errorAt(span);  // what its arguments would be is not known
  }
  return callFunction(span, call, function, name);
}

// None where the function is not known.
std::vector<std::string> Inferer::parametersOf(TypedId callee) const {
  const auto* name = std::get_if<TypedRef>(&c_.program[callee].node);
  TypedId value = name ? c_.program[name->binding].value : callee;
  const auto* lambda = value ? std::get_if<TypedLambda>(&c_.program[value].node) : nullptr;
  std::vector<std::string> names;
  if (lambda)
    for (BindingId parameter : lambda->parameters) names.push_back(c_.program[parameter].name);
  return names;
}

// Whether arguments that are given by their place are written with names: that is told.
bool Inferer::givenByName(Span span, const ast::ExprCall& call, const std::string& name,
                          const std::vector<std::string>& parameters) {
  Fix fix;
  std::string names, becomes(c_.sources.text(span));
  std::size_t next = call.arguments.size();
  bool isInOrder = true;
  for (const ast::NamedArgument& given : call.named) {
    if (std::find(parameters.begin(), parameters.end(), given.name.text) == parameters.end()) continue;
    names += (names.empty() ? "`" : ", `") + given.name.text + "`";
    isInOrder = isInOrder && next < parameters.size() && parameters[next++] == given.name.text;
    fix.edits.push_back({{span.source, given.name.span.begin, module()[given.value].span.begin}, ""});
  }
  if (names.empty()) return false;
  Diagnostic& d = report(
      codes::arity, span,
      fmt::format("`{}` takes {} by {} place, not by name", name, names, fix.edits.size() == 1 ? "its" : "their"),
      "this call");
  for (auto edit = fix.edits.rbegin(); edit != fix.edits.rend(); ++edit)
    becomes.erase(edit->span.begin - span.begin, edit->span.end - edit->span.begin);
  fix.title = fmt::format("without the names: `{}`", becomes);
  if (isInOrder) d.fixes.push_back(std::move(fix));
  return true;
}

TypedId Inferer::callFunction(Span span, const ast::ExprCall& call, TypedId callee, const std::string& name) {
  ReasonId why = reason(ReasonKind::call, span, fmt::format("`{}`", name));
  TypeTerm function = c_.solution.types[c_.solution.resolve(c_.program[callee].type)];
  TypedCall typed;
  typed.callee = callee;
  if (function.kind == TypeKind::tensor || function.kind == TypeKind::tuple) {
    Diagnostic& d = report(
        codes::typeMismatch, span,
        fmt::format("`{}` is {}, not a function", name, function.kind == TypeKind::tensor ? "a tensor" : "a tuple"),
        "called here");
    d.notes.push_back(fmt::format("its type is `{}`", printType(c_, c_.program[callee].type)));
    return errorAt(span);
  }
  if (function.kind == TypeKind::function && function.parts.size() != call.arguments.size()) {
    const std::vector<std::string> names = parametersOf(callee);
    if (givenByName(span, call, name, names)) return errorAt(span);
    const std::size_t given = call.arguments.size();
    std::string missing;
    for (std::size_t i = given; i < names.size(); ++i) missing += (i > given ? ", `" : "`") + names[i] + "`";
    Diagnostic& d = report(codes::arity, span,
                           fmt::format("`{}` takes {} argument{}, but is given {}", name, function.parts.size(),
                                       function.parts.size() == 1 ? "" : "s", given),
                           missing.empty()             ? "this call"
                           : given + 1 == names.size() ? missing + " is missing"
                                                       : missing + " are missing");
    d.notes.push_back(fmt::format("`{}` : {}", name, printType(c_, c_.program[callee].type)));
    if (call.arguments.size() == function.parts.size() + 1 && !function.statics.empty()) {
      const Span last = module()[call.arguments.back()].span;
      const std::string named = fmt::format("{}={}", function.statics.front().name, c_.sources.text(last));
      d.help.emplace_back("static arguments are given by name");
      d.fixes.push_back({fmt::format("write `{}`", named), {{last, named}}});
    }
    return errorAt(span);
  }
  bool known = function.kind == TypeKind::function;
  // This use of the function is called once, here: its run-time sizes come into being.
  const auto* use = std::get_if<TypedRef>(&c_.program[callee].node);
  bool calledOnce = !use || use->instantiation;
  if (known && calledOnce) openRuntimeSizes(c_.solver, function.result);
  if (!known) {
    function = TypeTerm{};
    function.kind = TypeKind::function;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) function.parts.push_back(freshType(c_.solver));
    function.result = freshType(c_.solver);
    TypeId wanted = c_.solution.types.add(TypeTerm(function));
    unify(c_.solver, c_.program[callee].type, wanted, why);
    if (flush()) return errorAt(span);
  }
  if (!giveStatics(call, function, name, why)) return errorAt(span);
  typed.arguments.resize(call.arguments.size());
  bool failed = false;
  auto give = [&](std::size_t i) {
    TypedId argument = inferWith(call.arguments[i], function.parts[i]);
    typed.arguments[i] = argument;
    ReasonId asked = reason(ReasonKind::call, span, fmt::format("`{}`", name));
    c_.provenance[asked].given = {{function.parts[i]}, asGiven(argument)};
    TypeId type = stamped(c_.program[argument].type, originAt(c_.program[argument].span));
    // The callee has one type for all calls that it makes.
    if (auto k = failed ? std::nullopt : findClosedSize(c_.solver, type, true)) failed = closedArgument(*k, asked);
    if (!failed) unify(c_.solver, function.parts[i], type, asked);
    failed |= flush() || isError(argument);
  };
  // Function literals last: by then their parameters' types are known.
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (!isFunctionLiteral(module(), call.arguments[i])) give(i);
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (isFunctionLiteral(module(), call.arguments[i])) give(i);
  for (const StaticField& field : function.statics) typed.statics.push_back(field.value);
  if (failed || !checkLengths(function.result, why)) return errorAt(span);
  if (auto k = calledOnce ? std::nullopt : findClosedSize(c_.solver, function.result, true)) {
    closedArgument(*k, why);
    return errorAt(span);
  }
  return make(stamped(function.result, originAt(span)), span, std::move(typed));
}

// Whatever a decimal static parameter is given is a number.
void Inferer::demandNumber(const ast::StaticParameter& parameter, StaticId value) {
  ast::OpAttribute number{};
  number.name = parameter.name;
  number.sort = ast::Sort::real;
  c_.numbers.push_back(std::move(number));
  addConstraint(c_.solver, reason(ReasonKind::application, parameter.span, "a static parameter"),
                constraint::AttributeForm{value, &c_.numbers.back()});
}

bool Inferer::giveStatics(const ast::ExprCall& call, const TypeTerm& function, const std::string& name, ReasonId why) {
  for (std::size_t i = 0; i < call.named.size(); ++i) {
    const ast::NamedArgument& given = call.named[i];
    auto field = std::find_if(function.statics.begin(), function.statics.end(),
                              [&](const StaticField& f) { return f.name == given.name.text; });
    if (field == function.statics.end()) {
      Diagnostic& d = report(codes::arity, given.span,
                             fmt::format("`{}` has no static parameter `{}`", name, given.name.text), "not known");
      std::vector<std::string_view> known;
      for (const StaticField& f : function.statics) known.push_back(f.name);
      for (const std::string& near : closestNames(given.name.text, known)) suggest(d, given.name.span, near);
      return false;
    }
    for (std::size_t j = 0; j < i; ++j)
      if (call.named[j].name.text == given.name.text) {
        report(codes::arity, given.span, fmt::format("`{}` is given twice", given.name.text), "again here")
            .secondary.push_back({call.named[j].span, "first here"});
        return false;
      }
    auto value = readStatic(given.value);
    if (!value) return false;
    unifyStatic(c_.solver, field->value, *value, why);
  }
  for (const StaticField& field : function.statics) {
    bool given = std::any_of(call.named.begin(), call.named.end(),
                             [&](const ast::NamedArgument& n) { return n.name.text == field.name; });
    if (!given) unifyStatic(c_.solver, field.value, field.defaultValue, why);
  }
  return !flush();
}

}  // namespace axle
