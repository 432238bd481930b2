// Guesses of functions of the library that an argument has to go through first.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

// A function that makes of one tensor what layers take.
struct Preparing {
  const char* function;
  std::optional<std::size_t> rank;  // that it takes
  std::optional<Elem> elem;
};
constexpr Preparing preparing[] = {
    {"vision.from_bytes", {}, Elem::u8},
    {"attention.join_heads", 4, {}},
    {"nn.global_avg_pool", 4, {}},
};

}  // namespace

// Passes an argument through a function of an imported module: `nn.dense(attention.join_heads(x), w, b)`.
void throughLibrary(Guesser& g, const Application& at) {
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  const Modules& modules = g.checked.modules;
  for (const Preparing& row : preparing) {
    if (!functionNamed(modules, modules.modules.size() - 1, row.function)) continue;
    for (const Span argument : at.arguments) {
      const auto rank = g.rankOf(argument);
      const auto isLikeIt = [&](Span other) { return !(other == argument) && rank && g.rankOf(other) == rank; };
      if (row.rank && (g.partsOf(argument) > 0 || std::ranges::any_of(at.arguments, isLikeIt))) continue;
      if (g.paramAt(argument) || (row.elem && g.elemOf(argument) != row.elem)) continue;
      if (!row.rank || !rank || rank == row.rank)
        g.wrap(at, argument, fmt::format("`{}` first, of", row.function), std::string(row.function) + "(", ")");
    }
  }
}

// Joins the heads of [n, h, l, d] where a function that takes [n, l, c] gives them to a layer.
void headsJoined(Guesser& g, const Application& at) {
  const ast::ExprFn* around = g.functionAround(at.span);
  if (!around || !(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  std::string sizes;
  for (const ast::Parameter& parameter : around->parameters)
    if (const auto dims = declaredSizesOf(g.module, parameter); sizes.empty() && dims.size() == 3)
      for (const ast::Dim* dim : dims) sizes += (sizes.empty() ? "" : ", ") + g.text(dim->span);
  if (sizes.empty()) return;
  for (const Span argument : at.arguments)
    if (g.rankOf(argument).value_or(4) == 4 && !g.paramAt(argument))
      g.wrap(at, argument, "the heads of each row together, of", "reshape(transpose(",
             ", perm=[0, 2, 1, 3]), [" + sizes + "])");
}

}  // namespace axle::guess
