// A question about sizes, read from text: does a claim hold under assumptions? `axc prove` and the session's `:prove`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dims/decide/decider.h"
#include "frontend/diagnostic.h"
#include "typecheck/solver/fact_reader.h"

namespace axle::driver {

// The values of one size, as ranges in increasing order.
struct SizeValues {
  struct Range {
    std::int64_t least = 0;
    std::optional<std::int64_t> most;  // none: all from `least` on
  };
  std::string name;
  std::vector<Range> ranges;
  bool isProved = false;  // that there are no others

  std::string text() const;  // `w = 39..42`
};

class ProofQuestion {
 public:
  // Each reads one fact, which is all that `source` holds. False, with diagnostics, where it is no fact.
  bool assume(const SourceMap& sources, SourceId source, Diagnostics& diagnostics);
  bool claim(const SourceMap& sources, SourceId source, Diagnostics& diagnostics);

  // The claim must have been read.
  decide::Answer decide() const;
  // The values for which the claim holds, which must have one name; else none.
  std::optional<SizeValues> values();
  // A witness: `n=4, m=2` where `equals` is "="; empty where there are no names.
  std::string print(const decide::Assignment& sizes, const char* equals) const;

 private:
  bool holdsFor(std::int64_t value);
  // Of the claim, where the size is in this relation to the bound, too.
  decide::Verdict verdictWhere(DimVar size, FactRelation relation, std::int64_t bound);

  DimStore dims_;
  decide::FactReader reader_{dims_};
  decide::Question question_{dims_, {}, {}, [](DimVar) { return true; }, {}, {}};
};

}  // namespace axle::driver
