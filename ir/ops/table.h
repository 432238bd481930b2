// The operator table: one row for each IR operator, generated from `runtime/ops.def`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "ir/graph.h"
#include "ir/ops/axes.h"
#include "runtime/ops.h"

namespace axle::ir {

// The facts and attributes that an operator's rules read.
struct InferContext {
  DimStore& dims;
  const std::vector<Fact>& inputs;
  const Attributes& attributes;
  const std::vector<Fact>& declared;  // of the node's outputs: sizes or element types that the inputs do not determine
  const std::vector<const Graph*>& bodies;

  template <class Kind>
  const Kind& as() const {
    return std::get<Kind>(attributes);
  }
};

using Inferred = tl::expected<std::vector<Fact>, std::string>;

struct Cost {
  Dim flops;  // a multiplication and an addition are two
  Dim bytes;  // read and written
};

enum class Folding : std::uint8_t {
  never,    // sources, operators with bodies, and those that find or check sizes
  always,   // with constant inputs its outputs are constants
  checked,  // may fail: integers divided by zero, an index out of range
};

// The rules of an operator, defined in the file of `ir/ops/` with its name. `cost` and `axes` require a node whose
// facts fit.
struct Rules {
  Inferred (*facts)(const InferContext&);
  Dim (*cost)(const InferContext&);  // operations of one run, without its bodies
  AxisMap (*axes)(const InferContext&);
};

using ops::any, ops::Count;

// The row of `runtime/ops.def`, or of a source.
struct OpRow {
  Op op;
  std::string_view name;
  Count inputs;
  Count outputs;
  AttributesKind attributes;
  ops::IntegerList ints;  // the form of the attributes in a bundle
  int bodies;
  Folding folding;
  const Rules* rules;
};

std::span<const OpRow> opTable();
const OpRow& row(Op op);  // `none` has a row too

// Infers the facts of a node's outputs from those of its inputs; an error names what does not fit.
Inferred infer(const Model& model, const Graph& graph, const Node& node);

// Returns the cost of a node. Bodies count as often as they run if that is known, otherwise once.
Cost cost(const Model& model, const Graph& graph, const Node& node);

// Returns how the axes of a node's outputs run along those of its inputs.
AxisMap axes(const Model& model, const Graph& graph, const Node& node);

// Whether the two differ for all values of the sizes.
bool alwaysDiffer(DimStore& dims, Dim a, Dim b);
bool alwaysDiffer(DimStore& dims, const std::vector<Dim>& a, const std::vector<Dim>& b);
// `f32 [n, 3]`
std::string typeText(const DimStore& dims, const Fact& fact);

}  // namespace axle::ir
