// Answers that were given before. Questions that differ only in the names and numbers of their variables have one
// answer, and answering takes far longer than looking it up: a function, its calls and its variants ask the same.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dims/decide/decider.h"

namespace axle::decide {

// A question as numbers, and its variables in the order in which they are met. Two questions with equal numbers are
// answered by the same steps.
struct QuestionKey {
  QuestionKey(const Question& question, bool asksValue);

  std::vector<std::uint64_t> numbers;
  std::vector<DimVar> variables;
};

// What was answered, and what the answer took: that counts each time, so that limits do not depend on what was asked
// before.
struct KnownAnswer {
  Answer answer;  // its sizes by the place of a variable in `QuestionKey::variables`
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

// The answer with the places of its variables for them, or them for their places.
Answer withPlaces(Answer answer, const QuestionKey& key);
Answer withVariables(Answer answer, const QuestionKey& key);

}  // namespace axle::decide
