// Prints sizes as users write them.
#pragma once

#include <functional>
#include <string>

#include "dims/dim.h"

namespace axle {

// Whether a variable is printed before another one.
using VariableOrder = std::function<bool(DimVar, DimVar)>;

// Prints in canonical order: `h*w + 1`, `(h / 16)*(w / 16)`, `ceildiv(h, 2)`. Variables follow `order`, or the order of
// their creation if it is empty.
std::string printDim(const DimStore& store, Dim d, const std::function<std::string(DimVar)>& nameOf,
                     const VariableOrder& order);

}  // namespace axle
