// Divides a sequence into frames, and adds overlapping frames to a sequence.
#include <algorithm>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"
#include "runtime/kernels/window.h"
#include "runtime/parts.h"

namespace axle::runtime {
namespace {

// p@[n]@s -> p@[frames, length]@s. ints: axis, step
bool runFrame(Step& step, Part part, Fault&) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const int axis = static_cast<int>(step.integer(0));
  const std::int64_t inner = product(x, axis + 1, x.rank()), frames = y[axis], length = y[axis + 1];
  CopyAxis axes[] = {{product(x, 0, axis), frames * length * inner, x[axis] * inner},
                     {frames, length * inner, step.integer(1) * inner},
                     {length * inner, 1, 1}};
  stridedCopyPart(step.out(0).data, step.in(0).data, axes, info(step.in(0).elem).bytes, part);
  return true;
}

// p@[frames, length]@s -> p@[(frames - 1)*step + length]@s. ints: axis, step. Each result is the sum, in order, of the
// frames that overlap it. Parts divide the places of the sequences.
template <class T>
bool runOverlapAdd(Step& step, Part part, Fault&) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const int axis = static_cast<int>(step.integer(0));
  const std::int64_t inner = product(y, axis + 1, y.rank()), frames = x[axis], length = x[axis + 1], size = y[axis];
  const std::int64_t stride = step.integer(1), outer = product(y, 0, axis);
  T* out = step.out(0).as<T>() + part.begin(outer * size) * inner;
  for (std::int64_t place = part.begin(outer * size); place < part.end(outer * size); ++place) {
    const std::int64_t o = place / size, i = place % size;
    const std::int64_t first = i < length ? 0 : (i - length) / stride + 1, last = std::min(frames - 1, i / stride);
    for (std::int64_t j = 0; j < inner; ++j) {
      Sum<T> sum{0};
      for (std::int64_t f = first; f <= last; ++f)
        sum += toSum(step.in(0).as<T>()[((o * frames + f) * length + i - f * stride) * inner + j]);
      *out++ = fromSum<T>(sum);
    }
  }
  return true;
}

// Checks that `whole` has the right size along the axis for the frames of `framed`, and that other sizes are equal.
const char* check(const Step& step, const Shape& whole, const Shape& framed, bool exact) {
  const std::int64_t axis = step.integer(0), stride = step.integer(1);
  if (step.in(0).elem != step.out(0).elem) return "input and output differ in element type";
  if (axis < 0 || axis >= whole.rank() || framed.rank() != whole.rank() + 1) return "the ranks do not fit";
  for (int i = 0; i < whole.rank(); ++i)
    if (i != axis && whole[i] != framed[i < axis ? i : i + 1]) return "the result has other sizes";
  const std::int64_t frames = framed[static_cast<int>(axis)], length = framed[static_cast<int>(axis) + 1];
  const std::int64_t size = whole[static_cast<int>(axis)];
  if (stride < 1 || stride >= windowLimit || frames >= windowLimit || length >= windowLimit)
    return "a size is out of range";
  const std::int64_t covered = frames == 0 ? 0 : windowSpan(PlainSizes(), frames, stride, length);
  return covered == size || (!exact && covered < size) ? nullptr : "the frames do not fit the sequence";
}

}  // namespace

const char* prepareFrame(Step& step) {
  if (const char* problem = check(step, step.in(0).shape, step.out(0).shape, false)) return problem;
  return divideStep(step, runFrame, step.out(0).bytes() / 8);
}

const char* prepareOverlapAdd(Step& step) {
  if (const char* problem = check(step, step.out(0).shape, step.in(0).shape, true)) return problem;
  return divideStep(
      step, forElem<numbers>(unsignedOf(step.in(0).elem), []<class T>() -> PartKernel { return &runOverlapAdd<T>; }),
      static_cast<std::uint64_t>(step.in(0).shape.elements()));
}

}  // namespace axle::runtime
