// Numbers as the language writes them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/elem.h"
#include "typecheck/types/typed.h"

namespace axle::emit {

// With the element type at its end, where the form takes one: `0.5f32`, `-3i64`, `true`; `inf` and `nan` take none.
std::string number(const LiteralValue& literal, Elem elem);
// Of the bytes of one element.
std::string number(std::span<const std::byte> element, Elem elem);
// As a static argument: `0.01`.
std::string decimal(double value);
std::string quoted(const std::string& word);

}  // namespace axle::emit
