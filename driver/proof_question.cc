#include "driver/proof_question.h"

namespace axle::driver {

bool ProofQuestion::assume(const SourceMap& sources, SourceId source, Diagnostics& diagnostics) {
  auto fact = reader_.read(sources, source, diagnostics);
  if (!fact) return false;
  question_.assumptions.push_back(fact->fact);
  question_.divisorsOfAssumptions.insert(question_.divisorsOfAssumptions.end(), fact->divisors.begin(),
                                         fact->divisors.end());
  return true;
}

bool ProofQuestion::claim(const SourceMap& sources, SourceId source, Diagnostics& diagnostics) {
  auto fact = reader_.read(sources, source, diagnostics);
  if (!fact) return false;
  question_.claim = fact->fact;
  question_.divisorsOfClaim = fact->divisors;
  return true;
}

decide::Answer ProofQuestion::decide() const {
  decide::Decider decider;
  return decider.decide(question_);
}

std::string ProofQuestion::print(const decide::Assignment& sizes, const char* equals) const {
  std::string text;
  for (const auto& [variable, value] : sizes)
    text += (text.empty() ? "" : ", ") + dims_.name(variable) + equals + std::to_string(value);
  return text;
}

}  // namespace axle::driver
