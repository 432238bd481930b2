// A graph with bound sizes: tensors with addresses, and steps that run kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dims/evaluate.h"
#include "runtime/chain.h"
#include "runtime/epilogue_form.h"
#include "runtime/error.h"
#include "runtime/manifest.h"
#include "runtime/ops.h"
#include "runtime/prepared_product.h"
#include "runtime/tensor.h"
#include "runtime/threads.h"

namespace axle::runtime {

class RunSizes;
struct OpRow;
struct Step;
struct BoundGraph;

// Why a run stopped.
struct Fault {
  ErrorCode code = ErrorCode::divisionByZero;
  std::string message;
  const Step* step = nullptr;       // the innermost one that failed
  std::optional<RunError> refused;  // set by a guard, instead of code and message
};

// Runs the kernels of steps instead of runGraph, to measure them.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual bool run(Step& step, Fault& fault) = 0;  // as a Kernel
};

// Runs a step; returns false after setting code and message. The outputs have at least one element in total, unless the
// step computes sizes or checks something.
using Kernel = bool (*)(Step&, Fault&);

// One row of the result of a 2-D convolution.
struct RowCall {
  const float* input = nullptr;     // the image's tensor, or the kept rows
  std::int64_t kept = 0;            // how many rows of one image `input` has, row r at place r % kept; 0: all
  std::int64_t image = 0, row = 0;  // of the result
  float* out = nullptr;             // the beginning of the row
  std::byte* workspace = nullptr;
};

using RowOfImage = void(Step&, const RowCall&);

// How a step whose epilogue is applied in registers computes its result row by row (by_rows.h).
struct ByRows {
  RowOfImage* kernel = nullptr;                       // null: it cannot
  void (*prepare)(Step&) = nullptr;                   // for the rows of one thread
  std::int64_t stride = 1, before = 0, extent = 1;    // of its window, counted in rows
  std::uint64_t nanoseconds = 0, workspaceBytes = 0;  // of the whole result; of one thread
};

// A strip of rows that a step computes for the next step. The rows of a tensor are all axes but the last, row-major.
struct StripCall {
  std::int64_t begin = 0, end = 0;   // the rows, of one batch
  int operand = -1;                  // the step's input that has only these rows; -1: none
  const std::byte* input = nullptr;  // the first of them
  std::byte* out = nullptr;          // the place of the first row; null: in the step's result
  std::byte* workspace = nullptr;    // of the step, as its previous call left it
  bool isFirst = false;              // the first strip of this batch that uses the workspace
};

using RowsOfStrip = bool(Step&, const StripCall&, Fault&);

// How a step computes its result in strips of rows (strips.h).
struct InStrips {
  RowsOfStrip* kernel = nullptr;                      // null: it cannot
  std::uint64_t nanoseconds = 0, workspaceBytes = 0;  // of the whole result; of one thread
};

struct Step {
  const OpRow* row = nullptr;
  const manifest::Node* node = nullptr;
  BoundGraph* graph = nullptr;     // the graph that contains it
  ThreadTeam* team = nullptr;      // null: the session has one thread
  TensorView* values = nullptr;    // the graph's
  std::vector<std::int64_t> ints;  // evaluated; 0 if unknown, which `unknownInt` reports
  DimState unknownInt = DimState::known;
  std::vector<BoundGraph> bodies;

  // OpRow::prepare sets these.
  Kernel kernel = nullptr;
  Chain chain;  // pointwise operators of a chain or an epilogue
  EpilogueForm epilogueForm;
  // Chooses a faster kernel once the pitches of the step's tensors are known; may be null. Allocates nothing for a late
  // step.
  void (*settle)(Step&) = nullptr;
  PreparedProduct product;
  // For a convolution whose windows are inside the image and evenly apart, as those of one row or of one pixel are: the
  // offsets of a window's pixels from the first one, in pixels.
  std::vector<std::int64_t> pixelsOfWindow;
  std::vector<double> roots;         // of FOURIER
  std::uint64_t workspaceBytes = 0;  // of the step itself; the arenas of its bodies follow and share one range
  PartKernel partKernel = nullptr;   // for a kernel that runs in parts
  int parts = 1;                     // the number of parts that run in parallel (parts.h), on the threads of `team`
  std::uint64_t dividedWork = 0;     // of all parts, in nanoseconds; 0 for one part
  ByRows byRows;
  InStrips inStrips;
  std::uint32_t following = 0;  // the number of following steps that it runs too, row by row
  std::optional<std::uint64_t> macs = 0;

  std::byte* workspace = nullptr;
  std::uint64_t workspaceOffset = 0, bodyBytes = 0;
  std::uint64_t workspacePlanned = 0;  // of the step itself
  std::uint32_t position = 0;          // of its node in the graph
  // It does not run, because its results have no elements and it checks nothing, or because an earlier step runs it row
  // by row.
  bool isEmpty = false;
  bool late = false;  // depends on a size known only in the run, so it is prepared each time just before it runs

  int inputCount() const { return static_cast<int>(node->inputs.size()); }
  int outputCount() const { return static_cast<int>(node->outputs.size()); }
  // Returns the element type of the operator's result before the epilogue.
  Elem baseElem() const { return node->epilogue.empty() ? out(0).elem : in(0).elem; }
  const TensorView& in(int i) const { return values[node->inputs[static_cast<std::size_t>(i)]]; }
  const TensorView& out(int i) const { return values[node->outputs[static_cast<std::size_t>(i)]]; }
  std::int64_t integer(int i) const { return ints[static_cast<std::size_t>(i)]; }
  bool finds(int output) const {
    return static_cast<std::size_t>(output) < node->finds.size() && node->finds[static_cast<std::size_t>(output)] != 0;
  }
  bool findsAny() const { return !node->finds.empty(); }
  // Sets the leading size of an output, which completes its shape.
  bool setSize(int output, std::int64_t size, Fault& fault);
  std::uint64_t capacity(int output) const;  // planned bytes
};

// The place of a value: `offset` bytes after the beginning of the memory of `root`.
struct Storage {
  std::uint32_t root = 0;
  std::uint64_t offset = 0;
};

struct BoundGraph {
  const manifest::Graph* graph = nullptr;
  std::vector<TensorView> values;
  std::vector<Storage> storage;        // of each value
  std::vector<std::uint64_t> offsets;  // in the arena, of values that steps compute
  Marks isInRows;                      // of each value: whether only some rows exist at a time (by_rows.h, strips.h)
  std::vector<Step> steps;             // without those of views, which run nothing
  std::vector<std::uint32_t> viewsOfInputs;
  StepObserver* observer = nullptr;  // null: steps are not measured
  // `late`: for each value, whether its sizes are known only in the run; `planned`: the bytes planned for it if so,
  // otherwise 0; `open`: whether its shape is open until a step of this graph, or of one of its bodies, sets it.
  RunSizes* sizes = nullptr;
  std::vector<std::uint64_t> planned;
  Marks late, open;
  std::vector<std::uint32_t> found;             // symbols found by steps, including those of bodies
  std::uint64_t arenaBytes = 0, liveBytes = 0;  // the size of the arena; the most needed at one step
  std::optional<std::uint64_t> macs = 0;

  TensorView& input(int i) { return values[graph->inputs[static_cast<std::size_t>(i)]]; }
  const TensorView& input(int i) const { return values[graph->inputs[static_cast<std::size_t>(i)]]; }
  const TensorView& output(int i) const { return values[graph->outputs[static_cast<std::size_t>(i)]]; }
  int inputCount() const { return static_cast<int>(graph->inputs.size()); }
  int outputCount() const { return static_cast<int>(graph->outputs.size()); }
  bool outputIsOpen(int i) const { return open[graph->outputs[static_cast<std::size_t>(i)]]; }
};

// One row per operator of `ops.def`.
struct OpRow {
  static constexpr int any = ops::any;

  std::uint32_t op;
  const char* name;
  ops::Count inputs, outputs;  // without the operands of the epilogue
  int ints;                    // or `any`
  int bodies;
  ops::Flags flags;
  ops::KernelTraits traits;
  // Checks element types and shapes, chooses the kernel and the size of its workspace. Returns the error, or null.
  const char* (*prepare)(Step&);
  ChooseRow* choose = nullptr;     // for pointwise operators
  ChooseRow* reduceRow = nullptr;  // for reductions

  bool has(ops::Flags flag) const { return (flags & flag) != 0; }
};

ops::KernelTraits kernelTraits(std::uint32_t op);  // `dense` for a number that no linked operator has

// Whether the kernel can read this input of its operator if there are gaps between rows.
constexpr bool readsPitched(ops::KernelTraits traits, std::size_t input) {
  return (traits & ops::readsPitched) != 0 || (input == 0 && (traits & ops::readsFirstPitched) != 0);
}

// Chooses the kernel of a step and of its epilogue. Returns the error, or null.
const char* prepareStep(Step& step);
// Computes what is the same in each run. Call it once the pitches of the step's tensors are known.
void settleStep(Step& step);

// All operators. Each is a separate object, so that a program contains only those that it links.
namespace rows {
#define OPERATOR(name, ...) extern const OpRow name;
#define PRIMITIVE(name, ...) extern const OpRow name;
#include "runtime/ops.def"

// The same operators with kernels for f32 alone.
namespace f32 {
#define F32(name, ...) extern const OpRow name;
#define F32_POINTWISE(name, ...) extern const OpRow name;
#define F32_REDUCTION(name, ...) extern const OpRow name;
#include "runtime/f32_kernels.def"
}  // namespace f32
}  // namespace rows

// The operators that this program links, then null. A bundle may use only these.
extern const OpRow* const linkedOperators[];
const OpRow* operatorRow(std::uint32_t op);  // null for a number that no linked operator has
bool isOperator(std::uint32_t number);       // whether some operator has it, linked or not

// Runs the steps in order. Steps whose results are all empty do not run, unless they compute sizes or check something.
bool runGraph(BoundGraph& graph, Fault& fault);

// Updates the shape of a value whose sizes are known only in the run. Returns false if they are not known yet or are
// larger than planned.
bool refreshValue(BoundGraph& graph, std::uint32_t value);

}  // namespace axle::runtime
