// Sizes that nodes compute during the run, and the dimensions that depend on them ("late" dimensions).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dims/evaluate.h"
#include "runtime/bind.h"
#include "runtime/manifest.h"

namespace axle::runtime {

struct Fault;

class RunSizes {
 public:
  RunSizes() = default;
  // `sizes` come from `bindSizes`: everything that depends only on the inputs is known.
  RunSizes(const manifest::Manifest& manifest, Sizes sizes);

  DimValue dim(std::uint32_t index) const { return sizes_.dims[index]; }
  // Returns an upper bound of the dimension, for all sizes that the run can compute.
  DimValue most(std::uint32_t index) const { return high_[index]; }
  // Whether the dimension depends on a size that a node computes.
  bool isLate(std::uint32_t index) const { return late_[index]; }
  std::span<const DimValue> symbols() const { return sizes_.symbols; }
  std::span<const DimValue> dims() const { return sizes_.dims; }

  // Records a size that a node computed, evaluates the dimensions that depend on it, and checks guards over them.
  // Allocates nothing unless it fails.
  bool set(std::uint32_t symbol, std::int64_t size, Fault& fault);
  // Makes the symbols unknown again.
  void clear(std::span<const std::uint32_t> symbols);
  bool guardHolds(std::uint32_t guard, Fault& fault) const;

 private:
  void updateLateDims();

  const manifest::Manifest* manifest_ = nullptr;
  Sizes sizes_;
  std::vector<DimValue> high_;
  Marks late_;
  std::vector<std::uint32_t> lateDims_, lateGuards_;
};

// Returns, for each dimension, whether it mentions a symbol that a node computes in the run.
Marks lateDims(const manifest::Manifest& manifest);

}  // namespace axle::runtime
