#include "import/tensorflow/tensor.h"

#include <cstring>
#include <limits>

namespace axle::tensorflow {

std::optional<std::int64_t> elementCount(Type type, const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1, bytes = static_cast<std::int64_t>(std::max<std::size_t>(1, info(type).bytes));
  bool empty = false, fits = true;
  for (std::int64_t size : sizes) {
    if (size < 0) return std::nullopt;
    if (size == 0)
      empty = true;
    else
      fits = fits && !__builtin_mul_overflow(count, size, &count) && count <= INT64_MAX / bytes;
  }
  if (!fits) return std::nullopt;  // strides overflow even if a size of 0 makes the tensor empty
  return empty ? 0 : count;
}

std::size_t Tensor::stored() const {
  if (type == Type::string) return strings.size();
  const std::size_t each = info(type).bytes;
  return each ? bytes.size() / each : 0;
}

std::string_view Tensor::element(std::int64_t index) const {
  static constexpr char zeros[16] = {};
  const std::size_t there = stored();
  const std::size_t each = info(type).bytes;
  if (there == 0) return {zeros, type == Type::string ? 0 : each};
  const std::size_t at = std::min(static_cast<std::size_t>(index), there - 1);
  if (type == Type::string) return strings[at];
  return std::string_view(bytes).substr(at * each, each);
}

std::string Tensor::dense() const {
  const std::size_t each = info(type).bytes;
  const std::size_t wanted = static_cast<std::size_t>(count) * each;
  std::string all = bytes.substr(0, std::min(bytes.size(), wanted));
  if (all.size() == wanted) return all;
  all.resize(wanted, '\0');
  if (const std::size_t there = stored(); there > 0) {
    const std::string last = bytes.substr((there - 1) * each, each);
    for (std::size_t at = there * each; at < wanted; at += each) std::memcpy(all.data() + at, last.data(), each);
  }
  return all;
}

TensorBytes bytesOf(const std::shared_ptr<const Tensor>& tensor) {
  if (tensor->isWhole()) return {tensor, std::as_bytes(std::span(tensor->bytes))};
  const auto all = std::make_shared<const std::string>(tensor->dense());
  return {all, std::as_bytes(std::span(*all))};
}

namespace {

template <class T>
std::int64_t asInteger(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::int64_t Tensor::integer(std::int64_t index) const {
  const std::string_view raw = element(index);
  switch (type) {
    case Type::i8:
    case Type::qint8:
    case Type::int4:
    case Type::int2:
      return asInteger<std::int8_t>(raw);
    case Type::u8:
    case Type::quint8:
    case Type::uint4:
    case Type::uint2:
    case Type::boolean:
      return asInteger<std::uint8_t>(raw);
    case Type::i16:
    case Type::qint16:
      return asInteger<std::int16_t>(raw);
    case Type::u16:
    case Type::quint16:
      return asInteger<std::uint16_t>(raw);
    case Type::i32:
    case Type::qint32:
      return asInteger<std::int32_t>(raw);
    case Type::u32:
      return asInteger<std::uint32_t>(raw);
    case Type::i64:
    case Type::u64:
      return asInteger<std::int64_t>(raw);
    default:
      return 0;
  }
}

std::optional<double> Tensor::real(std::int64_t index) const {
  std::string_view raw = element(index);
  if (type == Type::f32) {
    float value = 0;
    std::memcpy(&value, raw.data(), std::min(raw.size(), sizeof value));
    return value;
  }
  if (type != Type::f64) return std::nullopt;
  double value = 0;
  std::memcpy(&value, raw.data(), std::min(raw.size(), sizeof value));
  return value;
}

std::shared_ptr<Tensor> integerTensor(Type type, const std::vector<std::int64_t>& shape,
                                      const std::vector<std::int64_t>& values) {
  const std::size_t width = info(type).bytes;
  auto tensor = std::make_shared<Tensor>();
  tensor->type = type;
  tensor->shape = shape;
  tensor->count = static_cast<std::int64_t>(values.size());
  for (std::int64_t value : values) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    tensor->bytes.append(bytes, width);
    std::int64_t again = tensor->integer(static_cast<std::int64_t>(tensor->bytes.size() / width) - 1);
    if (again != value) return nullptr;
  }
  return tensor;
}

}  // namespace axle::tensorflow
