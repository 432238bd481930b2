// Guesses of what a list of sizes or indices lacks, told by what else the program writes: the sizes that a value was
// made with, the indices of the other operands.
#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostFollowed = 6;  // calls and names that are followed to where a value gets its sizes
constexpr std::size_t mostWritten = 6;

// One factor of a written size, and the item of the list that it is part of.
struct Factor {
  std::string text;  // without the parentheses around it
  Span span;         // with them
  std::size_t item = 0;
};

void addFactors(const Guesser& g, Span size, std::size_t item, Span shown, std::vector<Factor>& factors) {
  if (const auto* group = g.nodeAt<ast::ExprGroup>(size))
    return addFactors(g, g.module[group->inner].span, item, shown, factors);
  const auto* product = g.nodeAt<ast::ExprBinary>(size);
  if (!product || product->op != ast::Operator::mul) return factors.push_back({g.text(size), shown, item});
  for (const ast::ExprId side : {product->left, product->right})
    addFactors(g, g.module[side].span, item, g.module[side].span, factors);
}

std::optional<Application> callAt(const Guesser& g, Span expression) {
  const std::vector<Application>& calls = g.calls();
  const auto call = std::ranges::find(calls, expression, &Application::span);
  return call == calls.end() ? std::nullopt : std::optional(*call);
}

// The sizes of a value as the text has them, each as its factors: those of a `reshape`, also behind a `transpose` or
// what keeps them, and those that a function declares of a parameter. None where the text does not say.
std::vector<std::vector<std::string>> sizesWritten(Guesser& g, Span value, std::size_t depth) {
  std::vector<std::vector<std::string>> sizes;
  if (depth == 0) return sizes;
  const Span bound = valueOf(g, value);
  const auto call = callAt(g, bound);
  if (!call) {
    const ast::ExprFn* around = g.nodeAt<ast::ExprName>(bound) ? g.functionAround(bound) : nullptr;
    for (const ast::Parameter& parameter : around ? around->parameters : std::vector<ast::Parameter>())
      if (parameter.name.text == g.text(bound))
        for (const ast::Dim* size : declaredSizesOf(g.module, parameter)) sizes.push_back({g.text(size->span)});
    return sizes;
  }
  const auto* list = call->arguments.size() == 2 && calleeOf(g, *call) == "reshape"
                         ? g.nodeAt<ast::ExprList>(call->arguments[1])
                         : nullptr;
  if (list) {
    for (const Span item : itemsOf(g, *list)) {
      std::vector<Factor> factors;
      addFactors(g, item, 0, item, factors);
      auto& texts = sizes.emplace_back();
      for (const Factor& factor : factors) texts.push_back(factor.text);
    }
    return sizes;
  }
  if (call->arguments.empty()) return sizes;
  const std::vector<std::vector<std::string>> inner = sizesWritten(g, call->arguments[0], depth - 1);
  const ast::NamedArgument* perm = calleeOf(g, *call) == "transpose" ? namedOf(*call, "perm") : nullptr;
  const auto* order = perm ? g.nodeAt<ast::ExprList>(g.module[perm->value].span) : nullptr;
  if (!order) {
    const bool areKept = g.rankOf(bound) && g.sizesOf(bound) == g.sizesOf(call->arguments[0]);
    return areKept ? inner : sizes;
  }
  for (const Span axis : itemsOf(g, *order)) {
    const auto number = numberOf(g.text(axis));
    if (!number || *number >= static_cast<std::int64_t>(inner.size())) return {};
    sizes.push_back(inner[static_cast<std::size_t>(*number)]);
  }
  return sizes;
}

// Where factors are left out of a list: behind so many of its own.
struct Gap {
  std::size_t behind = 0;
  std::string factor;
};

// The one factor, or product of factors in a row, that a list lacks of all; nothing where it has others, or lacks
// several.
std::optional<Gap> gapOf(const std::vector<Factor>& own, const std::vector<std::string>& all) {
  if (own.size() >= all.size()) return std::nullopt;
  std::size_t before = 0, behind = 0;
  while (before < own.size() && own[before].text == all[before]) ++before;
  while (before + behind < own.size() && own[own.size() - 1 - behind].text == all[all.size() - 1 - behind]) ++behind;
  if (before + behind != own.size()) return std::nullopt;
  std::vector<std::string> missing;
  for (std::size_t i = before; i < all.size() - behind; ++i) {
    const bool isPlain = all[i].find_first_of(" +-/%") == std::string::npos;
    missing.push_back(isPlain ? all[i] : "(" + all[i] + ")");
  }
  return Gap{before, fmt::format("{}", fmt::join(missing, "*"))};
}

}  // namespace

// Puts a factor into the sizes of a `reshape` that they lack of those that its argument was made with:
// `[b*(h / m)*(w / m), m*m, c]` for `[b*(h / m), m*m, c]`. A product gets it as a factor; elsewhere it is a size.
void factorLeftOut(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const auto& [call, list] : writtenReshapes(g)) {
    if (!(call.span == at.span) && ++found > mostWritten) continue;
    const std::vector<Span> items = itemsOf(g, *list);
    std::vector<Factor> own;
    for (std::size_t i = 0; i < items.size(); ++i) addFactors(g, items[i], i, items[i], own);
    const std::vector<std::vector<std::string>> sizes = sizesWritten(g, call.arguments[0], mostFollowed);
    std::vector<std::string> all;
    for (const std::vector<std::string>& size : sizes) all.insert(all.end(), size.begin(), size.end());
    const auto gap = gapOf(own, all);
    if (!gap || own.empty()) continue;
    const Factor* before = gap->behind > 0 ? &own[gap->behind - 1] : nullptr;
    const Factor* behind = gap->behind < own.size() ? &own[gap->behind] : nullptr;
    auto isProduct = [&](const Factor* factor) {
      return factor && std::ranges::count(own, factor->item, &Factor::item) > 1;
    };
    std::vector<Edit> choices;
    auto joinTo = [&](const Factor* factor) {
      if (!factor) return;
      const std::uint32_t place = factor == before ? factor->span.end : factor->span.begin;
      choices.push_back({{call.span.source, place, place}, factor == before ? "*" + gap->factor : gap->factor + "*"});
    };
    auto putBeside = [&] {
      const std::uint32_t place = before ? items[before->item].end : items.front().begin;
      choices.push_back({{call.span.source, place, place}, before ? ", " + gap->factor : gap->factor + ", "});
    };
    const bool isInside = before && behind && before->item == behind->item;
    const bool wouldBeSame = all.size() == sizes.size() && sizes.size() == items.size() + 1;  // as before the `reshape`
    if (isProduct(before)) joinTo(before);
    if (!isInside && !wouldBeSame) putBeside();
    if (!isProduct(before)) joinTo(before);
    if (!isInside) joinTo(behind);
    for (Edit& edit : choices) {
      g.guess(call, fmt::format("`{}` is left out", gap->factor), {std::move(edit)});
      g.found.back().isSure = true;
    }
  }
}

namespace {

// The texts of an index's items; none for other expressions.
std::vector<std::string> indicesOf(const Guesser& g, Span expression) {
  std::vector<std::string> texts;
  if (const auto* index = g.nodeAt<ast::ExprIndex>(expression))
    for (const ast::IndexItem& item : index->items) texts.push_back(g.text(item.span));
  return texts;
}

// Changes the indices of one operand, so that it has as many as the others, none that no other one has, and is like
// none of them.
void indexLikeOthers(Guesser& g, const Application& at, Span odd, const std::vector<std::vector<std::string>>& others) {
  const std::vector<std::string> own = indicesOf(g, odd);
  const std::size_t count = others[0].size();
  const Span base = g.module[g.nodeAt<ast::ExprIndex>(odd)->base].span;
  std::set<std::vector<std::string>> offered;
  for (std::size_t axis = count; axis-- > 0;)
    for (const std::vector<std::string>& other : others) {
      std::vector<std::string> indices = own;
      const bool isLeftOut = own.size() + 1 == count && axis <= own.size();
      if (isLeftOut) indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(axis), other[axis]);
      const bool isOdd = own.size() == count && std::ranges::none_of(others, [&](const std::vector<std::string>& each) {
                           return each[axis] == own[axis];
                         });
      if (isOdd || (own.size() == count && own[axis] == ":")) indices[axis] = other[axis];
      const bool isNew =
          indices.size() == count && indices != own && std::ranges::find(others, indices) == others.end();
      if (!isNew || offered.size() == mostWritten || !offered.insert(indices).second) continue;
      const Edit edit = own.size() == count ? Edit{g.nodeAt<ast::ExprIndex>(odd)->items[axis].span, other[axis]}
                                            : Edit{odd, fmt::format("{}[{}]", g.text(base), fmt::join(indices, ", "))};
      g.guess(at, "indices like those of the others", {edit});
    }
}

}  // namespace

// Gives one operand of several, all of them parts of one value, an index that it lacks beside the others:
// `concat(x[:, ::2], x[:, 1::2], axis=-1)` for `concat(x[:, ::2], x[1::2], axis=-1)`; or one in the place of its own.
void indexLeftOut(Guesser& g, const Application& at) {
  if (!isFailing(g, at) || at.arguments.size() < 2) return;
  const auto* first = g.nodeAt<ast::ExprIndex>(at.arguments[0]);
  for (const Span argument : at.arguments) {
    const auto* index = g.nodeAt<ast::ExprIndex>(argument);
    if (!index || g.text(g.module[index->base].span) != g.text(g.module[first->base].span)) return;
  }
  for (const Span odd : at.arguments) {
    std::vector<std::vector<std::string>> others;
    for (const Span other : at.arguments)
      if (!(other == odd)) others.push_back(indicesOf(g, other));
    const auto isAlike = [&](const std::vector<std::string>& other) { return other.size() == others[0].size(); };
    if (std::ranges::all_of(others, isAlike)) indexLikeOthers(g, at, odd, others);
  }
}

namespace {

// The `reshape` that gives a value its sizes: where it is bound, or in the function that is called for it.
std::optional<Application> reshapeMaking(const Guesser& g, Span value) {
  auto call = callAt(g, valueOf(g, value));
  const auto called = call ? calledFunctionAt(g.checked.modules, call->span) : std::nullopt;
  if (called && called->module == &g.module)
    if (const auto* body = std::get_if<ast::ExprBlock>(&g.module[called->function->body].node); body && body->result)
      call = callAt(g, g.module[body->result].span);
  const bool isReshape = call && calleeOf(g, *call) == "reshape" && call->arguments.size() == 2;
  return isReshape && g.nodeAt<ast::ExprList>(call->arguments[1]) ? call : std::nullopt;
}

}  // namespace

// Exchanges an axis of size 1 with the one beside it where a `reshape` makes an argument of what fails or leads there:
// `reshape(ids != 0, [b, 1, 1, n])` for `reshape(ids != 0, [b, 1, n, 1])`.
void oneBesideWhereMade(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::vector<Application> places = g.markedCalls();
  places.insert(places.begin(), at);
  std::set<std::uint32_t> known;
  for (const Application& place : places)
    for (const Span argument : place.arguments) {
      const auto call = reshapeMaking(g, argument);
      if (!call || known.size() == mostWritten || !known.insert(call->span.begin).second) continue;
      const std::vector<Span> items = itemsOf(g, *g.nodeAt<ast::ExprList>(call->arguments[1]));
      for (std::size_t i = items.size(); i-- > 1;) {
        const std::string one = g.text(items[i - 1]), other = g.text(items[i]);
        if ((one == "1") == (other == "1")) continue;
        g.guess(*call, "the sizes in another order", {{items[i - 1], other}, {items[i], one}});
        g.found.back().isSure = g.elemOf(argument) == Elem::boolean;
        break;
      }
    }
}

namespace {

// The values that an argument is computed of by first arguments, where names of the function are bound to them: the
// farthest first, and last the argument.
std::vector<Span> boundOnTheWay(const Guesser& g, Span argument) {
  std::vector<Span> places{argument};
  Span expression = argument;
  for (std::size_t followed = 0; followed < mostFollowed; ++followed) {
    const Span bound = valueOf(g, expression);
    const auto call = callAt(g, bound);
    if (!call || call->arguments.empty()) break;
    if (!(bound == expression)) places.insert(places.begin(), bound);
    expression = call->arguments[0];
  }
  return places;
}

}  // namespace

// Makes one axis of the rows and columns of an image where a function takes a sequence: `reshape(x, [n, h*w, c])` for
// `x`, whose sizes the function around declares.
void rowsAndColumnsAsOne(Guesser& g, const Application& at) {
  if (!at.named || at.isOrigin) return;
  for (const Span argument : at.arguments) {
    const std::vector<std::vector<std::string>> sizes = sizesWritten(g, argument, mostFollowed);
    const bool isImage = sizes.size() == 4 && std::ranges::all_of(sizes, [](const std::vector<std::string>& size) {
                           return size.size() == 1 && size[0].find_first_of(" +-/%_") == std::string::npos;
                         });
    if (!isImage || g.rankOf(argument) != 4) continue;
    for (const Span place : boundOnTheWay(g, argument))
      g.wrap(place == argument ? at : Application{place, {}, nullptr}, place, "make one axis of rows and columns of",
             "reshape(", fmt::format(", [{}, {}*{}, {}])", sizes[0][0], sizes[1][0], sizes[2][0], sizes[3][0]));
  }
}

namespace {

// The sizes of a shape as a message prints it, those that are numbers; none for other texts.
std::vector<std::optional<std::int64_t>> numbersOfShape(std::string_view shape) {
  std::vector<std::optional<std::int64_t>> numbers;
  if (!shape.starts_with('[') || !shape.ends_with(']')) return numbers;
  for (shape.remove_prefix(1); !shape.empty();) {
    const std::size_t end = shape.find_first_of(",]");
    numbers.push_back(numberOf(shape.substr(0, end)));
    shape.remove_prefix(std::min(end + 2, shape.size()));
  }
  return numbers;
}

double productOf(const std::vector<std::optional<std::int64_t>>& sizes) {
  double product = 1;
  for (const auto& size : sizes) product *= static_cast<double>(size.value_or(1));
  return product;
}

}  // namespace

// Divides a size that a `reshape` names by another name of its list, where it makes as many times more elements than
// there are: `[b, t, heads, c / heads]` for `[b, t, heads, c]`.
void quotientOfNames(Guesser& g, const Application& at) {
  const auto* list = isFailing(g, at) && calleeOf(g, at) == "reshape" && at.arguments.size() == 2
                         ? g.nodeAt<ast::ExprList>(at.arguments[1])
                         : nullptr;
  const std::vector<std::string>& told = g.diagnostic.arguments;
  if (!list || told.size() < 3) return;
  const auto made = numbersOfShape(told[1]), given = numbersOfShape(told[2]);
  const std::vector<Span> items = itemsOf(g, *list);
  if (made.size() != items.size() || given.empty()) return;
  for (std::size_t i = items.size(); i-- > 0;)
    for (std::size_t by = 0; by < items.size(); ++by) {
      const bool areNames = g.nodeAt<ast::ExprName>(items[i]) && g.nodeAt<ast::ExprName>(items[by]);
      if (!areNames || !made[i] || !made[by] || *made[by] <= 1 || *made[i] % *made[by] != 0) continue;
      const std::string whole = g.text(items[i]), divisor = g.text(items[by]);
      if (whole == divisor || productOf(made) != productOf(given) * static_cast<double>(*made[by])) continue;
      g.guess(at, "the size that fits", {{items[i], whole + " / " + divisor}});
      g.found.back().isSure = true;
    }
}

}  // namespace axle::guess
