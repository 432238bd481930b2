#include "driver/proof_question.h"

#include <algorithm>
#include <set>

#include "dims/relation.h"

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
  question_.claim = static_cast<const DimComparison&>(fact->fact);  // without the reason
  question_.divisorsOfClaim = fact->divisors;
  return true;
}

decide::Answer ProofQuestion::decide() const {
  decide::Decider decider;
  return decider.decide(question_);
}

bool ProofQuestion::holdsFor(std::int64_t value) {
  const auto at = [&](Dim d) {
    return dims_.asConstant(dims_.substitute(d, [&](DimVar) { return std::optional(dims_.constant(value)); }));
  };
  for (Dim divisor : question_.divisorsOfClaim)
    if (at(divisor).value_or(0) < 1) return false;
  const auto left = at(question_.claim.left), right = at(question_.claim.right);
  return left && right && related(*left, question_.claim.relation, *right);
}

decide::Verdict ProofQuestion::verdictWhere(DimVar size, FactRelation relation, std::int64_t bound) {
  decide::Question question = question_;
  question.assumptions.push_back({dims_.variable(size), relation, dims_.constant(bound)});
  decide::Decider decider;
  return decider.decide(question).verdict;
}

std::optional<SizeValues> ProofQuestion::values() {
  constexpr std::int64_t tried = 4096;  // values from 0 on, and again around a value from the decider
  constexpr std::size_t mostRanges = 8;
  std::set<std::uint32_t> names;
  std::vector<Dim> dims = question_.divisorsOfClaim;
  dims.insert(dims.end(), {question_.claim.left, question_.claim.right});
  for (Dim d : dims)
    for (DimVar v : dims_.variables(d)) names.insert(v.index);
  if (names.size() != 1) return std::nullopt;
  const DimVar size{*names.begin()};
  SizeValues found{dims_.name(size), {}, false};
  const auto add = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t value = from; value < to && found.ranges.size() <= mostRanges; ++value) {
      if (!holdsFor(value)) continue;
      if (found.ranges.empty() || found.ranges.back().most != value - 1) found.ranges.push_back({value, value});
      found.ranges.back().most = value;
    }
  };
  std::int64_t scanned = tried;  // the first value that was not tried
  bool isProvedBelow = true;     // that no value below the tried ones holds
  add(0, tried);
  if (found.ranges.empty()) {
    const decide::Answer answer = decide();
    found.isProved = answer.verdict == decide::Verdict::refuted;
    if (!answer.holdsFor) return found;
    const std::int64_t witness = answer.holdsFor->front().second;
    std::int64_t least = witness;
    while (witness - least < tried && least > 0 && holdsFor(least - 1)) --least;
    scanned = witness + std::min(tried, INT64_MAX - witness);
    add(least, scanned);
    isProvedBelow = found.ranges.size() == 1 && verdictWhere(size, FactRelation::lt, least) == decide::Verdict::refuted;
  }
  if (found.ranges.size() > mostRanges) {
    found.ranges.pop_back();
    return found;
  }
  SizeValues::Range& last = found.ranges.back();
  const bool isOpen = *last.most + 1 == scanned;
  found.isProved = isProvedBelow && verdictWhere(size, FactRelation::gt, *last.most) == decide::Verdict::refuted;
  if (found.isProved || !isProvedBelow || !isOpen) return found;
  found.isProved = verdictWhere(size, FactRelation::ge, last.least) == decide::Verdict::proved;
  if (found.isProved) last.most.reset();
  return found;
}

std::string SizeValues::text() const {
  if (ranges.empty())
    return isProved ? "none: no size satisfies it" : "none found; whether a larger size satisfies it is not decided";
  std::string text;
  for (const Range& range : ranges) {
    text += (text.empty() ? name + " = " : ", ") + std::to_string(range.least);
    if (!range.most) text += "..";
    if (range.most && *range.most > range.least) text += ".." + std::to_string(*range.most);
  }
  return text + (isProved ? "" : ", perhaps others");
}

std::string ProofQuestion::print(const decide::Assignment& sizes, const char* equals) const {
  std::string text;
  for (const auto& [variable, value] : sizes)
    text += (text.empty() ? "" : ", ") + dims_.name(variable) + equals + std::to_string(value);
  return text;
}

}  // namespace axle::driver
