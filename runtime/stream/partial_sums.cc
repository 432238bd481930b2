#include "runtime/stream/partial_sums.h"

#include <algorithm>

namespace axle::runtime {
namespace {

using manifest::Sink;

std::int64_t floorQuotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

template <class T>
void addRow(T* __restrict to, const T* __restrict from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}

// Adds the shares of one frame. In memory these are `groups` times `count` runs of `run` elements; a frame of the
// buffer is `groups` runs. Adjacent runs of several frames are added as one row.
template <class T>
void addFrame(Frames& sums, const Sink& sink, const T* shares, std::int64_t first, std::int64_t row, std::int64_t run) {
  const std::int64_t elements = sums.frameBytes() / static_cast<std::int64_t>(sizeof(T)), groups = elements / run;
  const std::int64_t skipped =
      first < 0 ? std::min(sink.count, (-first + sink.spacing - 1) / sink.spacing) : std::int64_t{0};
  const auto at = [&](std::int64_t block) {
    return reinterpret_cast<T*>(sums.at(first + block * sink.spacing) + row * sums.capacity() * sums.frameBytes());
  };
  if (groups == 1 && sink.spacing == 1 && skipped < sink.count)
    return addRow(at(skipped), shares + skipped * run, (sink.count - skipped) * run);
  for (std::int64_t block = skipped; block < sink.count; ++block) {
    T* const to = at(block);
    for (std::int64_t group = 0; group < groups; ++group)
      addRow(to + group * run, shares + (group * sink.count + block) * run, run);
  }
}

template <class T>
void addFrames(Frames& sums, const Sink& sink, std::int64_t run, const T* shares, std::int64_t first,
               std::int64_t frames) {
  const std::int64_t pitch = sums.frameBytes() / static_cast<std::int64_t>(sizeof(T)) * sink.count;
  for (std::int64_t row = 0; row < sums.outer(); ++row)
    for (std::int64_t i = 0; i < frames; ++i, shares += pitch)
      addFrame(sums, sink, shares, firstSum(sink, first + i), row, run);
}

}  // namespace

std::int64_t firstSum(const Sink& sink, std::int64_t frame) {
  return floorQuotient(frame * sink.step + sink.shift, sink.per);
}

std::int64_t endOfSums(const Sink& sink, std::int64_t end) {
  return std::max<std::int64_t>(0, firstSum(sink, end - 1) + (sink.count - 1) * sink.spacing + 1);
}

std::int64_t mostSums(const Sink& sink, std::int64_t frames) {
  return frames * sink.step / sink.per + 1 + (sink.count - 1) * sink.spacing + 1;
}

std::int64_t framesToAdd(const StageSource& source, const Frames& operand) {
  const manifest::Source& window = *source.source;
  if (operand.made() == 0) return 0;
  const std::int64_t reach = operand.isComplete() ? window.first : window.last;
  return std::max<std::int64_t>(0, floorQuotient(operand.made() - 1 - reach, window.stride) + 1);
}

std::optional<Shape> shapeOfSum(const Sink& sink, int axis, Shape shares, std::int64_t frames) {
  const int along = static_cast<int>(sink.along);
  std::int64_t blocks = 0;  // elements of all blocks in turn
  if (__builtin_mul_overflow(sink.count, sink.run, &blocks) || shares[along] % blocks != 0) return std::nullopt;
  shares[along] /= sink.count;
  if (shares[axis] != frames) return std::nullopt;
  shares[axis] = 1;
  return shares;
}

void addShares(Frames& sums, const Sink& sink, int axis, const TensorView& shares, std::int64_t first,
               std::int64_t frames) {
  const int along = static_cast<int>(sink.along);
  std::int64_t run = sink.run;
  for (int i = along + 1; i < shares.shape.rank(); ++i) run *= shares.shape[i];
  if (along == axis) run = sums.frameBytes() / static_cast<std::int64_t>(info(sums.elem()).bytes);
  if (run == 0 || sums.frameBytes() == 0) return;
  if (sums.elem() == Elem::f64)
    addFrames(sums, sink, run, shares.as<double>(), first, frames);
  else
    addFrames(sums, sink, run, shares.as<float>(), first, frames);
}

}  // namespace axle::runtime
