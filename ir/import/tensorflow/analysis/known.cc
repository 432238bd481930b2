#include "ir/import/tensorflow/analysis/known.h"

namespace axle::tensorflow {

std::int64_t countOf(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  bool fits = true;
  for (std::int64_t size : shape) {
    if (size == 0) return 0;
    fits = fits && !__builtin_mul_overflow(count, size, &count);
  }
  return fits ? count : INT64_MAX;
}

std::optional<Known> knownOf(const Tensor& tensor, DimStore& dims) {
  const TypeRow& row = info(tensor.type);
  bool isWhole = row.element && (axle::info(*row.element).isInt || *row.element == Elem::boolean);
  if (!isWhole || tensor.type == Type::u64 || tensor.count > mostKnown) return std::nullopt;
  Known known{tensor.shape, {}};
  for (std::int64_t i = 0; i < tensor.count; ++i) known.elements.push_back(dims.constant(tensor.integer(i)));
  return known;
}

std::optional<std::vector<std::int64_t>> numbers(const Known& known, const DimStore& dims) {
  std::vector<std::int64_t> out;
  for (Dim d : known.elements) {
    auto value = dims.asConstant(d);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

}  // namespace axle::tensorflow
