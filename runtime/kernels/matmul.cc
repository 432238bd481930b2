// Matrix products of equal batches: (s@[m, k], s@[k, n]) -> s@[m, n].
#include <algorithm>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/strided.h"

namespace axle::runtime {
namespace {

constexpr std::int64_t tileRows = 4, tileColumns = 128;

// rows <= tileRows rows and columns <= tileColumns columns of one product, summed over k in order.
template <class T>
void tile(const T* a, const T* b, T* out, std::int64_t rows, std::int64_t columns, std::int64_t k, std::int64_t n) {
  Sum<T> sums[tileRows][tileColumns];
  for (std::int64_t i = 0; i < rows; ++i) std::fill_n(sums[i], columns, Sum<T>{0});
  for (std::int64_t p = 0; p < k; ++p)
    for (std::int64_t i = 0; i < rows; ++i) {
      const T* row = b + p * n;
      const Sum<T> x = toSum(a[i * k + p]);
      for (std::int64_t j = 0; j < columns; ++j) sums[i][j] += x * toSum(row[j]);
    }
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) out[i * n + j] = fromSum<T>(sums[i][j]);
}

template <class T>
bool run(Step& step, Fault&) {
  const Shape& shape = step.out(0).shape;
  const int rank = shape.rank();
  const std::int64_t batches = product(shape, 0, rank - 2), m = shape[rank - 2], n = shape[rank - 1];
  const std::int64_t k = step.in(0).shape[rank - 1];
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const T* a = step.in(0).as<T>() + batch * m * k;
    const T* b = step.in(1).as<T>() + batch * k * n;
    T* out = step.out(0).as<T>() + batch * m * n;
    for (std::int64_t j = 0; j < n; j += tileColumns)
      for (std::int64_t i = 0; i < m; i += tileRows)
        tile(a + i * k, b + j, out + i * n + j, std::min(tileRows, m - i), std::min(tileColumns, n - j), k, n);
  }
  return true;
}

}  // namespace

const char* prepareMatmul(Step& step) {
  const TensorView &a = step.in(0), &b = step.in(1), &out = step.out(0);
  const int rank = out.shape.rank();
  if (a.elem != b.elem || a.elem != out.elem) return "the factors and the product must have one element type";
  if (rank < 2 || a.shape.rank() != rank || b.shape.rank() != rank) return "the ranks do not fit";
  for (int i = 0; i < rank - 2; ++i)
    if (a.shape[i] != out.shape[i] || b.shape[i] != out.shape[i]) return "the batches differ";
  if (a.shape[rank - 2] != out.shape[rank - 2] || b.shape[rank - 1] != out.shape[rank - 1] ||
      a.shape[rank - 1] != b.shape[rank - 2])
    return "the sizes do not fit";
  step.macs = static_cast<std::uint64_t>(out.shape.elements()) * static_cast<std::uint64_t>(a.shape[rank - 1]);
  step.kernel = forElem<numbers>(a.elem, []<class T>() -> Kernel { return &run<T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace axle::runtime
