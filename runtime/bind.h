// Computes the symbols from the sizes of the inputs, evaluates every dimension, and checks inputs and guards.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dims/evaluate.h"
#include "runtime/error.h"
#include "runtime/manifest.h"
#include "runtime/tensor.h"

namespace axle::runtime {

struct Sizes {
  std::vector<DimValue> symbols;  // one for each of Manifest.symbols
  std::vector<DimValue> dims;     // one for each of Manifest.dims
};

// Returns the error for a guard that does not hold.
RunError guardError(const manifest::Manifest& manifest, std::size_t guard, const Sizes& sizes);

// Binds all sizes. `inputs` are in the manifest's order; their data is not read. Symbols known only in the run stay
// unbound, and guards over them unchecked.
Result<Sizes> bindSizes(const manifest::Manifest& manifest, std::span<const TensorView> inputs);

// Returns the symbols that the dimensions mention, with their values: `d = 7, h = 2`.
std::string sizesText(const manifest::Manifest& manifest, std::span<const std::uint32_t> dims,
                      std::span<const DimValue> symbols);

// Returns which symbols the dimensions mention.
Marks symbolsIn(const manifest::Manifest& manifest, std::span<const std::uint32_t> dims);

}  // namespace axle::runtime
