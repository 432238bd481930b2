// Reductions over one axis by sum, product, maximum or minimum. The start value is combined once.
#include <algorithm>

#include "runtime/kernels/combined_rows.h"
#include "runtime/kernels/elements.h"
#include "runtime/kernels/halves.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/reductions.h"
#include "runtime/kernels/results.h"
#include "runtime/kernels/strided.h"
#include "runtime/parts.h"

namespace axle::runtime {
namespace {

constexpr std::int64_t chunk = 128, block = 128 * chunk;

// The vector kernels of a reduction of f32, or null.
struct VectorReduction {
  CombineRow row = nullptr;
  CombineRows rows = nullptr;
};

template <template <class> class Reduction>
VectorReduction vectorReduction() {
  if constexpr (std::is_same_v<Reduction<float>, SumOf<float>>)
    return {AXLE_KERNELS_IN_USE(sumRow), AXLE_KERNELS_IN_USE(sumRows)};
  else if constexpr (std::is_same_v<Reduction<float>, MaxOf<float>>)
    return {AXLE_KERNELS_IN_USE(maxRow), AXLE_KERNELS_IN_USE(maxRows)};
  else
    return {};
}

// Combines `part` with `columns` columns of `count` rows, which are `inner` elements apart.
template <class T, template <class> class Reduction>
void combineChunk(const T* x, std::int64_t count, std::int64_t inner, std::int64_t columns,
                  typename Reduction<T>::Kept* part) {
  using R = Reduction<T>;
  if constexpr (isHalfType<T>) {
    constexpr std::int64_t rowsAtOnce = 8;
    float wide[rowsAtOnce * tileWidth];
    for (std::int64_t k = 0; k < count; k += rowsAtOnce) {
      const std::int64_t rows = std::min(rowsAtOnce, count - k);
      widenHalves(halfElem<T>)({bitsOf(x + k * inner), inner, rows, columns, wide, columns});
      combineChunk<float, Reduction>(wide, rows, columns, columns, part);
    }
  } else {
    if constexpr (std::is_same_v<T, float>)
      if (const CombineRows kernel = vectorReduction<Reduction>().rows) {
        CombinedRows rows(kernel, columns, part, true);
        for (std::int64_t k = 0; k < count; ++k) rows.add(x + k * inner);
        return rows.combine();
      }
    for (std::int64_t k = 0; k < count; ++k)
      for (std::int64_t i = 0; i < columns; ++i) part[i] = R::combine(part[i], R::of(x[k * inner + i]));
  }
}

// Combines adjacent elements.
template <class T, template <class> class Reduction>
typename Reduction<T>::Kept combinedChunk(const T* x, std::int64_t count) {
  using R = Reduction<T>;
  if constexpr (isHalfType<T>) {
    float wide[chunk];
    widenHalves(halfElem<T>)({bitsOf(x), 0, 1, count, wide, 0});
    return combinedChunk<float, Reduction>(wide, count);
  } else {
    if constexpr (std::is_same_v<T, float>)
      if (const CombineRow kernel = vectorReduction<Reduction>().row) return kernel(x, count, R::identity());
    auto part = R::identity();
    for (std::int64_t k = 0; k < count; ++k) part = R::combine(part, R::of(x[k]));
    return part;
  }
}

// x is [outer, n, inner], the result [outer, inner]. Long axes are reduced in chunks whose results are combined, very
// long ones in blocks of chunks. This keeps the rounding error of a sum small. Parts divide the tiles of the result.
template <class T, template <class> class Reduction>
bool runReduction(Step& step, Part part, Fault& fault) {
  using R = Reduction<T>;
  using Kept = typename R::Kept;
  const Shape& shape = step.in(0).shape;
  const int axis = static_cast<int>(step.integer(0));
  const std::int64_t outer = product(shape, 0, axis), n = shape[axis], inner = product(shape, axis + 1, shape.rank());
  const T* init = step.in(1).as<T>();
  const bool scalarInit = step.in(1).shape.rank() == 0;
  const std::int64_t tiles = (inner + tileWidth - 1) / tileWidth, end = part.end(outer * tiles);
  const auto firstOf = [&](std::int64_t unit) { return unit / tiles * inner + unit % tiles * tileWidth; };
  if (part.begin(outer * tiles) == end) return true;
  ResultsInOrder<T> results(step, fault, firstOf(part.begin(outer * tiles)));
  for (std::int64_t unit = part.begin(outer * tiles); unit < end; ++unit) {
    const std::int64_t at = firstOf(unit), i0 = unit % tiles * tileWidth, tile = std::min(tileWidth, inner - i0);
    const T* x = step.in(0).as<T>() + unit / tiles * n * inner + i0;
    Kept total[tileWidth], ofBlock[tileWidth], ofChunk[tileWidth];
    for (std::int64_t i = 0; i < tile; ++i) ofBlock[i] = R::of(init[scalarInit ? 0 : at + i]);
    std::fill_n(total, tile, R::identity());
    for (std::int64_t k0 = 0; k0 < n; k0 += chunk) {
      if (k0 > 0 && k0 % block == 0) {
        for (std::int64_t i = 0; i < tile; ++i) total[i] = R::combine(total[i], ofBlock[i]);
        std::fill_n(ofBlock, tile, R::identity());
      }
      const std::int64_t count = std::min(n - k0, chunk);
      if (inner == 1)
        ofChunk[0] = combinedChunk<T, Reduction>(x + k0, count);
      else
        std::fill_n(ofChunk, tile, R::identity()),
            combineChunk<T, Reduction>(x + k0 * inner, count, inner, tile, ofChunk);
      for (std::int64_t i = 0; i < tile; ++i) ofBlock[i] = R::combine(ofBlock[i], ofChunk[i]);
    }
    if (n > block)
      for (std::int64_t i = 0; i < tile; ++i) ofBlock[i] = R::combine(total[i], ofBlock[i]);
    for (std::int64_t i = 0; i < tile; ++i)
      if (!results.put(R::finish(ofBlock[i]))) return false;
  }
  return results.flush();
}

// Combines one row in the same order as runReduction.
template <class T, template <class> class Reduction>
bool reduceRow(const Row& row) {
  using R = Reduction<T>;
  using Kept = typename R::Kept;
  const auto* x = static_cast<const T*>(row.operands[0]);
  Kept total = R::identity(), ofBlock = R::of(*static_cast<const T*>(row.operands[1]));
  for (std::int64_t k0 = 0; k0 < row.count; k0 += chunk) {
    if (k0 > 0 && k0 % block == 0) {
      total = R::combine(total, ofBlock);
      ofBlock = R::identity();
    }
    ofBlock = R::combine(ofBlock, combinedChunk<T, Reduction>(x + k0, std::min(row.count - k0, chunk)));
  }
  *static_cast<T*>(row.result) = R::finish(row.count > block ? R::combine(total, ofBlock) : ofBlock);
  return true;
}

template <int set, template <class> class Reduction>
RowChoice chooseReduction(const Elem* operands, Elem result) {
  if (operands[0] != operands[1] || operands[0] != result)
    return {nullptr, "operand, start value and result must have one element type"};
  const RowKernel kernel =
      forElem<set>(kernelElem<Reduction>(result), []<class T>() -> RowKernel { return &reduceRow<T, Reduction>; });
  return {kernel, kernel == nullptr ? "not for this element type" : nullptr};
}

const char* checkReduction(const Step& step) {
  const TensorView &x = step.in(0), &init = step.in(1), &out = step.out(0);
  if (x.elem != init.elem || x.elem != step.baseElem())
    return "operand, start value and result must have one element type";
  if (step.integer(0) < 0 || step.integer(0) >= x.shape.rank()) return "the axis is out of range";
  const int axis = static_cast<int>(step.integer(0));
  Shape kept = x.shape;
  kept[axis] = 1;
  if (!(out.shape == x.shape.withoutAxis(axis)) && !(out.shape == kept)) return "the result has another shape";
  if (init.shape.rank() != 0 && init.shape.elements() != out.shape.elements())
    return "the start value has another shape";
  return nullptr;
}

template <int set, template <class> class Reduction>
const char* prepareReduction(Step& step) {
  if (const char* problem = checkReduction(step)) return problem;
  return divideStep(step,
                    forElem<set>(kernelElem<Reduction>(step.in(0).elem),
                                 []<class T>() -> PartKernel { return &runReduction<T, Reduction>; }),
                    static_cast<std::uint64_t>(step.in(0).shape.elements()) / 4);
}

}  // namespace

RowChoice rowReduceSum(const Elem* operands, Elem result) { return chooseReduction<numbers, SumOf>(operands, result); }
RowChoice rowReduceProd(const Elem* operands, Elem result) {
  return chooseReduction<numbers, ProductOf>(operands, result);
}
RowChoice rowReduceMax(const Elem* operands, Elem result) { return chooseReduction<allElems, MaxOf>(operands, result); }
RowChoice rowReduceMin(const Elem* operands, Elem result) { return chooseReduction<allElems, MinOf>(operands, result); }
RowChoice f32::rowReduceSum(const Elem* operands, Elem result) {
  return chooseReduction<onlyF32, SumOf>(operands, result);
}
RowChoice f32::rowReduceMax(const Elem* operands, Elem result) {
  return chooseReduction<onlyF32, MaxOf>(operands, result);
}

const char* prepareReduceSum(Step& step) { return prepareReduction<numbers, SumOf>(step); }
const char* prepareReduceProd(Step& step) { return prepareReduction<numbers, ProductOf>(step); }
const char* prepareReduceMax(Step& step) { return prepareReduction<allElems, MaxOf>(step); }
const char* prepareReduceMin(Step& step) { return prepareReduction<allElems, MinOf>(step); }
const char* f32::prepareReduceSum(Step& step) { return prepareReduction<onlyF32, SumOf>(step); }
const char* f32::prepareReduceMax(Step& step) { return prepareReduction<onlyF32, MaxOf>(step); }

}  // namespace axle::runtime
