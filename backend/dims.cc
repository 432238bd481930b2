#include "backend/dims.h"

#include <limits>
#include <tuple>

namespace axle {

DimPool::DimPool(const DimStore& dims, const std::vector<DimVar>& symbols) : dims_(dims) {
  for (std::uint32_t i = 0; i < symbols.size(); ++i) symbols_[symbols[i].index] = i;
}

std::uint32_t DimPool::add(DimOp op, std::int64_t value, std::uint32_t left, std::uint32_t right) {
  auto [known, isNew] =
      interned_.try_emplace({static_cast<int>(op), value, left, right}, static_cast<std::uint32_t>(nodes_.size()));
  if (isNew) nodes_.push_back({op, value, left, right});
  return known->second;
}

std::uint32_t DimPool::factor(const Factor& factor) {
  if (!factor.isAtom) {
    auto symbol = symbols_.find(factor.index);
    // Lowering refuses other variables; if there is one anyway, a divisor of 0 makes the size undefined, not wrong.
    if (symbol == symbols_.end()) return add(DimOp::div, 0, constant(0), constant(0));
    return add(DimOp::symbol, symbol->second, 0, 0);
  }
  const Atom& atom = dims_.atom(factor.index);
  const std::uint32_t left = index(atom.left), right = index(atom.right);
  return add(atom.op, 0, left, right);
}

// Adds coefficient * factors; drops the sign of the coefficient if `magnitude`.
std::uint32_t DimPool::term(const Term& term, bool magnitude) {
  std::int64_t coefficient = magnitude ? -term.coefficient : term.coefficient;
  if (term.factors.empty()) return constant(coefficient);
  std::uint32_t product = std::numeric_limits<std::uint32_t>::max();
  for (const Factor& f : term.factors) {
    std::uint32_t one = factor(f);
    for (std::uint32_t i = 0; i < f.power; ++i)
      product = product == std::numeric_limits<std::uint32_t>::max() ? one : add(DimOp::mul, 0, product, one);
  }
  return coefficient == 1 ? product : add(DimOp::mul, 0, constant(coefficient), product);
}

std::uint32_t DimPool::index(Dim dim) {
  if (auto known = known_.find(dim.index); known != known_.end()) return known->second;
  std::uint32_t sum = 0;
  bool first = true;
  // Positive terms first, so that intermediate results are not negative.
  for (bool negative : {false, true})
    for (const Term& t : dims_.terms(dim)) {
      bool isNegative = t.coefficient < 0 && t.coefficient != std::numeric_limits<std::int64_t>::min();
      if (isNegative != negative) continue;
      if (first) {
        sum = term(t, false);
      } else {
        sum = add(negative ? DimOp::sub : DimOp::add, 0, sum, term(t, negative));
      }
      first = false;
    }
  if (first) sum = constant(0);
  if (dims_.isUndefined(dim)) sum = add(DimOp::div, 0, constant(0), constant(0));
  known_[dim.index] = sum;
  return sum;
}

}  // namespace axle
