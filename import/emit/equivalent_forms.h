// Ways in which graphs write what functions of the standard library compute, as `.ax`.
#pragma once

#include <string_view>

namespace axle::emit {

// Each function has the name of the one that it is a form of in `@implements`, its parameters in the same order, and
// gives the same numbers.
std::string_view forms();

}  // namespace axle::emit
