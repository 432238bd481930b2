// Operators that move elements without computing; only the width of an element matters.
#include <algorithm>
#include <cstring>

#include "runtime/kernels/indices.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"

namespace axle::runtime {
namespace {

using Axes = std::array<CopyAxis, maxRank>;

std::span<const CopyAxis> first(const Axes& axes, int rank) { return {axes.data(), static_cast<std::size_t>(rank)}; }

std::size_t widthOf(const Step& step) { return info(step.out(0).elem).bytes; }

// Returns `view.data` advanced by a number of elements.
std::byte* moved(const TensorView& view, std::int64_t elements) {
  return view.as<std::byte>() + elements * static_cast<std::int64_t>(info(view.elem).bytes);
}

// Returns the loops that fill a result, reading with the strides of `source`. Each operator then adjusts them.
Axes loopsOver(const TensorView& result, const TensorView& source) {
  Axes axes;
  const auto to = stridesOf(result), from = stridesOf(source);
  for (std::size_t i = 0; i < static_cast<std::size_t>(result.shape.rank()); ++i)
    axes[i] = {result.shape[static_cast<int>(i)], to[i], from[i]};
  return axes;
}

bool runTranspose(Step& step, Fault&) {
  const TensorView &x = step.in(0), &y = step.out(0);
  Axes axes = loopsOver(y, x);
  const auto from = stridesOf(x);
  for (int i = 0; i < y.shape.rank(); ++i)
    axes[static_cast<std::size_t>(i)].from = from[static_cast<std::size_t>(step.integer(i))];
  stridedCopy(y.data, x.data, first(axes, y.shape.rank()), widthOf(step));
  return true;
}

bool runCopy(Step& step, Fault&) {
  std::memcpy(step.out(0).data, step.in(0).data, step.out(0).bytes());
  return true;
}

// Copies one input of a concatenation to its place: one row for each index of the axes before `axis`. Tensors must be
// dense.
void copyRows(const TensorView& x, std::byte* to, std::int64_t toPitch, int axis, std::size_t width) {
  const std::int64_t rows = product(x.shape, 0, axis);
  const auto bytes = static_cast<std::size_t>(product(x.shape, axis, x.shape.rank())) * width;
  const auto* from = x.as<std::byte>();
  for (std::int64_t row = 0; row < rows; ++row, from += bytes, to += toPitch * static_cast<std::int64_t>(width))
    std::memcpy(to, from, bytes);
}

bool runConcat(Step& step, Fault&) {
  const TensorView& y = step.out(0);
  const int axis = static_cast<int>(step.integer(0));
  const std::int64_t inner = product(y.shape, axis + 1, y.shape.rank());
  const bool isDense = y.contiguous();
  std::int64_t start = 0;
  for (int i = 0; i < step.inputCount(); ++i) {
    const TensorView& x = step.in(i);
    if (isDense && x.contiguous() && x.shape.elements() > 0) {
      copyRows(x, moved(y, start), y.shape[axis] * inner, axis, widthOf(step));
      start += x.shape[axis] * inner;
      continue;
    }
    const auto to = stridesOf(y);
    Axes axes = loopsOver(x, x);
    for (std::size_t k = 0; k < static_cast<std::size_t>(y.shape.rank()); ++k) axes[k].to = to[k];
    stridedCopy(moved(y, start), x.data, first(axes, y.shape.rank()), widthOf(step));
    start += x.shape[axis] * to[static_cast<std::size_t>(axis)];
  }
  return true;
}

// ints: axis, start, step
bool runSlice(Step& step, Fault&) {
  const TensorView &x = step.in(0), &y = step.out(0);
  const auto axis = static_cast<std::size_t>(step.integer(0));
  Axes axes = loopsOver(y, x);
  const std::int64_t start = step.integer(1) * axes[axis].from;
  axes[axis].from *= step.integer(2);
  stridedCopy(y.data, moved(x, start), first(axes, y.shape.rank()), widthOf(step));
  return true;
}

bool runReverse(Step& step, Fault&) {
  const TensorView &x = step.in(0), &y = step.out(0);
  const auto axis = static_cast<std::size_t>(step.integer(0));
  Axes axes = loopsOver(y, x);
  const std::int64_t last = (axes[axis].size - 1) * axes[axis].from;
  axes[axis].from = -axes[axis].from;
  stridedCopy(y.data, moved(x, last), first(axes, y.shape.rank()), widthOf(step));
  return true;
}

bool runPad(Step& step, Fault&) {
  const TensorView &x = step.in(0), &y = step.out(0);
  constexpr std::uint64_t zero = 0;
  const std::int64_t columns = y.columns();
  const CopyAxis all[] = {{columns == 0 ? 0 : y.shape.elements() / columns, y.rowPitch(), 0}, {columns, 1, 0}};
  stridedCopy(y.data, step.inputCount() == 1 ? &zero : step.in(1).data, all, widthOf(step));
  Axes axes = loopsOver(x, x);
  const auto to = stridesOf(y);
  std::int64_t start = 0;
  for (int i = 0; i < y.shape.rank(); ++i) {
    axes[static_cast<std::size_t>(i)].to = to[static_cast<std::size_t>(i)];
    start += step.integer(2 * i) * to[static_cast<std::size_t>(i)];
  }
  if (x.shape.elements() > 0) stridedCopy(moved(y, start), x.data, first(axes, y.shape.rank()), widthOf(step));
  return true;
}

bool runUpsample(Step& step, Fault&) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const std::int64_t a = step.integer(0), b = step.integer(1), c = x[3];
  const CopyAxis axes[] = {{x[0], y[1] * y[2] * c, x[1] * x[2] * c},
                           {x[1], a * y[2] * c, x[2] * c},
                           {a, y[2] * c, 0},
                           {x[2], b * c, c},
                           {b, c, 0},
                           {c, 1, 1}};
  stridedCopy(step.out(0).data, step.in(0).data, axes, widthOf(step));
  return true;
}

bool runBroadcast(Step& step, Fault&) {
  const TensorView &x = step.in(0), &y = step.out(0);
  Axes axes = loopsOver(y, y);
  const auto from = stridesOf(x);
  const int lead = y.shape.rank() - x.shape.rank();
  for (int i = 0; i < y.shape.rank(); ++i)
    axes[static_cast<std::size_t>(i)].from =
        i < lead || x.shape[i - lead] == 1 ? 0 : from[static_cast<std::size_t>(i - lead)];
  stridedCopy(y.data, x.data, first(axes, y.shape.rank()), widthOf(step));
  return true;
}

// (data p@[n]@s, ids q) -> p@q@s
bool runGather(Step& step, Fault& fault) {
  const TensorView &data = step.in(0), &ids = step.in(1);
  const int axis = static_cast<int>(step.integer(0));
  const std::int64_t outer = product(data.shape, 0, axis), n = data.shape[axis], count = ids.shape.elements();
  const std::size_t bytes = static_cast<std::size_t>(product(data.shape, axis + 1, data.shape.rank())) * widthOf(step);
  auto* to = step.out(0).as<std::byte>();
  const auto* from = data.as<std::byte>();
  constexpr std::int64_t tileWidth = 64;
  std::int64_t id[tileWidth];
  for (std::int64_t o = 0; o < outer; ++o, from += static_cast<std::size_t>(n) * bytes)
    for (std::int64_t i0 = 0; i0 < count; i0 += tileWidth) {
      const std::int64_t tile = std::min(tileWidth, count - i0);
      if (!readIds(ids, i0, tile, n, id, fault)) return false;
      for (std::int64_t i = 0; i < tile; ++i, to += bytes)
        std::memcpy(to, from + static_cast<std::size_t>(id[i]) * bytes, bytes);
    }
  return true;
}

bool runDims(Step& step, Fault& fault) {
  if (step.unknownInt != DimState::known) {
    const bool zero = step.unknownInt == DimState::undefined;
    fault.code = zero ? ErrorCode::divisionByZero : ErrorCode::badSize;
    fault.message = zero ? "a dimension is divided by zero" : "a dimension overflows 64 bits";
    return false;
  }
  if (!step.ints.empty()) std::memcpy(step.out(0).data, step.ints.data(), step.ints.size() * sizeof step.ints[0]);
  return true;
}

const char* sameElem(const Step& step) {
  return step.in(0).elem == step.out(0).elem ? nullptr : "input and output differ in element type";
}

bool axisInRange(const Step& step, int rank) { return step.integer(0) >= 0 && step.integer(0) < rank; }

// Whether the shapes agree except along one axis.
bool agreeExceptAlong(const Shape& a, const Shape& b, int axis) {
  if (a.rank() != b.rank()) return false;
  for (int i = 0; i < a.rank(); ++i)
    if (i != axis && a[i] != b[i]) return false;
  return true;
}

}  // namespace

const char* prepareTranspose(Step& step) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  if (x.rank() != y.rank() || static_cast<int>(step.ints.size()) != x.rank()) return "the ranks do not fit";
  unsigned seen = 0;
  for (int i = 0; i < x.rank(); ++i) {
    const std::int64_t from = step.integer(i);
    if (from < 0 || from >= x.rank() || (seen >> from & 1) != 0) return "not a permutation";
    seen |= 1u << from;
    if (y[i] != x[static_cast<int>(from)]) return "the result has another shape";
  }
  step.kernel = runTranspose;
  return sameElem(step);
}

const char* prepareReshape(Step& step) {
  if (step.in(0).shape.elements() != step.out(0).shape.elements()) return "input and output differ in size";
  step.kernel = runCopy;
  return sameElem(step);
}

const char* prepareCopy(Step& step) {
  if (!(step.in(0).shape == step.out(0).shape)) return "input and output differ in shape";
  step.kernel = runCopy;
  return sameElem(step);
}

const char* prepareConcat(Step& step) {
  const Shape& y = step.out(0).shape;
  if (!axisInRange(step, y.rank())) return "the axis is out of range";
  const int axis = static_cast<int>(step.integer(0));
  std::int64_t size = 0;
  for (int i = 0; i < step.inputCount(); ++i) {
    if (step.in(i).elem != step.out(0).elem) return "inputs and output differ in element type";
    if (!agreeExceptAlong(step.in(i).shape, y, axis)) return "the shapes differ off the axis";
    if (__builtin_add_overflow(size, step.in(i).shape[axis], &size)) return "the sizes overflow";
  }
  if (size != y[axis]) return "the result has another size";
  step.kernel = runConcat;
  return nullptr;
}

const char* prepareSlice(Step& step) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  if (!axisInRange(step, x.rank()) || !agreeExceptAlong(x, y, static_cast<int>(step.integer(0))))
    return "the shapes do not fit";
  const std::int64_t start = step.integer(1), stride = step.integer(2), size = x[static_cast<int>(step.integer(0))];
  const std::int64_t count = y[static_cast<int>(step.integer(0))];
  if (start < 0 || start > size || stride < 1) return "start or step is out of range";
  // start + (count - 1)*stride < size, without overflow
  if (count > 0 && (start >= size || (count - 1) > (size - 1 - start) / stride)) return "it reaches past the end";
  step.kernel = runSlice;
  return sameElem(step);
}

const char* prepareReverse(Step& step) {
  if (!(step.in(0).shape == step.out(0).shape)) return "input and output differ in shape";
  if (!axisInRange(step, step.in(0).shape.rank())) return "the axis is out of range";
  step.kernel = runReverse;
  return sameElem(step);
}

const char* preparePad(Step& step) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  if (x.rank() != y.rank() || static_cast<int>(step.ints.size()) != 2 * x.rank()) return "the ranks do not fit";
  for (int i = 0; i < x.rank(); ++i) {
    const std::int64_t before = step.integer(2 * i), after = step.integer(2 * i + 1);
    std::int64_t size = 0;
    if (before < 0 || after < 0) return "a negative padding";
    if (__builtin_add_overflow(x[i], before, &size) || __builtin_add_overflow(size, after, &size) || size != y[i])
      return "the result has other sizes";
  }
  if (step.inputCount() > 2) return "more than a tensor and a value";
  if (step.inputCount() == 2 && (step.in(1).elem != step.in(0).elem || step.in(1).shape.rank() != 0))
    return "the value is not a scalar of the tensor's element type";
  step.kernel = runPad;
  return sameElem(step);
}

const char* prepareUpsample(Step& step) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  if (x.rank() != 4 || y.rank() != 4) return "image and result must have rank 4";
  std::int64_t height = 0, width = 0;
  if (step.integer(0) < 1 || step.integer(1) < 1 || __builtin_mul_overflow(x[1], step.integer(0), &height) ||
      __builtin_mul_overflow(x[2], step.integer(1), &width))
    return "a scale is out of range";
  if (y[0] != x[0] || y[1] != height || y[2] != width || y[3] != x[3]) return "the result has other sizes";
  step.kernel = runUpsample;
  return sameElem(step);
}

const char* prepareGather(Step& step) {
  const TensorView &data = step.in(0), &ids = step.in(1);
  if (!axisInRange(step, data.shape.rank())) return "the axis is out of range";
  Shape expected;
  bool fits = true;
  for (int i = 0; i < data.shape.rank(); ++i) {
    if (i != step.integer(0))
      fits = expected.push(data.shape[i]) && fits;
    else
      for (std::int64_t size : ids.shape) fits = expected.push(size) && fits;
  }
  if (!fits || !(expected == step.out(0).shape)) return "the result has another shape";
  step.kernel = runGather;
  return info(ids.elem).isInt ? sameElem(step) : "the indices are no integers";
}

const char* prepareBroadcast(Step& step) {
  if (!stretches(step.in(0).shape, step.out(0).shape)) return "the input does not stretch to the result's shape";
  step.kernel = runBroadcast;
  return sameElem(step);
}

const char* prepareDims(Step& step) {
  if (step.out(0).elem != Elem::i64) return "the result is not i64";
  if (step.out(0).shape.elements() != static_cast<std::int64_t>(step.ints.size())) return "the result has another size";
  step.kernel = runDims;
  return nullptr;
}

}  // namespace axle::runtime
