#include "typecheck/report/tries.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "typecheck/checked_trial.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/unknown_names.h"
#include "typecheck/report/call_path.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/left_facts.h"
#include "typecheck/report/natural_notes.h"
#include "typecheck/report/query.h"
#include "typecheck/solver/fact_tiers.h"

namespace axle {
namespace {

constexpr std::uint64_t shareForTry = 100;  // a try may take one part in so many of the work that a check may take
// Tries end when they have cost so much work on sizes (terms of their arithmetic, steps of the decider), and as much as
// the check did.
constexpr std::uint64_t freeWork = 65'536;
constexpr std::uint64_t freeWorkOfWarnings = 8 * freeWork;  // a program without errors, whose names are not free
// A try may take so much work to decide facts that no try before it has asked about, and as much as the check. Where
// that asked Z3, most of its work was a fact that does not hold, or only by luck: a mend does not leave it.
constexpr std::uint64_t decidingPerTerm = 4;  // steps of the decider that take as long as a term of the arithmetic
constexpr std::uint64_t workOfTry = 2'097'152, shareWithZ3 = 32;
constexpr std::uint64_t moreBehindFailure = 4;  // times that behind the failure, where most are mends, and for warnings
constexpr std::uint64_t mostOfLimit = 3;        // a try may take one part in so many, or as much as the check
constexpr std::uint64_t partAtCalls = 65;       // percent of the work that is left, which the tries at calls may take

// Whether the `cast` that an edit writes at an offset makes whole numbers of floats, bool of numbers, or positions of a
// mask: such a program checks, but computes something that nobody means.
bool losesValues(Checked& checked, const ChangedProgram& changed, std::uint32_t begin) {
  for (const TypedExpr& e : checked.program.exprs) {
    const auto* apply = std::get_if<TypedApply>(&e.node);
    if (!apply || checked.operators[apply->op].name != "cast") continue;
    if (!(e.span.source == checked.modules.root().source) || changed.before(e.span.begin) != begin) continue;
    auto elemOf = [&](TypeId type) {
      return checked.solution.resolve(checked.solution.types[checked.solution.resolve(type)].elem);
    };
    const ElemTerm from = elemOf(checked.program[apply->arguments[0]].type), to = elemOf(e.type);
    const bool isOpenInt = to.isVar && checked.solution.elemVars[to.var.index].elemClass == ElemClass::integer;
    const bool isInt = isOpenInt || (!to.isVar && info(to.elem).isInt);
    if (!from.isVar && isInt && info(from.elem).isFloat) return true;
    if (!from.isVar && isOpenInt && from.elem == Elem::boolean) return true;
    return !to.isVar && to.elem == Elem::boolean;
  }
  return false;
}

// The names that a module uses otherwise than to call what they mean.
std::set<std::string> namesAsValues(const ast::Module& module) {
  std::set<std::uint32_t> called;
  for (const ast::Expr& e : module.exprs)
    if (const auto* call = std::get_if<ast::ExprCall>(&e.node)) called.insert(call->callee.index);
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < module.exprs.size(); ++i)
    if (const auto* name = std::get_if<ast::ExprName>(&module.exprs[i].node); name && !called.count(i))
      names.insert(name->name);
  return names;
}

// The name that a binding gives to a function literal, and the literal; none for others.
struct NamedFunction {
  std::string name;
  const ast::ExprFn* literal = nullptr;
};
NamedFunction namedFunction(const ast::Module& module, const ast::Item& item) {
  const auto* index = std::get_if<std::uint32_t>(&item);
  if (!index) return {};
  const ast::Binding& binding = module.bindings[*index];
  const auto* name = std::get_if<ast::PatternName>(&module[binding.pattern].node);
  const auto* fn = std::get_if<ast::ExprFn>(&module[withoutParentheses(module, binding.value)].node);
  return name ? NamedFunction{name->name, fn} : NamedFunction();
}

// What the checker knows after some items, for the inference of those behind them.
void goOnAfter(const Inference& done, Diagnostics& found, Inference& in) {
  found = done.diagnostics;
  in.errors = done.errors;
  in.refinedNames = done.refinedNames;
  in.missingImports = done.missingImports;
  in.unread = done.unread;
  in.deferred = done.deferred;
}

}  // namespace

// The first items of the unchanged program, on top of those of the prefix before it.
struct Tries::Prefix {
  Prefix(Checked& base, const CheckOptions& options) : trial(base), in(base, options, found) {}

  CheckedTrial trial;
  Diagnostics found;
  Inference in;
  std::size_t items = 0;
  bool isWhole = true;  // within the budget
};

Tries::Tries(const Checked& checked, const CheckOptions& options, const Diagnostics& before)
    : modules_(checked.modules),
      sources_(checked.sources),
      rootIndex_(modules_.modules.size() - 1),
      root_(modules_.root().source),
      options_(options),
      before_(before),
      base_(modules_, sources_, options.operators),
      items_(itemsOf(modules_, rootIndex_)) {
  base_.solution.dims.interruptWith(options.interrupt);
  base_.operators = checked.operators;
  // What the check of the imports asked is known.
  base_.solver.decider = checked.solver.decider.countingOnce(checked.solver.decider.limits().work);
  Diagnostics ofImports;
  Inference in(base_, options, ofImports);
  withinBudget(in, ofImports, [&] { inferImports(in); });
  mark_ = markVariables(base_);
  options_.dimWork /= shareForTry;
  options_.work /= shareForTry;
  const decide::Statistics check = decisionStatistics(checked.solver);
  const std::uint64_t deciding = check.askedZ3 ? check.work / shareWithZ3 : check.work;
  workOfTry_ = workOfTry + deciding;
  base_.solver.decider = checked.solver.decider.countingOnce(checked.solver.decider.limits().work);
  const bool hasErrors =
      std::ranges::any_of(before, [](const Diagnostic& d) { return d.code->severity == Severity::error; });
  limit_ = base_.solution.dims.work() + (hasErrors ? freeWork : freeWorkOfWarnings) + 2 * checked.solution.dims.work() +
           deciding;
  // A try whose sizes grow beyond all that the check has seen leaves work for others.
  options_.dimWork = std::min(options_.dimWork, std::max(limit_ / mostOfLimit, checked.solution.dims.work()));
  isOnlyError_ =
      1 == std::ranges::count_if(before, [](const Diagnostic& d) { return d.code->severity != Severity::note; });
  asValues_ = namesAsValues(modules_.root());
  const ast::Module& root = modules_.root();
  for (const ast::Expr& e : root.exprs)
    if (const auto* name = std::get_if<ast::ExprName>(&e.node)) {
      used_.insert(name->name);
      for (const ast::Item& item : root.items)
        if (const NamedFunction function = namedFunction(root, item); function.literal)
          if (isWithin(e.span, root[function.literal->body].span)) mentions_[function.name].insert(name->name);
    }
  for (const ast::Item& item : root.items)
    if (const NamedFunction function = namedFunction(root, item); function.literal)
      functions_[function.name] = root.bindings[std::get<std::uint32_t>(item)].span;
  statesEquations_ = sources_.text(root_).find("==") != std::string_view::npos;
  for (const TopLevelName& top : checked.rootNames)
    if (!checked.failed.count(top.binding.index)) good_.insert(top.name);
}

Tries::~Tries() {
  while (!prefixes_.empty()) prefixes_.pop_back();
}

std::uint64_t Tries::work() const { return base_.solution.dims.work() + decided_ / decidingPerTerm; }

bool Tries::areSpent() const { return work() > limit_; }

// Infers the first items of the unchanged program, or as few of them as are not inferred yet. False past the budget.
bool Tries::inferBefore(std::size_t items) {
  while (!prefixes_.empty() && prefixes_.back()->items > items) prefixes_.pop_back();
  const std::size_t from = prefixes_.empty() ? 0 : prefixes_.back()->items;
  if (from < items) {
    auto next = std::make_unique<Prefix>(base_, options_);
    if (!prefixes_.empty()) goOnAfter(prefixes_.back()->in, next->found, next->in);
    next->items = items;
    const std::span<const ProgramItem> more{items_.data() + from, items - from};
    next->isWhole = (prefixes_.empty() || prefixes_.back()->isWhole) &&
                    withinBudget(next->in, next->found, [&] { inferRootItems(next->in, more); });
    prefixes_.push_back(std::move(next));
  }
  return prefixes_.empty() || prefixes_.back()->isWhole;
}

// Follows the calls of a definition of the changed program. Functions behind the first change are not inferred by
// themselves, unless they are values. Does nothing where the change is behind the definition.
void Tries::replay(Inference& in, const ReplayPlan& plan, const ChangedProgram& changed) {
  Scope& names = base_.moduleScopes[base_.programScope];
  std::set<std::string> asValues = namesAsValues(modules_.root());
  asValues.insert(asValues_.begin(), asValues_.end());
  for (std::size_t i = 0; i < changed.items.size(); ++i) {
    const auto [module, item] = changed.items[i];
    const ast::Module& of = modules_.modules[module];
    const NamedFunction function = namedFunction(of, of.items[item]);
    in.current = module;
    in.whole = &of;
    in.root = {&in.whole, 1};
    in.scopes = {&names};
    if (function.name == plan.definition) {
      if (i >= changed.same) inferFollowing(in, of.bindings[std::get<std::uint32_t>(of.items[item])], plan);
      return;
    }
    const auto known = names.values.find(function.name);
    if (i < changed.same) {
      if (function.literal && known != names.values.end())
        in.followed->functions[known->second.index] = {module, function.literal};
    } else if (!function.literal || asValues.count(function.name)) {
      inferItem(in, of.items[item]);
    } else {
      const Span span = of.bindings[std::get<std::uint32_t>(of.items[item])].span;
      const BindingId id = declare(in.program, function.name, span, BindingKind::value, errorType(in.solution));
      names.values[function.name] = id;
      in.followed->functions[id.index] = {module, function.literal};
    }
  }
}

// Whether the changed program, whose first items are inferred, fails at the same operator as before, or at another one
// although there was no other error.
bool Tries::failsAgain(const Replayed& before, const ChangedProgram& changed) {
  const CheckedTrial trial(base_);
  Diagnostics found;
  Inference in(base_, options_, found);
  in.isRoot = true;
  FollowedCalls followed;
  in.followed = &followed;
  if (isOnlyError_) in.errors = maxErrors;  // so that nothing is explained
  if (!withinBudget(in, found, [&] { replay(in, before.plan, changed); })) return false;
  if (isOnlyError_) return in.errors > maxErrors;
  if (found.empty()) return false;
  auto isSame = [&](Span one, Span now) {
    return one.begin == (now.source == modules_.root().source ? changed.before(now.begin) : now.begin);
  };
  const Span* place = std::get_if<Span>(&found.front().primary.place);
  return place && isSame(std::get<Span>(before.diagnostic.primary.place), *place) &&
         std::ranges::equal(before.calls, followed.failed, isSame);
}

// The changed program of a guess, whose items are those of a module that is added to the program.
struct Tries::Added {
  ChangedProgram changed;
  std::size_t module;
};

struct Tries::Guess {
  GuessedFix fix;
  CallPath::Site site;
  std::optional<std::size_t> module;  // of its changed items, if it is to be tried at a call
  std::optional<Added> added;         // once it is tried
  bool isTried = false;
  std::optional<bool> passes;  // what the try gave
};

// Puts the functions and weights of a changed program in the place of the program's.
void Tries::putInPlace(Inference& in, const Added& added) {
  const Scope& names = base_.moduleScopes[base_.programScope];
  const ast::Module& of = modules_.modules[added.module];
  for (const ast::Item& item : of.items) {
    const NamedFunction function = namedFunction(of, item);
    const auto known = names.values.find(function.name);
    if (function.literal && known != names.values.end()) {
      in.followed->functions[known->second.index] = {added.module, function.literal};
      continue;
    }
    if (const auto* param = std::get_if<ast::Param>(&item))
      base_.moduleScopes[base_.programScope].values.erase(param->name.text);
    const std::size_t caller = std::exchange(in.current, added.module);
    const std::vector<Scope*> ofCaller = std::exchange(in.scopes, {&base_.moduleScopes[base_.programScope]});
    inferItem(in, item);
    in.scopes = ofCaller;
    in.current = caller;
  }
}

// What a call of the unchanged program is in a changed one.
std::optional<FollowedCalls::Instead> Tries::changedCall(const Added& added, Span call) const {
  const ast::Module& module = modules_.modules[added.module];
  for (std::uint32_t i = 0; i < module.exprs.size(); ++i) {
    const Span span = module.exprs[i].span;
    if (std::holds_alternative<ast::ExprCall>(module.exprs[i].node) && added.changed.before(span.begin) == call.begin &&
        added.changed.before(span.end) == call.end)
      return FollowedCalls::Instead{added.module, ast::ExprId{i}};
  }
  return std::nullopt;
}

// The guesses that touch what is evaluated before the failure. Those that can be tried at a call of the path get their
// modules together, which are empty at first: what is inferred holds on to modules.
std::vector<Tries::Guess> Tries::addGuesses(std::vector<GuessedFix> fixes, const Replayed& replayed) {
  std::vector<Span> marks;
  for (const Label& label : replayed.diagnostic.secondary)
    if (const Span* span = std::get_if<Span>(&label.place)) marks.push_back(*span);
  const CallPath path(modules_.root(), std::get<Span>(replayed.diagnostic.primary.place), replayed.calls,
                      replayed.reached, marks);
  std::vector<Guess> guesses;
  for (GuessedFix& fix : fixes)
    if (const auto site = path.siteOf(fix))
      guesses.push_back({std::move(fix), *site, std::nullopt, std::nullopt, false, std::nullopt});
  for (Guess& guess : guesses) {
    if (guess.site.level >= replayed.calls.size()) continue;
    guess.module = modules_.modules.size();
    modules_.imports.push_back(modules_.imports.back());
    modules_.modules.emplace_back();
  }
  return guesses;
}

// Fills the module of a guess. False where the changed text has syntax errors.
bool Tries::addChanged(Guess& guess) {
  if (guess.added) return true;
  auto changed = changeProgram(modules_, rootIndex_, sources_, guess.fix.edits);
  if (!changed) return false;
  modules_.modules[*guess.module] = std::move(changed->module);
  guess.added = Added{std::move(*changed), *guess.module};
  return true;
}

// Follows the calls of the unchanged program to the failure, and tries the guesses on the way back, until they have
// cost `most`, or one gets past it before which all were tried. Whether that ended it.
bool Tries::tryAtCalls(std::vector<Guess>& guesses, const Replayed& replayed, bool isOneEnough, std::uint64_t most) {
  const CheckedTrial trial(base_);
  base_.moduleScopes.resize(modules_.modules.size());
  Diagnostics found;
  Inference in(base_, options_, found);
  in.isRoot = true;
  in.errors = maxErrors;  // so that nothing is explained
  FollowedCalls followed;
  followed.watched = replayed.calls;
  in.followed = &followed;
  auto passes = [&](Guess& guess, Span call, const FollowedCalls::Again& again,
                    bool changesCall) -> std::optional<bool> {
    if (!addChanged(guess)) return false;
    const CheckedTrial change(base_);
    const auto functions = followed.functions;
    bool isWhole = false;
    const auto instead = changesCall ? changedCall(*guess.added, call) : std::nullopt;
    if (changesCall && !instead) return std::nullopt;  // the edits make something else of it
    withinBudget(in, found, [&] {
      if (!instead) putInPlace(in, *guess.added);
      isWhole = again(instead);
    });
    followed.functions = functions;
    return isWhole;
  };
  const std::uint64_t last = work() + left() * partAtCalls / 100;
  std::optional<std::uint64_t> end;  // from where the failure was reached
  auto isEnough = [&] {
    for (const Guess& guess : guesses) {
      if (!guess.isTried && guess.module) return false;
      if (guess.module && guess.passes == true && !guess.fix.isFallback) return true;
    }
    return false;
  };
  followed.onFailure = [&](Span call, const FollowedCalls::Again& again) {
    if (!end) end = std::min(last, work() + std::min(most, last));
    const auto level = static_cast<std::size_t>(std::ranges::find(replayed.calls, call) - replayed.calls.begin());
    // A call further in that did not fail by itself, as one in the cell of a loop, is tried from here.
    for (Guess& guess : guesses)
      if (guess.site.level <= level && guess.module && !guess.isTried && work() < *end &&
          !(isOneEnough && isEnough())) {
        guess.passes = passes(guess, call, again, guess.site.changesCall && guess.site.level == level);
        guess.isTried = guess.passes != false || guess.site.outer.value_or(level) <= level;
        if (!guess.isTried) guess.site = {*guess.site.outer};
      }
  };
  const std::uint64_t decided = base_.solver.decider.statistics().work;
  withinBudget(in, found, [&] { replay(in, replayed.plan, {{}, items_, 0, {}}); });
  decided_ += base_.solver.decider.statistics().work - decided;
  // Two promised names may meet only behind all calls: then nothing is known of any guess.
  if (!end && !replayed.plan.promised.empty())
    for (Guess& guess : guesses) guess.module.reset();
  return isOneEnough && isEnough();
}

std::vector<LikelyFix> Tries::likely(std::vector<GuessedFix> fixes, const Replayed& replayed, bool isOneEnough,
                                     std::uint64_t most) {
  std::ranges::stable_partition(fixes, &GuessedFix::isSure);
  while (!prefixes_.empty()) prefixes_.pop_back();
  const std::size_t modules = modules_.modules.size();
  std::vector<Guess> guesses = addGuesses(std::move(fixes), replayed);
  const bool isEnough = modules_.modules.size() > modules && tryAtCalls(guesses, replayed, isOneEnough, most);
  modules_.modules.resize(modules);
  modules_.imports.resize(modules);
  std::vector<LikelyFix> left;
  for (Guess& guess : guesses)
    if (guess.passes.value_or(true))
      left.push_back({std::move(guess.fix), guess.passes.has_value(), guess.module && !guess.isTried && isEnough,
                      guess.module && !guess.isTried && !isEnough});
  return left;
}

bool Tries::mends(const Diagnostic& error, const LikelyFix& likely, const std::optional<Replayed>& replayed) {
  const GuessedFix& fix = likely.fix;
  for (const Edit& edit : fix.edits)
    if (!(edit.span.source == root_)) return false;
  std::optional<ChangedProgram> changed = changeProgram(modules_, rootIndex_, sources_, fix.edits);
  if (!changed || !inferBefore(changed->same)) return false;
  modules_.imports.push_back(modules_.imports.back());
  modules_.modules.push_back(std::move(changed->module));
  bool isMended = false;
  {
    const CheckedTrial trial(base_);
    base_.moduleScopes.resize(modules_.modules.size());
    const bool isReplayed = replayed && !likely.isTriedAtCall;
    const bool hasMore = likely.isTriedAtCall || isNarrowing(error.code);
    base_.solver.decider = base_.solver.decider.countingOnce(hasMore ? moreBehindFailure * workOfTry_ : workOfTry_);
    // Where a change is likely what was meant, the notes of functions that could not be checked before are theirs.
    const bool isNeverReplayed = !replayed && error.code->severity == Severity::error;
    const bool mayRelate = isNeverReplayed || likely.isTriedAtCall || fix.isSure;
    isMended = !(isReplayed && failsAgain(*replayed, *changed)) &&
               checksOtherwise(error, likely, *changed, mayRelate) && !base_.solver.decider.isExhausted();
    decided_ += base_.solver.decider.statistics().work;
  }
  modules_.modules.pop_back();
  modules_.imports.pop_back();
  return isMended;
}

// Checks the changed program, whose first items are inferred.
bool Tries::checksOtherwise(const Diagnostic& error, const LikelyFix& likely, const ChangedProgram& changed,
                            bool mayRelate) {
  Diagnostics after;
  Inference in(base_, options_, after);
  if (!prefixes_.empty()) goOnAfter(prefixes_.back()->in, after, in);
  const auto goOn = [&] { return areKnown(after, error, changed, mayRelate); };
  const std::span<const ProgramItem> rest{changed.items.data() + changed.same, changed.items.size() - changed.same};
  if (!goOn()) return false;
  const bool isWhole = withinBudget(in, after, [&] {
    if (inferRootItems(in, rest, goOn)) finishRoot(in, mark_);
  });
  if (!isWhole || !goOn()) return false;
  for (const Edit& edit : likely.fix.edits)
    if (edit.text.starts_with("cast(") && losesValues(base_, changed, edit.span.begin)) return false;
  base_.solution.restartWork();
  // An error that is itself about what divides a size is not mended by leaving that to callers.
  const bool mayDivide = error.code != &codes::reshapeTotal && error.message.find_first_of("/%") == std::string::npos;
  return !leavesFacts(mayDivide ? Dividing::ofOneSize : Dividing::nothing, likely.fix);
}

// Whether a function that had errors leaves facts to its callers, or the program to whoever runs it. It may leave what
// a function that it calls leaves, too; where the program calls it, what divides sizes, or anything if the fix is
// elsewhere. What the program asks of weights without types, it asks of their file.
bool Tries::leavesFacts(Dividing allowed, const Fix& fix) {
  const bool areWeightsOpen = std::ranges::any_of(base_.rootNames, [&](const TopLevelName& top) {
    return base_.program[top.binding].kind == BindingKind::weight && isOpen(base_, top.binding);
  });
  std::set<std::string> leaving;
  std::vector<const TopLevelName*> unsure;
  auto leaves = [&](const TopLevelName& top) {
    return leavesMore(printBinding(base_, top.binding), {allowed, statesEquations_, areWeightsOpen});
  };
  auto isChanged = [&](const std::string& name) {
    const auto function = functions_.find(name);
    return function == functions_.end() ||
           std::ranges::any_of(fix.edits, [&](const Edit& edit) { return isWithin(edit.span, function->second); });
  };
  auto isLeftToCalls = [&](const TopLevelName& top) {
    return isOnlyError_ && used_.count(top.name) > 0 &&
           (!isChanged(top.name) ||
            !leavesMore(printBinding(base_, top.binding), {Dividing::ofSizes, true, areWeightsOpen}));
  };
  for (const TopLevelName& top : base_.rootNames)
    if (!good_.count(top.name) && !base_.failed.count(top.binding.index) && leaves(top) && !isLeftToCalls(top))
      unsure.push_back(&top);
  if (unsure.empty()) return false;
  for (const TopLevelName& top : base_.rootNames)
    if (good_.count(top.name) && used_.count(top.name) && leaves(top)) leaving.insert(top.name);
  return !std::ranges::all_of(unsure, [&](const TopLevelName* top) {
    const std::set<std::string>& names = mentions_[top->name];
    const bool isFromCalled =
        std::ranges::any_of(names, [&](const std::string& name) { return leaving.count(name) > 0; });
    leaving.insert(top->name);
    return isFromCalled && used_.count(top->name) > 0;
  });
}

// Whether all that a changed program reports was reported before, apart from the error. `mayRelate`: functions may
// relate their sizes otherwise.
bool Tries::areKnown(Diagnostics found, const Diagnostic& error, const ChangedProgram& changed, bool mayRelate) {
  if (mayRelate) std::erase_if(found, relatesSizes);
  keepFirstOfMissingImports(sources_, found);
  const SourceId changedSource = modules_.root().source;
  // Where a place of the program was in the unchanged text; nothing for places in imported modules.
  auto placeBefore = [&](const Diagnostic& d) -> std::optional<std::uint32_t> {
    const Span* place = std::get_if<Span>(&d.primary.place);
    if (place && place->source == changedSource) return changed.before(place->begin);
    return place && place->source == root_ ? std::optional(place->begin) : std::nullopt;
  };
  std::vector<const Diagnostic*> left;
  for (const Diagnostic& d : before_)
    if (&d != &error) left.push_back(&d);
  for (const Diagnostic& d : found) {
    const auto known = std::ranges::find_if(left, [&](const Diagnostic* k) {
      return k->message == d.message && (!placeBefore(*k) || placeBefore(*k) == placeBefore(d));
    });
    if (known != left.end())
      left.erase(known);
    else if (!isNaturalNote(modules_, error, d))
      return false;
  }
  alsoMended_.clear();
  for (const Diagnostic* gone : left) alsoMended_.insert(static_cast<std::size_t>(gone - before_.data()));
  return true;
}

}  // namespace axle
