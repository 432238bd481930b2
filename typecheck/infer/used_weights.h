// Finds the weights that an expression uses, directly or through the names in it.
#pragma once

#include <cstdint>
#include <set>

#include "typecheck/types/typed.h"

namespace axle {

// Returns the bindings of weights, by BindingId::index.
std::set<std::uint32_t> weightsUsed(const TypedProgram& program, TypedId root);

}  // namespace axle
