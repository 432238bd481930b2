// Guesses of tuples: their parts, where a tensor is wanted, or other forms of them.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostParts = 6;

// A tuple that a name stands for: the statement that names it, in the same function.
struct NamedTuple {
  const ast::Binding* binding;
  std::string name;
  std::size_t parts;
};

std::vector<NamedTuple> tuplesAmong(Guesser& g, const Application& at) {
  std::vector<NamedTuple> tuples;
  for (const Span argument : at.arguments) {
    const std::size_t parts = g.partsOf(argument);
    if (parts < 2 || parts > mostParts) continue;
    const ast::ExprFn* around = g.functionAround(argument);
    for (const ast::Binding& binding : g.module.bindings) {
      const Span pattern = g.module[binding.pattern].span;
      if (g.text(pattern) == g.text(argument) && g.functionAround(pattern) == around)
        tuples.push_back({&binding, g.text(argument), parts});
    }
  }
  return tuples;
}

// Whether a name is used or bound in a function.
bool isUsed(const Guesser& g, const ast::ExprFn& in, const std::string& name) {
  const Span body = g.module[in.body].span;
  for (const ast::Expr& e : g.module.exprs)
    if (const auto* used = std::get_if<ast::ExprName>(&e.node); used && used->name == name && isWithin(e.span, body))
      return true;
  for (const ast::Pattern& pattern : g.module.patterns)
    if (const auto* named = std::get_if<ast::PatternName>(&pattern.node);
        named && named->name == name && isWithin(pattern.span, body))
      return true;
  return std::any_of(in.parameters.begin(), in.parameters.end(),
                     [&](const ast::Parameter& parameter) { return parameter.name.text == name; });
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

// The names that the function around a place uses, and nothing defines for it.
std::vector<std::string> undefinedNames(const Guesser& g, Span place) {
  constexpr std::size_t most = 2;
  const ast::ExprFn* around = g.functionAround(place);
  std::vector<std::string> names;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* used = std::get_if<ast::ExprName>(&e.node);
    if (!used || !around || g.functionAround(e.span) != around || names.size() == most) continue;
    const std::string& name = used->name;
    const auto bindsIt = [&](const ast::Pattern& pattern) {
      const auto* bound = std::get_if<ast::PatternName>(&pattern.node);
      if (!bound || bound->name != name) return false;
      const ast::ExprFn* of = g.functionAround(pattern.span);
      return !of || of == around;
    };
    const auto takesIt = [&](const ast::Parameter& parameter) { return parameter.name.text == name; };
    const bool isKnown = std::ranges::any_of(g.module.patterns, bindsIt) ||
                         std::ranges::any_of(around->parameters, takesIt) || g.paramAt(e.span) ||
                         g.checked.operators.find(name) || name.find('.') != std::string::npos;
    if (!isKnown && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

// `s1, s2, s3`; empty where the function of the tuple has one of them.
std::vector<std::string> namesOfParts(const Guesser& g, const NamedTuple& tuple) {
  const ast::ExprFn* around = g.functionAround(tuple.binding->span);
  std::vector<std::string> names;
  for (std::size_t i = 1; around && i <= tuple.parts; ++i) {
    names.push_back(tuple.name + std::to_string(i));
    if (isUsed(g, *around, names.back())) return {};
  }
  return names;
}

std::string titleOf(const NamedTuple& tuple, const std::string& what) {
  return fmt::format("`{}` is a tuple of {} parts; {}", tuple.name, tuple.parts, what);
}

}  // namespace

// Adds a name for another part of a tuple: one that the function uses and nothing defines, or `_`.
void unusedParts(Guesser& g, const Application& at) {
  for (const ast::Pattern& pattern : g.module.patterns) {
    const auto* tuple = pattern.span == at.span ? std::get_if<ast::PatternTuple>(&pattern.node) : nullptr;
    if (!tuple) continue;
    for (const std::string& name : undefinedNames(g, at.span))
      for (std::size_t i = 0; i <= tuple->parts.size(); ++i) {
        std::string names;
        for (std::size_t part = 0; part <= tuple->parts.size(); ++part) {
          if (part > 0) names += ", ";
          names += part == i ? name : g.text(g.module[tuple->parts[part - (part > i)]].span);
        }
        g.guess(at, fmt::format("a name for each part, also for `{}`, which is used", name), {{at.span, names}});
      }
  }
  for (const ast::Pattern& pattern : g.module.patterns)
    if (pattern.span == at.span && std::holds_alternative<ast::PatternTuple>(pattern.node))
      for (const char* more : {", _", ", _, _", ", _, _, _"})
        g.guess(at, "`_` stands for a part that nothing needs", {{at.span, g.text(at.span) + more}});
}

// Splits a tensor into as many parts as there are names for them.
void asManyParts(Guesser& g, const Application& at) {
  for (const ast::Binding& binding : g.module.bindings) {
    const ast::Pattern& pattern = g.module[binding.pattern];
    const auto* tuple = pattern.span == at.span ? std::get_if<ast::PatternTuple>(&pattern.node) : nullptr;
    const auto* call = tuple ? std::get_if<ast::ExprCall>(&g.module[binding.value].node) : nullptr;
    if (!call || !g.text(g.module[binding.value].span).starts_with("split(")) continue;
    for (const ast::NamedArgument& named : call->named)
      if (named.name.text == "parts")
        g.guess({named.span, {}, nullptr}, "as many parts as names",
                {{g.module[named.value].span, std::to_string(tuple->parts.size())}});
  }
}

namespace {

// A value for which a statement has several names.
struct ValueOfNames {
  Span value;
  std::size_t names;
};

// Those of the statements whose pattern or value is at a place.
std::vector<ValueOfNames> valuesOfNames(const Guesser& g, const Application& at) {
  std::vector<ValueOfNames> all;
  for (const ast::Binding& binding : g.module.bindings) {
    const ast::Pattern& pattern = g.module[binding.pattern];
    const auto* tuple = std::get_if<ast::PatternTuple>(&pattern.node);
    const Span value = g.module[binding.value].span;
    if (!tuple || tuple->parts.size() < 2 || !(pattern.span == at.span || value == at.span)) continue;
    all.push_back({value, tuple->parts.size()});
  }
  return all;
}

}  // namespace

// Splits a tensor along its last axis, where a statement has several names for it: `q, k, v = split(y, parts=3,
// axis=-1)` for `q, k, v = y`.
void splitForNames(Guesser& g, const Application& at) {
  for (const auto& [value, names] : valuesOfNames(g, at)) {
    if (g.partsOf(value) == 0)
      g.wrap({value, {}, nullptr}, value, "split", "split(", fmt::format(", parts={}, axis=-1)", names));
  }
}

// Takes a tensor apart along its first axis, where this has a slice for each name: `gain, shift = unstack(y)` for
// `gain, shift = y` of a [2, c].
void unstackedForNames(Guesser& g, const Application& at) {
  for (const auto& [value, names] : valuesOfNames(g, at)) {
    const std::vector<Dim> sizes = g.sizesOf(value);
    const auto first = sizes.empty() ? std::nullopt : g.checked.solution.dims.asConstant(sizes[0]);
    if (first == static_cast<std::int64_t>(names))
      g.guess({value, {}, nullptr}, "a slice for each name", {{value, fmt::format("unstack({})", g.text(value))}});
  }
}

namespace {

// The names of a statement of the same function that takes apart what an argument names; none where there is none, or
// a part has no name.
std::vector<std::string> namesOfPartsOf(const Guesser& g, Span argument) {
  std::vector<std::string> names;
  for (const ast::Binding& binding : g.module.bindings) {
    const auto* tuple = std::get_if<ast::PatternTuple>(&g.module[binding.pattern].node);
    const Span value = g.module[binding.value].span;
    if (!tuple || value.end > argument.begin || g.text(value) != g.text(argument)) continue;
    if (g.functionAround(value) != g.functionAround(argument)) continue;
    for (const ast::PatternId part : tuple->parts)
      if (std::holds_alternative<ast::PatternName>(g.module[part].node)) names.push_back(g.text(g.module[part].span));
    if (names.size() != tuple->parts.size()) names.clear();
  }
  return names;
}

}  // namespace

// Gives the parts of a tuple by the names that a statement has for them: `dense(x, w, b)` for `dense(x, layer)` behind
// `w, b = layer`; where the call has as many arguments as it needs, the one part that nothing uses.
void partsByName(Guesser& g, const Application& at) {
  if (!isFailing(g, at) || !at.named) return;
  const std::size_t wanted = parametersOf(g, calleeOf(g, at)).size();
  for (const Span argument : at.arguments) {
    if (!g.nodeAt<ast::ExprName>(argument)) continue;
    std::vector<std::string> names = namesOfPartsOf(g, argument);
    if (g.diagnostic.code == &codes::typeMismatch) {
      const std::vector<std::string> unused = unusedNames(g, argument);
      std::erase_if(names, [&](const std::string& name) { return std::ranges::find(unused, name) == unused.end(); });
      if (names.size() != 1) continue;
    } else if (names.empty() || at.arguments.size() + names.size() != wanted + 1) {
      continue;
    }
    const char* what = names.size() == 1 ? "a named part" : "the named parts";
    g.guess(at, fmt::format("give {} of `{}`", what, g.text(argument)), {{argument, joined(names)}});
    g.found.back().isSure = true;
  }
}

// Names the first part of a tuple that is given where a tensor is wanted.
void firstPart(Guesser& g, const Application& at) {
  for (const NamedTuple& tuple : tuplesAmong(g, at)) {
    const Span pattern = g.module[tuple.binding->pattern].span;
    std::string names = tuple.name;
    for (std::size_t i = 1; i < tuple.parts; ++i) names += ", _";
    g.guess({tuple.binding->span, {}, nullptr}, titleOf(tuple, "name its first part"), {{pattern, names}});
  }
}

// Applies a function of one tensor to each part, where the statement names as many results.
void eachPart(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.size() != 1) return;
  for (const NamedTuple& tuple : tuplesAmong(g, at))
    for (const ast::Binding& binding : g.module.bindings) {
      const auto* results = std::get_if<ast::PatternTuple>(&g.module[binding.pattern].node);
      if (!results || results->parts.size() != tuple.parts || !(g.module[binding.value].span == at.span)) continue;
      const auto names = namesOfParts(g, tuple);
      if (names.empty()) continue;
      const std::string call = g.text(at.span);
      std::vector<std::string> calls;
      for (const std::string& name : names)
        calls.push_back(std::string(call).replace(at.arguments[0].begin - at.span.begin, tuple.name.size(), name));
      const Span pattern = g.module[tuple.binding->pattern].span;
      g.found.push_back({titleOf(tuple, fmt::format("name them `{}`, and call `{}` for each: `{}`", joined(names),
                                                    calleeOf(g, at), joined(calls))),
                         {{pattern, joined(names)}, {at.span, joined(calls)}}});
    }
}

// Names all parts of a tuple: where a tensor is wanted, stands one of them, and in calls with too few arguments all.
void namedParts(Guesser& g, const Application& at) {
  for (const NamedTuple& tuple : tuplesAmong(g, at)) {
    const auto names = namesOfParts(g, tuple);
    if (names.empty()) continue;
    const Span pattern = g.module[tuple.binding->pattern].span;
    const ast::ExprFn* around = g.functionAround(pattern);
    struct Use {
      Span argument;
      Span call;
      bool isWhole;
    };
    std::vector<Use> uses;
    for (const Application& call : g.calls())
      for (const Span argument : call.arguments) {
        if (g.text(argument) != tuple.name || g.functionAround(argument) != around) continue;
        const std::size_t wanted = parametersOf(g, calleeOf(g, call)).size();
        uses.push_back({argument, call.span, wanted == call.arguments.size() + tuple.parts - 1});
      }
    for (std::size_t part = 0; part < tuple.parts; ++part) {
      std::vector<Edit> edits{{pattern, joined(names)}};
      std::string shown;
      for (const Use& use : uses) {
        const std::string instead = use.isWhole ? joined(names) : names[part];
        edits.push_back({use.argument, instead});
        const std::string call = g.text(use.call);
        shown += fmt::format(
            ", `{}`", std::string(call).replace(use.argument.begin - use.call.begin, tuple.name.size(), instead));
      }
      std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
      g.found.push_back({titleOf(tuple, fmt::format("name them: `{} = {}`{}", joined(names),
                                                    g.text(g.module[tuple.binding->value].span), shown)),
                         std::move(edits)});
    }
  }
}

// Gives the parts of a tuple as arguments: `concat((a, b))`.
void asArguments(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.size() != 1) return;
  std::string inside = g.text(at.arguments[0]);
  const bool isTuple = std::any_of(g.module.exprs.begin(), g.module.exprs.end(), [&](const ast::Expr& e) {
    return e.span == at.arguments[0] && std::holds_alternative<ast::ExprTuple>(e.node);
  });
  if (!isTuple) return;
  if (inside.starts_with('(') && inside.ends_with(')')) inside = inside.substr(1, inside.size() - 2);
  g.guess(at, "each tensor is an argument of its own", {{at.arguments[0], inside}});
}

// Makes a tuple of neighbouring arguments, where a call has more than its function has parameters.
void grouped(Guesser& g, const Application& at) {
  if (!at.named || at.arguments.empty()) return;
  const std::vector<std::string> parameters = parametersOf(g, calleeOf(g, at));
  if (parameters.empty() || at.arguments.size() <= parameters.size()) return;
  const std::size_t parts = at.arguments.size() - parameters.size() + 1;
  for (std::size_t i = parameters.size(); i-- > 0;) {
    const std::uint32_t begin = at.arguments[i].begin, end = at.arguments[i + parts - 1].end;
    g.guess(at, fmt::format("`{}` is a tuple of {}", parameters[i], parts),
            {{{at.span.source, begin, begin}, "("}, {{at.span.source, end, end}, ")"}});
  }
}

// Makes pairs of the parts of a tuple.
void paired(Guesser& g, const Application& at) {
  for (const ast::Expr& e : g.module.exprs) {
    const auto* tuple = std::get_if<ast::ExprTuple>(&e.node);
    if (!tuple || tuple->parts.size() < 4 || tuple->parts.size() % 2 != 0) continue;
    if (std::find(at.arguments.begin(), at.arguments.end(), e.span) == at.arguments.end()) continue;
    std::string pairs;
    for (std::size_t i = 0; i < tuple->parts.size(); i += 2)
      pairs += fmt::format("{}({}, {})", i ? ", " : "", g.text(g.module[tuple->parts[i]].span),
                           g.text(g.module[tuple->parts[i + 1]].span));
    g.guess({e.span, {}, nullptr}, "a tuple of pairs", {{e.span, "(" + pairs + ")"}});
  }
}

// A pair of one value, as the two states of an LSTM.
void twice(Guesser& g, const Application& at) {
  if (!at.named) return;
  for (const Span argument : at.arguments)
    g.guess(at, "a tuple of two", {{argument, fmt::format("({0}, {0})", g.text(argument))}});
}

namespace {

bool mayBeOfOneRank(Guesser& g, Span one, Span other) {
  const auto rank = g.rankOf(one), otherRank = g.rankOf(other);
  return !rank || !otherRank || rank == otherRank;
}

// Exchanges two layers of a tuple, each of which is two parts: `(w1, b1, w2, b2)` for `(w2, b2, w1, b1)`.
void pairsInOrder(Guesser& g, Span argument, const std::vector<Span>& parts) {
  for (std::size_t i = 0; parts.size() % 2 == 0 && i + 3 < parts.size(); i += 2)
    for (std::size_t k = i + 2; k + 1 < parts.size(); k += 2) {
      const std::vector<Dim> sizes = g.sizesOf(parts[i]);
      const bool areAlike = mayBeOfOneRank(g, parts[i], parts[k]) && mayBeOfOneRank(g, parts[i + 1], parts[k + 1]);
      if (!areAlike || (!sizes.empty() && sizes == g.sizesOf(parts[k]))) continue;
      std::vector<Edit> edits;
      for (const auto& [to, from] :
           {std::pair(i, k), std::pair(i + 1, k + 1), std::pair(k, i), std::pair(k + 1, i + 1)})
        edits.push_back({parts[to], g.text(parts[from])});
      g.guess({argument, {}, nullptr}, "the parts in another order", std::move(edits));
    }
}

}  // namespace

// Exchanges two parts of a tuple that is an argument, or that a statement names for one: `(w1, b1, w2, b2)` for
// `(w1, w2, b1, b2)`.
void partsInOrder(Guesser& g, const Application& at) {
  if (!at.named) return;
  for (const Span given : at.arguments) {
    const Span argument = valueOf(g, given);
    const auto* tuple = g.nodeAt<ast::ExprTuple>(argument);
    if (!tuple || tuple->parts.size() > mostParts) continue;
    std::vector<Span> parts;
    for (const ast::ExprId part : tuple->parts) parts.push_back(g.module[part].span);
    pairsInOrder(g, argument, parts);
    for (std::size_t i = 0; i < tuple->parts.size(); ++i)
      for (std::size_t k = i + 1; k < tuple->parts.size(); ++k) {
        const Span first = parts[i], second = parts[k];
        const std::vector<Dim> sizes = g.sizesOf(first);
        if (sizes.empty() || sizes != g.sizesOf(second))
          g.guess({argument, {}, nullptr}, "the parts in another order",
                  {{first, g.text(second)}, {second, g.text(first)}});
      }
  }
}

// Makes two values of the one that the cell of a `loop` gives: the next state, and what the loop collects.
void cellWithOutput(Guesser& g, const Application& at) {
  if (!at.named || calleeOf(g, at) != "loop" || at.arguments.size() < 2) return;
  const auto* cell = g.nodeAt<ast::ExprFn>(valueOf(g, at.arguments[1]));
  for (const ast::Binding& binding : g.module.bindings)
    if (!cell && g.text(g.module[binding.pattern].span) == g.text(at.arguments[1]))
      cell = std::get_if<ast::ExprFn>(&g.module[binding.value].node);
  const auto* body = cell ? std::get_if<ast::ExprBlock>(&g.module[cell->body].node) : nullptr;
  if (!body || !body->result) return;
  const Span result = g.module[body->result].span;
  const std::string state = g.text(result);
  if (g.nodeAt<ast::ExprTuple>(result)) return;
  const Application shown{result, {}, nullptr};
  g.guess(shown, "the cell gives the next state and an output; without one", {{result, state + ", ()"}});
  if (g.nodeAt<ast::ExprName>(result))
    g.guess(shown, "with each state as the output", {{result, state + ", " + state}});
}

// Puts the weights that nothing uses as a part into a tuple that lacks one, in the order of their declarations:
// `((qw, qb), (kw, kb))` for `((qw, qb))`.
void unusedPart(Guesser& g, const Application& at) {
  std::vector<std::string> names;  // of all weights
  std::vector<std::string> unused;
  for (const ast::Item& item : g.module.items)
    if (const auto* param = std::get_if<ast::Param>(&item)) names.push_back(param->name.text);
  for (const std::string& name : names)
    if (std::ranges::none_of(g.module.exprs, [&](const ast::Expr& e) {
          const auto* used = std::get_if<ast::ExprName>(&e.node);
          return used && used->name == name;
        }))
      unused.push_back(name);
  for (const Span argument : at.arguments) {
    const auto* tuple = g.nodeAt<ast::ExprTuple>(argument);
    if (!tuple || tuple->parts.empty() || unused.empty()) continue;
    const auto orderOf = [&](const std::string& name) { return std::ranges::find(names, name); };
    const Span last = g.module[tuple->parts.back()].span;
    Span place{last.source, last.end, last.end};
    bool isLast = true;
    for (auto part = tuple->parts.rbegin(); part != tuple->parts.rend(); ++part) {
      const Span span = g.module[*part].span;
      const auto* inner = g.nodeAt<ast::ExprTuple>(span);
      if (!inner || inner->parts.size() != unused.size()) return;
      if (orderOf(g.text(g.module[inner->parts[0]].span)) < orderOf(unused[0])) continue;
      place = {span.source, span.begin, span.begin};
      isLast = false;
    }
    std::string part;
    for (const std::string& name : unused) part += (part.empty() ? "" : ", ") + name;
    g.guess({argument, {}, nullptr}, "the weights that nothing uses",
            {{place, isLast ? ", (" + part + ")" : "(" + part + "), "}});
  }
}

}  // namespace axle::guess
