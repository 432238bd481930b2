#include "dims/decide/answers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace axle::decide {

namespace {

// Writes sizes as numbers; a size written before becomes its position.
class KeyWriter {
 public:
  KeyWriter(const Question& question, QuestionKey& key) : question_(question), key_(key) {}

  void number(std::uint64_t value) { key_.numbers.push_back(value); }

  void size(Dim d) {
    const DimStore& store = question_.store;
    const auto [known, isNew] = sizes_.try_emplace(d, sizes_.size());
    number(known->second);
    if (!isNew) return;
    const auto terms = store.terms(d);
    number(store.isUndefined(d) ? UINT64_MAX : terms.size());
    for (const Term& term : terms) {
      number(static_cast<std::uint64_t>(term.coefficient));
      number(term.factors.size());
      for (const Factor& factor : term.factors) {
        number(factor.power);
        if (!factor.isAtom) {
          variable(DimVar{factor.index});
          continue;
        }
        const Atom& atom = store.atom(factor.index);
        number(atomMark + static_cast<std::uint64_t>(atom.op));
        size(atom.left);
        size(atom.right);
      }
    }
  }

  void comparison(const DimComparison& fact) {
    number(static_cast<std::uint64_t>(fact.relation));
    size(fact.left);
    size(fact.right);
  }

  // Appends the order of the variables in the store, which some steps depend on.
  void order() {
    std::vector<std::uint64_t> places(key_.variables.size());
    std::iota(places.begin(), places.end(), std::uint64_t{0});
    std::ranges::sort(places, {}, [&](std::uint64_t place) { return key_.variables[place]; });
    key_.numbers.insert(key_.numbers.end(), places.begin(), places.end());
  }

 private:
  static constexpr std::uint64_t atomMark = std::uint64_t{1} << 62;

  void variable(DimVar v) {
    const auto [known, isNew] = variables_.try_emplace(v, variables_.size());
    number(known->second);
    if (!isNew) return;
    number(question_.isSize(v) ? 1 : 0);
    key_.variables.push_back(v);
  }

  const Question& question_;
  QuestionKey& key_;
  std::map<Dim, std::uint64_t> sizes_;
  std::map<DimVar, std::uint64_t> variables_;
};

void replaceVariables(std::optional<Assignment>& sizes, auto&& replaced) {
  if (!sizes) return;
  for (auto& [variable, value] : *sizes) variable = replaced(variable);
  std::ranges::sort(*sizes, {}, [](const auto& size) { return size.first; });
}

}  // namespace

QuestionKey::QuestionKey(const Question& question, bool asksValue) {
  KeyWriter writer(question, *this);
  writer.number(asksValue ? 1 : 0);
  writer.number(question.assumptions.size());
  for (const DimComparison& fact : question.assumptions) writer.comparison(fact);
  writer.comparison(question.claim);
  for (const auto* divisors : {&question.divisorsOfAssumptions, &question.divisorsOfClaim}) {
    writer.number(divisors->size());
    for (const Dim d : *divisors) writer.size(d);
  }
  writer.order();
}

std::size_t KnownAnswers::Hash::operator()(const std::vector<std::uint64_t>& numbers) const {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint64_t number : numbers) hash = ((hash ^ number) * 0x100000001b3) ^ (hash >> 29);
  return hash;
}

const KnownAnswer* KnownAnswers::find(const QuestionKey& key) const {
  const auto known = answers_.find(key.numbers);
  return known == answers_.end() ? nullptr : &known->second;
}

void KnownAnswers::add(const QuestionKey& key, KnownAnswer answer) {
  if (answers_.size() < most) answers_.emplace(key.numbers, std::move(answer));
}

Answer withPlaces(Answer answer, const QuestionKey& key) {
  auto placeOf = [&](DimVar v) {
    return DimVar{static_cast<std::uint32_t>(std::ranges::find(key.variables, v) - key.variables.begin())};
  };
  replaceVariables(answer.holdsFor, placeOf);
  replaceVariables(answer.failsFor, placeOf);
  return answer;
}

Answer withVariables(Answer answer, const QuestionKey& key) {
  auto variableAt = [&](DimVar place) { return key.variables[place.index]; };
  replaceVariables(answer.holdsFor, variableAt);
  replaceVariables(answer.failsFor, variableAt);
  return answer;
}

}  // namespace axle::decide
