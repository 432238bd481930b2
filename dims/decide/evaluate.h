// Dimensions on concrete sizes, in 128 bits: what a counterexample is checked with before anyone sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dims/fact.h"

namespace axle::decide {

__extension__ typedef __int128 Wide;

// Also of narrower integers.
constexpr Wide floorDiv(Wide a, Wide b) { return axle::floorDiv<Wide>(a, b); }

// `values` by DimVar::index. None where a divisor is < 1 or 128 bits do not hold a value on the way.
std::optional<Wide> evaluate(const DimStore& store, Dim d, std::span<const std::int64_t> values);

// A fact holds where both sides have a value and the relation is between them. None where 128 bits do not suffice.
std::optional<bool> holds(const DimStore& store, const DimComparison& fact, std::span<const std::int64_t> values);

}  // namespace axle::decide
