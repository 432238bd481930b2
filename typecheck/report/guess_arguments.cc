// Guesses of arguments: in another order, or left out.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

// The arguments from `first` on change places with as many from `second` on.
void exchange(Guesser& g, const Application& at, std::size_t first, std::size_t second, std::size_t count) {
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < count; ++i) edits.push_back({at.arguments[first + i], g.text(at.arguments[second + i])});
  for (std::size_t i = 0; i < count; ++i) edits.push_back({at.arguments[second + i], g.text(at.arguments[first + i])});
  g.guess(at, "swap the arguments", std::move(edits));
}

bool isText(const Guesser& g, Span argument) { return g.sources.text(argument).starts_with('"'); }

// The `param`s that the program does not use.
std::vector<const ast::Param*> unusedParams(const Guesser& g) {
  std::set<std::string_view> used;
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* name = std::get_if<ast::ExprName>(&e.node)) used.insert(name->name);
  std::vector<const ast::Param*> unused;
  for (const ast::Item& item : g.module.items)
    if (const auto* param = std::get_if<ast::Param>(&item); param && !used.count(param->name.text))
      unused.push_back(param);
  return unused;
}

std::string lastPart(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

void swapped(Guesser& g, const Application& at) {
  constexpr std::size_t mostArguments = 8;
  const std::size_t count = at.arguments.size();
  if (!at.named || at.isOrigin || count > mostArguments) return;
  const bool isOfSizes = g.diagnostic.code == &codes::dimMismatch;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t first = 0; first < count; ++first)
    for (std::size_t second = first + 1; second < count; ++second) {
      const Span one = at.arguments[first], other = at.arguments[second];
      if (isText(g, one) || isText(g, other)) continue;
      const auto rank = g.rankOf(one), otherRank = g.rankOf(other);
      if (isOfSizes && rank && otherRank) {
        const bool areMasks = g.elemOf(one) == Elem::boolean && g.elemOf(other) == Elem::boolean;
        const std::size_t apart = std::max(*rank, *otherRank) - std::min(*rank, *otherRank);
        if ((apart > 1 && !areMasks) || g.sizesOf(one) == g.sizesOf(other)) continue;
        const bool isWeight = g.paramAt(one), isOtherWeight = g.paramAt(other);
        if (rank == 4 && otherRank == 4 && (count == 2 || isWeight != isOtherWeight))
          continue;  // an image and a filter
      }
      pairs.emplace_back(first, second);
    }
  std::ranges::stable_partition(pairs, [&](const auto& pair) {
    return g.rankOf(at.arguments[pair.first]) == g.rankOf(at.arguments[pair.second]);
  });
  for (const auto& [first, second] : pairs) exchange(g, at, first, second, 1);
  for (std::size_t first = 0; first + 3 < count; ++first) exchange(g, at, first, first + 2, 2);
}

// Gives a weight that nothing uses in the place of an argument that is missing; of the parameter's name first.
void leftOut(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.empty()) return;
  const std::string call = g.text(at.span), function = call.substr(0, call.find('('));
  const std::vector<std::string> names = parametersOf(g, function);
  if (names.size() != at.arguments.size() + 1) return;
  std::vector<const ast::Param*> unused = unusedParams(g);
  for (bool isByName : {true, false})
    for (const ast::Param* param : unused)
      for (std::size_t i = names.size(); i-- > 0;) {
        const std::string& name = param->name.text;
        if ((lastPart(name) == names[i]) != isByName) continue;
        const bool isLast = i == at.arguments.size();
        const auto place = isLast ? at.arguments.back().end : at.arguments[i].begin;
        g.guess(at, fmt::format("`{}` is left out", names[i]),
                {{{at.span.source, place, place}, isLast ? ", " + name : name + ", "}});
      }
}

// Gives a first state of zeros the batch that the next states have.
void sizedState(Guesser& g, const Application& at) {
  std::set<std::string> names;
  for (const ast::Dim& dim : g.module.dims)
    if (const auto* name = std::get_if<ast::DimName>(&dim.node)) names.insert(name->name);
  for (const Application& call : g.calls()) {
    if (std::find(at.arguments.begin(), at.arguments.end(), call.span) == at.arguments.end()) continue;
    const std::string text = g.text(call.span);
    if (!text.starts_with("zeros([") && !text.starts_with("ones([")) continue;
    const auto inside = call.arguments[0].begin + 1;
    for (const std::string& name : names)
      g.guess(at, "one state for each of the batch", {{{call.span.source, inside, inside}, name + ", "}});
  }
}

// A dense layer of two weights that nothing uses.
void unusedLayer(Guesser& g, const Application& at) {
  const std::vector<const ast::Param*> unused = unusedParams(g);
  const bool hasLayers = std::any_of(g.module.items.begin(), g.module.items.end(), [](const ast::Item& item) {
    const auto* import = std::get_if<ast::Import>(&item);
    return import && import->name.text == "nn";
  });
  if (unused.size() != 2 || at.named || !hasLayers) return;
  for (const Span argument : at.arguments)
    g.guess(at, "the layer that nothing uses",
            {{argument,
              fmt::format("nn.dense({}, {}, {})", g.text(argument), unused[0]->name.text, unused[1]->name.text)}});
}

// Joins a parameter that nothing uses with an argument, as a U-Net joins what it kept.
void unusedParameter(Guesser& g, const Application& at) {
  const ast::ExprFn* around = at.named ? g.functionAround(at.span) : nullptr;
  if (!around) return;
  std::set<std::string_view> used;
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* name = std::get_if<ast::ExprName>(&e.node); name && isWithin(e.span, g.module[around->body].span))
      used.insert(name->name);
  for (const ast::Parameter& parameter : around->parameters) {
    if (used.count(parameter.name.text)) continue;
    for (const Span argument : at.arguments)
      if (!g.paramAt(argument))
        g.wrap(at, argument, fmt::format("nothing uses `{}`; join it with", parameter.name.text),
               fmt::format("concat({}, ", parameter.name.text), ", axis=-1)");
  }
}

// Gives a weight that nothing uses in the place of one of the same rank; of the same name first: `d2.bias` for
// `d1.bias`.
void unusedWeight(Guesser& g, const Application& at) {
  constexpr std::size_t most = 6;
  const std::vector<const ast::Param*> unused = unusedParams(g);
  if (unused.size() > most) return;
  for (bool isByName : {true, false})
    for (const ast::Param* other : unused)
      for (const Span argument : at.arguments) {
        const ast::Param* given = g.paramAt(argument);
        if (!given || (lastPart(given->name.text) == lastPart(other->name.text)) != isByName) continue;
        const std::vector<Dim> sizes = g.sizesOf(argument), otherSizes = g.sizesBoundAt(other->name.span);
        if (isByName || (sizes.size() == otherSizes.size() && sizes != otherSizes))
          g.guess(at, fmt::format("nothing uses `{}`", other->name.text), {{argument, other->name.text}});
      }
}

// Gives a static argument the value that the other calls of the function give it: those in the same function, or, of
// an operator, all.
void staticAsElsewhere(Guesser& g, const Application& at) {
  const ast::ExprFn* around = g.functionAround(at.span);
  if (!around) return;
  for (const ast::NamedArgument& argument : at.named ? *at.named : std::vector<ast::NamedArgument>()) {
    const Span value = g.module[argument.value].span;
    std::set<std::string> others;
    for (const Application& call : g.calls())
      if (!(call.span == at.span) && calleeOf(g, call) == calleeOf(g, at))
        for (const ast::NamedArgument& other : *call.named)
          if (other.name.text == argument.name.text) others.insert(g.text(g.module[other.value].span));
    if (others.size() == 1 && *others.begin() != g.text(value))
      g.guess(at, fmt::format("`{}` as in the other calls", argument.name.text), {{value, *others.begin()}});
  }
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::vector<Span>>> given;  // values and places
  for (const Application& call : g.calls())
    if (isWithin(call.span, g.module[around->body].span))
      for (const ast::NamedArgument& argument : *call.named) {
        const Span value = g.module[argument.value].span;
        given[{calleeOf(g, call), argument.name.text}][g.text(value)].push_back(value);
      }
  for (const auto& [name, values] : given)
    for (const auto& [rare, places] : values)
      for (const auto& [common, others] : values)
        if (places.size() == 1 && others.size() > 1)
          g.guess({places.front(), {}, nullptr},
                  fmt::format("`{}` of `{}` as in the other calls", name.second, name.first),
                  {{places.front(), common}});
}

}  // namespace axle::guess
