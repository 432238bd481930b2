// Guesses of indices, and of sizes in the lists of `reshape` and `arange`.
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "typecheck/infer/calls.h"
#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostNumbered = 4;  // lists of one kind

// A number that an index picks: the 1 of `norm[1]`.
struct Picked {
  Span place;
  std::int64_t index;
};

// The numbers by which a function picks elements of what a text names.
std::vector<Picked> picksOf(const Guesser& g, const std::string& base, const ast::ExprFn* around) {
  std::vector<Picked> picks;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* index = std::get_if<ast::ExprIndex>(&e.node);
    if (!index || g.text(g.module[index->base].span) != base || g.functionAround(e.span) != around) continue;
    const auto* at = index->items.size() == 1 ? std::get_if<ast::IndexAt>(&index->items[0].node) : nullptr;
    if (const auto number = at ? numberOf(g.text(g.module[at->index].span)) : std::nullopt)
      picks.push_back({g.module[at->index].span, *number});
  }
  std::ranges::sort(picks, {}, [](const Picked& pick) { return pick.place.begin; });
  return picks;
}

}  // namespace

// Other indices where one is out of range: one less in all of the function, the first that the function does not pick,
// or one less.
void otherIndex(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  const std::vector<Span> marks = g.marks();
  auto isMarked = [&](const ast::Expr& e) {
    return std::ranges::any_of(marks, [&](Span place) { return isWithin(place, e.span); });
  };
  for (const ast::Expr& e : g.module.exprs) {
    const auto* index = std::get_if<ast::ExprIndex>(&e.node);
    if (!index || !isMarked(e)) continue;
    const std::string base = g.text(g.module[index->base].span);
    const std::vector<Picked> picks = picksOf(g, base, g.functionAround(e.span));
    const auto own = std::ranges::find_if(picks, [&](const Picked& pick) { return isWithin(pick.place, e.span); });
    if (own == picks.end() || own->index == 0 || picks.size() < 2) continue;  // of one alone, any may be meant
    std::set<std::int64_t> picked;
    for (const Picked& pick : picks) picked.insert(pick.index);
    const bool areInOrder = std::ranges::is_sorted(picks, {}, &Picked::index);
    if (!picked.contains(0) && areInOrder) {
      std::vector<Edit> edits;
      std::string all;
      for (const Picked& pick : picks) {
        edits.push_back({pick.place, std::to_string(pick.index - 1)});
        all += fmt::format("{}`{}[{}]`", all.empty() ? "" : ", ", base, pick.index - 1);
      }
      g.found.push_back({"indices count from 0: " + all, std::move(edits)});
      continue;
    }
    std::int64_t unpicked = 0;
    while (picked.contains(unpicked)) ++unpicked;
    for (const std::int64_t instead : {unpicked, own->index - 1}) {
      if (instead >= own->index) continue;
      g.guess({e.span, {}, nullptr}, "another index", {{own->place, std::to_string(instead)}});
      g.found.back().isFallback = picked.contains(instead);  // one row for two is seldom meant
    }
  }
}

namespace {

// The numbers that calls give the static parameter which a message says to be out of range.
std::vector<Picked> indicesGiven(const Guesser& g, const std::string& parameter) {
  std::vector<Picked> given;
  for (const Application& call : g.calls())
    if (const ast::NamedArgument* named = namedOf(call, parameter);
        named && !g.checked.operators.find(calleeOf(g, call)))
      if (const auto number = numberOf(g.text(g.module[named->value].span)))
        given.push_back({g.module[named->value].span, *number});
  return given;
}

}  // namespace

// Gives a static parameter that is an index another number, where a call gives it one out of range: the first that no
// other call gives.
void otherIndexGiven(Guesser& g, const Application& at) {
  constexpr std::size_t most = 2;
  const auto size = numberOf(g.named(1));
  if (!isFailing(g, at) || !size || numberOf(g.named(0))) return;
  const std::vector<Picked> given = indicesGiven(g, g.named(0));
  for (const Picked& wrong : given) {
    if (wrong.index < *size) continue;
    std::size_t found = 0;
    for (std::int64_t instead = 0; instead < *size && found < most; ++instead) {
      if (std::ranges::find(given, instead, &Picked::index) != given.end()) continue;
      g.found.push_back(
          {fmt::format("another index: `{}={}`", g.named(0), instead), {{wrong.place, std::to_string(instead)}}});
      ++found;
    }
  }
}

namespace {

// The sizes of a weight's declaration as they are written; none where it is no list of them.
std::vector<std::string> sizesDeclared(const Guesser& g, const ast::Param& param) {
  std::vector<std::string> sizes;
  for (const ast::Dim* size : declaredSizesOf(g.module, param.type)) sizes.push_back(g.text(size->span));
  return sizes;
}

// Whether a weight beside one, or one of its name in another layer, has so many rows.
bool haveSiblingsSoMany(const Guesser& g, const ast::Param& of, const std::string& rows) {
  return std::ranges::any_of(g.module.items, [&](const ast::Item& item) {
    const auto* param = std::get_if<ast::Param>(&item);
    if (!param || param->name.text == of.name.text) return false;
    const std::vector<std::string> sizes = sizesDeclared(g, *param), own = sizesDeclared(g, of);
    const bool isSibling =
        groupOf(param->name.text) == groupOf(of.name.text) || lastNameOf(param->name.text) == lastNameOf(of.name.text);
    return isSibling && sizes.size() == own.size() && !sizes.empty() && sizes[0] == rows;
  });
}

}  // namespace

// Declares as many rows of a weight as an index out of range needs: likely where those beside it have as many.
void declaredRows(Guesser& g, const Application& at) {
  auto index = numberOf(g.named(0));
  if (!index)
    for (const Picked& given : indicesGiven(g, g.named(0))) index = std::max(index.value_or(0), given.index);
  if (!isFailing(g, at) || !index) return;
  const std::string rows = std::to_string(*index + 1);
  for (const Label& label : g.diagnostic.secondary) {
    const Span* place = std::get_if<Span>(&label.place);
    for (const ast::Item& item : g.module.items) {
      const auto* param = std::get_if<ast::Param>(&item);
      if (!place || !param || !param->type || !isWithin(*place, param->span) || g.text(*place) != g.named(1)) continue;
      std::string type = g.text(g.module[param->type].span);
      type.replace(place->begin - g.module[param->type].span.begin, place->end - place->begin, rows);
      g.found.push_back({fmt::format("declare what fits: `{} : {}`", param->name.text, type), {{*place, rows}}});
      g.found.back().isSure = haveSiblingsSoMany(g, *param, rows);
      g.found.back().isFallback = !g.found.back().isSure;
    }
  }
}

namespace {

// Gives the row beside one that a call is given, where the function does not pick that: `norm(x, ln[0], ln[1])` for
// `norm(x, ln[1])`.
void rowLeftOut(Guesser& g, const Application& at) {
  for (const Span argument : at.arguments) {
    const auto* index = g.nodeAt<ast::ExprIndex>(argument);
    if (!index) continue;
    const std::string base = g.text(g.module[index->base].span);
    const std::vector<Picked> picks = picksOf(g, base, g.functionAround(at.span));
    const auto own = std::ranges::find_if(picks, [&](const Picked& pick) { return isWithin(pick.place, argument); });
    if (own == picks.end()) continue;
    for (const std::int64_t row : {own->index - 1, own->index + 1}) {
      if (row < 0 || std::ranges::find(picks, row, &Picked::index) != picks.end()) continue;
      const bool isBefore = row < own->index;
      const std::uint32_t place = isBefore ? argument.begin : argument.end;
      const std::string text = fmt::format("{}[{}]", base, row);
      g.guess(at, "the row beside it is left out",
              {{{at.span.source, place, place}, isBefore ? text + ", " : ", " + text}});
    }
  }
}

}  // namespace

// Gives one row of what the function picks rows of elsewhere: the row that the arguments beside it are, or the first
// that is not picked: `norm(x, gains[1], shifts[1])` for `norm(x, gains, shifts[1])`. Where an argument is left out,
// the row beside one that is there.
void rowOfSeveral(Guesser& g, const Application& at) {
  constexpr std::size_t most = 3;
  if (!isFailing(g, at)) return;
  if (g.diagnostic.code == &codes::arity) return rowLeftOut(g, at);
  std::vector<std::string> beside;
  for (const Span argument : at.arguments)
    if (const auto* index = g.nodeAt<ast::ExprIndex>(argument); index && index->items.size() == 1)
      beside.push_back(g.text(index->items[0].span));
  for (const Span argument : at.arguments) {
    if (!g.nodeAt<ast::ExprName>(argument)) continue;
    const std::string name = g.text(argument);
    std::set<std::string> picked;
    for (const Picked& pick : picksOf(g, name, g.functionAround(at.span))) picked.insert(std::to_string(pick.index));
    if (picked.empty()) continue;
    std::vector<std::string> rows = beside;
    for (std::size_t i = 0; i <= picked.size(); ++i) rows.push_back(std::to_string(i));
    std::set<std::string> offered;
    for (const std::string& row : rows) {
      if (picked.contains(row) || offered.size() == most || !offered.insert(row).second) continue;
      g.wrap(at, argument, "take one row of", "", fmt::format("[{}]", row));
      g.found.back().isSure = &row == rows.data() && !beside.empty();
    }
  }
}

namespace {

// The factors of a product of names and numbers; empty for other texts.
std::vector<std::string> factorsOf(const std::string& product) {
  std::vector<std::string> factors;
  std::string factor;
  for (const char c : product + "*") {
    if (c == ' ') continue;
    if (c != '*' && c != '_' && !std::isalnum(static_cast<unsigned char>(c))) return {};
    if (c != '*') {
      factor += c;
    } else {
      factors.push_back(std::move(factor));
      factor.clear();
    }
  }
  return factors;
}

}  // namespace

// Moves a factor to the size beside it in a `reshape`: `[n, h*w, c]` for `[n, h, w*c]`.
void otherFactors(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const auto& [call, list] : writtenReshapes(g))
    for (std::size_t i = 1; i < list->items.size(); ++i) {
      const Span left = g.module[list->items[i - 1]].span, right = g.module[list->items[i]].span;
      const std::vector<std::string> before = factorsOf(g.text(left)), behind = factorsOf(g.text(right));
      if (before.size() + behind.size() != 3 || before.empty() || behind.empty() || ++found > mostNumbered) continue;
      const bool isLeft = behind.size() == 2;
      g.guess(call, "join the sizes otherwise",
              {{left, isLeft ? before[0] + "*" + behind[0] : before[0]},
               {right, isLeft ? behind[1] : before[1] + "*" + behind[0]}});
    }
}

// Puts axes of size 1 between the first and the last size of a `reshape`: `[n, 1, 1, c]` for `[n, c, 1, 1]`.
void onesBetween(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const auto& [call, list] : writtenReshapes(g)) {
    if (list->items.size() != 4) continue;
    std::vector<std::string> sizes;
    for (const ast::ExprId item : list->items) sizes.push_back(g.text(g.module[item].span));
    if (sizes[1] == "1" || sizes[2] != "1" || sizes[3] != "1" || ++found > mostNumbered) continue;
    g.guess(call, "channels are the last axis",
            {{g.module[list->items[1]].span, "1"}, {g.module[list->items[3]].span, sizes[1]}});
  }
}

// Counts as far as the function says elsewhere: `arange(size / 2)` beside `cast(size / 2)` for `arange(size)`.
void otherLength(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.calls()) {
    if (calleeOf(g, call) != "arange" || call.arguments.size() != 1) continue;
    const std::string length = g.text(call.arguments[0]);
    std::set<std::string> others;
    for (const ast::Expr& e : g.module.exprs) {
      const auto* binary = std::get_if<ast::ExprBinary>(&e.node);
      if (!binary || g.functionAround(e.span) != g.functionAround(call.span)) continue;
      const bool isOfIt =
          g.text(g.module[binary->left].span) == length || g.text(g.module[binary->right].span) == length;
      const bool isOfNumber = g.nodeAt<ast::ExprNumber>(g.module[binary->left].span) ||
                              g.nodeAt<ast::ExprNumber>(g.module[binary->right].span);
      if (isOfIt && isOfNumber) others.insert(g.text(e.span));
    }
    for (const std::string& other : others)
      if (++found <= mostNumbered) g.guess(call, "as many as elsewhere here", {{call.arguments[0], other}});
  }
}

namespace {

// Whether the signature of a function has a size of the name.
bool namesSize(const Guesser& g, const ast::ExprFn* function, const std::string& name) {
  return function && std::ranges::any_of(g.module.dims, [&](const ast::Dim& dim) {
           const auto* is = std::get_if<ast::DimName>(&dim.node);
           return is && is->name == name && isWithin(dim.span, function->signature);
         });
}

}  // namespace

// Counts up to the other one of two sizes, where the one that an `arange` counts up to is marked: `arange(n)` for
// `arange(b)` in a function of `[b, n]`. It is meant where the function counts up to that elsewhere, too.
void lengthOfOther(Guesser& g, const Application& at) {
  if (!at.isOrigin || !at.named || calleeOf(g, at) != "arange" || at.arguments.size() != 1) return;
  const std::string length = g.text(at.arguments[0]);
  std::vector<std::string> sizes = g.diagnostic.arguments;
  for (std::string& size : sizes) std::erase(size, '`');
  if (std::ranges::find(sizes, length) == sizes.end()) return;
  const ast::ExprFn* around = g.functionAround(at.span);
  for (const std::string& other : sizes) {
    if (other == length || !namesSize(g, around, other)) continue;
    const bool isBeside = std::ranges::any_of(g.calls(), [&](const Application& call) {
      return calleeOf(g, call) == "arange" && call.arguments.size() == 1 && g.text(call.arguments[0]) == other &&
             g.functionAround(call.span) == around;
    });
    g.guess(at, isBeside ? "as many as beside it" : "as many as the other has", {{at.arguments[0], other}});
    g.found.back().isSure = isBeside;
  }
}

}  // namespace axle::guess
