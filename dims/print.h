// Sizes as users write them.
#pragma once

#include <functional>
#include <string>

#include "dims/dim.h"

namespace axle {

// In canonical order: `h*w + 1`, `(h / 16)*(w / 16)`, `ceildiv(h, 2)`.
std::string printDim(const DimStore& store, Dim d, const std::function<std::string(DimVar)>& nameOf);

}  // namespace axle
