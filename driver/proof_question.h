// A question about sizes, read from text: does a claim hold under assumptions? `axc prove` and the session's `:prove`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dims/decide/decider.h"
#include "frontend/diagnostic.h"
#include "typecheck/solver/fact_reader.h"

namespace axle::driver {

class ProofQuestion {
 public:
  // Each reads one fact, which is all that `source` holds. False, with diagnostics, where it is no fact.
  bool assume(const SourceMap& sources, SourceId source, Diagnostics& diagnostics);
  bool claim(const SourceMap& sources, SourceId source, Diagnostics& diagnostics);

  // The claim must have been read.
  decide::Answer decide() const;
  // A witness: `n=4, m=2` where `equals` is "="; empty where there are no names.
  std::string print(const decide::Assignment& sizes, const char* equals) const;

 private:
  DimStore dims_;
  decide::FactReader reader_{dims_};
  decide::Question question_{dims_, {}, {}, [](DimVar) { return true; }, {}, {}};
};

}  // namespace axle::driver
