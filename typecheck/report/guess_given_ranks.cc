// Guesses of axes that a value has too many or too few: slices of one row, sizes of `broadcast_to`, arguments of
// functions.
#include <optional>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/guesses.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostChanges = 6;

// The index of the one row that a slice keeps: 0 of `:1`, 3 of `3:4`, -1 of `-1:`.
std::optional<std::string> indexOfOneRow(const Guesser& g, const ast::IndexItem& item) {
  const auto* range = std::get_if<ast::IndexRange>(&item.node);
  if (!range || range->step) return std::nullopt;
  const std::string start = range->start ? g.text(g.module[range->start].span) : "0";
  if (!range->stop) return start == "-1" ? std::optional(start) : std::nullopt;
  const auto first = numberOf(start), stop = numberOf(g.text(g.module[range->stop].span));
  return first && stop && *stop == *first + 1 ? std::optional(start) : std::nullopt;
}

// The slice of the one row that an index takes.
std::optional<std::string> sliceOfIndex(const Guesser& g, const ast::IndexItem& item) {
  const auto* at = std::get_if<ast::IndexAt>(&item.node);
  const std::string index = at ? g.text(g.module[at->index].span) : std::string();
  if (index == "-1") return "-1:";
  if (const auto number = numberOf(index)) return fmt::format("{}:{}", *number == 0 ? "" : index, *number + 1);
  return std::nullopt;
}

// Writes an item of the indices near what fails otherwise. An index of a weight chooses one of its parts.
void changeIndices(Guesser& g, const Application& at, const std::string& title,
                   std::optional<std::string> (*change)(const Guesser&, const ast::IndexItem&)) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const ast::Expr* e : g.computing()) {
    const auto* index = std::get_if<ast::ExprIndex>(&e->node);
    if (!index || g.paramAt(g.module[index->base].span) || g.isFar(e->span)) continue;
    for (const ast::IndexItem& item : index->items)
      if (const auto instead = change(g, item); instead && ++found <= mostChanges)
        g.guess({e->span, {}, nullptr}, title, {{item.span, *instead}});
  }
}

}  // namespace

// Takes one row by its index where a slice keeps its axis: `x[:, 0]` for `x[:, :1]`.
void rowByIndex(Guesser& g, const Application& at) {
  changeIndices(g, at, "write an index, which takes the axis away", indexOfOneRow);
}

// Keeps the axis of one row that is taken by an index: `x[:, :1]` for `x[:, 0]`.
void rowBySlice(Guesser& g, const Application& at) {
  changeIndices(g, at, "write a slice, which keeps the axis", sliceOfIndex);
}

// A size of 1 that the sizes of a `broadcast_to` lack: `broadcast_to(token, [b, 1, d])`.
void broadcastWithAxis(Guesser& g, const Application& at) {
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsComputing()) {
    const auto* list = calleeOf(g, call) == "broadcast_to" && call.arguments.size() == 2
                           ? g.nodeAt<ast::ExprList>(call.arguments[1])
                           : nullptr;
    if (!list || list->items.empty() || ++found > mostChanges) continue;
    const std::vector<Span> sizes = itemsOf(g, *list);
    if (const auto rank = g.rankOf(call.arguments[0]); rank && *rank > sizes.size() + 1) continue;
    auto put = [&](std::size_t axis) {
      const bool isLast = axis == sizes.size();
      const std::uint32_t place = isLast ? sizes.back().end : sizes[axis].begin;
      g.guess(call, "add an axis of size 1",
              {{{call.span.source, place, place}, isLast ? std::string(", 1") : std::string("1, ")}});
    };
    for (std::size_t axis = 1; axis <= sizes.size(); ++axis) put(axis);
    put(0);
  }
}

// Gives an argument of a function an axis of size 1 where its parameter is declared with one more: the last one, then
// the others but the first, which is the batch.
void axisForParameter(Guesser& g, const Application& at) {
  const auto called = calledFunctionAt(g.checked.modules, at.span);
  for (std::size_t i = 0; called && i < std::min(at.arguments.size(), called->function->parameters.size()); ++i) {
    const std::size_t declared = declaredSizesOf(*called->module, called->function->parameters[i]).size();
    const auto rank = g.rankOf(at.arguments[i]);
    if (!rank || *rank < 2 || declared != *rank + 1) continue;
    g.wrap(at, at.arguments[i], "add an axis of size 1 to", "expand(", ", axis=-1)");
    for (std::size_t axis = 1; axis < *rank; ++axis)
      g.wrap(at, at.arguments[i], "add an axis of size 1 to", "expand(", fmt::format(", axis={})", axis));
  }
}

}  // namespace axle::guess
