// Shapes and tensors of the runtime: dense, row-major, the last dimension fastest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "io/elem.h"
#include "runtime/error.h"

namespace axle::runtime {

inline constexpr int maxRank = 16;
inline constexpr std::size_t tensorAlignment = 64;

// At most maxRank sizes, each >= 0.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> sizes) {
    for (std::int64_t size : sizes) push(size);
  }

  // Returns none if there are more than maxRank sizes or one of them is negative.
  static std::optional<Shape> of(std::span<const std::int64_t> sizes);

  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const { return sizes_[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) { return sizes_[static_cast<std::size_t>(axis)]; }
  const std::int64_t* begin() const { return sizes_.data(); }
  const std::int64_t* end() const { return sizes_.data() + rank_; }

  // Returns false and changes nothing if the shape already has maxRank sizes.
  bool push(std::int64_t size) {
    if (rank_ == maxRank) return false;
    sizes_[static_cast<std::size_t>(rank_++)] = size;
    return true;
  }
  Shape withoutAxis(int axis) const;

  std::int64_t elements() const {  // the product of the sizes, which must not overflow
    std::int64_t count = 1;
    for (const std::int64_t size : *this) count *= size;
    return count;
  }
  std::optional<std::int64_t> checkedElements() const;    // none on overflow or a negative size
  std::optional<std::uint64_t> checkedBytes(Elem) const;  // none as above, or if larger than PTRDIFF_MAX

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

 private:
  int rank_ = 0;
  std::array<std::int64_t, maxRank> sizes_{};
};

std::string toText(const Shape& shape);               // `[2, 3]`
std::string typeText(Elem elem, const Shape& shape);  // `f32 [2, 3]`

// A tensor whose elements are owned elsewhere. The runtime never writes to an input; `data` may be null if there are no
// elements.
struct TensorView {
  Elem elem = Elem::f32;
  Shape shape;
  void* data = nullptr;
  // Elements from one row along the last axis to the next; 0: rows have no gaps. Only used inside a program.
  std::int64_t pitch = 0;

  bool dense() const { return pitch == 0; }
  // Whether there are no gaps between elements, perhaps because there is one row.
  bool contiguous() const { return dense() || shape.elements() == columns(); }
  std::int64_t columns() const { return shape.rank() == 0 ? 1 : shape[shape.rank() - 1]; }
  std::int64_t rowPitch() const { return pitch != 0 ? pitch : columns(); }
  std::size_t bytes() const { return static_cast<std::size_t>(shape.elements()) * info(elem).bytes; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

inline TensorView constView(Elem elem, const Shape& shape, const void* data) {
  return {elem, shape, const_cast<void*>(data), 0};
}

// A tensor that owns its elements, aligned to 64 bytes.
class Tensor {
 public:
  Tensor() = default;
  static Result<Tensor> make(Elem elem, const Shape& shape);       // all elements are zero
  static Result<Tensor> makeUnset(Elem elem, const Shape& shape);  // elements are uninitialised
  static Result<Tensor> copyOf(const TensorView& view);

  Elem elem() const { return view_.elem; }
  const Shape& shape() const { return view_.shape; }
  const TensorView& view() const { return view_; }
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(view_.data), view_.bytes()}; }

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  TensorView view_;
  std::unique_ptr<std::byte, Free> owned_;
};

}  // namespace axle::runtime
