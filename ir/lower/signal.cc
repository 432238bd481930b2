// Lowers resizing, patches of images, frames, and Fourier and cosine transforms.
#include <algorithm>
#include <array>

#include "ir/lower/graph_builder.h"
#include "ir/lower/operators.h"
#include "ir/lower/windows.h"

namespace axle::ir::lowering {

namespace {

// Returns the runtime's number of a word, or the number of words if the word is unknown.
template <std::size_t count>
std::int64_t numberOf(const std::array<std::string_view, count>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) - words.begin();
}

// In the order of runtime/ops.def.
constexpr std::array<std::string_view, 3> methods{"nearest", "bilinear", "bicubic"};
constexpr std::array<std::string_view, 3> coordinates{"half_pixel", "align_corners", "asymmetric"};
constexpr std::array<std::string_view, 6> transforms{"fft", "ifft", "rfft", "irfft", "dct", "idct"};

std::optional<Value> lowerResize(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  std::string method = wordAttribute(c, a, "method");
  std::int64_t which = numberOf(methods, method.empty() ? "nearest" : method);
  std::int64_t where = numberOf(coordinates, wordAttribute(c, a, "coordinates"));
  if (which == std::ssize(methods) || where == std::ssize(coordinates))
    return reportBug(c, "its words are not known", a.span());
  return toValue(emit(c, core.op, given->inputs,
                      ResizeAttributes{static_cast<ResizeMethod>(which), static_cast<ResizeCoordinates>(where)},
                      std::move(given->result)));
}

std::optional<Tensor> frame(Context& c, const Tensor& x, std::size_t axis, Dim frames, Dim length, Dim step) {
  Fact result{fact(c, x).elem, fact(c, x).shape, {}};
  result.shape[axis] = frames;
  result.shape.insert(result.shape.begin() + offset(axis) + 1, length);
  return emit(c, Op::frame, {x}, FrameAttributes{axis, step}, std::move(result));
}

// Frames along the rows, then along the columns.
std::optional<Value> lowerPatches(Context& c, const Application& a, const CoreOperator&) {
  auto given = operands(c, a);
  auto size = dimListAttribute(c, a, "size", 2), stride = dimListAttribute(c, a, "stride", 2);
  if (!given || !size || !stride) return std::nullopt;
  DimStore& dims = c.dims();
  std::vector<Dim> image = fact(c, given->inputs.front()).shape, y = given->result.shape;
  std::vector<Window> windows;
  for (std::size_t i = 0; i < 2; ++i) windows.push_back({image[i + 1], (*size)[i], (*stride)[i], y[i + 1]});
  auto pads = windowPadding(c, a, windows);
  if (!pads) return std::nullopt;
  std::optional<Tensor> x = given->inputs.front();
  if (std::any_of(pads->begin(), pads->end(), [&](Dim d) { return dims.asConstant(d) != 0; })) {
    std::vector<Dim> around(8, dims.constant(0));
    std::copy(pads->begin(), pads->end(), around.begin() + 2);
    for (std::size_t i = 0; i < 2; ++i)
      image[i + 1] = dims.add(image[i + 1], dims.add((*pads)[2 * i], (*pads)[2 * i + 1]));
    x = emit(c, Op::pad, {*x}, padsOf(around), Fact{given->result.elem, image, {}});
  }
  if (x) x = frame(c, *x, 1, y[1], (*size)[0], (*stride)[0]);
  if (x) x = frame(c, *x, 3, y[2], (*size)[1], (*stride)[1]);
  if (x) x = transpose(c, *x, {0, 1, 3, 2, 4, 5});
  if (!x) return std::nullopt;
  return toValue(reshape(c, *x, std::move(y)));
}

std::optional<Value> lowerFrame(Context& c, const Application& a, const CoreOperator&) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  auto axis = axisAttribute(c, a, fact(c, given->inputs.front()).shape.size());
  auto step = dimAttribute(c, a, "step");
  if (!axis || !step) return std::nullopt;
  if (given->result.shape.size() != fact(c, given->inputs.front()).shape.size() + 1)
    return reportBug(c, "its frames add no dimension", a.span());
  return toValue(
      frame(c, given->inputs.front(), *axis, given->result.shape[*axis], given->result.shape[*axis + 1], *step));
}

std::optional<Value> lowerOverlapAdd(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  std::optional<Dim> step = dimAttribute(c, a, "step");
  if (!given || !step) return std::nullopt;
  const std::size_t axis = given->result.shape.size() - 1;
  return toValue(emit(c, core.op, given->inputs, FrameAttributes{axis, *step}, std::move(given->result)));
}

std::optional<Value> lowerFourier(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  const auto which = static_cast<Transform>(numberOf(transforms, core.name));
  return toValue(emit(c, core.op, given->inputs, FourierAttributes{which}, std::move(given->result)));
}

}  // namespace

std::span<const CoreOperator> signalOperators() {
  static constexpr CoreOperator rows[] = {
      {"resize", Op::resize, lowerResize},
      {"resize_nearest", Op::resize, lowerResize},
      {"patches", Op::frame, lowerPatches},
      {"frame", Op::frame, lowerFrame},
      {"overlap_add", Op::overlapAdd, lowerOverlapAdd},
      {"fft", Op::fourier, lowerFourier},
      {"ifft", Op::fourier, lowerFourier},
      {"rfft", Op::fourier, lowerFourier},
      {"irfft", Op::fourier, lowerFourier},
      {"dct", Op::fourier, lowerFourier},
      {"idct", Op::fourier, lowerFourier},
  };
  return rows;
}

}  // namespace axle::ir::lowering
