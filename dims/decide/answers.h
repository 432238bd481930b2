// A cache of answers. Questions that differ only in the names and numbers of their variables have the same answer, and
// looking it up is far cheaper than deciding again: a function, its calls and its variants ask the same questions.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dims/decide/decider.h"

namespace axle::decide {

// A question encoded as numbers, and its variables in the order in which they occur. Questions with equal numbers are
// answered by the same steps.
struct QuestionKey {
  QuestionKey(const Question& question, bool asksValue);

  std::vector<std::uint64_t> numbers;
  std::vector<DimVar> variables;
};

// An answer and the work it took. The work counts on each use, so limits do not depend on earlier questions.
struct KnownAnswer {
  Answer answer;  // its variables are positions in `QuestionKey::variables`
  std::optional<std::int64_t> value;
  std::uint64_t work = 0, askedZ3 = 0;
};

class KnownAnswers {
 public:
  const KnownAnswer* find(const QuestionKey& key) const;
  void add(const QuestionKey& key, KnownAnswer answer);

 private:
  struct Hash {
    std::size_t operator()(const std::vector<std::uint64_t>& numbers) const;
  };
  static constexpr std::size_t most = 20'000;

  std::unordered_map<std::vector<std::uint64_t>, KnownAnswer, Hash> answers_;
};

// Replaces the answer's variables by their positions, or the positions by the variables.
Answer withPlaces(Answer answer, const QuestionKey& key);
Answer withVariables(Answer answer, const QuestionKey& key);

}  // namespace axle::decide
