// Finds the input size from which each symbol is computed when a bundle runs.
#pragma once

#include <optional>
#include <vector>

#include "dims/dim.h"
#include "frontend/diagnostic.h"

namespace axle {

// The value is (size of axis `axis` of input `input` - offset) / coefficient; offset and coefficient mention only
// earlier symbols.
struct SymbolRecipe {
  DimVar symbol;
  std::size_t input = 0, axis = 0;
  Dim offset, coefficient;
};

struct Recipes {
  std::vector<SymbolRecipe> bound;  // in an order in which they can be computed
  std::vector<DimVar> unbound;
};

// Computes each symbol from a size that is the symbol itself, otherwise from a size that is linear in it, preferably
// with a number as its coefficient. `inputs` are shapes.
Recipes bindSymbols(DimStore& dims, const std::vector<DimVar>& symbols, const std::vector<std::vector<Dim>>& inputs);

// The error for a symbol that cannot be computed; its help shows the `--set` option that fixes it.
Diagnostic unboundSymbol(const DimStore& dims, DimVar symbol, Span entry);

}  // namespace axle
