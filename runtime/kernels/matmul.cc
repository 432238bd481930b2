// Matrix products of equal batches: (s@[m, k], s@[k, n]) -> s@[m, n].
#include <algorithm>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/results.h"
#include "runtime/kernels/strided.h"

namespace axle::runtime {
namespace {

constexpr std::int64_t tileRows = 4, tileColumns = 128;

// A tile of one product, of at most tileRows rows and tileColumns columns, summed over k in order.
template <class T>
struct Tile {
  Sum<T> sums[tileRows][tileColumns];

  void add(const T* a, std::int64_t aPitch, const T* b, std::int64_t bPitch, std::int64_t rows, std::int64_t columns,
           std::int64_t k) {
    for (std::int64_t i = 0; i < rows; ++i) std::fill_n(sums[i], columns, Sum<T>{0});
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t i = 0; i < rows; ++i) {
        const T* row = b + p * bPitch;
        const Sum<T> x = toSum(a[i * aPitch + p]);
        for (std::int64_t j = 0; j < columns; ++j) sums[i][j] += x * toSum(row[j]);
      }
  }
};

template <class T>
bool run(Step& step, Fault& fault) {
  const Shape& shape = step.out(0).shape;
  const int rank = shape.rank();
  const std::int64_t batches = product(shape, 0, rank - 2), m = shape[rank - 2], n = shape[rank - 1];
  const std::int64_t k = step.in(0).shape[rank - 1];
  const std::int64_t aPitch = step.in(0).rowPitch(), bPitch = step.in(1).rowPitch();
  const Results out(step);
  Tile<T> tile;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const T* a = step.in(0).as<T>() + batch * m * aPitch;
    const T* b = step.in(1).as<T>() + batch * k * bPitch;
    for (std::int64_t j = 0; j < n; j += tileColumns)
      for (std::int64_t i = 0; i < m; i += tileRows) {
        const std::int64_t rows = std::min(tileRows, m - i), columns = std::min(tileColumns, n - j);
        tile.add(a + i * aPitch, aPitch, b + j, bPitch, rows, columns, k);
        for (std::int64_t r = 0; r < rows; ++r) {
          T kept[tileColumns];
          T* to = out.at(batch * m + i + r, j, kept);
          for (std::int64_t c = 0; c < columns; ++c) to[c] = fromSum<T>(tile.sums[r][c]);
          if (!out.store(kept, batch * m + i + r, j, columns, fault)) return false;
        }
      }
  }
  return true;
}

template <int linked>
const char* chooseMatmul(Step& step) {
  const TensorView &a = step.in(0), &b = step.in(1), &out = step.out(0);
  const int rank = out.shape.rank();
  if (a.elem != b.elem || a.elem != step.baseElem()) return "the factors and the product must have one element type";
  if (rank < 2 || a.shape.rank() != rank || b.shape.rank() != rank) return "the ranks do not fit";
  for (int i = 0; i < rank - 2; ++i)
    if (a.shape[i] != out.shape[i] || b.shape[i] != out.shape[i]) return "the batches differ";
  if (a.shape[rank - 2] != out.shape[rank - 2] || b.shape[rank - 1] != out.shape[rank - 1] ||
      a.shape[rank - 1] != b.shape[rank - 2])
    return "the sizes do not fit";
  step.macs = static_cast<std::uint64_t>(out.shape.elements()) * static_cast<std::uint64_t>(a.shape[rank - 1]);
  step.kernel = forElem < numbers & linked > (a.elem, []<class T>() -> Kernel { return &run<T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace

const char* prepareMatmul(Step& step) { return chooseMatmul<allElems>(step); }
const char* f32::prepareMatmul(Step& step) { return chooseMatmul<onlyF32>(step); }

}  // namespace axle::runtime
