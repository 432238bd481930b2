#include "import/emit/number_literals.h"

#include <charconv>
#include <cmath>
#include <cstring>

#include "io/half.h"

namespace axle::emit {

namespace {

template <class T>
T read(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

// Returns the shortest text that reads back as this value.
template <class Float>
std::string shortest(Float magnitude) {
  char buffer[64];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, magnitude).ptr};
}

template <class Float>
std::string real(Float value, Elem elem) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  return sign + shortest(std::fabs(value)) + std::string(info(elem).name);
}

std::string withSuffix(const std::string& digits, Elem elem) { return digits + std::string(info(elem).name); }

}  // namespace

std::string number(const LiteralValue& literal, Elem elem) {
  if (literal.isBool) return literal.boolean ? "true" : "false";
  const std::string sign = literal.negative ? "-" : "";
  switch (literal.form) {
    case ast::NumberForm::integer:
      return sign + withSuffix(std::to_string(literal.integer), elem);
    case ast::NumberForm::real:
      return sign +
             withSuffix(elem == Elem::f64 ? shortest(literal.real) : shortest(static_cast<float>(literal.real)), elem);
    case ast::NumberForm::inf:
      return sign + "inf";
    case ast::NumberForm::nan:
      return "nan";
    case ast::NumberForm::lowest:
      return "lowest";
  }
  return {};
}

std::string number(std::span<const std::byte> element, Elem elem) {
  switch (elem) {
    case Elem::f16:
      return real(f32FromF16(read<std::uint16_t>(element)), elem);
    case Elem::bf16:
      return real(f32FromBf16(read<std::uint16_t>(element)), elem);
    case Elem::f32:
      return real(read<float>(element), elem);
    case Elem::f64:
      return real(read<double>(element), elem);
    case Elem::i8:
      return withSuffix(std::to_string(read<std::int8_t>(element)), elem);
    case Elem::i16:
      return withSuffix(std::to_string(read<std::int16_t>(element)), elem);
    case Elem::i32:
      return withSuffix(std::to_string(read<std::int32_t>(element)), elem);
    case Elem::i64:
      return withSuffix(std::to_string(read<std::int64_t>(element)), elem);
    case Elem::u8:
    case Elem::u16:
    case Elem::u32:
    case Elem::u64:
      return withSuffix(std::to_string(read<std::uint64_t>(element)), elem);
    case Elem::boolean:
      return read<std::uint8_t>(element) != 0 ? "true" : "false";
    case Elem::string:
      break;
  }
  return {};
}

std::string decimal(double value) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  return sign + (std::isinf(value) ? "inf" : shortest(std::fabs(value)));
}

std::string quoted(const std::string& word) {
  std::string out = "\"";
  for (char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace axle::emit
