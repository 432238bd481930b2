// From which input's size each symbol is computed when a bundle is run.
#pragma once

#include <optional>
#include <vector>

#include "frontend/diagnostic.h"
#include "dims/dim.h"

namespace axle {

// value = (size of axis `axis` of input `input` - offset) / coefficient; offset and coefficient mention earlier symbols
// only.
struct SymbolRecipe {
  DimVar symbol;
  std::size_t input = 0, axis = 0;
  Dim offset, coefficient;
};

struct Recipes {
  std::vector<SymbolRecipe> bound;  // in an order in which they can be computed
  std::vector<DimVar> unbound;
};

// Sizes that are a symbol come first, then those linear in one that is not bound yet. `inputs` are shapes.
Recipes bindSymbols(DimStore& dims, const std::vector<DimVar>& symbols, const std::vector<std::vector<Dim>>& inputs);

// Names what cannot be computed and the `--set` that helps.
Diagnostic unboundSymbol(const DimStore& dims, DimVar symbol, Span entry);

}  // namespace axle
