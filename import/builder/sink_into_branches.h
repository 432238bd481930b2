// Moves values that only one side of an `if` needs into that side, so that they are computed only where it is taken.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "typecheck/types/typed.h"

namespace axle {

// Moves lets of a function into blocks of its branches and returns those that stay. Each let comes after those that it
// needs. A let whose pattern binds one of `kept` stays, because types need it.
std::vector<std::uint32_t> sinkIntoBranches(TypedProgram& program, const std::vector<std::uint32_t>& lets,
                                            TypedId result, const std::set<std::uint32_t>& kept);

}  // namespace axle
