// Padding: with a value by the runtime's operator, else from pieces of the tensor itself.
#include "ir/lower/lowerer.h"

namespace axle::ir {

std::optional<Tensor> Lowerer::along(std::size_t axis, const Tensor& x, Dim start, Dim length) {
  Fact part{fact(x).elem, fact(x).shape, {}};
  part.shape[axis] = length;
  Dim axisDim = model_.dims->constant(static_cast<std::int64_t>(axis));
  return emit(Op::slice, {x}, {axisDim, start, model_.dims->constant(1)}, std::move(part));
}

std::optional<Tensor> Lowerer::mirrored(std::size_t axis, const Tensor& x, Dim start, Dim length) {
  auto part = along(axis, x, start, length);
  if (!part) return std::nullopt;
  return emit(Op::reverse, {*part}, {model_.dims->constant(static_cast<std::int64_t>(axis))},
              Fact{fact(*part).elem, fact(*part).shape, {}});
}

// `length` is 1, or 0 where `times` is.
std::optional<Tensor> Lowerer::repeated(std::size_t axis, const Tensor& x, Dim start, Dim length, Dim times) {
  auto part = along(axis, x, start, length);
  if (!part) return std::nullopt;
  Fact whole{fact(*part).elem, fact(*part).shape, {}};
  whole.shape[axis] = times;
  return emit(Op::broadcast, {*part}, {}, std::move(whole));
}

std::optional<Tensor> Lowerer::padAlong(std::size_t axis, const Tensor& x, Dim before, Dim after,
                                        const std::string& mode) {
  DimStore& dims = *model_.dims;
  Dim zero = dims.constant(0), one = dims.constant(1), n = fact(x).shape[axis];
  std::optional<Tensor> front, back;
  if (mode == "edge") {
    Dim first = dims.min(before, one), last = dims.min(after, one);
    front = repeated(axis, x, zero, first, before);
    back = repeated(axis, x, dims.sub(n, last), last, after);
  } else if (mode == "circular") {
    front = along(axis, x, dims.sub(n, before), before);
    back = along(axis, x, zero, after);
  } else {  // a reflection leaves out the outermost element
    Dim left = mode == "reflect" ? dims.min(before, one) : zero,
        right = mode == "reflect" ? dims.min(after, one) : zero;
    front = mirrored(axis, x, left, before);
    back = mirrored(axis, x, dims.sub(dims.sub(n, right), after), after);
  }
  if (!front || !back) return std::nullopt;
  Fact padded{fact(x).elem, fact(x).shape, {}};
  padded.shape[axis] = dims.add(n, dims.add(before, after));
  return emit(Op::concat, {*front, x, *back}, {dims.constant(static_cast<std::int64_t>(axis))}, std::move(padded));
}

std::optional<Value> Lowerer::lowerPad(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  std::optional<std::size_t> index = attributeNamed(a, "pads");
  if (!inputs || !result || !index) return std::nullopt;
  StaticTerm pads = solution_.types[attribute(a, *index)];
  std::vector<Dim> ints;
  for (StaticId pair : pads.items)
    for (StaticId item : solution_.types[pair].items)
      if (solution_.types[item].kind == StaticKind::dim) ints.push_back(solution_.types[item].dim);
  if (ints.size() != 2 * result->shape.size()) return unexpected("its amounts are no pairs of numbers", a.expr->span);
  std::string mode = wordAttribute(a, "mode");
  if (mode.empty() || mode == "constant") return tensor(emit(core.op, *inputs, std::move(ints), std::move(*result)));
  Tensor padded = inputs->front();
  for (std::size_t i = 0; i < result->shape.size(); ++i) {
    if (model_.dims->asConstant(ints[2 * i]) == 0 && model_.dims->asConstant(ints[2 * i + 1]) == 0) continue;
    auto next = padAlong(i, padded, ints[2 * i], ints[2 * i + 1], mode);
    if (!next) return std::nullopt;
    padded = *next;
  }
  return Value{padded};
}

std::optional<Value> Lowerer::lowerPadAxis(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  auto axis = flatAxis(a, inputs->front());
  auto before = dimAttribute(a, "before"), after = dimAttribute(a, "after");
  if (!axis || !before || !after) return std::nullopt;
  std::vector<Dim> ints(2 * result->shape.size(), model_.dims->constant(0));
  ints[2 * *axis] = *before;
  ints[2 * *axis + 1] = *after;
  return tensor(emit(core.op, *inputs, std::move(ints), std::move(*result)));
}

}  // namespace axle::ir
