// Compares the Fourier and cosine transforms with kissfft, which computes in f32.
//
// Tolerance: a transform has one stage for each prime factor p of its length, whose results are sums of p rounded
// terms. kissfft stays within epsilon*(sum of the prime factors)*|x|, where |x| is the Euclidean norm of the inputs.
// The kernel computes in f64, so that its errors do not count.
#include <gtest/gtest.h>
#include <kiss_fft.h>
#include <kiss_fftr.h>

#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <random>

#include "tests/runtime/bundle_maker.h"
#include "tests/runtime/one_operator.h"

namespace axle::runtime::test {
namespace {

using Complex = std::complex<float>;
enum Transform : std::int64_t { fft, ifft, rfft, irfft, dct, idct };

struct Free {
  void operator()(void* p) const { kiss_fft_free(p); }
};

// Returns the transform, without the division of an inverse.
std::vector<Complex> transformed(const std::vector<Complex>& x, bool isInverse) {
  const std::unique_ptr<kiss_fft_state, Free> plan(
      kiss_fft_alloc(static_cast<int>(x.size()), isInverse ? 1 : 0, nullptr, nullptr));
  std::vector<kiss_fft_cpx> in, out(x.size());
  for (Complex c : x) in.push_back({c.real(), c.imag()});
  kiss_fft(plan.get(), in.data(), out.data());
  std::vector<Complex> result;
  for (kiss_fft_cpx c : out) result.emplace_back(c.r, c.i);
  return result;
}

// Returns half the spectrum. kissfft transforms real sequences only for even lengths.
std::vector<Complex> halfSpectrum(const std::vector<float>& x) {
  if (x.size() % 2 != 0) {
    std::vector<Complex> whole = transformed({x.begin(), x.end()}, false);
    whole.resize(x.size() / 2 + 1);
    return whole;
  }
  const std::unique_ptr<kiss_fftr_state, Free> plan(kiss_fftr_alloc(static_cast<int>(x.size()), 0, nullptr, nullptr));
  std::vector<kiss_fft_cpx> out(x.size() / 2 + 1);
  kiss_fftr(plan.get(), x.data(), out.data());
  std::vector<Complex> result;
  for (kiss_fft_cpx c : out) result.emplace_back(c.r, c.i);
  return result;
}

std::vector<float> fromHalfSpectrum(std::vector<Complex> half, std::size_t n) {
  half[0].imag(0);  // real, as the sequence is
  if (n % 2 == 0) half[n / 2].imag(0);
  std::vector<float> result(n);
  if (n % 2 == 0) {
    const std::unique_ptr<kiss_fftr_state, Free> plan(kiss_fftr_alloc(static_cast<int>(n), 1, nullptr, nullptr));
    std::vector<kiss_fft_cpx> in;
    for (Complex c : half) in.push_back({c.real(), c.imag()});
    kiss_fftri(plan.get(), in.data(), result.data());
  } else {
    for (std::size_t i = n / 2 + 1; i < n; ++i) half.push_back(std::conj(half[n - i]));
    const std::vector<Complex> whole = transformed(half, true);
    for (std::size_t i = 0; i < n; ++i) result[i] = whole[i].real();
  }
  return result;
}

// Computes dct and idct as transforms of length 4*n: of the sequence, symmetric at the odd positions, or as a symmetric
// spectrum.
std::vector<float> cosines(const std::vector<float>& x, bool isInverse) {
  const std::size_t n = x.size();
  std::vector<Complex> wide(4 * n);
  if (isInverse) wide[0] = x[0];
  for (std::size_t j = isInverse ? 1 : 0; j < n; ++j) {
    const std::size_t at = isInverse ? j : 2 * j + 1;
    wide[at] = wide[4 * n - at] = x[j];
  }
  const std::vector<Complex> spectrum = transformed(wide, false);
  std::vector<float> result;
  for (std::size_t k = 0; k < n; ++k)
    result.push_back(isInverse ? spectrum[2 * k + 1].real() / static_cast<float>(2 * n) : spectrum[k].real());
  return result;
}

std::vector<Complex> asComplex(const std::vector<float>& pairs) {
  std::vector<Complex> result;
  for (std::size_t i = 0; i < pairs.size(); i += 2) result.emplace_back(pairs[i], pairs[i + 1]);
  return result;
}

std::vector<float> asPairs(const std::vector<Complex>& numbers, float scale = 1) {
  std::vector<float> result;
  for (Complex c : numbers) result.insert(result.end(), {c.real() * scale, c.imag() * scale});
  return result;
}

std::vector<float> expectedRow(Transform which, const std::vector<float>& x, std::size_t n) {
  const float scale = 1 / static_cast<float>(n);
  switch (which) {
    case fft:
      return asPairs(transformed(asComplex(x), false));
    case ifft:
      return asPairs(transformed(asComplex(x), true), scale);
    case rfft:
      return asPairs(halfSpectrum(x));
    case irfft: {
      std::vector<float> result = fromHalfSpectrum(asComplex(x), n);
      for (float& number : result) number *= scale;
      return result;
    }
    default:
      return cosines(x, which == idct);
  }
}

// Returns the sum of the prime factors, at least 1.
double primeFactorSum(std::int64_t n) {
  double sum = 1;
  for (std::int64_t p = 2; n > 1; ++p)
    for (; n % p == 0; n /= p) sum += static_cast<double>(p);
  return sum;
}

double tolerance(Transform which, const std::vector<float>& x, std::int64_t n) {
  double squares = 0;
  for (float number : x) squares += static_cast<double>(number) * static_cast<double>(number);
  const double scale = which == ifft || which == irfft || which == idct ? static_cast<double>(n) : 1;
  const auto epsilon = static_cast<double>(std::numeric_limits<float>::epsilon());
  return epsilon * primeFactorSum(4 * n) * std::sqrt(squares) / scale;
}

template <class T>
void check(Elem elem, Transform which, std::int64_t n, std::mt19937& random) {
  const std::int64_t rows = 1 + static_cast<std::int64_t>(random() % 3), half = n / 2 + 1;
  Shape in{rows, which == irfft ? half : n}, out{rows, which == rfft ? half : n};
  if (which == fft || which == ifft || which == irfft) in.push(2);
  if (which <= rfft) out.push(2);
  std::vector<T> elements;
  for (std::int64_t i = 0; i < in.elements(); ++i)
    elements.push_back(static_cast<T>(static_cast<float>(random()) * 0x1p-31F - 1));
  const Tensor input = tensorOf<T>(elem, in, elements);
  const auto result = runOperator(op::fourier, {input.view()}, {which}, elem, out);
  ASSERT_TRUE(result) << result.error().text();
  const std::vector<T> actual = elementsOf<T>(result->view());
  const std::int64_t inRow = in.elements() / rows, outRow = out.elements() / rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::vector<float> x(elements.begin() + row * inRow, elements.begin() + (row + 1) * inRow);
    const std::vector<float> expected = expectedRow(which, x, static_cast<std::size_t>(n));
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(outRow));
    for (std::int64_t i = 0; i < outRow; ++i)
      ASSERT_NEAR(static_cast<double>(actual[static_cast<std::size_t>(row * outRow + i)]),
                  static_cast<double>(expected[static_cast<std::size_t>(i)]), tolerance(which, x, n))
          << "transform " << which << " of length " << n << ", row " << row << ", element " << i;
  }
}

TEST(FourierOracle, EveryTransformMatchesKissfft) {
  std::mt19937 random(5);
  for (std::int64_t which = fft; which <= idct; ++which)
    for (std::int64_t n : {1,  2,  3,  4,  5,   6,   7,   8,   9,   11,  12,  13,  15,  16,  17,  25,   30,   31,
                           49, 60, 64, 97, 100, 121, 127, 128, 210, 240, 256, 331, 400, 512, 640, 1000, 1009, 1024}) {
      check<float>(Elem::f32, static_cast<Transform>(which), n, random);
      check<double>(Elem::f64, static_cast<Transform>(which), n, random);
      if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace axle::runtime::test
