// Tensors of indices, of any integer type.
#pragma once

#include "runtime/program.h"

namespace axle::runtime {

// Converts elements [from, from + count) of `ids` to numbers. Returns false and sets the fault if one is no index of an
// axis of `size`; this includes u64 numbers beyond i64.
bool readIds(const TensorView& ids, std::int64_t from, std::int64_t count, std::int64_t size, std::int64_t* to,
             Fault& fault);

}  // namespace axle::runtime
