// The manifest of a bundle in memory: one struct for each message of `bundle.proto`. Decoding checks nothing; `check.h`
// does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dims/evaluate.h"
#include "runtime/error.h"

namespace axle::runtime::manifest {

// At most this many of one repeated field; more is an error.
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
  std::string text, reason;
  std::vector<Place> places;
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
};

struct Node {
  std::uint32_t op = 0;
  std::vector<std::uint32_t> inputs, outputs, ints, bodies, finds;
  std::vector<Pointwise> epilogue;
  std::uint32_t epilogueInputs = 0;
  bool alias = false;
  std::uint32_t inPlace = 0;
  std::string name;
  std::vector<Place> places;
};

struct Graph {
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<std::uint32_t> inputs, outputs;
  std::vector<std::uint32_t>
      offsets;  // of values, then of the nodes' workspaces: 0 or 1 + offset / 64; empty: planned at bind
};

struct Constant {
  std::string name;
  std::uint32_t elem = 0;
  std::vector<std::uint64_t> shape;
  std::uint64_t offset = 0, bytes = 0;
};

struct Port {
  std::string name, type;
  std::uint32_t splitsOf = 0, rows = 0, sameAs = 0;
};

struct Manifest {
  std::uint32_t version = 0;
  std::string producer, entry, entryType;
  std::vector<DimNode> dims;
  std::vector<Symbol> symbols;
  std::vector<Guard> guards;
  std::vector<Port> inputs, outputs;
  std::vector<Constant> constants;
  Graph graph;
  std::vector<Graph> bodies;
  std::vector<Manifest> variants;  // of version 2; these have none
};

Result<Manifest> readManifest(std::span<const std::byte> bytes);

}  // namespace axle::runtime::manifest
