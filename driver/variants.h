// An entry whose inputs may have any rank, compiled once for each combination of ranks.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "driver/compile.h"

namespace axle::driver {

// The most programs of one bundle. The open shapes of an entry share them: the fewer shapes, the more ranks of each.
inline constexpr std::size_t maxVariants = 128;

class RankVariants {
 public:
  RankVariants(CompileOptions options, OpenEntry entry);

  // `whole` is the compilation that found the entry open. Ranks that the program cannot have are left out, and so are
  // those with which a shape can be split in several ways: a note in `whole` names these. None where no rank is left:
  // `refused` tells why.
  std::optional<Bundle> bundle(Compilation& whole);
  // Of the compilations that failed, the one that came furthest; null where none failed.
  const Compilation* refused() const { return refused_.get(); }
  std::span<const Variant> all() const { return variants_; }

 private:
  bool build(const OpenEntry& entry);
  void refuse(std::unique_ptr<Compilation> compilation);
  void noteAmbiguous(Compilation& whole) const;

  CompileOptions options_;  // with the ranks that are chosen so far
  OpenEntry entry_;
  std::size_t maxOpenRank_ = 0;  // of an open shape
  std::vector<std::unique_ptr<Compilation>> built_;
  std::vector<Variant> variants_;
  std::unique_ptr<Compilation> refused_;
  // Of the combinations that can be split in several ways: the ranks of the open inputs, and where the first one is.
  std::vector<std::map<std::string, std::size_t>> ambiguous_;
  std::optional<Span> ambiguousAt_;
};

}  // namespace axle::driver
