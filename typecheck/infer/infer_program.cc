#include "typecheck/infer/infer_program.h"

#include <algorithm>
#include <utility>

#include "typecheck/infer/annotation_mistakes.h"
#include "typecheck/infer/bindings.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/dim_kinds.h"
#include "typecheck/solver/fact_tiers.h"
#include "typecheck/types/literal_bytes.h"

namespace axle {
namespace {

constexpr Message<> declaredOperator{codes::unsupported, "`op` declarations are for the core operators",
                                     "only stdlib/core.ax declares operators"};
constexpr Message<arg::Code, arg::ElementType> numberTooLarge{codes::literalOutOfRange, "{} is out of the range of {}",
                                                              "is {1} here"};

std::vector<ProgramItem> itemsOf(const Modules& modules, std::size_t module) {
  std::vector<ProgramItem> items;
  for (std::size_t i = 0; i < modules.modules[module].items.size(); ++i) items.push_back({module, i});
  return items;
}

// False if `goOn` stopped it.
bool inferItems(Inference& in, std::span<const ProgramItem> items, std::size_t scope,
                const std::function<bool()>& goOn = {}) {
  in.scopes = {&in.checked.moduleScopes[scope]};
  in.root = {&in.whole, 1};
  for (const ProgramItem& at : items) {
    in.current = at.module;
    in.whole = &in.module();
    inferItem(in, in.module().items[at.item]);
    if (goOn && !goOn()) return false;
  }
  return true;
}

void finishItems(Inference& in, std::size_t firstBinding, const VariableMark& mark) {
  clearFailure(in);
  refreshSchemes(in, firstBinding, in.program.bindings.size());
  if (settleModule(in, mark)) refreshSchemes(in, firstBinding, in.program.bindings.size());
  checkLiterals(in, std::exchange(in.deferred.literals, {}));
}

void inferModule(Inference& in, std::size_t module) {
  const std::size_t first = in.program.bindings.size();
  const VariableMark mark = markVariables(in.checked);
  inferItems(in, itemsOf(in.checked.modules, module), module);
  finishItems(in, first, mark);
}

void listRootNames(Checked& c) {
  c.rootNames.clear();
  for (const auto& [name, id] : c.moduleScopes[c.programScope].values) c.rootNames.push_back({name, id});
  std::sort(c.rootNames.begin(), c.rootNames.end(),
            [](const TopLevelName& a, const TopLevelName& b) { return a.binding.index < b.binding.index; });
}

std::vector<ProgramItem> rootItems(const Modules& modules) {
  return modules.program.empty() ? itemsOf(modules, modules.modules.size() - 1) : modules.program;
}

}  // namespace

void inferProgram(Inference& in) {
  if (in.checked.modules.modules.empty()) return;
  inferImports(in);
  inferRoot(in);
}

void inferImports(Inference& in) {
  Checked& c = in.checked;
  const Modules& modules = c.modules;
  const std::size_t root = modules.modules.size() - 1;
  c.moduleScopes.resize(modules.modules.size());
  const std::vector<ProgramItem> program = rootItems(modules);
  auto isOfProgram = [&](std::size_t module) {
    return std::any_of(program.begin(), program.end(), [&](const ProgramItem& item) { return item.module == module; });
  };
  for (std::size_t i = 0; i < root; ++i)
    if (!isOfProgram(i)) inferModule(in, i);
  c.programScope = root;
  c.programBegin = c.program.bindings.size();
}

void inferRoot(Inference& in) {
  const VariableMark mark = markVariables(in.checked);
  inferRootItems(in, rootItems(in.checked.modules));
  finishRoot(in, mark);
}

bool inferRootItems(Inference& in, std::span<const ProgramItem> items, const std::function<bool()>& goOn) {
  in.isRoot = true;
  return inferItems(in, items, in.checked.programScope, goOn);
}

void finishRoot(Inference& in, const VariableMark& before) {
  finishItems(in, in.checked.programBegin, before);
  noteRefinedNames(in, in.deferred.written);
  listRootNames(in.checked);
}

void inferMore(Inference& in) {
  Checked& c = in.checked;
  c.moduleScopes.resize(c.modules.modules.size());
  in.isRoot = true;
  inferItems(in, itemsOf(c.modules, c.modules.modules.size() - 1), c.programScope);
  finishItems(in, c.programBegin, {});
  listRootNames(c);
}

void inferImported(Inference& in, std::size_t modules) {
  in.checked.moduleScopes.resize(modules);
  for (std::size_t i = 0; i < modules; ++i) inferModule(in, i);
}

void enterStatement(Inference& in, std::size_t module, Scope& names, std::span<const ast::Module* const> root) {
  in.current = module;
  in.scopes = {&names};
  in.root = root;
  in.isRoot = true;
}

void inferItem(Inference& in, const ast::Item& item) {
  clearFailure(in);
  in.hidden.clear();
  const std::size_t before = in.program.bindings.size();
  if (auto* param = std::get_if<ast::Param>(&item)) {
    inferParam(in, *param);
  } else if (auto* binding = std::get_if<std::uint32_t>(&item)) {
    in.program.topLevel.push_back(inferBinding(in, *binding));
  } else if (auto* op = std::get_if<ast::OpDecl>(&item)) {
    report(in, declaredOperator, op->span).addHelp("a function is written `scaled = fn (x; factor = 2.0) { ... };`");
  }
  if (!in.bindingFailed) return;
  for (std::size_t b = before; b < in.program.bindings.size(); ++b)
    in.checked.failed[static_cast<std::uint32_t>(b)] = true;
}

namespace {

void refreshScheme(Inference& in, std::uint32_t binding, Scheme& scheme) {
  Solution& solution = in.solution;
  constexpr std::uint32_t level = 2;  // deeper than the module's
  clearFailure(in);
  auto reopen = [&](auto& infos, const auto& variables) {
    for (auto v : variables) infos.edit(v.index).level = level;
  };
  reopen(solution.typeVars, scheme.types);
  reopen(solution.elemVars, scheme.elems);
  reopen(solution.shapeVars, scheme.shapes);
  reopen(solution.dimVars, scheme.dims);
  reopen(solution.staticVars, scheme.statics);
  in.solver.level = level;
  const VariableMark mark = markVariables(in.checked);
  const AssumptionsInScope stated(in.solver, scheme.stated);
  for (Constraint& c : scheme.constraints) addConstraint(in.solver, std::move(c));
  const std::vector<TypeId> parameters = termOf(solution, in.program.bindings[binding].type).parts;
  settleOpenChoices(in.checked, mark, parameters);
  if (!reportConflicts(in)) rejectRefutedFacts(in, scheme.stated);
  if (in.bindingFailed) in.checked.failed[binding] = true;
  Scheme rest = generalise(in.checked, mark, {});
  scheme.constraints = std::move(rest.constraints);
  auto quantifyAgain = [&](auto& infos, auto& old, const auto& fresh) {
    for (auto v : old)
      if (!infos[v.index].binding) infos.edit(v.index).level = genericLevel;
    old.insert(old.end(), fresh.begin(), fresh.end());
  };
  quantifyAgain(solution.typeVars, scheme.types, rest.types);
  quantifyAgain(solution.elemVars, scheme.elems, rest.elems);
  quantifyAgain(solution.shapeVars, scheme.shapes, rest.shapes);
  quantifyAgain(solution.dimVars, scheme.dims, rest.dims);
  quantifyAgain(solution.staticVars, scheme.statics, rest.statics);
  in.solver.level = 0;
}

}  // namespace

void refreshSchemes(Inference& in, std::size_t firstBinding, std::size_t lastBinding) {
  std::map<std::uint32_t, Scheme>& schemes = in.checked.schemes;
  auto end = schemes.lower_bound(static_cast<std::uint32_t>(lastBinding));
  for (auto it = schemes.lower_bound(static_cast<std::uint32_t>(firstBinding)); it != end; ++it) {
    const bool isWaiting = std::any_of(it->second.constraints.begin(), it->second.constraints.end(),
                                       [](const Constraint& c) { return !c.as<constraint::Fact>(); });
    if (isWaiting && !in.checked.failed.count(it->first)) refreshScheme(in, it->first, it->second);
  }
}

bool settleModule(Inference& in, const VariableMark& since) {
  Solution& solution = in.solution;
  // Only these can be in schemes.
  const VariableMark until = markVariables(in.checked);
  auto countOpen = [&] {
    auto count = [](const auto& infos, std::size_t first, std::size_t last) {
      std::size_t open = 0;
      for (std::size_t i = first; i < last; ++i) open += infos[i].binding ? 0 : 1;
      return open;
    };
    return count(solution.typeVars, since.types, until.types) + count(solution.shapeVars, since.shapes, until.shapes) +
           count(solution.dimVars, since.dims, until.dims);
  };
  const std::size_t open = countOpen();
  // While the module's variables are decided, they get a deeper level than its scope.
  auto moveLevels = [&](std::uint32_t from, std::uint32_t to) {
    auto move = [&](auto& infos, std::size_t first) {
      for (std::size_t i = first; i < infos.size(); ++i)
        if (!infos[i].binding && infos[i].level == from) infos.edit(i).level = to;
    };
    move(solution.typeVars, since.types);
    move(solution.shapeVars, since.shapes);
    move(solution.dimVars, since.dims);
  };
  moveLevels(0, 1);
  in.solver.level = 1;
  std::vector<TypeId> given;
  for (const TypedWeight& weight : in.program.weights) given.push_back(in.program[weight.binding].type);
  settleOpenChoices(in.checked, since, given);
  if (!reportConflicts(in)) {
    for (const TypedWeight& weight : in.program.weights)
      if (!checkGivenType(in.solver, in.program[weight.binding].type, since.dims, weight.parameter)) break;
    reportConflicts(in);
  }
  in.solver.level = 0;
  moveLevels(1, 0);
  return countOpen() < open;
}

void checkLiterals(Inference& in, const std::vector<TypedId>& literals) {
  for (TypedId id : literals) {
    const TypedExpr& e = in.program[id];
    const TypeTerm& type = termOf(in.solution, e.type);
    if (type.kind != TypeKind::tensor) continue;
    const ElemTerm elem = in.solution.resolve(type.elem);
    if (elem.isVar) continue;
    const auto bytes = encodeLiteral(std::get<TypedLiteral>(e.node).value, elem.elem);
    if (bytes) continue;
    report(in, numberTooLarge, e.span, arg::Code{bytes.error()}, arg::ElementType{info(elem.elem).name});
  }
}

}  // namespace axle
