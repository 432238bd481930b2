// The numbers of the operators, and the columns of their table `ops.def`, which compiler and runtime share.
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

inline constexpr std::uint32_t numbers = 256;  // all are smaller
inline constexpr int any = -1;

// How many inputs or outputs a node has.
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
  mayFail = 1,       // ends a run where an operand does not fit: an integer divided by 0, an index out of range
  findsSizes = 2,    // a node of it may find sizes
  takesGuards = 4,   // its integers, any number, are numbers of guards
  checksInputs = 8,  // may end a run, whatever its result, so it runs even if that is empty
};
constexpr Flags operator|(Flags a, Flags b) { return static_cast<Flags>(static_cast<int>(a) | static_cast<int>(b)); }

// What kernels can do with tensors that are not dense, and with epilogues.
enum KernelTraits : std::uint8_t {
  dense = 0,
  readsPitched = 1,       // all inputs of the operator may have rows that are apart; those of the epilogue always may
  readsFirstPitched = 2,  // only the first may
  writesPitched = 4,
  pitched = readsPitched | writesPitched,
  firstPitched = readsFirstPitched | writesPitched,
  epilogue = 8,  // applies it to its results
  view = 16,     // may run nothing: one side lies in the memory of the other
};
constexpr KernelTraits operator|(KernelTraits a, KernelTraits b) {
  return static_cast<KernelTraits>(static_cast<int>(a) | static_cast<int>(b));
}

// How many integers a node has: `fixed`, and `perAxis` for each axis of its first input but `otherAxes`; or any number.
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
