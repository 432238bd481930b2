#include "typecheck/types/literal_bytes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace axle {

namespace {

using Bytes = std::vector<std::byte>;

Bytes littleEndian(std::uint64_t bits, std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(bits >> (8 * i));
  return bytes;
}

struct FloatForm {
  int mantissa, exponent;
};

FloatForm formOf(Elem elem) {
  switch (elem) {
    case Elem::f16:
      return {10, 5};
    case Elem::bf16:
      return {7, 8};
    case Elem::f32:
      return {23, 8};
    default:
      return {52, 11};
  }
}

double realValue(const LiteralValue& literal) {
  double magnitude = 0;
  switch (literal.form) {
    case ast::NumberForm::integer:
      magnitude = static_cast<double>(literal.integer);
      break;
    case ast::NumberForm::real:
      magnitude = literal.real;
      break;
    case ast::NumberForm::inf:
      magnitude = std::numeric_limits<double>::infinity();
      break;
    case ast::NumberForm::nan:
      magnitude = std::numeric_limits<double>::quiet_NaN();
      break;
    case ast::NumberForm::lowest:
      return -std::numeric_limits<double>::infinity();
  }
  return literal.negative ? -magnitude : magnitude;
}

std::string textOf(const LiteralValue& literal) {
  std::string text = literal.negative ? "-" : "";
  if (literal.form == ast::NumberForm::integer) return text + std::to_string(literal.integer);
  if (literal.form == ast::NumberForm::inf) return text + "inf";
  if (literal.form == ast::NumberForm::nan) return text + "nan";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, literal.real).ptr;
  return text.append(buffer, end);
}

tl::expected<Bytes, std::string> encodeInt(const LiteralValue& literal, Elem elem) {
  const ElemInfo& e = info(elem);
  int bits = static_cast<int>(e.bytes) * 8;
  if (literal.form == ast::NumberForm::lowest) return littleEndian(e.isSigned ? 1ull << (bits - 1) : 0, e.bytes);
  if (literal.form != ast::NumberForm::integer) return tl::unexpected(textOf(literal));
  std::uint64_t most = e.isSigned ? (1ull << (bits - 1)) - (literal.negative ? 0 : 1)
                                  : (literal.negative ? 0 : std::numeric_limits<std::uint64_t>::max() >> (64 - bits));
  if (literal.integer > most) return tl::unexpected(textOf(literal));
  return littleEndian(literal.negative ? 0 - literal.integer : literal.integer, e.bytes);
}

}  // namespace

std::uint64_t floatBits(double value, int mantissa, int exponent) {
  std::uint64_t sign = std::signbit(value) ? 1ull << (mantissa + exponent) : 0;
  std::uint64_t special = ((1ull << exponent) - 1) << mantissa;
  if (std::isnan(value)) return special | 1ull << (mantissa - 1);
  value = std::fabs(value);
  if (std::isinf(value)) return sign | special;
  if (value == 0) return sign;
  int bias = (1 << (exponent - 1)) - 1;
  int scale = std::max(std::ilogb(value), 1 - bias);
  // Counted in units of the last place, there are at most 2^(mantissa + 1), so a carry increments the exponent, as it
  // must.
  double units = std::nearbyint(std::scalbn(value, mantissa - scale));
  if (scale > bias) return sign | special;
  std::uint64_t bits = static_cast<std::uint64_t>(units) + (static_cast<std::uint64_t>(scale + bias - 1) << mantissa);
  return sign | std::min(bits, special);
}

tl::expected<Bytes, std::string> encodeLiteral(const LiteralValue& literal, Elem elem) {
  if (literal.isBool) return littleEndian(literal.boolean ? 1 : 0, 1);
  if (elem == Elem::boolean && literal.form == ast::NumberForm::lowest) return littleEndian(0, 1);
  if (info(elem).isInt) return encodeInt(literal, elem);
  if (!info(elem).isFloat) return tl::unexpected(textOf(literal));
  FloatForm form = formOf(elem);
  double value = realValue(literal);
  std::uint64_t bits = floatBits(value, form.mantissa, form.exponent);
  std::uint64_t magnitude = bits & ~(1ull << (form.mantissa + form.exponent));
  bool overflows = std::isfinite(value) && magnitude == ((1ull << form.exponent) - 1) << form.mantissa;
  if (overflows) return tl::unexpected(textOf(literal));
  return littleEndian(bits, info(elem).bytes);
}

Bytes encodeInteger(std::int64_t value) { return littleEndian(static_cast<std::uint64_t>(value), 8); }

}  // namespace axle
