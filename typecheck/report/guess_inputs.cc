// Guesses of how inputs and results are declared: images in the layout of other libraries, shapes with an axis too few.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle {

std::string integersTaken(const Guesser& g, const ast::Parameter& parameter) {
  for (const Application& call : g.calls()) {
    const auto called = calledFunctionAt(g.checked.modules, call.span);
    if (!called || g.functionAround(call.span) != g.functionAround(parameter.span)) continue;
    for (std::size_t i = 0; i < std::min(call.arguments.size(), called->function->parameters.size()); ++i) {
      const ast::TypeId declared = called->function->parameters[i].type;
      const auto* type = declared ? std::get_if<ast::TypeTensor>(&(*called->module)[declared].node) : nullptr;
      const auto elem = type && g.text(call.arguments[i]) == parameter.name.text ? elemNamed(type->elem) : std::nullopt;
      if (elem && info(*elem).isInt) return type->elem;
    }
  }
  return {};
}

}  // namespace axle

namespace axle::guess {

namespace {

// Whether declared sizes look like [n, c, h, w]: few channels before two larger or open sizes.
bool isChannelsFirst(const std::vector<const ast::Dim*>& sizes) {
  constexpr std::uint64_t mostChannels = 4;
  const auto* channels = sizes.size() == 4 ? std::get_if<ast::DimInt>(&sizes[1]->node) : nullptr;
  if (!channels || channels->value > mostChannels) return false;
  return std::all_of(sizes.begin() + 2, sizes.end(), [](const ast::Dim* size) {
    const auto* number = std::get_if<ast::DimInt>(&size->node);
    return number ? number->value > mostChannels : std::holds_alternative<ast::DimName>(size->node);
  });
}

// Transposes a parameter of a function where its body uses it first.
void transposeFirstUse(Guesser& g, const ast::ExprFn& function, const ast::Parameter& parameter) {
  const std::string& name = parameter.name.text;
  const Span body = g.module[function.body].span;
  std::vector<Span> uses;
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* used = std::get_if<ast::ExprName>(&e.node); used && used->name == name && isWithin(e.span, body))
      uses.push_back(e.span);
  if (uses.size() != 1) return;
  const std::string transposed = fmt::format("transpose({}, perm=[0, 2, 3, 1])", name);
  Application around{uses[0], {}, nullptr};
  for (const Application& call : g.calls())
    if (std::ranges::find(call.arguments, uses[0]) != call.arguments.end()) around = call;
  g.guess(around, fmt::format("images are [n, h, w, c]: transpose `{}`", name), {{uses[0], transposed}});
}

void declareChannelsLast(Guesser& g, const ast::Parameter& parameter, const std::vector<const ast::Dim*>& sizes) {
  std::vector<Edit> edits;
  constexpr std::size_t order[] = {0, 2, 3, 1};
  for (const std::size_t i : {1, 2, 3}) edits.push_back({sizes[i]->span, g.text(sizes[order[i]]->span)});
  g.guess({parameter.span, {}, nullptr}, "images are [n, h, w, c]; declare", std::move(edits));
}

}  // namespace

// Transposes images that a function declares as [n, c, h, w], or declares them otherwise, where a size of theirs is
// marked.
void channelsLastOfInput(Guesser& g, const Application& at) {
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place))) return;
  const std::vector<Span> marked = g.marks();
  for (const ast::Expr& e : g.module.exprs) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    for (std::size_t i = 0; function && i < function->parameters.size(); ++i) {
      const ast::Parameter& parameter = function->parameters[i];
      const auto sizes = declaredSizesOf(g.module, parameter);
      if (!isChannelsFirst(sizes)) continue;
      const Span type = g.module[parameter.type].span;
      if (std::ranges::none_of(marked, [&](Span span) { return isWithin(span, type); })) continue;
      transposeFirstUse(g, *function, parameter);
      declareChannelsLast(g, parameter, sizes);
    }
  }
}

namespace {

// Guesses of a declared type with one of some sizes twice. As fallbacks: most lack a batch, or are meant as they are.
void declareTwice(Guesser& g, Span shown, const std::vector<Span>& sizes) {
  for (const Span size : sizes) {
    g.guess({shown, {}, nullptr}, "one axis more; declare", {{{size.source, size.end, size.end}, ", " + g.text(size)}});
    g.found.back().isFallback = true;
  }
}

}  // namespace

// Declares a parameter with one of its numbers twice, the largest first, or a result with one of its sizes, where the
// shape has too few axes: `[n, 32, 32, 3]` for `[n, 32, 3]`.
void declaredWithAxis(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<Span> marked = g.marks();
  auto isMarked = [&](Span declared) {
    return std::ranges::any_of(marked, [&](Span span) { return isWithin(span, declared); });
  };
  for (const ast::Expr& e : g.module.exprs) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    if (!function) continue;
    for (const ast::Parameter& parameter : function->parameters) {
      if (!isMarked(parameter.span)) continue;
      std::vector<std::pair<std::uint64_t, Span>> numbers;
      for (const ast::Dim* size : declaredSizesOf(g.module, parameter))
        if (const auto* number = std::get_if<ast::DimInt>(&size->node)) numbers.emplace_back(number->value, size->span);
      std::ranges::stable_sort(numbers, std::greater(), [](const auto& number) { return number.first; });
      std::vector<Span> sizes;
      for (const auto& number : numbers) sizes.push_back(number.second);
      declareTwice(g, parameter.span, sizes);
    }
    if (!function->resultType || !(g.module[function->resultType].span == at.span)) continue;
    std::vector<Span> sizes;
    for (const ast::Dim* size : declaredSizesOf(g.module, function->resultType)) sizes.push_back(size->span);
    // An open size says nothing of another one: a name that the value has twice is meant before that.
    std::ranges::stable_partition(sizes, [&](Span size) { return g.text(size) != "_"; });
    declareTwice(g, at.span, sizes);
  }
}

}  // namespace axle::guess
