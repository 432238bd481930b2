#include "tests/runtime/stream_frames.h"

#include <cstring>

namespace axle::runtime::test {

namespace {

// A tensor as rows of frames along an axis.
struct Rows {
  std::int64_t count = 1, frameBytes = 1;

  Rows(const TensorView& view, int axis) : frameBytes(static_cast<std::int64_t>(info(view.elem).bytes)) {
    for (int i = 0; i < axis; ++i) count *= view.shape[i];
    for (int i = axis + 1; i < view.shape.rank(); ++i) frameBytes *= view.shape[i];
  }
};

// Copies `count` frames of each row.
void copyFrames(Tensor& to, std::int64_t at, const TensorView& from, std::int64_t first, std::int64_t count, int axis) {
  const Rows rows(from, axis);
  const std::int64_t bytes = count * rows.frameBytes;
  for (std::int64_t row = 0; row < rows.count && bytes > 0; ++row)
    std::memcpy(to.bytes().data() + (row * to.shape()[axis] + at) * rows.frameBytes,
                from.as<std::byte>() + (row * from.shape[axis] + first) * rows.frameBytes,
                static_cast<std::size_t>(bytes));
}

}  // namespace

Tensor framesOf(const TensorView& whole, int axis, std::int64_t first, std::int64_t last) {
  Shape shape = whole.shape;
  shape[axis] = last - first;
  Tensor part = Tensor::make(whole.elem, shape).value();
  copyFrames(part, 0, whole, first, last - first, axis);
  return part;
}

std::int64_t framesAt(const StreamInputInfo& input, std::int64_t n) {
  return n * static_cast<std::int64_t>(input.rate) / static_cast<std::int64_t>(input.per);
}

void JoinedFrames::add(const TensorView& view) { parts.push_back(Tensor::copyOf(view).value()); }

Tensor JoinedFrames::whole() const {
  Shape shape = parts.front().shape();
  shape[axis] = 0;
  for (const Tensor& part : parts) shape[axis] += part.shape()[axis];
  Tensor whole = Tensor::make(parts.front().view().elem, shape).value();
  std::int64_t at = 0;
  for (const Tensor& part : parts) {
    const std::int64_t count = part.shape()[axis];
    copyFrames(whole, at, part.view(), 0, count, axis);
    at += count;
  }
  return whole;
}

}  // namespace axle::runtime::test
