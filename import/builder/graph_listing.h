// Prints a graph, one node on each line, as the text into which diagnostics point:
//   dense/MatMul = MatMul(flatten/Reshape, dense/kernel) transpose_b=true
//   dense/kernel = Const f32 [784, 10]
#pragma once

#include <string>
#include <vector>

#include "frontend/source.h"

namespace axle {

// The spans of a node in the listing.
struct NodePlaces {
  Span name, op;
  std::vector<Span> inputs;
  Span line;  // the whole line
};

// Writes a listing line by line.
class GraphListing {
 public:
  // The text will be that of `source`.
  explicit GraphListing(SourceId source) : source_(source) {}

  struct Input {
    std::string node;
    std::uint32_t port = 0;
  };
  // Adds a node. `details` follow the inputs, with a space before each: ` transpose_b=true`. Shortens the names of
  // inputs if the line would be long.
  NodePlaces add(const std::string& name, const std::string& op, const std::vector<Input>& inputs,
                 const std::string& details);

  std::string takeText() { return std::move(text_); }

 private:
  std::uint32_t position() const { return static_cast<std::uint32_t>(text_.size()); }
  Span put(const std::string& part);

  SourceId source_;
  std::string text_;
};

}  // namespace axle
