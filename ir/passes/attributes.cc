#include "ir/passes/attributes.h"

#include <cmath>
#include <cstring>

#include "io/half.h"

namespace axle::ir {

ConvAttributes convAttributes(const Node& conv) {
  const std::vector<Dim>& i = conv.ints;
  const std::size_t rank = (i.size() - 1) / 5;
  ConvAttributes attributes;
  for (std::size_t k = 0; k < rank; ++k)
    attributes.axes.push_back({Dim{}, i[k], i[rank + 2 * k], i[rank + 2 * k + 1], i[3 * rank + k], i[4 * rank + k]});
  attributes.groups = i.back();
  return attributes;
}

std::vector<Dim> attributeList(const ConvAttributes& attributes) {
  std::vector<Dim> ints;
  for (const WindowAxis& axis : attributes.axes) ints.push_back(axis.stride);
  for (const WindowAxis& axis : attributes.axes) ints.insert(ints.end(), {axis.before, axis.after});
  for (const WindowAxis& axis : attributes.axes) ints.push_back(axis.dilation);
  for (const WindowAxis& axis : attributes.axes) ints.push_back(axis.spread);
  ints.push_back(attributes.groups);
  return ints;
}

std::vector<WindowAxis> poolAttributes(const Node& pool) {
  const std::vector<Dim>& i = pool.ints;
  const std::size_t rank = i.size() / 4;
  std::vector<WindowAxis> axes;
  for (std::size_t k = 0; k < rank; ++k)
    axes.push_back({i[k], i[rank + k], i[2 * rank + 2 * k], i[2 * rank + 2 * k + 1], Dim{}, Dim{}});
  return axes;
}

std::vector<Dim> attributeList(const std::vector<WindowAxis>& pool) {
  std::vector<Dim> ints;
  for (const WindowAxis& axis : pool) ints.push_back(axis.size);
  for (const WindowAxis& axis : pool) ints.push_back(axis.stride);
  for (const WindowAxis& axis : pool) ints.insert(ints.end(), {axis.before, axis.after});
  return ints;
}

std::vector<PadAmount> padAmounts(const Node& pad) {
  std::vector<PadAmount> amounts;
  for (std::size_t i = 0; i + 1 < pad.ints.size(); i += 2) amounts.push_back({pad.ints[i], pad.ints[i + 1]});
  return amounts;
}

std::vector<Dim> attributeList(const std::vector<PadAmount>& amounts) {
  std::vector<Dim> ints;
  for (const PadAmount& amount : amounts) ints.insert(ints.end(), {amount.before, amount.after});
  return ints;
}

SliceAttributes sliceAttributes(const DimStore& dims, const Node& slice) {
  return {axisAttribute(dims, slice), slice.ints[1], slice.ints[2]};
}

std::vector<Dim> attributeList(DimStore& dims, const SliceAttributes& slice) {
  return {dims.constant(static_cast<std::int64_t>(slice.axis)), slice.start, slice.step};
}

std::vector<std::size_t> permutation(const DimStore& dims, const Node& transpose) {
  std::vector<std::size_t> perm;
  for (Dim d : transpose.ints) perm.push_back(static_cast<std::size_t>(dims.asConstant(d).value_or(0)));
  return perm;
}

std::vector<Dim> permutationList(DimStore& dims, const std::vector<std::size_t>& perm) {
  std::vector<Dim> ints;
  for (std::size_t axis : perm) ints.push_back(dims.constant(static_cast<std::int64_t>(axis)));
  return ints;
}

std::size_t axisAttribute(const DimStore& dims, const Node& node) {
  return static_cast<std::size_t>(dims.asConstant(node.ints[0]).value_or(0));
}

std::vector<Dim> axisList(DimStore& dims, std::size_t axis) { return {dims.constant(static_cast<std::int64_t>(axis))}; }

bool isUnaryPointwise(Op op) {
  const auto number = static_cast<int>(op);
  return (number >= static_cast<int>(Op::neg) && number <= static_cast<int>(Op::cos)) || op == Op::cast ||
         (number >= static_cast<int>(Op::asin) && number <= static_cast<int>(Op::bitcast));
}

bool isBinaryPointwise(Op op) {
  const auto number = static_cast<int>(op);
  return (number >= static_cast<int>(Op::add) && number <= static_cast<int>(Op::logicalOr)) ||
         (number >= static_cast<int>(Op::atan2) && number <= static_cast<int>(Op::shiftRight));
}

bool isCommutative(Op op) {
  switch (op) {
    case Op::add:
    case Op::mul:
    case Op::equal:
    case Op::notEqual:
    case Op::logicalAnd:
    case Op::logicalOr:
    case Op::bitAnd:
    case Op::bitOr:
    case Op::bitXor:
      return true;
    default:
      return false;
  }
}

Inferred inferNode(DimStore& dims, Op op, const std::vector<Fact>& inputs, const std::vector<Dim>& ints,
                   const std::vector<Fact>& declared) {
  const std::vector<const Graph*> none;
  return row(op).infer({dims, inputs, ints, declared, none});
}

namespace {

template <class T>
double numberAs(const std::byte* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

// Of 64-bit integers only those that a double holds exactly.
std::optional<double> numberAt(Elem elem, const std::byte* at) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  switch (elem) {
    case Elem::f16: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, at, sizeof bits);
      return f32FromF16(bits);
    }
    case Elem::bf16: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, at, sizeof bits);
      return f32FromBf16(bits);
    }
    case Elem::f32:
      return numberAs<float>(at);
    case Elem::f64:
      return numberAs<double>(at);
    case Elem::i8:
      return numberAs<std::int8_t>(at);
    case Elem::i16:
      return numberAs<std::int16_t>(at);
    case Elem::i32:
      return numberAs<std::int32_t>(at);
    case Elem::u8:
    case Elem::boolean:
      return numberAs<std::uint8_t>(at);
    case Elem::u16:
      return numberAs<std::uint16_t>(at);
    case Elem::u32:
      return numberAs<std::uint32_t>(at);
    case Elem::i64:
    case Elem::u64: {
      const double number = elem == Elem::i64 ? numberAs<std::int64_t>(at) : numberAs<std::uint64_t>(at);
      return std::abs(number) < exact ? std::optional(number) : std::nullopt;
    }
    case Elem::string:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> repeatedNumber(const Constant& constant) {
  constexpr std::size_t most = 65536;
  const std::size_t size = info(constant.elem).bytes;
  if (!constant.bytes || size == 0 || constant.bytes->size() < size || constant.bytes->size() > most)
    return std::nullopt;
  const std::byte* bytes = constant.bytes->data();
  for (std::size_t at = size; at + size <= constant.bytes->size(); at += size)
    if (std::memcmp(bytes, bytes + at, size) != 0) return std::nullopt;
  return numberAt(constant.elem, bytes);
}

ConstantId scalarConstant(Model& model, Elem elem, bool isOne) {
  std::vector<std::byte> bytes(info(elem).bytes);
  auto put = [&](auto value) { std::memcpy(bytes.data(), &value, sizeof value); };
  if (isOne) switch (elem) {
      case Elem::f16:
        put(f16FromF32(1));
        break;
      case Elem::bf16:
        put(bf16FromF32(1));
        break;
      case Elem::f32:
        put(1.0F);
        break;
      case Elem::f64:
        put(1.0);
        break;
      default:
        bytes[0] = std::byte{1};  // little-endian
    }
  return model.addConstant(elem, {}, std::move(bytes));
}

}  // namespace axle::ir
