// Moves values that only one branch of an `if` needs into that branch, so that they are computed only when it is taken.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "typecheck/types/typed.h"

namespace axle {

// Moves lets of a function into blocks of its branches and returns those that stay. Each let follows the lets that it
// uses. A let whose pattern binds one of `kept` stays, because types mention it.
std::vector<std::uint32_t> sinkIntoBranches(TypedProgram& program, const std::vector<std::uint32_t>& lets,
                                            TypedId result, const std::set<std::uint32_t>& kept);

}  // namespace axle
