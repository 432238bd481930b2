// Operators that move elements without computing; only the width of an element matters.
#include <algorithm>
#include <cstring>

#include "runtime/kernels/indices.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"
#include "runtime/parts.h"

namespace axle::runtime {
namespace {

using Axes = std::array<CopyAxis, maxRank>;

std::span<CopyAxis> first(Axes& axes, int rank) { return {axes.data(), static_cast<std::size_t>(rank)}; }

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

bool runTranspose(Step& step, Part part, Fault&) {
  const TensorView &x = step.in(0), &y = step.out(0);
  Axes axes = loopsOver(y, x);
  const auto from = stridesOf(x);
  for (int i = 0; i < y.shape.rank(); ++i)
    axes[static_cast<std::size_t>(i)].from = from[static_cast<std::size_t>(step.integer(i))];
  stridedCopyPart(y.data, x.data, first(axes, y.shape.rank()), widthOf(step), part);
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

// Parts divide each input.
bool runConcat(Step& step, Part part, Fault&) {
  const TensorView& y = step.out(0);
  const int axis = static_cast<int>(step.integer(0));
  const std::int64_t inner = product(y.shape, axis + 1, y.shape.rank());
  const bool isDense = y.contiguous();
  std::int64_t start = 0;
  for (int i = 0; i < step.inputCount(); ++i) {
    const TensorView& x = step.in(i);
    if (part.count == 1 && isDense && x.contiguous() && x.shape.elements() > 0) {
      copyRows(x, moved(y, start), y.shape[axis] * inner, axis, widthOf(step));
      start += x.shape[axis] * inner;
      continue;
    }
    const auto to = stridesOf(y);
    Axes axes = loopsOver(x, x);
    for (std::size_t k = 0; k < static_cast<std::size_t>(y.shape.rank()); ++k) axes[k].to = to[k];
    stridedCopyPart(moved(y, start), x.data, first(axes, y.shape.rank()), widthOf(step), part);
    start += x.shape[axis] * to[static_cast<std::size_t>(axis)];
  }
  return true;
}

// ints: axis, start, step
bool runSlice(Step& step, Part part, Fault&) {
  const TensorView &x = step.in(0), &y = step.out(0);
  const auto axis = static_cast<std::size_t>(step.integer(0));
  Axes axes = loopsOver(y, x);
  const std::int64_t start = step.integer(1) * axes[axis].from;
  axes[axis].from *= step.integer(2);
  stridedCopyPart(y.data, moved(x, start), first(axes, y.shape.rank()), widthOf(step), part);
  return true;
}

bool runReverse(Step& step, Part part, Fault&) {
  const TensorView &x = step.in(0), &y = step.out(0);
  const auto axis = static_cast<std::size_t>(step.integer(0));
  Axes axes = loopsOver(y, x);
  const std::int64_t last = (axes[axis].size - 1) * axes[axis].from;
  axes[axis].from = -axes[axis].from;
  stridedCopyPart(y.data, moved(x, last), first(axes, y.shape.rank()), widthOf(step), part);
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

bool runBroadcast(Step& step, Part part, Fault&) {
  const TensorView &x = step.in(0), &y = step.out(0);
  Axes axes = loopsOver(y, y);
  const auto from = stridesOf(x);
  const int lead = y.shape.rank() - x.shape.rank();
  for (int i = 0; i < y.shape.rank(); ++i)
    axes[static_cast<std::size_t>(i)].from =
        i < lead || x.shape[i - lead] == 1 ? 0 : from[static_cast<std::size_t>(i - lead)];
  stridedCopyPart(y.data, x.data, first(axes, y.shape.rank()), widthOf(step), part);
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

// Checks that the elements have one type, and divides the copy.
const char* divideCopy(Step& step, PartKernel kernel) {
  if (const char* problem = sameElem(step)) return problem;
  return divideStep(step, kernel, step.out(0).bytes() / 8);
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
  return divideCopy(step, runTranspose);
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
  return divideStep(step, runConcat, step.out(0).bytes() / 8);
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
  return divideCopy(step, runSlice);
}

const char* prepareReverse(Step& step) {
  if (!(step.in(0).shape == step.out(0).shape)) return "input and output differ in shape";
  if (!axisInRange(step, step.in(0).shape.rank())) return "the axis is out of range";
  return divideCopy(step, runReverse);
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

const char* prepareBroadcast(Step& step) {
  if (!stretches(step.in(0).shape, step.out(0).shape)) return "the input does not stretch to the result's shape";
  return divideCopy(step, runBroadcast);
}

const char* prepareDims(Step& step) {
  if (step.out(0).elem != Elem::i64) return "the result is not i64";
  if (step.out(0).shape.elements() != static_cast<std::int64_t>(step.ints.size())) return "the result has another size";
  step.kernel = runDims;
  return nullptr;
}

}  // namespace axle::runtime
