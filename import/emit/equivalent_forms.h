// Equivalent definitions, in `.ax`, of functions of the standard library, as graphs compute them.
#pragma once

#include <string_view>

namespace axle::emit {

// Each function names the library function that it is equivalent to in `@implements`, has the same parameters in the
// same order, and computes the same numbers.
std::string_view equivalentForms();

}  // namespace axle::emit
