#include "typecheck/report/replay.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "typecheck/checked.h"
#include "typecheck/checked_trial.h"
#include "typecheck/infer/expressions.h"
#include "typecheck/infer/functions.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/scheme.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle {
namespace {

constexpr std::uint64_t shareOfWork = 20;  // a replay may take one part in so many of the work that a check may take

// A top-level `let` of one name, and the names that its value mentions.
struct Definition {
  std::string name;
  const ast::Binding* binding;
  std::set<std::string> mentioned;
};

std::vector<Definition> definitionsOf(const ast::Module& module) {
  std::vector<Definition> all;
  for (const ast::Item& item : module.items) {
    const auto* index = std::get_if<std::uint32_t>(&item);
    if (!index) continue;
    const ast::Binding& binding = module.bindings[*index];
    if (const auto* name = std::get_if<ast::PatternName>(&module[binding.pattern].node))
      all.push_back({name->name, &binding, {}});
  }
  for (const ast::Expr& e : module.exprs)
    if (const auto* name = std::get_if<ast::ExprName>(&e.node))
      for (Definition& d : all)
        if (isWithin(e.span, d.binding->span)) d.mentioned.insert(name->name);
  return all;
}

// The definitions to replay, best first: those that nothing calls and that come to the one with the error, and that
// one.
std::vector<const Definition*> candidates(const std::vector<Definition>& all, const Definition& failing,
                                          const std::string& entry) {
  std::set<std::string> reaching{failing.name};
  for (const Definition& d : all)  // what is used is defined before
    if (std::ranges::any_of(d.mentioned, [&](const std::string& name) { return reaching.count(name) > 0; }))
      reaching.insert(d.name);
  std::vector<const Definition*> found;
  for (const Definition& d : all) {
    const bool isCalled = std::ranges::any_of(all, [&](const Definition& o) { return o.mentioned.count(d.name) > 0; });
    if (reaching.count(d.name) && (d.name == entry || !isCalled)) found.push_back(&d);
  }
  std::ranges::stable_partition(found, [&](const Definition* d) { return d->name == entry; });
  if (std::ranges::find(found, &failing) == found.end()) found.push_back(&failing);
  return found;
}

class Replay {
 public:
  Replay(Checked& checked, const CheckOptions& options, const Diagnostic& error)
      : checked_(checked), options_(options), error_(error), root_(checked.modules.root()) {
    options_.dimWork /= shareOfWork;
    options_.work /= shareOfWork;
  }

  std::optional<Replayed> run(const std::vector<Definition>& all, const Definition& failing) {
    const bool isNarrowed = isNarrowing(error_.code);
    for (const Definition* d : candidates(all, failing, options_.entry)) {
      if (isNarrowed && d->name != options_.entry) continue;
      // The sizes that an entry names may be anything: what gives one a value fails before what that value breaks.
      const ReplayPlan plan{d->name, false, isNarrowed ? namesOfError() : std::set<std::string>()};
      const bool mayPromise = d->name == options_.entry && !isNarrowed;
      auto found = of(all, *d, failing, plan, mayPromise ? Guessing::outsideOfCalls : Guessing::always);
      if (!found) continue;
      if (mayPromise && !found->calls.empty()) {
        auto before = of(all, *d, failing, {d->name, true}, Guessing::always);
        found = before ? std::move(before) : of(all, *d, failing, plan, Guessing::always);
      }
      found->isElsewhere = isNarrowed || !found->calls.empty() ||
                           std::get<Span>(found->diagnostic.primary.place) != std::get<Span>(error_.primary.place);
      return found;
    }
    return std::nullopt;
  }

 private:
  // Guesses cost more than a replay: none are made where another plan's replay is likely to take its place.
  enum class Guessing : std::uint8_t { always, outsideOfCalls };

  // Whether the failure is in the definition, or in what it calls.
  bool isOf(const Definition& failing, const Replayed& found) const {
    auto isInside = [&](Span span) { return isWithin(span, failing.binding->span); };
    return isInside(std::get<Span>(found.diagnostic.primary.place)) || std::ranges::any_of(found.calls, isInside);
  }
  std::set<std::string> namesOfError() const;
  // Nothing where the failure found is none of `failing`.
  std::optional<Replayed> of(const std::vector<Definition>& all, const Definition& definition,
                             const Definition& failing, ReplayPlan plan, Guessing guessing);

  Checked& checked_;
  CheckOptions options_;
  const Diagnostic& error_;
  const ast::Module& root_;
};

// The names of sizes that the error is about.
std::set<std::string> Replay::namesOfError() const {
  std::set<std::string> names;
  auto add = [&](const Label& label) { names.emplace(checked_.sources.text(std::get<Span>(label.place))); };
  add(error_.primary);
  for (const Label& label : error_.secondary)
    if (isOtherName(label)) add(label);
  names.insert(error_.arguments.back());  // the other size, if that is a name
  return names;
}

void promise(Inference& in, const Scope& scope, const ReplayPlan& plan) {
  for (const auto& [name, size] : scope.names.dims) {
    const DimVarInfo& info = in.solution.dimVars[size.index];
    const bool isFree = info.kind == DimKind::plain && !info.rigid;
    if (plan.areAllPromised ? isFree : plan.promised.count(name) > 0)
      in.solution.dimVars.edit(size.index).promised = true;
  }
}

// Marks the calls that lead to an error which is no conflict of types, as those of conflicts are marked.
void labelCalls(const SourceMap& sources, const std::vector<Span>& calls, Diagnostic& error) {
  constexpr std::size_t most = 4;  // the innermost ones
  auto isMarked = [&](Span call) {
    return std::ranges::any_of(error.secondary, [&](const Label& label) {
      const Span* place = std::get_if<Span>(&label.place);
      return place && *place == call;
    });
  };
  for (std::size_t i = 0; i < calls.size() && i < most; ++i) {
    const std::string_view text = sources.text(calls[i]);
    if (!isMarked(calls[i]))
      error.addLabel(calls[i], "in this call of {}", arg::Name{std::string(text.substr(0, text.find('(')))});
  }
}

std::optional<Replayed> Replay::of(const std::vector<Definition>& all, const Definition& definition,
                                   const Definition& failing, ReplayPlan plan, Guessing guessing) {
  const CheckedTrial trial(checked_);
  Diagnostics found;
  Inference in(checked_, options_, found);
  FollowedCalls followed;
  const std::size_t ofRoot = checked_.modules.modules.size() - 1;
  Scope& names = checked_.moduleScopes[checked_.programScope];
  for (const Definition& d : all) {
    const auto* fn = std::get_if<ast::ExprFn>(&root_[withoutParentheses(root_, d.binding->value)].node);
    const auto bound = names.values.find(d.name);
    if (fn && bound != names.values.end()) followed.functions[bound->second.index] = {ofRoot, fn};
  }
  in.followed = &followed;
  const ast::Module* whole = &root_;
  enterStatement(in, ofRoot, names, {&whole, 1});
  const bool isDone = withinBudget(in, found, [&] { inferFollowing(in, *definition.binding, plan); });
  if (!isDone || found.empty()) return std::nullopt;
  Diagnostic& first = found.front();
  const Span* place = std::get_if<Span>(&first.primary.place);
  if (!place || place->source != root_.source || !isOfTypes(first.code)) return std::nullopt;
  labelCalls(checked_.sources, followed.failed, first);
  Replayed replayed{std::move(plan), std::move(first), std::move(followed.failed), followed.reached, {}};
  if (!isOf(failing, replayed)) return std::nullopt;
  if (guessing == Guessing::always || replayed.calls.empty())
    replayed.guesses = guessAtOperator(checked_, replayed.diagnostic, error_.code);
  replayed.made = madeOperands(checked_, replayed.diagnostic, replayed.calls);
  return replayed;
}

}  // namespace

void inferFollowing(Inference& in, const ast::Binding& definition, const ReplayPlan& plan) {
  const ast::Module& module = in.module();
  const ast::ExprId value = withoutParentheses(module, definition.value);
  clearFailure(in);
  in.at = definition.span;
  in.defining = {plan.definition};
  const VariableMark mark = markVariables(in.checked);
  ++in.solver.level;
  const auto* fn = std::get_if<ast::ExprFn>(&module[value].node);
  std::vector<TypeId> parameters;
  if (fn)
    inferFunctionOnce(in, module[value].span, *fn, {}, [&](const TypeTerm& function, const Scope& scope) {
      parameters = function.parts;
      promise(in, scope, plan);
      return true;
    });
  else
    inferExpr(in, value);
  if (!reportConflicts(in) && !in.conflicted) settleOpenChoices(in.checked, mark, parameters);
  reportConflicts(in);
}

bool isOfTypes(const DiagnosticCode* code) {
  const DiagnosticCode* known[] = {&codes::dimMismatch, &codes::rankMismatch, &codes::elemMismatch, &codes::elemClass,
                                   &codes::factRefuted, &codes::reshapeTotal, &codes::typeMismatch};
  return std::find(std::begin(known), std::end(known), code) != std::end(known);
}

namespace {

// Whether a place is a fact of a signature: what contradicts it is told there.
bool isStatedFact(const ast::Module& module, Span place) {
  return std::ranges::any_of(module.exprs, [&](const ast::Expr& e) {
    const auto* fn = std::get_if<ast::ExprFn>(&e.node);
    return fn && std::ranges::any_of(fn->where, [&](const ast::Fact& fact) { return fact.span == place; });
  });
}

}  // namespace

std::optional<Replayed> replay(Checked& checked, const CheckOptions& options, const Diagnostic& error) {
  const Span* place = std::get_if<Span>(&error.primary.place);
  const ast::Module& root = checked.modules.root();
  if (!place || place->source != root.source || !checked.modules.program.empty()) return std::nullopt;
  if (!isOfTypes(error.code) && !isNarrowing(error.code)) return std::nullopt;
  if (isStatedFact(root, *place)) return std::nullopt;
  const std::vector<Definition> all = definitionsOf(root);
  for (const Definition& d : all)
    if (isWithin(*place, d.binding->span)) return Replay(checked, options, error).run(all, d);
  return std::nullopt;
}

}  // namespace axle
