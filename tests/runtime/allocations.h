// How often this program has called `operator new`; a test that links allocations.cc counts.
#pragma once

#include <cstddef>

namespace axle::runtime::test {

std::size_t allocations();

}  // namespace axle::runtime::test
