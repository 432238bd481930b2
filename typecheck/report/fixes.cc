#include "typecheck/report/fixes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "frontend/parser.h"
#include "typecheck/checked.h"
#include "typecheck/checked_trial.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/unknown_names.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"
#include "typecheck/report/query.h"
#include "typecheck/report/replay.h"
#include "typecheck/solver/fact_tiers.h"

namespace axle {

namespace {

constexpr std::uint64_t mostAsked = 8;      // queries of Z3, which are slow
constexpr std::uint64_t shareOfWork = 100;  // a try may take one part in so many of the work that a check may take
constexpr std::size_t mostErrors = 3;       // that get fixes
constexpr std::size_t mostTries = 28;       // for one error
constexpr std::size_t mostBehindFirst = 8;  // tries for another one
constexpr std::size_t mostFixes = 2;        // for one error
// Tries end when they have cost so much work on sizes (terms of their arithmetic, steps of the decider), and as much as
// the check did.
constexpr std::uint64_t freeWork = 40'960;
// A try may take so much work to decide facts, and as much as the check. Where that asked Z3, most of its work was a
// fact that does not hold, or only by luck: a mend does not leave it.
constexpr std::uint64_t workOfTry = 12'288, shareWithZ3 = 32;

// ---- tries

class Tries {
 public:
  Tries(const Checked& checked, const CheckOptions& options, const Diagnostics& before)
      : modules_(checked.modules),
        sources_(checked.sources),
        options_(options),
        before_(before),
        base_(modules_, sources_, options.operators) {
    base_.solution.dims.interruptWith(options.interrupt);
    Diagnostics ofImports;
    Inference in(base_, options, ofImports);
    withinBudget(in, ofImports, [&] { inferImports(in); });
    options_.dimWork /= shareOfWork;
    options_.work /= shareOfWork;
    const decide::Statistics check = decisionStatistics(checked.solver);
    const std::uint64_t deciding = check.askedZ3 ? check.work / shareWithZ3 : check.work;
    decide::Limits limits = base_.solver.decider.limits();
    limits.z3Resources = 0;
    limits.work = workOfTry + deciding;
    limits.terms = std::min(limits.terms, limits.work);
    base_.solver.decider = decide::Decider(limits);
    limit_ = base_.solution.dims.work() + freeWork + 2 * checked.solution.dims.work() + deciding;
    for (const TopLevelName& top : checked.rootNames)
      if (!checked.failed.count(top.binding.index)) good_.insert(top.name);
  }

  // Whether the error goes away and everything else stays. Notes count: a change that refines another name is no fix.
  bool mends(const Diagnostic& error, const Fix& fix);
  // Whether the tries have cost as much as they may.
  bool areSpent() const { return base_.solution.dims.work() + decided_ > limit_; }

 private:
  bool checksOtherwise(const Diagnostic& error, const Fix& fix, bool statesEquations);
  bool areKnown(Diagnostics found, const Diagnostic& error, const Fix& fix) const;

  Modules modules_;
  SourceMap sources_;  // with the changed texts
  CheckOptions options_;
  const Diagnostics& before_;
  Checked base_;  // the imported modules, which no fix changes
  std::uint64_t limit_ = 0, decided_ = 0;
  std::set<std::string> good_;  // bindings without errors
};

// Whether a type leaves a fact to callers that they meet only by luck: `where (9*n) % 187 == 0`, or an equation
// although the program states none.
bool leavesMore(std::string_view type, bool statesEquations) {
  const std::size_t where = type.find(" where ");
  if (where == type.npos) return false;
  if (type.find('%', where) != type.npos) return true;
  // An equation of shapes, `a # [b, n] == [b, n]`, only says that an open parameter broadcasts.
  std::size_t fact = where;
  int depth = 0;
  for (std::size_t i = where; i <= type.size(); ++i) {
    const char ch = i < type.size() ? type[i] : ',';
    depth += (ch == '(' || ch == '[') - (ch == ')' || ch == ']');
    if (ch != ',' || depth != 0) continue;
    const std::string_view text = type.substr(fact, i - fact);
    if (!statesEquations && text.find("==") != text.npos && text.find('[') == text.npos) return true;
    fact = i + 1;
  }
  return false;
}

// Whether the `cast` at an offset makes whole numbers of floats, bool of numbers, or positions of a mask: such a
// program checks, but computes something that nobody means.
bool losesValues(Checked& checked, std::size_t begin) {
  for (const TypedExpr& e : checked.program.exprs) {
    const auto* apply = std::get_if<TypedApply>(&e.node);
    if (!apply || e.span.begin != begin || checked.operators[apply->op].name != "cast") continue;
    if (e.span.source != checked.modules.root().source) continue;
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

bool Tries::mends(const Diagnostic& error, const Fix& fix) {
  const ast::Module& root = modules_.root();
  const SourceId source = std::get<Span>(error.primary.place).source;
  std::string text(sources_.text(source));
  const bool statesEquations = text.find("==") != text.npos;
  for (auto edit = fix.edits.rbegin(); edit != fix.edits.rend(); ++edit) {
    if (edit->span.source != source) return false;
    text.replace(edit->span.begin, edit->span.end - edit->span.begin, edit->text);
  }
  Diagnostics syntax;
  SourceId changed = sources_.add(std::string(sources_.path(source)), std::move(text));
  const std::size_t items = root.items.size();
  modules_.modules.back() = parseModule(sources_, changed, std::string(root.name), syntax);
  if (!syntax.empty() || (!modules_.program.empty() && root.items.size() != items)) return false;
  const CheckedTrial trial(base_);
  const bool isMended = checksOtherwise(error, fix, statesEquations) && !base_.solver.decider.isExhausted();
  decided_ += base_.solver.decider.statistics().work;
  return isMended;
}

// Checks the changed program, which is the root module now.
bool Tries::checksOtherwise(const Diagnostic& error, const Fix& fix, bool statesEquations) {
  Diagnostics after;
  Inference in(base_, options_, after);
  if (!withinBudget(in, after, [&] { inferRoot(in, [&] { return areKnown(after, error, fix); }); })) return false;
  if (!areKnown(after, error, fix)) return false;
  for (const Edit& edit : fix.edits)
    if (edit.text.starts_with("cast(") && losesValues(base_, edit.span.begin)) return false;
  base_.solution.restartWork();
  return std::none_of(base_.rootNames.begin(), base_.rootNames.end(), [&](const TopLevelName& top) {
    return !good_.count(top.name) && !base_.failed.count(top.binding.index) &&
           leavesMore(printBinding(base_, top.binding), statesEquations);
  });
}

// Whether all that a changed program reports was reported before, apart from the error.
bool Tries::areKnown(Diagnostics found, const Diagnostic& error, const Fix& fix) const {
  keepFirstOfMissingImports(sources_, found);
  // Where a place of the changed text was before; edits are in the order of the text.
  auto before = [&](std::uint32_t place) {
    std::int64_t shift = 0;  // by the edits so far
    for (const Edit& edit : fix.edits) {
      if (place <= edit.span.begin + shift) break;
      shift += static_cast<std::int64_t>(edit.text.size()) - (edit.span.end - edit.span.begin);
    }
    return place - shift;
  };
  auto areSame = [&](const Diagnostic& known, const Diagnostic& now) {
    const Span *one = std::get_if<Span>(&known.primary.place), *other = std::get_if<Span>(&now.primary.place);
    const bool isOfRoot = one && other && other->source == modules_.root().source;
    return known.message == now.message && (!isOfRoot || std::int64_t{one->begin} == before(other->begin));
  };
  std::vector<const Diagnostic*> left;
  for (const Diagnostic& d : before_)
    if (&d != &error) left.push_back(&d);
  return found.size() <= left.size() && std::all_of(found.begin(), found.end(), [&](const Diagnostic& d) {
           auto known = std::find_if(left.begin(), left.end(), [&](const Diagnostic* k) { return areSame(*k, d); });
           if (known == left.end()) return false;
           left.erase(known);
           return true;
         });
}

bool hasHelp(const Diagnostic& error, const Fix& fix) {
  return std::find(error.help.begin(), error.help.end(), fix.title) != error.help.end();
}

// Marks the application that the fix changes, if that is far from the places that the error marks.
void markFix(const ast::Module& module, Diagnostic& error) {
  if (error.fixes.empty()) return;
  const Span edit = error.fixes.front().edits.front().span;
  std::optional<Span> call;
  for (const ast::Expr& e : module.exprs)
    if (std::holds_alternative<ast::ExprCall>(e.node) && isWithin(edit, e.span) && (!call || isWithin(e.span, *call)))
      call = e.span;
  const Span changed = call.value_or(edit);
  auto isNear = [&](const Label& label) {
    const Span* span = std::get_if<Span>(&label.place);
    return span && (isWithin(*span, changed) || (!call && isWithin(changed, *span)));
  };
  if (!isNear(error.primary) && std::none_of(error.secondary.begin(), error.secondary.end(), isNear))
    error.addLabel(changed, "the help below changes this");
}

// Shows the operator that fails in the place of the call that the error marks.
void showReplayed(const Replayed& replayed, Diagnostic& error) {
  if (!isNarrowing(error.code)) {
    // What the sizes must be all in all: "needs `h >= 9`, but h is 6" of several windows in a row.
    const bool isBound = error.code == &codes::factRefuted && error.message.find(", but ") != std::string::npos &&
                         error.message != replayed.diagnostic.message;
    const Phrase whole("all in all {}", arg::Subject{error.message});
    error = replayed.diagnostic;
    if (isBound) error.addNote(whole);
    return;
  }
  // The names in the signature stay marked; what marks a call is replaced.
  std::vector<Label> labels{error.primary};
  for (const Label& label : error.secondary)
    if (isOtherName(label)) labels.push_back(label);
  error.primary = {replayed.diagnostic.primary.place, replayed.diagnostic.message};
  error.secondary = std::move(labels);
  auto areAt = [](const Label& one, const Label& other) {
    const Span *a = std::get_if<Span>(&one.place), *b = std::get_if<Span>(&other.place);
    return a && b && *a == *b;
  };
  const std::vector<Label> names = error.secondary;
  for (const Label& label : replayed.diagnostic.secondary)
    if (std::ranges::none_of(names, [&](const Label& name) { return areAt(name, label); }))
      error.secondary.push_back(label);
  error.notes = replayed.diagnostic.notes;
}

// Errors of one operator in several calls are one, unless a later one has a mend of its own: the first one stays, and
// says how many calls have it.
void mergeSamePlaces(Diagnostics& diagnostics) {
  auto titles = [](const Diagnostic& d) {
    std::set<std::string> all;
    for (const Fix& fix : d.fixes) all.insert(fix.title);
    return all;
  };
  struct First {
    std::size_t index, others = 0;
    std::set<std::string> fixes;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, First> first;  // by place
  Diagnostics kept;
  for (Diagnostic& d : diagnostics) {
    const Span* place = std::get_if<Span>(&d.primary.place);
    if (place && isOfTypes(d.code)) {
      const std::set<std::string> fixes = titles(d);
      const auto [at, isNew] = first.try_emplace({place->begin, place->end}, First{kept.size(), 0, fixes});
      const bool isSame = !isNew && std::ranges::includes(at->second.fixes, fixes);
      at->second.others += isSame;
      if (isSame) continue;
    }
    kept.push_back(std::move(d));
  }
  for (const auto& [place, which] : first)
    if (which.others > 0) kept[which.index].addNote("the same fails in {}", arg::Counted{which.others, "other call"});
  diagnostics = std::move(kept);
}

}  // namespace

bool offerFixes(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics,
                const std::function<bool()>& goOn) {
  const Modules& modules = checked.modules;
  const SourceMap& sources = checked.sources;
  const SourceId root = modules.root().source;
  auto isOfRoot = [&](const Diagnostic& d) {
    const Span* place = std::get_if<Span>(&d.primary.place);
    const bool isMended = d.code->severity != Severity::note || d.code == &codes::nameRefined;
    return isMended && place && place->source == root;
  };
  const bool isTooMuch = sources.text(root).size() > longestTextWithFixes || checked.gaveUp ||
                         decisionStatistics(checked.solver).askedZ3 > mostAsked ||
                         std::any_of(diagnostics.begin(), diagnostics.end(),
                                     [](const Diagnostic& d) { return d.code->code.starts_with("E01"); });
  std::size_t errors = 0;
  bool isWhole = true;
  std::optional<Tries> tries;
  std::vector<std::vector<Fix>> fixes(diagnostics.size());
  const Diagnostics before = diagnostics;
  for (std::size_t i = 0; i < diagnostics.size() && !isTooMuch; ++i) {
    const Diagnostic& error = before[i];
    if (!isOfRoot(error) || errors == mostErrors) continue;
    const auto replayed = isWhole ? replay(checked, options, error) : std::nullopt;
    std::vector<Fix> guesses = guessFixes(checked, error, replayed ? &replayed->guesses : nullptr);
    if (replayed) showReplayed(*replayed, diagnostics[i]);
    if (guesses.empty()) continue;
    ++errors;
    guesses.resize(std::min(guesses.size(), mostTries));
    if (!tries) tries.emplace(checked, options, before);
    std::size_t sinceFound = 0;
    for (Fix& guess : guesses) {
      if (tries->areSpent() || sinceFound == mostBehindFirst) break;
      sinceFound += !fixes[i].empty();
      isWhole = isWhole && (!goOn || goOn());
      if (isWhole && fixes[i].size() < mostFixes && tries->mends(error, guess)) fixes[i].push_back(std::move(guess));
    }
  }
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    Diagnostic& error = diagnostics[i];
    error.fixes = std::move(fixes[i]);
    if (isOfRoot(error)) markFix(modules.root(), error);
    // What keeps a size open is told by its fixes, but for the one that writes the value.
    const bool hasOther = std::ranges::any_of(error.fixes, [&](const Fix& fix) { return !hasHelp(error, fix); });
    if (isNarrowing(error.code) && hasOther && error.help.size() > 1) error.help.erase(error.help.begin());
    const auto known = static_cast<std::ptrdiff_t>(error.help.size());
    for (const Fix& fix : error.fixes)
      if (!hasHelp(error, fix)) error.help.push_back(fix.title);
    // Another size in the signature keeps the mistake, if there is one: that comes last.
    if (isNarrowing(error.code) && known > 0)
      std::rotate(error.help.begin() + known - 1, error.help.begin() + known, error.help.end());
  }
  mergeSamePlaces(diagnostics);
  return isWhole;
}

}  // namespace axle
