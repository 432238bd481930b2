// Running sums, products, maxima and minima along an axis.
#include <algorithm>
#include <cstdlib>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/halves.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/reductions.h"
#include "runtime/kernels/strided.h"
#include "runtime/parts.h"

namespace axle::runtime {
namespace {

constexpr std::int64_t columnsAtOnce = 128;

// Scans n rows of `columns` elements, from what was `kept` before them on. Rows are `pitch` elements apart, negative to
// scan backwards.
template <class R, class T>
void scanColumns(const T* from, T* to, std::int64_t n, std::int64_t columns, std::int64_t pitch, bool exclusive,
                 typename R::Kept* kept) {
  for (std::int64_t k = 0; k < n; ++k, from += pitch, to += pitch)
    for (std::int64_t i = 0; i < columns; ++i) {
      const auto next = R::combine(kept[i], R::of(from[i]));
      to[i] = R::finish(exclusive ? kept[i] : next);
      kept[i] = next;
    }
}

// The same of one column.
template <class R, class T>
void scanLine(const T* from, T* to, std::int64_t n, std::int64_t pitch, bool exclusive, typename R::Kept& total) {
  typename R::Kept kept = total;
  for (std::int64_t k = 0; k < n; ++k, from += pitch, to += pitch) {
    const auto next = R::combine(kept, R::of(*from));
    *to = R::finish(exclusive ? kept : next);
    kept = next;
  }
  total = kept;
}

template <template <class> class Reduction, class T>
void scanRows(const T* from, T* to, std::int64_t n, std::int64_t columns, std::int64_t pitch, bool exclusive,
              typename Reduction<T>::Kept* kept) {
  if constexpr (isHalfType<T>) {  // some rows at a time are widened
    constexpr std::int64_t most = 2 * columnsAtOnce;
    float wide[most];
    const std::int64_t rowsAtOnce = most / columns, distance = std::abs(pitch);
    for (std::int64_t k = 0; k < n; k += rowsAtOnce) {
      const std::int64_t rows = std::min(rowsAtOnce, n - k), lowest = (pitch < 0 ? k + rows - 1 : k) * pitch;
      float* const first = pitch < 0 ? wide + (rows - 1) * columns : wide;
      widenHalves(halfElem<T>)({bitsOf(from + lowest), distance, rows, columns, wide, columns});
      scanRows<Reduction>(first, first, rows, columns, pitch < 0 ? -columns : columns, exclusive, kept);
      storeHalves(halfElem<T>)({wide, columns, rows, columns, bitsOf(to + lowest), distance});
    }
  } else if (columns == 1) {
    scanLine<Reduction<T>>(from, to, n, pitch, exclusive, *kept);
  } else {
    scanColumns<Reduction<T>>(from, to, n, columns, pitch, exclusive, kept);
  }
}

// ints: axis, exclusive, reverse. The accumulator is not rounded between elements. Parts divide the columns.
template <class T, template <class> class Reduction>
bool runScan(Step& step, Part part, Fault&) {
  const Shape& shape = step.in(0).shape;
  const int axis = static_cast<int>(step.integer(0));
  const bool exclusive = step.integer(1) != 0, backwards = step.integer(2) != 0;
  const std::int64_t outer = product(shape, 0, axis), n = shape[axis], inner = product(shape, axis + 1, shape.rank());
  const std::int64_t pitch = backwards ? -inner : inner, first = backwards ? (n - 1) * inner : 0;
  const T* const from = step.in(0).as<T>();
  T* const to = step.out(0).as<T>();
  const std::int64_t blocks = (inner + columnsAtOnce - 1) / columnsAtOnce;
  for (std::int64_t unit = part.begin(outer * blocks); unit < part.end(outer * blocks); ++unit) {
    const std::int64_t i = unit % blocks * columnsAtOnce, columns = std::min(columnsAtOnce, inner - i),
                       at = unit / blocks * n * inner + first + i;
    typename Reduction<T>::Kept kept[columnsAtOnce];
    std::fill_n(kept, columns, Reduction<T>::identity());
    scanRows<Reduction>(from + at, to + at, n, columns, pitch, exclusive, kept);
  }
  return true;
}

template <template <class> class Reduction>
const char* prepareScan(Step& step) {
  if (step.in(0).elem != step.out(0).elem) return "input and output differ in element type";
  if (!(step.in(0).shape == step.out(0).shape)) return "input and output differ in shape";
  if (step.integer(0) < 0 || step.integer(0) >= step.in(0).shape.rank()) return "the axis is out of range";
  return divideStep(step,
                    forElem<numbers>(kernelElem<Reduction>(step.in(0).elem),
                                     []<class T>() -> PartKernel { return &runScan<T, Reduction>; }),
                    static_cast<std::uint64_t>(step.in(0).shape.elements()) / 2);
}

}  // namespace

const char* prepareCumSum(Step& step) { return prepareScan<SumOf>(step); }
const char* prepareCumProd(Step& step) { return prepareScan<ProductOf>(step); }
const char* prepareCumMax(Step& step) { return prepareScan<MaxOf>(step); }
const char* prepareCumMin(Step& step) { return prepareScan<MinOf>(step); }

}  // namespace axle::runtime
