// Guesses of first states and targets: tensors of zeros or ones that lack the batch.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostStates = 2;

// A call that makes a tensor of one number: the operator that takes its sizes, and these.
struct State {
  std::string maker;
  std::vector<std::string> sizes;
};

// What `zeros([q, d])` makes, and `zeros_like(x)` of a parameter that declares its sizes by names.
std::optional<State> stateOf(const Guesser& g, const Application& call, const ast::ExprFn& around) {
  static constexpr std::string_view makers[] = {"zeros", "ones"};
  if (call.arguments.size() != 1) return std::nullopt;
  const std::string callee = calleeOf(g, call);
  for (const std::string_view maker : makers) {
    State state{std::string(maker), {}};
    if (callee == maker)
      if (const auto* list = g.nodeAt<ast::ExprList>(call.arguments[0]))
        for (const Span item : itemsOf(g, *list)) state.sizes.push_back(g.text(item));
    if (callee == state.maker + "_like")
      for (const ast::Parameter& parameter : around.parameters)
        if (parameter.name.text == g.text(call.arguments[0]))
          for (const ast::Dim* size : declaredSizesOf(g.module, parameter)) state.sizes.push_back(g.text(size->span));
    const bool areKnown = std::ranges::find(state.sizes, "_") == state.sizes.end();
    if (!state.sizes.empty() && areKnown) return state;
  }
  return std::nullopt;
}

// A name for the batch that a function does not have.
std::string freshName(const Guesser& g, const ast::ExprFn& function) {
  const std::string signature = g.text(function.signature);
  for (const char* name : {"b", "n"})
    if (signature.find(fmt::format("[{},", name)) == std::string::npos &&
        signature.find(fmt::format(" {},", name)) == std::string::npos &&
        signature.find(fmt::format(" {}]", name)) == std::string::npos)
      return name;
  return "batch";
}

}  // namespace

// Gives a state or target of zeros, near what fails, the batch of a parameter that has one axis more: `zeros([b, q,
// d])` for `zeros([q, d])`, or for `zeros_like(queries)`. Where the function does not name the batch, the parameter
// does.
void stateForBatch(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsComputing()) {
    const ast::ExprFn* around = g.functionAround(call.span);
    const auto state = around ? stateOf(g, call, *around) : std::nullopt;
    if (!state || ++found > mostStates) continue;
    const std::size_t rank = state->sizes.size() + 1;
    auto made = [&](const std::string& batch) {
      return fmt::format("{}([{}, {}])", state->maker, batch, fmt::join(state->sizes, ", "));
    };
    for (const ast::Parameter& parameter : around->parameters) {
      const std::vector<const ast::Dim*> declared = declaredSizesOf(g.module, parameter);
      if (declared.size() == rank && std::holds_alternative<ast::DimName>(declared[0]->node))
        g.guess(call, "one for each of the batch", {{call.span, made(g.text(declared[0]->span))}});
      if (parameter.type || g.sizesBoundAt(parameter.name.span).size() != rank) continue;
      const std::string batch = freshName(g, *around);
      std::string type = parameter.name.text + " : t [" + batch;
      for (std::size_t i = 1; i < rank; ++i) type += ", _";
      type += "]";
      g.found.push_back({fmt::format("one for each of the batch: `{}` and `{}`", type, made(batch)),
                         {{parameter.span, type}, {call.span, made(batch)}}});
    }
  }
}

}  // namespace axle::guess
