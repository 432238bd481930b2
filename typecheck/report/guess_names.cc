// Guesses of names: another value that the function has, values in another order, what was made of the other arguments.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "typecheck/infer/calls.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guess_titles.h"
#include "typecheck/report/guesses.h"
#include "typecheck/report/size_difference.h"

namespace axle {

namespace guess {

namespace {

bool isName(const Guesser& g, Span expression) {
  return std::ranges::any_of(g.module.exprs, [&](const ast::Expr& e) {
    return e.span == expression && std::holds_alternative<ast::ExprName>(e.node);
  });
}

bool isOfElements(const DiagnosticCode* code) { return code == &codes::elemMismatch || code == &codes::elemClass; }

// A name that a function binds, and where.
struct Bound {
  std::string name;
  Span span;
};

// The names that the function around a place has bound before it, the last one first.
std::vector<Bound> boundBefore(const Guesser& g, Span place) {
  std::vector<Bound> bound;
  const ast::ExprFn* around = g.functionAround(place);
  if (!around) return bound;
  for (const ast::Parameter& parameter : around->parameters) bound.push_back({parameter.name.text, parameter.span});
  const Span body = g.module[around->body].span;
  std::vector<Span> unfinished;  // the statements around the place
  for (const ast::Binding& binding : g.module.bindings)
    if (isWithin(place, binding.span)) unfinished.push_back(g.module[binding.pattern].span);
  for (const ast::Pattern& pattern : g.module.patterns) {
    const auto* name = std::get_if<ast::PatternName>(&pattern.node);
    const bool isBefore = name && isWithin(pattern.span, body) && pattern.span.begin < place.begin;
    if (!isBefore || g.functionAround(pattern.span) != around) continue;
    if (std::ranges::none_of(unfinished, [&](Span statement) { return isWithin(pattern.span, statement); }))
      bound.push_back({name->name, pattern.span});
  }
  std::ranges::stable_sort(bound, std::greater(), [](const Bound& b) { return b.span.begin; });
  return bound;
}

// Whether a value has one of the two sizes of the error wherever a given one has the other.
bool fitsBetter(Guesser& g, const std::vector<Dim>& given, Span other) {
  const std::vector<std::int64_t> numbers = g.numbers();
  const std::vector<Dim> sizes = g.sizesBoundAt(other);
  DimStore& dims = g.checked.solution.dims;
  if (numbers.size() != 2 || sizes.size() != given.size()) return false;
  return std::ranges::any_of(std::initializer_list<std::size_t>{0, 1}, [&](std::size_t wrong) {
    bool differ = false;
    for (std::size_t axis = 0; axis < given.size(); ++axis) {
      if (given[axis] != dims.constant(numbers[wrong])) continue;
      if (sizes[axis] != dims.constant(numbers[1 - wrong])) return false;
      differ = true;
    }
    return differ;
  });
}

// Whether two names differ in one letter: `s1` and `s2`.
bool areNear(const std::string& one, const std::string& other) {
  if (one.size() != other.size()) return false;
  std::size_t differ = 0;
  for (std::size_t i = 0; i < one.size(); ++i) differ += one[i] != other[i];
  return differ == 1;
}

// The innermost call or operator that a place is part of; the place itself where there is none.
Application applicationAround(const Guesser& g, Span place) {
  std::optional<Span> innermost;
  for (const ast::Expr& e : g.module.exprs) {
    const bool isApplication =
        std::holds_alternative<ast::ExprCall>(e.node) || std::holds_alternative<ast::ExprBinary>(e.node);
    if (isApplication && isWithin(place, e.span) && (!innermost || isWithin(e.span, *innermost))) innermost = e.span;
  }
  return {innermost.value_or(place), {}, nullptr};
}

// Whether another value may be right where one is given: of sizes, it has others, of elements, another type of them.
bool differsInWhatFails(Guesser& g, const Bound* given, const Bound& other) {
  const std::vector<Dim> sizes = given ? g.sizesBoundAt(given->span) : std::vector<Dim>();
  const std::vector<Dim> otherSizes = g.sizesBoundAt(other.span);
  if (isOfElements(g.diagnostic.code)) {
    const auto elem = given ? g.elemBoundAt(given->span) : std::nullopt;
    return !elem || elem != g.elemBoundAt(other.span);
  }
  // A mask may have fewer axes than what it selects of.
  const auto* failing = g.nodeAt<ast::ExprCall>(std::get<Span>(g.diagnostic.primary.place));
  const bool isOfMask = failing && g.text(g.module[failing->callee].span) == "select";
  const bool isOtherRank = sizes.size() != otherSizes.size() && g.diagnostic.code == &codes::dimMismatch && !isOfMask;
  return sizes.empty() || otherSizes.empty() || (!isOtherRank && sizes != otherSizes);
}

bool isFunction(const Guesser& g, Span name) {
  return std::ranges::any_of(g.module.bindings, [&](const ast::Binding& binding) {
    return g.module[binding.pattern].span == name && std::holds_alternative<ast::ExprFn>(g.module[binding.value].node);
  });
}

}  // namespace

}  // namespace guess

std::vector<Span> unusedBindings(const Guesser& g, Span place) {
  std::vector<Span> spans;
  const ast::ExprFn* around = g.functionAround(place);
  if (!around) return spans;
  const Span body = g.module[around->body].span;
  const Span end{body.source, body.end - 1, body.end - 1};
  const std::vector<std::string> unused = unusedNames(g, end);
  // What a function takes that nothing calls is for others to say.
  const bool isCalled = std::ranges::any_of(g.module.bindings, [&](const ast::Binding& binding) {
    return std::get_if<ast::ExprFn>(&g.module[binding.value].node) == around &&
           usesOf(g, g.text(g.module[binding.pattern].span), {body.source, 0, UINT32_MAX}) > 0;
  });
  for (const guess::Bound& bound : guess::boundBefore(g, end))
    if ((isCalled || isWithin(bound.span, body)) && std::ranges::find(unused, bound.name) != unused.end() &&
        usesOf(g, bound.name, body) == 0)
      spans.push_back(bound.span);
  return spans;
}

namespace guess {

// Gives a value of the function whose name has another number: `y11` for `y21`, which the function uses elsewhere, too;
// one that has the size which is needed first.
void nearValue(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  const bool isApplied = at.named || at.arguments.size() == 2;
  const ast::ExprFn* around = isApplied && !at.isOrigin ? g.functionAround(at.span) : nullptr;
  if (!around) return;
  const std::vector<Bound> bound = boundBefore(g, at.span);
  for (const Span argument : at.arguments) {
    const std::string name = g.text(argument);
    const bool isBound = isName(g, argument) && std::ranges::find(bound, name, &Bound::name) != bound.end();
    if (!isBound || usesOf(g, name, g.module[around->body].span) < 2) continue;
    const std::vector<Dim> sizes = g.sizesOf(argument);
    std::vector<Bound> near;
    for (const Bound& other : bound) {
      const std::vector<Dim> otherSizes = g.sizesBoundAt(other.span);
      const bool areKnown = !sizes.empty() && !otherSizes.empty();
      const bool isAlike = !areKnown || (otherSizes.size() == sizes.size() && otherSizes != sizes);
      const bool isGiven = std::ranges::any_of(at.arguments, [&](Span given) { return g.text(given) == other.name; });
      const bool isNear = areNear(name, other.name) && withoutNumbers(name) == withoutNumbers(other.name);
      if (isNear && isAlike && !isGiven) near.push_back(other);
    }
    std::ranges::stable_partition(near, [&](const Bound& other) { return fitsBetter(g, sizes, other.span); });
    near.resize(std::min(near.size(), most));
    for (const Bound& other : near)
      g.guess(at, fmt::format("use `{}` instead of `{}`", other.name, name), {{argument, other.name}});
  }
}

// Gives a value that its function does not use in the place of one that the function uses twice, or of the name that
// the diagnostic marks: names that differ in one letter first. What is made of the very value that has the wrong
// elements, as `x = cast(image)` of `image`, is meant in its place.
void unusedValue(Guesser& g, const Application& at) {
  constexpr std::size_t most = 6, mostUnused = 3;
  if (!isFailing(g, at)) return;
  struct Use {
    Span place;
    Bound instead;
    std::string name;
    bool isWeight = false;
  };
  std::vector<Use> uses;
  const std::vector<Application> marked = g.markedCalls();
  auto isArgument = [&](Span place) {
    return std::ranges::any_of(marked, [&](const Application& call) {
      return !call.arguments.empty() && call.arguments[0] == place && !parametersOf(g, calleeOf(g, call)).empty();
    });
  };
  for (const ast::ExprFn* around : markedFunctions(g)) {
    const Span body = g.module[around->body].span;
    const Span end{body.source, body.end - 1, body.end - 1};
    std::vector<Bound> bound = boundBefore(g, end);
    const std::vector<std::string> unused = unusedNames(g, end);
    if (unused.empty() || unused.size() > mostUnused) continue;
    for (const Bound& other : bound) {
      if (std::ranges::find(unused, other.name) == unused.end() || isFunction(g, other.span)) continue;
      for (const ast::Expr& e : g.module.exprs) {
        const auto* used = std::get_if<ast::ExprName>(&e.node);
        const bool isBehind = isWithin(e.span, body) && (!isWithin(other.span, body) || other.span.end <= e.span.begin);
        if (!used || !isBehind || g.functionAround(e.span) != around) continue;
        const auto own = std::ranges::find(bound, used->name, &Bound::name);
        const bool isMarked = e.span == at.span;
        const bool isGiven = isMarked || std::ranges::find(at.arguments, e.span) != at.arguments.end();
        const bool isOtherwiseUsed = usesOf(g, used->name, {body.source, 0, UINT32_MAX}) > 2;  // with its declaration
        const bool mayBeWrong = own != bound.end()
                                    ? isMarked || (usesOf(g, used->name, body) > 1 && !isFunction(g, own->span))
                                : g.paramAt(e.span) ? isOtherwiseUsed && isArgument(e.span)
                                                    : isGiven;     // a function, a size
        const bool isOfCall = g.diagnostic.code == &codes::arity;  // then only what it marks
        if (!mayBeWrong || (isOfCall && !isMarked)) continue;
        if (differsInWhatFails(g, own == bound.end() ? nullptr : &*own, other))
          uses.push_back({e.span, other, used->name, own == bound.end() && g.paramAt(e.span)});
      }
    }
  }
  // What is given to the calls that lead to the failure, then the rest.
  std::ranges::stable_partition(uses, [&](const Use& use) {
    return std::ranges::any_of(marked, [&](const Application& call) {
      return std::ranges::find(call.arguments, use.place) != call.arguments.end();
    });
  });
  std::ranges::stable_partition(uses,
                                [&](const Use& use) { return use.isWeight || areNear(use.name, use.instead.name); });
  uses.resize(std::min(uses.size(), most));
  for (const Use& use : uses) {
    g.guess(applicationAround(g, use.place), insteadUnused(use.instead.name, use.name),
            {{use.place, use.instead.name}});
    g.found.back().isSure = isOfElements(g.diagnostic.code) && usesOf(g, use.name, valueOf(g, use.instead.span)) > 0;
  }
}

// Whether a sum would add what is made of a parameter twice, and no longer the parameter: `y + f(y)` for `x + f(y)` of
// `y = g(x)`. That has no residual any more.
bool losesResidual(const Guesser& g, const Application& at, const ast::ExprFn& around, const Bound& own,
                   const Bound& other) {
  const auto* sum = g.nodeAt<ast::ExprBinary>(at.span);
  const bool isParameter = std::ranges::any_of(
      around.parameters, [&](const ast::Parameter& parameter) { return parameter.name.text == own.name; });
  return sum && sum->op == ast::Operator::add && isParameter && usesOf(g, own.name, valueOf(g, other.span)) > 0;
}

// Gives another value of the function, of the same rank, in the place of an argument that the function uses elsewhere,
// too: one of the same tuple first.
void otherValue(Guesser& g, const Application& at) {
  constexpr std::size_t most = 6;
  const bool isApplied = at.named || at.arguments.size() == 2;
  const ast::ExprFn* around = isApplied ? g.functionAround(at.span) : nullptr;
  if (!around) return;
  std::set<std::string> given;
  for (const Span argument : at.arguments) given.insert(g.text(argument));
  const std::vector<Bound> bound = boundBefore(g, at.span);
  for (const Span argument : at.arguments) {
    const auto own = std::ranges::find(bound, g.text(argument), &Bound::name);
    if (own == bound.end() || !isName(g, argument) || usesOf(g, own->name, g.module[around->body].span) < 2) continue;
    const std::vector<Dim> sizes = g.sizesOf(argument);
    std::vector<Bound> others;
    for (const Bound& other : bound) {
      const std::vector<Dim> otherSizes = g.sizesBoundAt(other.span);
      const bool mayFit = !given.count(other.name) && otherSizes.size() == sizes.size() && otherSizes != sizes;
      if (mayFit && !losesResidual(g, at, *around, *own, other)) others.push_back(other);
    }
    auto isOfTuple = [&](const Bound& other) {
      return std::ranges::any_of(g.module.patterns, [&](const ast::Pattern& pattern) {
        return std::holds_alternative<ast::PatternTuple>(pattern.node) && isWithin(other.span, pattern.span) &&
               isWithin(own->span, pattern.span);
      });
    };
    std::ranges::stable_partition(others, isOfTuple);
    std::ranges::stable_partition(others, [&](const Bound& other) { return fitsBetter(g, sizes, other.span); });
    if (at.isOrigin) std::erase_if(others, [&](const Bound& other) { return !fitsBetter(g, sizes, other.span); });
    others.resize(std::min(others.size(), most));
    for (const Bound& other : others)
      g.guess(at, fmt::format("use `{}` instead of `{}`", other.name, own->name), {{argument, other.name}});
  }
}

// Joins one more value of the function, which has as much along the axis as is missing: `concat(a, b, c)` for
// `concat(a, b)`.
void joinedMore(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  const std::vector<std::int64_t> numbers = g.numbers();
  if (at.isOrigin || numbers.size() != 2 || numbers[0] == numbers[1]) return;
  DimStore& dims = g.checked.solution.dims;
  const Dim missing = dims.constant(std::max(numbers[0], numbers[1]) - std::min(numbers[0], numbers[1]));
  for (const Application& call : g.calls()) {
    if (calleeOf(g, call) != "concat" || call.arguments.empty() || !isWithin(call.span, at.span)) continue;
    const std::vector<Dim> sizes = g.sizesOf(call.arguments[0]);
    const Span last = call.arguments.back();
    std::size_t found = 0;
    for (const Bound& other : boundBefore(g, call.span)) {
      const std::vector<Dim> otherSizes = g.sizesBoundAt(other.span);
      const bool fits = sizes.size() > 1 && otherSizes.size() == sizes.size() && otherSizes.back() == missing &&
                        std::equal(sizes.begin(), sizes.end() - 1, otherSizes.begin());
      const bool isGiven = std::ranges::any_of(call.arguments, [&](Span given) { return g.text(given) == other.name; });
      if (fits && !isGiven && ++found <= most)
        g.guess(call, fmt::format("join `{}`, too", other.name),
                {{{last.source, last.end, last.end}, ", " + other.name}});
    }
  }
}

// Exchanges two names of a tuple's parts.
void otherOrder(Guesser& g, const Application& at) {
  constexpr std::size_t mostParts = 4;
  const ast::ExprFn* around = g.functionAround(at.span);
  if (!around) return;
  for (const ast::Pattern& pattern : g.module.patterns) {
    const auto* tuple = std::get_if<ast::PatternTuple>(&pattern.node);
    if (!tuple || tuple->parts.size() > mostParts || pattern.span.begin >= at.span.begin) continue;
    if (g.functionAround(pattern.span) != around) continue;
    for (std::size_t i = 0; i < tuple->parts.size(); ++i)
      for (std::size_t k = i + 1; k < tuple->parts.size(); ++k) {
        const Span first = g.module[tuple->parts[i]].span, second = g.module[tuple->parts[k]].span;
        const std::vector<Dim> sizes = g.sizesBoundAt(first);
        if (!sizes.empty() && sizes == g.sizesBoundAt(second)) continue;
        g.guess({pattern.span, {}, nullptr}, "the parts in another order",
                {{first, g.text(second)}, {second, g.text(first)}});
      }
  }
}

// Exchanges arguments of two calls of one function: `f(f(x, w1), w2)` for `f(f(x, w2), w1)`.
void exchangedBetweenCalls(Guesser& g, const Application& at) {
  if (!at.named || at.isOrigin) return;
  const SizeDifference difference = sizeDifference(g);
  const bool areMultiples = difference.isOfNames && difference.factor > 1;  // which no weight makes
  for (const Application& other : g.calls()) {
    if (other.span == at.span || calleeOf(g, other) != calleeOf(g, at)) continue;
    if (g.functionAround(other.span) != g.functionAround(at.span)) continue;
    for (std::size_t i = 0; i < std::min(at.arguments.size(), other.arguments.size()); ++i) {
      const Span mine = at.arguments[i], its = other.arguments[i];
      if (!isName(g, mine) || !isName(g, its) || g.text(mine) == g.text(its)) continue;
      if (areMultiples && g.paramAt(mine) && g.paramAt(its)) continue;
      if (g.rankOf(mine) && g.rankOf(its) && g.sizesOf(mine) == g.sizesOf(its)) continue;
      // Each must be there where the other one is now.
      const Span first = mine.begin < its.begin ? mine : its, second = mine.begin < its.begin ? its : mine;
      const std::vector<Bound> bound = boundBefore(g, first);
      if (!g.paramAt(second) && std::ranges::find(bound, g.text(second), &Bound::name) == bound.end()) continue;
      std::vector<Edit> edits{{mine, g.text(its)}, {its, g.text(mine)}};
      std::ranges::sort(edits, {}, [](const Edit& edit) { return edit.span.begin; });
      const std::string title = fmt::format("exchange `{}` and `{}`", edits[1].text, edits[0].text);
      const bool areNested = isWithin(at.span, other.span) || isWithin(other.span, at.span);
      if (areNested)
        g.guess(isWithin(at.span, other.span) ? other : at, title, std::move(edits));
      else
        g.found.push_back({title + fmt::format(" in these calls of `{}`", calleeOf(g, at)), std::move(edits)});
      // What two calls compute is seldom meant for the other one: that of weights is mostly a mistake of the order.
      g.found.back().isFallback = !areNested && !(g.paramAt(mine) && g.paramAt(its));
    }
  }
}

// Makes of arguments what a function makes of another one: `attend(heads(q), heads(k))` for `attend(heads(q), k)`.
void madeAlike(Guesser& g, const Application& at) {
  if (!at.named) return;
  const std::vector<Application>& calls = g.calls();
  for (const Span alike : at.arguments) {
    const auto call = std::ranges::find(calls, alike, &Application::span);
    if (call == calls.end() || call->arguments.size() != 1 || parametersOf(g, calleeOf(g, *call)).empty()) continue;
    const std::string made = g.text(alike);
    const std::size_t inner = call->arguments[0].begin - alike.begin, end = call->arguments[0].end - alike.begin;
    std::vector<Edit> edits;
    std::string names;
    auto titleFor = [&](const std::string& arguments) {
      return fmt::format("apply `{}` to {}, as to the other argument", calleeOf(g, *call), arguments);
    };
    for (const Span argument : at.arguments)
      if (isName(g, argument) && g.rankOf(argument) == g.rankOf(call->arguments[0])) {
        edits.push_back({argument, made.substr(0, inner) + g.text(argument) + made.substr(end)});
        names += fmt::format("{}`{}`", names.empty() ? "" : " and ", g.text(argument));
      }
    if (edits.size() > 1) g.guess(at, titleFor(names), edits);
    for (const Edit& edit : edits) g.guess(at, titleFor("`" + g.text(edit.span) + "`"), {edit});
  }
}

// Applies a function to an argument as the other calls do: `join(larger(x), skip)` for `join(x, skip)`.
void madeAsElsewhere(Guesser& g, const Application& at) {
  if (!at.named || at.isOrigin) return;
  const std::vector<Application>& calls = g.calls();
  for (std::size_t i = 0; i < at.arguments.size(); ++i) {
    if (!isName(g, at.arguments[i])) continue;
    std::set<std::string> made;
    for (const Application& other : calls) {
      if (other.span == at.span || calleeOf(g, other) != calleeOf(g, at) || other.arguments.size() <= i) continue;
      const auto call = std::ranges::find(calls, other.arguments[i], &Application::span);
      if (call != calls.end() && call->arguments.size() == 1 && !parametersOf(g, calleeOf(g, *call)).empty())
        made.insert(calleeOf(g, *call));
    }
    for (const std::string& function : made)
      g.wrap(at, at.arguments[i], fmt::format("apply `{}`, as in the other calls, to", function), function + "(", ")");
  }
}

}  // namespace guess

}  // namespace axle
