// Relations between sizes, which may have no value.
#pragma once

#include <cstdint>

#include "dims/arithmetic.h"

namespace axle {

enum class FactRelation : std::uint8_t { eq, ne, lt, le, gt, ge };  // numbered as in `bundle.proto`
inline constexpr std::uint32_t factRelationCount = 6;

constexpr const char* spelling(FactRelation relation) {
  constexpr const char* spellings[] = {"==", "!=", "<", "<=", ">", ">="};
  return spellings[static_cast<int>(relation)];
}

// `left relation right` is false exactly if `left negated(relation) right` is true.
constexpr FactRelation negated(FactRelation relation) {
  constexpr FactRelation opposite[] = {FactRelation::ne, FactRelation::eq, FactRelation::ge,
                                       FactRelation::gt, FactRelation::le, FactRelation::lt};
  return opposite[static_cast<int>(relation)];
}

template <class Integer>
constexpr bool related(Integer left, FactRelation relation, Integer right) {
  switch (relation) {
    case FactRelation::eq:
      return left == right;
    case FactRelation::ne:
      return left != right;
    case FactRelation::lt:
      return left < right;
    case FactRelation::le:
      return left <= right;
    case FactRelation::gt:
      return left > right;
    case FactRelation::ge:
      return left >= right;
  }
  return false;
}

// False if a side is not known.
template <class Integer>
constexpr bool related(SizeValue<Integer> left, FactRelation relation, SizeValue<Integer> right) {
  return left.known() && right.known() && related(left.value, relation, right.value);
}

}  // namespace axle
