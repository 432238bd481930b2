// Guesses of the numbers by which windows and scales change images, and of other numbers that functions are given.
#include <algorithm>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"
#include "typecheck/report/size_difference.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostRates = 12;  // in programs whose rates are all tried
constexpr std::size_t mostGuesses = 8;

// A call that changes the size of an image, and the list that says by how much.
struct Rate {
  Application call;
  std::string_view name;  // of the list
  Span list{};
  std::vector<std::string> numbers;  // none where the call leaves the list out
};

// The static argument that has the rate of an operator; empty for other operators.
std::string_view rateOf(const std::string& callee) {
  if (callee == "max_pool" || callee == "avg_pool") return "size";
  if (callee == "upsample") return "scale";
  if (callee.starts_with("conv1d") || callee.starts_with("conv_transpose1d")) return "stride";
  if (callee == "conv2d" || callee == "conv_transpose2d") return "stride";
  return {};
}

std::vector<Rate> ratesIn(const Guesser& g) {
  std::vector<Rate> rates;
  for (const Application& call : g.calls()) {
    const std::string_view name = rateOf(calleeOf(g, call));
    if (name.empty()) continue;
    Rate rate{call, name, {}, {}};
    if (const ast::NamedArgument* named = namedOf(call, name)) {
      rate.list = g.module[named->value].span;
      const auto* list = g.nodeAt<ast::ExprList>(rate.list);
      if (!list) continue;
      for (const ast::ExprId item : list->items) rate.numbers.push_back(g.text(g.module[item].span));
    }
    rates.push_back(std::move(rate));
  }
  return rates;
}

std::string listOf(const std::vector<std::string>& numbers) {
  std::string list;
  for (const std::string& number : numbers) list += (list.empty() ? "[" : ", ") + number;
  return list + "]";
}

// Whether one of two sizes is a number, and the other a multiple of a name: `2*h` and 1.
bool isOfNumberAndMultiple(const Guesser& g) {
  const std::vector<std::string>& told = g.diagnostic.arguments;
  return g.numbers().size() == 1 && told.size() > 2 && told.back().find('*') != told[told.size() - 2].find('*');
}

// The list that a static argument is; null for others, and where the argument is not given.
const ast::ExprList* listGiven(const Guesser& g, const ast::NamedArgument* argument) {
  return argument ? g.nodeAt<ast::ExprList>(g.module[argument->value].span) : nullptr;
}

// Whether two sizes meet elsewhere than in the channels of a filter.
bool failsOutsideFilters(const Guesser& g, const Application& at) {
  const std::string fails = g.named(0);
  return isFailing(g, at) && !fails.starts_with("conv") && fails != "matmul" && fails != "einsum";
}

// Whether these are numbers, or multiples of one name.
bool isOfImages(const Guesser& g, const Application& at) {
  return failsOutsideFilters(g, at) && (g.numbers().size() == 2 || g.multiplesOf() || isOfNumberAndMultiple(g));
}

// Leaves out a padding where a call gives it, as its function's default is none; a default is written.
Edit withoutStatic(const Guesser& g, const GivenStatic& given) {
  const auto called = calledFunctionAt(g.checked.modules, given.call.span);
  for (const ast::NamedArgument& named : given.call.named ? *given.call.named : std::vector<ast::NamedArgument>())
    for (const ast::StaticParameter& parameter :
         called ? called->function->statics : std::vector<ast::StaticParameter>())
      if (g.module[named.value].span == given.value && parameter.name.text == named.name.text && parameter.defaultValue)
        if (called->module == &g.module && g.text(g.module[parameter.defaultValue].span) == "\"valid\"")
          return {withComma(given.call, named), ""};
  return {given.value, "\"valid\""};
}

// The functions of the program that take a rate as a static argument, which no call gives: `stride` of `conv`.
std::vector<Rate> ratesLeftOut(const Guesser& g) {
  std::vector<Rate> rates;
  for (const Application& call : g.calls()) {
    const auto called = calledFunctionAt(g.checked.modules, call.span);
    if (!called || called->module != &g.module || namedOf(call, "stride")) continue;
    if (std::ranges::any_of(called->function->statics, [](const auto& given) { return given.name.text == "stride"; }))
      rates.push_back({call, "stride", {}, {}});
  }
  return rates;
}

// A static argument of two numbers or pads that differ: one for each axis of an image.
struct UnequalPair {
  Application call;
  std::string name;
  Span list, first, second;
};

std::vector<UnequalPair> unequalPairs(const Guesser& g, const std::vector<Application>& calls,
                                      std::span<const std::string_view> names) {
  std::vector<UnequalPair> pairs;
  for (const Application& call : calls)
    for (const ast::NamedArgument& named : *call.named) {
      const auto* list = listGiven(g, &named);
      if (!list || list->items.size() != 2 || std::ranges::find(names, named.name.text) == names.end()) continue;
      const Span first = g.module[list->items[0]].span, second = g.module[list->items[1]].span;
      if (g.text(first) != g.text(second))
        pairs.push_back({call, named.name.text, g.module[named.value].span, first, second});
    }
  return pairs;
}

}  // namespace

// Gives a window or scale one number for both axes where it has two, also in calls of functions: `stride=[2, 2]` for
// `stride=[32, 2]`.
void squareRate(Guesser& g, const Application& at) {
  static constexpr std::string_view rates[] = {"stride", "size", "scale"};
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const UnequalPair& pair : unequalPairs(g, g.calls(), rates)) {
    const std::string one = g.text(pair.first), other = g.text(pair.second);
    if (!numberOf(one) || !numberOf(other)) continue;
    for (const std::string& number : {one, other})
      if (++found <= mostGuesses)
        g.guess(pair.call, fmt::format("the {} that fits", pair.name), {{pair.list, listOf({number, number})}});
  }
}

// Gives a window or scale the numbers that others of the program have, the commonest first: `size=[2, 2]` for
// `size=[3, 3]` beside `stride=[2, 2]`. A convolution without a stride is given one last.
void otherRate(Guesser& g, const Application& at) {
  if (!isOfImages(g, at)) return;
  const std::vector<Rate> rates = ratesIn(g);
  std::map<std::string, std::size_t> uses;
  for (const Rate& rate : rates)
    if (!rate.numbers.empty()) ++uses[listOf(rate.numbers)];
  std::vector<std::string> common;
  for (const auto& [list, count] : uses) common.push_back(list);
  std::ranges::stable_sort(common, std::greater(), [&](const std::string& list) { return uses[list]; });
  if (rates.size() > mostRates || common.empty()) return;
  std::size_t found = 0;
  auto offer = [&](const Rate& rate, const std::string& list) {
    if (list == listOf(rate.numbers) || ++found > mostGuesses) return;
    g.guess(rate.call, fmt::format("the {} that fits", rate.name), {{rate.list, list}});
  };
  for (const Rate& rate : rates)
    for (const std::string& list : common)
      if (!rate.numbers.empty() && std::ranges::count(list, ',') + 1 == std::ssize(rate.numbers)) offer(rate, list);
  found = 0;
  std::vector<Rate> leftOut = ratesLeftOut(g);
  for (const Rate& rate : rates)
    if (rate.numbers.empty() && calleeOf(g, rate.call) == "conv2d" && !isOfEnlarged(g, rate.call))
      leftOut.push_back(rate);
  for (const Rate& rate : leftOut)
    if (++found <= mostGuesses)
      g.guess(rate.call, "the stride that fits", {giveStatic(g, rate.call, "stride", common[0])});
}

// Leaves the padding of a window out, which keeps an image larger than another one is.
void withoutPadding(Guesser& g, const Application& at) {
  if (!isOfImages(g, at) || (g.multiplesOf() && sizeDifference(g).factor > 1)) return;
  std::size_t found = 0;
  for (const Application& call : g.calls()) {
    const ast::NamedArgument* padding = namedOf(call, "padding");
    if (!padding || ++found > mostGuesses) continue;
    for (const GivenStatic& given : givenStatic(g, call, *padding)) {
      if (g.text(given.value) != "\"same\"") continue;
      if (given.value == g.module[padding->value].span)
        g.guess(call, "without padding, which makes the image larger", {{withComma(call, *padding), ""}});
      else
        g.guess(given.call, "without padding, which makes the image larger", {withoutStatic(g, given)});
    }
  }
}

// Gives both axes the padding of one of them, where they differ or one is not whole: `[[1, 1], [1, 1]]` for
// `[[1, 1], [1]]`.
void evenPadding(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsNearestFirst()) {
    const ast::NamedArgument* padding = namedOf(call, "padding");
    const ast::ExprList* axes = listGiven(g, padding);
    const bool isOfPadding = g.diagnostic.code == &codes::badAttribute;
    if (!axes || (isOfPadding && !(padding->span == at.span))) continue;
    std::set<std::string> pairs;  // that an axis has
    for (const ast::ExprId axis : axes->items)
      if (const auto* sides = std::get_if<ast::ExprList>(&g.module[axis].node); sides && sides->items.size() == 2)
        pairs.insert(g.text(g.module[axis].span));
    for (const std::string& pair : pairs) {
      const std::string both = fmt::format("[{0}, {0}]", pair);
      if (both != g.text(g.module[padding->value].span) && ++found <= mostGuesses)
        g.guess(call, "the same padding for both axes", {{g.module[padding->value].span, both}});
    }
  }
}

// Exchanges what the two axes of an image are given, where that differs: `padding=[[0, 0], [2, 2]]` for
// `padding=[[2, 2], [0, 0]]`.
void axesOfRateExchanged(Guesser& g, const Application& at) {
  static constexpr std::string_view rates[] = {"padding", "stride", "size", "scale", "dilation"};
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const UnequalPair& pair : unequalPairs(g, g.callsNearestFirst(), rates)) {
    if (++found > mostGuesses) return;
    g.guess(pair.call, fmt::format("exchange the axes of `{}`", pair.name),
            {{pair.first, g.text(pair.second)}, {pair.second, g.text(pair.first)}});
    g.found.back().isFallback = g.isFar(pair.call.span);
  }
}

namespace {

// The window of a pool, or of the filter that a call gives a convolution, with as many axes; empty where it is not
// known, or several calls give several windows.
std::vector<std::string> windowOf(const Guesser& g, const Application& call, std::size_t axes) {
  std::set<std::vector<std::string>> windows;
  if (const ast::NamedArgument* size = namedOf(call, "size")) {
    std::vector<std::string> sides;
    if (const ast::ExprList* list = listGiven(g, size))
      for (const Span side : itemsOf(g, *list)) sides.push_back(g.text(side));
    windows.insert(sides);
  }
  for (std::size_t i = 1; i < call.arguments.size() && windows.empty(); ++i)
    for (const ast::Param* weight : weightsAt(g, call.arguments[i])) {
      const std::vector<const ast::Dim*> sizes = declaredSizesOf(g.module, weight->type);
      std::vector<std::string> sides;
      for (std::size_t axis = 0; sizes.size() == axes + 2 && axis < axes; ++axis)
        sides.push_back(g.text(sizes[axis]->span));
      if (!sides.empty()) windows.insert(std::move(sides));
    }
  return windows.size() == 1 && windows.begin()->size() == axes ? *windows.begin() : std::vector<std::string>();
}

}  // namespace

// Gives a window the padding of its size, with which an image keeps its size, or the part of it that a stride leaves:
// `padding=[[3, 3], [3, 3]]` for a filter of 7 x 7, wherever it is.
void fittingPadding(Guesser& g, const Application& at) {
  if (!isOfImages(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsNearestFirst()) {
    const ast::NamedArgument* padding = namedOf(call, "padding");
    const ast::ExprList* axes = listGiven(g, padding);
    std::vector<std::string> pairs;
    for (const std::string& side : axes ? windowOf(g, call, axes->items.size()) : std::vector<std::string>())
      if (const auto width = numberOf(side); width.value_or(0) % 2 == 1)  // others have none with equal sides
        pairs.push_back(fmt::format("[{0}, {0}]", *width / 2));
    if (pairs.empty() || pairs.size() != axes->items.size()) continue;
    const Span place = g.module[padding->value].span;
    if (listOf(pairs) != g.text(place) && ++found <= mostGuesses)
      g.guess(call, "the padding of this window", {{place, listOf(pairs)}});
  }
}

// Gives a pool that moves by one the stride that makes one of two images as small as the other.
void movingPool(Guesser& g, const Application& at) {
  const std::vector<std::int64_t> sizes = g.numbers();
  if (!isOfImages(g, at) || sizes.size() != 2 || std::min(sizes[0], sizes[1]) < 1) return;
  const auto [least, most] = std::minmax(sizes[0], sizes[1]);
  const std::int64_t rate = (most + least / 2) / least;  // borders may add to a multiple
  std::size_t found = 0;
  for (const Application& call : g.callsNearestFirst()) {
    const ast::NamedArgument* stride = namedOf(call, "stride");
    const ast::ExprList* list = listGiven(g, stride);
    if (!list || rate < 2 || calleeOf(g, call).find("pool") == std::string::npos) continue;
    const bool isOne = std::ranges::all_of(itemsOf(g, *list), [&](Span item) { return g.text(item) == "1"; });
    if (isOne && ++found <= mostGuesses)
      g.guess(call, "the stride that fits",
              {{g.module[stride->value].span, listOf(std::vector(list->items.size(), std::to_string(rate)))}});
  }
}

// Gives a pool with a window of three or more, which moves by its size, the stride 2.
void overlappingPool(Guesser& g, const Application& at) {
  if (!isOfImages(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsNearestFirst()) {
    const ast::NamedArgument* size = namedOf(call, "size");
    const ast::ExprList* window = listGiven(g, size);
    if (!window || namedOf(call, "stride") || calleeOf(g, call).find("pool") == std::string::npos) continue;
    const bool isLarge =
        std::ranges::all_of(itemsOf(g, *window), [&](Span side) { return numberOf(g.text(side)).value_or(0) > 2; });
    if (isLarge && ++found <= mostGuesses)
      g.guess(call, "a stride smaller than the window",
              {giveStatic(g, call, "stride", listOf(std::vector<std::string>(window->items.size(), "2")))});
  }
}

// Gives a pool that is not padded the window of its stride, where it has a larger one: `size=[2, 2]` for `size=[3, 3]`
// beside `stride=[2, 2]`.
void windowOfStride(Guesser& g, const Application& at) {
  if (!failsOutsideFilters(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsNearestFirst()) {
    const ast::NamedArgument *size = namedOf(call, "size"), *stride = namedOf(call, "stride");
    const ast::ExprList *window = listGiven(g, size), *by = listGiven(g, stride);
    const bool isPool = calleeOf(g, call).find("pool") != std::string::npos && !namedOf(call, "padding");
    if (!isPool || !window || !by || window->items.size() != by->items.size()) continue;
    bool isLarger = true;
    for (std::size_t axis = 0; axis < by->items.size(); ++axis) {
      const auto side = numberOf(g.text(g.module[window->items[axis]].span));
      const auto step = numberOf(g.text(g.module[by->items[axis]].span));
      isLarger = isLarger && side && step && *step > 1 && *side > *step;
    }
    if (isLarger && ++found <= mostGuesses)
      g.guess(call, "a window as large as the stride",
              {{g.module[size->value].span, g.text(g.module[stride->value].span)}});
  }
}

// Leaves out the stride of a pool that is not its size, which is what it is without one.
void poolStride(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsNearestFirst()) {
    const ast::NamedArgument *size = namedOf(call, "size"), *stride = namedOf(call, "stride");
    if (!size || !stride || calleeOf(g, call).find("pool") == std::string::npos) continue;
    if (g.text(g.module[size->value].span) != g.text(g.module[stride->value].span) && ++found <= mostGuesses)
      g.guess(call, "a window that moves by its size", {{withComma(call, *stride), ""}});
  }
}

// Changes a number that a function of the program is given, or has as its default, by as much as the sizes differ: on
// one side, or by half on both.
void otherNumber(Guesser& g, const Application& at) {
  const std::vector<std::int64_t> sizes = g.numbers();
  const auto called = at.named ? calledFunctionAt(g.checked.modules, at.span) : std::nullopt;
  if (!called || called->module != &g.module || sizes.size() != 2 || at.isOrigin) return;
  const std::int64_t apart = sizes[0] - sizes[1];
  std::vector<std::int64_t> steps;
  if (apart % 2 == 0) steps = {apart / 2, -apart / 2};
  steps.insert(steps.end(), {apart, -apart});
  for (const ast::StaticParameter& parameter : called->function->statics) {
    const ast::NamedArgument* given = namedOf(at, parameter.name.text);
    if (!given && !parameter.defaultValue) continue;
    const auto own = numberOf(g.text(g.module[given ? given->value : parameter.defaultValue].span));
    if (!own) continue;
    const Span behind{at.span.source, at.span.end - 1, at.span.end - 1};
    for (const std::int64_t step : steps) {
      const std::int64_t number = *own + step;
      if (number < 0) continue;
      const std::string title = fmt::format("the `{}` that fits", parameter.name.text);
      if (given) {
        g.guess(at, title, {{g.module[given->value].span, std::to_string(number)}});
      } else {
        const Span value = g.module[parameter.defaultValue].span;
        g.guess({parameter.span, {}, nullptr}, title, {{value, std::to_string(number)}});
        g.guess(at, title, {{behind, fmt::format(", {}={}", parameter.name.text, number)}});
      }
    }
  }
}

}  // namespace axle::guess
