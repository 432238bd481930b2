// TensorFlow's element types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/elem.h"

namespace axle::tensorflow {

// The numbers are those of the file format (types.proto). There, a reference type is 100 more; readers subtract that.
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
  std::string_view name;        // TensorFlow's name without DT_, in lower case
  std::size_t bytes;            // of one element in memory; 0 if elements have no fixed size
  std::optional<Elem> element;  // Axle's type, if there is one; quantised types have none, as their integers mean reals
};

// Returns the row of a type.
const TypeRow& info(Type type);

// Returns the type of a number in a file, without the reference; `invalid` for an unknown number.
Type typeNumbered(int number);
std::optional<Type> typeNamed(std::string_view name);

// Returns Axle's name of the type (`f32`), or TensorFlow's if Axle has no such type.
std::string spelling(Type type);

}  // namespace axle::tensorflow
