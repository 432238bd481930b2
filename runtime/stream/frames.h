// The frames of one tensor that some readers still need, in linear memory: a window of frames is read where it lies.
//
// Memory has `outer` rows (the product of the sizes before the streamed axis) of `capacity` frames. It holds the frames
// [begin, end); frames before 0 and, once the tensor is complete, behind its last one have the value `fill`. Frames are
// appended until there is no room; then those that are still needed move to the front. In a buffer of sums
// (partial_sums.h), frames from made() to the end have some of their shares already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/stream/messages.h"
#include "runtime/tensor.h"

namespace axle::runtime {

inline constexpr std::int64_t maxStreamBytes = std::int64_t{1} << 46;  // of one tensor's frames

class Frames {
 public:
  // One frame's type; `shape` has size 1 at the axis. `front` frames before 0 may be read, `reach` frames before the
  // end by readers that wait for it. False if the bytes cannot be addressed.
  bool describe(Elem elem, const Shape& shape, const manifest::Buffer& buffer);
  bool reserve(std::int64_t front, std::int64_t reach, std::int64_t capacity);

  std::size_t addReader();
  // The reader needs no frame before `frame` from now on.
  void advance(std::size_t reader, std::int64_t frame) { needed_[reader] = frame; }

  Elem elem() const { return elem_; }
  // The type of several frames.
  Shape shapeOf(std::int64_t frames) const;
  std::int64_t outer() const { return outer_; }
  std::int64_t frameBytes() const { return frameBytes_; }  // in one row
  std::int64_t capacity() const { return capacity_; }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(outer_ * frameBytes_ * capacity_); }

  // Begins again in `memory` of bytes(). With `poison`, memory that holds nothing is NaN, and frames move at every
  // occasion, so that none is read that is not needed any more.
  void place(std::byte* memory, bool poison);
  void clear();

  std::int64_t begin() const { return begin_; }
  std::int64_t made() const { return made_; }
  // Whether there is room for so many more frames, if need be after a move; hasRoom() moves.
  bool couldHold(std::int64_t frames) const { return frames <= capacity_ - (end_ - neededFrom()); }
  bool hasRoom(std::int64_t frames);
  // Appends frames, for which there is room, from rows of `pitch` bytes each.
  void append(const std::byte* from, std::int64_t frames, std::int64_t pitch);
  // Of a buffer of sums: zeros up to `end`, if there are none yet, and room for them; then the sums before `made` are
  // whole.
  bool extend(std::int64_t end);
  void settle(std::int64_t made) { made_ = made; }
  std::int64_t end() const { return end_; }
  // No frame follows; the sums of those behind the last one are of no matter.
  void complete() {
    if (!isComplete_) end_ = made_;
    isComplete_ = true;
  }
  bool isComplete() const { return isComplete_; }

  // Whether the frames [first, last) are in memory, once those behind the end are filled in. They must be there: made,
  // or behind the end of a complete tensor.
  bool hold(std::int64_t first, std::int64_t last);
  // Whether a window lies in memory as a dense tensor; if not, it is copied.
  bool isDense() const { return outer_ == 1; }
  std::byte* at(std::int64_t frame) const { return memory_ + (frame - begin_) * frameBytes_; }
  void copy(std::int64_t first, std::int64_t last, std::byte* to) const;

  // For saved states: what place() and clear() do not set.
  struct Position {
    std::int64_t begin = 0, end = 0, made = 0;
    bool isComplete = false;
  };
  Position position() const { return {neededFrom(), end_, made_, isComplete_}; }
  // False if there is no room for these frames.
  bool setPosition(const Position& position);

 private:
  std::int64_t neededFrom() const;
  void fill(std::byte* at, std::int64_t frames) const;
  void poison(std::int64_t first, std::int64_t last) const;

  Elem elem_ = Elem::f32;
  Shape shape_;
  int axis_ = 0;
  std::vector<std::byte> fillValue_;
  std::int64_t outer_ = 1, frameBytes_ = 0, front_ = 0, reach_ = 0, capacity_ = 0;
  std::vector<std::int64_t> needed_;  // by reader
  std::byte* memory_ = nullptr;
  bool poison_ = false;
  // Frames from made_ to end_ are sums that are not whole; of a complete tensor they have the value `fill`.
  std::int64_t begin_ = 0, end_ = 0, made_ = 0;
  bool isComplete_ = false;
};

}  // namespace axle::runtime
