// The programs of a bundle: one, or one for each combination of its inputs' ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dims/evaluate.h"
#include "runtime/error.h"
#include "runtime/manifest.h"
#include "runtime/session.h"

namespace axle::runtime {

// A program with the information that a session shows, or only the information of an entry whose ranks are open.
struct Variant {
  manifest::Manifest manifest;
  std::vector<PortInfo> inputs, outputs;
  std::vector<std::string> symbols;  // one for each of Manifest.symbols
  std::vector<std::string> given;    // the symbols that inputs determine, not the run
  std::vector<GuardInfo> guards;
};

struct Variants {
  // Set if ranks are open: the entry's ports and type, the symbols that all variants have and the guards of any
  // variant, without a program.
  std::optional<Variant> open;
  std::vector<Variant> all;  // never empty

  const Variant& shown() const { return open ? *open : all.front(); }
};

// Checks the manifest and splits it into its programs.
Result<Variants> makeVariants(manifest::Manifest manifest, std::uint64_t weightBytes);

// Returns the variant whose inputs have these ranks.
Result<std::size_t> variantFor(const Variants& variants, std::span<const TensorView> inputs);

}  // namespace axle::runtime
