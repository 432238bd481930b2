// Guesses of values that lack the cut of another one that they meet, and of indices that lack an axis.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "io/elem.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostCuts = 6;
constexpr std::size_t mostPassed = 4;  // names and calls in a row

// A value without its first or last row along one axis: `ids[:, 1:]`.
struct Cut {
  Span whole, base;
  std::size_t axis = 0;
  bool isFirst = false;  // that is cut off
};

std::optional<Cut> cutOf(const Guesser& g, const ast::Expr& e) {
  const auto* index = std::get_if<ast::ExprIndex>(&e.node);
  std::optional<Cut> cut;
  for (std::size_t axis = 0; index && axis < index->items.size(); ++axis) {
    const std::string item = g.text(index->items[axis].span);
    if (item == ":") continue;
    if (cut || (item != "1:" && item != ":-1")) return std::nullopt;
    cut = Cut{e.span, g.module[index->base].span, axis, item == "1:"};
  }
  return cut;
}

// The axis of a value that has a size, if one axis alone has it.
std::optional<std::size_t> axisOfSize(Guesser& g, Span value, const std::string& size) {
  std::optional<std::size_t> found;
  const std::vector<Dim> sizes = g.sizesOf(value);
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    if (g.checked.solution.printSize(sizes[axis]) != size) continue;
    if (found) return std::nullopt;
    found = axis;
  }
  return found;
}

// The name that an argument is computed of by operators which keep the axis of a size, through statements whose name is
// used once: the `scores` of `chances = log_softmax(scores)`.
Span beginningOf(Guesser& g, Span argument, const std::string& size) {
  const std::vector<Application>& calls = g.calls();
  const auto axis = axisOfSize(g, argument, size);
  for (std::size_t followed = 0; followed < mostPassed; ++followed) {
    const ast::ExprFn* around = g.functionAround(argument);
    const bool isOnce =
        around && g.nodeAt<ast::ExprName>(argument) && usesOf(g, g.text(argument), g.module[around->body].span) == 1;
    const Span value = isOnce ? valueOf(g, argument) : argument;
    const auto call = std::ranges::find(calls, value, &Application::span);
    const bool keepsAxis = call != calls.end() && !call->arguments.empty() &&
                           g.checked.operators.find(calleeOf(g, *call)) &&
                           axisOfSize(g, call->arguments[0], size) == axis;
    if (!keepsAxis) break;
    argument = call->arguments[0];
  }
  return argument;
}

bool hasIntegers(Guesser& g, Span value) {
  const auto elem = g.elemOf(value);
  return elem && info(*elem).isInt;
}

// Whether an expression is in a value, or in the statement that binds it.
bool isInValue(const Guesser& g, Span expression, Span value) {
  return isWithin(expression, value) || isWithin(expression, valueOf(g, value));
}

}  // namespace

// Cuts the other end of what meets a cut value, where both are one value, or one of them has integers, as the tokens
// that a model is to foretell: `log_softmax(scores[:, :-1])` beside `ids[:, 1:]`. Without the cut of these, the program
// would check, too, and foretell what it is given.
void cutAtOtherEnd(Guesser& g, const Application& at) {
  const std::vector<std::string>& told = g.diagnostic.arguments;
  if (!isFailing(g, at) || told.size() < 2) return;
  const std::string &one = told[told.size() - 2], &other = told[told.size() - 1];
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    const auto cut = cutOf(g, *e);
    if (!cut || std::ranges::none_of(at.arguments, [&](Span argument) { return isInValue(g, cut->whole, argument); }))
      continue;
    const std::vector<Dim> sizes = g.sizesOf(cut->base);
    const std::string whole = cut->axis < sizes.size() ? g.checked.solution.printSize(sizes[cut->axis]) : std::string();
    if (whole != one && whole != other) continue;
    for (const Span argument : at.arguments) {
      if (isInValue(g, cut->whole, argument) || !axisOfSize(g, argument, whole)) continue;
      const Span place = beginningOf(g, argument, whole);
      const bool isMeant = g.text(place) == g.text(cut->base) || hasIntegers(g, place) || hasIntegers(g, cut->base);
      if (!isMeant || !g.nodeAt<ast::ExprName>(place) || ++found > mostCuts) continue;
      std::string before;
      for (std::size_t axis = *axisOfSize(g, place, whole); axis > 0; --axis) before += ":, ";
      const auto call = std::ranges::find_if(g.calls(), [&](const Application& each) {
        return std::ranges::find(each.arguments, place) != each.arguments.end();
      });
      g.wrap(call == g.calls().end() ? at : *call, place,
             fmt::format("as `{}` is cut, cut the other end of", g.text(cut->whole)), "",
             fmt::format("[{}{}]", before, cut->isFirst ? ":-1" : "1:"));
      g.found.back().isSure = true;
    }
  }
}

// Puts an axis that is kept whole before others of an index that has fewer than its value has axes: `x[:, :, ::2]` for
// `x[:, ::2]`.
void axisOfIndexLeftOut(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    const auto* index = std::get_if<ast::ExprIndex>(&e->node);
    const bool areRanges = index && std::ranges::all_of(index->items, [](const ast::IndexItem& item) {
                             return std::holds_alternative<ast::IndexRange>(item.node);
                           });
    if (!areRanges || g.rankOf(g.module[index->base].span).value_or(0) <= index->items.size()) continue;
    if (++found > mostCuts) return;
    for (const ast::IndexItem& item : index->items) {
      if (g.text(item.span) == ":") continue;  // before or behind it is the same
      g.guess({e->span, {}, nullptr}, "add the axis that is left out",
              {{{item.span.source, item.span.begin, item.span.begin}, ":, "}});
      g.found.back().isFallback = g.isFar(e->span);
    }
  }
}

}  // namespace axle::guess
