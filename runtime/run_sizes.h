// Sizes that nodes find in the middle of a run, and the dimensions that follow from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/bind.h"
#include "dims/evaluate.h"
#include "runtime/manifest.h"

namespace axle::runtime {

struct Fault;

class FoundSizes {
 public:
  FoundSizes() = default;
  // `sizes` as `bindSizes` gives them: everything that follows from the inputs is known.
  FoundSizes(const manifest::Manifest& manifest, Sizes sizes);

  DimValue dim(std::uint32_t index) const { return sizes_.dims[index]; }
  // What it can be at most, whatever the run finds.
  DimValue most(std::uint32_t index) const { return high_[index]; }
  // Whether it depends on what the run finds.
  bool isLate(std::uint32_t index) const { return late_[index]; }
  std::span<const DimValue> symbols() const { return sizes_.symbols; }
  std::span<const DimValue> dims() const { return sizes_.dims; }

  // A node found a size: dimensions follow, guards over it are checked. Allocates nothing unless it fails.
  bool find(std::uint32_t symbol, std::int64_t size, Fault& fault);
  // They are not known again.
  void forget(std::span<const std::uint32_t> symbols);
  bool guardHolds(std::uint32_t guard, Fault& fault) const;

 private:
  void follow();

  const manifest::Manifest* manifest_ = nullptr;
  Sizes sizes_;
  std::vector<DimValue> high_;
  std::vector<bool> late_;
  std::vector<std::uint32_t> lateDims_, lateGuards_;
};

// Which dimensions mention a symbol that a run finds.
std::vector<bool> lateDims(const manifest::Manifest& manifest);

}  // namespace axle::runtime
