// Guesses of calls that were left out: the rows of a table, the layer of a parameter; and of arguments of operators
// near what fails.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostLeftOut = 4;  // of one kind

bool isInteger(std::optional<Elem> elem) { return elem && info(*elem).isInt; }

}  // namespace

// Takes the rows of a table that whole numbers say which the function is given and does not use: `embedding(words,
// ids)` for `words`.
void rowsOfTable(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::ExprFn* around : markedFunctions(g)) {
    const Span body = g.module[around->body].span;
    for (const ast::Parameter& parameter : around->parameters) {
      if (usesOf(g, parameter.name.text, body) > 0 || !isInteger(g.elemBoundAt(parameter.span))) continue;
      for (const ast::Expr& e : g.module.exprs) {
        const bool isTable = std::holds_alternative<ast::ExprName>(e.node) && isWithin(e.span, body) &&
                             g.paramAt(e.span) && declaredSizesOf(g.module, g.paramAt(e.span)->type).size() == 2;
        const bool isTaken = std::ranges::any_of(g.calls(), [&](const Application& call) {
          return calleeOf(g, call) == "embedding" && std::ranges::find(call.arguments, e.span) != call.arguments.end();
        });
        if (!isTable || isTaken || ++found > mostLeftOut) continue;
        const std::string text = fmt::format("embedding({}, {})", g.text(e.span), parameter.name.text);
        g.found.push_back(
            {fmt::format("`{}` says which rows of it: `{}`", parameter.name.text, text), {{e.span, text}}});
      }
    }
  }
}

namespace {

// The only parameter of a function that it does not use; nothing where there are none or several.
std::optional<std::size_t> unusedParameterOf(const Guesser& g, const ast::ExprFn& function) {
  std::optional<std::size_t> unused;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (usesOf(g, function.parameters[i].name.text, g.module[function.body].span) > 0) continue;
    if (unused) return std::nullopt;
    unused = i;
  }
  return unused;
}

// Whether a statement gives a name to an expression.
bool isBound(const Guesser& g, Span value) {
  return std::ranges::any_of(g.module.bindings,
                             [&](const ast::Binding& binding) { return g.module[binding.value].span == value; });
}

// The functions of the program that a function calls with a value and a parameter of its own.
std::vector<std::string> layersIn(const Guesser& g, const ast::ExprFn& function) {
  std::vector<std::string> layers;
  for (const Application& call : g.calls()) {
    if (g.functionAround(call.span) != &function || call.arguments.size() != 2 || !call.named->empty()) continue;
    const std::string callee = calleeOf(g, call), weight = g.text(call.arguments[1]);
    const bool isGiven =
        std::ranges::any_of(function.parameters, [&](const ast::Parameter& own) { return own.name.text == weight; });
    if (isGiven && !parametersOf(g, callee).empty() && std::ranges::find(layers, callee) == layers.end())
      layers.push_back(callee);
  }
  return layers;
}

}  // namespace

// Applies a function to a value with the parameter that the function around does not use, as that does with another
// one, behind the use of the parameter before it: `sigmoid(layer(relu(layer(x, w1)), w2))` for
// `sigmoid(relu(layer(x, w1)))`.
void throughLayerOfParameter(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::ExprFn* around : markedFunctions(g)) {
    const auto unused = unusedParameterOf(g, *around);
    if (!unused || *unused == 0) continue;
    const std::string name = around->parameters[*unused].name.text;
    const std::string before = around->parameters[*unused - 1].name.text;
    std::vector<Span> values;  // that use the parameter before it: what calls of one value make, the innermost first
    std::vector<Span> sums;
    for (const ast::Expr& e : g.module.exprs) {
      if (g.functionAround(e.span) != around || usesOf(g, before, e.span) == 0 || isBound(g, e.span)) continue;
      const auto* call = std::get_if<ast::ExprCall>(&e.node);
      if (call && call->arguments.size() == 1) values.push_back(e.span);
      if (std::holds_alternative<ast::ExprBinary>(e.node)) sums.push_back(e.span);
    }
    for (std::vector<Span>* all : {&values, &sums})
      std::ranges::stable_sort(*all, {}, [](Span value) { return value.end - value.begin; });
    const bool isSure = !values.empty();
    values.insert(values.end(), sums.begin(), sums.end());
    for (const std::string& layer : layersIn(g, *around))
      for (const Span value : values)
        if (++found <= mostLeftOut) {
          g.wrap({value, {}, nullptr}, value, fmt::format("apply `{}` with `{}`, which nothing uses, to", layer, name),
                 layer + "(", fmt::format(", {})", name));
          g.found.back().isSure = isSure && value == values.front();
        }
  }
}

// Exchanges the operands of a product near what fails: `outer(positions, rates)` for `outer(rates, positions)`.
void swappedNearby(Guesser& g, const Application& at) {
  static constexpr std::string_view products[] = {"matmul", "batch_matmul", "outer"};
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsComputing()) {
    const bool isProduct = std::ranges::find(products, calleeOf(g, call)) != std::end(products);
    if (!isProduct || call.arguments.size() != 2 || call.span == at.span || ++found > mostLeftOut) continue;
    const Span one = call.arguments[0], other = call.arguments[1];
    g.guess(call, "swap the arguments", {{one, g.text(other)}, {other, g.text(one)}});
  }
}

}  // namespace axle::guess
