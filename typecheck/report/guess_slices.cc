// Guesses of slices that lack a step, a start or a stop which slices beside them have, or have a start too many.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/elem.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostSlices = 6;  // that may be wrong

// One range of an index: the `1:` of `x[:, 1:]`. What it leaves out is empty.
struct Slice {
  Span whole, base, item;
  std::size_t axis = 0;
  std::string start, stop, step;
  bool isSpaced = false;  // `d : 2*d` for `d:2*d`
};

void addSlices(const Guesser& g, const ast::Expr& e, std::vector<Slice>& slices) {
  const auto* index = std::get_if<ast::ExprIndex>(&e.node);
  auto textOf = [&](ast::ExprId id) { return id ? g.text(g.module[id].span) : std::string(); };
  for (std::size_t axis = 0; index && axis < index->items.size(); ++axis)
    if (const auto* range = std::get_if<ast::IndexRange>(&index->items[axis].node)) {
      const Span item = index->items[axis].span;
      slices.push_back({e.span, g.module[index->base].span, item, axis, textOf(range->start), textOf(range->stop),
                        textOf(range->step), g.text(item).find(" :") != std::string::npos});
    }
}

std::string written(const Slice& slice) {
  const bool isSpaced = slice.isSpaced && !slice.start.empty() && !slice.stop.empty();
  return fmt::format("{}{}{}{}{}", slice.start, isSpaced ? " : " : ":", slice.stop, slice.step.empty() ? "" : ":",
                     slice.step);
}

// The slices in the function of one, apart from those of the same index, and how many of them are in the same call:
// these come first.
std::pair<std::vector<Slice>, std::size_t> slicesBeside(const Guesser& g, const Slice& odd) {
  std::vector<Slice> beside;
  for (const ast::Expr& e : g.module.exprs)
    if (!(e.span == odd.whole) && g.functionAround(e.span) == g.functionAround(odd.whole)) addSlices(g, e, beside);
  std::optional<Span> call;
  for (const ast::Expr& e : g.module.exprs)
    if (std::holds_alternative<ast::ExprCall>(e.node) && isWithin(odd.whole, e.span) &&
        (!call || isWithin(e.span, *call)))
      call = e.span;
  const auto others =
      std::ranges::stable_partition(beside, [&](const Slice& slice) { return call && isWithin(slice.whole, *call); });
  return {beside, beside.size() - others.size()};
}

// What a slice may have been meant as, told by those beside it; the likeliest first.
std::vector<Slice> completed(const Guesser& g, const Slice& odd) {
  std::vector<Slice> all;
  auto add = [&](std::string Slice::* part, const Slice& other, const std::string& text) {
    all.push_back(odd);
    all.back().*part = text;
    all.back().isSpaced |= other.isSpaced;
  };
  const auto [beside, ofCall] = slicesBeside(g, odd);
  for (const Slice& other : beside) {
    const bool isOfBase = g.text(other.base) == g.text(odd.base) && other.axis == odd.axis;
    if (isOfBase && odd.step.empty() && !other.step.empty()) add(&Slice::step, other, other.step);
    const bool isHalf = other.step == odd.step && odd.start.empty() != odd.stop.empty();
    if (isHalf && odd.stop.empty() && other.start == odd.start) add(&Slice::stop, other, other.stop);
    if (isHalf && odd.start.empty() && other.stop == odd.stop) add(&Slice::start, other, other.start);
  }
  for (const Slice& other : beside) {  // up to where the next one begins, from where the last one ends
    const bool isOfBase = g.text(other.base) == g.text(odd.base) && other.axis == odd.axis;
    if (!isOfBase || other.step != odd.step || odd.start.empty() == odd.stop.empty()) continue;
    if (odd.stop.empty() && other.start != odd.start) add(&Slice::stop, other, other.start);
    if (odd.start.empty() && other.stop != odd.stop) add(&Slice::start, other, other.stop);
  }
  // A weight and a bias that a call is given are cut alike.
  for (std::size_t i = 0; i < ofCall; ++i) {
    if (g.text(beside[i].base) == g.text(odd.base) || written(beside[i]) == ":") continue;
    all.push_back(beside[i]);
  }
  return all;
}

}  // namespace

// Gives a slice near what fails the step, the start or the stop that slices beside it have, or all of those of another
// value in its call: `x[:, 1::2]` for `x[:, 1:]`
// beside `x[:, ::2]`, `b[d : 2*d]` for `b[d :]` beside `w[d : 2*d]`, or beside `b[2*d :]`.
void sliceAsBeside(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    std::vector<Slice> slices;
    addSlices(g, *e, slices);
    for (const Slice& odd : slices) {
      std::set<std::string> offered{written(odd)};
      for (const Slice& instead : completed(g, odd)) {
        if (!offered.insert(written(instead)).second) continue;
        g.guess({odd.whole, {}, nullptr}, "as the slices beside it", {{odd.item, written(instead)}});
        g.found.back().isFallback = g.isFar(odd.whole);
      }
      if (offered.size() > 1 && ++found == mostSlices) return;
    }
  }
}

// Leaves out the start of a slice that has a stop, where that is the other size: `positions[:t]` for `positions[1:t]`.
// What integers are cut of may be the next words.
void withoutStart(Guesser& g, const Application& at) {
  const std::vector<std::string>& told = g.diagnostic.arguments;
  if (!isFailing(g, at) || told.size() < 2) return;
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    std::vector<Slice> slices;
    addSlices(g, *e, slices);
    for (const Slice& slice : slices) {
      const std::vector<Dim> sizes = g.sizesOf(slice.whole);
      const auto start = numberOf(slice.start);
      if (!start.value_or(0) || slice.stop.empty() || !slice.step.empty() || slice.axis >= sizes.size()) continue;
      auto isTold = [&](Dim size) {
        return std::ranges::find(told.end() - 2, told.end(), g.checked.solution.printSize(size)) != told.end();
      };
      DimStore& dims = g.checked.solution.dims;
      if (!isTold(sizes[slice.axis]) || !isTold(dims.add(sizes[slice.axis], dims.constant(*start)))) continue;
      if (++found > mostSlices) return;
      Slice whole = slice;
      whole.start.clear();
      g.guess({slice.whole, {}, nullptr}, "from the first row on", {{slice.item, written(whole)}});
      const auto elem = g.elemOf(slice.base);
      g.found.back().isFallback = elem && info(*elem).isInt;
    }
  }
}

}  // namespace axle::guess
