// Encodes literals as bytes of an element type.
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

// Returns the little-endian bytes of one element; a float is rounded to the nearest, ties to even. If the value is out
// of the element's range, the error is the value as text.
tl::expected<std::vector<std::byte>, std::string> encodeLiteral(const LiteralValue& literal, Elem elem);

std::vector<std::byte> encodeInteger(std::int64_t value);  // i64

// Returns the bits of a float with `mantissa` and `exponent` bits, rounded to nearest, ties to even; infinity if it
// overflows.
std::uint64_t floatBits(double value, int mantissa, int exponent);

}  // namespace axle
