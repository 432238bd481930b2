// Guesses of how tensors come together: joined for added, and the other way round; axes of reductions.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t most = 4;  // of one kind

bool isOperand(const Guesser& g, Span expression) {
  return std::ranges::any_of(g.module.exprs, [&](const ast::Expr& e) {
    const auto* binary = std::get_if<ast::ExprBinary>(&e.node);
    const auto* unary = std::get_if<ast::ExprUnary>(&e.node);
    return (binary && (g.module[binary->left].span == expression || g.module[binary->right].span == expression)) ||
           (unary && g.module[unary->operand].span == expression);
  });
}

// Adds two tensors of one rank that a call joins.
void addInstead(Guesser& g, const Application& call) {
  if (call.arguments.size() != 2 || g.rankOf(call.arguments[0]) != g.rankOf(call.arguments[1])) return;
  std::string sum = fmt::format("{} + {}", g.text(call.arguments[0]), g.text(call.arguments[1]));
  if (isOperand(g, call.span)) sum = "(" + sum + ")";
  g.guess(call, "add instead of joining", {{call.span, sum}});
  g.found.back().isAlone = true;
}

// Joins two tensors of one rank that are added.
void joinInstead(Guesser& g, const ast::Expr& e, const ast::ExprBinary& sum) {
  const Span left = g.module[sum.left].span, right = g.module[sum.right].span;
  if (g.rankOf(left) != g.rankOf(right) || g.rankOf(left) == 0 || g.paramAt(left) || g.paramAt(right)) return;
  g.guess({e.span, {}, nullptr}, "join instead of adding",
          {{e.span, fmt::format("concat({}, {}, axis=-1)", g.text(left), g.text(right))}});
  g.found.back().isAlone = true;
}

}  // namespace

// Where one size is twice the other: adds what is joined, or joins what is added.
void joinedOrAdded(Guesser& g, const Application& at) {
  const std::vector<std::int64_t> sizes = g.numbers();
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place)) || sizes.size() != 2) return;
  if (2 * std::min(sizes[0], sizes[1]) != std::max(sizes[0], sizes[1])) return;
  std::size_t joins = 0, sums = 0;
  for (const Application& call : g.callsNearestFirst())
    if (calleeOf(g, call) == "concat" && ++joins <= most) addInstead(g, call);
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* sum = std::get_if<ast::ExprBinary>(&e.node); sum && sum->op == ast::Operator::add)
      if (!(e.span == at.span) && ++sums <= most) joinInstead(g, e, *sum);
}

namespace {

// The function that a name of the module's top is bound to, and the name; none for functions inside of others.
struct OwnFunction {
  std::string name;
  const ast::ExprFn* function = nullptr;
};
OwnFunction ownFunctionAround(const Guesser& g, Span place) {
  const ast::ExprFn* around = g.functionAround(place);
  for (const ast::Binding& binding : g.module.bindings)
    if (around && std::get_if<ast::ExprFn>(&g.module[binding.value].node) == around)
      return {g.text(g.module[binding.pattern].span), around};
  return {};
}

// The parameter of a function that a name means; nothing for other expressions.
std::optional<std::size_t> parameterNamed(const Guesser& g, const ast::ExprFn* function, Span name) {
  for (std::size_t i = 0; function && i < function->parameters.size(); ++i)
    if (function->parameters[i].name.text == g.text(name)) return i;
  return std::nullopt;
}

// Whether a function has several calls, and the first one, which is checked first, does not fail.
bool failsInLaterCall(const Guesser& g, const std::string& function) {
  const std::vector<Span> marks = g.marks();
  const auto first =
      std::ranges::find_if(g.calls(), [&](const Application& call) { return calleeOf(g, call) == function; });
  return first != g.calls().end() && std::ranges::find(marks, first->span) == marks.end();
}

bool isCalledTwice(const Guesser& g, const std::string& function) {
  return std::ranges::count_if(g.calls(), [&](const Application& c) { return calleeOf(g, c) == function; }) > 1;
}

}  // namespace

// Gives a function nothing to add where one of several calls gives it what does not fit: `attend(x, memory, 0)` for
// `attend(x, memory, bias)`.
void nothingAdded(Guesser& g, const Application& at) {
  const auto* sum = isFailing(g, at) ? g.nodeAt<ast::ExprBinary>(at.span) : nullptr;
  const OwnFunction own = sum && sum->op == ast::Operator::add ? ownFunctionAround(g, at.span) : OwnFunction{};
  if (!own.function || !isCalledTwice(g, own.name)) return;
  for (const ast::ExprId side : {sum->right, sum->left}) {
    const auto parameter = parameterNamed(g, own.function, g.module[side].span);
    for (const Application& call : parameter ? g.markedCalls() : std::vector<Application>()) {
      const bool isGiven = calleeOf(g, call) == own.name && *parameter < call.arguments.size() &&
                           g.nodeAt<ast::ExprName>(call.arguments[*parameter]) && *parameter > 0;
      if (!isGiven || g.paramAt(call.arguments[*parameter])) continue;
      g.guess(call, "nothing to add in this call", {{call.arguments[*parameter], "0"}});
      g.found.back().isFallback = true;  // what is given is mostly meant, and of another shape
    }
  }
}

// Leaves out the residual of a sum: `layers(x)` for `x + layers(x)`. What a function is given to add is for its calls
// to say, and a function of which an earlier call does not fail has its residual.
void withoutResidual(Guesser& g, const Application& at) {
  const auto* sum = at.named ? nullptr : g.nodeAt<ast::ExprBinary>(at.span);
  if (!sum || sum->op != ast::Operator::add) return;
  const OwnFunction own = ownFunctionAround(g, at.span);
  for (const auto& [residual, layers] : {std::pair(sum->left, sum->right), std::pair(sum->right, sum->left)}) {
    const Span span = g.module[residual].span;
    const auto parameter = parameterNamed(g, own.function, span);
    if (parameter && (*parameter > 0 ? isCalledTwice(g, own.name) : failsInLaterCall(g, own.name))) continue;
    // Nothing would use a value that is made for the sum alone.
    const bool isMade =
        !(valueOf(g, span) == span) && own.function && usesOf(g, g.text(span), g.module[own.function->body].span) == 1;
    if (isMade) continue;
    if (!g.nodeAt<ast::ExprName>(span) || g.paramAt(span) || !g.nodeAt<ast::ExprCall>(g.module[layers].span)) continue;
    g.guess(at, fmt::format("without the residual `{}`", g.text(span)), {{at.span, g.text(g.module[layers].span)}});
    g.found.back().isFallback = true;
  }
}

// Reduces along another axis: of sizes, in the calls before the place, the nearest first.
void reducedElsewhere(Guesser& g, const Application& at) {
  static constexpr std::array<std::string_view, 6> reductions{"mean", "sum", "amax", "amin", "variance", "argmax"};
  constexpr std::size_t mostReductions = 3;
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  const bool isOfRanks =
      g.diagnostic.code == &codes::rankMismatch;  // of the mean of an image's rows, not of its pixels
  const ast::ExprFn* around = g.functionAround(at.span);
  const bool isOfSignature = around && !isWithin(at.span, g.module[around->body].span);  // which the body must keep
  std::vector<Application> calls = g.calls();
  std::ranges::reverse(calls);
  std::size_t found = 0;
  for (const Application& call : calls) {
    const ast::NamedArgument* axis = namedOf(call, "axis");
    const bool isReduction = std::ranges::find(reductions, calleeOf(g, call)) != reductions.end();
    if (!isReduction || !axis || (!isOfRanks && !isOfSignature && call.span.begin >= at.span.end) ||
        ++found > mostReductions)
      continue;
    for (const GivenStatic& place : givenStatic(g, call, *axis)) {
      const auto* axes = g.nodeAt<ast::ExprList>(place.value);
      const std::vector<const char*> others = axes && axes->items.size() == 2 ? std::vector{"[1, 2]"}
                                              : isOfRanks                     ? std::vector{"[1, 2]", "1", "-1"}
                                                                              : std::vector{"1", "-1"};
      for (const char* other : others)
        if (g.text(place.value) != other) {
          g.guess(place.call, "along another axis", {{place.value, other}});
          g.found.back().isAlone = true;
        }
    }
  }
}

// Joins tensors along a new axis, or along one that they have: `stack(a, b, axis=-1)` for `concat(a, b, axis=-1)`.
void stackedOrJoined(Guesser& g, const Application& at) {
  constexpr std::size_t most = 2;
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsComputing()) {
    const std::string callee = calleeOf(g, call);
    if ((callee != "concat" && callee != "stack") || call.arguments.size() < 2) continue;
    const auto hasRankOfFirst = [&](Span argument) { return g.rankOf(argument) == g.rankOf(call.arguments[0]); };
    if (!std::ranges::all_of(call.arguments, hasRankOfFirst) || ++found > most) continue;
    const auto end = call.span.begin + static_cast<std::uint32_t>(callee.size());
    g.guess(call, callee == "concat" ? "join along a new axis" : "join along an axis that is there",
            {{{call.span.source, call.span.begin, end}, callee == "concat" ? "stack" : "concat"}});
  }
}

}  // namespace axle::guess
