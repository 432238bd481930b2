// Literals as bytes of an element type.
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "frontend/message.h"
#include "io/elem.h"
#include "typecheck/types/typed.h"

namespace axle::codes {
inline const DiagnosticCode literalOutOfRange{"E0512", Severity::error, "a number that its element type cannot hold"};
}

namespace axle {

// Little-endian bytes of one element; a float is rounded to the nearest, ties to even. The error is the value as text,
// which is then out of the element's range.
tl::expected<std::vector<std::byte>, std::string> encodeLiteral(const LiteralValue& literal, Elem elem);

std::vector<std::byte> encodeInteger(std::int64_t value);  // i64

// The bits of a float of `mantissa` bits and an exponent of `exponent` bits, nearest, ties to even; infinite where it
// overflows.
std::uint64_t floatBits(double value, int mantissa, int exponent);

}  // namespace axle
