#include "dims/decide/witness.h"

#include <algorithm>
#include <set>

#include "dims/decide/simplify.h"

namespace axle::decide {
namespace {

void constantsIn(const DimStore& store, Dim d, std::set<std::int64_t>& into) {
  for (const Term& term : store.terms(d)) {
    const bool isNegatable = term.coefficient != INT64_MIN;
    into.insert(term.factors.empty() && isNegatable ? std::abs(term.coefficient) : term.coefficient);
    for (const Factor& f : term.factors)
      if (f.isAtom)
        for (Dim side : {store.atom(f.index).left, store.atom(f.index).right}) constantsIn(store, side, into);
  }
}

}  // namespace

Sampler::Sampler(DimStore& store, const System& simplified, std::vector<DimComparison> assumptions, DimComparison claim,
                 std::vector<Dim> divisorsOfClaim, std::vector<DimVar> variables)
    : store_(store),
      system_(simplified),
      assumptions_(std::move(assumptions)),
      claim_(claim),
      divisors_(std::move(divisorsOfClaim)),
      variables_(std::move(variables)) {
  std::set<DimVar> all(variables_.begin(), variables_.end());
  for (const auto& [v, by] : system_.solved) all.insert(store_.variables(by).begin(), store_.variables(by).end());
  for (const auto& [v, by] : system_.solved) all.erase(v);
  free_.assign(all.begin(), all.end());
  std::set<std::int64_t> constants;
  for (const DimComparison& fact : assumptions_)
    for (Dim side : {fact.left, fact.right}) constantsIn(store_, side, constants);
  for (Dim side : {claim_.left, claim_.right}) constantsIn(store_, side, constants);
  constants_.assign(constants.begin(), constants.end());
  Intervals known(store_, system_);
  for (DimVar v : free_) {
    ranges_.push_back(known.range(Factor{false, v.index, 1}));
    candidates_.push_back(candidates(v));
  }
}

Sampler::Values Sampler::candidates(DimVar) const {
  const Range& range = ranges_.back();
  constexpr Wide far = 1 << 20;
  Wide low = range.low > -Range::infinite ? range.low : range.high < Range::infinite ? range.high - far : -3;
  Wide high = range.high < Range::infinite ? range.high : std::max<Wide>(low, 0) + far;
  std::vector<std::int64_t> out;
  auto add = [&](Wide value) {
    if (value < low || value > high) return;
    auto v = static_cast<std::int64_t>(value);
    if (std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
  };
  for (Wide i = 0; i < 6; ++i) add(low + i);
  for (std::int64_t c : constants_)
    for (Wide near : {-1, 0, 1}) add(Wide{c} + near);
  for (Wide i = 6; i < 40; ++i) add(low + i);
  for (Wide i = 0; i < 3; ++i) add(high - i);
  return out;
}

bool Sampler::check(std::vector<std::int64_t> values) {
  for (const DimComparison& fact : assumptions_)
    if (auto known = decide::holds(store_, fact, values); !known || !*known) return false;
  auto known = decide::holds(store_, claim_, values);
  if (!known) return false;
  for (Dim d : divisors_) {
    auto value = evaluate(store_, d, values);
    if (!value || *value < 1) known = false;
  }
  auto& seen = *known ? holds : fails;
  if (!seen) seen = Sample{*known, std::move(values)};
  return true;
}

// The values of all variables; none where one has no value.
std::optional<Sampler::Values> Sampler::valuesFor(const Values& free) const {
  Values values(store_.variableCount(), 0);
  for (std::size_t i = 0; i < free_.size(); ++i) values[free_[i].index] = free[i];
  for (auto it = system_.solved.rbegin(); it != system_.solved.rend(); ++it) {
    auto value = evaluate(store_, it->second, values);
    if (!value || *value > INT64_MAX || *value < INT64_MIN) return std::nullopt;
    values[it->first.index] = static_cast<std::int64_t>(*value);
  }
  return values;
}

bool Sampler::tryFree(const Values& free) {
  ++tried_;
  auto values = valuesFor(free);
  return values && check(std::move(*values));
}

// The least value of a free variable that makes both sides equal, if their difference grows or falls with it.
std::optional<std::int64_t> Sampler::solve(const DimComparison& equation, Values free, std::size_t variable) {
  auto difference = [&](std::int64_t value) -> std::optional<Wide> {
    ++evaluated_;
    free[variable] = value;
    const auto values = valuesFor(free);
    const auto left = values ? evaluate(store_, equation.left, *values) : std::nullopt;
    const auto right = values ? evaluate(store_, equation.right, *values) : std::nullopt;
    Wide result = 0;
    if (!left || !right || __builtin_sub_overflow(*left, *right, &result)) return std::nullopt;
    return result;
  };
  constexpr std::int64_t far = 1 << 20;
  const Range& range = ranges_[variable];
  auto low = static_cast<std::int64_t>(std::clamp<Wide>(range.low, -far, far));
  auto high = static_cast<std::int64_t>(std::min<Wide>(range.high, low + far));
  auto first = difference(low);
  if (!first && low < high) first = difference(++low);  // it divides by the variable
  const auto last = difference(high);
  if (!first || !last) return std::nullopt;
  if (*first == 0) return low;
  if (*first < 0 ? *last < 0 : *last > 0) return std::nullopt;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto between = difference(middle);
    if (!between) return std::nullopt;
    ((*between < 0) == (*first < 0) && *between != 0 ? low : high) = middle;
  }
  const auto found = difference(high);
  return found && *found == 0 ? std::optional(high) : std::nullopt;
}

// Tries a value of a free variable, and the next one: rounded quotients are equal there too.
void Sampler::tryNear(Values free, std::size_t variable, std::int64_t value) {
  for (const std::int64_t next : {value, value + 1}) {
    free[variable] = next;
    if (auto values = valuesFor(free)) check(std::move(*values));
  }
}

void Sampler::solveEquations(std::size_t most) {
  Values ones;
  for (const Range& range : ranges_)
    ones.push_back(static_cast<std::int64_t>(std::clamp<Wide>(1, range.low, std::max(range.low, range.high))));
  std::vector<Values> bases{ones};
  for (std::size_t i = 0; i < free_.size() && claim_.relation == FactRelation::eq && evaluated_ <= most; ++i)
    if (const auto value = solve(claim_, ones, i)) {
      tryNear(ones, i, *value);
      bases.push_back(ones);
      bases.back()[i] = *value;
    }
  for (const DimComparison& fact : assumptions_)
    for (std::size_t i = 0; i < free_.size() && fact.relation == FactRelation::eq; ++i)
      for (const Values& base : bases) {
        if (done() || evaluated_ > most) return;
        if (const auto value = solve(fact, base, i)) tryNear(base, i, *value);
      }
}

void Sampler::search(std::size_t most) {
  std::size_t n = free_.size();
  std::vector<std::int64_t> values(n);
  if (n == 0) {
    tryFree(values);
    return;
  }
  for (const auto& some : candidates_)
    if (some.empty()) return;  // the assumptions contradict each other
  // All combinations of the first few candidates.
  std::size_t each = 1;
  auto combinations = [&](std::size_t count) {
    std::size_t all = 1;
    for (std::size_t i = 0; i < n && all <= most; ++i) all *= count;
    return all;
  };
  while (each < 400 && combinations(each + 1) <= most / 2) ++each;
  std::vector<std::size_t> at(n, 0);
  while (each > 1 && !done()) {
    for (std::size_t i = 0; i < n; ++i) values[i] = candidates_[i][at[i]];
    tryFree(values);
    std::size_t i = 0;
    while (i < n && ++at[i] >= std::min(each, candidates_[i].size())) at[i++] = 0;
    if (i == n) break;
  }
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  auto below = [&](std::uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
  };
  while (tried_ < most && !done()) {
    for (std::size_t i = 0; i < n; ++i) {
      const Range& range = ranges_[i];
      std::uint64_t kind = below(8);
      Wide base = range.low > -Range::infinite ? range.low : -8;
      Wide value =
          candidates_[i][below(kind < 4 ? std::min<std::size_t>(8, candidates_[i].size()) : candidates_[i].size())];
      if (kind == 6) value = base + static_cast<Wide>(below(200));
      if (kind == 7) value = base + static_cast<Wide>(below(10000));
      values[i] = static_cast<std::int64_t>(std::min(value, std::max(base, range.high)));
    }
    tryFree(values);
  }
}

}  // namespace axle::decide
