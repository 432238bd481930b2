#include "import/tensorflow/types.h"

namespace axle::tensorflow {

namespace {

constexpr TypeRow typeRows[typeCount] = {
    // name           bytes  element
    {"invalid", 0, {}},
    {"float", 4, Elem::f32},
    {"double", 8, Elem::f64},
    {"int32", 4, Elem::i32},
    {"uint8", 1, Elem::u8},
    {"int16", 2, Elem::i16},
    {"int8", 1, Elem::i8},
    {"string", 0, Elem::string},
    {"complex64", 8, {}},
    {"int64", 8, Elem::i64},
    {"bool", 1, Elem::boolean},
    {"qint8", 1, {}},
    {"quint8", 1, {}},
    {"qint32", 4, {}},
    {"bfloat16", 2, Elem::bf16},
    {"qint16", 2, {}},
    {"quint16", 2, {}},
    {"uint16", 2, Elem::u16},
    {"complex128", 16, {}},
    {"half", 2, Elem::f16},
    {"resource", 0, {}},
    {"variant", 0, {}},
    {"uint32", 4, Elem::u32},
    {"uint64", 8, Elem::u64},
    {"float8_e5m2", 1, {}},
    {"float8_e4m3fn", 1, {}},
    {"float8_e4m3fnuz", 1, {}},
    {"float8_e4m3b11fnuz", 1, {}},
    {"float8_e5m2fnuz", 1, {}},
    {"int4", 1, {}},
    {"uint4", 1, {}},
    {"int2", 1, {}},
    {"uint2", 1, {}},
};

}  // namespace

const TypeRow& info(Type type) { return typeRows[static_cast<int>(type)]; }

Type typeNumbered(int number) {
  if (number > referenceOffset) number -= referenceOffset;
  return number > 0 && number < typeCount ? static_cast<Type>(number) : Type::invalid;
}

std::optional<Type> typeNamed(std::string_view name) {
  for (int i = 1; i < typeCount; ++i)
    if (typeRows[i].name == name) return static_cast<Type>(i);
  return std::nullopt;
}

std::string spelling(Type type) {
  const TypeRow& row = info(type);
  return std::string(row.element ? axle::info(*row.element).name : row.name);
}

}  // namespace axle::tensorflow
