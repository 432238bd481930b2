// Guesses of axes: that of an operator, axes of size 1, the order of axes.
#include <algorithm>
#include <cctype>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

bool isOwnFunction(const Guesser& g, const Application& call) {
  const std::string callee = calleeOf(g, call);
  return std::any_of(g.module.bindings.begin(), g.module.bindings.end(),
                     [&](const ast::Binding& binding) { return g.text(g.module[binding.pattern].span) == callee; });
}

// Whether a call leaves the axis of an operator to a default that is not the last one.
bool leavesAxis(Guesser& g, const Application& call) {
  const auto op = g.checked.operators.find(calleeOf(g, call));
  const auto axis = op && !isOwnFunction(g, call) ? g.checked.operators.attribute(*op, "axis") : std::nullopt;
  if (!axis || namedOf(call, "axis")) return false;
  const OperatorTable::Entry& entry = g.checked.operators[*op];
  const ast::ExprId otherwise = entry.decl->attributes[*axis].defaultValue;
  const auto* number = otherwise ? std::get_if<ast::ExprNumber>(&(*entry.module)[otherwise].node) : nullptr;
  return otherwise && !(number && number->negative);
}

}  // namespace

namespace {

// Whether a number that is not -1 means the last axis of a call's first argument.
bool isLast(Guesser& g, const Application& call, const std::string& axis) {
  const auto rank = call.arguments.empty() ? std::nullopt : g.rankOf(call.arguments[0]);
  return rank && axis == std::to_string(*rank - 1);
}

// Axes that a call may work along: the given ones, and behind these the others that its first argument has.
std::vector<std::string> axesOf(Guesser& g, const Application& call, std::vector<std::string> axes) {
  constexpr std::size_t most = 6;
  const std::size_t rank = call.arguments.empty() ? 0 : g.rankOf(call.arguments[0]).value_or(0);
  for (std::size_t axis = axes.size() - 1; axis < std::min(rank, most); ++axis) axes.push_back(std::to_string(axis));
  return axes;
}

// Whether a call takes an axis away. Along another one it mostly checks, too, but is seldom meant so.
bool takesAxis(Guesser& g, const Application& call) {
  return !call.arguments.empty() && g.rankOf(call.span) < g.rankOf(call.arguments[0]);
}

void alongOther(Guesser& g, const Application& at) {
  const ast::NamedArgument* named = namedOf(at, "axis");
  if (!named && (isOwnFunction(g, at) || !g.hasStatic(calleeOf(g, at), "axis"))) return;
  const std::vector<GivenStatic> places =
      named ? givenStatic(g, at, *named) : std::vector<GivenStatic>{{endOf(at), at}};
  for (const GivenStatic& place : places)
    for (const std::string& other : axesOf(g, at, {"-1", "0", "1", "2"}))
      if (g.text(place.value) != other && !isLast(g, at, other)) {
        g.guess(place.call, "along another axis", {{place.value, (named ? "" : ", axis=") + other}});
        // Of an axis that the value does not have, any other one may be meant.
        g.found.back().isAlone = g.diagnostic.code != &codes::badAttribute && takesAxis(g, at);
      }
}

}  // namespace

// Works along another axis, here or in a call that is an argument.
void otherAxis(Guesser& g, const Application& at) {
  if (!at.named) return;
  if (!at.isOrigin && at.span == std::get<Span>(g.diagnostic.primary.place))
    for (const Application& inner : g.calls())
      if (std::ranges::any_of(at.arguments, [&](Span argument) { return valueOf(g, argument) == inner.span; }))
        alongOther(g, inner);
  alongOther(g, at);
}

namespace {

// Whether an operand is a value given an axis, and the other operand the same value given another one, as rows and
// columns of distances are: both axes are meant.
bool meetsItself(const Guesser& g, const Application& expand) {
  const std::string value = "expand(" + g.text(expand.arguments[0]) + ",";
  return std::ranges::any_of(g.module.exprs, [&](const ast::Expr& e) {
    const auto* binary = std::get_if<ast::ExprBinary>(&e.node);
    if (!binary) return false;
    const Span left = g.module[binary->left].span, right = g.module[binary->right].span;
    return (left == expand.span && g.text(right).starts_with(value)) ||
           (right == expand.span && g.text(left).starts_with(value));
  });
}

}  // namespace

// The axis of an operator that changes sizes and makes a value near what fails: those of `expand` first.
void axisNearby(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  if (!isFailing(g, at)) return;
  const std::vector<Application>& calls = g.callsComputing();
  std::size_t found = 0;
  for (const bool areExpanded : {true, false})
    for (const Application& call : calls) {
      const ast::NamedArgument* axis = namedOf(call, "axis");
      if (!axis || call.arguments.empty() || (calleeOf(g, call) == "expand") != areExpanded) continue;
      const Span value = g.module[axis->value].span;
      // A reduction whose axis stays is meant along that axis: the sizes seldom tell.
      const bool isPlain = areExpanded || (g.nodeAt<ast::ExprNumber>(value) && !namedOf(call, "keep"));
      const bool keepsSizes = g.rankOf(call.span) && g.sizesOf(call.span) == g.sizesOf(call.arguments[0]);
      if (!isPlain || keepsSizes || (areExpanded && meetsItself(g, call)) || ++found > most) continue;
      for (const std::string& other : axesOf(g, call, {"-1", "1", "0", "2"}))
        if (g.text(value) != other && (areExpanded || !isLast(g, call, other))) {
          g.guess(call, "along another axis", {{value, other}});
          g.found.back().isFallback = g.isFar(call.span);
          g.found.back().isAlone = takesAxis(g, call);
        }
    }
}

// Joins, splits or reduces tensors along another axis, in the function where sizes do not fit or in one that gets the
// result. An axis that a call leaves to the default comes first.
void otherJoin(Guesser& g, const Application& at) {
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  constexpr std::size_t most = 4;
  const std::vector<Application> calls = g.callsNearestFirst();
  std::size_t left = 0, joins = 0;
  for (const Application& call : calls)
    if (leavesAxis(g, call) && ++left <= most)
      for (const std::string other : {"-1", "1"})
        if (!isLast(g, call, other)) g.guess(call, "along another axis", {{endOf(call), ", axis=" + other}});
  for (const Application& call : calls) {
    const std::string callee = calleeOf(g, call);
    const ast::NamedArgument* named = namedOf(call, "axis");
    if ((callee != "concat" && callee != "split" && callee != "stack") || !named) continue;
    if (call.span == at.span || ++joins > most) continue;
    for (const GivenStatic& place : givenStatic(g, call, *named))
      for (const char* other : {"-1", "1"}) {
        if (g.text(place.value) == other) continue;
        g.guess(place.call, "along another axis", {{place.value, other}});
        g.found.back().isFallback = callee == "split" && g.text(place.value) == "-1";  // features are split so
      }
  }
}

// Cuts a value along another axis, where it is marked or an operand: `table[:n]` for `table[:, :n]`.
void otherCut(Guesser& g, const Application& at) {
  constexpr std::size_t mostAxes = 4;
  std::vector<Span> places{at.span};
  for (const Span argument : at.arguments) places.push_back(valueOf(g, argument));
  for (const Span place : places) {
    const auto* index = g.nodeAt<ast::ExprIndex>(place);
    if (!index) continue;
    std::vector<std::size_t> cuts;  // the items that are not `:`
    for (std::size_t i = 0; i < index->items.size(); ++i)
      if (g.text(index->items[i].span) != ":") cuts.push_back(i);
    if (cuts.size() != 1 || !std::holds_alternative<ast::IndexRange>(index->items[cuts[0]].node)) continue;
    const Span first = index->items.front().span, last = index->items.back().span;
    const std::size_t rank = g.rankOf(g.module[index->base].span).value_or(0);
    std::string items = g.text(index->items[cuts[0]].span);
    for (std::size_t axis = 0; axis < std::min(rank, mostAxes); ++axis, items = ":, " + items)
      if (axis != cuts[0])
        g.guess({place, {}, nullptr}, "cut along another axis", {{{first.source, first.begin, last.end}, items}});
  }
}

// Names the axis that a `perm` lacks in the place of one that it names twice, or that is none.
void orderOfAxes(Guesser& g, const Application& at) {
  if (!at.named) return;
  for (const ast::NamedArgument& named : *at.named) {
    const auto* list = std::get_if<ast::ExprList>(&g.module[named.value].node);
    if (named.name.text != "perm" || !list) continue;
    std::vector<std::string> items;
    for (ast::ExprId item : list->items) items.push_back(g.text(g.module[item].span));
    std::vector<std::string> missing, inOrder;
    for (std::size_t axis = 0; axis < items.size(); ++axis) {
      inOrder.push_back(std::to_string(axis));
      if (std::count(items.begin(), items.end(), inOrder.back()) == 0) missing.push_back(inOrder.back());
    }
    if (missing.size() != 1) continue;
    for (std::size_t i = items.size(); i-- > 0;) {
      const bool isNone = std::ranges::find(inOrder, items[i]) == inOrder.end();
      if (!isNone && std::count(items.begin(), items.end(), items[i]) < 2) continue;
      std::vector<std::string> changed = items;
      changed[i] = missing[0];
      if (changed != inOrder) g.guess(at, "each axis once", {{g.module[list->items[i]].span, missing[0]}});
    }
  }
}

// Exchanges the axis before the last two with the next one where a `reshape` makes four or more: the heads of
// attention.
void axesExchanged(Guesser& g, const Application& at) {
  constexpr std::size_t fewest = 4;
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place)) && !at.named) return;
  for (const Application& call : g.calls()) {
    if (calleeOf(g, call) != "reshape" || call.arguments.size() != 2) continue;
    const std::vector<Dim> sizes = g.sizesOf(call.span);
    const std::vector<Application>& all = g.calls();
    const bool isTurned = std::any_of(all.begin(), all.end(), [&](const Application& other) {
      return calleeOf(g, other) == "transpose" && g.functionAround(other.span) == g.functionAround(call.span);
    });
    if (sizes.size() < fewest || isTurned) continue;
    std::vector<std::size_t> axes(sizes.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::swap(axes[axes.size() - 3], axes[axes.size() - 2]);
    g.wrap(call, call.span, "put the heads before the rows of", "transpose(",
           fmt::format(", perm=[{}])", fmt::join(axes, ", ")));
  }
}

namespace {

using Names = std::vector<std::string>;

Names textsOf(const Guesser& g, const ast::ExprList& list) {
  Names names;
  for (const ast::ExprId item : list.items) names.push_back(g.text(g.module[item].span));
  return names;
}

Names textsOf(const Guesser& g, const std::vector<const ast::Dim*>& sizes) {
  Names names;
  for (const ast::Dim* size : sizes) names.push_back(g.text(size->span));
  return names;
}

// The sizes of what a `transpose` turns, as the text has them: in the `reshape` that makes it, or where the function
// declares it; none where it has neither.
Names namesOfAxes(const Guesser& g, Span turned) {
  const Span value = valueOf(g, turned);
  for (const Application& call : g.calls())
    if (call.span == value && calleeOf(g, call) == "reshape" && call.arguments.size() == 2)
      if (const auto* list = g.nodeAt<ast::ExprList>(call.arguments[1])) return textsOf(g, *list);
  if (const ast::ExprFn* around = g.functionAround(turned))
    for (const ast::Parameter& parameter : around->parameters)
      if (parameter.name.text == g.text(turned)) return textsOf(g, declaredSizesOf(g.module, parameter));
  return {};
}

// The orders in which the program names that many axes: in declarations of parameters, or, where a `reshape` joins axes
// of the turned tensor, there: `[b, n, h*c]`.
std::vector<Names> wantedAxes(const Guesser& g, const Application& turned, std::size_t count) {
  std::vector<Names> wanted;
  for (const Application& call : g.calls()) {
    const bool takesIt =
        calleeOf(g, call) == "reshape" && call.arguments.size() == 2 && valueOf(g, call.arguments[0]) == turned.span;
    const auto* list = takesIt ? g.nodeAt<ast::ExprList>(call.arguments[1]) : nullptr;
    Names names;
    for (const std::string& item : list ? textsOf(g, *list) : Names())
      for (std::size_t begin = 0; begin <= item.size();) {
        const std::size_t end = std::min(item.find('*', begin), item.size());
        names.push_back(item.substr(begin, end - begin));
        begin = end + 1;
      }
    if (names.size() == count) return {names};
  }
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* function = std::get_if<ast::ExprFn>(&e.node))
      for (const ast::Parameter& parameter : function->parameters)
        if (Names names = textsOf(g, declaredSizesOf(g.module, parameter)); names.size() == count)
          wanted.push_back(std::move(names));
  return wanted;
}

// Whether two names of sizes mean the same: `h` and `heads`.
bool areAlike(const std::string& one, const std::string& other) {
  return !one.empty() && !other.empty() && std::isalpha(static_cast<unsigned char>(one[0])) &&
         (one.starts_with(other) || other.starts_with(one));
}

}  // namespace

// Other orders of the axes of a `transpose` of four, as it turns heads and rows. Several may check: the likeliest keep
// the sizes at the places that the program names alike, and exchange two axes; the others stand back behind them.
void otherPerm(Guesser& g, const Application& at) {
  struct Order {
    const char* text;
    std::size_t axes[4];
    bool isExchange;
    std::size_t alike = 0;
    auto likelihood() const { return std::pair(alike, isExchange); }
  };
  static constexpr Order orders[] = {{"[0, 2, 1, 3]", {0, 2, 1, 3}, true},
                                     {"[0, 1, 3, 2]", {0, 1, 3, 2}, true},
                                     {"[0, 2, 3, 1]", {0, 2, 3, 1}, false},
                                     {"[0, 3, 1, 2]", {0, 3, 1, 2}, false}};
  constexpr std::size_t most = 4;
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  std::size_t turned = 0;
  for (const Application& call : g.calls()) {
    const ast::NamedArgument* perm = namedOf(call, "perm");
    if (calleeOf(g, call) != "transpose" || !perm || call.arguments.empty()) continue;
    const Span place = g.module[perm->value].span;
    const auto* list = g.nodeAt<ast::ExprList>(place);
    if (!list || list->items.size() != 4 || ++turned > most) continue;
    const Names names = namesOfAxes(g, call.arguments[0]);
    std::vector<Order> others;
    Order now{};
    for (Order order : orders) {
      if (names.size() == std::size(order.axes))
        for (const Names& wanted : wantedAxes(g, call, names.size())) {
          std::size_t alike = 0;
          for (std::size_t i = 0; i < names.size(); ++i) alike += areAlike(names[order.axes[i]], wanted[i]);
          order.alike = std::max(order.alike, alike);
        }
      if (g.text(place) == order.text)
        now = order;
      else
        others.push_back(order);
    }
    std::ranges::stable_sort(others, std::greater(), &Order::likelihood);
    for (const Order& order : others) {
      const bool isSure = std::ranges::count(others, order.likelihood(), &Order::likelihood) == 1;
      g.guess(call, isSure ? "the axes in another order" : "the axes in another order, if this one is meant",
              {{place, order.text}});
      const auto likeliest = std::max(others.front().likelihood(), now.likelihood());
      g.found.back().isFallback = order.likelihood() != likeliest;
    }
  }
}

// Gives an argument the other one's shape, where the ranks differ: in the names that the function has for its sizes.
void reshapedAlike(Guesser& g, const Application& at) {
  if (at.arguments.size() != 2 || !(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  for (const std::size_t i : {1, 0}) {
    const std::vector<Dim> given = g.sizesOf(at.arguments[i]), wanted = g.sizesOf(at.arguments[1 - i]);
    if (given.empty() || wanted.empty() || given.size() == wanted.size()) continue;
    Names names = namesOfAxes(g, at.arguments[1 - i]);
    const bool isNamed = !names.empty();
    if (!isNamed)
      for (const Dim size : wanted) names.push_back(g.sizeText(size));
    if (names.size() != wanted.size() || std::ranges::find(names, "") != names.end()) continue;
    g.wrap(at, at.arguments[i], "give the other argument's shape to", "reshape(",
           fmt::format(", [{}])", fmt::join(names, ", ")));
    g.found.back().isSure = isNamed;
  }
}

// An axis of size 1 more where a `reshape` makes a mask, which has fewer axes than what it is for.
void oneAxisMore(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  std::size_t reshapes = 0;
  for (const Application& call : g.calls()) {
    if (calleeOf(g, call) != "reshape" || call.arguments.size() != 2) continue;
    const ast::ExprList* list = g.nodeAt<ast::ExprList>(call.arguments[1]);
    if (!list || list->items.size() < 2 || list->items.size() > 3 || ++reshapes > most) continue;
    for (std::size_t i = 1; i < list->items.size(); ++i) {
      const Span before = g.module[list->items[i]].span;
      g.guess(call, "add an axis of size 1", {{{before.source, before.begin, before.begin}, "1, "}});
    }
  }
}

namespace {

// Exchanges two neighbouring sizes of a `reshape`, the last ones first, where one of them is 1 or none is.
void exchangeSizes(Guesser& g, const Application& at, bool withOne) {
  constexpr std::size_t most = 4;
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  const std::vector<Span> marks = g.marks();
  std::size_t reshapes = 0;
  for (const Application& call : g.calls()) {
    if (calleeOf(g, call) != "reshape" || call.arguments.size() != 2) continue;
    const auto* list = g.nodeAt<ast::ExprList>(call.arguments[1]);
    if (!list || list->items.size() < 3 || ++reshapes > most) continue;
    for (std::size_t i = list->items.size() - 1; i-- > 0;) {
      const Span first = g.module[list->items[i]].span, second = g.module[list->items[i + 1]].span;
      const std::string one = g.text(first), other = g.text(second);
      if (one == other || one == "_" || other == "_" || (one == "1" || other == "1") != withOne) continue;
      g.guess(call, "the sizes in another order", {{first, other}, {second, one}});
      g.found.back().isSure = withOne && std::ranges::find(marks, call.span) != marks.end();
      g.found.back().isFallback = wouldMixAxes(g, call, i);
    }
  }
}

}  // namespace

// An axis of size 1 at another place of a `reshape`: `[b, 1, 1, l]` for `[b, 1, l, 1]`.
void oneElsewhere(Guesser& g, const Application& at) { exchangeSizes(g, at, true); }

// Other sizes of a `reshape` in another order: `[b, l, heads, c]` for `[b, heads, l, c]`.
void otherSizeOrder(Guesser& g, const Application& at) { exchangeSizes(g, at, false); }

// Gives an axis of size 1 to what a size comes from, as a mask with too few axes.
void axisAtOrigin(Guesser& g, const Application& at) {
  constexpr std::size_t mostAxes = 3;
  const std::size_t rank = at.isOrigin && !at.arguments.empty() ? g.rankOf(at.span).value_or(0) : 0;
  if (rank == 0 || rank > mostAxes) return;
  g.wrap(at, at.span, "give an axis of size 1 to", "expand(", ", axis=1)");
  if (rank < mostAxes) g.wrap(at, at.span, "give axes of size 1 to", "expand(expand(", ", axis=1), axis=1)");
}

}  // namespace axle::guess
