// What is said where more is wrong than is told.
#pragma once

#include <string>

#include "frontend/diagnostic.h"

namespace axle {

// A note of the last error.
void noteErrorsLeftOut(Diagnostics& diagnostics, std::string note);

}  // namespace axle
