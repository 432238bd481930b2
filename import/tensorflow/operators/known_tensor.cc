#include "import/tensorflow/operators/known_tensor.h"

namespace axle::tensorflow {

std::optional<Known> knownOf(const Tensor& tensor, DimStore& dims) {
  if (isReal(tensor.type)) {
    if (tensor.count > mostReals) return std::nullopt;
    Known known{tensor.shape, {}, true};
    for (std::int64_t i = 0; i < tensor.count; ++i) {
      auto value = tensor.real(i);
      if (!value) return std::nullopt;
      known.elements.push_back(realElement(*value, tensor.type, dims));
    }
    return known;
  }
  const TypeRow& row = info(tensor.type);
  bool isWhole = row.element && (axle::info(*row.element).isInt || *row.element == Elem::boolean);
  if (!isWhole || tensor.type == Type::u64 || tensor.count > mostKnown) return std::nullopt;
  Known known{tensor.shape, {}};
  for (std::int64_t i = 0; i < tensor.count; ++i) known.elements.push_back(dims.constant(tensor.integer(i)));
  return known;
}

}  // namespace axle::tensorflow
