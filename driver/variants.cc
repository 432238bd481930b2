#include "driver/variants.h"

#include <algorithm>

#include "runtime/tensor.h"

namespace axle::driver {

namespace {

// The largest rank such that so many shapes, each of any rank up to it, make no more than `maxVariants`.
std::size_t largestRank(std::size_t shapes) {
  for (auto rank = static_cast<std::size_t>(runtime::maxRank);; --rank) {
    std::size_t variants = 1;
    for (std::size_t i = 0; i < shapes && variants <= maxVariants; ++i) variants *= rank + 1;
    if (variants <= maxVariants || rank == 0) return rank;
  }
}

}  // namespace

RankVariants::RankVariants(CompileOptions options, OpenEntry entry)
    : options_(std::move(options)), entry_(std::move(entry)), maxOpenRank_(largestRank(entry_.variables)) {
  options_.mayStayOpen = true;
}

std::optional<Bundle> RankVariants::bundle(Compilation& whole) {
  if (!build(entry_) || variants_.empty()) return std::nullopt;
  return whole.bundle(variants_, entry_);
}

void RankVariants::refuse(std::unique_ptr<Compilation> compilation) {
  if (refused_ && !refused_->bug().empty()) return;
  if (!refused_ || !compilation->bug().empty() || compilation->reached() > refused_->reached())
    refused_ = std::move(compilation);
}

// Compiles for every rank of the input, and of those that are open then. False where a compilation found a bug.
bool RankVariants::build(const OpenEntry& entry) {
  const auto limit = std::min(entry.least + maxOpenRank_, static_cast<std::size_t>(runtime::maxRank));
  for (std::size_t rank = entry.least; rank <= limit; ++rank) {
    options_.inputRanks[entry.input] = rank;
    auto one = std::make_unique<Compilation>(options_);
    if (std::optional<Variant> variant = one->variant()) {
      variants_.push_back(std::move(*variant));
      built_.push_back(std::move(one));
    } else if (one->openEntry()) {
      if (!build(*one->openEntry())) return false;
    } else {
      const bool isBug = !one->bug().empty();
      refuse(std::move(one));
      if (isBug) return false;
    }
  }
  options_.inputRanks.erase(entry.input);
  return true;
}

}  // namespace axle::driver
