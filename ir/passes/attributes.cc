#include "ir/passes/attributes.h"

#include <cmath>
#include <cstring>
#include <numeric>

#include "io/half.h"
#include "ir/ops/rules.h"

namespace axle::ir {

bool isUnaryPointwise(Op op) { return row(op).rules == &unaryRules || row(op).rules == &castRules; }
bool isBinaryPointwise(Op op) { return row(op).rules == &binaryRules || row(op).rules == &comparisonRules; }

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

Inferred inferNode(DimStore& dims, Op op, const std::vector<Fact>& inputs, const Attributes& attributes,
                   const std::vector<Fact>& declared) {
  const std::vector<const Graph*> none;
  return row(op).rules->facts({dims, inputs, attributes, declared, none});
}

Axes inversePermutation(const Axes& perm) {
  Axes inverse(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) inverse[perm[i]] = i;
  return inverse;
}

Axes exchangeFirstAxes(std::size_t rank) {
  Axes perm(rank);
  std::iota(perm.begin(), perm.end(), std::size_t{0});
  std::swap(perm[0], perm[1]);
  return perm;
}

bool stacksResults(const Model& model, const Graph& graph, const Node& node, std::size_t from) {
  const Graph& body = model.graphs[node.bodies[0].index];
  for (std::size_t i = from; i < node.outputs.size(); ++i)
    if (graph[node.outputs[i]].fact.shape.size() != body[body.outputs[i]].fact.shape.size() + 1) return false;
  return true;
}

std::optional<std::int64_t> knownBytes(const DimStore& dims, const Fact& fact) {
  auto bytes = static_cast<std::int64_t>(info(fact.elem).bytes);
  for (Dim d : fact.shape) {
    const std::optional<std::int64_t> size = dims.asConstant(d);
    if (!size || *size < 0 || __builtin_mul_overflow(bytes, *size, &bytes)) return std::nullopt;
  }
  return bytes;
}

namespace {

template <class T>
double numberAs(const std::byte* at) {
  T value{};
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

// Reads a number. Returns nothing for 64-bit integers that a double does not hold exactly.
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

std::vector<std::byte> floatBytes(Elem elem, double number) {
  std::vector<std::byte> bytes(info(elem).bytes);
  auto put = [&](auto value) { std::memcpy(bytes.data(), &value, sizeof value); };
  const auto single = static_cast<float>(number);
  if (elem == Elem::f16) put(f16FromF32(single));
  if (elem == Elem::bf16) put(bf16FromF32(single));
  if (elem == Elem::f32) put(single);
  if (elem == Elem::f64) put(number);
  return bytes;
}

ConstantId scalarConstant(Model& model, Elem elem, bool isOne) {
  std::vector<std::byte> bytes = floatBytes(elem, isOne ? 1 : 0);
  if (isOne && !info(elem).isFloat) bytes[0] = std::byte{1};  // little-endian
  return model.addConstant(elem, {}, std::move(bytes));
}

}  // namespace axle::ir
