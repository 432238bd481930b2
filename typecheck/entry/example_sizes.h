// Numbers for the sizes of an entry in examples of what a user may write: together they satisfy the facts that the
// entry states and asks for, as far as such numbers are found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dims/fact.h"
#include "typecheck/entry/entry_state.h"

namespace axle {

class ExampleSizes {
 public:
  explicit ExampleSizes(EntryState& state);
  // The number for a resolved size: `preferred` for each of its variables that has no number yet, if that is possible.
  std::int64_t of(Dim size, std::int64_t preferred);
  // The least number that a fact about the size alone allows, as 2 for `n >= 2`; nothing where that is 1.
  std::optional<std::int64_t> leastOf(Dim size) const;

 private:
  void choose(DimVar size, std::int64_t preferred);

  Checked& checked_;
  std::vector<DimComparison> facts_;  // those of the entry, and one for each chosen number
  std::vector<std::pair<DimVar, std::int64_t>> chosen_;
};

// Returns options that set these sizes: `--set n=4`, `--set k=4`.
Phrase settingOptions(Solution& solution, const std::vector<DimVar>& sizes, ExampleSizes& numbers);

}  // namespace axle
