#include "typecheck/report/fixes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "frontend/keywords.h"
#include "typecheck/checked.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/name_codes.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"
#include "typecheck/report/natural_notes.h"
#include "typecheck/report/query.h"
#include "typecheck/report/replay.h"
#include "typecheck/report/second_fixes.h"
#include "typecheck/report/tries.h"
#include "typecheck/solver/fact_tiers.h"

namespace axle {

namespace {

constexpr std::uint64_t mostAsked = 32;     // queries of Z3, which are slow
constexpr std::size_t mostErrors = 3;       // that get fixes
constexpr std::size_t mostTries = 80;       // for one error
constexpr std::size_t mostBehindFirst = 8;  // tries for another one
// Work for another one: tries of small programs cost less, those of large ones are too long to wait for.
constexpr std::uint64_t workBehindFirst = 12'288;
constexpr std::size_t mostFixes = 2;  // for one error

// ---- what is shown

bool hasHelp(const Diagnostic& error, const Fix& fix) {
  return std::find(error.help.begin(), error.help.end(), fix.title) != error.help.end();
}

bool isMarked(const ast::Expr& e) {
  return std::holds_alternative<ast::ExprCall>(e.node) || std::holds_alternative<ast::ExprTuple>(e.node) ||
         std::holds_alternative<ast::ExprIndex>(e.node);
}

bool isPartOfTuple(const ast::Module& module, Span expression, Span part) {
  return std::ranges::any_of(module.exprs, [&](const ast::Expr& e) {
    const auto* tuple = e.span == expression ? std::get_if<ast::ExprTuple>(&e.node) : nullptr;
    return tuple && std::ranges::any_of(tuple->parts, [&](ast::ExprId id) { return module[id].span == part; });
  });
}

// Marks the call, tuple or element that an edit changes, if that is far from the places that the error marks; of one
// that takes several lines, and of a tuple where one part is replaced, the edit itself.
void markEdit(const SourceMap& sources, const ast::Module& module, Diagnostic& error, Span edit) {
  std::optional<Span> call;
  for (const ast::Expr& e : module.exprs)
    if (isMarked(e) && isWithin(edit, e.span) && (!call || isWithin(e.span, *call))) call = e.span;
  const bool isPart = call && error.fixes.front().edits.size() == 1 && isPartOfTuple(module, *call, edit);
  const bool isLong =
      isPart || (call && edit.begin != edit.end && sources.text(*call).find('\n') != std::string_view::npos);
  const Span changed = isLong ? edit : call.value_or(edit);
  auto isNear = [&](const Label& label) {
    const Span* span = std::get_if<Span>(&label.place);
    const bool isAround = span && isWithin(changed, *span) && sources.text(*span).find('\n') == std::string_view::npos;
    return span && (isWithin(*span, changed) || (isLong ? isAround : !call && isWithin(changed, *span)));
  };
  if (!isNear(error.primary) && std::none_of(error.secondary.begin(), error.secondary.end(), isNear))
    error.addLabel(changed, "the help below changes this");
}

// Marks what the first fix changes; of two edits in different lines, both.
void markFix(const SourceMap& sources, const ast::Module& module, Diagnostic& error) {
  if (error.fixes.empty()) return;
  const std::vector<Edit> edits = error.fixes.front().edits;
  const Span first = edits.front().span, last = edits.back().span;
  markEdit(sources, module, error, first);
  if (edits.size() != 2 || first.end > last.begin) return;
  if (sources.text({first.source, first.end, last.begin}).find('\n') != std::string_view::npos)
    markEdit(sources, module, error, last);
}

// Whether a fix joins bools by a word, or selects by them.
bool usesBools(const Fix& fix) {
  return std::ranges::any_of(fix.edits, [](const Edit& edit) {
    return edit.text == "and" || edit.text == "or" || edit.text.starts_with("select(");
  });
}

// Makes a line of help of each fix. What keeps a size open is told by its fixes; the one that writes the value stands
// last, since that would keep a mistake. Bools that are joined by a word or select need no conversion, and where a fix
// is known, what converts, holds or has another rank needs no explanation.
void tellFixes(Diagnostic& error) {
  const bool hasOther = std::ranges::any_of(error.fixes, [&](const Fix& fix) { return !hasHelp(error, fix); });
  if (isNarrowing(error.code) && hasOther) error.help.clear();
  if (std::ranges::any_of(error.fixes, usesBools)) error.help.clear();
  const DiagnosticCode* advised[] = {&codes::elemClass, &codes::factRefuted, &codes::rankMismatch};
  if (hasOther && std::ranges::find(advised, error.code) != std::end(advised)) error.help.clear();
  for (const Fix& fix : error.fixes)
    if (!hasHelp(error, fix)) error.help.push_back(fix.title);
}

// Names the operator that makes a size what it is, and what has the other size, in the help that says what to change.
void tellOperator(const SourceMap& sources, Diagnostic& error) {
  constexpr std::string_view from = " comes from `", change = ", change ";
  constexpr std::size_t longest = 60;
  if (error.help.empty() || error.help[0].find(change) == std::string::npos) return;
  const std::string_view text = sources.text(std::get<Span>(error.primary.place));
  const std::string_view shown = text.size() <= longest ? text : text.substr(0, text.find('('));
  std::string& help = error.help[0];
  const std::string value = error.arguments.back();
  help = fmt::format("{}{}`{}`, which makes it {}", help.substr(0, help.find(change)), change, shown, value);
  for (const Label& label : error.secondary)
    if (const std::size_t at = label.text.find(from); at != std::string::npos && label.text.substr(0, at) == value)
      help += fmt::format(" as {} has", label.text.substr(at + from.size() - 1));
}

// Shows the operator that fails in the place of the call that the error marks.
void showReplayed(const SourceMap& sources, const Replayed& replayed, Diagnostic& error) {
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
  tellOperator(sources, error);
}

using Place = std::pair<std::uint32_t, std::uint32_t>;
Place placeOf(const Diagnostic& d) {
  const Span& place = std::get<Span>(d.primary.place);
  return {place.begin, place.end};
}

// The edits of a guess in one text.
std::string textOf(const Fix& guess) {
  std::string text;
  for (const Edit& edit : guess.edits) text += fmt::format("{}-{}:{};", edit.span.begin, edit.span.end, edit.text);
  return text;
}

// Says of another name that the same operator narrows it too, and with one mend is open again. False where that is no
// other name of a warning.
bool joinNarrowing(const Diagnostic& error, Diagnostic& first) {
  if (!isNarrowing(first.code) || first.message == error.message) return false;
  first.addLabel(error.primary.place, "{}", arg::Subject{error.message});
  return true;
}

// Whether an error says that a name is unknown which a fix of another error writes.
bool definesName(const Fix& fix, const Diagnostic& error) {
  if (error.code != &codes::unknownName || error.arguments.empty()) return false;
  std::string name = error.arguments[0];
  std::erase(name, '`');
  return std::ranges::any_of(fix.edits, [&](const Edit& edit) { return containsName(edit.text, name); });
}

// Whether nothing is known that would keep the size of a warning open.
bool hasNoMend(const Diagnostic& d) {
  return std::ranges::all_of(d.fixes, [](const Fix& fix) { return fix.title.starts_with("write "); });
}

// The top-level statement that a place is part of.
const ast::Binding* statementAround(const ast::Module& module, Span place) {
  for (const ast::Item& item : module.items)
    if (const auto* index = std::get_if<std::uint32_t>(&item); index && isWithin(place, module.bindings[*index].span))
      return &module.bindings[*index];
  return nullptr;
}

// Whether a note is of a function that leads from where the warning's name is written to the operator.
bool isOnTheWay(const ast::Module& module, const Diagnostic& note, Span name, const Replayed& replayed) {
  const ast::Binding* function = statementAround(module, std::get<Span>(note.primary.place));
  if (!function || isWithin(name, function->span)) return false;
  return isWithin(std::get<Span>(replayed.diagnostic.primary.place), function->span) ||
         std::ranges::any_of(replayed.calls, [&](Span call) { return isWithin(call, function->span); });
}

// Other names that one operator gives the same value, and names of functions on the way there that have that value
// then, follow from the first warning of it. `before`: as they were reported first. Adds their indices.
void addFollowingNames(const ast::Module& module, const Diagnostics& before,
                       const std::map<std::size_t, Replayed>& replays, Diagnostics& diagnostics,
                       std::set<std::size_t>& following) {
  for (const auto& [i, replayed] : replays) {
    Diagnostic& first = diagnostics[i];
    if (!isNarrowing(first.code) || following.contains(i)) continue;
    const std::string& value = first.arguments.back();
    for (std::size_t j = 0; j < diagnostics.size(); ++j) {
      const Diagnostic& other = diagnostics[j];
      if (j == i || following.contains(j) || !hasNoMend(other)) continue;
      if (other.arguments.empty() || other.arguments.back() != value) continue;
      const bool isNote = other.code == &codes::nameRefined;
      if (isNote ? isOnTheWay(module, other, std::get<Span>(before[i].primary.place), replayed)
                 : j > i && other.code == first.code && placeOf(other) == placeOf(first) &&
                       joinNarrowing(before[j], first))
        following.insert(j);
    }
  }
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
  std::map<Place, First> first;
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

// Adds the guesses where names are inferred to be less general: a promised size is narrowed behind that. They come
// before those that are only shown where nothing else mends.
void addGuessesOfNotes(Checked& checked, const Diagnostics& all, std::vector<GuessedFix>& guesses) {
  for (const Diagnostic& note : all)
    if (note.code == &codes::nameRefined)
      for (GuessedFix& guess : guessFixes(checked, note)) guesses.push_back(std::move(guess));
  std::ranges::stable_partition(guesses, std::logical_not(), &GuessedFix::isFallback);
}

// One run of `offerFixes`: what was tried, and which errors stand for others.
struct Offer {
  Offer(Checked& c, const CheckOptions& o, Diagnostics& d, const std::function<bool()>& g)
      : checked(c), options(o), diagnostics(d), goOn(g), before(d), fixes(d.size()) {}

  Checked& checked;
  const CheckOptions& options;
  Diagnostics& diagnostics;
  const std::function<bool()>& goOn;
  const Diagnostics before;             // as they were reported
  std::vector<std::vector<Fix>> fixes;  // of each diagnostic

  std::optional<Tries> tries;
  bool isWhole = true;                           // not stopped by `goOn`
  std::size_t errors = 0;                        // that have guesses
  std::map<Place, std::set<std::string>> tried;  // by the place of the operator
  // Errors that go away with another one of the operator at the place, and that one.
  std::map<std::pair<std::size_t, Place>, std::size_t> mended;
  std::set<std::size_t> followed;                        // errors that another one stands for
  std::map<std::size_t, std::size_t> causes;             // of those, the errors whose mistake makes them
  std::map<std::size_t, Replayed> replays;               // of the warnings about sizes
  std::map<std::size_t, std::vector<MadeOperand>> made;  // the operands to mark, by diagnostic
};

// Whether fixes are offered for it.
bool mayBeMended(const Checked& checked, const Diagnostic& d) {
  const Span* place = std::get_if<Span>(&d.primary.place);
  const bool isOfMistake = d.code->severity != Severity::note ||
                           (d.code == &codes::nameRefined && !tellsShape(d) && !isOfStatic(checked.modules, d));
  return isOfMistake && place && place->source == checked.modules.root().source;
}

// Whether looking for fixes would take too long, or the text cannot be read.
bool isTooMuch(const Offer& offer) {
  const Checked& checked = offer.checked;
  return checked.sources.text(checked.modules.root().source).size() > longestTextWithFixes || checked.gaveUp ||
         decisionStatistics(checked.solver).askedZ3 > mostAsked || hasSyntaxErrors(offer.before);
}

// Whether the fix of another error of the operator that fails mends this one too.
bool followsMended(Offer& offer, std::size_t i, const std::optional<Replayed>& replayed) {
  if (offer.followed.contains(i)) return true;
  const auto first = replayed ? offer.mended.find({i, placeOf(replayed->diagnostic)}) : offer.mended.end();
  if (first == offer.mended.end()) return false;
  if (isNarrowing(offer.before[i].code) && joinNarrowing(offer.before[i], offer.diagnostics[first->second]))
    offer.followed.insert(i);
  return true;
}

// Orders guesses from one on as they are tried: sure ones come first; of a promised size, which only a whole try tells
// otherwise, then those that got past the failure. Those that were left out at calls come last.
void orderLikely(const Diagnostic& error, std::vector<LikelyFix>& likely, std::size_t from) {
  std::ranges::stable_sort(likely.begin() + static_cast<std::ptrdiff_t>(from), likely.end(), std::greater(),
                           [&](const LikelyFix& l) {
                             const bool isPast = l.isTriedAtCall && !l.fix.isFallback;
                             return std::tuple(l.fix.isSure, isNarrowing(error.code) && isPast, !l.isLeftOut);
                           });
}

// The guesses for an error that may mend it, in their order.
std::vector<LikelyFix> likelyFixes(Offer& offer, const Diagnostic& error, const std::optional<Replayed>& replayed) {
  const bool isElsewhere = replayed && replayed->isElsewhere;
  std::vector<GuessedFix> guesses = guessFixes(offer.checked, error, isElsewhere ? &replayed->guesses : nullptr);
  if (isNarrowing(error.code)) addGuessesOfNotes(offer.checked, offer.before, guesses);
  std::vector<LikelyFix> likely;
  if (guesses.empty()) return likely;
  if (!offer.tries) offer.tries.emplace(offer.checked, offer.options, offer.before);
  if (replayed) {
    auto& known = offer.tried[placeOf(replayed->diagnostic)];  // of another error of the same operator
    std::erase_if(guesses, [&](const Fix& guess) { return !known.insert(textOf(guess)).second; });
    likely = offer.tries->likely(std::move(guesses), *replayed, true);
  } else {
    for (GuessedFix& guess : guesses) likely.push_back({std::move(guess)});
  }
  orderLikely(error, likely, 0);
  return likely;
}

// Whether a diagnostic marks a place.
bool marks(const Diagnostic& d, Span place) {
  auto isAt = [&](const Label& label) {
    const Span* at = std::get_if<Span>(&label.place);
    return at && *at == place;
  };
  return isAt(d.primary) || std::ranges::any_of(d.secondary, isAt);
}

// Whether one mistake makes both errors: a fix of the one mends the other, which is not in the text that it replaces.
bool haveOneCause(const Offer& offer, const Diagnostic& error, const Diagnostic& other, const Fix& fix) {
  if (error.code->severity != Severity::error || other.code->severity != Severity::error) return false;
  if (!mayBeMended(offer.checked, other)) return false;
  const Span place = std::get<Span>(other.primary.place);
  return std::ranges::none_of(fix.edits, [&](const Edit& edit) { return isWithin(place, edit.span); });
}

// Errors that the first fix of an error mends too.
void noteMended(Offer& offer, std::size_t i, const Fix& fix, const std::optional<Replayed>& replayed) {
  for (const std::size_t other : offer.tries->alsoMended()) {
    if (replayed) offer.mended.insert({{other, placeOf(replayed->diagnostic)}, i});
    const bool isNote = offer.before[other].code == &codes::nameRefined;
    if (isNote || definesName(fix, offer.before[other])) {
      offer.followed.insert(other);
    } else if (haveOneCause(offer, offer.before[i], offer.before[other], fix)) {
      offer.followed.insert(other);
      offer.causes.emplace(other, i);
    }
  }
}

// Tries the guesses from `next` on at calls, where some of them were put off: again up to the first that is enough,
// unless it is late, or behind a mend as many as cost little.
void tryPutOff(Tries& tries, const Diagnostic& error, const Replayed& replayed, bool hasMend, bool isLate,
               std::size_t next, std::vector<LikelyFix>& likely) {
  std::vector<GuessedFix> left;
  for (std::size_t i = next; i < likely.size(); ++i) left.push_back(std::move(likely[i].fix));
  likely.resize(next);
  const std::uint64_t most = hasMend ? workBehindFirst : UINT64_MAX;
  for (LikelyFix& fix : tries.likely(std::move(left), replayed, !hasMend && !isLate, most))
    likely.push_back(std::move(fix));
  orderLikely(error, likely, next);
}

// Tries likely fixes until there are enough, or it has cost enough.
void tryFixes(Offer& offer, std::size_t i, std::vector<LikelyFix> likely, const std::optional<Replayed>& replayed) {
  std::vector<Fix>& found = offer.fixes[i];
  std::size_t behindFirst = 0, tried = 0;
  std::uint64_t workOfFirst = 0;
  // Where the tries cost so much that not all can be made, those that got past the failure are made before the rest.
  const std::uint64_t mostInOrder = offer.tries ? offer.tries->work() + offer.tries->left() * 3 / 5 : 0;
  bool isInOrder = true, areAllAtCalls = false;
  for (std::size_t next = 0; next < likely.size(); ++next) {
    Tries& tries = *offer.tries;
    if (tries.areSpent() || found.size() == mostFixes || behindFirst == mostBehindFirst || tried == mostTries) break;
    const auto rest = likely.begin() + static_cast<std::ptrdiff_t>(next);
    const bool isLate = tries.work() > mostInOrder;
    const bool havePutOff = std::any_of(rest, likely.end(), [](const LikelyFix& l) { return l.isPutOff; });
    if (rest->isPutOff || (isLate && havePutOff && !areAllAtCalls)) {
      areAllAtCalls = isLate;
      if (!found.empty() && tries.work() - workOfFirst > workBehindFirst) break;
      tryPutOff(tries, offer.before[i], *replayed, !found.empty(), isLate, next--, likely);
      workOfFirst = tries.work();
      continue;
    }
    if (isInOrder && isLate) {
      isInOrder = false;
      std::ranges::stable_sort(rest, likely.end(), std::greater(),
                               [](const LikelyFix& l) { return std::pair(l.isTriedAtCall, !l.fix.isFallback); });
    }
    LikelyFix& guess = likely[next];
    if (!found.empty() && (guess.fix.isFallback || tries.work() - workOfFirst > workBehindFirst)) break;
    if (!found.empty() && (guess.fix.isAlone || guess.isLeftOut || isOnlyFirst(found, guess.fix))) continue;
    behindFirst += !found.empty();
    ++tried;
    offer.isWhole = offer.isWhole && (!offer.goOn || offer.goOn());
    if (!offer.isWhole || !tries.mends(offer.before[i], guess, replayed)) continue;
    if (found.empty()) {
      workOfFirst = tries.work();
      noteMended(offer, i, guess.fix, replayed);
    }
    const bool isSure = guess.fix.isSure;
    found.push_back(std::move(guess.fix));
    if (isSure) break;
  }
}

// Finds the fixes of all errors, and shows the operators that fail.
void findFixes(Offer& offer) {
  // What leads to an error or a narrowed promise is guessed at for that.
  const bool hasFailed = std::ranges::any_of(
      offer.before, [](const Diagnostic& d) { return isNarrowing(d.code) || d.code->severity == Severity::error; });
  for (std::size_t i = 0; i < offer.before.size(); ++i) {
    const Diagnostic& error = offer.before[i];
    if (error.code == &codes::nameRefined && hasFailed) continue;
    if (!mayBeMended(offer.checked, error) || offer.errors == mostErrors) continue;
    const auto replayed = offer.isWhole ? replay(offer.checked, offer.options, error) : std::nullopt;
    if (replayed && isNarrowing(error.code)) offer.replays.emplace(i, *replayed);
    if (replayed) offer.made[i] = replayed->made;
    if (replayed && replayed->isElsewhere) showReplayed(offer.checked.sources, *replayed, offer.diagnostics[i]);
    if (followsMended(offer, i, replayed)) continue;
    std::vector<LikelyFix> likely = likelyFixes(offer, error, replayed);
    offer.errors += !likely.empty();
    tryFixes(offer, i, std::move(likely), replayed);
  }
}

}  // namespace

bool offerFixes(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics,
                const std::function<bool()>& goOn) {
  const ast::Module& root = checked.modules.root();
  Offer offer(checked, options, diagnostics, goOn);
  if (!isTooMuch(offer)) findFixes(offer);
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    Diagnostic& error = diagnostics[i];
    const std::vector<Fix> own = std::exchange(error.fixes, std::move(offer.fixes[i]));
    for (const Fix& fix : own)  // of a promised size: to write the value
      if (isNarrowing(error.code) && std::ranges::find(error.fixes, fix.title, &Fix::title) == error.fixes.end() &&
          (error.fixes.empty() || mayMeanValue(root, checked.sources, error, fix)))
        error.fixes.push_back(fix);
    if (mayBeMended(checked, error)) {
      markFix(checked.sources, root, error);
      markUnused(checked, error);
      markMade(offer.made[i], error);
    }
    tellFixes(error);
  }
  for (const auto& [other, cause] : offer.causes)
    if (!offer.followed.contains(cause) &&
        !marks(diagnostics[cause], std::get<Span>(offer.before[other].primary.place)))
      diagnostics[cause].addLabel(offer.before[other].primary.place, "fails too, until that is mended");
  addFollowingNames(root, offer.before, offer.replays, diagnostics, offer.followed);
  for (auto dropped = offer.followed.rbegin(); dropped != offer.followed.rend(); ++dropped)
    diagnostics.erase(diagnostics.begin() + static_cast<std::ptrdiff_t>(*dropped));
  mergeSamePlaces(diagnostics);
  dropNotesBesideErrors(checked.modules, diagnostics);
  return offer.isWhole;
}

}  // namespace axle
