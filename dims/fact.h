// A fact about sizes: a relation between two dimensions.
#pragma once

#include <cstdint>

#include "dims/dim.h"

namespace axle {

enum class FactRelation : std::uint8_t { eq, ne, lt, le, gt, ge };

struct DimComparison {
  Dim left;
  FactRelation relation = FactRelation::ge;
  Dim right;
};

// `left relation right` is false exactly where `left negated(relation) right` is true.
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

}  // namespace axle
