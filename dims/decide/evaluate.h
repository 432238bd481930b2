// Evaluates dimensions for given sizes in 128 bits. Each witness is checked this way before it is returned.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dims/fact.h"

namespace axle::decide {

__extension__ typedef __int128 Wide;

// Accepts narrower integers too.
constexpr Wide floorDiv(Wide a, Wide b) { return axle::floorDiv<Wide>(a, b); }

// `values` are indexed by DimVar::index. None if a divisor is < 1 or a value on the way overflows 128 bits.
std::optional<Wide> evaluate(const DimStore& store, Dim d, std::span<const std::int64_t> values);

// Whether both sides have a value and the relation holds between them. None if 128 bits overflow.
std::optional<bool> holds(const DimStore& store, const DimComparison& fact, std::span<const std::int64_t> values);

}  // namespace axle::decide
