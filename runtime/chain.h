// Chains of pointwise operators, bound to a step: the epilogue of a call, or a call of their own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/kernels/pointwise.h"
#include "runtime/tensor.h"

namespace axle::runtime {

struct Step;
namespace manifest {
struct Node;
}

inline constexpr std::int64_t stripWidth = 256;  // elements computed at once
inline constexpr int chainRegisters = 8;         // intermediate results alive at the same time

// One pointwise operator of a chain.
struct Link {
  // The place of an operand: an operand of the chain, or the register that holds another link's result.
  struct Source {
    bool isRegister = false;
    std::uint8_t bytes = 0;
    std::uint16_t index = 0;
    std::int64_t step = 0;  // from element to element, of a register
  };

  RowKernel kernel = nullptr;  // null for a SHIFT, and for a link that the gate of a later link computes
  Conversions conversions;
  RowKernel gate = nullptr;  // on a sigmoid: the kernel of tanh(a) * sigmoid(b)
  bool isTanh = false;
  std::uint8_t arity = 0;
  bool mayStay = false;    // the kernel accepts operands with step 0
  bool takesRows = false;  // the kernel accepts operands with gaps between rows
  // Numbers of operands: first those of the chain, then the base result, then the results of earlier links.
  std::array<std::uint16_t, 3> args{};
  std::array<Source, 3> sources;      // the place of each of `args`
  std::uint8_t place = 0;             // the register of its result; `chainRegisters`: the output
  std::uint8_t bytes = 0;             // per element of the result
  bool isScalar = false;              // in a chain over rows: the result is one element per row
  std::optional<std::int64_t> shift;  // of a SHIFT
  Row row{};                          // of a direct chain; each run sets its addresses

  // Runs the kernel. Returns false on an integer division by zero.
  bool run(const Row& on) const {
    return conversions.run == nullptr ? kernel(on) : conversions.run(conversions, kernel, on);
  }
};

// The strides of an operand along the axes of the result, in elements.
struct OperandLayout {
  std::int64_t step = 0, rowStep = 0;  // between columns; between rows, if all rows are equally far apart
  std::array<std::int64_t, maxRank> strides{};
  std::uint8_t bytes = 0;  // per element
  bool isEven = true;      // all rows are equally far apart
};

struct Chain {
  bool hasBase = false;
  std::uint16_t operands = 0;  // inputs of the node, numbered before the base result in Link::args
  std::uint16_t first = 0;     // the first of them that belongs to the epilogue
  std::uint8_t baseBytes = 0;
  std::int64_t count = 0;  // elements of the result
  bool isFlat = false;     // every tensor is contiguous or a single element
  bool isDirect = false;   // one strip, or, of a separate call, one kernel for all elements; operands need no copy
  std::vector<Link> links;
  std::vector<OperandLayout> layouts;  // of the operands from number `first`
};

enum class ChainKind : std::uint8_t {
  alone,  // a separate call
  base,   // the epilogue of a call, applied to its results
  rows,   // a separate call over whole rows, which it may also reduce
};

// Checks the operators of the step's epilogue and chooses their kernels. Returns the error, or null. Allocates nothing
// when called again.
const char* bindChain(Step& step, ChainKind kind);

// Replaces tanh(a) * sigmoid(b) by one link, where nothing else uses the factors.
void joinGates(const manifest::Node& node, Chain& chain);

// Estimates the time of `operators` pointwise operators on the step's result, on one thread, in nanoseconds.
std::uint64_t pointwiseNanoseconds(const Step& step, std::size_t operators);

// Finds the layouts of the operands. Requires the pitches of the step's tensors. Allocates nothing when called again.
void settleChain(Step& step);

// An operand of a strip: its address and its step from element to element. If a strip of several rows has gaps between
// the operand's rows, `pitch` is the distance of rows, in elements.
struct StripOperand {
  const std::byte* data = nullptr;
  std::int64_t step = 0;  // in elements; 1 if hasRowsApart
  std::uint8_t bytes = 0;
  bool hasRowsApart = false;
  std::int64_t pitch = 0;  // if hasRowsApart
};

// Memory for results of links, and for copies of operands whose layout their kernel cannot read.
struct StripMemory {
  std::byte* registers = nullptr;
  std::byte* moved = nullptr;  // four times `bytes`
  std::size_t bytes = 0;       // per register
};

// Runs the links on `count` elements: one row, or rows of `columns`. `operands` are in the order of Link::args, the
// base result last. The output's elements are `outputStep` apart. Returns false on an integer division by zero.
bool runLinks(const Chain& chain, const StripOperand* operands, std::byte* output, std::int64_t outputStep,
              std::int64_t count, const StripMemory& memory, std::int64_t columns = 0);

// Runs a direct chain; `base` is its base result, contiguous, if it has one. Returns false on an integer division by
// zero.
bool runDirect(Step& step, const void* base = nullptr);

// Like runLinks, on at most stripWidth elements, with memory on the stack.
bool runStrip(const Chain& chain, const StripOperand* operands, std::byte* output, std::int64_t outputStep,
              std::int64_t count, std::int64_t columns = 0);

}  // namespace axle::runtime
