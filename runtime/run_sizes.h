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

class RunSizes {
 public:
  RunSizes() = default;
  // `sizes` come from `bindSizes`: everything that follows from the inputs is known.
  RunSizes(const manifest::Manifest& manifest, Sizes sizes);

  DimValue dim(std::uint32_t index) const { return sizes_.dims[index]; }
  // The largest value that the dimension can have, whatever the run finds.
  DimValue most(std::uint32_t index) const { return high_[index]; }
  // Whether the dimension depends on a size that the run finds.
  bool isLate(std::uint32_t index) const { return late_[index]; }
  std::span<const DimValue> symbols() const { return sizes_.symbols; }
  std::span<const DimValue> dims() const { return sizes_.dims; }

  // Records a size that a node found, evaluates the dimensions that depend on it and checks guards over them.
  // Allocates nothing unless it fails.
  bool find(std::uint32_t symbol, std::int64_t size, Fault& fault);
  // Makes the symbols unknown again.
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

// For each dimension whether it mentions a symbol that only the run finds.
std::vector<bool> lateDims(const manifest::Manifest& manifest);

}  // namespace axle::runtime
