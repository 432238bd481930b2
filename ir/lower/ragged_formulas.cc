// Formulas over ragged tensors: reductions, and what is normalised by them. Axes behind the ragged one are axes of the
// rows; reductions over the ragged one, and dimensions before it, put rows of one group together.
#include <algorithm>

#include "ir/lower/formula.h"

namespace axle::ir {

Operand Formula::reduceGroups(Op op, const Operand& x, const Operand& start) {
  if (failed_) return {this, {}};
  const Elem given = elem(x), taken = given == Elem::boolean ? Elem::i32 : given;  // the larger bool is `or`
  Operand rows = cast(x, taken), first = cast(start, taken);
  std::vector<Dim> to = shape(rows);
  to[0] = ragged_->count;
  first = broadcast(first, std::move(to));
  auto made = failed_ ? std::nullopt : l_.scatterReduce(op, first.tensor, rows.tensor, ragged_->groups);
  if (!made) failed_ = true;
  return cast({this, made.value_or(Tensor{})}, given);
}

Operand Formula::beside(const Operand& reduced) {
  if (failed_ || !grouped(0)) return reduced;
  return gather(reduced, {this, ragged_->groups}, 0);
}

Operand Formula::countAlong(const Operand& x, const std::vector<std::size_t>& axes, bool keep) {
  if (failed_) return {this, {}};
  const std::vector<Dim> sizes = shape(x);
  Dim behind = size(1);
  std::vector<Dim> to(keep ? sizes.size() : sizes.size() - axes.size(), size(1));
  bool groups = false;
  for (std::size_t axis : axes)
    if (grouped(axis))
      groups = true;
    else
      behind = dims.mul(behind, sizes[axis]);
  if (!groups) return cast(size(behind), elem(x));
  if (!keep) to.push_back(size(1));  // of the groups, which stay
  to[0] = ragged_->count;
  Operand rows = reduceGroups(Op::reduceSum, broadcast(number(1, Elem::i64), {sizes[0]}), number(0, Elem::i64));
  return cast(reshape(rows * size(behind), std::move(to)), elem(x));
}

// Which groups the rows are in that are reduced over `axes`, from the trailing to the leading one; none where
// dimensions before the ragged one go, but not those between. `grouped` only where there is more than one group.
std::optional<RaggedAxes> Lowerer::groupsOver(TypeId type, const RaggedShape& ragged,
                                              const std::vector<std::size_t>& axes) {
  const Shape shape = solution_.types[type].shape;
  RaggedAxes out{ragged.axis, shape.size(), {}, {}, false};
  auto gone = [&](std::size_t axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); };
  std::size_t first = ragged.axis + 1;  // of those that go
  while (first > 0 && gone(first - 1)) --first;
  for (std::size_t i = 0; i < std::min(first, ragged.axis); ++i)
    if (gone(i)) return std::nullopt;
  if (first == 0 || first > ragged.axis) return out;
  out.grouped = true;
  out.count = placesOf(lengthsOf(ragged.length));
  out.groups = placesOfRows(lengthsOf(ragged.length));
  if (first == ragged.axis) return out;
  for (std::size_t i = ragged.axis; i-- > first && !failed_;)
    if (auto length = raggedLength(solution_, shape[i].dim)) {
      out.groups = rowsAt(placesOfRows(lengthsOf(*length)), out.groups);
    } else {
      Tensor each = number(shape[i].dim);
      if (!failed_) out.groups = integers(Op::div, out.groups, each);
    }
  out.count = model_.dims->constant(1);
  for (std::size_t i = 0; i < first; ++i) {
    auto length = raggedLength(solution_, shape[i].dim);
    out.count = length ? lengthsOf(*length).rows : model_.dims->mul(out.count, shape[i].dim);
  }
  return out;
}

std::optional<Value> Lowerer::lowerRaggedFormula(const Application& a, const CoreOperator& core) {
  TypeId type = argumentType(a, 0);
  auto ragged = raggedShape(type);
  auto inputs = ragged ? arguments(a, true) : std::nullopt;
  std::vector<Fact> results;
  if (!inputs || !factsOf(a.type, results, a.expr->span, "a result"))
    return failed_ ? std::nullopt : notForRagged(a, core, "its operand is none");
  std::size_t rank = solution_.types[type].shape.size();
  auto axes = groupsOver(type, *ragged, Formula(*this, a, {}, {}).writtenAxes(rank));
  if (!axes) return notForRagged(a, core, "a dimension before the ragged one");
  Formula formula(*this, a, std::move(*inputs), results, &*axes);
  Results made = core.formula(formula);
  if (!formula.failed() && (made.all.size() != 1 || results.size() != 1))
    formula.fail("its results differ from its type's");
  if (formula.failed()) return std::nullopt;
  Operand one = made.all.front();
  if (info(results[0].elem).isFloat && info(formula.elem(one)).isFloat) one = formula.cast(one, results[0].elem);
  return tensor(formula.reshape(one, results[0].shape).tensor);
}

}  // namespace axle::ir
