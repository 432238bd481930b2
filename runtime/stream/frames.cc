#include "runtime/stream/frames.h"

#include <algorithm>
#include <cstring>

namespace axle::runtime {

bool Frames::describe(Elem elem, const Shape& shape, const manifest::Buffer& buffer) {
  elem_ = elem;
  shape_ = shape;
  axis_ = static_cast<int>(buffer.axis);
  shape_[axis_] = 1;
  fillValue_ = buffer.fill;
  fillValue_.resize(info(elem).bytes);
  if (!shape_.checkedBytes(elem)) return false;
  outer_ = 1, frameBytes_ = 0;
  if (shape_.elements() == 0) return true;
  frameBytes_ = static_cast<std::int64_t>(info(elem).bytes);
  for (int i = 0; i < axis_; ++i) outer_ *= shape_[i];
  for (int i = axis_ + 1; i < shape_.rank(); ++i) frameBytes_ *= shape_[i];
  return true;
}

bool Frames::reserve(std::int64_t front, std::int64_t reach, std::int64_t capacity) {
  front_ = front, reach_ = reach, capacity_ = capacity;
  std::int64_t bytes = 0;
  return !__builtin_mul_overflow(outer_ * frameBytes_, capacity, &bytes) && bytes < maxStreamBytes;
}

std::size_t Frames::addReader() {
  needed_.push_back(0);
  return needed_.size() - 1;
}

Shape Frames::shapeOf(std::int64_t frames) const {
  Shape shape = shape_;
  shape[axis_] = frames;
  return shape;
}

void Frames::place(std::byte* memory, bool poison) {
  memory_ = memory;
  poison_ = poison;
  clear();
}

void Frames::clear() {
  begin_ = -front_, end_ = 0, made_ = 0;
  isComplete_ = false;
  poison(0, capacity_ - front_);
  fill(memory_, front_);
}

std::int64_t Frames::neededFrom() const {
  std::int64_t from = made_ - reach_;
  for (const std::int64_t needed : needed_) from = std::min(from, needed);
  return std::clamp(from, begin_, end_);
}

bool Frames::hasRoom(std::int64_t frames) {
  if (frames <= capacity_ - (end_ - begin_) && !poison_) return true;
  const std::int64_t from = neededFrom(), kept = end_ - from;
  if (frames > capacity_ - kept) return false;
  for (std::int64_t row = 0; row < outer_; ++row) {
    std::byte* const to = memory_ + row * capacity_ * frameBytes_;
    std::memmove(to, to + (from - begin_) * frameBytes_, static_cast<std::size_t>(kept * frameBytes_));
  }
  begin_ = from;
  poison(end_, begin_ + capacity_);
  return true;
}

void Frames::append(const std::byte* from, std::int64_t frames, std::int64_t pitch) {
  const auto bytes = static_cast<std::size_t>(frames * frameBytes_);
  for (std::int64_t row = 0; row < outer_ && bytes > 0; ++row)  // without bytes `from` may be null
    std::memcpy(at(end_) + row * capacity_ * frameBytes_, from + row * pitch, bytes);
  end_ += frames, made_ += frames;
}

bool Frames::extend(std::int64_t end) {
  if (end <= end_) return true;
  if (!hasRoom(end - end_)) return false;
  for (std::int64_t row = 0; row < outer_; ++row)
    std::memset(at(end_) + row * capacity_ * frameBytes_, 0, static_cast<std::size_t>((end - end_) * frameBytes_));
  end_ = end;
  return true;
}

bool Frames::hold(std::int64_t first, std::int64_t last) {
  if (first < begin_) return false;
  if (last <= (isComplete_ ? end_ : made_)) return true;
  if (!isComplete_ || !hasRoom(last - end_)) return false;
  fill(at(end_), last - end_);
  end_ = last;
  return true;
}

void Frames::copy(std::int64_t first, std::int64_t last, std::byte* to) const {
  const std::int64_t bytes = (last - first) * frameBytes_;
  for (std::int64_t row = 0; row < outer_; ++row)
    std::memcpy(to + row * bytes, at(first) + row * capacity_ * frameBytes_, static_cast<std::size_t>(bytes));
}

bool Frames::setPosition(const Position& position) {
  if (position.begin > position.end || position.end - position.begin > capacity_ || position.made > position.end)
    return false;
  begin_ = position.begin, end_ = position.end, made_ = position.made;
  isComplete_ = position.isComplete;
  poison(begin_, begin_ + capacity_);
  return true;
}

void Frames::fill(std::byte* at, std::int64_t frames) const {
  const std::size_t width = fillValue_.size();
  for (std::int64_t row = 0; row < outer_; ++row) {
    std::byte* const to = at + row * capacity_ * frameBytes_;
    for (std::int64_t byte = 0; byte < frames * frameBytes_; byte += static_cast<std::int64_t>(width))
      std::memcpy(to + byte, fillValue_.data(), width);
  }
}

void Frames::poison(std::int64_t first, std::int64_t last) const {
  if (!poison_) return;
  for (std::int64_t row = 0; row < outer_; ++row)
    std::memset(at(first) + row * capacity_ * frameBytes_, 0xFF,
                static_cast<std::size_t>((last - first) * frameBytes_));
}

}  // namespace axle::runtime
