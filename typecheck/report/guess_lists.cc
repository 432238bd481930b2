// Guesses of lists in what computes the values that fail: orders of axes, sizes and indices, products of sizes, rows
// that are cut or not.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostLists = 4;  // of one kind

// Exchanges an item of a list with the next one.
void exchangeNext(Guesser& g, Span shown, const std::vector<Span>& items, std::size_t first, const char* what,
                  bool isFallback) {
  const std::string one = g.text(items[first]), other = g.text(items[first + 1]);
  if (one == other) return;
  g.guess({shown, {}, nullptr}, fmt::format("the {} in another order", what),
          {{items[first], other}, {items[first + 1], one}});
  g.found.back().isFallback = isFallback;
}

// Whether a list of numbers names the axes in their order, so that nothing is turned.
bool isInOrder(const std::vector<std::string>& axes) {
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != std::to_string(i)) return false;
  return true;
}

// The sizes of an error about two of them, as it prints them; none of other errors.
std::vector<std::string> sizesTold(const Guesser& g) {
  const std::vector<std::string>& told = g.diagnostic.arguments;
  if (told.size() < 2) return {};
  return {told[told.size() - 2], told[told.size() - 1]};
}

// Whether one size is the other one and 1 more.
bool isOneMore(const std::string& size, const std::string& than) {
  if (size == than + " + 1" || than == size + " - 1") return true;
  const auto one = numberOf(size), other = numberOf(than);
  return one && other && *one == *other + 1;
}

bool areOneApart(const std::vector<std::string>& sizes) {
  return isOneMore(sizes[0], sizes[1]) || isOneMore(sizes[1], sizes[0]);
}

// Cuts the first or the last row along an axis of a value.
void cutRow(Guesser& g, const Application& at, Span value, std::size_t axis) {
  std::string before;
  for (std::size_t i = 0; i < axis; ++i) before += ":, ";
  if (!g.nodeAt<ast::ExprName>(value) && !g.nodeAt<ast::ExprCall>(value)) return;
  g.wrap(at, value, "leave out the first row of", "", "[" + before + "1:]");
  g.wrap(at, value, "leave out the last row of", "", "[" + before + ":-1]");
  g.found.back().isAlone = true;  // a class token stands in front
}

// Cuts the last row where a call near what fails makes a size that none of its arguments has: `rfft(x)[:, :-1]`.
void cutWhereMade(Guesser& g, const std::string& size) {
  std::size_t found = 0;
  auto axisOf = [&](Span value) -> std::optional<std::size_t> {
    const std::vector<Dim> sizes = g.sizesOf(value);
    for (std::size_t axis = sizes.size(); axis-- > 0;)
      if (g.checked.solution.printSize(sizes[axis]) == size) return axis;
    return std::nullopt;
  };
  for (const Application& call : g.callsComputing()) {
    // Of an `arange`, the length is changed; what is joined to something is wanted there.
    const std::string callee = calleeOf(g, call);
    const auto axis =
        callee != "arange" && callee != "concat" && g.checked.operators.find(callee) ? axisOf(call.span) : std::nullopt;
    // A size that is written in a list is changed there.
    const bool isMade = axis && std::ranges::none_of(call.arguments, [&](Span given) {
                          return axisOf(given).has_value() || g.nodeAt<ast::ExprList>(given);
                        });
    if (!isMade || ++found > 2) continue;
    std::string before;
    for (std::size_t i = 0; i < *axis; ++i) before += ":, ";
    g.wrap(call, call.span, "leave out the last row of", "", "[" + before + ":-1]");
  }
}

// The function of this module that a name means, if it is one.
const ast::ExprFn* ownFunction(const Guesser& g, const std::string& name) {
  const Modules& modules = g.checked.modules;
  const auto found = functionNamed(modules, modules.modules.size() - 1, name);
  return found && found->module == &g.module ? found->function : nullptr;
}

// The sizes that a function declares of its parameters and its result.
std::vector<std::vector<Span>> declaredShapes(const Guesser& g, const ast::ExprFn& function) {
  std::vector<std::vector<Span>> shapes;
  auto add = [&](ast::TypeId declared) {
    std::vector<Span>& sizes = shapes.emplace_back();
    for (const ast::Dim* size : declaredSizesOf(g.module, declared)) sizes.push_back(size->span);
    const bool isFilter = sizes.size() == 4 && std::isdigit(static_cast<unsigned char>(g.text(sizes[0])[0]));
    if (isFilter) sizes.clear();  // its layout is told otherwise
  };
  for (const ast::Parameter& parameter : function.parameters) add(parameter.type);
  add(function.resultType);
  return shapes;
}

// The orders that exchange two neighbours behind the first axis, the last ones first: `[0, 1, 3, 2]`, `[0, 2, 1, 3]`.
std::vector<std::string> ordersOfNext(std::size_t axes) {
  std::vector<std::string> orders;
  for (std::size_t last = axes; last-- > 2;) {
    std::vector<std::size_t> order(axes);
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[last], order[last - 1]);
    orders.push_back(fmt::format("[{}]", fmt::join(order, ", ")));
  }
  return orders;
}

// The orders that exchange two axes of one that are so far apart, the last ones first, but for the one that turns
// nothing.
std::vector<std::string> exchangedAt(const std::vector<std::string>& axes, std::size_t distance) {
  std::vector<std::string> orders;
  for (std::size_t last = axes.size(); last-- > distance;) {
    std::vector<std::string> order = axes;
    std::swap(order[last], order[last - distance]);
    if (!isInOrder(order)) orders.push_back(fmt::format("[{}]", fmt::join(order, ", ")));
  }
  return orders;
}

}  // namespace

// Other orders of the axes that a `transpose` turns, near what fails: first the inverse, because an order may be meant
// as where each axis goes; then of all the next axes exchanged, the last ones first; then of the nearest other ones. Of
// more axes than four, whose orders mostly exchange two neighbours behind the first one, such orders come first, unless
// the order that is written takes another axis to the front: that of `q, k, v` is seldom forgotten.
void permNearby(Guesser& g, const Application& at) {
  constexpr std::size_t mostTurned = 3, mostAxes = 4, mostAxesOfNext = 6;
  if (!isFailing(g, at)) return;
  auto offer = [&](const Application& call, const std::string& order) {
    const Span place = g.module[namedOf(call, "perm")->value].span;
    if (g.text(place) == order) return;
    g.guess(call, "the axes in another order", {{place, order}});
    g.found.back().isFallback = g.isFar(call.span) || g.paramAt(call.arguments[0]);
  };
  std::vector<std::pair<Application, std::vector<std::string>>> turned;
  for (const Application& call : g.callsComputing()) {
    const ast::NamedArgument* perm = calleeOf(g, call) == "transpose" ? namedOf(call, "perm") : nullptr;
    const auto* list = perm ? g.nodeAt<ast::ExprList>(g.module[perm->value].span) : nullptr;
    if (list && list->items.size() >= 3 && turned.size() < mostTurned)
      turned.emplace_back(call, textsOfItems(g, *list));
  }
  for (const auto& [call, axes] : turned)
    if (const auto inverse = inverseOf(axes)) offer(call, *inverse);
  for (const auto& [call, axes] : turned) {
    std::vector<std::string> orders = exchangedAt(axes, 1);
    if (axes.size() > mostAxes && axes.size() <= mostAxesOfNext) {
      const std::vector<std::string> next = ordersOfNext(axes.size());
      orders.insert(axes[0] == "0" ? orders.begin() : orders.end(), next.begin(), next.end());
    }
    for (const std::string& order : orders) offer(call, order);
  }
  for (const auto& [call, axes] : turned) {
    for (std::size_t distance = 2; axes.size() <= mostAxes && distance < axes.size(); ++distance)
      for (const std::string& order : exchangedAt(axes, distance)) offer(call, order);
    if (axes.size() == mostAxes)
      for (const std::string& order : ordersOfNext(axes.size())) offer(call, order);
  }
}

// Turns what an operator gives near what fails, where both sizes that meet are sizes of it: of three axes, the last one
// to the front or the first one to the back.
void turnedNearby(Guesser& g, const Application& at) {
  constexpr std::size_t mostTurned = 3;
  static constexpr std::string_view shaping[] = {"expand", "squeeze", "broadcast_to", "transpose"};
  static constexpr std::pair<std::size_t, const char*> orders[] = {
      {2, ")"},
      {3, ", perm=[2, 0, 1])"},
      {3, ", perm=[1, 2, 0])"},
      {3, ", perm=[0, 2, 1])"},
      {4, ", perm=[0, 2, 1, 3])"},
      {4, ", perm=[0, 1, 3, 2])"},
      {4, ", perm=[0, 3, 1, 2])"},
      {4, ", perm=[0, 2, 3, 1])"},
  };
  const std::vector<std::string> told = sizesTold(g);
  if (!isFailing(g, at) || told.size() != 2 || told[0] == told[1]) return;
  const std::vector<Application> calls = g.callsComputing();
  std::size_t turned = 0;
  for (const Application& call : calls) {
    const std::string callee = calleeOf(g, call);
    if (call.span == at.span || !g.checked.operators.find(callee)) continue;
    if (std::ranges::find(shaping, callee) != std::end(shaping)) continue;
    const bool isTurned = std::ranges::any_of(calls, [&](const Application& other) {
      return calleeOf(g, other) == "transpose" && !other.arguments.empty() && other.arguments[0] == call.span;
    });
    const std::vector<Dim> sizes = g.sizesOf(call.span);
    auto has = [&](const std::string& size) {
      return std::ranges::any_of(sizes, [&](Dim own) { return g.checked.solution.printSize(own) == size; });
    };
    if (isTurned || !has(told[0]) || !has(told[1]) || ++turned > mostTurned) continue;
    for (const auto& [rank, order] : orders) {
      if (rank != sizes.size()) continue;
      g.wrap(call, call.span, "transpose", "transpose(", order);
      g.found.back().isFallback = true;  // any other value may be wrong
    }
  }
}

// Two sizes of a list exchanged, near what fails: `[n, h, w, c]` for `[n, h, c, w]`.
void sizesNearby(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t lists = 0;
  for (const Application& call : g.callsComputing()) {
    const auto* list = call.arguments.empty() ? nullptr : g.nodeAt<ast::ExprList>(call.arguments.back());
    if (!list || list->items.size() < 2 || ++lists > mostLists) continue;
    const std::vector<Span> items = itemsOf(g, *list);
    // The batch mostly is the first.
    for (std::size_t i = items.size() - 1; i-- > 0;) {
      const bool isBatch = i == 0 && items.size() > 2;
      exchangeNext(g, call.span, items, i, "sizes", g.isFar(call.span) || isBatch || wouldMixAxes(g, call, i));
    }
  }
}

// Two indices exchanged, near what fails: `x[:, 0]` for `x[0, :]`.
void indicesNearby(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    const auto* index = std::get_if<ast::ExprIndex>(&e->node);
    if (!index || index->items.size() < 2 || ++found > mostLists) continue;
    std::vector<Span> items;
    for (const ast::IndexItem& item : index->items) items.push_back(item.span);
    for (std::size_t i = 0; i + 1 < items.size(); ++i) exchangeNext(g, e->span, items, i, "indices", g.isFar(e->span));
  }
}

// Two sizes exchanged in what a function declares of a parameter or its result, where the error marks it, or a call of
// the function, or what is in it: `x : [b, n, c]` for `x : [b, c, n]`. Those that are marked come first.
void declaredNearby(Guesser& g, const Application& at) {
  constexpr std::size_t mostDeclared = 12;
  if (!isFailing(g, at)) return;
  const std::vector<Span> marks = g.marks();
  std::vector<const ast::ExprFn*> functions;
  auto add = [&](const ast::ExprFn* function) {
    if (function && std::ranges::find(functions, function) == functions.end()) functions.push_back(function);
  };
  for (const Application& call : g.markedCalls()) add(ownFunction(g, calleeOf(g, call)));
  for (const Span mark : marks) add(g.functionAround(mark));
  std::size_t found = 0;
  for (const bool areMarked : {true, false})
    for (const ast::ExprFn* function : functions)
      for (const std::vector<Span>& sizes : declaredShapes(g, *function))
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
          const bool isMarked = std::ranges::any_of(
              marks, [&](Span mark) { return isWithin(mark, sizes[i]) || isWithin(mark, sizes[i + 1]); });
          if (isMarked == areMarked && ++found <= mostDeclared)
            exchangeNext(g, {sizes[0].source, sizes.front().begin - 1, sizes.back().end + 1}, sizes, i, "sizes", true);
        }
}

// Multiplies two sizes in a list that are added: `[b, n, h*d]` for `[b, n, h + d]`.
void productOfSizes(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    const auto* list = std::get_if<ast::ExprList>(&e->node);
    for (const ast::ExprId item : list ? list->items : std::vector<ast::ExprId>()) {
      const auto* binary = std::get_if<ast::ExprBinary>(&g.module[item].node);
      if (!binary || binary->op != ast::Operator::add) continue;
      if (++found > mostLists) return;
      g.guess({e->span, {}, nullptr}, "multiply instead of adding", {{binary->opSpan, "*"}});
      g.found.back().isSure = true;
    }
  }
}

// Leaves out the cut of a value near what fails: `target` for `target[:, :-1]`. The size of a weight would then hold
// for all that meets it, so that any other change is likelier.
void withoutCut(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<std::string> sizes = sizesTold(g);
  if (sizes.size() != 2 || !areOneApart(sizes)) return;
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    const auto* index = std::get_if<ast::ExprIndex>(&e->node);
    const bool isCut = index && std::ranges::all_of(index->items, [](const ast::IndexItem& item) {
                         return std::holds_alternative<ast::IndexRange>(item.node);
                       });
    if (!isCut || ++found > mostLists) continue;
    const std::string base = g.text(g.module[index->base].span);
    const Application* shown = nullptr;  // the innermost call that is given it
    for (const Application& call : g.calls())
      if (isWithin(e->span, call.span) && (!shown || isWithin(call.span, shown->span))) shown = &call;
    const std::string title = fmt::format("do not cut `{}`", base);
    if (shown)
      g.guess(*shown, title, {{e->span, base}});
    else
      g.found.push_back({title, {{e->span, base}}});
    g.found.back().isFallback = true;
  }
}

// Cuts a row of a value that has one more than another one, or than a `reshape` needs.
void withoutRow(Guesser& g, const Application& at) {
  if (!at.named || at.isOrigin) return;
  const std::vector<std::string>& told = g.diagnostic.arguments;
  const std::vector<std::string> sizes = sizesTold(g);
  DimStore& dims = g.checked.solution.dims;
  const bool isReshape = g.diagnostic.code == &codes::reshapeTotal;
  if (!isReshape && (sizes.size() != 2 || !areOneApart(sizes) || parametersOf(g, calleeOf(g, at)).empty())) return;
  for (const Span argument : at.arguments) {
    const std::vector<Dim> own = g.paramAt(argument) ? std::vector<Dim>() : g.sizesOf(argument);
    for (std::size_t axis = own.size(); axis-- > 0;) {
      bool mayFit = false;
      const bool isBatch = own.size() >= 3 && !dims.asConstant(own[0]);
      if (!isReshape && (!isBatch || axis + 1 == own.size())) continue;  // weights and channels
      if (isReshape) {
        Dim elements = dims.constant(1);
        for (std::size_t i = 0; i < own.size(); ++i)
          elements = dims.mul(elements, i == axis ? dims.sub(own[i], dims.constant(1)) : own[i]);
        mayFit = std::ranges::find(told, g.checked.solution.printSize(elements)) != told.end();
      } else {
        const std::string size = g.checked.solution.printSize(own[axis]);
        mayFit = (size == sizes[0] && isOneMore(size, sizes[1])) || (size == sizes[1] && isOneMore(size, sizes[0]));
      }
      if (!mayFit) continue;
      cutRow(g, at, argument, axis);
      if (isReshape && isFailing(g, at)) cutWhereMade(g, g.checked.solution.printSize(own[axis]));
    }
  }
}

// Cuts a row where the larger one of two sizes that differ by 1 is made.
void withoutRowWhereMade(Guesser& g, const Application& at) {
  const std::vector<std::string> sizes = sizesTold(g);
  if (!isFailing(g, at) || sizes.size() != 2 || !areOneApart(sizes)) return;
  cutWhereMade(g, isOneMore(sizes[0], sizes[1]) ? sizes[0] : sizes[1]);
}

namespace {

// Whether a list of sizes on the way to what fails has a size, with whatever spaces.
bool isListed(Guesser& g, std::string size) {
  std::erase(size, ' ');
  return std::ranges::any_of(g.computing(), [&](const ast::Expr* e) {
    const auto* list = std::get_if<ast::ExprList>(&e->node);
    return list && std::ranges::any_of(textsOfItems(g, *list), [&](std::string item) {
             std::erase(item, ' ');
             return item == size;
           });
  });
}

}  // namespace

// One more or one less element of an `arange` near what fails: `arange(n - 1)` for `arange(n)`, `arange(n)` for
// `arange(n + 1)`. A size that a list has there, too, is meant.
void lengthByOne(Guesser& g, const Application& at) {
  const std::vector<std::string> sizes = sizesTold(g);
  const bool isOfSizes = g.diagnostic.code == &codes::dimMismatch;
  if (!isFailing(g, at) || (isOfSizes && (sizes.size() != 2 || !areOneApart(sizes)))) return;
  std::size_t found = 0;
  for (const Application& call : g.callsComputing()) {
    if (calleeOf(g, call) != "arange" || call.arguments.size() != 1 || ++found > 2) continue;
    const Span length = call.arguments[0];
    if (g.nodeAt<ast::ExprNumber>(length)) continue;
    for (const auto& [title, step] :
         {std::pair("one less", ast::Operator::sub), std::pair("one more", ast::Operator::add)}) {
      const auto* binary = g.nodeAt<ast::ExprBinary>(length);
      const bool isUndone = binary && binary->op != step &&
                            (binary->op == ast::Operator::add || binary->op == ast::Operator::sub) &&
                            g.text(g.module[binary->right].span) == "1";
      const std::string instead =
          isUndone ? g.text(g.module[binary->left].span) : fmt::format("{} {} 1", g.text(length), spelling(step));
      g.guess(call, title, {{length, instead}});
      g.found.back().isSure = !isUndone && isListed(g, instead);
    }
  }
}

// Cuts a row more or less: `x[:n]` for `x[:n - 1]`.
void cutByOne(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    const auto* index = std::get_if<ast::ExprIndex>(&e->node);
    if (!index) continue;
    for (const ast::IndexItem& item : index->items) {
      const auto* range = std::get_if<ast::IndexRange>(&item.node);
      if (!range) continue;
      for (const ast::ExprId end : {range->start, range->stop}) {
        const auto* binary = end ? std::get_if<ast::ExprBinary>(&g.module[end].node) : nullptr;
        if (!binary || g.text(g.module[binary->right].span) != "1" || ++found > mostLists) continue;
        g.guess({e->span, {}, nullptr}, "a row more or less",
                {{g.module[end].span, g.text(g.module[binary->left].span)}});
      }
    }
  }
}

// Another number for a static argument of a call on the way to what fails, also for its default there, or for the
// length of an `arange` near it: so that one of the sizes is the other.
void staticThatFits(Guesser& g, const Application& at) {
  constexpr std::int64_t largest = 1'000'000;
  const std::vector<std::int64_t> sizes = g.numbers();
  if (!isFailing(g, at) || sizes.size() != 2 || std::ranges::min(sizes) < 1 || std::ranges::max(sizes) > largest)
    return;
  auto fitting = [&](const ast::Expr& value) {
    std::vector<std::int64_t> all;
    const auto* number = std::get_if<ast::ExprNumber>(&value.node);
    if (!number || number->form != ast::NumberForm::integer || number->negative) return all;
    const auto given = static_cast<std::int64_t>(number->integer);
    if (given < 1 || given > largest) return all;
    for (const std::size_t i : {0, 1}) {
      const std::int64_t one = sizes[i], other = sizes[1 - i];
      const std::int64_t scaled = given * other % one == 0 ? given * other / one : given;
      // Of a block: its area.
      const std::int64_t side = std::lround(
          std::sqrt(static_cast<double>(given * given) * static_cast<double>(other) / static_cast<double>(one)));
      const bool isArea = side * side * one == given * given * other;
      for (const std::int64_t instead : {given == one ? other : scaled, isArea ? side : given})
        if (instead != given && std::ranges::find(all, instead) == all.end()) all.push_back(instead);
    }
    return all;
  };
  auto offer = [&](Span shown, const std::string& what, ast::ExprId value) {
    for (const std::int64_t instead : fitting(g.module[value]))
      g.guess({shown, {}, nullptr}, fmt::format("the {} that fits", what),
              {{g.module[value].span, std::to_string(instead)}});
  };
  for (const Application& call : g.markedCalls())
    for (const ast::NamedArgument& named : *call.named)
      if (named.name.text != "axis") offer(named.span, fmt::format("`{}`", named.name.text), named.value);
  for (const Application& call : g.markedCalls()) {  // that leave it to a default
    const ast::ExprFn* called = ownFunction(g, calleeOf(g, call));
    for (const ast::StaticParameter& parameter : called ? called->statics : std::vector<ast::StaticParameter>())
      if (const std::string& name = parameter.name.text; !namedOf(call, name) && parameter.defaultValue)
        for (const std::int64_t instead : fitting(g.module[parameter.defaultValue]))
          if (instead > 1) {
            g.guess(call, fmt::format("the `{}` that fits", name),
                    {giveStatic(g, call, name, std::to_string(instead))});
            g.found.back().isFallback = true;  // the default is mostly meant
          }
  }
  for (const ast::Expr* e : g.computing())
    if (const auto* call = std::get_if<ast::ExprCall>(&e->node); call && call->arguments.size() == 1)
      if (g.text(g.module[call->callee].span) == "arange") offer(e->span, "length", call->arguments[0]);
}

// The groups with which a convolution's filter is for all channels of its image.
void fittingGroups(Guesser& g, const Application& at) {
  if (!isFailing(g, at) || !at.named || at.arguments.size() != 2 || !g.hasStatic(calleeOf(g, at), "groups")) return;
  const DimStore& dims = g.checked.solution.dims;
  const std::vector<Dim> image = g.sizesOf(at.arguments[0]), filter = g.sizesOf(at.arguments[1]);
  if (image.size() < 2 || filter.size() != image.size()) return;
  const auto channels = dims.asConstant(image.back()), each = dims.asConstant(filter[filter.size() - 2]);
  if (!channels || !each || *each == 0 || *channels % *each != 0) return;
  const ast::NamedArgument* groups = namedOf(at, "groups");
  const std::string fitting = std::to_string(*channels / *each);
  g.guess(at, "the `groups` that fits",
          {groups ? Edit{g.module[groups->value].span, fitting} : giveStatic(g, at, "groups", fitting)});
  g.found.back().isFallback = !groups;
}

}  // namespace axle::guess
