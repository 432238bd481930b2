// Compiles an entry whose inputs may have any rank once for each combination of ranks.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "driver/compile.h"

namespace axle::driver {

// The most programs in one bundle. The open shapes of an entry share them: with fewer shapes, each has more ranks.
inline constexpr std::size_t maxVariants = 128;

class RankVariants {
 public:
  RankVariants(CompileOptions options, OpenEntry entry);

  // Returns the bundle; none if no rank is left, for which `refused` gives the reason. `whole` is the compilation that
  // found the entry open. Leaves out ranks that the program cannot have, and ranks with which a shape can be split in
  // several ways: a note in `whole` names these.
  std::optional<Bundle> bundle(Compilation& whole);
  // Returns the failed compilation that reached the latest stage; null if none failed.
  const Compilation* refused() const { return refused_.get(); }
  std::span<const Variant> all() const { return variants_; }

 private:
  bool build(const OpenEntry& entry);
  void refuse(std::unique_ptr<Compilation> compilation);
  void noteAmbiguous(Compilation& whole) const;

  CompileOptions options_;  // with the ranks chosen so far
  OpenEntry entry_;
  std::size_t maxOpenRank_ = 0;  // of an open shape
  std::vector<std::unique_ptr<Compilation>> built_;
  std::vector<Variant> variants_;
  std::unique_ptr<Compilation> refused_;
  // Of the combinations that can be split in several ways: the ranks of the open inputs, and the place of the first
  // one.
  std::vector<std::map<std::string, std::size_t>> ambiguous_;
  std::optional<Span> ambiguousAt_;
};

}  // namespace axle::driver
