// Guesses of calls that differ from others of the same function: an argument that only they give as it is, a function
// that is applied twice, results in another order.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "frontend/keywords.h"
#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostAlike = 4;  // of one kind

// What applies a function in a call: `pool(` and `)`, or, with weights behind, `down(` and `, w)` for each weight that
// nothing uses.
std::vector<std::string> endsOf(Guesser& g, const Application& made) {
  if (made.arguments.size() == 1) {
    const Span behind{made.span.source, made.arguments[0].end, made.span.end};
    return {g.text(behind)};
  }
  if (made.arguments.size() != 2 || !g.paramAt(made.arguments[1]) || !made.named->empty()) return {};
  std::vector<std::string> ends;
  for (const ast::Param* param : g.unusedParams()) ends.push_back(fmt::format(", {})", param->name.text));
  if (ends.size() > mostAlike) ends.clear();
  return ends;
}

// Whether a call gives a value of the sizes that its first argument has, as far as they are known.
bool keepsSizes(Guesser& g, const Application& call) {
  const std::vector<Dim> sizes = g.sizesOf(call.span);
  return !sizes.empty() && sizes == g.sizesOf(call.arguments[0]);
}

}  // namespace

// Declares a weight of one layer as another layer does whose other weights are declared alike: `l2.wv : f32 [64, 16]`
// beside `l3.wv`.
void declaredAsSiblings(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  constexpr std::size_t leastAlike = 2;
  using Layer = std::map<std::string, const ast::Param*>;  // by the last part of the name
  std::map<std::string, Layer> layers;
  for (const ast::Item& item : g.module.items)
    if (const auto* param = std::get_if<ast::Param>(&item)) {
      const std::string group = groupOf(param->name.text);
      layers[group][param->name.text.substr(group.size())] = param;
    }
  const auto typeOf = [&](const ast::Param* param) {
    return param->type ? g.text(g.module[param->type].span) : std::string();
  };
  // The only weight of a layer that another layer has with another type.
  const auto oddOne = [&](const Layer& layer, const Layer& other) -> const ast::Param* {
    const ast::Param* odd = nullptr;
    std::size_t alike = 0;
    for (const auto& [name, param] : layer) {
      const auto same = other.find(name);
      const bool isOpen = same != other.end() && !param->type != !same->second->type;  // in one of both: tells nothing
      const bool isAlike = same == other.end() || isOpen || typeOf(param) == typeOf(same->second);
      if (!isAlike && odd) return nullptr;
      if (!isAlike) odd = param;
      alike += isAlike && !isOpen && same != other.end();
    }
    return alike >= leastAlike ? odd : nullptr;
  };
  std::size_t found = 0;
  for (const auto& [group, layer] : layers)
    for (const auto& [otherGroup, other] : layers) {
      if (group.empty() || group == otherGroup || withoutNumbers(group) != withoutNumbers(otherGroup)) continue;
      const ast::Param* odd = oddOne(layer, other);
      if (!odd || ++found > mostAlike) continue;
      const ast::Param* as = other.at(odd->name.text.substr(group.size()));
      g.found.push_back({fmt::format("declare it as `{}`: `{} : {}`", as->name.text, odd->name.text, typeOf(as)),
                         {{g.module[odd->type].span, typeOf(as)}},
                         false,
                         true});
    }
}

// Applies a function to the argument of a call as others of the called function do: `block(pool(x))` for `block(x)`.
void madeAsSiblings(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<Application>& calls = g.calls();
  std::size_t found = 0;
  for (const Application& call : calls) {
    if (found == mostAlike) return;
    if (call.arguments.empty() || parametersOf(g, calleeOf(g, call)).empty()) continue;
    if (std::ranges::find(calls, call.arguments[0], &Application::span) != calls.end()) continue;
    std::set<std::string> made;
    for (const Application& other : calls) {
      if (other.span == call.span || calleeOf(g, other) != calleeOf(g, call) || other.arguments.empty()) continue;
      const auto argument = std::ranges::find(calls, other.arguments[0], &Application::span);
      if (argument == calls.end() || calleeOf(g, *argument) == calleeOf(g, call)) continue;
      if (g.rankOf(argument->span) != g.rankOf(call.arguments[0])) continue;
      if (g.diagnostic.code == &codes::dimMismatch && keepsSizes(g, *argument)) continue;
      for (const std::string& end : endsOf(g, *argument))
        if (made.insert(calleeOf(g, *argument) + end).second && ++found <= mostAlike)
          g.wrap(call, call.arguments[0], fmt::format("apply `{}`, as in the other calls, to", calleeOf(g, *argument)),
                 calleeOf(g, *argument) + "(", end);
    }
  }
}

namespace {

// What a call gives behind its first argument, where weights of a layer are among that, without the numbers of layers.
std::string formOfWeights(const Guesser& g, const Application& call) {
  if (call.arguments.size() < 2 || !call.named->empty()) return {};
  const std::string text = g.text({call.span.source, call.arguments[0].end, call.span.end});
  const std::string form = withoutNumbers(text);
  const bool hasLayer = std::ranges::any_of(call.arguments, [&](Span argument) {
    return g.paramAt(argument) && layerForm(g.text(argument)) != g.text(argument);
  });
  return hasLayer ? form : std::string();
}

}  // namespace

// Calls the function that is called with the weights of other layers: `smaller(y, down2.w, down2.b)` for
// `same(y, down2.w, down2.b)` beside `smaller(x, down1.w, down1.b)`.
void calledAsSiblings(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::map<std::string, std::map<std::string, std::vector<Application>>> calls;  // by their weights and their functions
  for (const Application& call : g.calls())
    if (const std::string form = formOfWeights(g, call); !form.empty()) calls[form][calleeOf(g, call)].push_back(call);
  std::size_t found = 0;
  for (const auto& [form, functions] : calls)
    for (const auto& [callee, own] : functions)
      for (const auto& [other, others] : functions) {
        if (functions.size() != 2 || callee == other || own.size() != 1 || ++found > mostAlike) continue;
        const Application& call = own[0];
        const Span name{call.span.source, call.span.begin, call.span.begin + static_cast<std::uint32_t>(callee.size())};
        g.guess(call, fmt::format("call `{}`, as with the weights of other layers", other), {{name, other}});
        g.found.back().isSure = others.size() > 1;
      }
}

// Applies a function to an argument as the function around does to another value of the same sizes, or, to an
// operand, of as many axes, if it is a function of the program: `matmul(p, share(v))` for `matmul(p, v)`, where
// `share(k)` is written.
void madeAsNeighbour(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<Application>& calls = g.calls();
  std::size_t found = 0;
  for (const Span argument : at.arguments) {
    if (!g.nodeAt<ast::ExprName>(argument)) continue;
    for (const Application& made : calls) {
      if (made.arguments.size() != 1 || made.span == at.span || !g.nodeAt<ast::ExprName>(made.arguments[0])) continue;
      if (g.functionAround(made.span) != g.functionAround(at.span) || isWithin(argument, made.span)) continue;
      const bool isOwn = !at.named && !parametersOf(g, calleeOf(g, made)).empty();
      const bool isAlike = isOwn ? g.rankOf(made.arguments[0]).value_or(0) == g.rankOf(argument)
                                 : g.sizesOf(made.arguments[0]) == g.sizesOf(argument);
      const bool isLike = g.text(made.arguments[0]) != g.text(argument) && g.rankOf(argument) && isAlike;
      if (!isLike || ++found > mostAlike) continue;
      g.wrap(at, argument, fmt::format("apply `{}` to {{}}, as to `{}`", calleeOf(g, made), g.text(made.arguments[0])),
             calleeOf(g, made) + "(", g.text({made.span.source, made.arguments[0].end, made.span.end}));
    }
  }
}

// Applies a function to an argument as the same call does to its neighbour: `f(grow(a), grow(b))` for `f(a, grow(b))`.
void madeAsBesideInCall(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.markedCalls()) {
    if (parametersOf(g, calleeOf(g, call)).empty()) continue;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const auto made = std::ranges::find(g.calls(), call.arguments[i], &Application::span);
      if (made == g.calls().end() || made->arguments.size() != 1 || !g.nodeAt<ast::ExprName>(made->arguments[0]))
        continue;
      for (const std::size_t k : {i - 1, i + 1}) {
        const bool isName = k < call.arguments.size() && g.nodeAt<ast::ExprName>(call.arguments[k]);
        if (!isName || g.rankOf(call.arguments[k]) != g.rankOf(made->arguments[0]) || ++found > mostAlike) continue;
        g.wrap(call, call.arguments[k],
               fmt::format("apply `{}` to {{}}, as to `{}`", calleeOf(g, *made), g.text(made->arguments[0])),
               calleeOf(g, *made) + "(", g.text({made->span.source, made->arguments[0].end, made->span.end}));
      }
    }
  }
}

namespace {

// A function of the program, and the call that is its result.
struct Resulting {
  std::string name;
  Application result;
};

std::vector<Resulting> functionsWithCalls(const Guesser& g) {
  std::vector<Resulting> all;
  for (const ast::Binding& binding : g.module.bindings) {
    const auto* function = std::get_if<ast::ExprFn>(&g.module[binding.value].node);
    const auto* body = function ? std::get_if<ast::ExprBlock>(&g.module[function->body].node) : nullptr;
    if (!body || !body->result) continue;
    const auto call = std::ranges::find(g.calls(), g.module[body->result].span, &Application::span);
    if (call != g.calls().end()) all.push_back({g.text(g.module[binding.pattern].span), *call});
  }
  return all;
}

// Whether two calls have an argument in common.
bool shareArgument(const Guesser& g, const Application& one, const Application& other) {
  for (std::size_t i = 0; i < std::min(one.arguments.size(), other.arguments.size()); ++i)
    if (g.text(one.arguments[i]) == g.text(other.arguments[i])) return true;
  return false;
}

}  // namespace

// Applies a function of the program to the result of a function as another one does whose result is made alike:
// `join(matmul(p, split(v)))` for `matmul(p, split(v))`.
void resultAsInOther(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<Resulting> all = functionsWithCalls(g);
  std::size_t found = 0;
  for (const Application& call : g.callsComputing()) {
    const auto own = std::ranges::find(all, call.span, [](const Resulting& each) { return each.result.span; });
    if (own == all.end()) continue;
    for (const Resulting& other : all) {
      const Application& outer = other.result;
      if (outer.arguments.size() != 1 || parametersOf(g, calleeOf(g, outer)).empty()) continue;
      const auto inner = std::ranges::find(g.calls(), outer.arguments[0], &Application::span);
      if (inner == g.calls().end() || calleeOf(g, *inner) != calleeOf(g, call) || !shareArgument(g, *inner, call))
        continue;
      if (++found > mostAlike) return;
      g.guess(call, fmt::format("apply `{}` to the result, as `{}` does", calleeOf(g, outer), other.name),
              {{{call.span.source, call.span.begin, call.span.begin}, calleeOf(g, outer) + "("},
               {{call.span.source, call.span.end, call.span.end},
                g.text({outer.span.source, inner->span.end, outer.span.end})}});
      g.found.back().isSure = true;
    }
  }
}

namespace {

// A statement that binds one name to a call.
struct Made {
  Span pattern;
  Application call;
  std::string callee;
  std::optional<Application> inner;  // the call that is its first argument
};

std::vector<Made> madeIn(const Guesser& g, const ast::ExprFn* function) {
  auto callAt = [&](Span span) -> std::optional<Application> {
    const auto call = std::ranges::find(g.calls(), span, &Application::span);
    return call == g.calls().end() ? std::nullopt : std::optional(*call);
  };
  std::vector<Made> all;
  for (const ast::Binding& binding : g.module.bindings) {
    const Span pattern = g.module[binding.pattern].span;
    const auto call = g.functionAround(pattern) == function ? callAt(g.module[binding.value].span) : std::nullopt;
    if (!call) continue;
    const auto inner = call->arguments.empty() ? std::nullopt : callAt(call->arguments[0]);
    all.push_back({pattern, *call, calleeOf(g, *call), inner});
  }
  return all;
}

// A text that names weights of one group, with those of each group that nothing uses in their places: `, e2.w, e2.g)`
// for `, e1.w, e1.g)`. The text as it is where there is no such group.
std::vector<std::string> withUnusedGroup(Guesser& g, const std::string& text) {
  std::set<std::string> groups, last;  // of the weights that it names
  for (const ast::Item& item : g.module.items)
    if (const auto* param = std::get_if<ast::Param>(&item); param && containsName(text, param->name.text)) {
      groups.insert(groupOf(param->name.text));
      last.insert(lastNameOf(param->name.text));
    }
  std::map<std::string, std::set<std::string>> unused;
  for (const ast::Param* param : g.unusedParams())
    unused[groupOf(param->name.text)].insert(lastNameOf(param->name.text));
  std::vector<std::string> texts;
  for (const auto& [group, names] : unused) {
    if (groups.size() != 1 || group.empty() || !std::ranges::includes(names, last)) continue;
    std::string other = text;
    const std::string& own = *groups.begin();
    for (std::size_t i = 0; (i = other.find(own, i)) != other.npos; i += group.size())
      other.replace(i, own.size(), group);
    texts.push_back(std::move(other));
  }
  if (texts.empty()) texts.push_back(text);
  return texts;
}

}  // namespace

// Applies a function to what a statement binds, as another statement of the function does to a value of the same
// making: `v = heads(nn.dense(x, wv))` for `v = nn.dense(x, wv)` beside `k = heads(nn.dense(x, wk))`.
void madeAsBeside(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::ExprFn* function : markedFunctions(g)) {
    const std::vector<Made> all = madeIn(g, function);
    for (const Made& odd : all) {
      std::map<std::string, std::size_t> made;  // how often a function, with what stands behind its first argument
      for (const Made& other : all) {
        if (!other.inner || calleeOf(g, *other.inner) != odd.callee) continue;
        ++made[other.callee + "(" + g.text({odd.call.span.source, other.inner->span.end, other.call.span.end})];
      }
      for (const auto& [text, times] : made) {
        const std::size_t open = text.find('(');
        for (const std::string& behind : withUnusedGroup(g, text.substr(open + 1))) {
          if (++found > mostAlike) return;
          g.wrap({odd.call.span, {}, nullptr}, odd.call.span,
                 fmt::format("apply `{}`, as beside it, to", text.substr(0, open)), text.substr(0, open + 1), behind);
          g.found.back().isSure = times > 1;
        }
      }
    }
  }
}

namespace {

// Whether an expression is a name that its function uses nowhere else.
bool isUsedOnce(const Guesser& g, Span expression) {
  const ast::ExprFn* around = g.functionAround(expression);
  return around && g.nodeAt<ast::ExprName>(expression) &&
         usesOf(g, g.text(expression), g.module[around->body].span) == 1;
}

}  // namespace

// Leaves out one of two applications of a function, one to the other's result, with the same other arguments: `pool(x)`
// for `pool(pool(x))`, `y` for `pool(y)` of `y = pool(x)`. Where the error marks them, they are hardly meant.
void appliedOnce(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<Application> calls = g.callsNearestFirst();
  auto behindFirst = [&](const Application& call) {
    return g.text({call.span.source, call.arguments[0].end, call.span.end});
  };
  const std::vector<Span> marks = g.marks();
  auto isMarked = [&](const Application& call) {
    return std::ranges::any_of(marks, [&](Span place) { return place == call.span || place == call.arguments[0]; });
  };
  const bool mayBeOnce = g.diagnostic.code != &codes::factRefuted;  // of a small image, other pools may be wrong
  std::size_t found = 0;
  for (const bool areMarked : {true, false})
    for (const Application& outer : calls) {
      if (outer.arguments.empty() || isMarked(outer) != areMarked) continue;
      const Span argument = outer.arguments[0];
      auto inner = std::ranges::find(calls, argument, &Application::span);
      // Of operators and layers, several in statements one after another are often meant.
      const std::string callee = calleeOf(g, outer);
      const bool isOwn = callee.find('.') == std::string::npos && !g.checked.operators.find(callee);
      if (inner == calls.end() && (isOwn || (mayBeOnce && isUsedOnce(g, argument))))
        inner = std::ranges::find(calls, valueOf(g, argument), &Application::span);
      if (inner == calls.end() || inner->arguments.empty() || calleeOf(g, *inner) != callee) continue;
      // Two axes of size 1 are often meant.
      const bool isMeant = callee == "expand" && !g.text(inner->arguments[0]).starts_with("expand(");
      if (behindFirst(*inner) != behindFirst(outer)) continue;
      const bool areInStatements = !isOwn && !isWithin(inner->span, outer.span);
      const std::vector<Dim> sizes = g.sizesOf(outer.span);
      if (areInStatements && !sizes.empty() && sizes == g.sizesOf(argument)) continue;
      if (++found > mostAlike) continue;
      g.found.push_back(
          {fmt::format("apply `{}` once: `{}`", callee, g.text(argument)), {{outer.span, g.text(argument)}}});
      g.found.back().isSure = areInStatements;
      g.found.back().isFallback = isMeant;
    }
}

namespace {

// What a call gives behind its first argument: the texts of the other arguments, and of the static ones by name.
struct BehindFirst {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> statics;
  bool operator==(const BehindFirst&) const = default;
};

BehindFirst behindFirstOf(const Guesser& g, const Application& call) {
  BehindFirst given;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) given.arguments.push_back(g.text(call.arguments[i]));
  for (const ast::NamedArgument& named : *call.named)
    given.statics[named.name.text] = g.text(g.module[named.value].span);
  return given;
}

// The same of a call inside of a function, for one call of that: with its arguments for the parameters. Static
// parameters that the call leaves to their defaults are left out.
BehindFirst behindFirstInside(const Guesser& g, const Application& inner, const ast::ExprFn& function,
                              const Application& call) {
  BehindFirst given = behindFirstOf(g, inner);
  for (std::string& argument : given.arguments)
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      if (argument == function.parameters[i].name.text) {
        argument = g.text(call.arguments[i]);
        break;
      }
  for (const ast::StaticParameter& parameter : function.statics) {
    const ast::NamedArgument* own = namedOf(call, parameter.name.text);
    for (auto& [name, value] : given.statics)
      if (value == parameter.name.text) value = own ? g.text(g.module[own->value].span) : std::string();
  }
  std::erase_if(given.statics, [](const auto& each) { return each.second.empty(); });
  return given;
}

}  // namespace

// Leaves out what a call gives an argument to first, where the called function gives its parameter to it itself, with
// the same other arguments: `up(x, skip, w)` for `up(enlarged(x, w), skip, w)` of
// `up = fn (x, skip, w) { concat(enlarged(x, w), skip) }`.
void appliedInside(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<Application> calls = g.calls();
  const Modules& modules = g.checked.modules;
  for (const Application& call : g.markedCalls()) {
    const auto called = functionNamed(modules, modules.modules.size() - 1, calleeOf(g, call));
    if (!called || called->module != &g.module || called->function->parameters.size() != call.arguments.size())
      continue;
    const Span body = g.module[called->function->body].span;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const auto made = std::ranges::find(calls, call.arguments[i], &Application::span);
      if (made == calls.end() || made->arguments.empty()) continue;
      const bool isInside = std::ranges::any_of(calls, [&](const Application& inner) {
        return isWithin(inner.span, body) && !inner.arguments.empty() && calleeOf(g, inner) == calleeOf(g, *made) &&
               g.text(inner.arguments[0]) == called->function->parameters[i].name.text &&
               behindFirstInside(g, inner, *called->function, call) == behindFirstOf(g, *made);
      });
      if (isInside)
        g.guess(call, fmt::format("`{}` has `{}` already", calleeOf(g, call), calleeOf(g, *made)),
                {{made->span, g.text(made->arguments[0])}});
    }
  }
}

// Exchanges two results of a function of the program.
void resultsInOrder(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    const auto* body = function ? std::get_if<ast::ExprBlock>(&g.module[function->body].node) : nullptr;
    if (!body || !body->result) continue;
    const Span result = g.module[body->result].span;
    const ast::ExprTuple* tuple = g.nodeAt<ast::ExprTuple>(result);
    if (!tuple) {
      const auto* group = g.nodeAt<ast::ExprGroup>(result);
      tuple = group ? g.nodeAt<ast::ExprTuple>(g.module[group->inner].span) : nullptr;
    }
    for (std::size_t i = 0; tuple && i < tuple->parts.size(); ++i)
      for (std::size_t k = i + 1; k < tuple->parts.size(); ++k) {
        const Span first = g.module[tuple->parts[i]].span, second = g.module[tuple->parts[k]].span;
        if (g.rankOf(first) != g.rankOf(second) || ++found > mostAlike) continue;
        g.guess({result, {}, nullptr}, "the results in another order",
                {{first, g.text(second)}, {second, g.text(first)}});
      }
  }
}

}  // namespace axle::guess
