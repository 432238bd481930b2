#include "ir/stream/outside.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "ir/ops/table.h"

namespace axle::ir {

namespace {

template <class T>
std::vector<std::byte> bytesOf(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Returns the neutral element of a maximum (`isLowest`) or a minimum, as bytes.
template <class T>
std::vector<std::byte> extreme(bool isLowest) {
  if constexpr (std::is_floating_point_v<T>)
    return bytesOf(isLowest ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity());
  else
    return bytesOf(isLowest ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max());
}

struct Neutral {
  Elem elem;
  std::vector<std::byte> lowest, highest, one;
};

const Neutral& neutralOf(Elem elem) {
  const auto row = []<class T>(Elem e, T one) { return Neutral{e, extreme<T>(true), extreme<T>(false), bytesOf(one)}; };
  const auto half = [](Elem e, std::uint16_t infinity, std::uint16_t one) {
    return Neutral{e, bytesOf<std::uint16_t>(infinity | 0x8000u), bytesOf(infinity), bytesOf(one)};
  };
  static const std::vector<Neutral> rows{half(Elem::f16, 0x7c00, 0x3c00),
                                         half(Elem::bf16, 0x7f80, 0x3f80),
                                         row(Elem::f32, 1.0f),
                                         row(Elem::f64, 1.0),
                                         row(Elem::i8, std::int8_t{1}),
                                         row(Elem::i16, std::int16_t{1}),
                                         row(Elem::i32, std::int32_t{1}),
                                         row(Elem::i64, std::int64_t{1}),
                                         row(Elem::u8, std::uint8_t{1}),
                                         row(Elem::u16, std::uint16_t{1}),
                                         row(Elem::u32, std::uint32_t{1}),
                                         row(Elem::u64, std::uint64_t{1}),
                                         row(Elem::boolean, std::uint8_t{1})};
  return *std::find_if(rows.begin(), rows.end(), [&](const Neutral& n) { return n.elem == elem; });
}

}  // namespace

std::vector<std::byte> neutral(Op op, Elem elem) {
  if (op == Op::cumMax) return neutralOf(elem).lowest;
  if (op == Op::cumMin) return neutralOf(elem).highest;
  return op == Op::cumProd ? neutralOf(elem).one : std::vector<std::byte>(info(elem).bytes);
}

std::optional<std::vector<std::byte>> fillOf(const Model& model, const Node& node) {
  const Graph& graph = model.main();
  const Elem elem = graph[node.inputs[0]].fact.elem;
  if (node.op == Op::maxPool) return neutralOf(elem).lowest;
  if (node.op != Op::pad || node.inputs.size() < 2) return std::vector<std::byte>(info(elem).bytes);
  const Node& value = graph.producer(node.inputs[1]);
  if (value.op != Op::constant || !model[value.constant].bytes) return std::nullopt;
  return *model[value.constant].bytes;
}

}  // namespace axle::ir
