#include "dims/decide/evaluate.h"

namespace axle::decide {
namespace {

enum class Failure { none, divisor, overflow };

class Evaluator {
 public:
  Evaluator(const DimStore& store, std::span<const std::int64_t> values) : store_(store), values_(values) {}

  Wide dim(Dim d) {
    if (store_.isUndefined(d)) failure = Failure::overflow;
    Wide sum = 0;
    for (const Term& term : store_.terms(d)) {
      Wide product = term.coefficient;
      for (const Factor& f : term.factors) {
        Wide base = f.isAtom ? atom(store_.atom(f.index)) : values_[f.index];
        for (std::uint32_t i = 0; i < f.power && failure == Failure::none; ++i)
          product = checked(DimOp::mul, product, base);
      }
      sum = checked(DimOp::add, sum, product);
      if (failure != Failure::none) return 0;
    }
    return sum;
  }

  Failure failure = Failure::none;

 private:
  Wide atom(Atom atom) {
    const Wide left = dim(atom.left), right = dim(atom.right);
    if (failure != Failure::none) return 0;
    if (divides(atom.op) && right < 1) {
      failure = Failure::divisor;
      return 0;
    }
    return checked(atom.op, left, right);
  }

  Wide checked(DimOp op, Wide left, Wide right) {
    const SizeValue<Wide> result = apply(op, left, right);
    if (!result.known()) failure = Failure::overflow;
    return result.value;
  }

  const DimStore& store_;
  std::span<const std::int64_t> values_;
};

}  // namespace

std::optional<Wide> evaluate(const DimStore& store, Dim d, std::span<const std::int64_t> values) {
  Evaluator evaluator(store, values);
  Wide value = evaluator.dim(d);
  if (evaluator.failure != Failure::none) return std::nullopt;
  return value;
}

std::optional<bool> holds(const DimStore& store, const DimComparison& fact, std::span<const std::int64_t> values) {
  Evaluator evaluator(store, values);
  Wide left = evaluator.dim(fact.left), right = evaluator.failure == Failure::none ? evaluator.dim(fact.right) : 0;
  if (evaluator.failure == Failure::overflow) return std::nullopt;
  return evaluator.failure == Failure::none && related(left, fact.relation, right);
}

}  // namespace axle::decide
