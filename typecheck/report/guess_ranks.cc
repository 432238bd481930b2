// Guesses for tensors of another number of axes: operators of another rank, an axis that is not reduced, letters of an
// equation.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

// The operator that does to sequences, images or volumes what one does to another of them: `max_pool3d` for `max_pool`.
std::string operatorOfRank(const Guesser& g, const std::string& callee, std::size_t rank) {
  const bool hasNumber = callee.size() > 2 && callee.ends_with("d") &&
                         std::isdigit(static_cast<unsigned char>(callee[callee.size() - 2])) != 0;
  const std::string base = hasNumber ? callee.substr(0, callee.size() - 2) : callee;
  const std::string numbered = fmt::format("{}{}d", base, rank - 2);
  const bool isPlain = !g.checked.operators.find(numbered) && rank == 4;  // images need no number
  const std::string other = isPlain ? base : numbered;
  return other != callee && g.checked.operators.find(other) ? other : std::string();
}

// Whether a static parameter is given the product of two sizes.
bool hasProduct(Guesser& g, const ast::ExprFn& function, const ast::StaticParameter& parameter, Dim one, Dim other) {
  const DimStore& dims = g.checked.solution.dims;
  const auto first = dims.asConstant(one), second = dims.asConstant(other);
  if (!first || !second) return false;
  const std::string product = std::to_string(*first * *second);
  return std::ranges::any_of(givenToParameter(g, function, parameter),
                             [&](const GivenStatic& given) { return g.text(given.value) == product; });
}

// Sizes with two of them as one, which is named; the last of the others that is a number is left open.
std::vector<std::string> sizesJoined(const Guesser& g, const std::vector<Dim>& sizes, std::size_t axis,
                                     const std::string& name) {
  std::vector<std::string> texts;
  std::optional<std::size_t> number;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i == axis + 1) continue;
    if (i != axis && g.checked.solution.dims.asConstant(sizes[i])) number = texts.size();
    texts.push_back(i == axis ? name : g.checked.solution.printSize(sizes[i]));
  }
  if (number) texts[*number] = "_";
  return texts;
}

// The list of as many equal numbers; nothing where they differ.
std::optional<std::string> listOfLength(const Guesser& g, Span list, std::size_t length) {
  const auto* items = g.nodeAt<ast::ExprList>(list);
  if (!items || items->items.empty()) return std::nullopt;
  const std::string first = g.text(g.module[items->items[0]].span);
  for (const ast::ExprId item : items->items)
    if (g.text(g.module[item].span) != first) return std::nullopt;
  return fmt::format("[{}]", fmt::join(std::vector<std::string>(length, first), ", "));
}

}  // namespace

// Calls the operator for tensors of the rank that the first argument has, with lists of that many numbers:
// `max_pool3d(x, size=[2, 2, 2])` for `max_pool(x, size=[2, 2])`.
void operatorOfOtherRank(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.empty() || !isFailing(g, at)) return;
  const std::size_t rank = g.rankOf(at.arguments[0]).value_or(0);
  const std::string callee = calleeOf(g, at);
  const std::string other = rank > 2 ? operatorOfRank(g, callee, rank) : std::string();
  if (other.empty()) return;
  const auto end = at.span.begin + static_cast<std::uint32_t>(callee.size());
  std::vector<Edit> edits{{{at.span.source, at.span.begin, end}, other}};
  for (const ast::NamedArgument& named : *at.named)
    if (const auto list = listOfLength(g, g.module[named.value].span, rank - 2))
      edits.push_back({g.module[named.value].span, *list});
  g.guess(at, fmt::format("use `{}`, for {} axes", other, rank), std::move(edits));
}

// Takes the mean along the first axis of a tensor that has one axis more than what it is joined with, as all states of
// a loop have.
void meanOfFirstAxis(Guesser& g, const Application& at) {
  if (!at.named || !isFailing(g, at) || at.arguments.size() != 2) return;
  for (const std::size_t i : {0, 1}) {
    std::vector<Dim> sizes = g.sizesOf(at.arguments[i]);
    if (sizes.size() < 3 || g.paramAt(at.arguments[i])) continue;
    sizes.erase(sizes.begin());
    if (sizes != g.sizesOf(at.arguments[1 - i])) continue;
    g.wrap(at, at.arguments[i], "take the mean along the first axis of", "mean(", ", axis=0)");
    g.found.back().isFallback = true;  // any other way to one of them may be meant
  }
}

// Joins two axes beside each other of a tensor that has one axis more than the function called takes, where a static
// parameter has the size of both: `join_heads(reshape(x, [b, heads, n, _]))` for `join_heads(x)`.
void axesAsOne(Guesser& g, const Application& at) {
  if (!isFailing(g, at) || !at.named) return;
  const Modules& modules = g.checked.modules;
  const auto called = functionNamed(modules, modules.modules.size() - 1, calleeOf(g, at));
  const ast::ExprFn* around = g.functionAround(at.span);
  if (!called || !around) return;
  for (std::size_t i = 0; i < std::min(at.arguments.size(), called->function->parameters.size()); ++i) {
    const std::vector<Dim> sizes = g.sizesOf(at.arguments[i]);
    const std::size_t rank = declaredSizesOf(*called->module, called->function->parameters[i]).size();
    if (rank == 0 || sizes.size() != rank + 1) continue;
    for (std::size_t axis = 0; axis < rank; ++axis)
      for (const ast::StaticParameter& parameter : around->statics)
        if (hasProduct(g, *around, parameter, sizes[axis], sizes[axis + 1]))
          g.wrap(at, at.arguments[i], "make one axis of two in", "reshape(",
                 fmt::format(", [{}])", fmt::join(sizesJoined(g, sizes, axis, parameter.name.text), ", ")));
  }
}

namespace {

// The sizes with two neighbours as one, as a `reshape` has them; empty where the text has no name for one of them.
std::string sizesWithProduct(Guesser& g, const std::vector<Dim>& sizes, std::size_t axis) {
  std::vector<std::string> texts;
  for (const Dim size : sizes) texts.push_back(g.sizeText(size));
  if (std::ranges::find(texts, std::string()) != texts.end()) return {};
  const auto one = numberOf(texts[axis]), other = numberOf(texts[axis + 1]);
  texts[axis] = one && other ? std::to_string(*one * *other) : texts[axis] + "*" + texts[axis + 1];
  texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

// Makes one axis of two where an operand has all other sizes of one with an axis less: `concat(first, reshape(x, [n,
// 64, c]), axis=1)` for `concat(first, x, axis=1)` of an x : [n, 8, 8, c].
void neighboursAsOne(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  for (const Span argument : at.arguments)
    for (const Span other : at.arguments) {
      const std::vector<Dim> more = g.sizesOf(argument), fewer = g.sizesOf(other);
      if (fewer.size() < 3 || more.size() != fewer.size() + 1) continue;
      for (std::size_t axis = 0; axis < fewer.size(); ++axis) {
        const auto behind = static_cast<std::ptrdiff_t>(axis) + 1;
        const bool areAlike = std::equal(more.begin(), more.begin() + behind - 1, fewer.begin()) &&
                              std::equal(more.begin() + behind + 1, more.end(), fewer.begin() + behind);
        const std::string sizes = areAlike ? sizesWithProduct(g, more, axis) : std::string();
        if (!sizes.empty()) g.wrap(at, argument, "make one axis of two in", "reshape(", fmt::format(", {})", sizes));
      }
    }
}

// Exchanges two letters beside each other in the equation of an `einsum`: "bnd,bmd->bnm" for "bnd,bdm->bnm".
void lettersExchanged(Guesser& g, const Application& at) {
  constexpr std::size_t most = 12;
  if (!at.named || at.arguments.empty() || !isFailing(g, at) || calleeOf(g, at) != "einsum") return;
  const Span place = at.arguments[0];
  const std::string equation = g.text(place);
  std::size_t found = 0;
  for (std::size_t i = equation.size(); i-- > 1;) {
    const auto isLetter = [&](std::size_t at) { return std::isalpha(static_cast<unsigned char>(equation[at])) != 0; };
    if (!isLetter(i) || !isLetter(i - 1) || i > equation.find("->") || ++found > most) continue;
    std::string other = equation;
    std::swap(other[i], other[i - 1]);
    g.guess(at, "the letters in another order", {{place, other}});
  }
}

// Leaves out the axis of size 1 of what a marked call gives, where tensors of two ranks meet and it has one axis more:
// `squeeze(attend(query, x), axis=1)`.
void squeezedAtOrigin(Guesser& g, const Application& at) {
  if (isFailing(g, at) || !at.named) return;
  const auto failing = std::ranges::find(g.calls(), std::get<Span>(g.diagnostic.primary.place), &Application::span);
  if (failing == g.calls().end()) return;
  std::size_t least = SIZE_MAX;
  for (const Span argument : failing->arguments) least = std::min(least, g.rankOf(argument).value_or(SIZE_MAX));
  const Dim one = g.checked.solution.dims.constant(1);
  const std::vector<Dim> sizes = g.sizesOf(at.span);
  if (least == 0 || sizes.size() != least + 1) return;
  for (std::size_t axis = sizes.size(); axis-- > 0;)
    if (sizes[axis] == one)
      g.guess(at, "leave out its axis of size 1",
              {{at.span, fmt::format("squeeze({}, axis={})", g.text(at.span), axis)}});
}

}  // namespace axle::guess
