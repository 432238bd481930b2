// The portable passes, as a table.
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

// Runs a model without inputs on the runtime's kernels. Returns the bytes of its outputs in order; none if it cannot
// run.
using Evaluate = std::function<std::optional<std::vector<std::vector<std::byte>>>(const Model&)>;

struct PassContext {
  Evaluate evaluate;          // none: nothing is folded
  bool weightsKnown = false;  // whether `evaluate` can read weights
  int level = 1;              // 0: only what a graph needs to be compiled runs
  // Asked before each patch is applied: no ends the passes. None: all are applied.
  std::function<bool(const Patch&)> admit = nullptr;
};

struct Pass {
  std::string_view name;
  int level;  // the least one that runs it
  // One step: returns a patch, or none when nothing is left to do. May add constants to the model.
  std::optional<Patch> (*step)(Model& model, const PassContext& context);
  // Instead of steps: patterns that are rewritten wherever they are found, or a rewrite of single nodes.
  std::span<const Rule> (*rules)();
  std::optional<Patch> (*rewrite)(Model& model, const Uses& uses, GraphId graph, NodeId node);
};

std::span<const Pass> passTable();  // in the order in which a build runs them
const Pass* passNamed(std::string_view name);

// Runs the passes of the table, each until it has nothing left to do, up to and including `last` (all if empty). An
// error is a bug of a pass.
tl::expected<void, std::string> runPasses(Model& model, const PassContext& context, std::string_view last = {});
// Runs one pass. False if a patch was not admitted.
tl::expected<bool, std::string> runPass(Model& model, const PassContext& context, const Pass& pass);

// The patch of one node, none if there is nothing to rewrite.
using RewriteNode = std::function<std::optional<Patch>(const Uses& uses, GraphId graph, NodeId node)>;
// Rewrites nodes, each after its producers, and what replaces them, until none is left to rewrite. False if a patch was
// not admitted.
tl::expected<bool, std::string> rewriteEverywhere(Model& model, const PassContext& context, const RewriteNode& rewrite);

std::optional<Patch> pruneStep(Model& model, const PassContext& context);
std::optional<Patch> foldStep(Model& model, const PassContext& context);
std::optional<Patch> commonSubexpressionsStep(Model& model, const PassContext& context);
std::optional<Patch> trimBody(Model& model, const Uses& uses, GraphId graph, NodeId node);
std::optional<Patch> hoistInvariants(Model& model, const Uses& uses, GraphId graph, NodeId node);
std::optional<Patch> dilateWindow(Model& model, const Uses& uses, GraphId graph, NodeId node);
std::optional<Patch> unrollLoop(Model& model, const Uses& uses, GraphId graph, NodeId node);

// How far a loop, map or, with `nested`, reduction is unrolled.
struct UnrollLimits {
  std::int64_t iterations = 0, operators = 0;  // of all iterations together
  bool nested = false;  // bodies may have bodies, copies of which are added to the model: no `Uses` may be kept
};
std::optional<Patch> unrollWithin(Model& model, GraphId graph, NodeId node, const UnrollLimits& limits);
// Wires a body's operators on these inputs, with copies of bodies within; gives its outputs.
std::vector<OutletId> inlineBody(PatchBuilder& patch, const Graph& body, const std::vector<OutletId>& inputs);
// Adds a copy of a body, with those within. No `Uses` may be kept.
GraphId copyBody(Model& model, GraphId body);
// Clears the bodies of a node that is removed, with those within.
void clearBodiesOf(const Model& model, const Node& node, Patch& patch);
// What is moved out of a body, of what its captures and constants alone determine.
struct Hoisting {
  std::function<bool(const Graph& body, OutletId outlet)> isWanted;
  bool movesSlices = false;  // they are in range, even if the body does not run
};
std::optional<Patch> hoistWanted(Model& model, GraphId graph, NodeId node, const Hoisting& hoisting);

// The tables of the passes.
std::span<const Rule> simplifyRules();
std::span<const Rule> structureRules();
std::span<const Rule> padIntoWindowRules();
std::span<const Rule> windowRules();
std::span<const Rule> scaleRules();
std::span<const Rule> sinkRules();

// The index of the first capture among an operator's inputs, and among the inputs of its bodies.
struct CaptureStart {
  std::size_t ofNode, ofBody;
};
CaptureStart captureStart(const Node& node);

// Whether a composite is within the graph: its nodes stay together.
bool hasComposite(const Model& model, GraphId graph);

}  // namespace axle::ir
