#include "typecheck/report/guesses.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <span>

#include "frontend/keywords.h"
#include "typecheck/infer/infer_program.h"
#include "typecheck/infer/static_arguments.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guess_rows.h"
#include "typecheck/report/size_difference.h"

namespace axle {

namespace {

// Adds the calls with an argument of this name.
void addCallsGiven(const Guesser& g, const std::string& name, std::vector<Application>& all) {
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* call = std::get_if<ast::ExprCall>(&e.node))
      if (std::ranges::any_of(call->arguments, [&](ast::ExprId id) { return g.text(g.module[id].span) == name; }))
        all.push_back(callOf(g.module, e, *call));
}

// The applications that the diagnostic marks, in its order.
std::vector<Application> applications(const Guesser& g) {
  std::vector<Application> all;
  auto addAt = [&](const Label& label) {
    const Span* span = std::get_if<Span>(&label.place);
    if (!span || span->source != g.module.source) return;
    for (const ast::Expr& e : g.module.exprs) {
      if (!(e.span == *span)) continue;
      Application application{e.span, {}, nullptr};
      if (auto* call = std::get_if<ast::ExprCall>(&e.node)) {
        application = callOf(g.module, e, *call);
      } else if (auto* binary = std::get_if<ast::ExprBinary>(&e.node)) {
        application.arguments = {g.module[binary->left].span, g.module[binary->right].span};
      } else if (auto* unary = std::get_if<ast::ExprUnary>(&e.node)) {
        application.arguments = {g.module[unary->operand].span};
      }
      application.isOrigin = label.text.find("come from ") != label.text.npos ||
                             label.text.find("comes from ") != label.text.npos || label.text == "by way of this";
      all.push_back(std::move(application));
      // A function that fails as an argument: the call that applies it.
      if (&label == &g.diagnostic.primary && std::holds_alternative<ast::ExprName>(e.node))
        addCallsGiven(g, g.text(*span), all);
      return;
    }
    all.push_back({*span, {}, nullptr});  // not an expression: a named argument
    for (const ast::Expr& e : g.module.exprs)
      if (auto* call = std::get_if<ast::ExprCall>(&e.node))
        if (std::any_of(call->named.begin(), call->named.end(), [&](const auto& n) { return n.span == *span; }))
          all.push_back(callOf(g.module, e, *call));
  };
  addAt(g.diagnostic.primary);
  // The calls that are given the function in which it fails, as a `loop` is given its cell.
  const Span* failing = std::get_if<Span>(&g.diagnostic.primary.place);
  const ast::ExprFn* around = failing ? g.functionAround(*failing) : nullptr;
  for (const ast::Binding& binding : g.module.bindings)
    if (around && std::get_if<ast::ExprFn>(&g.module[binding.value].node) == around)
      addCallsGiven(g, g.text(g.module[binding.pattern].span), all);
  for (const Label& label : g.diagnostic.secondary) addAt(label);
  return all;
}

// A guess may be made for several of the places that a diagnostic marks, and by several kinds: a sure one stays.
std::vector<GuessedFix> withoutRepeated(std::vector<GuessedFix> all) {
  std::vector<GuessedFix> different;
  auto areEqual = [](const Fix& a, const Fix& b) {
    return std::equal(a.edits.begin(), a.edits.end(), b.edits.begin(), b.edits.end(),
                      [](const Edit& x, const Edit& y) { return x.span == y.span && x.text == y.text; });
  };
  for (GuessedFix& fix : all) {
    const auto known = std::ranges::find_if(different, [&](const Fix& other) { return areEqual(other, fix); });
    if (known == different.end())
      different.push_back(std::move(fix));
    else if (fix.isSure && !known->isSure)
      *known = std::move(fix);
  }
  return different;
}

// What is likelier to be wrong at a call than in the function.
constexpr decltype(GuessRow::kind) kindsOfArguments[] = {
    guess::declaredAsSiblings, guess::declaredTurned,      guess::appliedOnce,       guess::unusedWeight,
    guess::unusedValue,        guess::declaredWindowFirst, guess::declaredExchanged, guess::declaredWindow,
    guess::declaredOdd,        guess::declaredSquare,      guess::nearValue,         guess::joinedMore,
    guess::transposedWeights,  guess::otherJoin,           guess::swapped,           guess::unusedParameter,
    guess::joinedOrAdded,      guess::throughLibrary,      guess::batchMissing,      guess::declaredElementOfInput,
    guess::converted,          guess::staticAsElsewhere,   guess::staticThatFits,    guess::halfOrTwice};

// What changes the size of one axis, or exchanges two: no mend where images meet whose heights and widths differ by one
// factor.
constexpr decltype(GuessRow::kind) kindsOfOneAxis[] = {guess::otherAxis,
                                                       guess::axisNearby,
                                                       guess::axesExchanged,
                                                       guess::reducedElsewhere,
                                                       guess::otherJoin,
                                                       guess::joinedOrAdded,
                                                       guess::otherCut,
                                                       guess::permLeftOut,
                                                       guess::permNearby,
                                                       guess::turnedBack,
                                                       guess::turnedNearby,
                                                       guess::lettersExchanged,
                                                       guess::cutAtOtherEnd,
                                                       guess::withoutStart,
                                                       guess::withoutRow,
                                                       guess::withoutCut,
                                                       guess::lengthByOne,
                                                       guess::cutByOne,
                                                       guess::withoutRowWhereMade,
                                                       guess::otherLength,
                                                       guess::otherFactors,
                                                       guess::onesBetween,
                                                       guess::indicesNearby,
                                                       guess::sizesNearby,
                                                       guess::reshapedAlike,
                                                       guess::expanded,
                                                       guess::expandedWhereMade,
                                                       guess::expandedAlike,
                                                       guess::allPairs,
                                                       guess::axisAtOrigin,
                                                       guess::oneBesideWhereMade,
                                                       guess::leftOpen,
                                                       guess::transposed,
                                                       guess::squeezed,
                                                       guess::transposedWeights,
                                                       guess::declaredTransposed,
                                                       guess::firstRows,
                                                       guess::maskOfRows,
                                                       guess::headsJoined,
                                                       guess::gated};

bool isOfOneAxis(const GuessRow& row) {
  return std::ranges::find(kindsOfOneAxis, row.kind) != std::end(kindsOfOneAxis);
}

// Whether images of different rates meet.
bool mayBeImages(Guesser& g) { return g.diagnostic.code == &codes::dimMismatch && differAsImages(g); }

// Whether a fix writes numbers where the text has names of sizes: that hides where a wrong size comes from.
bool replacesNames(const Guesser& g, const Fix& fix) {
  return std::ranges::any_of(fix.edits, [&](const Edit& edit) {
    const std::string before = g.text(edit.span);
    return numberOf(edit.text) && std::ranges::any_of(before, [](unsigned char c) { return std::isalpha(c) != 0; });
  });
}

// Whether a fix takes away the last use of a static parameter: what calls give it would change nothing then.
bool takesLastUse(const Guesser& g, const Fix& fix) {
  auto isLost = [&](const ast::ExprFn& function, const std::string& name) {
    std::ptrdiff_t taken = 0;
    for (const Edit& edit : fix.edits) {
      taken += usesOf(g, name, edit.span);
      if (containsName(edit.text, name)) return false;
    }
    return taken > 0 && taken == usesOf(g, name, g.module[function.body].span);
  };
  return std::ranges::any_of(g.module.exprs, [&](const ast::Expr& e) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    return function && !fix.edits.empty() && isWithin(fix.edits.front().span, e.span) &&
           std::ranges::any_of(function->statics, [&](const auto& each) { return isLost(*function, each.name.text); });
  });
}

// Those that the diagnostic has. Where a name of a size hides a value of another element type, no conversion is meant.
void addFixes(Guesser& g, const Diagnostic& diagnostic, bool areFallbacks) {
  const bool areSure = diagnostic.code == &codes::elemMismatch;
  for (const Fix& fix : diagnostic.fixes) g.found.push_back({fix, areFallbacks || replacesNames(g, fix), areSure});
}

}  // namespace

bool isNarrowing(const DiagnosticCode* code) {
  return code == &codes::promiseNarrowed || code == &codes::narrowingRefused;
}

std::vector<GuessedFix> guessFixes(Checked& checked, const Diagnostic& diagnostic,
                                   const GuessesAtOperator* atOperator) {
  Guesser g(checked, diagnostic);
  const bool areImages = atOperator ? atOperator->differAsImages : mayBeImages(g);
  const bool isLast = isNarrowing(diagnostic.code);  // of the diagnostic's own
  if (!isLast) addFixes(g, diagnostic, false);
  const std::vector<Application> all = applications(g);
  auto isOfArguments = [](const GuessRow& row) {
    return std::ranges::find(kindsOfArguments, row.kind) != std::end(kindsOfArguments);
  };
  auto guessWith = [&](auto&& choose) {
    for (const GuessRow& row : guessRows())
      if (row.code == diagnostic.code && choose(row) && !(areImages && isOfOneAxis(row)))
        for (const Application& at : all) row.kind(g, at);
  };
  if (atOperator) {
    if (!isNarrowing(diagnostic.code) && diagnostic.code != &codes::rankMismatch) guessWith(isOfArguments);
    g.found.insert(g.found.end(), atOperator->all.begin(), atOperator->all.end());
  }
  guessWith([&](const GuessRow& row) { return !atOperator || !isOfArguments(row); });
  if (isLast) addFixes(g, diagnostic, true);
  for (GuessedFix& fix : g.found) fix.isFallback = fix.isFallback || takesLastUse(g, fix);
  std::ranges::stable_partition(g.found, std::logical_not(), &GuessedFix::isFallback);
  return withoutRepeated(std::move(g.found));
}

GuessesAtOperator guessAtOperator(Checked& checked, const Diagnostic& diagnostic, const DiagnosticCode* reported) {
  Guesser g(checked, diagnostic);
  const bool areImages = mayBeImages(g);
  addFixes(g, diagnostic, false);
  const std::vector<Application> all = applications(g);
  auto guessAt = [&](std::span<const Application> places) {
    std::vector<const DiagnosticCode*> codes{diagnostic.code};
    if (reported != diagnostic.code) codes.insert(codes.begin(), reported);
    for (const DiagnosticCode* code : codes)
      for (const GuessRow& row : guessRows())
        if (row.code == code && !(areImages && isOfOneAxis(row)))
          for (const Application& at : places) row.kind(g, at);
  };
  const std::span<const Application> places = all;
  const std::size_t operators = std::min<std::size_t>(places.size(), 1);
  guessAt(places.first(operators));
  guessAt(places.subspan(operators));
  return {withoutRepeated(std::move(g.found)), areImages};
}

}  // namespace axle
