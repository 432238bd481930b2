// Guesses of what uses the weights and functions that nothing uses: in the place of others, or in a call that was left
// out.
#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "typecheck/report/guess_titles.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostUnused = 6;
constexpr std::size_t mostValues = 8;

Span wholeText(const Guesser& g) { return {g.module.source, 0, UINT32_MAX}; }

// The names of weights that an application is given, also in tuples.
std::vector<Span> weightsGiven(const Guesser& g, const Application& at) {
  std::vector<Span> weights;
  std::vector<Span> places = at.arguments;
  if (places.empty()) places.push_back(at.span);
  for (const Span place : places)
    for (const ast::Expr& e : g.module.exprs)
      if (std::holds_alternative<ast::ExprName>(e.node) && isWithin(e.span, place) && g.paramAt(e.span))
        if (e.span == place || g.nodeAt<ast::ExprTuple>(place)) weights.push_back(e.span);
  return weights;
}

// The values that a function gives where its result does not fit what is promised: the parts of a tuple, what a call is
// given.
std::vector<Span> valuesOfResult(const Guesser& g, Span promised) {
  std::vector<Span> values;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    if (!function || !function->resultType || !isWithin(promised, g.module[function->resultType].span)) continue;
    const auto* body = std::get_if<ast::ExprBlock>(&g.module[function->body].node);
    if (!body || !body->result) continue;
    const Span result = g.module[body->result].span;
    if (const auto* tuple = g.nodeAt<ast::ExprTuple>(result))
      for (const ast::ExprId part : tuple->parts) values.push_back(g.module[part].span);
    else
      values.push_back(result);
    if (const auto* call = g.nodeAt<ast::ExprCall>(result); call && !call->arguments.empty())
      values.push_back(g.module[call->arguments[0]].span);
  }
  return values;
}

// The values of statements that only give a name another one: `emb = t`.
std::vector<Span> valuesNamedAgain(const Guesser& g) {
  std::vector<Span> values;
  const std::vector<const ast::ExprFn*> functions = markedFunctions(g);
  for (const ast::Binding& binding : g.module.bindings) {
    const Span value = g.module[binding.value].span;
    const bool isMarked = std::ranges::find(functions, g.functionAround(binding.span)) != functions.end();
    if (isMarked && g.nodeAt<ast::ExprName>(value) &&
        !std::holds_alternative<ast::PatternTuple>(g.module[binding.pattern].node))
      values.push_back(value);
  }
  return values;
}

// Where a value may stand that a call was left out of: in statements that only give it another name, and the arguments
// that are no weights. Of a name that stands for a call of one value, that value.
std::vector<Span> valuesGiven(const Guesser& g, const Application& at) {
  std::vector<Span> values;
  if (at.isOrigin) return values;
  if (isFailing(g, at)) {
    values = valuesNamedAgain(g);
    for (const ast::Binding& binding : g.module.bindings)
      if (g.module[binding.pattern].span == at.span) values.push_back(g.module[binding.value].span);
    std::ranges::copy(valuesOfResult(g, at.span), std::back_inserter(values));
  }
  for (const Span argument : at.arguments) {
    if (g.paramAt(argument) || g.nodeAt<ast::ExprTuple>(argument) || g.nodeAt<ast::ExprNumber>(argument)) continue;
    const Span value = valueOf(g, argument);
    const auto* call = value == argument ? nullptr : g.nodeAt<ast::ExprCall>(value);
    if (call && call->arguments.size() == 1 && call->named.empty()) values.push_back(g.module[call->arguments[0]].span);
    if (value == argument || !g.nodeAt<ast::ExprName>(value)) values.push_back(argument);
  }
  std::vector<Span> different;
  for (const Span value : values)
    if (std::ranges::find(different, value) == different.end()) different.push_back(value);
  return different;
}

// Puts a call around a value, with what stands before and behind it.
struct Around {
  std::string callee, before, behind;
};

// Whether a function is defined before a place: it is not called in its own body.
bool isDefinedBefore(const Guesser& g, const std::string& function, Span place) {
  return std::ranges::none_of(g.module.bindings, [&](const ast::Binding& binding) {
    return g.text(g.module[binding.pattern].span) == function && binding.span.end > place.begin;
  });
}

void apply(Guesser& g, const Application& at, const Around& call, const std::string& title) {
  std::size_t found = 0;
  for (const Span value : valuesGiven(g, at)) {
    if (!isDefinedBefore(g, call.callee, value) || ++found > mostValues) continue;
    const bool isInside = isWithin(value, at.span) && !(value == at.span);
    g.wrap(isInside ? at : Application{value, {}, nullptr}, value, title, call.before, call.behind);
  }
}

}  // namespace

// Gives a weight that nothing uses in the place of one that is used twice, or of one of the same rank; of the same name
// first: `d2.bias` for `d1.bias`.
void unusedWeight(Guesser& g, const Application& at) {
  const std::vector<const ast::Param*>& unused = g.unusedParams();
  if (unused.empty() || unused.size() > mostUnused) return;
  struct Choice {
    Span place;
    const ast::Param* instead;
    bool isTwice, isOfLayer, isOfName;
  };
  std::vector<Choice> choices;
  for (const Span weight : weightsGiven(g, at)) {
    const ast::Param* given = g.paramAt(weight);
    const bool isTwice = usesOf(g, given->name.text, wholeText(g)) > 1;
    for (const ast::Param* other : unused) {
      const std::vector<Dim> sizes = g.sizesOf(weight), otherSizes = g.sizesBoundAt(other->name.span);
      const bool isOfName = lastNameOf(given->name.text) == lastNameOf(other->name.text);
      if (isTwice || isOfName || (sizes.size() == otherSizes.size() && sizes != otherSizes))
        choices.push_back(
            {weight, other, isTwice, layerForm(given->name.text) == layerForm(other->name.text), isOfName});
    }
  }
  std::ranges::stable_sort(choices, std::greater(),
                           [](const Choice& c) { return std::tuple(c.isTwice, c.isOfLayer, c.isOfName); });
  for (const Choice& choice : choices)
    g.guess(at, insteadUnused(choice.instead->name.text, g.text(choice.place)),
            {{choice.place, choice.instead->name.text}});
}

// Gives all weights of a layer that nothing uses in the place of those of another layer, which are used twice: `(u2.wt,
// u2.bt)` for `(u1.wt, u1.bt)`.
void unusedWeights(Guesser& g, const Application& at) {
  const std::vector<const ast::Param*>& unused = g.unusedParams();
  if (!at.named || unused.size() < 2 || unused.size() > mostUnused) return;
  const std::string group = groupOf(unused[0]->name.text);
  const bool isLayer = std::ranges::all_of(
      unused, [&](const ast::Param* param) { return groupOf(param->name.text) == group && !group.empty(); });
  if (!isLayer) return;
  std::vector<Edit> edits;
  std::set<std::string> layers;
  for (const Span weight : weightsGiven(g, at)) {
    const std::string given = g.text(weight);
    const auto own = std::ranges::find_if(
        unused, [&](const ast::Param* param) { return lastNameOf(param->name.text) == lastNameOf(given); });
    if (own == unused.end() || usesOf(g, given, wholeText(g)) < 2) continue;
    layers.insert(groupOf(given));
    edits.push_back({weight, (*own)->name.text});
  }
  if (edits.size() != unused.size() || layers.size() != 1) return;
  std::ranges::sort(edits, {}, [](const Edit& edit) { return edit.span.begin; });
  g.guess(at, fmt::format("the weights of `{}`, which nothing uses", group.substr(0, group.size() - 1)),
          std::move(edits));
}

// Calls a function that nothing calls, with the weights that nothing uses, in a program that has a `main`: other
// modules have functions for those who import them.
void unusedFunction(Guesser& g, const Application& at) {
  const bool isProgram = std::ranges::any_of(
      g.module.bindings, [&](const ast::Binding& binding) { return g.text(g.module[binding.pattern].span) == "main"; });
  if (!isProgram) return;
  const std::vector<const ast::Param*>& unused = g.unusedParams();
  std::string weights;
  for (const ast::Param* param : unused) weights += ", " + param->name.text;
  for (std::size_t i = 0; i + 1 < g.module.items.size(); ++i) {  // the last one is what the program is for
    const auto* index = std::get_if<std::uint32_t>(&g.module.items[i]);
    const ast::Binding* binding = index ? &g.module.bindings[*index] : nullptr;
    const auto* function = binding ? std::get_if<ast::ExprFn>(&g.module[binding->value].node) : nullptr;
    if (!function || function->parameters.size() != unused.size() + 1) continue;
    const std::string name = g.text(g.module[binding->pattern].span);
    const bool isBefore = binding->span.end <= at.span.begin;
    if (isBefore && name != "main" && usesOf(g, name, wholeText(g)) == 0)
      apply(g, at, {name, name + "(", weights + ")"}, fmt::format("nothing calls `{}`; call it with", name));
  }
}

// Calls a function as it is called for another layer, with this layer's weights, which nothing uses: `down(x, d2.w)`
// beside `down(y, d1.w)`.
void callOfLayer(Guesser& g, const Application& at) {
  const std::vector<const ast::Param*>& unused = g.unusedParams();
  if (unused.empty() || unused.size() > mostUnused || valuesGiven(g, at).empty()) return;
  std::set<std::string> known;
  for (const Application& call : g.calls()) {
    if (call.arguments.size() < 2 || isWithin(at.span, call.span)) continue;
    const Span behind{call.span.source, call.arguments[0].end, call.span.end};
    std::vector<Span> weights;
    for (const ast::Expr& e : g.module.exprs)
      if (std::holds_alternative<ast::ExprName>(e.node) && isWithin(e.span, behind) && g.paramAt(e.span))
        weights.push_back(e.span);
    if (weights.size() != unused.size()) continue;
    std::ranges::sort(weights, std::greater(), &Span::begin);
    std::string text = g.text(behind);
    bool areAlike = true;
    for (const Span weight : weights) {
      const auto own = std::ranges::find_if(
          unused, [&](const ast::Param* param) { return layerForm(param->name.text) == layerForm(g.text(weight)); });
      areAlike &= own != unused.end();
      if (areAlike) text.replace(weight.begin - behind.begin, weight.end - weight.begin, (*own)->name.text);
    }
    const std::string callee = calleeOf(g, call);
    if (areAlike && known.insert(callee + text).second)
      apply(g, at, {callee, callee + "(", text}, fmt::format("apply `{}` to {{}}, as in the other layers", callee));
  }
}

namespace {

// What a layer of weights does to a value; nothing for weights of other ranks. `ranks`: of the weights, where they are
// known.
std::vector<Around> layersOf(const std::vector<std::string>& weights, const std::vector<std::size_t>& ranks,
                             bool hasLayers) {
  auto mayBe = [&](std::size_t i, std::size_t rank) { return ranks[i] == rank || ranks[i] == 0; };
  std::vector<Around> layers;
  if (weights.size() == 2 && mayBe(0, 2) && mayBe(1, 1) && hasLayers)
    layers.push_back({"nn.dense", "nn.dense(", fmt::format(", {}, {})", weights[0], weights[1])});
  if (weights.size() != 1) return layers;
  if (mayBe(0, 2)) {
    layers.push_back({"matmul", "matmul(", fmt::format(", {})", weights[0])});
    layers.push_back({"batch_matmul", "batch_matmul(", fmt::format(", {})", weights[0])});
  }
  if (mayBe(0, 4)) {
    layers.push_back({"conv2d", "conv2d(", fmt::format(", {}, padding=\"same\")", weights[0])});
    layers.push_back({"conv2d", "conv2d(", fmt::format(", {})", weights[0])});
    layers.push_back({"conv_transpose2d", "conv_transpose2d(", fmt::format(", {}, stride=[2, 2])", weights[0])});
  }
  return layers;
}

// The ranks of what names are bound to; 0 for unknown ones.
std::vector<std::size_t> ranksOf(Guesser& g, const std::vector<std::string>& names, const ast::ExprFn& in) {
  std::vector<std::size_t> ranks;
  for (const std::string& name : names) {
    std::size_t rank = 0;
    for (const ast::Parameter& parameter : in.parameters)
      if (parameter.name.text == name) rank = g.sizesBoundAt(parameter.name.span).size();
    for (const ast::Pattern& pattern : g.module.patterns)
      if (g.text(pattern.span) == name && g.functionAround(pattern.span) == &in)
        rank = g.sizesBoundAt(pattern.span).size();
    ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace

// Applies a layer of the weights that nothing uses, or that the function around does not use.
void unusedLayer(Guesser& g, const Application& at) {
  const bool hasLayers = std::ranges::any_of(g.module.items, [](const ast::Item& item) {
    const auto* import = std::get_if<ast::Import>(&item);
    return import && import->name.text == "nn";
  });
  std::vector<std::string> weights;
  std::vector<std::size_t> ranks;
  for (const ast::Param* param : g.unusedParams()) {
    weights.push_back(param->name.text);
    ranks.push_back(g.sizesBoundAt(param->name.span).size());
  }
  std::vector<Around> layers = layersOf(weights, ranks, hasLayers);
  if (const ast::ExprFn* around = g.functionAround(at.span); around && weights.empty()) {
    const std::vector<std::string> names = unusedNames(g, at.span);
    ranks = ranksOf(g, names, *around);
    layers = layersOf(names, ranks, hasLayers);
  }
  const std::size_t before = g.found.size();
  for (const Around& layer : layers)
    apply(g, at, layer, fmt::format("apply `{}`, with the weights that nothing uses, to", layer.callee));
  const bool areKnown = std::ranges::find(ranks, 0U) == ranks.end();
  for (std::size_t i = before; i < g.found.size(); ++i) g.found[i].isFallback = !areKnown;
}

namespace {

// The functions of the program whose bodies compute what fails, and what they give.
std::vector<std::pair<const ast::ExprFn*, Span>> functionsComputing(Guesser& g) {
  std::vector<std::pair<const ast::ExprFn*, Span>> functions;
  for (const ast::Expr* e : g.computing()) {
    const ast::ExprFn* around = g.functionAround(e->span);
    const auto* body = around ? std::get_if<ast::ExprBlock>(&g.module[around->body].node) : nullptr;
    if (!body || !body->result || g.nodeAt<ast::ExprTuple>(g.module[body->result].span)) continue;
    const std::pair function{around, g.module[body->result].span};
    if (std::ranges::find(functions, function) == functions.end()) functions.push_back(function);
  }
  return functions;
}

}  // namespace

// Applies a layer of the weights that a function near what fails does not use to what it gives, or to a parameter that
// it gives another function: `nn.dense(gelu(nn.dense(x, w, b)), wo, bo)` for `gelu(nn.dense(x, w, b))`.
void layerLeftOut(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const bool hasLayers = std::ranges::any_of(g.module.items, [](const ast::Item& item) {
    const auto* import = std::get_if<ast::Import>(&item);
    return import && import->name.text == "nn";
  });
  std::size_t found = 0;
  for (const auto& [function, result] : functionsComputing(g)) {
    const std::vector<std::string> names = unusedNames(g, {result.source, result.end, result.end});
    if (names.empty()) continue;
    std::vector<Span> values{result};
    for (const ast::Parameter& parameter : function->parameters)
      for (const Application& call : g.calls())
        for (const Span argument : call.arguments)
          if (g.functionAround(argument) == function && g.text(argument) == parameter.name.text)
            values.push_back(argument);
    const std::vector<std::size_t> ranks = ranksOf(g, names, *function);
    for (const Around& layer : layersOf(names, ranks, hasLayers))
      for (const Span value : values) {
        if (++found > mostValues) return;
        g.wrap({value, {}, nullptr}, value,
               fmt::format("apply `{}`, with the weights that nothing uses, to", layer.callee), layer.before,
               layer.behind);
        g.found.back().isFallback = std::ranges::find(ranks, 0U) != ranks.end();
      }
  }
}

}  // namespace axle::guess
