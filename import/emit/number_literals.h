// Writes numbers as text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/elem.h"
#include "typecheck/types/typed.h"

namespace axle::emit {

// Returns a literal with its element type: `0.5f32`, `-3i64`, `true`. `inf` and `nan` have no suffix.
std::string number(const LiteralValue& literal, Elem elem);
// The same for the bytes of one element.
std::string number(std::span<const std::byte> element, Elem elem);
// Returns a static argument: `0.01`.
std::string decimal(double value);
std::string quoted(const std::string& word);

}  // namespace axle::emit
