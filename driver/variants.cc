#include "driver/variants.h"

#include <algorithm>

#include "runtime/tensor.h"
#include "typecheck/entry/entry_codes.h"

namespace axle::codes {
const DiagnosticCode ranksLeftOut{"N0502", Severity::note, "ranks that are left out"};
}

namespace axle::driver {

namespace {

constexpr Message<Phrase> ranksAreAmbiguous{codes::ranksLeftOut, "{} left out: a shape can be split in several ways",
                                            "nothing says which is meant"};

// Returns the largest rank such that `shapes` shapes, each of any rank up to it, give at most `maxVariants`
// combinations.
std::size_t largestRank(std::size_t shapes) {
  for (auto rank = static_cast<std::size_t>(runtime::maxRank);; --rank) {
    std::size_t variants = 1;
    for (std::size_t i = 0; i < shapes && variants <= maxVariants; ++i) variants *= rank + 1;
    if (variants <= maxVariants || rank == 0) return rank;
  }
}

// "`x` of rank 2 and `y` of rank 3"
Phrase listRanks(const std::map<std::string, std::size_t>& ranks) {
  std::optional<Phrase> all;
  for (const auto& [input, rank] : ranks) {
    const Phrase one("{} of rank {}", arg::Name{input}, arg::Number{rank});
    all = all ? Phrase("{} and {}", *all, one) : one;
  }
  return *all;
}

}  // namespace

RankVariants::RankVariants(CompileOptions options, OpenEntry entry)
    : options_(std::move(options)), entry_(std::move(entry)), maxOpenRank_(largestRank(entry_.variables)) {
  options_.mayStayOpen = true;
}

std::optional<Bundle> RankVariants::bundle(Compilation& whole) {
  if (!build(entry_) || variants_.empty()) return std::nullopt;
  noteAmbiguous(whole);
  return whole.bundle(variants_, entry_);
}

void RankVariants::refuse(std::unique_ptr<Compilation> compilation) {
  for (const Diagnostic& d : compilation->diagnostics()) {
    if (d.code != &codes::severalSplits) continue;
    ambiguous_.push_back(options_.inputRanks);
    if (const Span* at = std::get_if<Span>(&d.primary.place); at && !ambiguousAt_) ambiguousAt_ = *at;
    break;
  }
  if (refused_ && !refused_->bug().empty()) return;
  if (!refused_ || !compilation->bug().empty() || compilation->reached() > refused_->reached())
    refused_ = std::move(compilation);
}

// Reports "rank 2 of `x`", "the ranks 2 to 8 of `x`", or "12 combinations of ranks, such as `x` of rank 2 and `y` of
// rank 3".
void RankVariants::noteAmbiguous(Compilation& whole) const {
  if (!ambiguousAt_) return;
  const auto& first = ambiguous_.front();
  const auto& [input, least] = *first.begin();
  const auto most = ambiguous_.back().begin()->second;
  Phrase which("{} combinations of ranks, such as {}, are", arg::Number{ambiguous_.size()}, listRanks(first));
  if (first.size() == 1 && ambiguous_.size() == 1)
    which = Phrase("rank {} of {} is", arg::Number{least}, arg::Name{input});
  else if (first.size() == 1 && most - least + 1 == ambiguous_.size())
    which = Phrase("the ranks {} to {} of {} are", arg::Number{least}, arg::Number{most}, arg::Name{input});
  Diagnostic note(ranksAreAmbiguous, *ambiguousAt_, which);
  note.addHelp("give all parts but one their ranks, as in {}", arg::Code{"s @ [n, m]"});
  whole.addNote(std::move(note));
}

// Compiles for every rank of the input, and of inputs that are open then. Returns false if a compilation found a bug.
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
