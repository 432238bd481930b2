// What lowering and imports make and the backend takes: graphs of operators over tensors, each outlet with a fact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "frontend/source.h"
#include "io/elem.h"
#include "ir/ops/op.h"
#include "dims/dim.h"
#include "typecheck/types/typed.h"

namespace axle::ir {

template <class Tag>
struct Id {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t index = none;
  explicit operator bool() const { return index != none; }
  friend auto operator<=>(Id, Id) = default;
};

using NodeId = Id<struct NodeTag>;          // into Graph::nodes
using OutletId = Id<struct OutletTag>;      // into Graph::outlets
using GraphId = Id<struct GraphTag>;        // into Model::graphs; 0 is the main graph, the others are bodies
using ConstantId = Id<struct ConstantTag>;  // into Model::constants

// A tensor known when the program is compiled: bytes here, or a weight, whose bytes are read when they are needed.
struct Constant {
  std::string name;  // of a weight: the parameter's; else empty
  Elem elem = Elem::f32;
  std::vector<std::int64_t> shape;
  std::optional<std::uint32_t> weight;                  // index into Model::weights
  std::shared_ptr<const std::vector<std::byte>> bytes;  // null for a weight; row-major, little-endian
};

// unknown | a constant | an integer tensor whose elements, row-major, are dimensions
using ValueFact = std::variant<std::monostate, ConstantId, std::vector<Dim>>;

// What is known of the tensor that flows from an outlet. Dimensions are the checker's own, so a symbolic batch stays
// symbolic; an unknown size is a variable of its own.
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
  Op op = Op::none;  // `none` after its removal
  std::vector<OutletId> inputs;
  std::vector<OutletId> outputs;
  std::vector<Dim> ints;  // attributes, as the operator's row names them
  std::vector<GraphId> bodies;
  ConstantId constant;  // of Op::constant
  // Sizes that the run finds here, each the leading one of an output (of Op::size: its value); and outlets of the nodes
  // that find those which facts or `ints` of this one mention, where no input has them.
  std::vector<std::pair<std::uint32_t, DimVar>> finds;
  std::vector<OutletId> after;
  std::vector<std::uint32_t> checks;  // of Op::guard: indices into Model::checks
  std::vector<std::string> names;     // of the bindings it comes from; a rewrite keeps all
  std::vector<Span> spans;            // what was written, innermost first
};

// Nodes in no particular order; `topologicalOrder` gives one.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Outlet> outlets;
  std::vector<OutletId> inputs;  // outlets of Op::input nodes. Of a body: those that its operator feeds, then captures
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

// A size that a node finds in the middle of a run.
struct FoundSize {
  DimVar size;
  Dim most;  // over the entry's symbols and sizes that are found earlier
};

// An input or output that is row splits of the ragged tensor whose rows are port `of`.
struct Splits {
  std::size_t port = 0, of = 0;
  Dim rows;                           // what the last one is
  std::optional<std::size_t> sameAs;  // an earlier port of the same length
};

// A claim that the outputs are what an operator of this name makes of the inputs: the boundary that a fused operator may
// take over (papers/tflite-fusion.txt). The nodes between stay ordinary ones.
struct Composite {
  GraphId graph;
  std::string implements;  // "embedding_lookup"
  std::string function;    // that was written to compute it
  // None for what is not there: an input that no node of the graph gives, an output that nothing needs.
  std::vector<OutletId> inputs, outputs;
  std::vector<ConstantId> constants;  // what inputs are, where it is known, as only bodies may read them
  Span span;
  std::string refused;  // why no fused operator may have it; empty where one may
};

// One entry, lowered.
struct Model {
  DimStore* dims = nullptr;  // of all facts and attributes; outlives the model
  std::string entry;
  std::vector<Graph> graphs;  // a body's own bodies have larger indices
  std::vector<Constant> constants;
  std::vector<Weight> weights;
  std::vector<FoundSize> foundSizes;
  std::vector<Composite> composites;
  std::vector<DimFact> checks;          // that nodes make
  std::vector<std::string> inputNames;  // of graphs[0], in order
  std::vector<std::string> outputNames;
  std::vector<Splits> inputSplits, outputSplits;

  const Graph& main() const { return graphs.front(); }
  const Constant& operator[](ConstantId id) const { return constants[id.index]; }
  // The same id for the same bytes.
  ConstantId addConstant(Elem elem, std::vector<std::int64_t> shape, std::vector<std::byte> bytes);

 private:
  std::unordered_map<std::string, std::uint32_t> small_;  // of small constants, by element, shape and bytes
};

// Nodes that the outputs need and the input nodes, each after its producers, otherwise in the order of their ids.
// None if the graph has a cycle or an id out of range.
std::optional<std::vector<NodeId>> topologicalOrder(const Graph& graph);

// The nodes that read each outlet, by outlet index; a node that reads it twice is there twice.
std::vector<std::vector<NodeId>> successors(const Graph& graph);

// The sizes of a fact, if all are known.
std::optional<std::vector<std::int64_t>> constantShape(const DimStore& dims, const Fact& fact);
// The number of elements.
Dim elementCount(DimStore& dims, const std::vector<Dim>& shape);

}  // namespace axle::ir
