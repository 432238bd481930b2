// The table of passes that no target needs to know about, and the functions that run them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/passes/patch.h"

namespace axle::ir {

struct Rule;
class PatchBuilder;

// Runs a model without inputs on the runtime's kernels. Returns the bytes of its outputs in order, or nothing if it
// cannot run.
using Evaluate = std::function<std::optional<std::vector<std::vector<std::byte>>>(const Model&)>;

struct PassContext {
  Evaluate evaluate;          // none: nothing is folded
  bool weightsKnown = false;  // whether `evaluate` can read weights
  int level = 1;              // 0: runs only the passes without which a graph cannot be compiled
  // Called before each patch is applied; false ends the passes. If empty, all patches are applied.
  std::function<bool(const Patch&)> admit = nullptr;
};

struct Pass {
  std::string_view name;
  int level;  // the least level that runs it
  // Returns the next patch, or nothing if nothing is left to do. May add constants to the model.
  std::optional<Patch> (*step)(Model& model, const PassContext& context);
  // Instead of steps: patterns to rewrite everywhere, or a rewrite of single nodes.
  std::span<const Rule> (*rules)();
  std::optional<Patch> (*rewrite)(Model& model, const Uses& uses, GraphId graph, NodeId node);
};

std::span<const Pass> passTable();  // in the order in which a build runs them
const Pass* passNamed(std::string_view name);

// Runs the passes of the table up to and including `last` (all if empty), each until it has nothing left to do. An
// error is a bug of a pass.
tl::expected<void, std::string> runPasses(Model& model, const PassContext& context, std::string_view last = {});
// Runs one pass. Returns false if a patch was not admitted.
tl::expected<bool, std::string> runPass(Model& model, const PassContext& context, const Pass& pass);

// Returns the patch of one node, or nothing if there is nothing to rewrite.
using RewriteNode = std::function<std::optional<Patch>(const Uses& uses, GraphId graph, NodeId node)>;
// Rewrites nodes, each after its producers, and their replacements, until nothing is left to rewrite. Returns false if
// a patch was not admitted.
tl::expected<bool, std::string> rewriteEverywhere(Model& model, const PassContext& context, const RewriteNode& rewrite);

std::optional<Patch> pruneStep(Model& model, const PassContext& context);
std::optional<Patch> foldStep(Model& model, const PassContext& context);
std::optional<Patch> commonSubexpressionsStep(Model& model, const PassContext& context);
std::optional<Patch> trimBody(Model& model, const Uses& uses, GraphId graph, NodeId node);
std::optional<Patch> hoistInvariants(Model& model, const Uses& uses, GraphId graph, NodeId node);
std::optional<Patch> dilateWindow(Model& model, const Uses& uses, GraphId graph, NodeId node);
std::optional<Patch> unrollLoop(Model& model, const Uses& uses, GraphId graph, NodeId node);

// Limits of unrolling a loop, a map or, with `nested`, a reduction.
struct UnrollLimits {
  std::int64_t iterations = 0, operators = 0;  // of all iterations together
  bool nested = false;  // bodies may have bodies, which are copied in the model; this invalidates every `Uses`
};
std::optional<Patch> unrollWithin(Model& model, GraphId graph, NodeId node, const UnrollLimits& limits);
// Wires a body's operators on these inputs, with copies of bodies within. Returns the body's outputs.
std::vector<OutletId> inlineBody(PatchBuilder& patch, const Graph& body, const std::vector<OutletId>& inputs);
// Adds a copy of a body and of the bodies within. Invalidates every `Uses`.
GraphId copyBody(Model& model, GraphId body);
// Clears the bodies of a removed node and the bodies within.
void clearBodiesOf(const Model& model, const Node& node, Patch& patch);
// Selects the results to move out of a body, among those that only its captures and constants determine.
struct Hoisting {
  std::function<bool(const Graph& body, OutletId outlet)> isWanted;
  bool movesSlices = false;  // slices are in range even if the body does not run
};
std::optional<Patch> hoistWanted(Model& model, GraphId graph, NodeId node, const Hoisting& hoisting);

// The tables of the passes.
std::span<const Rule> simplifyRules();
std::span<const Rule> structureRules();
std::span<const Rule> padIntoWindowRules();
std::span<const Rule> windowRules();
std::span<const Rule> scaleRules();
std::span<const Rule> sinkRules();
std::span<const Rule> denseWindowRules();

// The index of the first capture among the inputs of an operator and among the inputs of its bodies.
struct CaptureStart {
  std::size_t ofNode, ofBody;
};
CaptureStart captureStart(const Node& node);

// Whether the graph has a composite, whose nodes must stay together.
bool hasComposite(const Model& model, GraphId graph);

}  // namespace axle::ir
