// Guesses of axes that are turned, and not turned back.
#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "typecheck/report/guesses.h"

namespace axle {

std::optional<std::string> inverseOf(const std::vector<std::string>& axes) {
  std::vector<std::string> inverse(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::size_t axis = axes.size();
    std::from_chars(axes[i].data(), axes[i].data() + axes[i].size(), axis);
    if (axis >= axes.size() || !inverse[axis].empty()) return std::nullopt;
    inverse[axis] = std::to_string(i);
  }
  if (inverse == axes) return std::nullopt;
  return fmt::format("[{}]", fmt::join(inverse, ", "));
}

namespace guess {

namespace {

// The orders of so many axes in which a part of the text turns values.
std::set<std::vector<std::string>> ordersIn(const Guesser& g, Span within, std::size_t axes) {
  std::vector<std::string> none;
  for (std::size_t axis = 0; axis < axes; ++axis) none.push_back(std::to_string(axis));
  std::set<std::vector<std::string>> orders;
  for (const Application& call : g.calls()) {
    const ast::NamedArgument* perm = calleeOf(g, call) == "transpose" ? namedOf(call, "perm") : nullptr;
    const auto* list = perm ? g.nodeAt<ast::ExprList>(g.module[perm->value].span) : nullptr;
    if (!list || list->items.size() != axes || !isWithin(call.span, within)) continue;
    if (std::vector<std::string> order = textsOfItems(g, *list); order != none) orders.insert(std::move(order));
  }
  return orders;
}

bool isTurned(const Guesser& g, Span value) {
  return std::ranges::any_of(g.calls(), [&](const Application& call) {
    return calleeOf(g, call) == "transpose" && !call.arguments.empty() && call.arguments[0] == value;
  });
}

}  // namespace

// Turns the axes back which a function turned before it made one axis of two, where it takes these apart again:
// `transpose(reshape(y, [b, p, t, d]), perm=[0, 2, 1, 3])` behind `reshape(transpose(x, perm=[0, 2, 1, 3]), [b*p, t,
// d])`.
void turnedBack(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const auto reshapes = writtenReshapes(g);
  for (const auto& [call, list] : reshapes) {
    const ast::ExprFn* around = g.functionAround(call.span);
    const std::vector<std::string> sizes = textsOfItems(g, *list);
    if (!around || sizes.size() < 3 || isTurned(g, call.span)) continue;
    const Span body = g.module[around->body].span;
    const bool isApart = std::ranges::any_of(reshapes, [&](const auto& other) {
      const std::vector<std::string> joined = textsOfItems(g, *other.second);
      return isWithin(other.first.span, body) && !joined.empty() && joined[0] == sizes[0] + "*" + sizes[1];
    });
    const std::set<std::vector<std::string>> orders = ordersIn(g, body, sizes.size());
    if (!isApart || orders.size() != 1) continue;
    const std::vector<std::string>& order = *orders.begin();
    const std::string back = inverseOf(order).value_or(fmt::format("[{}]", fmt::join(order, ", ")));
    g.wrap(call, call.span, "turn back", "transpose(", fmt::format(", perm={})", back));
    g.found.back().isSure = true;
  }
}

}  // namespace guess

}  // namespace axle
