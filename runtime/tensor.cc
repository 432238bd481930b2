#include "runtime/tensor.h"

#include <cstring>
#include <limits>
#include <new>

#include "io/joined.h"

namespace axle::runtime {

std::optional<Shape> Shape::of(std::span<const std::int64_t> sizes) {
  Shape shape;
  for (std::int64_t size : sizes)
    if (size < 0 || !shape.push(size)) return std::nullopt;
  return shape;
}

Shape Shape::withoutAxis(int axis) const {
  Shape rest;
  for (int i = 0; i < rank_; ++i)
    if (i != axis) rest.push((*this)[i]);
  return rest;
}

std::optional<std::int64_t> Shape::checkedElements() const {
  // A size of 0 makes the tensor empty, but the product of the other sizes must fit too, because strides use it.
  std::int64_t count = 1;
  bool empty = false;
  for (std::int64_t size : *this) {
    if (size < 0) return std::nullopt;
    if (size == 0)
      empty = true;
    else if (__builtin_mul_overflow(count, size, &count))
      return std::nullopt;
  }
  return empty ? 0 : count;
}

std::optional<std::uint64_t> Shape::checkedBytes(Elem elem) const {
  const auto count = checkedElements();
  std::int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, static_cast<std::int64_t>(info(elem).bytes), &bytes))
    return std::nullopt;
  if (static_cast<std::uint64_t>(bytes) > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()))
    return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string toText(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

std::string typeText(Elem elem, const Shape& shape) { return joined({info(elem).name, " ", toText(shape)}); }

void Tensor::Free::operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(tensorAlignment)); }

Result<Tensor> Tensor::make(Elem elem, const Shape& shape) {
  auto tensor = makeUnset(elem, shape);
  if (tensor) std::memset(tensor->view_.data, 0, tensor->view_.bytes());
  return tensor;
}

Result<Tensor> Tensor::makeUnset(Elem elem, const Shape& shape) {
  const auto bytes = shape.checkedBytes(elem);
  if (!bytes)
    return failure(ErrorCode::outOfMemory, joined({"a tensor ", typeText(elem, shape), " is too large to address"}));
  const auto size = static_cast<std::size_t>(*bytes);
  Tensor tensor;
  tensor.view_ = {elem, shape, nullptr};
  auto* memory =
      static_cast<std::byte*>(::operator new(size == 0 ? 1 : size, std::align_val_t(tensorAlignment), std::nothrow));
  if (memory == nullptr)
    return failure(ErrorCode::outOfMemory, joined({"no memory for a tensor ", typeText(elem, shape)}));
  tensor.owned_.reset(memory);
  tensor.view_.data = memory;
  return tensor;
}

Result<Tensor> Tensor::copyOf(const TensorView& view) {
  auto tensor = makeUnset(view.elem, view.shape);
  if (tensor && view.bytes() > 0) std::memcpy(tensor->view_.data, view.data, view.bytes());
  return tensor;
}

}  // namespace axle::runtime
