// Guesses of what functions are given and hand on, or do not use, and of what belongs behind a call.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

// The static argument of a call with this value.
const ast::NamedArgument* givenAt(const Guesser& g, const Application& call, Span value) {
  const auto found = std::ranges::find(*call.named, value, [&](const auto& each) { return g.module[each.value].span; });
  return found == call.named->end() ? nullptr : &*found;
}

}  // namespace

// Another number for a static argument that functions hand on to what fails, where it is given: what calls of other
// functions give the parameter of the name, or its default.
void numberAsElsewhere(Guesser& g, const Application& at) {
  constexpr std::size_t mostNumbers = 3;
  if (!isFailing(g, at)) return;
  std::set<std::uint32_t> known;
  for (const Application& marked : g.markedCalls())
    for (const ast::NamedArgument& named : *marked.named)
      for (const auto& [value, call] : givenStatic(g, marked, named)) {
        const ast::NamedArgument* there = call.named ? givenAt(g, call, value) : nullptr;
        const bool isOwn = there && !parametersOf(g, calleeOf(g, call)).empty();
        if (!isOwn || !numberOf(g.text(value)) || !known.insert(value.begin).second) continue;
        const std::string& name = there->name.text;
        std::vector<std::int64_t> numbers = numbersGiven(g, name);
        std::erase(numbers, numberOf(g.text(value)));
        if (numbers.size() > mostNumbers) numbers.resize(mostNumbers);
        for (const std::int64_t number : numbers)
          g.guess(call, fmt::format("give `{}` as elsewhere", name), {{value, std::to_string(number)}});
      }
}

namespace {

// Whether a static argument of an operator is a number without a default that makes a size: `count` of `linspace`.
bool makesSize(Guesser& g, const Application& call, const ast::NamedArgument& named) {
  auto& operators = g.checked.operators;
  const auto op = operators.find(calleeOf(g, call));
  const auto attribute = op ? operators.attribute(*op, named.name.text) : std::nullopt;
  if (!attribute) return false;
  const ast::OpAttribute& declared = operators[*op].decl->attributes[*attribute];
  const std::vector<Dim> made = g.sizesOf(call.span);
  return declared.sort == ast::Sort::integer && !declared.defaultValue && std::ranges::any_of(made, [&](Dim size) {
           return std::ranges::none_of(call.arguments, [&](Span argument) {
             const std::vector<Dim> given = g.sizesOf(argument);
             return std::ranges::find(given, size) != given.end();
           });
         });
}

}  // namespace

// Half of a static argument that makes a size, or twice it, where one size is twice the other: `count=channels / 2` for
// `count=channels`, whose sines and cosines are joined.
void halfOrTwice(Guesser& g, const Application& at) {
  constexpr std::size_t mostStatics = 3;
  const std::vector<std::int64_t> sizes = g.numbers();
  if (!isFailing(g, at) || sizes.size() != 2 || std::min(sizes[0], sizes[1]) < 1) return;
  const auto [least, most] = std::minmax(sizes[0], sizes[1]);
  if (most != 2 * least) return;
  std::size_t found = 0;
  for (const Application& call : g.callsComputing())
    for (const ast::NamedArgument& named : *call.named) {
      const Span value = g.module[named.value].span;
      if (numberOf(g.text(value)) || !makesSize(g, call, named) || ++found > mostStatics) continue;
      const std::string factor = g.nodeAt<ast::ExprName>(value) ? g.text(value) : fmt::format("({})", g.text(value));
      g.guess(call, fmt::format("half of `{}`", named.name.text), {{value, factor + " / 2"}});
      g.guess(call, fmt::format("twice `{}`", named.name.text), {{value, "2 * " + factor}});
    }
}

namespace {

// The call one of whose arguments is a sum with this one at its left end.
const Application* callGiven(const Guesser& g, Span sum) {
  for (const Application& call : g.calls())
    for (const Span argument : call.arguments) {
      Span left = argument;
      while (left != sum) {
        const auto* binary = g.nodeAt<ast::ExprBinary>(left);
        if (!binary || binary->op != ast::Operator::add) break;
        left = g.module[binary->left].span;
      }
      if (left == sum) return &call;
    }
  return nullptr;
}

bool isPartOfMore(const Guesser& g, Span expression) {
  return std::ranges::any_of(g.module.exprs, [&](const ast::Expr& e) {
    const auto* binary = std::get_if<ast::ExprBinary>(&e.node);
    const auto* index = std::get_if<ast::ExprIndex>(&e.node);
    return (binary && (g.module[binary->left].span == expression || g.module[binary->right].span == expression)) ||
           (index && g.module[index->base].span == expression);
  });
}

}  // namespace

// Adds a weight to the result of a call for to what that is given: `joined(first, x) + positions` for `joined(first, x
// + positions)`.
void addedToResult(Guesser& g, const Application& at) {
  const auto* sum = isFailing(g, at) ? g.nodeAt<ast::ExprBinary>(at.span) : nullptr;
  if (!sum || sum->op != ast::Operator::add) return;
  const Application* call = callGiven(g, at.span);
  if (!call || isPartOfMore(g, call->span)) return;
  const Span left = g.module[sum->left].span, right = g.module[sum->right].span;
  const Span behind{call->span.source, call->span.end, call->span.end};
  const std::string title = fmt::format("add to the result of `{}`", calleeOf(g, *call));
  const std::size_t before = g.found.size();
  auto move = [&](Span weight, Span taken) {
    if (g.paramAt(weight)) g.guess(*call, title, {{taken, ""}, {behind, " + " + g.text(weight)}});
  };
  move(right, {left.source, left.end, right.end});
  move(left, {left.source, left.begin, right.begin});
  for (std::size_t i = before; i < g.found.size(); ++i) g.found[i].isSure = true;
}

namespace {

// What a layer of a weight of so many sizes does to a value; nothing for other weights.
std::string layerOf(const Guesser& g, const ast::Param& weight, const std::string& value, const std::string& name) {
  const auto sizes = declaredSizesOf(g.module, weight.type);
  if (sizes.size() == 2) return fmt::format("batch_matmul({}, {})", value, name);
  if (sizes.size() != 4) return {};
  const bool isOfPixels = g.text(sizes[0]->span) == "1" && g.text(sizes[1]->span) == "1";
  return fmt::format("conv2d({}, {}{})", value, name, isOfPixels ? "" : ", padding=\"same\"");
}

}  // namespace

// Applies the layer of a weight that a function is given and does not use to a value that it adds: `conv2d(x, skip) +
// y` for `x + y`.
void layerOfParameter(Guesser& g, const Application& at) {
  constexpr std::size_t mostLayers = 6;
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    const auto* sum = std::get_if<ast::ExprBinary>(&e->node);
    const ast::ExprFn* around = sum && sum->op == ast::Operator::add ? g.functionAround(e->span) : nullptr;
    for (const ast::Parameter& parameter : around ? around->parameters : std::vector<ast::Parameter>()) {
      const std::string& name = parameter.name.text;
      if (usesOf(g, name, g.module[around->body].span) > 0) continue;
      const std::vector<const ast::Param*> weights = weightsAt(g, parameter.name.span);
      for (const ast::ExprId side : {sum->left, sum->right}) {
        const Span value = g.module[side].span;
        if (weights.empty() || !g.nodeAt<ast::ExprName>(value) || g.paramAt(value)) continue;
        const std::string layer = layerOf(g, *weights.front(), g.text(value), name);
        if (layer.empty() || ++found > mostLayers) continue;
        g.guess({e->span, {}, nullptr}, fmt::format("apply the layer of `{}`, which the function does not use", name),
                {{value, layer}});
        g.found.back().isSure = true;
      }
    }
  }
}

}  // namespace axle::guess
