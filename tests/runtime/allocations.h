// Counts the calls of `operator new` in a program that links allocations.cc.
#pragma once

#include <cstddef>

namespace axle::runtime::test {

std::size_t allocations();

}  // namespace axle::runtime::test
