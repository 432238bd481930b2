// Rewrites as tables of patterns: `pattern -> replacement if condition`.
//
// A hole of a pattern (patterns/pattern.h) matches any outlet; a constant hole matches outlets computed from constants
// alone.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/passes/pass.h"
#include "ir/passes/patch_builder.h"
#include "patterns/pattern.h"

namespace axle::ir {

using Pattern = patterns::Pattern<Op>;

namespace pattern {

using patterns::on, patterns::onAny, patterns::once;

// The holes of rules. w, s and c match constants only.
inline const Pattern x{Pattern::Kind::hole, 0}, y{Pattern::Kind::hole, 1}, z{Pattern::Kind::hole, 2},
    w{Pattern::Kind::constantHole, 3}, s{Pattern::Kind::constantHole, 4}, c{Pattern::Kind::constantHole, 5};

}  // namespace pattern

// A match of a pattern.
struct Found {
  const Model& model;
  const Uses& uses;
  const PassContext& context;
  GraphId graph;
  NodeId root;
  patterns::Bound<OutletId> bound;

  DimStore& dims() const { return *model.dims; }
  const Graph& inGraph() const { return model.graphs[graph.index]; }
  OutletId operator[](const Pattern& hole) const { return bound.ofHole[hole.index]; }
  const Fact& fact(const Pattern& hole) const { return inGraph()[(*this)[hole]].fact; }
  const Node& named(std::size_t name) const { return inGraph().producer(bound.ofName[name]); }
  const Fact& factOf(std::size_t name) const { return inGraph()[bound.ofName[name]].fact; }
  const Node& rootNode() const { return inGraph()[root]; }
  OutletId result() const { return rootNode().outputs[0]; }
  const Fact& resultFact() const { return inGraph()[result()].fact; }
  // Whether only one node reads the outlet, and a rewrite may remove it.
  bool isReadOnce(OutletId outlet) const { return uses.count(graph, outlet) == 1 && !isBoundary(outlet); }
  // Whether a composite begins or ends at the outlet. Patterns do not cross it, so that a fused operator can replace
  // the composite.
  bool isBoundary(OutletId outlet) const { return uses.isBoundary(graph, outlet); }
  // Returns the number of a constant whose elements are equal.
  std::optional<double> number(const Pattern& hole) const;
};

// Whether an outlet is computed from constants alone, by operators that constant folding can run.
bool isConstant(const Found& found, OutletId outlet);

// Builds the replacement of the root's result. Returns no outlet if the rule does not apply after all.
using Make = OutletId (*)(const Found& found, PatchBuilder& patch);
using Condition = bool (*)(const Found& found);

struct Rule {
  Rule(std::string_view name, Pattern pattern, Make make, Condition condition = nullptr)
      : name(name), pattern(std::move(pattern)), make(make), condition(condition) {}
  // The replacement is a tree too. A node named in the pattern passes its attributes and declared fact to the node with
  // this name.
  Rule(std::string_view name, Pattern pattern, Pattern replacement, Condition condition = nullptr)
      : name(name), pattern(std::move(pattern)), replacement(std::move(replacement)), condition(condition) {}

  std::string_view name;
  Pattern pattern;  // of a node with one output
  Pattern replacement;
  Make make = nullptr;
  Condition condition = nullptr;
};

// Returns the patch of the first rule that applies to a node.
std::optional<Patch> rewriteNode(Model& model, const Uses& uses, const PassContext& context, GraphId graph, NodeId node,
                                 std::span<const Rule> rules);

// Applies the rules everywhere until none applies. Returns false if a patch was not admitted, which ends the passes.
tl::expected<bool, std::string> runRules(Model& model, const PassContext& context, std::span<const Rule> rules);

}  // namespace axle::ir
