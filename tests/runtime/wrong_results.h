// What wrong_results.py puts into a copy of the runtime: its calls make the results of one kernel wrong.
#pragma once

#include <cstdint>

#include "io/elem.h"

namespace axle::runtime {

// Returns this table of vector kernels, or, for the one that is to be wrong, a copy with a wrong kernel.
template <class Table>
const Table& withWrongResult(const char* name, const Table& table);

// Changes the last of `count` elements of the result of the operator that is to be wrong.
void spoilResult(const char* name, Elem elem, std::int64_t count, void* data);

}  // namespace axle::runtime
