// Guesses of axes of size 1 that an operand lacks beside another one.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostPairs = 4;

// The operand of an operator that has fewer axes than the other, if one has; other calls do not broadcast.
std::optional<Span> operandOfLowerRank(Guesser& g, const Application& at) {
  const bool isSelect = at.named && at.arguments.size() == 3 && calleeOf(g, at) == "select";
  if (!isSelect && (at.named || at.arguments.size() != 2)) return std::nullopt;
  const auto left = g.rankOf(at.arguments[0]), right = g.rankOf(at.arguments[1]);
  // Otherwise the result would have one more axis than either.
  if (!left || !right || *left == *right) return std::nullopt;
  const Span less = at.arguments[*left < *right ? 0 : 1];
  return g.nodeAt<ast::ExprNumber>(less) ? std::nullopt : std::optional(less);  // a number needs no axes
}

// The names that the arithmetic of an operand begins with: `scale` of `(1 + scale)`.
void addNames(const Guesser& g, Span operand, std::vector<Span>& names) {
  if (const auto* group = g.nodeAt<ast::ExprGroup>(operand)) addNames(g, g.module[group->inner].span, names);
  if (const auto* binary = g.nodeAt<ast::ExprBinary>(operand)) {
    addNames(g, g.module[binary->left].span, names);
    addNames(g, g.module[binary->right].span, names);
  }
  if (g.nodeAt<ast::ExprName>(operand)) names.push_back(operand);
}

// The rank of a name, also behind what fails, where only its binding has a type.
std::optional<std::size_t> rankOfName(Guesser& g, Span name) {
  if (const auto rank = g.rankOf(name)) return rank;
  for (const ast::Pattern& pattern : g.module.patterns)
    if (g.text(pattern.span) == g.text(name) && g.functionAround(pattern.span) == g.functionAround(name))
      if (const std::size_t rank = g.sizesBoundAt(pattern.span).size(); rank > 0) return rank;
  return std::nullopt;
}

// A name with axes of size 1 behind its first: by the names that the function declares for a tensor of so many axes, or
// by `expand`.
std::string withAxes(Guesser& g, Span name, std::size_t rank, std::size_t more) {
  const ast::ExprFn* around = g.functionAround(name);
  for (const ast::Parameter& parameter : around ? around->parameters : std::vector<ast::Parameter>()) {
    std::vector<std::string> sizes;
    for (const ast::Dim* size : declaredSizesOf(g.module, parameter)) sizes.push_back(g.text(size->span));
    if (rank != 2 || sizes.size() != rank + more) continue;
    std::string ones;
    for (std::size_t i = 0; i < more; ++i) ones += "1, ";
    return fmt::format("reshape({}, [{}, {}{}])", g.text(name), sizes.front(), ones, sizes.back());
  }
  std::string text = g.text(name);
  for (std::size_t i = 0; i < more; ++i) text = "expand(" + text + ", axis=1)";
  return text;
}

}  // namespace

void expanded(Guesser& g, const Application& at) {
  const auto less = operandOfLowerRank(g, at);
  if (!less) return;
  auto mayFit = [&](std::size_t axis) {
    const bool isFirst = *less == at.arguments[0];
    std::vector<Dim> sizes = g.sizesOf(*less);
    const std::vector<Dim> others = g.sizesOf(at.arguments[isFirst ? 1 : 0]);
    const Dim one = g.checked.solution.dims.constant(1);
    if (sizes.empty() || at.arguments.size() != 2) return true;
    if (axis > sizes.size()) return false;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(axis), one);
    return std::equal(sizes.rbegin(), sizes.rend(), others.rbegin(),
                      others.rbegin() + static_cast<std::ptrdiff_t>(sizes.size()),
                      [&](Dim a, Dim b) { return a == b || a == one || b == one; });
  };
  for (const char* axis : {"1", "0", "2"})
    if (mayFit(static_cast<std::size_t>(*axis - '0')))
      g.wrap(at, *less, "give an axis of size 1 to", "expand(", std::string(", axis=") + axis + ")");
  const std::size_t left = *g.rankOf(at.arguments[0]), right = *g.rankOf(at.arguments[1]);
  const std::size_t missing = std::max(left, right) - std::min(left, right);
  if (missing > 1)
    g.guess(at, fmt::format("give axes of size 1 to `{}`", g.text(*less)),
            {{*less, withAxes(g, *less, std::min(left, right), missing)}});
}

// Gives axes of size 1 to a scale [n, c] of images [n, h, w, c], and to a shift that the same function adds.
void expandedAlike(Guesser& g, const Application& at) {
  const auto less = at.named ? std::nullopt : operandOfLowerRank(g, at);
  if (!less) return;
  const std::size_t rank = *g.rankOf(*less);
  const std::size_t most = std::max(*g.rankOf(at.arguments[0]), *g.rankOf(at.arguments[1]));
  if (rank == 0) return;
  std::vector<Span> names;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* binary = std::get_if<ast::ExprBinary>(&e.node);
    if (!binary || g.functionAround(e.span) != g.functionAround(at.span)) continue;
    const Span sides[] = {g.module[binary->left].span, g.module[binary->right].span};
    for (std::size_t i : {0, 1}) {
      std::vector<Span> ofSide;
      addNames(g, sides[i], ofSide);
      for (const Span name : ofSide)
        if (rankOfName(g, name) == rank && g.rankOf(sides[1 - i]).value_or(most) != rank) names.push_back(name);
    }
  }
  std::ranges::sort(names, {}, &Span::begin);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  std::vector<Edit> edits;
  std::string all;
  for (const Span name : names) {
    edits.push_back({name, withAxes(g, name, rank, most - rank)});
    all += fmt::format("{}`{}`", all.empty() ? "" : " and ", g.text(name));
  }
  if (names.size() < 2) return;  // one alone is another guess
  std::optional<Span> shown;     // the expression with all of them, if there is one
  for (const ast::Expr& e : g.module.exprs)
    if (std::ranges::all_of(names, [&](Span name) { return isWithin(name, e.span); }))
      if (!shown || isWithin(e.span, *shown)) shown = e.span;
  if (shown) g.guess({*shown, {}, nullptr}, "give axes of size 1 to " + all, std::move(edits));
}

// One axis of size 1 more where a value that has one too few gets one: `expand(expand(m, axis=1), axis=1)` for a mask
// that functions hand on to scores of heads.
void expandedWhereMade(Guesser& g, const Application& at) {
  const auto less = isFailing(g, at) ? operandOfLowerRank(g, at) : std::nullopt;
  if (!less || !g.nodeAt<ast::ExprName>(*less)) return;
  const std::size_t rank = *g.rankOf(*less);
  for (const Application& call : g.markedCalls()) {
    const ast::NamedArgument* axis = namedOf(call, "axis");
    const bool makesIt = calleeOf(g, call) == "expand" && axis && g.rankOf(call.span).value_or(rank) == rank;
    if (!makesIt || isWithin(call.span, at.span)) continue;
    g.wrap(call, call.span, "give an axis of size 1 to", "expand(",
           fmt::format(", axis={})", g.text(g.module[axis->value].span)));
    g.found.back().isSure = true;
  }
}

// Gives an operand an axis where the other one is the same value with another axis: `expand(i, axis=0) - expand(i,
// axis=1)` for `expand(i, axis=0) - i`.
void expandedAsOther(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* binary = std::get_if<ast::ExprBinary>(&e.node);
    const Span sides[] = {binary ? g.module[binary->left].span : e.span,
                          binary ? g.module[binary->right].span : e.span};
    for (const std::size_t i : {0, 1}) {
      const auto made = binary ? std::ranges::find(g.calls(), sides[i], &Application::span) : g.calls().end();
      const ast::NamedArgument* axis = made == g.calls().end() ? nullptr : namedOf(*made, "axis");
      if (!axis || calleeOf(g, *made) != "expand" || g.text(made->arguments[0]) != g.text(sides[1 - i])) continue;
      const std::string own = g.text(g.module[axis->value].span);
      if (++found > mostPairs) return;
      g.wrap({e.span, {}, nullptr}, sides[1 - i], "give the other axis of size 1 to", "expand(",
             own == "0" ? ", axis=1)" : ", axis=0)");
      g.found.back().isSure = true;
    }
  }
}

// Gives one of two vectors an axis, for all pairs of their elements: `expand(x, axis=1) * rates` for `x * rates`. Where
// an axis is missing elsewhere, it is the first one of two that are multiplied before.
void allPairs(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  auto offer = [&](const Application& pairs, Span operand) {
    g.wrap(pairs, operand, "give an axis of size 1 to", "expand(", ", axis=1)");
  };
  if (const auto* pair = g.nodeAt<ast::ExprBinary>(at.span); pair && pair->op == ast::Operator::mul) {
    const std::vector<Dim> left = g.sizesOf(at.arguments[0]), right = g.sizesOf(at.arguments[1]);
    if (left.size() == 1 && right.size() == 1 && left != right)
      for (const Span operand : at.arguments) offer(at, operand);
  }
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    const auto* binary = std::get_if<ast::ExprBinary>(&e->node);
    if (g.diagnostic.code != &codes::rankMismatch || !binary || binary->op != ast::Operator::mul) continue;
    const Span left = g.module[binary->left].span, right = g.module[binary->right].span;
    if (g.rankOf(left) == 1 && g.rankOf(right) == 1 && ++found <= mostPairs) offer({e->span, {}, nullptr}, left);
  }
}

namespace {

// The sizes of a shape as a message has it: `[b, n - 1, _]`; none for other texts.
std::vector<std::string> sizesOfShape(const std::string& shape) {
  std::vector<std::string> sizes;
  if (!shape.starts_with("[") || !shape.ends_with("]") || shape.find_first_of("@#(", 1) != shape.npos) return sizes;
  for (std::size_t from = 1; from < shape.size();) {
    const std::size_t end = std::min(shape.find(", ", from), shape.size() - 1);
    sizes.push_back(shape.substr(from, end - from));
    from = end + (end == shape.size() - 1 ? 1 : 2);
  }
  return sizes;
}

// The axes that a shape lacks of another one, those of any size and of size 1 first.
std::vector<std::size_t> axesLackedBy(const std::vector<std::string>& given, const std::vector<std::string>& needed) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = needed.size(); axis-- > 0;) {
    std::vector<std::string> without = needed;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(axis));
    if (std::ranges::equal(without, given, [](const auto& a, const auto& b) { return a == b || a == "_"; }))
      axes.push_back(axis);
  }
  std::ranges::stable_partition(axes, [&](std::size_t axis) { return needed[axis] == "_" || needed[axis] == "1"; });
  return axes;
}

}  // namespace

// Gives an argument the axis that it lacks of the shape which is needed: `take_along(x, expand(ids, axis=-1), axis=-1)`
// for `take_along(x, ids, axis=-1)`.
void expandedToFit(Guesser& g, const Application& at) {
  if (!isFailing(g, at) || !at.named) return;
  std::vector<std::vector<std::string>> shapes;
  for (const std::string& told : g.diagnostic.arguments)
    if (const std::vector<std::string> sizes = sizesOfShape(told); !sizes.empty()) shapes.push_back(sizes);
  if (shapes.size() != 2 || shapes[0].size() != shapes[1].size() + 1) return;
  const std::vector<std::string>&needed = shapes[0], &given = shapes[1];
  for (const Span argument : at.arguments) {
    const std::vector<Dim> sizes = g.sizesOf(argument);
    const bool isGiven = std::ranges::equal(
        sizes, given, [&](Dim own, const std::string& told) { return g.checked.solution.printSize(own) == told; });
    for (const std::size_t axis : isGiven ? axesLackedBy(given, needed) : std::vector<std::size_t>())
      g.wrap(at, argument, "give an axis of size 1 to", "expand(",
             axis + 1 == needed.size() ? ", axis=-1)" : fmt::format(", axis={})", axis));
  }
}

// One number for each element of a ragged axis, for all that the element has.
void expandedLast(Guesser& g, const Application& at) {
  if (const auto less = operandOfLowerRank(g, at))
    g.wrap(at, *less, "give a trailing axis of size 1 to", "expand(", ", axis=-1)");
}

}  // namespace axle::guess
