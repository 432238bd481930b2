// The portable passes, as a table.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/passes/patch.h"

namespace axle::ir {

// Runs a model without inputs on the runtime's kernels. Returns the bytes of its outputs in order; none if it cannot
// run.
using Evaluate = std::function<std::optional<std::vector<std::vector<std::byte>>>(const Model&)>;

struct PassContext {
  Evaluate evaluate;          // none: nothing is folded
  bool weightsKnown = false;  // whether `evaluate` can read weights
};

struct Pass {
  std::string_view name;
  // One step: returns a patch, or none when nothing is left to do. May add constants to the model.
  std::optional<Patch> (*step)(Model& model, const PassContext& context);
};

std::span<const Pass> passTable();  // in the order in which a build runs them
const Pass* passNamed(std::string_view name);

// Runs the passes of the table, each until it has nothing left to do, up to and including `last` (all if empty). An
// error is a bug of a pass.
tl::expected<void, std::string> runPasses(Model& model, const PassContext& context, std::string_view last = {});

std::optional<Patch> pruneStep(Model& model, const PassContext& context);
std::optional<Patch> foldStep(Model& model, const PassContext& context);

// The index of the first capture among an operator's inputs, and among the inputs of its bodies.
struct CaptureStart {
  std::size_t ofNode, ofBody;
};
CaptureStart captureStart(const Node& node);

}  // namespace axle::ir
