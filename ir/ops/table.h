// The operator table: one row for each IR operator. Each family has a file of its own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "ir/graph.h"

namespace axle::ir {

// The facts and attributes that an operator's rules read.
struct InferContext {
  DimStore& dims;
  const std::vector<Fact>& inputs;
  const std::vector<Dim>& ints;
  const std::vector<Fact>& declared;  // of the node's outputs: sizes or element types that the inputs do not determine
  const std::vector<const Graph*>& bodies;
};

using Inferred = tl::expected<std::vector<Fact>, std::string>;

struct Cost {
  Dim flops;  // a multiplication and an addition are two
  Dim bytes;  // read and written
};

enum class Folding : std::uint8_t {
  never,    // sources and operators with bodies
  always,   // with constant inputs its outputs are constants
  checked,  // may fail: integers divided by zero, an index out of range
};

inline constexpr int any = -1;

struct Count {
  int least = 0;
  int most = 0;  // or `any`
  bool contains(std::size_t n) const {
    return n >= static_cast<std::size_t>(least) && (most == any || n <= static_cast<std::size_t>(most));
  }
};

// The number of `ints` of a node: `fixed`, and `perAxis` for each axis of its first input; or any number.
struct IntsRule {
  int fixed = 0;
  int perAxis = 0;
  std::string_view names;  // in order
  int otherAxes = 0;       // axes of the first input that do not count: batch and channels
};

struct OpRow {
  Op op;
  std::string_view name;  // as in runtime/bundle.proto, without a trailing `_`
  Count inputs;
  Count outputs;
  IntsRule ints;
  int bodies;
  Folding folding;
  Inferred (*infer)(const InferContext&);
  Dim (*flops)(const InferContext&);  // of one run, without its bodies
};

std::span<const OpRow> opTable();
const OpRow& row(Op op);  // `none` has a row too

// The facts of a node's outputs, inferred from those of its inputs; an error says what does not fit.
Inferred infer(const Model& model, const Graph& graph, const Node& node);

// The cost of a node. Bodies count as often as they run if that is known, else once.
Cost cost(const Model& model, const Graph& graph, const Node& node);

// Whether the two differ for all values of the sizes.
bool alwaysDiffer(DimStore& dims, Dim a, Dim b);
bool alwaysDiffer(DimStore& dims, const std::vector<Dim>& a, const std::vector<Dim>& b);
// `f32 [n, 3]`
std::string typeText(const DimStore& dims, const Fact& fact);

}  // namespace axle::ir
