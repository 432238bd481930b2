// Guesses of sizes that a function has to declare as 1, so that they stretch.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr const char* title = "a size stretches only where it is written as 1";

// Whether the error is of a 1 and another size.
bool isOfOne(const Guesser& g) {
  const std::vector<std::int64_t> sizes = g.numbers();
  return std::ranges::find(sizes, 1) != sizes.end();
}

}  // namespace

// Declares the 1 of an argument where the function that is called takes it: a size stretches only where it is written
// as 1.
void declaredToStretch(Guesser& g, const Application& at) {
  const auto called = calledFunctionAt(g.checked.modules, at.span);
  if (!called || called->module != &g.module || !isOfOne(g)) return;
  for (std::size_t i = 0; i < std::min(at.arguments.size(), called->function->parameters.size()); ++i) {
    const ast::Parameter& parameter = called->function->parameters[i];
    const auto elem = g.elemOf(at.arguments[i]);
    if (!elem || parameter.type) continue;
    const Dim one = g.checked.solution.dims.constant(1);
    std::string dims;
    bool hasOne = false;
    for (const Dim size : g.sizesOf(at.arguments[i])) {
      const bool isOne = size == one;
      hasOne |= isOne;
      dims += fmt::format("{}{}", dims.empty() ? "" : ", ", isOne ? "1" : "_");
    }
    if (hasOne)
      g.guess({parameter.span, {}, nullptr}, title,
              {{parameter.span, fmt::format("{} : {} [{}]", parameter.name.text, info(*elem).name, dims)}});
  }
}

namespace {

// Whether the product that a diagnostic marks in a function is of a map of one channel.
bool multiplies(const Guesser& g, const ast::ExprFn& function) {
  return std::ranges::any_of(g.marks(), [&](Span place) {
    const auto* binary = g.nodeAt<ast::ExprBinary>(place);
    return binary && binary->op == ast::Operator::mul && g.functionAround(place) == &function;
  });
}

// The type of any element whose last size is 1: `t [_, _, _, 1]` of four axes.
std::string withLastOne(std::size_t rank) {
  std::string dims;
  for (std::size_t i = 1; i < rank; ++i) dims += "_, ";
  return fmt::format("t [{}1]", dims);
}

// The names of the parts that a function takes a parameter apart into.
std::vector<Span> partsOf(const Guesser& g, const ast::ExprFn& function, const std::string& parameter) {
  std::vector<Span> parts;
  for (const ast::Binding& binding : g.module.bindings) {
    const auto* tuple = std::get_if<ast::PatternTuple>(&g.module[binding.pattern].node);
    if (!tuple || g.functionAround(binding.span) != &function) continue;
    if (g.text(g.module[binding.value].span) != parameter) continue;
    for (const ast::PatternId part : tuple->parts) parts.push_back(g.module[part].span);
  }
  return parts;
}

}  // namespace

// Declares that a weight makes one channel, where a function on the way multiplies by what it makes, as a gate does:
// `layers : (_, _, t [_, _, _, 1])` for `layers`. Without that, the function takes the channels of both as equal.
void declaredOneChannel(Guesser& g, const Application& at) {
  constexpr std::size_t leastRank = 2, most = 8;
  if (!isFailing(g, at) || !isOfOne(g)) return;
  std::size_t found = 0;
  for (const ast::ExprFn* function : markedFunctions(g)) {
    if (!multiplies(g, *function)) continue;
    for (const ast::Parameter& parameter : function->parameters) {
      const std::string name = parameter.name.text;
      auto offer = [&](const std::string& type) {
        if (++found > most) return;
        g.guess({parameter.span, {}, nullptr}, title, {{parameter.span, name + " : " + type}});
        g.found.back().isSure = true;
      };
      if (parameter.type) continue;
      if (const std::size_t rank = g.sizesBoundAt(parameter.name.span).size(); rank >= leastRank)
        offer(withLastOne(rank));
      const std::vector<Span> parts = partsOf(g, *function, name);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t rank = g.sizesBoundAt(parts[i]).size();
        std::string types;
        for (std::size_t k = 0; k < parts.size(); ++k)
          types += fmt::format("{}{}", k == 0 ? "" : ", ", k == i ? withLastOne(rank) : "_");
        if (rank >= leastRank) offer("(" + types + ")");
      }
    }
  }
}

}  // namespace axle::guess
