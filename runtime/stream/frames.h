// The frames of one tensor that some readers still need. They are in linear memory, so that windows of frames are read
// in place.
//
// Memory has `outer` rows (the product of the sizes before the streamed axis) of `capacity` frames. It holds the frames
// [begin, end). Frames before 0 and, once the tensor is complete, those after its last one have the value `fill`.
// Frames are appended until there is no room; then those still needed move to the front. In a buffer of sums
// (partial_sums.h), frames from made() to the end have only some of their shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/stream/messages.h"
#include "runtime/tensor.h"

namespace axle::runtime {

inline constexpr std::int64_t maxStreamBytes = std::int64_t{1} << 46;  // for one tensor's frames

class Frames {
 public:
  // describe() sets the type of frames; the size of `shape` along the axis does not matter. reserve() sets the
  // capacity, and how much may be read: `front` frames before 0, and, by readers that wait for the end, `reach` frames
  // before it. Both return false if the bytes cannot be addressed.
  bool describe(Elem elem, const Shape& shape, const manifest::Buffer& buffer);
  bool reserve(std::int64_t front, std::int64_t reach, std::int64_t capacity);

  std::size_t addReader();
  // Records that the reader needs no frame before `frame` any more.
  void advance(std::size_t reader, std::int64_t frame) { needed_[reader] = frame; }

  Elem elem() const { return elem_; }
  // Returns the shape of a number of frames.
  Shape shapeOf(std::int64_t frames) const;
  std::int64_t outer() const { return outer_; }
  std::int64_t frameBytes() const { return frameBytes_; }  // in one row
  std::int64_t capacity() const { return capacity_; }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(outer_ * frameBytes_ * capacity_); }

  // place() starts empty in `memory` of bytes(), and clear() again in the same memory. With `poison`, unused memory is
  // NaN, and frames move at every occasion, so that reading one that is no longer needed shows.
  void place(std::byte* memory, bool poison);
  void clear();

  std::int64_t begin() const { return begin_; }
  std::int64_t made() const { return made_; }
  // Whether there is room for that many more frames, perhaps after a move. hasRoom() does the move.
  bool couldHold(std::int64_t frames) const { return frames <= capacity_ - (end_ - neededFrom()); }
  bool hasRoom(std::int64_t frames);
  // Appends frames, for which there is room, from rows of `pitch` bytes each.
  void append(const std::byte* from, std::int64_t frames, std::int64_t pitch);
  // For a buffer of sums: extend() appends zeros up to `end`, and returns false if there is no room; settle() marks the
  // sums before `made` as whole.
  bool extend(std::int64_t end);
  void settle(std::int64_t made) { made_ = made; }
  std::int64_t end() const { return end_; }
  // Records that no frame follows, and drops the sums after the last frame.
  void complete() {
    if (!isComplete_) end_ = made_;
    isComplete_ = true;
  }
  bool isComplete() const { return isComplete_; }

  // Whether the frames [first, last) are in memory: made, or, for a complete tensor, after its end, where this function
  // fills them in.
  bool hold(std::int64_t first, std::int64_t last);
  // Whether a window is a dense tensor in memory; if not, it must be copied.
  bool isDense() const { return outer_ == 1; }
  std::byte* at(std::int64_t frame) const { return memory_ + (frame - begin_) * frameBytes_; }
  void copy(std::int64_t first, std::int64_t last, std::byte* to) const;

  // The state of the buffer besides its frames, to be saved.
  struct Position {
    std::int64_t begin = 0, end = 0, made = 0;
    bool isComplete = false;
  };
  Position position() const { return {neededFrom(), end_, made_, isComplete_}; }
  // Returns false if there is no room for these frames.
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
  std::vector<std::int64_t> needed_;  // for each reader
  std::byte* memory_ = nullptr;
  bool poison_ = false;
  // Frames from made_ to end_ are sums that are not whole, or, in a complete tensor, have the value `fill`.
  std::int64_t begin_ = 0, end_ = 0, made_ = 0;
  bool isComplete_ = false;
};

}  // namespace axle::runtime
