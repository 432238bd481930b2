// Makes bundles for tests. Writes the manifest in protobuf's wire format without a library, so that the reader is
// tested against the format itself, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "bundle.nano.h"
#include "dims/evaluate.h"
#include "dims/relation.h"
#include "runtime/manifest.h"
#include "runtime/ops.h"
#include "runtime/session.h"
#include "runtime/stream/messages.h"
#include "runtime/tensor.h"

namespace axle::runtime::test {

// Returns the error's text, or "no error".
inline std::string errorText(const Result<void>& result) { return result ? "no error" : result.error().text(); }

std::string encodeManifest(const manifest::Manifest& manifest);
// Encodes the message for Manifest.stream.
std::string encodeStream(const manifest::Stream& stream);

// The names and texts of a bundle with one program.
struct DebugTexts {
  std::vector<GuardInfo> guards;
  std::vector<std::string> constants;
  std::vector<NodeText> nodes;  // by number
};

// Encodes a debug section of `programs` programs with the same guards and nodes.
std::string encodeDebug(const DebugTexts& texts, std::size_t programs = 1);

// Returns a whole file: frame, manifest, debug section unless it is empty, weights.
std::vector<std::byte> makeBundle(const manifest::Manifest& manifest, const std::vector<std::byte>& weights = {},
                                  const std::string& debug = {});

std::vector<std::byte> makeFile(const std::string& manifest, const std::string& debug,
                                const std::vector<std::byte>& weights);

// Loads a bundle, and keeps a copy of its bytes for the session.
Result<Session> load(const std::vector<std::byte>& bundle, LoadOptions options = {});

// Builds a manifest step by step; each function returns the index of the item that it adds.
class Maker {
 public:
  manifest::Manifest manifest;
  std::vector<std::byte> weights;
  DebugTexts debug;

  std::uint32_t constantDim(std::int64_t value) { return dim(DimOp::constant, value, 0, 0); }
  std::uint32_t dim(DimOp op, std::uint32_t left, std::uint32_t right) { return dim(op, 0, left, right); }
  // Adds a symbol for the size of axis `axis` of input `input`, and a dimension that is this symbol.
  std::uint32_t symbol(const std::string& name, std::uint32_t input, std::uint32_t axis);
  // Adds a symbol that a node computes in the run, at most `most`.
  std::uint32_t found(const std::string& name, std::uint32_t most);
  std::uint32_t symbolDim(std::uint32_t symbol) { return dim(DimOp::symbol, symbol, 0, 0); }
  std::vector<std::uint32_t> constantDims(const std::vector<std::int64_t>& sizes);
  void guard(std::uint32_t left, FactRelation relation, std::uint32_t right, const std::string& text);

  static std::uint32_t value(manifest::Graph& graph, Elem elem, const std::vector<std::uint32_t>& dims);
  std::uint32_t constant(manifest::Graph& graph, Elem elem, const std::vector<std::int64_t>& sizes, const void* data);
  static void node(manifest::Graph& graph, std::uint32_t op, std::vector<std::uint32_t> inputs,
                   std::vector<std::uint32_t> outputs, std::vector<std::uint32_t> ints = {},
                   std::vector<std::uint32_t> bodies = {});
  // Names the last node of the graph.
  void name(const std::string& name, const std::vector<Place>& places = {});
  std::uint32_t input(const std::string& name, const std::string& type, Elem elem,
                      const std::vector<std::uint32_t>& dims);
  void output(const std::string& name, const std::string& type, std::uint32_t value);

  std::vector<std::byte> bundle() const { return makeBundle(manifest, weights, encodeDebug(debug)); }
  std::vector<std::byte> strippedBundle() const { return makeBundle(manifest, weights); }

 private:
  std::uint32_t dim(DimOp op, std::int64_t value, std::uint32_t left, std::uint32_t right);
};

// x : f32 s @ [n], for s of rank 0 and 1;  out = x + x; the variant for rank 1 also multiplies by a constant.
Maker openRanks();

// Returns a tensor of the given elements.
template <class T>
Tensor tensorOf(Elem elem, const Shape& shape, const std::vector<T>& elements) {
  Tensor tensor = Tensor::make(elem, shape).value();
  if (!elements.empty()) std::memcpy(tensor.bytes().data(), elements.data(), elements.size() * sizeof(T));
  return tensor;
}

template <class T>
std::vector<T> elementsOf(const TensorView& view) {
  std::vector<T> elements(static_cast<std::size_t>(view.shape.elements()));
  if (!elements.empty()) std::memcpy(elements.data(), view.data, elements.size() * sizeof(T));
  return elements;
}

}  // namespace axle::runtime::test
