// A graph with bound sizes: tensors with addresses, and steps that kernels carry out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/dim_eval.h"
#include "runtime/error.h"
#include "runtime/manifest.h"
#include "runtime/tensor.h"

namespace axle::runtime {

struct OpRow;
struct Step;
struct BoundGraph;

// What stopped a run.
struct Fault {
  ErrorCode code = ErrorCode::divisionByZero;
  std::string message;
  const Step* step = nullptr;  // the innermost
};

// Carries out a step; false after filling in code and message. Outputs have at least one element between them.
using Kernel = bool (*)(Step&, Fault&);

struct Step {
  const OpRow* row = nullptr;
  const manifest::Node* node = nullptr;
  TensorView* values = nullptr;    // the graph's
  std::vector<std::int64_t> ints;  // evaluated; 0 where `unknownInt` says that one is not known
  DimState unknownInt = DimState::known;
  std::vector<BoundGraph> bodies;

  // Set by OpRow::prepare.
  Kernel kernel = nullptr;
  std::uint64_t workspaceBytes = 0;  // of the step itself; its bodies' arenas follow, all at one place
  std::optional<std::uint64_t> macs = 0;

  std::byte* workspace = nullptr;
  std::uint64_t workspaceOffset = 0, bodyBytes = 0;

  int inputCount() const { return static_cast<int>(node->inputs.size()); }
  int outputCount() const { return static_cast<int>(node->outputs.size()); }
  const TensorView& in(int i) const { return values[node->inputs[static_cast<std::size_t>(i)]]; }
  const TensorView& out(int i) const { return values[node->outputs[static_cast<std::size_t>(i)]]; }
  std::int64_t integer(int i) const { return ints[static_cast<std::size_t>(i)]; }
};

struct BoundGraph {
  const manifest::Graph* graph = nullptr;
  std::vector<TensorView> values;
  std::vector<std::uint64_t> offsets;  // in the arena, of values that steps make
  std::vector<Step> steps;
  std::uint64_t arenaBytes = 0;
  std::optional<std::uint64_t> macs = 0;

  TensorView& input(int i) { return values[graph->inputs[static_cast<std::size_t>(i)]]; }
  const TensorView& input(int i) const { return values[graph->inputs[static_cast<std::size_t>(i)]]; }
  const TensorView& output(int i) const { return values[graph->outputs[static_cast<std::size_t>(i)]]; }
  int inputCount() const { return static_cast<int>(graph->inputs.size()); }
  int outputCount() const { return static_cast<int>(graph->outputs.size()); }
};

// One row per operator of `bundle.proto`.
struct OpRow {
  static constexpr int any = -1;  // one or more inputs or outputs; any number of ints

  std::uint32_t op;
  const char* name;
  int inputs, outputs;  // `any`: `prepare` looks closer
  int ints, bodies;
  // Checks element types and shapes, chooses the kernel, and says what workspace it needs; what is wrong, or null.
  const char* (*prepare)(Step&);
};

std::span<const OpRow> operatorTable();
const OpRow* operatorRow(std::uint32_t op);

// Steps whose results are all empty are not carried out.
bool runGraph(BoundGraph& graph, Fault& fault);

}  // namespace axle::runtime
