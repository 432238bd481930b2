// Finds the binding that is the entry and instantiates its type.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/entry/entry_steps.h"
#include "typecheck/infer/scheme.h"
#include "typecheck/solver/variables.h"

namespace axle {
namespace {

constexpr Message<arg::Name> entryMissing{codes::noEntry, "there is no {} to run", "in this file"};
constexpr Message<arg::Name> paramAsEntry{codes::entryType, "{} is a `param`, no entry", "this name"};
constexpr Message<arg::Name> tuplePartAsEntry{codes::entryType, "{} is a part of a tuple, no entry", "this name"};

void reportNoEntry(EntryState& state) {
  const Checked& c = state.checked;
  const std::string& wanted = state.options.name;
  std::vector<std::string_view> names;
  for (const TopLevelName& n : c.rootNames)
    if (c.program[n.binding].kind != BindingKind::weight) names.push_back(n.name);
  const std::vector<std::string> near = closestNames(wanted, names);
  constexpr std::size_t most = 5;
  if (names.size() > most) names.resize(most);
  Diagnostic& d = report(state, entryMissing, startOf(c), arg::Name{wanted});
  if (!near.empty()) {
    d.addHelp("did you mean {}?", arg::Name{near[0]});
  } else if (names.empty()) {
    d.addHelp("the entry is `main` unless --entry names another");
  } else {
    Phrase all("{}", arg::Name{names[0]});
    for (std::size_t i = 1; i < names.size(); ++i) all = Phrase("{}, {}", all, arg::Name{names[i]});
    d.addHelp("the entry is `main` unless --entry names another; here are {}", all);
  }
}

}  // namespace

bool findEntry(EntryState& state) {
  const Checked& c = state.checked;
  const std::string& wanted = state.options.name;
  auto found =
      std::find_if(c.rootNames.begin(), c.rootNames.end(), [&](const TopLevelName& n) { return n.name == wanted; });
  if (found == c.rootNames.end()) {
    reportNoEntry(state);
    return false;
  }
  state.binding = found->binding;
  const TypedBinding& binding = c.program[state.binding];
  state.span = binding.span;
  if (c.failed.count(state.binding.index)) return false;  // its error was already reported
  state.function = binding.value;
  if (binding.kind == BindingKind::weight)
    report(state, paramAsEntry, state.span, arg::Name{wanted})
        .addHelp("bind it to a name, which can be an entry: {}", arg::Code{"same = " + wanted + ";"});
  else if (!state.function)
    report(state, tuplePartAsEntry, state.span, arg::Name{wanted});
  return !state.failed;
}

namespace {

// Substitutes fresh variables for those that the binding's type quantifies.
void instantiateScheme(EntryState& state, const Scheme& generic) {
  Checked& c = state.checked;
  Solution& solution = c.solution;
  const Substitution& substitution = state.entry.substitution;
  Reason use;
  use.kind = ReasonKind::call;
  use.span = state.span;
  use.subject = fmt::format("`{}`", state.options.name);
  Scheme scheme = generic;
  scheme.stated.clear();
  const Instantiation instance = instantiate(c, scheme, c.provenance.add(std::move(use)));
  state.entry.substitution = asSubstitution(instance);
  for (const auto& [var, shape] : instance.shapes) state.shapeNames.emplace(solution.shapeVars[var.index].name, shape);
  for (const auto& [var, dim] : instance.dims) {
    state.dimNames.emplace(solution.dims.name(var), dim);
    if (solution.dimVars[var.index].kind == DimKind::streamed) state.streams.push_back(dim);
    if (auto fresh = solution.dims.asVariable(dim))
      solution.dimVars.edit(fresh->index).named = solution.dimVars[var.index].named;
  }
  for (DimFact fact : generic.stated) {
    fact.left = solution.resolve(fact.left, &substitution);
    fact.right = solution.resolve(fact.right, &substitution);
    if (fact.stretch)
      for (Dim* d : {&fact.stretch->first, &fact.stretch->second}) *d = solution.resolve(*d, &substitution);
    fact.reason = fmt::format("`{}` states it", state.options.name);
    state.stated.push_back(std::move(fact));
  }
  state.type = solution.resolve(state.type, &substitution);
}

// Finds the sizes that the user named and inference found to be numbers, and the inputs that give them: such a size
// still gets a symbol, and its value is a guard (guardRefinedNames).
void collectRefinedNames(EntryState& state, TypedId lambda, const std::vector<BindingId>& parameters) {
  Checked& c = state.checked;
  Solution& solution = c.solution;
  // Returns the first parameter that has this variable as a size, and the parts of its shape before that size.
  auto giverOf = [&](DimVar var) -> std::optional<std::pair<std::size_t, Shape>> {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const TypeTerm& type = solution.types[c.program[parameters[i]].type];
      if (type.kind != TypeKind::tensor) continue;
      auto isThis = [&](const ShapePart& part) { return !part.isVar && solution.dims.asVariable(part.dim) == var; };
      const auto size = std::find_if(type.shape.begin(), type.shape.end(), isThis);
      if (size == type.shape.end()) continue;
      return std::pair(i, solution.resolve(Shape(type.shape.begin(), size), &state.entry.substitution));
    }
    return std::nullopt;
  };
  auto found = c.written.find(lambda.index);
  if (found == c.written.end()) return;
  for (const WrittenName& name : found->second) {
    const auto var = name.is.isVar ? std::nullopt : c.solution.dims.asVariable(name.is.dim);
    const Dim value = c.solution.resolve(name.is.dim);
    if (!var || !c.solution.dims.asConstant(value)) continue;
    const auto giver = giverOf(*var);
    if (!giver) continue;
    const std::string& text = c.solution.dims.name(*var);
    state.dimNames.emplace(text, value);
    state.refinedNames.push_back({giver->first, giver->second, text, value, name.span, sourceOf(c, name.is)});
  }
}

// Lists the parameters of the entry's lambda, which the entry may name through aliases.
void listParameters(EntryState& state) {
  const TypedProgram& program = state.checked.program;
  constexpr int mostAliases = 100;
  TypedId at = state.function;
  for (int i = 0; i < mostAliases; ++i) {
    const TypedExpr& e = program[at];
    if (auto* lambda = std::get_if<TypedLambda>(&e.node)) {
      for (BindingId parameter : lambda->parameters) {
        const TypedBinding& b = program[parameter];
        state.parameterNames.push_back(b.name.empty() ? "x" + std::to_string(state.parameterNames.size()) : b.name);
        state.parameterSpans.push_back(b.span);
      }
      collectRefinedNames(state, at, lambda->parameters);
      return;
    }
    auto* ref = std::get_if<TypedRef>(&e.node);
    if (!ref || !program[ref->binding].value) return;
    at = program[ref->binding].value;
  }
}

}  // namespace

void instantiateEntry(EntryState& state) {
  Checked& c = state.checked;
  Solution& solution = c.solution;
  state.type = c.program[state.binding].type;
  if (const Scheme* scheme = schemeOf(c, state.binding)) instantiateScheme(state, *scheme);
  for (std::uint32_t i = 0; i < solution.dimVars.size(); ++i)
    if (solution.dimVars[i].named && solution.dimVars[i].level == 0)
      state.dimNames.emplace(solution.dims.name(DimVar{i}), solution.dims.variable(DimVar{i}));
  if (c.isGraph) {  // its sizes have names for messages only
    OpenVariables sizes;
    collectVariables(c.solver, state.type, sizes);
    for (DimVar v : sizes.dims) state.dimNames.emplace(solution.dims.name(v), solution.dims.variable(v));
  }
  listParameters(state);
}

}  // namespace axle
