// Images at other sizes, patches of them, frames, transforms.
#include <algorithm>
#include <array>

#include "ir/lower/lowerer.h"

namespace axle::ir {

namespace {

// The number of a word among those of the runtime's attribute.
template <std::size_t count>
std::int64_t numberOf(const std::array<std::string_view, count>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) - words.begin();
}

// In the order of runtime/bundle.proto.
constexpr std::array<std::string_view, 3> methods{"nearest", "bilinear", "bicubic"};
constexpr std::array<std::string_view, 3> coordinates{"half_pixel", "align_corners", "asymmetric"};
constexpr std::array<std::string_view, 6> transforms{"fft", "ifft", "rfft", "irfft", "dct", "idct"};

}  // namespace

std::optional<Value> Lowerer::lowerResize(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  std::string method = wordAttribute(a, "method");
  std::int64_t which = numberOf(methods, method.empty() ? "nearest" : method);
  std::int64_t where = numberOf(coordinates, wordAttribute(a, "coordinates"));
  if (which == std::ssize(methods) || where == std::ssize(coordinates))
    return unexpected("its words are not known", a.expr->span);
  DimStore& dims = *model_.dims;
  return tensor(emit(core.op, *inputs, {dims.constant(which), dims.constant(where)}, std::move(*result)));
}

std::optional<Tensor> Lowerer::transposed(const Tensor& x, const std::vector<std::size_t>& perm) {
  Fact turned{fact(x).elem, {}, {}};
  std::vector<Dim> ints;
  for (std::size_t axis : perm) {
    ints.push_back(model_.dims->constant(static_cast<std::int64_t>(axis)));
    turned.shape.push_back(fact(x).shape[axis]);
  }
  return emit(Op::transpose, {x}, std::move(ints), std::move(turned));
}

std::optional<Tensor> Lowerer::framed(const Tensor& x, std::size_t axis, Dim frames, Dim length, Dim step) {
  Fact result{fact(x).elem, fact(x).shape, {}};
  result.shape[axis] = frames;
  result.shape.insert(result.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, length);
  return emit(Op::frame, {x}, {model_.dims->constant(static_cast<std::int64_t>(axis)), step}, std::move(result));
}

// Frames of rows, and of columns in each.
std::optional<Value> Lowerer::lowerPatches(const Application& a, const CoreOperator&) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  auto size = dimList(a, "size", 2), stride = dimList(a, "stride", 2);
  if (!inputs || !result || !size || !stride) return std::nullopt;
  DimStore& dims = *model_.dims;
  std::vector<Dim> image = fact(inputs->front()).shape, y = result->shape;
  std::vector<Window> windows;
  for (std::size_t i = 0; i < 2; ++i) windows.push_back({image[i + 1], (*size)[i], (*stride)[i], y[i + 1]});
  auto pads = padding(a, windows);
  if (!pads) return std::nullopt;
  std::optional<Tensor> x = inputs->front();
  if (std::any_of(pads->begin(), pads->end(), [&](Dim d) { return dims.asConstant(d) != 0; })) {
    std::vector<Dim> around(8, dims.constant(0));
    std::copy(pads->begin(), pads->end(), around.begin() + 2);
    for (std::size_t i = 0; i < 2; ++i)
      image[i + 1] = dims.add(image[i + 1], dims.add((*pads)[2 * i], (*pads)[2 * i + 1]));
    x = emit(Op::pad, {*x}, std::move(around), Fact{result->elem, image, {}});
  }
  if (x) x = framed(*x, 1, y[1], (*size)[0], (*stride)[0]);
  if (x) x = framed(*x, 3, y[2], (*size)[1], (*stride)[1]);
  if (x) x = transposed(*x, {0, 1, 3, 2, 4, 5});
  if (!x) return std::nullopt;
  return tensor(reshaped(*x, std::move(y)));
}

std::optional<Value> Lowerer::lowerFrame(const Application& a, const CoreOperator&) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  auto axis = axisAttribute(a, fact(inputs->front()).shape.size());
  auto step = dimAttribute(a, "step");
  if (!axis || !step) return std::nullopt;
  if (result->shape.size() != fact(inputs->front()).shape.size() + 1)
    return unexpected("its frames add no dimension", a.expr->span);
  return tensor(framed(inputs->front(), *axis, result->shape[*axis], result->shape[*axis + 1], *step));
}

std::optional<Value> Lowerer::lowerOverlapAdd(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  std::optional<Dim> step = dimAttribute(a, "step");
  if (!inputs || !result || !step) return std::nullopt;
  Dim axis = model_.dims->constant(static_cast<std::int64_t>(result->shape.size()) - 1);
  return tensor(emit(core.op, *inputs, {axis, *step}, std::move(*result)));
}

std::optional<Value> Lowerer::lowerFourier(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  Dim which = model_.dims->constant(numberOf(transforms, core.name));
  return tensor(emit(core.op, *inputs, {which}, std::move(*result)));
}

}  // namespace axle::ir
