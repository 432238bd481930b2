#include "import/builder/known_value.h"

#include <bit>

namespace axle {

std::int64_t countOf(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  bool fits = true;
  for (std::int64_t size : shape) {
    if (size == 0) return 0;
    fits = fits && !__builtin_mul_overflow(count, size, &count);
  }
  return fits ? count : INT64_MAX;
}

std::optional<std::size_t> axisIn(std::int64_t axis, std::size_t rank) {
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  return axis >= 0 && axis < static_cast<std::int64_t>(rank) ? std::optional(static_cast<std::size_t>(axis))
                                                             : std::nullopt;
}

std::int64_t elementsFrom(const std::vector<std::int64_t>& shape, std::size_t axis) {
  return countOf({shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end()});
}

std::optional<std::vector<std::int64_t>> wholeNumbers(const Known& known, const DimStore& dims) {
  std::vector<std::int64_t> out;
  if (known.isReal) return std::nullopt;
  for (Dim d : known.elements) {
    auto value = dims.asConstant(d);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

Dim realElement(double value, Elem elem, DimStore& dims) {
  return dims.constant(
      std::bit_cast<std::int64_t>(elem == Elem::f32 ? static_cast<double>(static_cast<float>(value)) : value));
}

std::optional<double> realOf(Dim element, const DimStore& dims) {
  auto bits = dims.asConstant(element);
  return bits ? std::optional(std::bit_cast<double>(*bits)) : std::nullopt;
}

std::optional<std::vector<double>> realNumbers(const Known& known, const DimStore& dims) {
  std::vector<double> out;
  if (!known.isReal) return std::nullopt;
  for (Dim d : known.elements) {
    auto value = realOf(d, dims);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

}  // namespace axle
