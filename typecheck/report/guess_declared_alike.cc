// Guesses of what functions declare of their parameters: sizes that are not as those of the other parameters, or stand
// in another order than what calls give.
#include <algorithm>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostDeclared = 4;  // of one kind

// The sizes that a function declares of a parameter.
struct DeclaredSizes {
  const ast::ExprFn* function;
  Span parameter;
  std::vector<Span> sizes;
};

std::vector<DeclaredSizes> declaredByFunctions(const Guesser& g) {
  std::vector<DeclaredSizes> all;
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* function = std::get_if<ast::ExprFn>(&e.node))
      for (const ast::Parameter& parameter : function->parameters) {
        DeclaredSizes declared{function, parameter.span, {}};
        for (const ast::Dim* size : declaredSizesOf(g.module, parameter)) declared.sizes.push_back(size->span);
        if (!declared.sizes.empty()) all.push_back(std::move(declared));
      }
  return all;
}

// A size of a name and a number, as `8*h`: the text before and behind the name.
struct Factored {
  std::string before, name, behind;
  bool hasSameForm(const Factored& other) const { return before == other.before && behind == other.behind; }
};

std::optional<Factored> factoredOf(const std::string& size) {
  const std::size_t at = size.find_first_of("*+");
  if (at == size.npos) return std::nullopt;
  std::size_t end = size.find_last_not_of(' ', at - 1) + 1, next = size.find_first_not_of(' ', at + 1);
  if (next == size.npos || end == 0) return std::nullopt;
  const std::string left = size.substr(0, end), right = size.substr(next);
  const auto isName = [](const std::string& text) {
    return !numberOf(text) && text.find_first_of("*+-/ ()_") == text.npos;
  };
  if (numberOf(left) && isName(right)) return Factored{size.substr(0, next), right, ""};
  if (numberOf(right) && isName(left)) return Factored{"", left, size.substr(end)};
  return std::nullopt;
}

// Exchanges two sizes beside each other.
void exchangeSizes(Guesser& g, const DeclaredSizes& declared, std::size_t first) {
  const Span one = declared.sizes[first], other = declared.sizes[first + 1];
  g.guess({declared.parameter, {}, nullptr}, "declare the sizes in the other order",
          {{one, g.text(other)}, {other, g.text(one)}});
}

// How often a function, or any, declares two sizes beside each other.
std::size_t timesBeside(const Guesser& g, const std::vector<DeclaredSizes>& all, const ast::ExprFn* function,
                        const std::string& first, const std::string& second) {
  std::size_t times = 0;
  for (const DeclaredSizes& declared : all)
    for (std::size_t i = 0; i + 1 < declared.sizes.size(); ++i)
      times += (!function || declared.function == function) && g.text(declared.sizes[i]) == first &&
               g.text(declared.sizes[i + 1]) == second;
  return times;
}

// Exchanges two sizes of a parameter that hold for the weight that a call gives only in the other order.
void asWeightsGiven(Guesser& g, const std::vector<DeclaredSizes>& all) {
  for (const Application& call : g.markedCalls()) {
    const Modules& modules = g.checked.modules;
    const auto called = functionNamed(modules, modules.modules.size() - 1, calleeOf(g, call));
    if (!called || called->module != &g.module) continue;
    for (std::size_t i = 0; i < std::min(call.arguments.size(), called->function->parameters.size()); ++i) {
      const ast::Param* param = g.paramAt(call.arguments[i]);
      const Span parameter = called->function->parameters[i].span;
      const auto declared = std::ranges::find(all, parameter, &DeclaredSizes::parameter);
      if (!param || declared == all.end()) continue;
      const auto given = declaredSizesOf(g.module, param->type);
      if (given.size() != declared->sizes.size()) continue;
      auto fits = [&](std::size_t own, std::size_t axis) {
        const std::string size = g.text(declared->sizes[own]);
        return !numberOf(size) || size == g.text(given[axis]->span);
      };
      for (std::size_t axis = 0; axis + 1 < given.size(); ++axis)
        if (!(fits(axis, axis) && fits(axis + 1, axis + 1)) && fits(axis, axis + 1) && fits(axis + 1, axis))
          exchangeSizes(g, *declared, axis);
    }
  }
}

}  // namespace

// Writes a size of a signature as the others there are written: `8*w` for `8 + w` or `6*w` beside `8*h`.
void declaredAlike(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<DeclaredSizes> all = declaredByFunctions(g);
  std::size_t found = 0;
  for (const DeclaredSizes& declared : all)
    for (const Span size : declared.sizes) {
      const std::string text = g.text(size);
      std::set<std::string> instead;
      const auto own = factoredOf(text);
      std::size_t times = 0;
      for (const DeclaredSizes& beside : all)
        for (const Span other : beside.function == declared.function ? beside.sizes : std::vector<Span>()) {
          const auto form = factoredOf(g.text(other));
          if (!form) continue;
          times += own && form->hasSameForm(*own);
          const bool isAlike = own ? !form->hasSameForm(*own) : form->name == text;
          if (isAlike) instead.insert(form->before + (own ? own->name : text) + form->behind);
        }
      for (const std::string& other : times > 1 ? std::set<std::string>() : instead)
        if (++found <= mostDeclared)
          g.guess({declared.parameter, {}, nullptr}, "declare it as the others are", {{size, other}});
    }
}

// Exchanges two sizes that another parameter, of the same function first, has in the other order; or that a weight has
// which a call gives.
void declaredInOrder(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<DeclaredSizes> all = declaredByFunctions(g);
  asWeightsGiven(g, all);
  std::size_t found = 0;
  for (const bool isSame : {true, false})
    for (const DeclaredSizes& declared : std::views::reverse(all))  // the first parameter says what the others follow
      for (std::size_t i = 0; i + 1 < declared.sizes.size(); ++i) {
        const std::string one = g.text(declared.sizes[i]), other = g.text(declared.sizes[i + 1]);
        if (one == other || one == "_" || other == "_" || numberOf(one) || numberOf(other)) continue;
        const ast::ExprFn* function = isSame ? declared.function : nullptr;
        const bool isOdd = timesBeside(g, all, function, one, other) == 1;
        const bool isTurned = timesBeside(g, all, function, other, one) > 0;
        if (isOdd && isTurned && ++found <= mostDeclared) exchangeSizes(g, declared, i);
      }
}

}  // namespace axle::guess
