// Matrix products of equal batches: (s@[m, k], s@[k, n]) -> s@[m, n].
#include <algorithm>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/factors.h"
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
  const Factors factors(step);
  const std::int64_t m = factors.m, n = factors.n;
  const Results out(step);
  Tile<T> tile;
  for (std::int64_t batch = 0; batch < factors.batches; ++batch)
    for (std::int64_t j = 0; j < n; j += tileColumns)
      for (std::int64_t i = 0; i < m; i += tileRows) {
        const std::int64_t rows = std::min(tileRows, m - i), columns = std::min(tileColumns, n - j);
        tile.add(factors.left<T>(batch, i), factors.a.rowPitch(), factors.right<T>(batch, j), factors.b.rowPitch(),
                 rows, columns, factors.k);
        for (std::int64_t r = 0; r < rows; ++r) {
          T kept[tileColumns];
          T* to = out.at(batch * m + i + r, j, kept);
          for (std::int64_t c = 0; c < columns; ++c) to[c] = fromSum<T>(tile.sums[r][c]);
          if (!out.store(kept, batch * m + i + r, j, columns, fault)) return false;
        }
      }
  return true;
}

template <int linked>
const char* chooseMatmul(Step& step) {
  const TensorView &a = step.in(0), &b = step.in(1), &out = step.out(0);
  if (a.elem != b.elem || a.elem != step.baseElem()) return "the factors and the product must have one element type";
  if (const char* problem = checkFactors(step)) return problem;
  step.macs = static_cast<std::uint64_t>(out.shape.elements()) * static_cast<std::uint64_t>(a.columns());
  step.kernel = forElem < numbers & linked > (unsignedOf(a.elem), []<class T>() -> Kernel { return &run<T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace

const char* checkFactors(const Step& step) {
  const Shape &a = step.in(0).shape, &b = step.in(1).shape, &out = step.out(0).shape;
  const int rank = out.rank();
  if (rank < 2 || a.rank() != rank || b.rank() != rank) return "the ranks do not fit";
  for (int i = 0; i < rank - 2; ++i)
    if (a[i] != out[i] || b[i] != out[i]) return "the batches differ";
  if (a[rank - 2] != out[rank - 2] || b[rank - 1] != out[rank - 1] || a[rank - 1] != b[rank - 2])
    return "the sizes do not fit";
  return nullptr;
}

Factors::Factors(const Step& step) : a(step.in(0)), b(step.in(1)) {
  const Shape& out = step.out(0).shape;
  m = out[out.rank() - 2], n = out[out.rank() - 1], k = a.columns();
  batches = product(out, 0, out.rank() - 2);
}

const char* prepareMatmul(Step& step) { return chooseMatmul<allElems>(step); }
const char* f32::prepareMatmul(Step& step) { return chooseMatmul<onlyF32>(step); }

}  // namespace axle::runtime
