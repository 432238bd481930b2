// The state of a stream analysis: its knowledge of sizes along the stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "ir/stream/analysis.h"

namespace axle::ir::stream {

struct State {
  const Model& model;
  const Graph& graph;
  const StreamQuestion& question;
  DimVar symbol;                       // the streamed symbol
  std::vector<std::int64_t> values;    // of symbols, by index, for `evaluate`
  std::vector<std::int64_t> symbolAt;  // by number of frames: the symbol's value; -1 if no batch run accepts the number
  StreamAnalysis out;
  std::int64_t horizon = 0;  // of the tables of lengths
  bool isSettled = true;     // the horizon is far enough
};

State begin(const Model& model, const StreamQuestion& question);

bool mentionsStream(const Model& model, const StreamQuestion& question, Dim d);
// Returns the axes whose size depends on the stream.
std::vector<std::size_t> streamedAxes(const State& s, const Fact& fact);
// Returns a dimension for a value of the symbol; nothing if it has other symbols or no value.
std::optional<std::int64_t> valueAt(State& s, Dim d, std::int64_t symbol);
// Finds the symbol's value for each number of frames below `horizon`, and for some more, so that longer sequences are
// known for each number. Returns false if the first input's length does not grow with the symbol.
bool findSymbols(State& s, Dim first, std::int64_t horizon);
std::optional<Lengths> lengthsAlong(State& s, Dim d);
// Returns the delay and the rate of a result, or the obstacle.
tl::expected<StreamedOutput, Obstacle> measure(State& s, const Flow& flow, Dim length);

std::string printed(const State& s, Dim d);
// `~2*T`
std::string sizesText(const State& s, Dim length);

// Returns the number that a dimension equals in all sequences for which `matters` holds, if there is one.
template <class Matters>
std::optional<std::int64_t> numberOf(State& s, Dim d, Matters matters) {
  if (const auto constant = s.model.dims->asConstant(d)) return constant;
  std::optional<std::int64_t> number;
  for (std::int64_t symbol : s.symbolAt) {
    if (symbol < 0 || !matters(symbol)) continue;
    const auto value = valueAt(s, d, symbol);
    if (!value || (number && *number != *value)) return std::nullopt;
    number = value;
  }
  return number;
}

}  // namespace axle::ir::stream
