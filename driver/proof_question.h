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
    std::optional<std::int64_t> most;  // none: no upper bound
  };
  std::string name;
  std::vector<Range> ranges;
  bool isProved = false;  // whether it is proved that there are no others

  std::string text() const;  // `w = 39..42`
};

class ProofQuestion {
 public:
  // Each parses one fact, which is the whole of `source`. Returns false, with diagnostics, if it is not a fact.
  bool assume(const SourceMap& sources, SourceId source, Diagnostics& diagnostics);
  bool claim(const SourceMap& sources, SourceId source, Diagnostics& diagnostics);

  // Requires that a claim was read.
  decide::Answer decide() const;
  // Returns the values for which the claim holds; none unless it has exactly one name.
  std::optional<SizeValues> values();
  // Returns a witness: `n=4, m=2` if `equals` is "="; empty if there are no names.
  std::string print(const decide::Assignment& sizes, const char* equals) const;

 private:
  bool holdsFor(std::int64_t value);
  // Returns the verdict on the claim under the further assumption that the size has this relation to the bound.
  decide::Verdict verdictWhere(DimVar size, FactRelation relation, std::int64_t bound);

  DimStore dims_;
  decide::FactReader reader_{dims_};
  decide::Question question_{dims_, {}, {}, [](DimVar) { return true; }, {}, {}};
};

}  // namespace axle::driver
