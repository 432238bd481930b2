// The operator table: one row for each IR operator; families are in files of their own.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "ir/graph.h"

namespace axle::ir {

// What an operator's rule may look at.
struct InferContext {
  DimStore& dims;
  const std::vector<Fact>& inputs;
  const std::vector<Dim>& ints;
  const std::vector<Fact>&
      declared;  // of the node's outputs: an operator whose result's size or element is its own choice keeps it
  const std::vector<const Graph*>& bodies;
};

using Inferred = tl::expected<std::vector<Fact>, std::string>;

struct Cost {
  Dim flops;  // a multiplication and an addition are two
  Dim bytes;  // read and written
};

enum class Folding : std::uint8_t {
  never,    // sources and operators with bodies
  always,   // of constant inputs gives a constant
  checked,  // may fail at run time: integers divided by zero, an index out of range
};

inline constexpr int any = -1;

struct Count {
  int least = 0;
  int most = 0;  // or `any`
  bool contains(std::size_t n) const {
    return n >= static_cast<std::size_t>(least) && (most == any || n <= static_cast<std::size_t>(most));
  }
};

// How many `ints` a node has: `fixed` and so many for each axis of its first input (of its output, for `dims`), or any
// number.
struct IntsRule {
  int fixed = 0;
  int perAxis = 0;
  std::string_view names;  // what they are, in order
  int otherAxes = 0;       // of the first input that do not count: batch and channels
};

struct OpRow {
  Op op;
  std::string_view name;  // as runtime/bundle.proto has it, without the `_` that keeps some apart there
  Count inputs;
  Count outputs;
  IntsRule ints;
  int bodies;
  Folding folding;
  Inferred (*infer)(const InferContext&);
  Dim (*flops)(const InferContext&);  // of one run, without the bodies'
};

std::span<const OpRow> opTable();
const OpRow& row(Op op);  // `none` has a row too

// Facts of a node's outputs from those of its inputs; an error says what does not fit.
Inferred infer(const Model& model, const Graph& graph, const Node& node);

// Bodies count as often as they run, where that is known, else once.
Cost cost(const Model& model, const Graph& graph, const Node& node);

// Whether no sizes could make the two equal.
bool surelyDiffer(DimStore& dims, Dim a, Dim b);
bool surelyDiffer(DimStore& dims, const std::vector<Dim>& a, const std::vector<Dim>& b);
// `f32 [n, 3]`
std::string typeText(const DimStore& dims, const Fact& fact);

}  // namespace axle::ir
