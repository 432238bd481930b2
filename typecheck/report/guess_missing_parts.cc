// Guesses of parts that a tuple lacks, or has too many.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostChoices = 6;

struct WrittenTuple {
  Span span;
  std::vector<Span> parts;
};

// The tuples of so many parts that are written in the arguments of a call, or that names among them stand for: those
// that the diagnostic marks, if it does.
std::vector<WrittenTuple> tuplesOf(const Guesser& g, const Application& at, std::size_t parts) {
  std::vector<WrittenTuple> tuples;
  for (const Span argument : at.arguments)
    for (const ast::Expr& e : g.module.exprs) {
      const auto* tuple = std::get_if<ast::ExprTuple>(&e.node);
      if (!tuple || tuple->parts.size() != parts || !isWithin(e.span, valueOf(g, argument))) continue;
      WrittenTuple written{e.span, {}};
      for (const ast::ExprId part : tuple->parts) written.parts.push_back(g.module[part].span);
      tuples.push_back(std::move(written));
    }
  auto isMarked = [&](const WrittenTuple& tuple) {
    return std::ranges::any_of(g.diagnostic.secondary, [&](const Label& label) {
      const Span* span = std::get_if<Span>(&label.place);
      return span && *span == tuple.span;
    });
  };
  if (std::ranges::any_of(tuples, isMarked)) std::erase_if(tuples, std::not_fn(isMarked));
  return tuples;
}

// The weights in the order of their declarations.
std::vector<std::string> namesOfWeights(const Guesser& g) {
  std::vector<std::string> names;
  for (const ast::Item& item : g.module.items)
    if (const auto* param = std::get_if<ast::Param>(&item)) names.push_back(param->name.text);
  return names;
}

std::size_t timesUsed(const Guesser& g, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::count_if(g.module.exprs, [&](const ast::Expr& e) {
    const auto* used = std::get_if<ast::ExprName>(&e.node);
    return used && used->name == name;
  }));
}

std::string quotedList(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all += fmt::format("{}`{}`", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  return all;
}

// Adds the guess that names are put into a tuple, all before one of its parts or behind the last.
void insertParts(Guesser& g, const WrittenTuple& tuple, const std::vector<std::string>& names, std::size_t before) {
  const bool isLast = before == tuple.parts.size();
  std::string text;
  for (const std::string& name : names) text += isLast ? ", " + name : name + ", ";
  const std::uint32_t place = isLast ? tuple.parts.back().end : tuple.parts[before].begin;
  g.guess({tuple.span, {}, nullptr},
          fmt::format("{} {} left out of this tuple", quotedList(names), names.size() == 1 ? "is" : "are"),
          {{{tuple.span.source, place, place}, text}});
}

// Puts weights that nothing uses into a tuple, those of its parts' own group first: where their declarations stand
// among those of the parts, or else at the end, or anywhere.
void insertUnused(Guesser& g, const WrittenTuple& tuple, std::size_t missing) {
  const std::vector<std::string> weights = namesOfWeights(g);
  std::vector<std::string> unused, ofGroup;
  const std::string group = groupOf(g.text(tuple.parts.front()));
  for (const std::string& name : weights)
    if (timesUsed(g, name) == 0) (!group.empty() && groupOf(name) == group ? ofGroup : unused).push_back(name);
  unused.insert(unused.begin(), ofGroup.begin(), ofGroup.end());
  const std::size_t wholeRuns = unused.size() < missing ? 0 : unused.size() - missing + 1;
  auto orderOf = [&](const std::string& name) { return std::ranges::find(weights, name); };
  for (std::size_t first = 0; first < std::min(wholeRuns, mostChoices); ++first) {
    const auto begin = unused.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<std::string> names(begin, begin + static_cast<std::ptrdiff_t>(missing));
    std::size_t declared = 0;
    while (declared < tuple.parts.size() && orderOf(g.text(tuple.parts[declared])) < orderOf(names.front())) ++declared;
    insertParts(g, tuple, names, declared);
    g.found.back().isSure = first == 0 && ofGroup.size() == missing;
    if (first == 0 || missing == 1)
      for (std::size_t before = tuple.parts.size() + 1; before-- > 0;)
        if (before != declared) insertParts(g, tuple, names, before);
  }
}

// Takes one part out of a tuple: one that it has twice, of another group or used elsewhere first.
void removePart(Guesser& g, const WrittenTuple& tuple) {
  auto isOdd = [&](std::size_t part) {
    const std::string name = g.text(tuple.parts[part]);
    const std::string group = groupOf(g.text(tuple.parts[part == 0 ? 1 : 0]));
    return groupOf(name) != group || timesUsed(g, name) > 1;
  };
  std::vector<std::size_t> order;
  for (std::size_t part = tuple.parts.size(); part-- > 0;) order.push_back(part);
  std::ranges::stable_partition(order, isOdd);
  for (const std::size_t part : order) {
    const std::uint32_t begin = part == 0 ? tuple.parts[0].begin : tuple.parts[part - 1].end;
    const std::uint32_t end = part == 0 ? tuple.parts[1].begin : tuple.parts[part].end;
    g.guess({tuple.span, {}, nullptr}, fmt::format("`{}` is a part too many", g.text(tuple.parts[part])),
            {{{tuple.span.source, begin, end}, ""}});
  }
}

}  // namespace

// Gives a tuple as many parts as the other one has that it meets.
void missingParts(Guesser& g, const Application& at) {
  const std::vector<std::int64_t> parts = g.numbers();
  if (!at.named || parts.size() != 2) return;
  for (const std::size_t i : {0, 1}) {
    const auto own = static_cast<std::size_t>(parts[i]), wanted = static_cast<std::size_t>(parts[1 - i]);
    for (const WrittenTuple& tuple : tuplesOf(g, at, own)) {
      if (own < wanted && own > 0) insertUnused(g, tuple, wanted - own);
      if (own == wanted + 1 && own > 2) removePart(g, tuple);
    }
  }
}

// Gives all weights of a group, in the order of their declarations, where names wait for as many and a call is given
// one of them while nothing uses the others: `f(x, (a.w, a.b))` for `f(x, a.w)`.
void wholeGroup(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t wanted = 0;
  for (const ast::Pattern& pattern : g.module.patterns)
    if (const auto* tuple = std::get_if<ast::PatternTuple>(&pattern.node); tuple && pattern.span == at.span)
      wanted = tuple->parts.size();
  if (wanted == 0) return;
  for (const Application& call : g.markedCalls())
    for (const Span argument : call.arguments) {
      const ast::Param* given = g.paramAt(argument);
      if (!given) continue;
      std::vector<const ast::Param*> weights = unusedOfGroup(g, given->name.text);
      weights.push_back(given);
      if (weights.size() != wanted) continue;
      std::ranges::sort(weights, {}, [](const ast::Param* weight) { return weight->name.span.begin; });
      std::string text;
      for (const ast::Param* weight : weights) text += (text.empty() ? "(" : ", ") + weight->name.text;
      g.guess(call, fmt::format("`{}` is one of {} that belong together", given->name.text, wanted),
              {{argument, text + ")"}});
      g.found.back().isSure = true;
    }
}

}  // namespace axle::guess
