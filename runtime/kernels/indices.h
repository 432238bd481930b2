// Tensors of indices, of any integer type.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

// Elements [from, from + count) of `ids` as numbers; false, with the fault filled in, where one is no index of an axis
// of `size`. An integer of 64 bits without sign that is too large is none.
bool readIds(const TensorView& ids, std::int64_t from, std::int64_t count, std::int64_t size, std::int64_t* to,
             Fault& fault);

}  // namespace axle::runtime
