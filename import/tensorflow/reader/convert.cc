#include "import/tensorflow/reader/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "import/tensorflow/reader/sorted_table.h"

namespace axle::tensorflow {

namespace {

tl::unexpected<std::string> wrong(std::string what) { return tl::unexpected<std::string>(std::move(what)); }

std::string sizesText(const std::vector<std::int64_t>& sizes) { return fmt::format("[{}]", fmt::join(sizes, ", ")); }

// Returns the first values of a field, at most `limit`, as the bytes of Ts.
template <class T, class Field>
std::string packed(const Field& field, std::int64_t limit) {
  const auto count = static_cast<std::size_t>(std::min<std::int64_t>(field.size(), limit));
  std::string bytes(count * sizeof(T), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(field[static_cast<int>(i)]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

// Returns the values of a tensor without tensor_content, from the field that its type uses.
std::string typedValues(const wire::TensorProto& message, Type type, std::int64_t limit) {
  switch (type) {
    case Type::f32:
      return packed<float>(message.float_val(), limit);
    case Type::f64:
      return packed<double>(message.double_val(), limit);
    case Type::i32:
    case Type::qint32:
      return packed<std::int32_t>(message.int_val(), limit);
    case Type::i16:
    case Type::qint16:
    case Type::u16:
    case Type::quint16:
      return packed<std::uint16_t>(message.int_val(), limit);
    case Type::i8:
    case Type::qint8:
    case Type::u8:
    case Type::quint8:
    case Type::int4:
    case Type::uint4:
    case Type::int2:
    case Type::uint2:
      return packed<std::uint8_t>(message.int_val(), limit);
    case Type::f16:
    case Type::bf16:
      return packed<std::uint16_t>(message.half_val(), limit);
    case Type::i64:
      return packed<std::int64_t>(message.int64_val(), limit);
    case Type::boolean:
      return packed<std::uint8_t>(message.bool_val(), limit);
    case Type::u32:
      return packed<std::uint32_t>(message.uint32_val(), limit);
    case Type::u64:
      return packed<std::uint64_t>(message.uint64_val(), limit);
    case Type::c64:
      return packed<float>(message.scomplex_val(), limit > INT64_MAX / 2 ? limit : 2 * limit);
    case Type::c128:
      return packed<double>(message.dcomplex_val(), limit > INT64_MAX / 2 ? limit : 2 * limit);
    case Type::f8e5m2:
    case Type::f8e4m3fn:
    case Type::f8e4m3fnuz:
    case Type::f8e4m3b11fnuz:
    case Type::f8e5m2fnuz:
      return message.float8_val().substr(0, static_cast<std::size_t>(limit));
    case Type::invalid:
    case Type::string:
    case Type::resource:
    case Type::variant:
      break;
  }
  return {};
}

// Returns the strings in tensor_content: all lengths as varints, then all bytes.
Converted<std::vector<std::string>> contentStrings(std::string_view content, std::int64_t count) {
  std::vector<std::uint64_t> lengths;
  while (static_cast<std::int64_t>(lengths.size()) < count) {
    lengths.push_back(0);
    if (!takeVarint(content, lengths.back())) return wrong("has string lengths that its content does not hold");
  }
  std::vector<std::string> strings;
  for (std::uint64_t length : lengths) {
    if (length > content.size()) return wrong("has strings that end behind its content");
    strings.emplace_back(content.substr(0, length));
    content.remove_prefix(length);
  }
  return strings;
}

Converted<Tensor> takeStrings(wire::TensorProto& message, Tensor tensor) {
  if (!message.tensor_content().empty()) {
    auto strings = contentStrings(message.tensor_content(), tensor.count);
    if (!strings) return wrong(strings.error());
    tensor.strings = std::move(*strings);
    return tensor;
  }
  for (std::string& text : *message.mutable_string_val())
    if (static_cast<std::int64_t>(tensor.strings.size()) < tensor.count) tensor.strings.push_back(std::move(text));
  return tensor;
}

}  // namespace

Converted<PartialShape> shapeOf(const wire::TensorShapeProto& message) {
  PartialShape shape;
  if (message.unknown_rank()) return shape;
  shape.knownRank = true;
  if (message.dim_size() > 254) return wrong(fmt::format("has a shape of {} dimensions", message.dim_size()));
  for (const auto& dim : message.dim()) {
    if (dim.size() < -1) return wrong(fmt::format("has a shape with the size {}", dim.size()));
    shape.sizes.push_back(dim.size());
  }
  return shape;
}

Converted<Tensor> takeTensor(wire::TensorProto& message) {
  Tensor tensor;
  tensor.type = typeNumbered(message.dtype());
  if (tensor.type == Type::invalid)
    return wrong(fmt::format("has a tensor of no known element type ({})", static_cast<int>(message.dtype())));
  auto shape = shapeOf(message.tensor_shape());
  if (!shape) return wrong(shape.error());
  tensor.shape = std::move(shape->sizes);
  auto count = shape->knownRank ? elementCount(tensor.type, tensor.shape) : std::nullopt;
  if (!count)
    return wrong(shape->knownRank ? fmt::format("has a tensor of the impossible shape {}", sizesText(tensor.shape))
                                  : "has a tensor of unknown rank");
  tensor.count = *count;
  if (tensor.type == Type::string) return takeStrings(message, std::move(tensor));
  const std::size_t each = info(tensor.type).bytes;
  if (message.tensor_content().empty()) {
    tensor.bytes = typedValues(message, tensor.type, tensor.count);
    if (each) tensor.bytes.resize(tensor.bytes.size() / each * each);  // drops an unpaired half of a complex number
    return tensor;
  }
  const std::size_t there = message.tensor_content().size(), needed = static_cast<std::size_t>(tensor.count) * each;
  if (there != needed)
    return wrong(fmt::format("has {} bytes of content, but {} {} takes {}", there, spelling(tensor.type),
                             sizesText(tensor.shape), needed));
  tensor.bytes = std::move(*message.mutable_tensor_content());
  return tensor;
}

namespace {

Converted<FunctionName> takeFunction(wire::NameAttrList& message) {
  auto attributes = takeAttributes(*message.mutable_attr());
  if (!attributes) return wrong(attributes.error());
  return FunctionName{std::move(*message.mutable_name()), std::nullopt, std::move(*attributes)};
}

Converted<Value> takeList(wire::AttrValue::ListValue& list) {
  Values values;
  for (std::string& s : *list.mutable_s()) values.emplace_back(std::move(s));
  for (std::int64_t i : list.i()) values.emplace_back(i);
  for (float f : list.f()) values.emplace_back(f);
  for (bool b : list.b()) values.emplace_back(b);
  for (int type : list.type()) values.emplace_back(typeNumbered(type));
  for (const auto& message : list.shape()) {
    auto shape = shapeOf(message);
    if (!shape) return wrong(shape.error());
    values.emplace_back(std::move(*shape));
  }
  for (auto& message : *list.mutable_tensor()) {
    auto tensor = takeTensor(message);
    if (!tensor) return wrong(tensor.error());
    values.emplace_back(std::make_shared<const Tensor>(std::move(*tensor)));
  }
  for (auto& message : *list.mutable_func()) {
    auto function = takeFunction(message);
    if (!function) return wrong(function.error());
    values.emplace_back(std::move(*function));
  }
  return Value(std::move(values));
}

}  // namespace

Converted<Value> takeValue(wire::AttrValue& message) {
  const auto made = [](auto converted) -> Converted<Value> {
    if (!converted) return wrong(converted.error());
    return Value(std::move(*converted));
  };
  switch (message.value_case()) {
    case wire::AttrValue::kList:
      return takeList(*message.mutable_list());
    case wire::AttrValue::kS:
      return Value(std::move(*message.mutable_s()));
    case wire::AttrValue::kI:
      return Value(static_cast<std::int64_t>(message.i()));
    case wire::AttrValue::kF:
      return Value(message.f());
    case wire::AttrValue::kB:
      return Value(message.b());
    case wire::AttrValue::kType:
      return Value(typeNumbered(message.type()));
    case wire::AttrValue::kShape:
      return made(shapeOf(message.shape()));
    case wire::AttrValue::kTensor: {
      auto tensor = takeTensor(*message.mutable_tensor());
      if (!tensor) return wrong(tensor.error());
      return Value(std::make_shared<const Tensor>(std::move(*tensor)));
    }
    case wire::AttrValue::kPlaceholder:
      return Value(FromCall{std::move(*message.mutable_placeholder())});
    case wire::AttrValue::kFunc:
      return made(takeFunction(*message.mutable_func()));
    case wire::AttrValue::VALUE_NOT_SET:
      break;
  }
  return Value();
}

Converted<std::vector<Attribute>> takeAttributes(google::protobuf::Map<std::string, wire::AttrValue>& messages) {
  std::vector<Attribute> attributes;
  attributes.reserve(messages.size());
  for (auto& [name, message] : messages) {
    auto value = takeValue(message);
    if (!value) return wrong(fmt::format("`{}` {}", name, value.error()));
    attributes.push_back({name, std::move(*value)});
  }
  std::sort(attributes.begin(), attributes.end(),
            [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
  return attributes;
}

}  // namespace axle::tensorflow
