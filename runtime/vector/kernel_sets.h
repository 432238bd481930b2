// Tables of vector kernels, one for each instruction set. Each is a separate object, so that a program links only the
// tables that its operators use.
#pragma once

#include "runtime/vector/instruction_set.h"

namespace axle::runtime {

// AXLE_KERNEL_SETS(Table, name): declares the table `name` of each instruction set.
#if defined(__x86_64__)
#define AXLE_KERNEL_SETS(Table, name) \
  namespace plain {                   \
  extern const Table name;            \
  }                                   \
  namespace sse2 {                    \
  extern const Table name;            \
  }                                   \
  namespace avx2 {                    \
  extern const Table name;            \
  }                                   \
  namespace avx512 {                  \
  extern const Table name;            \
  }
// The table of the instruction set in use.
#define AXLE_KERNELS_IN_USE(name) (kernelsInUse(&plain::name, &sse2::name, &avx2::name, &avx512::name))
#elif defined(__ARM_NEON)
#define AXLE_KERNEL_SETS(Table, name) \
  namespace plain {                   \
  extern const Table name;            \
  }                                   \
  namespace neon {                    \
  extern const Table name;            \
  }
#define AXLE_KERNELS_IN_USE(name) (kernelsInUse(&plain::name, &neon::name))
#else
#define AXLE_KERNEL_SETS(Table, name) \
  namespace plain {                   \
  extern const Table name;            \
  }
#define AXLE_KERNELS_IN_USE(name) (kernelsInUse(&plain::name))
#endif

template <class Table, class... Tables>
const Table& kernelsInUse(const Table* first, const Tables*... others) {
  const Table* const tables[] = {first, others...};
  return *tables[static_cast<unsigned>(instructionSet())];
}

}  // namespace axle::runtime
