// What only one side of an `if` needs is computed there, and only where that side is taken.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "typecheck/types/typed.h"

namespace axle {

// Of a function's lets, each after those that it needs, gives those that stay; the others move into blocks of sides.
// Those that name one of `kept` stay: types need them.
std::vector<std::uint32_t> sinkIntoBranches(TypedProgram& program, const std::vector<std::uint32_t>& lets,
                                            TypedId result, const std::set<std::uint32_t>& kept);

}  // namespace axle
