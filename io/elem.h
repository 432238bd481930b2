// The element types of tensors, shared by files, types, graphs and the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace axle {

// Numeric values are stable: they are stored in bundles (`runtime/bundle.proto`, Elem).
enum class Elem : std::uint8_t { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean, string };

inline constexpr int elemCount = 14;

struct ElemInfo {
  std::string_view name;  // as `.ax` writes it
  std::size_t bytes;      // of one element in memory and in files; 0 for string
  bool isFloat;
  bool isInt;
  bool isSigned;
};

// The one table of element types, indexed by Elem.
inline constexpr ElemInfo elemTable[elemCount] = {
    // name    bytes float  int    signed
    {"f16", 2, true, false, true},    {"bf16", 2, true, false, true},     {"f32", 4, true, false, true},
    {"f64", 8, true, false, true},    {"i8", 1, false, true, true},       {"i16", 2, false, true, true},
    {"i32", 4, false, true, true},    {"i64", 8, false, true, true},      {"u8", 1, false, true, false},
    {"u16", 2, false, true, false},   {"u32", 4, false, true, false},     {"u64", 8, false, true, false},
    {"bool", 1, false, false, false}, {"string", 0, false, false, false},
};

constexpr const ElemInfo& info(Elem elem) { return elemTable[static_cast<int>(elem)]; }

constexpr std::optional<Elem> elemNamed(std::string_view name) {
  for (int i = 0; i < elemCount; ++i)
    if (elemTable[i].name == name) return static_cast<Elem>(i);
  return std::nullopt;
}

}  // namespace axle
