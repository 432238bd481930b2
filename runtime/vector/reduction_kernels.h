// The kernels of reduction.h for one kind of batch. Only for the files of the instruction sets.
#pragma once

#include "runtime/vector/batch.h"
#include "runtime/vector/functions.h"
#include "runtime/vector/reduction.h"

namespace axle::runtime {

struct SumOfBatches {
  template <class V>
  static V combine(V a, V b) {
    return a + b;
  }
};
struct MaxOfBatches {
  template <class V>
  static V combine(V a, V b) {
    return greater(a, b);
  }
};

template <class V, class Combine, int vectors>
void combineColumns(const float* const* rows, std::int64_t count, std::int64_t column, float* out) {
  constexpr auto lanes = static_cast<std::int64_t>(V::size);
  V kept[vectors];
#pragma GCC unroll 8
  for (int j = 0; j < vectors; ++j) kept[j] = V::load_unaligned(rows[0] + column + j * lanes);
  for (std::int64_t i = 1; i < count; ++i)
#pragma GCC unroll 8
    for (int j = 0; j < vectors; ++j)
      kept[j] = Combine::combine(kept[j], V::load_unaligned(rows[i] + column + j * lanes));
#pragma GCC unroll 8
  for (int j = 0; j < vectors; ++j) kept[j].store_unaligned(out + column + j * lanes);
}

template <class V, class Combine>
void combineRows(const float* const* rows, std::int64_t count, std::int64_t columns, float* out) {
  constexpr auto lanes = static_cast<std::int64_t>(V::size);
  std::int64_t column = 0;
  for (; column + 4 * lanes <= columns; column += 4 * lanes) combineColumns<V, Combine, 4>(rows, count, column, out);
  for (; column + lanes <= columns; column += lanes) combineColumns<V, Combine, 1>(rows, count, column, out);
  for (; column < columns; ++column) combineColumns<Lane<V>, Combine, 1>(rows, count, column, out);
}

template <class V, class Combine>
float combineRow(const float* row, std::int64_t count, float start) {
  constexpr auto lanes = static_cast<std::int64_t>(V::size);
  std::int64_t i = 0;
  Lane<V> result(start);
  if (count >= 4 * lanes) {
    V kept[4];
    for (int j = 0; j < 4; ++j) kept[j] = V::load_unaligned(row + j * lanes);
    for (i = 4 * lanes; i + 4 * lanes <= count; i += 4 * lanes)
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) kept[j] = Combine::combine(kept[j], V::load_unaligned(row + i + j * lanes));
    alignas(64) float last[V::size];
    Combine::combine(Combine::combine(kept[0], kept[1]), Combine::combine(kept[2], kept[3])).store_unaligned(last);
    for (float x : last) result = Combine::combine(result, Lane<V>(x));
  }
  for (; i < count; ++i) result = Combine::combine(result, Lane<V>(row[i]));
  return result.value;
}

// Defines the tables of reduction.h in the namespace of an instruction set, for its batch V.
#define AXLE_DEFINE_REDUCTIONS(V)                           \
  const CombineRows sumRows = combineRows<V, SumOfBatches>; \
  const CombineRows maxRows = combineRows<V, MaxOfBatches>; \
  const CombineRow sumRow = combineRow<V, SumOfBatches>;    \
  const CombineRow maxRow = combineRow<V, MaxOfBatches>;

}  // namespace axle::runtime
