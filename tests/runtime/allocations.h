// The number of calls of `operator new` so far, in a program that links allocations.cc.
#pragma once

#include <cstddef>

namespace axle::runtime::test {

std::size_t allocations();

}  // namespace axle::runtime::test
