#include "driver/variants.h"

#include <algorithm>

#include "runtime/tensor.h"

namespace axle::axc {

namespace {

// The largest rank such that as many shapes, each of any rank up to it, are not too many variants.
std::size_t mostRank(std::size_t shapes) {
  for (auto rank = static_cast<std::size_t>(runtime::maxRank);; --rank) {
    std::size_t variants = 1;
    for (std::size_t i = 0; i < shapes && variants <= maxVariants; ++i) variants *= rank + 1;
    if (variants <= maxVariants || rank == 0) return rank;
  }
}

}  // namespace

RankVariants::RankVariants(SourceOptions options, OpenEntry entry)
    : options_(std::move(options)), entry_(std::move(entry)), most_(mostRank(entry_.variables)) {}

std::optional<Bundle> RankVariants::bundle(Compilation& whole) {
  if (!build(entry_) || variants_.empty()) return std::nullopt;
  return whole.bundle(variants_, entry_);
}

void RankVariants::refuse(std::unique_ptr<Compilation> compilation, int stage) {
  if (stage <= refusedAt_) return;
  refused_ = std::move(compilation);
  refusedAt_ = stage;
}

// Every rank of that input, and of those that are open then. False where a compilation found a bug of its own.
bool RankVariants::build(const OpenEntry& entry) {
  const auto limit = std::min(entry.least + most_, static_cast<std::size_t>(runtime::maxRank));
  for (std::size_t rank = entry.least; rank <= limit; ++rank) {
    options_.inputRanks[entry.input] = rank;
    auto one = std::make_unique<Compilation>(options_);
    std::optional<OpenEntry> more;
    int stage = 0;
    auto reached = [&](bool done) { return stage += done, done; };
    std::optional<Variant> variant;
    if (reached(one->check()) && reached(one->prepare(&more)) && reached(one->lower()) && reached(one->optimise()))
      variant = one->variant();
    if (variant) {
      variants_.push_back(std::move(*variant));
      built_.push_back(std::move(one));
    } else if (more) {
      if (!build(*more)) return false;
    } else {
      bool bug = one->isBug();
      refuse(std::move(one), bug ? stage + 100 : stage);
      if (bug) return false;
    }
  }
  options_.inputRanks.erase(entry.input);
  return true;
}

}  // namespace axle::axc
