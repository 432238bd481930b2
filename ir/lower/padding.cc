// Lowers padding: with a constant to one operator, otherwise to slices of the tensor itself.
#include "ir/lower/graph_builder.h"
#include "ir/lower/operators.h"

namespace axle::ir::lowering {

namespace {

std::optional<Tensor> mirroredSlice(Context& c, std::size_t axis, const Tensor& x, Dim start, Dim length) {
  auto part = sliceAlong(c, x, axis, start, length);
  if (!part) return std::nullopt;
  return emit(c, Op::reverse, {*part}, AxisAttributes{axis}, Fact{fact(c, *part).elem, fact(c, *part).shape, {}});
}

// Slices `length` elements and repeats them `times` times. `length` is 1, or 0 if `times` is 0.
std::optional<Tensor> repeatedSlice(Context& c, std::size_t axis, const Tensor& x, Dim start, Dim length, Dim times) {
  auto part = sliceAlong(c, x, axis, start, length);
  if (!part) return std::nullopt;
  Fact whole{fact(c, *part).elem, fact(c, *part).shape, {}};
  whole.shape[axis] = times;
  return emit(c, Op::broadcast, {*part}, {}, std::move(whole));
}

std::optional<Tensor> padAlong(Context& c, std::size_t axis, const Tensor& x, Dim before, Dim after,
                               const std::string& mode) {
  DimStore& dims = c.dims();
  Dim zero = dims.constant(0), one = dims.constant(1), n = fact(c, x).shape[axis];
  std::optional<Tensor> front, back;
  if (mode == "edge") {
    Dim first = dims.min(before, one), last = dims.min(after, one);
    front = repeatedSlice(c, axis, x, zero, first, before);
    back = repeatedSlice(c, axis, x, dims.sub(n, last), last, after);
  } else if (mode == "circular") {
    front = sliceAlong(c, x, axis, dims.sub(n, before), before);
    back = sliceAlong(c, x, axis, zero, after);
  } else {  // `reflect` omits the outermost element
    Dim left = mode == "reflect" ? dims.min(before, one) : zero,
        right = mode == "reflect" ? dims.min(after, one) : zero;
    front = mirroredSlice(c, axis, x, left, before);
    back = mirroredSlice(c, axis, x, dims.sub(dims.sub(n, right), after), after);
  }
  if (!front || !back) return std::nullopt;
  Fact padded{fact(c, x).elem, fact(c, x).shape, {}};
  padded.shape[axis] = dims.add(n, dims.add(before, after));
  return emit(c, Op::concat, {*front, x, *back}, AxisAttributes{axis}, std::move(padded));
}

std::optional<Value> lowerPad(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  std::optional<std::size_t> index = requireAttribute(c, a, "pads");
  if (!given || !index) return std::nullopt;
  StaticTerm pads = c.solution.types[attributeAt(c, a, *index)];
  std::vector<Dim> amounts = pairsAttribute(c, pads);
  if (amounts.size() != 2 * given->result.shape.size())
    return reportBug(c, "its amounts are no pairs of numbers", a.span());
  std::string mode = wordAttribute(c, a, "mode");
  if (mode.empty() || mode == "constant")
    return toValue(emit(c, core.op, given->inputs, padsOf(amounts), std::move(given->result)));
  Tensor padded = given->inputs.front();
  for (std::size_t i = 0; i < given->result.shape.size(); ++i) {
    if (c.dims().asConstant(amounts[2 * i]) == 0 && c.dims().asConstant(amounts[2 * i + 1]) == 0) continue;
    auto next = padAlong(c, i, padded, amounts[2 * i], amounts[2 * i + 1], mode);
    if (!next) return std::nullopt;
    padded = *next;
  }
  return Value{padded};
}

std::optional<Value> lowerPadAxis(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  auto axis = flatAxis(c, a, given->inputs.front());
  auto before = dimAttribute(c, a, "before"), after = dimAttribute(c, a, "after");
  if (!axis || !before || !after) return std::nullopt;
  const Dims zeros(given->result.shape.size(), c.dims().constant(0));
  PadAttributes pads{zeros, zeros};
  pads.before[*axis] = *before;
  pads.after[*axis] = *after;
  return toValue(emit(c, core.op, given->inputs, std::move(pads), std::move(given->result)));
}

}  // namespace

std::span<const CoreOperator> paddingOperators() {
  static constexpr CoreOperator rows[] = {
      {"pad", Op::pad, lowerPad},
      {"pad_with", Op::pad, lowerPad},
      {"pad_axis", Op::pad, lowerPadAxis, lowerPadAxis},
  };
  return rows;
}

}  // namespace axle::ir::lowering
