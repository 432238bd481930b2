// The way a model is computed: calls of the runtime's kernels in order, with pointwise operators fused into them and
// memory shared between values. The model says what is computed and stays as it is.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace axle {

// A pointwise operator that runs on each tile of a call's results. Arguments are numbered as in runtime/bundle.proto:
// the call's inputs, then the result of its own operator if it has one, then the results of earlier operators of the
// epilogue.
struct Pointwise {
  std::uint32_t op = 0;   // of `runtime/ops.def`
  Elem elem = Elem::f32;  // of its result
  std::vector<std::uint32_t> args;
  std::int64_t shift = 0;  // of SHIFT
};

// The form in which a call reads a constant.
struct Storage {
  std::int64_t groupsInPanels = 0;  // of its columns, in panels (runtime/vector/product.h); 0: unchanged

  auto operator<=>(const Storage&) const = default;
};

struct Call {
  ir::NodeId node;              // the node whose operator it runs; none if it runs only its epilogue
  std::uint32_t primitive = 0;  // the kernel of the operator, as its number in runtime/ops.def; 0: the plain kernel
  Storage storage;              // of input 1, if it is a constant
  std::vector<ir::OutletId> inputs, outputs;
  std::vector<Pointwise> epilogue;
  std::uint32_t epilogueInputs = 0;   // the number of last inputs that the epilogue reads
  bool isRows = false;                // without a node: its epilogue runs on whole rows, which it may reduce or shift
  std::optional<std::int64_t> shift;  // of a slice of padded rows: its shift as SHIFT in a call over rows
  bool alias = false;                 // runs nothing: a view
  std::uint32_t inPlace = 0;          // 1 + the input whose memory the output uses; 0: none
  bool byRows = false;                // the next call computes it row by row, when it needs the rows
  std::vector<ir::NodeId> from;       // all nodes that it computes, in order
};

// The calls of a graph, each after the calls that it needs.
using Calls = std::vector<Call>;

// By graph of the model; empty for graphs that were removed.
struct Program {
  std::vector<Calls> graphs;
};

// Makes a call for each node. Returns nothing if a graph has a cycle.
std::optional<Program> plainProgram(const ir::Model& model);

// Makes the program as compiled: fused, ordered, with shared memory. Returns nothing if a graph has a cycle.
std::optional<Program> fusedProgram(const ir::Model& model);

// ---- the steps of fusedProgram

// Chooses the primitive of each call.
void selectPrimitives(const ir::Model& model, Program& program);

// Joins operators computed row by row, with reductions in between, to one call.
void fuseRows(const ir::Model& model, Program& program);

// Joins pointwise operators to chains, and to the epilogues of the calls whose results they read, if nothing else needs
// these results. Each element is computed as before.
void fusePointwise(const ir::Model& model, Program& program);

// Makes views of reshapes, slices and concatenations if the kernels around them accept views.
void makeViews(const ir::Model& model, Program& program);

// Orders calls so that little memory is needed at the same time. Assumes a medium value for unknown sizes.
void orderCalls(const ir::Model& model, Program& program);

// Places products, the calls that reduce their rows, and the products of these rows one after another.
void gatherStrips(const ir::Model& model, Program& program);

// Places results in the memory of operands that are not needed afterwards.
void placeResultsInOperands(const ir::Model& model, Program& program);

// Marks convolutions with large results to run row by row with the next call. Call after primitives are selected.
void runByRows(const ir::Model& model, Program& program);

// Marks products, the calls that reduce their rows, and the products of these rows to run together in strips of rows.
// Call after primitives are selected.
void runInStrips(const ir::Model& model, Program& program);

}  // namespace axle
