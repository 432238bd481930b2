// The manifest of a bundle in memory: one struct for each message of `bundle.proto`. Decoding checks nothing; `check.h`
// does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dims/evaluate.h"
#include "runtime/debug.h"
#include "runtime/error.h"

namespace axle::runtime {

// One boolean for each of several items. `std::vector<bool>` takes more code.
using Marks = std::vector<char>;

}  // namespace axle::runtime

namespace axle::runtime::manifest {

// The most items of one repeated field; more is an error.
inline constexpr std::size_t maxItems = 1u << 20;
inline constexpr std::size_t maxVariants = 256;

struct Symbol {
  std::string name;
  std::uint32_t input = 0, axis = 0, offset = 0, coefficient = 0;
  bool found = false;
  std::uint32_t most = 0;
};

struct Guard {
  std::uint32_t left = 0, relation = 0, right = 0;
  bool atNode = false;
};

struct Value {
  std::uint32_t elem = 0;
  std::vector<std::uint32_t> shape;
  bool isConstant = false;
  std::uint32_t constant = 0;
};

// A pointwise operator of an epilogue.
struct Pointwise {
  std::uint32_t op = 0, elem = 0;
  std::vector<std::uint32_t> args;
  std::int64_t shift = 0;
};

// `finds`: for each output 1 + the symbol that the node finds, or 0; empty: it finds none. `inPlace`: 1 + the input
// whose memory the output takes; 0: none.
struct Node {
  std::uint32_t op = 0;
  std::vector<std::uint32_t> inputs, outputs, ints, bodies, finds;
  std::vector<Pointwise> epilogue;
  std::uint32_t epilogueInputs = 0;
  bool alias = false;
  std::uint32_t inPlace = 0;
  bool byRows = false;
};

struct Graph {
  std::size_t firstNode = 0;  // the number of its first node in the program; bodies follow
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<std::uint32_t> inputs, outputs;
  std::vector<std::uint32_t> offsets;  // per value: 1 + offset / 64, or 0: no place; empty: planned at bind
};

struct Constant {
  std::uint32_t elem = 0;
  std::vector<std::uint64_t> shape;
  std::uint64_t offset = 0, bytes = 0;
};

// For row splits, `splitsOf` is 1 + the port of the rows, `rows` the dimension of the last split, and `sameAs` 1 + the
// earlier port that must be equal; 0: none.
struct Port {
  std::string name, type;
  std::uint32_t splitsOf = 0, rows = 0, sameAs = 0;
};

struct Manifest {
  std::string producer, entry, entryType;
  std::vector<DimNode> dims;
  std::vector<Symbol> symbols;
  std::vector<Guard> guards;
  std::vector<Port> inputs, outputs;
  std::vector<Constant> constants;
  Graph graph;
  std::vector<Graph> bodies;
  std::vector<Manifest> variants;     // these have no variants themselves
  std::uint32_t threads = 0;          // the most that runs use, unless asked otherwise; 0 means 1
  DebugView debug;                    // of this program
  std::span<const std::byte> stream;  // the message `Stream` (stream/messages.h), not decoded; empty: none
};

// `bytes` and `debug` must outlive the manifest.
Result<Manifest> readManifest(std::span<const std::byte> bytes, std::span<const std::byte> debug);

// Returns the name of a node in reports: "`sums`", as the debug section names it, otherwise number and operator:
// `node 12 (LOOP)`.
std::string nodeLabel(const NodeText& text, const Graph& graph, const Node& node);
// Returns the names and places of a node of the program.
NodeText describeNode(const Manifest& manifest, const Graph& graph, const Node& node);

}  // namespace axle::runtime::manifest
