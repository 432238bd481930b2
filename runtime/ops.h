// The numbers of the operators, and the columns of their table `ops.def`. Compiler and runtime share both.
#pragma once

#include <cstddef>
#include <cstdint>

namespace axle {

namespace op {

enum Number : std::uint32_t {
#define OPERATOR(name, number, ...) name = (number),
#define PRIMITIVE(name, number, ...) name = (number),
#include "runtime/ops.def"
};

}  // namespace op

namespace ops {

inline constexpr std::uint32_t numbers = 256;  // all operator numbers are smaller
inline constexpr int any = -1;

// The number of inputs or outputs of a node.
struct Count {
  int least = 0;
  int most = 0;  // or `any`

  constexpr Count(int exactly) : least(exactly), most(exactly) {}  // NOLINT(google-explicit-constructor): for tables
  constexpr Count(int from, int to) : least(from), most(to) {}
  constexpr bool contains(std::size_t n) const {
    return n >= static_cast<std::size_t>(least) && (most == any || n <= static_cast<std::size_t>(most));
  }
};
constexpr Count atLeast(int n) { return {n, any}; }
constexpr Count range(int least, int most) { return {least, most}; }

enum Flags : std::uint8_t {
  plain = 0,
  mayFail = 1,       // may end a run with an error: an integer divided by 0, an index out of range
  findsSizes = 2,    // its nodes may find sizes
  takesGuards = 4,   // its integers, any number of them, are numbers of guards
  checksInputs = 8,  // may end a run whatever its result is, so it runs even if that is empty
};
constexpr Flags operator|(Flags a, Flags b) { return static_cast<Flags>(static_cast<int>(a) | static_cast<int>(b)); }

// The abilities of a kernel: which tensors need not be dense, and whether it applies epilogues.
enum KernelTraits : std::uint8_t {
  dense = 0,
  readsPitched = 1,       // all inputs of the operator may have gaps between rows; those of the epilogue always may
  readsFirstPitched = 2,  // only the first input may
  writesPitched = 4,
  pitched = readsPitched | writesPitched,
  firstPitched = readsFirstPitched | writesPitched,
  epilogue = 8,  // applies an epilogue to its results
  view = 16,     // may run nothing: its output and inputs share memory
};
constexpr KernelTraits operator|(KernelTraits a, KernelTraits b) {
  return static_cast<KernelTraits>(static_cast<int>(a) | static_cast<int>(b));
}

// The number of integers of a node: `fixed`, and `perAxis` for each axis of its first input except `otherAxes`; or
// `any`.
struct IntegerList {
  int fixed = 0;
  int perAxis = 0;
  int otherAxes = 0;
  const char* names = "";  // in order
};

namespace attributes {
#define ATTRIBUTES(name, fixed, perAxis, otherAxes, names) \
  inline constexpr IntegerList name{fixed, perAxis, otherAxes, names};
#include "runtime/ops.def"
}  // namespace attributes

}  // namespace ops
}  // namespace axle
