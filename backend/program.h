// How a model is computed: calls of the runtime's kernels in order, with pointwise operators fused into them and memory
// shared between values. The model says what is computed and stays as it is.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace axle {

// A pointwise operator that runs on each tile of a call's results. Arguments are numbered as in runtime/bundle.proto:
// the call's inputs, then the result of its own operator if it has one, then those of earlier operators of the
// epilogue.
struct Pointwise {
  std::uint32_t op = 0;   // of `runtime/ops.def`
  Elem elem = Elem::f32;  // of its result
  std::vector<std::uint32_t> args;
  std::int64_t shift = 0;  // of SHIFT
};

// How a call takes a constant.
struct Storage {
  std::int64_t groupsInPanels = 0;  // of its columns, in panels (runtime/vector/product.h); 0: as it is

  auto operator<=>(const Storage&) const = default;
};

struct Call {
  ir::NodeId node;              // whose operator it runs; none: only its epilogue
  std::uint32_t primitive = 0;  // that runs the operator, by its number in runtime/ops.def; 0: the plain one
  Storage storage;              // of input 1, where that is a constant
  std::vector<ir::OutletId> inputs, outputs;
  std::vector<Pointwise> epilogue;
  std::uint32_t epilogueInputs = 0;   // the last inputs
  bool isRows = false;                // without a node: its epilogue runs on whole rows, which it may reduce or shift
  std::optional<std::int64_t> shift;  // of a slice of padded rows: what it is as SHIFT in a call over rows
  bool alias = false;                 // runs nothing: a view
  std::uint32_t inPlace = 0;          // 1 + the input whose memory the output takes; 0: none
  bool byRows = false;                // the next call computes it row by row, as it needs the rows
  std::vector<ir::NodeId> from;       // all nodes that it computes, in order
};

// The calls of a graph, each after those that it needs.
using Calls = std::vector<Call>;

// By graph of the model; empty for graphs that were removed.
struct Program {
  std::vector<Calls> graphs;
};

// A call for each node. None if a graph has a cycle.
std::optional<Program> plainProgram(const ir::Model& model);

// As it is compiled: fused, ordered, with shared memory. None if a graph has a cycle.
std::optional<Program> fusedProgram(const ir::Model& model);

// ---- its steps, in order

// Chooses the primitive of each call.
void selectPrimitives(const ir::Model& model, Program& program);

// Joins what is computed row by row, with reductions in between, to one call.
void fuseRows(const ir::Model& model, Program& program);

// Joins pointwise operators to chains, and to the epilogues of the calls whose results they take, where no one else
// needs these results. Element for element the same is computed.
void fusePointwise(const ir::Model& model, Program& program);

// Makes views of reshapes, slices and concatenations where the kernels around them take them.
void makeViews(const ir::Model& model, Program& program);

// Orders calls so that little memory is needed at the same time. Unknown sizes count as a middling number.
void orderCalls(const ir::Model& model, Program& program);

// Lets products, what reduces their rows, and the products of these rows follow each other.
void gatherStrips(const ir::Model& model, Program& program);

// Lets results take the memory of operands that end.
void placeResultsInOperands(const ir::Model& model, Program& program);

// Lets convolutions whose results are large run row by row with the next call. After primitives are selected.
void runByRows(const ir::Model& model, Program& program);

// Lets products, what reduces their rows, and the products of these rows run together in strips of rows. After primitives
// are selected.
void runInStrips(const ir::Model& model, Program& program);

}  // namespace axle
