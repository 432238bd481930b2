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

inline constexpr std::int64_t stripWidth = 256;  // elements that a chain computes at once
inline constexpr int chainRegisters = 8;         // results of its operators that are needed at the same time

// One pointwise operator of a chain.
struct Link {
  // Where an operand is: among those of the chain, or in the register of another link.
  struct Source {
    bool isRegister = false;
    std::uint8_t bytes = 0;
    std::uint16_t index = 0;
    std::int64_t step = 0;  // of a register
  };

  RowKernel kernel = nullptr;  // null: it is a shift, or part of a gate and runs nothing
  RowKernel gate = nullptr;    // of sigmoid: what runs with it as the second factor and tanh as the first
  bool isTanh = false;
  std::uint8_t arity = 0;
  bool mayStay = false;    // its operands may stay, else they must advance
  bool takesRows = false;  // the rows of its operands may be apart
  // Operands by number; from the number of operands on, the base result, then earlier links' results.
  std::array<std::uint16_t, 3> args{};
  std::array<Source, 3> sources;      // of these
  std::uint8_t place = 0;             // the register of its result; `chainRegisters`: the output
  std::uint8_t bytes = 0;             // of an element of its result
  bool isScalar = false;              // of a chain over rows: its result is one element a row
  std::optional<std::int64_t> shift;  // of SHIFT, which has no kernel
  Row row{};                          // of a direct chain; its addresses are set in each run
};

// How an operand lies to the result, in elements.
struct OperandLayout {
  std::int64_t step = 0, rowStep = 0;  // from column to column; from row to row if these are equally far apart
  std::array<std::int64_t, maxRank> strides{};
  std::uint8_t bytes = 0;  // of an element
  bool isEven = true;      // its rows are equally far apart
};

struct Chain {
  bool hasBase = false;
  std::uint16_t operands = 0;  // how many of the node's inputs come before the base result in Link::args
  std::uint16_t first = 0;     // of these, the first that the links may name
  std::uint8_t baseBytes = 0;
  std::int64_t count = 0;  // elements of the result, of a call of its own
  bool isFlat = false;     // of a call of its own: the elements of all tensors follow each other, or are one
  bool isDirect = false;   // one strip, or one kernel that takes all at once, and reads its operands where they lie
  std::vector<Link> links;
  std::vector<OperandLayout> layouts;  // of the operands from `first` on
};

enum class ChainKind : std::uint8_t {
  alone,  // a call of its own
  base,   // on the results of the call's operator
  rows,   // a call of its own over whole rows, which may also be reduced
};

// Checks the operators of the step's epilogue and chooses their kernels. Returns the error, or null. Allocates nothing
// when it is called again.
const char* bindChain(Step& step, ChainKind kind);

// Makes one link of tanh(a) * sigmoid(b), where nothing else needs the factors.
void joinGates(const manifest::Node& node, Chain& chain);

// About the time of this many pointwise operators on each element of the step's result, on one thread, in nanoseconds.
std::uint64_t pointwiseNanoseconds(const Step& step, std::size_t operators);

// Once the pitches of the step's tensors are known. Allocates nothing when it is called again.
void settleChain(Step& step);

// Where operands of a strip lie and how far they advance with each element; of a strip of several rows, in elements,
// from row to row where these do not follow each other.
struct StripOperand {
  const std::byte* data = nullptr;
  std::int64_t step = 0;  // in elements; 1 where rows are apart
  std::uint8_t bytes = 0;
  bool hasRowsApart = false;
  std::int64_t pitch = 0;  // of these
};

// Memory for the results of links, and for operands that do not lie as their kernel reads them.
struct StripMemory {
  std::byte* registers = nullptr;
  std::byte* moved = nullptr;  // four times `bytes`
  std::size_t bytes = 0;       // of each
};

// Runs the links on `count` elements: one row, or rows of `columns`. `operands`: by number, then the base result. The
// output's elements are `outputStep` apart. False where an integer is divided by zero.
bool runLinks(const Chain& chain, const StripOperand* operands, std::byte* output, std::int64_t outputStep,
              std::int64_t count, const StripMemory& memory, std::int64_t columns = 0);

// Runs a step that is a direct chain. False where an integer is divided by zero.
bool runDirect(Step& step);

// As runLinks, on at most stripWidth elements, with memory on the stack.
bool runStrip(const Chain& chain, const StripOperand* operands, std::byte* output, std::int64_t outputStep,
              std::int64_t count, std::int64_t columns = 0);

}  // namespace axle::runtime
