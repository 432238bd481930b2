// Guesses of arguments: in another order, or left out.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle {

std::vector<const ast::Param*> unusedOfGroup(Guesser& g, const std::string& weight) {
  std::vector<const ast::Param*> unused = g.unusedParams();
  std::erase_if(unused, [&](const ast::Param* param) { return groupOf(param->name.text) != groupOf(weight); });
  return unused;
}

std::vector<std::string> unusedNames(const Guesser& g, Span place) {
  std::vector<std::string> names;
  auto addOf = [&](const ast::ExprFn& around) {
    const Span body = g.module[around.body].span;
    std::vector<std::string> bound;
    for (const ast::Parameter& parameter : around.parameters) bound.push_back(parameter.name.text);
    for (const ast::Pattern& pattern : g.module.patterns)
      if (const auto* name = std::get_if<ast::PatternName>(&pattern.node))
        if (isWithin(pattern.span, body) && pattern.span.end <= place.begin &&
            g.functionAround(pattern.span) == &around)
          bound.push_back(name->name);
    std::erase_if(bound, [&](const std::string& name) {
      return std::ranges::any_of(g.module.exprs, [&](const ast::Expr& e) {
        const auto* used = std::get_if<ast::ExprName>(&e.node);
        return used && used->name == name && isWithin(e.span, body);
      });
    });
    names.insert(names.begin(), bound.begin(), bound.end());
  };
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* function = std::get_if<ast::ExprFn>(&e.node); function && isWithin(place, e.span)) addOf(*function);
  return names;
}

namespace guess {

namespace {

// The arguments from `first` on change places with as many from `second` on.
void exchange(Guesser& g, const Application& at, std::size_t first, std::size_t second, std::size_t count) {
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < count; ++i) edits.push_back({at.arguments[first + i], g.text(at.arguments[second + i])});
  for (std::size_t i = 0; i < count; ++i) edits.push_back({at.arguments[second + i], g.text(at.arguments[first + i])});
  g.guess(at, "swap the arguments", std::move(edits));
}

bool isText(const Guesser& g, Span argument) { return g.sources.text(argument).starts_with('"'); }

// Whether a tensor's first sizes are those of a window: small numbers.
bool isLikeFilter(Guesser& g, Span argument) {
  constexpr std::int64_t most = 11;
  const std::vector<Dim> sizes = g.sizesOf(argument);
  return sizes.size() > 2 && std::all_of(sizes.begin(), sizes.end() - 2, [&](Dim size) {
           const auto number = g.checked.solution.dims.asConstant(size);
           return number && *number <= most;
         });
}

// What the arguments of a call are for; of a `loop` or `map` whose function is named, the function's parameters.
std::vector<std::string> parametersWanted(const Guesser& g, const Application& at) {
  const std::string callee = calleeOf(g, at);
  if (callee != "loop" || at.arguments.size() < 2) return parametersOf(g, callee);
  // The state, and an element of each sequence.
  std::vector<std::string> names = parametersOf(g, g.text(at.arguments[1]));
  if (!names.empty()) names.insert(names.begin() + 1, g.text(at.arguments[1]));
  return names;
}

}  // namespace

void swapped(Guesser& g, const Application& at) {
  constexpr std::size_t mostArguments = 12, mostInPairs = 8;  // of more, neighbours and equal ranks
  const std::size_t count = at.arguments.size();
  const bool isLoop = at.named && calleeOf(g, at) == "loop";
  const bool isOfFact = g.diagnostic.code == &codes::factRefuted || g.diagnostic.code == &codes::reshapeTotal;
  if (isOfFact && !isLoop) return;  // of arguments that fit in number and rank
  if (!at.named || at.isOrigin || count > mostArguments) return;
  const bool areAllPairs = isLoop || count <= mostInPairs;
  const bool isOfSizes = g.diagnostic.code == &codes::dimMismatch;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t first = 0; first < count; ++first)
    for (std::size_t second = first + 1; second < count; ++second) {
      const Span one = at.arguments[first], other = at.arguments[second];
      if (isText(g, one) || isText(g, other)) continue;
      const auto rank = g.rankOf(one), otherRank = g.rankOf(other);
      if (!areAllPairs && second > first + 1 && !(rank && rank == otherRank)) continue;
      // The state and the cell are no sequences, and sequences of another rank fail otherwise.
      if (isLoop && (first < 2 || rank != otherRank || g.sizesOf(one) == g.sizesOf(other))) continue;
      if (isOfSizes && g.partsOf(one) != g.partsOf(other)) continue;
      if (isOfSizes && rank && otherRank) {
        const bool areMasks = g.elemOf(one) == Elem::boolean && g.elemOf(other) == Elem::boolean;
        const std::size_t apart = std::max(*rank, *otherRank) - std::min(*rank, *otherRank);
        if ((apart > 1 && !areMasks) || g.sizesOf(one) == g.sizesOf(other)) continue;
        const bool isWeight = g.paramAt(one), isOtherWeight = g.paramAt(other);
        const bool isConvolution = calleeOf(g, at).starts_with("conv");
        const bool isFilterFirst =
            (isWeight && !isOtherWeight) || (isConvolution && isLikeFilter(g, one) && !isLikeFilter(g, other));
        if (rank == 4 && otherRank == 4 && !isFilterFirst &&
            ((count == 2 && isConvolution) || isWeight != isOtherWeight))
          continue;  // an image and a filter
      }
      pairs.emplace_back(first, second);
    }
  std::ranges::stable_partition(pairs, [&](const auto& pair) {
    return g.rankOf(at.arguments[pair.first]) == g.rankOf(at.arguments[pair.second]);
  });
  const std::vector<std::string> parameters = parametersOf(g, calleeOf(g, at));
  auto isNamedSo = [&](std::size_t argument, std::size_t parameter) {
    return parameter < parameters.size() && lastNameOf(g.text(at.arguments[argument])) == parameters[parameter];
  };
  for (const auto& [first, second] : pairs) {
    exchange(g, at, first, second, 1);
    g.found.back().isSure = isNamedSo(first, second) && isNamedSo(second, first);
    // Weights are mostly behind.
    g.found.back().isFallback = !g.paramAt(at.arguments[first]) && g.paramAt(at.arguments[second]);
  }
  for (std::size_t first = 0; first + 3 < count; ++first) exchange(g, at, first, first + 2, 2);
}

namespace {

// Gives the argument that a parameter lacks.
void putArgument(Guesser& g, const Application& at, std::size_t position, const std::string& parameter,
                 const std::string& value) {
  const bool isFirst = position == 0;
  const auto place = isFirst ? at.arguments[0].begin : at.arguments[position - 1].end;
  g.guess(at, fmt::format("`{}` is left out", parameter),
          {{{at.span.source, place, place}, isFirst ? value + ", " : ", " + value}});
}

// Gives an argument a second time in the place of one beside it that is missing: `attend(x, x, mask)` for
// `attend(x, mask)`.
void repeatNeighbour(Guesser& g, const Application& at, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < at.arguments.size(); ++i) {
    if (!g.nodeAt<ast::ExprName>(at.arguments[i])) continue;
    putArgument(g, at, i + 1, names[i + 1], g.text(at.arguments[i]));
    g.found.back().isFallback = true;  // any other value may be meant
  }
}

// Gives the value that the function around has under the name of the parameter whose argument is missing, where it is
// used elsewhere, too.
void giveOfName(Guesser& g, const Application& at, const std::vector<std::string>& names,
                const std::vector<std::string>& unused) {
  const ast::ExprFn* around = g.functionAround(at.span);
  auto isBound = [&](const std::string& name) {
    return around && (std::ranges::any_of(around->parameters, [&](const auto& p) { return p.name.text == name; }) ||
                      std::ranges::any_of(g.module.patterns, [&](const ast::Pattern& pattern) {
                        return g.text(pattern.span) == name && pattern.span.end <= at.span.begin &&
                               g.functionAround(pattern.span) == around;
                      }));
  };
  auto isGiven = [&](const std::string& name) {
    return std::ranges::any_of(at.arguments, [&](Span argument) { return g.text(argument) == name; });
  };
  for (std::size_t i = names.size(); i-- > 0;) {
    if (!isBound(names[i]) || isGiven(names[i])) continue;
    putArgument(g, at, i, names[i], names[i]);
    g.found.back().isSure = unused.empty();
  }
}

}  // namespace

// Gives a value or weight that nothing uses in the place of an argument that is missing; of the parameter's name first,
// as `self_mask` for `mask`, and at the end first.
void leftOut(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.empty()) return;
  const std::vector<std::string> names = parametersWanted(g, at);
  if (names.size() != at.arguments.size() + 1) return;
  std::vector<std::string> unused = unusedNames(g, at.span);
  for (const ast::Param* param : g.unusedParams()) unused.push_back(param->name.text);
  auto areAlike = [](const std::string& value, const std::string& parameter) {
    const std::string last = lastNameOf(value);
    return last == parameter || last.ends_with("_" + parameter) || last.starts_with(parameter + "_") ||
           withoutNumbers(last) == parameter + "#";
  };
  for (bool isByName : {true, false})
    for (const std::string& name : unused)
      for (std::size_t i = names.size(); i-- > 0;) {
        if (areAlike(name, names[i]) != isByName) continue;
        putArgument(g, at, i, names[i], name);
        g.found.back().isSure = isByName;
        g.found.back().isFallback = !isByName && i != at.arguments.size();
      }
  giveOfName(g, at, names, unused);
  repeatNeighbour(g, at, names);
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

// Joins a parameter or name that nothing uses with an argument, as a U-Net joins what it kept.
void unusedParameter(Guesser& g, const Application& at) {
  const ast::ExprFn* around = at.named ? g.functionAround(at.span) : nullptr;
  if (!around) return;
  for (const std::string& name : unusedNames(g, at.span))
    for (const Span argument : at.arguments)
      if (!g.paramAt(argument))
        g.wrap(at, argument, fmt::format("nothing uses `{}`; join it with", name), fmt::format("concat({}, ", name),
               ", axis=-1)");
}

// Gives the weights of one name's parts in a tuple where the other arguments are of another name: `(e2.s, e2.t)` beside
// `e2.w` for `(e1.s, e1.t)`.
void weightsOfGroup(Guesser& g, const Application& at) {
  auto groupOf = [&](Span weight) {
    const ast::Param* param = g.paramAt(weight);
    return param ? param->name.text.substr(0, param->name.text.rfind('.') + 1) : std::string();
  };
  for (const Span argument : at.arguments) {
    const auto* tuple = g.nodeAt<ast::ExprTuple>(argument);
    for (const Span beside : tuple ? at.arguments : std::vector<Span>()) {
      const std::string group = groupOf(beside);
      std::vector<Edit> edits;
      bool areThere = !group.empty();
      for (const ast::ExprId part : tuple->parts) {
        const Span span = g.module[part].span;
        const std::string other = groupOf(span);
        const std::string name = group + g.text(span).substr(other.size());
        areThere &= !other.empty() && other != group && std::ranges::any_of(g.module.items, [&](const ast::Item& item) {
          const auto* param = std::get_if<ast::Param>(&item);
          return param && param->name.text == name;
        });
        edits.push_back({span, name});
      }
      if (areThere) g.guess(at, fmt::format("the weights of `{}`, as beside them", group), std::move(edits));
    }
  }
}

namespace {

bool isCalledElsewhere(const Guesser& g, const Application& at) {
  return std::ranges::any_of(g.calls(), [&](const Application& call) {
    return !(call.span == at.span) && calleeOf(g, call) == calleeOf(g, at) && !parametersOf(g, calleeOf(g, at)).empty();
  });
}

}  // namespace

namespace {

// Whether each other call of the function gives a static argument this value.
bool doAllGive(const Guesser& g, const Application& at, const std::string& name, const std::string& value) {
  return std::ranges::all_of(g.calls(), [&](const Application& call) {
    const ast::NamedArgument* given = namedOf(call, name);
    return call.span == at.span || calleeOf(g, call) != calleeOf(g, at) ||
           (given && g.text(g.module[given->value].span) == value);
  });
}

// Which calls give it: "the other calls" only where all of the function do.
std::string_view givers(const Guesser& g, const Application& at, const std::string& name, const std::string& value) {
  return doAllGive(g, at, name, value) ? "the other calls" : "another call";
}

// Gives calls in a function a static argument that they leave to its default, and other calls there give, as
// `f(k, heads=groups)` for `f(k)` beside `g(v, heads=groups)`; the values of calls of the same function first. To
// operators only what is a static parameter of the function: `conv2d(y, w, stride=stride)`.
void giveAsNeighbours(Guesser& g, const Application& at, const ast::ExprFn& around) {
  constexpr std::size_t most = 4;
  std::vector<Application> inside = g.calls();
  std::erase_if(inside, [&](const Application& call) { return !isWithin(call.span, g.module[around.body].span); });
  std::ranges::stable_partition(inside, [&](const Application& call) { return call.span == at.span; });
  std::vector<Application> withStatics = inside;
  std::erase_if(withStatics, [](const Application& call) { return call.named->empty(); });
  std::set<std::pair<std::uint32_t, std::string>> guessed;
  for (const bool isSameFunction : {true, false})
    for (const Application& call : inside)
      for (const Application& other : withStatics) {
        if (guessed.size() == most) return;
        const std::string callee = calleeOf(g, call);
        if ((callee == calleeOf(g, other)) != isSameFunction) continue;
        const bool isOperator = parametersOf(g, callee).empty();
        for (const ast::NamedArgument& argument : *other.named) {
          const std::string& name = argument.name.text;
          const bool isHandedOn = g.text(g.module[argument.value].span) == name;
          if (isOperator && !isHandedOn) continue;
          if (namedOf(call, name) || !g.hasStatic(callee, name)) continue;
          if (!guessed.emplace(call.span.begin, g.text(argument.span)).second) continue;
          const std::string value = g.text(g.module[argument.value].span);
          const std::string_view where = isSameFunction ? givers(g, call, name, value) : "another call";
          g.guess(call, fmt::format("give `{}` as in {}", name, where), {giveStatic(g, call, name, value)});
          g.found.back().isFallback = !(call.span == at.span);
        }
      }
}

// Whether a static argument is a static parameter of the function around the call.
bool handsOn(const Guesser& g, const Application& call, const ast::NamedArgument& argument) {
  const ast::ExprFn* around = g.functionAround(call.span);
  const std::string value = g.text(g.module[argument.value].span);
  return around && std::ranges::any_of(around->statics, [&](const auto& each) { return each.name.text == value; });
}

bool isGivenOnlyHere(const Guesser& g, const Application& at, const std::string& parameter) {
  return std::ranges::none_of(g.calls(), [&](const Application& call) {
    return !(call.span == at.span) && calleeOf(g, call) == calleeOf(g, at) && namedOf(call, parameter);
  });
}

}  // namespace
}  // namespace guess

void leaveToDefault(Guesser& g, const Application& call) {
  if (!call.named || !guess::isCalledElsewhere(g, call)) return;
  for (const ast::NamedArgument& argument : *call.named)
    if (!guess::handsOn(g, call, argument) && guess::isGivenOnlyHere(g, call, argument.name.text))
      g.guess(call, fmt::format("leave `{}` to its default, as in the other calls", argument.name.text),
              {{withComma(call, argument), ""}});
}

namespace guess {
namespace {

void staticAsOthers(Guesser& g, const Application& at) {
  const ast::ExprFn* around = g.functionAround(at.span);
  if (!around) return;
  for (const ast::NamedArgument& argument : at.named ? *at.named : std::vector<ast::NamedArgument>()) {
    const Span value = g.module[argument.value].span;
    std::set<std::string> others;
    for (const Application& call : g.calls())
      if (!(call.span == at.span) && calleeOf(g, call) == calleeOf(g, at))
        for (const ast::NamedArgument& other : *call.named)
          if (other.name.text == argument.name.text) others.insert(g.text(g.module[other.value].span));
    const std::string& name = argument.name.text;
    if (others.size() != 1 || *others.begin() == g.text(value)) continue;
    g.guess(at, fmt::format("give `{}` as in {}", name, givers(g, at, name, *others.begin())),
            {{value, *others.begin()}});
    // What divides a size is told otherwise.
    g.found.back().isFallback = g.diagnostic.code == &codes::factRefuted && !doAllGive(g, at, name, *others.begin());
  }
  giveAsNeighbours(g, at, *around);
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
                  fmt::format("give `{}` of `{}` as in {}", name.second, name.first,
                              values.size() == 2 ? "the other calls" : "other calls"),
                  {{places.front(), common}});
}

}  // namespace

// Gives a static argument of a marked call the value that the other calls of the function give it: those in the same
// function, or, of an operator, all.
void staticAsElsewhere(Guesser& g, const Application& failing) {
  if (!isFailing(g, failing)) return;
  std::vector<Application> marked = g.markedCalls();
  if (marked.empty() || !(marked[0].span == failing.span)) marked.insert(marked.begin(), failing);
  for (const Application& call : marked) staticAsOthers(g, call);
}

// The same of the calls that a diagnostic marks.
void leftToDefault(Guesser& g, const Application& failing) {
  if (!isFailing(g, failing)) return;
  for (const Application& call : g.markedCalls()) leaveToDefault(g, call);
}

// The same of calls that compute what fails.
void leftToDefaultBefore(Guesser& g, const Application& failing) {
  constexpr std::size_t most = 4;
  if (!isFailing(g, failing)) return;
  const std::vector<Span> marks = g.marks();
  for (const Application& call : g.callsComputing()) {
    if (std::ranges::find(marks, call.span) != marks.end()) continue;
    const std::size_t before = g.found.size();
    leaveToDefault(g, call);
    for (std::size_t i = before; i < g.found.size(); ++i) g.found[i].isFallback = g.isFar(call.span);
    if (g.found.size() > before + most) return;
  }
}

// Leaves out a static argument that hands on a parameter: of two calls in a row, only one may be meant to have it.
void withoutStatic(Guesser& g, const Application& at) {
  if (!at.named || at.isOrigin) return;
  for (const ast::NamedArgument& named : *at.named)
    if (g.text(g.module[named.value].span) == named.name.text)
      g.guess(at, fmt::format("without `{}`", g.text(named.span)), {{withComma(at, named), ""}});
}

// Repeats a weight for each of the batch that the other arguments of a `concat` have.
void repeatedForBatch(Guesser& g, const Application& at) {
  if (!at.named || (calleeOf(g, at) != "concat" && calleeOf(g, at) != "stack")) return;
  for (const Span argument : at.arguments)
    for (const Span other : at.arguments) {
      const std::vector<Dim> sizes = g.sizesOf(argument), others = g.sizesOf(other);
      if (!g.paramAt(argument) || sizes.empty() || others.size() != sizes.size() + 1) continue;
      std::string shape = g.sizeText(others[0]);
      if (shape.empty()) continue;
      for (const Dim size : sizes) shape += ", " + g.sizeText(size);
      g.wrap(at, argument, "repeat for each of the batch", "broadcast_to(", ", [" + shape + "])");
    }
}

// Gives the rows of a weight where an argument for each is wanted: `norm(x, ln[0], ln[1])` for `norm(x, ln)`.
void rowsAsArguments(Guesser& g, const Application& at) {
  if (!at.named) return;
  const std::vector<std::string> parameters = parametersOf(g, calleeOf(g, at));
  constexpr std::size_t mostRows = 8;
  if (parameters.size() <= at.arguments.size()) return;
  const std::size_t rows = parameters.size() - at.arguments.size() + 1;
  for (const Span argument : at.arguments) {
    const std::vector<Dim> sizes = g.sizesOf(argument);
    const auto first = sizes.empty() ? std::nullopt : g.checked.solution.dims.asConstant(sizes[0]);
    if (first != static_cast<std::int64_t>(rows) || rows > mostRows) continue;
    std::string each;
    for (std::size_t i = 0; i < rows; ++i) each += fmt::format("{}{}[{}]", i ? ", " : "", g.text(argument), i);
    g.guess(at, fmt::format("each row of `{}`", g.text(argument)), {{argument, each}});
  }
}

// Leaves out a static argument that the function does not have.
void withoutUnknown(Guesser& g, const Application& at) {
  for (const Application& call : g.calls())
    for (const ast::NamedArgument& named : *call.named)
      if (named.span == at.span) {
        g.guess(call, fmt::format("without `{}`", named.name.text), {{withComma(call, named), ""}});
        g.found.back().isFallback = true;  // another name may be meant
      }
}

}  // namespace guess

std::string defaultOfOthers(const Guesser& g, const Application& call, const std::string& parameter) {
  const Modules& modules = g.checked.modules;
  const auto found = functionNamed(modules, modules.modules.size() - 1, calleeOf(g, call));
  bool areThere = false;
  for (const Application& other : g.calls()) {
    if (other.span == call.span || calleeOf(g, other) != calleeOf(g, call)) continue;
    if (namedOf(other, parameter)) return {};
    areThere = true;
  }
  if (areThere && found)
    for (const ast::StaticParameter& declared : found->function->statics)
      if (declared.name.text == parameter && declared.defaultValue)
        return std::string(g.sources.text((*found->module)[declared.defaultValue].span));
  return {};
}

}  // namespace axle
