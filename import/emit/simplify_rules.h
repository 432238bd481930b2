// Rules of simplification: each rewrites one call in place, and returns false if it does not apply. They require flat
// statements (passes.h).
#pragma once

#include <span>
#include <string_view>

#include "import/emit/shapes.h"
#include "import/emit/tree.h"

namespace axle::emit {

// The state of one round of rules.
struct Simplification {
  Program& program;
  Shapes shapes;
  Definitions definitions;
};

struct SimplifyRule {
  std::string_view op;
  bool (*rewrite)(Simplification&, NodeId);
};
// Return the rules in the order in which they are tried.
std::span<const SimplifyRule> layoutRules();
std::span<const SimplifyRule> arithmeticRules();

// Rules for any arithmetic operator (simplify_arithmetic.cc).

// x * reshape(w, [1, 1, k]) is x * w: broadcasting adds the leading axes.
bool broadcastReshaped(Simplification& s, NodeId id);
// rsqrt(reshape(v, [1, 1, k]) + eps) becomes reshape(rsqrt(v + eps), [1, 1, k]), so that broadcasting can remove the
// reshape.
bool reshapeAfterwards(Simplification& s, NodeId id);

// Rules for statements with several names (simplify_layout.cc).

// unstack(transpose(x, perm=[1, 0, 2])) is unstack(x, axis=1).
bool unstackTransposed(Simplification& s, NodeId id);
// a, b = unstack(w), of a weight w, becomes a = w[0] and b = w[1].
bool indexUnstacked(Simplification& s, Block& block, std::size_t at);

// Shared by the rules (simplify.cc).

// Return the expression that defines an argument; `operandCall` returns none if it is not a call of `op`.
NodeId operandBehind(const Simplification& s, NodeId id, std::size_t argument = 0);
NodeId operandCall(const Simplification& s, NodeId id, std::string_view op);
// Whether it is a reshape, squeeze or expand: the same elements in the same order.
bool isReshape(const Simplification& s, NodeId id);
// Rewrites the node to a copy of another one.
bool becomes(Simplification& s, NodeId id, NodeId other);
bool becomesCall(Simplification& s, NodeId id, std::string op, std::vector<NodeId> parts);
// Rewrites the node to `part[items]`.
bool becomesIndex(Simplification& s, NodeId id, NodeId part, std::vector<IndexItem> items);
// Rewrites the node to a reshape of `source` to the node's own shape. Returns false if that has sizes without a name.
bool becomesReshapeOf(Simplification& s, NodeId id, NodeId source);
// Rewrites the node to its first argument if that has the same type.
bool dropIdentity(Simplification& s, NodeId id);

}  // namespace axle::emit
