// TensorFlow's element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/elem.h"

namespace axle::tensorflow {

// The values are those of the wire (types.proto); a reference to a type adds 100, which readers take off.
enum class Type : std::uint8_t {
  invalid,
  f32,
  f64,
  i32,
  u8,
  i16,
  i8,
  string,
  c64,
  i64,
  boolean,
  qint8,
  quint8,
  qint32,
  bf16,
  qint16,
  quint16,
  u16,
  c128,
  f16,
  resource,
  variant,
  u32,
  u64,
  f8e5m2,
  f8e4m3fn,
  f8e4m3fnuz,
  f8e4m3b11fnuz,
  f8e5m2fnuz,
  int4,
  uint4,
  int2,
  uint2,
};

inline constexpr int typeCount = 33;
inline constexpr int referenceOffset = 100;

struct TypeRow {
  std::string_view name;        // as TensorFlow's text has it, without DT_, in small letters
  std::size_t bytes;            // of one element in memory; 0 where it has none of a fixed size
  std::optional<Elem> element;  // Axle's, where it has one. Quantised types are integers with another meaning: none.
};

// The table, indexed by Type.
const TypeRow& info(Type type);

// The type of a number on the wire; its reference is the type itself. `invalid` for any other number.
Type typeNumbered(int number);
std::optional<Type> typeNamed(std::string_view name);

// `f32` as Axle spells it, else TensorFlow's name.
std::string spelling(Type type);

}  // namespace axle::tensorflow
