// The intermediate representation: graphs of operators over tensors, each outlet with a fact. Lowering builds them, the
// backend compiles them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "dims/dim.h"
#include "frontend/id.h"
#include "frontend/source.h"
#include "io/elem.h"
#include "ir/attributes.h"
#include "ir/ops/op.h"
#include "typecheck/types/typed.h"

namespace axle::ir {

using NodeId = Id<struct NodeTag>;          // into Graph::nodes
using OutletId = Id<struct OutletTag>;      // into Graph::outlets
using GraphId = Id<struct GraphTag>;        // into Model::graphs; 0 is the main graph, the others are bodies
using ConstantId = Id<struct ConstantTag>;  // into Model::constants

// Rearranges the elements of a tensor of shape `source`: element (i, j, ...) is its element number first +
// i*axes[0].step + j*axes[1].step + ...
struct Rearrangement {
  struct Axis {
    std::int64_t size = 0, step = 0;
    auto operator<=>(const Axis&) const = default;
  };
  std::vector<std::int64_t> source;
  std::int64_t first = 0;
  std::vector<Axis> axes;
  auto operator<=>(const Rearrangement&) const = default;
};

// A tensor known at compile time: its bytes are here, or it is a weight, whose bytes are read when they are needed.
struct Constant {
  std::string name;  // of a weight: the parameter's name; otherwise empty
  Elem elem = Elem::f32;
  std::vector<std::int64_t> shape;
  std::optional<std::uint32_t> weight;                  // index into Model::weights
  std::shared_ptr<const std::vector<std::byte>> bytes;  // null for a weight; row-major, little-endian
  std::optional<Rearrangement> rearranged{};            // of the weight's or the given bytes
};

// unknown | a constant | an integer tensor whose elements, row-major, are dimensions
using ValueFact = std::variant<std::monostate, ConstantId, std::vector<Dim>>;

// A fact: the compile-time knowledge of an outlet's tensor. Dimensions are the type checker's own, so symbolic sizes
// stay symbolic; an unknown size is a separate variable.
struct Fact {
  Elem elem = Elem::f32;
  std::vector<Dim> shape;
  ValueFact value;
};

struct Outlet {
  NodeId node;             // its producer
  std::uint32_t slot = 0;  // which of the producer's outputs
  Fact fact;
};

struct Node {
  Op op = Op::none;  // `none` for a removed node
  std::vector<OutletId> inputs;
  std::vector<OutletId> outputs;
  Attributes attributes;  // of the kind that the operator's row names
  std::vector<GraphId> bodies;
  ConstantId constant;  // of Op::constant
  // Run-time sizes that the node computes, by output slot: the leading size of that output (for Op::size, its value).
  std::vector<std::pair<std::uint32_t, DimVar>> runSizes;
  // Outlets that are not inputs but whose nodes must run first: they compute run-time sizes that the facts or
  // attributes mention.
  std::vector<OutletId> after;
  std::vector<std::uint32_t> checks;  // of Op::guard: indices into Model::checks
  std::vector<std::string> names;     // of its source bindings; a rewrite keeps all
  std::vector<Span> spans;            // of its source text, innermost first
};

// Returns the attributes of a node whose operator has this kind.
template <class Kind>
const Kind& as(const Node& node) {
  return std::get<Kind>(node.attributes);
}

// Nodes in no particular order; `topologicalOrder` gives one.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Outlet> outlets;
  std::vector<OutletId> inputs;  // outlets of Op::input nodes; in a body those that its operator feeds, then captures
  std::vector<OutletId> outputs;

  const Node& operator[](NodeId id) const { return nodes[id.index]; }
  Node& operator[](NodeId id) { return nodes[id.index]; }
  const Outlet& operator[](OutletId id) const { return outlets[id.index]; }
  Outlet& operator[](OutletId id) { return outlets[id.index]; }
  const Node& producer(OutletId id) const { return nodes[outlets[id.index].node.index]; }

  // Adds a node with one outlet for each fact.
  NodeId add(Node node, std::vector<Fact> facts);
};

// A parameter of the program: a tensor of the weights file.
struct Weight {
  std::string parameter;   // "stem.kernel"
  std::string tensorName;  // in the file
  Span span;
};

// A size that a node computes during the run.
struct RunSize {
  DimVar size;
  Dim most;  // an upper bound over the entry's symbols and run-time sizes computed before
};

// An input or output, number `port`, with the row splits of the ragged tensor whose rows are port `of`.
struct Splits {
  std::size_t port = 0, of = 0;
  Dim rows;                           // the last of the row splits
  std::optional<std::size_t> sameAs;  // an earlier port of the same length
};

// A claim that the outputs are the result of the operator `implements` on the inputs, so that a fused operator may
// replace the ordinary nodes in between (as TensorFlow Lite's operation fusion does).
struct Composite {
  GraphId graph;
  std::string implements;  // "embedding_lookup"
  std::string function;    // the function that computes it
  // None for an input that no node of the graph produces, and for an output that nothing needs.
  std::vector<OutletId> inputs, outputs;
  std::vector<ConstantId> constants;  // of inputs that are constants, since only bodies may read those
  Span span;
  std::string refused;  // why no fused operator may replace it; empty if one may
};

// One entry, lowered.
struct Model {
  DimStore* dims = nullptr;  // of all facts and attributes; outlives the model
  std::string entry;
  std::vector<Graph> graphs;  // a body's own bodies have larger indices
  std::vector<Constant> constants;
  std::vector<Weight> weights;
  std::vector<RunSize> runSizes;
  std::vector<Composite> composites;
  std::vector<DimFact> checks;          // of Op::guard nodes
  std::vector<std::string> inputNames;  // of graphs[0], in order
  std::vector<std::string> outputNames;
  std::vector<Splits> inputSplits, outputSplits;
  std::set<double> sampleRates;  // samples per second, as passed to functions of the standard module `audio`

  const Graph& main() const { return graphs.front(); }
  const Constant& operator[](ConstantId id) const { return constants[id.index]; }
  // Returns the same id for the same small constant.
  ConstantId addConstant(Elem elem, std::vector<std::int64_t> shape, std::vector<std::byte> bytes);

 private:
  std::unordered_map<std::string, std::uint32_t> small_;  // of small constants, by element, shape and bytes
};

// Returns the nodes that the outputs need and the input nodes, each after its producers, otherwise in the order of
// their ids. Returns nothing if the graph has a cycle or an id out of range.
std::optional<std::vector<NodeId>> topologicalOrder(const Graph& graph);

// Returns the nodes that read each outlet, by outlet index; a node that reads an outlet twice is listed twice.
std::vector<std::vector<NodeId>> successors(const Graph& graph);

// Returns the sizes of a fact, if all are known.
std::optional<std::vector<std::int64_t>> constantShape(const DimStore& dims, const Fact& fact);
// Returns the fact of one slice along an axis, without the value.
Fact withoutAxis(const Fact& fact, std::size_t axis);
Fact withoutValue(const Fact& fact);
// Returns the number of elements of a shape.
Dim elementCount(DimStore& dims, const std::vector<Dim>& shape);

}  // namespace axle::ir
