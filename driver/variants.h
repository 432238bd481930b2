// An entry whose inputs may have any rank, compiled for each combination of ranks that it can have.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "driver/compile.h"

namespace axle::axc {

// Programs of one bundle; the open shapes of an entry share them, so that each gets the more ranks the fewer there are.
inline constexpr std::size_t maxVariants = 128;

class RankVariants {
 public:
  RankVariants(SourceOptions options, OpenEntry entry);

  // Ranks that the program cannot have are left out. None where no rank is left: `refused` says why.
  std::optional<Bundle> bundle(Compilation& whole);
  const Compilation* refused() const { return refused_.get(); }
  std::span<const Variant> all() const { return variants_; }

 private:
  bool build(const OpenEntry& entry);
  void refuse(std::unique_ptr<Compilation> compilation, int stage);

  SourceOptions options_;  // with the ranks that are chosen so far
  OpenEntry entry_;
  std::size_t most_ = 0;  // rank of an open shape
  std::vector<std::unique_ptr<Compilation>> built_;
  std::vector<Variant> variants_;
  std::unique_ptr<Compilation> refused_;  // the first of those that came furthest
  int refusedAt_ = -1;
};

}  // namespace axle::axc
