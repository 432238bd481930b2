// Fourier and cosine transforms along the innermost axis, computed in f64 and rounded once. Complex numbers are pairs,
// real part first, along one more axis. A length with a large prime factor p costs n*p instead of n*log(n).
#include <cmath>
#include <numbers>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/window.h"

namespace axle::runtime {
namespace {

// ints: which
enum Transform : std::int64_t { fft, ifft, rfft, irfft, dct, idct, transforms };

struct Complex {
  double re, im;
};

// roots[k] = exp(-2*pi*i*k/n)
void fillRoots(Complex* roots, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    roots[k] = {std::cos(angle), -std::sin(angle)};
  }
}

std::int64_t smallestFactor(std::int64_t n) {
  for (std::int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

// Stockham's algorithm for any factors: returns which of the two buffers holds the transform of x.
Complex* transform(Complex* x, Complex* y, const Complex* roots, std::int64_t n) {
  for (std::int64_t length = n, stride = 1; length > 1;) {
    const std::int64_t p = smallestFactor(length), m = length / p;
    for (std::int64_t q = 0; q < m; ++q)
      for (std::int64_t r = 0; r < p; ++r) {
        const Complex turn = roots[q * r * stride];
        for (std::int64_t k = 0; k < stride; ++k) {
          Complex sum{0, 0};
          for (std::int64_t t = 0, at = 0; t < p; ++t, at = at + r >= p ? at + r - p : at + r) {
            const Complex a = x[k + stride * (q + m * t)], w = roots[at * (n / p)];
            sum.re += a.re * w.re - a.im * w.im;
            sum.im += a.re * w.im + a.im * w.re;
          }
          y[k + stride * (p * q + r)] = {sum.re * turn.re - sum.im * turn.im, sum.re * turn.im + sum.im * turn.re};
        }
      }
    std::swap(x, y);
    length = m;
    stride *= p;
  }
  return x;
}

// Loads the n complex numbers to transform. An inverse is the transform of the conjugate, conjugated and divided by n.
// Half a spectrum is completed by its mirror image.
template <class T>
void load(const T* from, Complex* to, std::int64_t n, std::int64_t which) {
  const auto number = [&](std::int64_t i) { return static_cast<double>(widen(from[i])); };
  for (std::int64_t i = 0; i < n; ++i) {
    if (which == rfft)
      to[i] = {number(i), 0};
    else if (which == irfft && i > n / 2)
      to[i] = {number(2 * (n - i)), number(2 * (n - i) + 1)};
    else
      to[i] = {number(2 * i), which == fft ? number(2 * i + 1) : -number(2 * i + 1)};
  }
  if (which != irfft) return;
  to[0].im = 0;  // of a real sequence these are real
  if (n % 2 == 0) to[n / 2].im = 0;
}

template <class T>
T rounded(double x) {
  if constexpr (std::is_same_v<T, double>)
    return x;
  else if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(x);
  else
    return narrow<T>(toOddFloat(x));
}

template <class T>
void store(const Complex* from, T* to, std::int64_t n, std::int64_t which) {
  const std::int64_t count = which == rfft ? n / 2 + 1 : n;
  const double scale = which == ifft || which == irfft ? 1 / static_cast<double>(n) : 1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (which == irfft) {
      to[i] = rounded<T>(from[i].re * scale);
      continue;
    }
    to[2 * i] = rounded<T>(from[i].re * scale);
    to[2 * i + 1] = rounded<T>(which == ifft ? -from[i].im * scale : from[i].im);
  }
}

// dct: 2 * sum of x[j]*cos(pi*k*(2*j + 1)/(2*n)); idct, its inverse: (x[0]/2 + sum of x[k]*cos(the same)) / n.
template <class T>
void cosines(const T* from, T* to, const Complex* roots, std::int64_t n, std::int64_t which) {
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = which == dct ? 0 : static_cast<double>(widen(from[0])) / 2;
    for (std::int64_t j = which == dct ? 0 : 1; j < n; ++j) {
      const std::int64_t angle = which == dct ? i * (2 * j + 1) : j * (2 * i + 1);
      sum += static_cast<double>(widen(from[j])) * roots[angle % (4 * n)].re;
    }
    to[i] = rounded<T>(which == dct ? 2 * sum : sum / static_cast<double>(n));
  }
}

bool isCosine(const Step& step) { return step.integer(0) >= dct; }

// The length of the sequence in time, or of the spectrum if both input and output are spectra.
std::int64_t lengthOf(const Step& step) {
  const Shape& shape = step.integer(0) == irfft ? step.out(0).shape : step.in(0).shape;
  return shape[shape.rank() - (step.integer(0) <= ifft ? 2 : 1)];
}

template <class T>
bool run(Step& step, Fault&) {
  const std::int64_t n = lengthOf(step), which = step.integer(0);
  auto* roots = reinterpret_cast<Complex*>(step.workspace);
  fillRoots(roots, isCosine(step) ? 4 * n : n);
  const std::int64_t in = which == rfft || isCosine(step) ? n : which == irfft ? 2 * (n / 2 + 1) : 2 * n;
  const std::int64_t out = which == irfft || isCosine(step) ? n : which == rfft ? 2 * (n / 2 + 1) : 2 * n;
  const T* from = step.in(0).as<T>();
  T* to = step.out(0).as<T>();
  for (std::int64_t row = step.out(0).shape.elements() / out; row > 0; --row, from += in, to += out) {
    if (isCosine(step)) {
      cosines(from, to, roots, n, which);
      continue;
    }
    load(from, roots + n, n, which);
    store(transform(roots + n, roots + 2 * n, roots, n), to, n, which);
  }
  return true;
}

template <int linked>
const char* chooseFourier(Step& step) {
  const Shape &x = step.in(0).shape, &y = step.out(0).shape;
  const std::int64_t which = step.integer(0);
  if (step.in(0).elem != step.out(0).elem) return "input and output differ in element type";
  if (which < 0 || which >= transforms) return "an attribute is out of range";
  const bool pairsIn = which == fft || which == ifft || which == irfft, pairsOut = which <= rfft;
  if (x.rank() < 1 + pairsIn || y.rank() - pairsOut != x.rank() - pairsIn) return "the ranks do not fit";
  if ((pairsIn && x[x.rank() - 1] != 2) || (pairsOut && y[y.rank() - 1] != 2)) return "complex numbers are pairs";
  const int axis = x.rank() - 1 - pairsIn;
  for (int i = 0; i < axis; ++i)
    if (x[i] != y[i]) return "the result has other sizes";
  const std::int64_t n = lengthOf(step), half = n / 2 + 1;
  if (n < 1 || n >= windowLimit) return "a length is out of range";
  if (x[axis] != (which == irfft ? half : n) || y[axis] != (which == rfft ? half : n))
    return "the result has other sizes";
  step.workspaceBytes = static_cast<std::uint64_t>(n) * (isCosine(step) ? 4 : 3) * sizeof(Complex);
  step.kernel = forElem < floats & linked > (step.in(0).elem, []<class T>() -> Kernel { return &run<T>; });
  return step.kernel == nullptr ? "not for this element type" : nullptr;
}

}  // namespace

const char* prepareFourier(Step& step) { return chooseFourier<allElems>(step); }
const char* f32::prepareFourier(Step& step) { return chooseFourier<onlyF32>(step); }

}  // namespace axle::runtime
