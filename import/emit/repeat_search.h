// Finds sequences of statements that occur several times in a block, on different values.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/emit/tree.h"
#include "typecheck/types/operator_signatures.h"

namespace axle::emit {

// A list of numbers that an operator is given or takes by default, such as a stride. Repeats may differ in it.
struct Setting {
  NodeId call;
  std::string name, value;  // `stride`, `[2, 2]`
};

// The computations, reads and definitions of the statements of one block.
struct BlockFlow {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct Place {
    std::size_t statement = none, name = 0;
  };
  // `layers` numbers the layers of weights, by symbol.
  BlockFlow(Program& program, const Block& block, const std::vector<std::uint32_t>& layers, OperatorTable& operators);

  bool isInside(SymbolId symbol, std::size_t start, std::size_t length) const {
    const std::size_t at = places[symbol.index].statement;
    return at != none && at >= start && at < start + length;
  }

  // By statement.
  std::vector<std::vector<NodeId>> reads;      // the nodes that read symbols, in the order of the text
  std::vector<std::uint32_t> forms;            // equal for the same computation on other operands, with other settings
  std::vector<std::vector<Setting>> settings;  // as many where forms are equal
  // By boundary: the first is before the first statement, the last after the last one.
  std::vector<std::size_t> sharedWords;  // the number of leading words that the names of both neighbours share
  std::vector<std::size_t> live;         // the number of values, except weights, defined before and read after it
  std::vector<bool> isInLayer;  // whether both neighbours read weights of one layer, or the second completes the first
  std::vector<bool> endsSum;    // whether a residual sum ends here, with its activation
  // By symbol.
  const std::vector<std::uint32_t>& layers;
  std::vector<Place> places;          // the definition
  std::vector<std::size_t> lastRead;  // the last statement that reads it; for the block's result, their number
  std::vector<std::uint32_t> timesRead;
};

// The values that enter and leave one occurrence of a repeat.
struct Boundary {
  std::vector<SymbolId> reads;                            // each once, in order
  std::set<std::pair<std::size_t, std::size_t>> results;  // statement within the repeat, name
};
Boundary boundaryOf(const Program& program, const Block& block, const BlockFlow& flow, std::size_t start,
                    std::size_t length);

// The positions where the same statements occur.
struct Repeat {
  std::vector<std::size_t> starts;
  std::size_t length = 0;
  std::size_t gain = 0;
};

// Settings that differ between occurrences, and are equal to each other in each of them.
struct VaryingSetting {
  std::vector<std::string> values;                          // by occurrence
  std::vector<std::pair<std::size_t, std::size_t>> places;  // statement within the repeat, index of its setting
};
std::vector<VaryingSetting> varyingSettings(const BlockFlow& flow, const Repeat& repeat);

// The limits for a function of a repeat: the number of parameters, where the weights of a layer may count as one, and
// of static parameters.
struct RepeatLimits {
  std::size_t maxParameters, maxStatics;
  // Whether occurrences with these boundaries may be calls of one function. May be called with some of them first.
  std::function<bool(const std::vector<Boundary>&)> accepts;
};

// Returns the repeat that saves most statements, among those that may become a function. Occurrences that are scopes of
// the graph, end with a residual sum, or have one value in and one out count more. The length is 0 if there is no
// repeat.
Repeat bestRepeat(const Program& program, const Block& block, const BlockFlow& flow, const RepeatLimits& limits);

// Returns the length of the prefix that both names share, in whole words: 10 for `a/block_1_x` and `a/block_1_y`, which
// share `a/block_1_`.
std::size_t sharedLength(std::string_view a, std::string_view b);
// Returns the name of the first result, without uninformative scopes.
std::string_view originOf(const Program& program, const Statement& statement);

}  // namespace axle::emit
