// Fourier and cosine transforms along the innermost axis, computed in f64 and rounded once. Complex numbers are pairs,
// real part first, along one more axis. A length with a large prime factor p costs n*p instead of n*log(n).
#include <cmath>
#include <numbers>

#include "runtime/kernels/elements.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/window.h"
#include "runtime/parts.h"

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

Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
Complex operator*(double x, Complex a) { return {x * a.re, x * a.im}; }
Complex conjugate(Complex a) { return {a.re, -a.im}; }
Complex turnedBack(Complex a) { return {a.im, -a.re}; }  // -i * a

// Transforms p numbers in place.
template <int p>
void transformFew(Complex* a) {
  if constexpr (p == 2) {
    const Complex sum = a[0] + a[1];
    a[1] = a[0] - a[1], a[0] = sum;
  } else if constexpr (p == 3) {
    constexpr double sine = 0.86602540378443864676;  // of 2*pi/3
    const Complex sum = a[1] + a[2], turned = turnedBack(sine * (a[1] - a[2])), middle = a[0] - 0.5 * sum;
    a[0] = a[0] + sum, a[1] = middle + turned, a[2] = middle - turned;
  } else if constexpr (p == 4) {
    const Complex even = a[0] + a[2], odd = a[1] + a[3], middle = a[0] - a[2], turned = turnedBack(a[1] - a[3]);
    a[0] = even + odd, a[1] = middle + turned, a[2] = even - odd, a[3] = middle - turned;
  } else {
    constexpr double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410;  // cosines of 2*pi/5 and 4*pi/5
    constexpr double s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;   // sines of these
    const Complex x = a[1] + a[4], y = a[2] + a[3], u = a[1] - a[4], v = a[2] - a[3];
    const Complex first = a[0] + c1 * x + c2 * y, second = a[0] + c2 * x + c1 * y;
    const Complex turned1 = turnedBack(s1 * u + s2 * v), turned2 = turnedBack(s2 * u - s1 * v);
    a[0] = a[0] + x + y, a[1] = first + turned1, a[2] = second + turned2, a[3] = second - turned2,
    a[4] = first - turned1;
  }
}

// roots[k * step] = exp(-2*pi*i*k/n)
struct Roots {
  const Complex* roots;
  std::int64_t step;
  Complex operator[](std::int64_t k) const { return roots[k * step]; }
};

// One pass of Stockham's algorithm: m transforms of p numbers, for each of `stride` sequences.
template <int p>
void pass(const Complex* x, Complex* y, Roots roots, std::int64_t m, std::int64_t stride) {
  for (std::int64_t q = 0; q < m; ++q, x += stride, y += p * stride) {
    Complex turns[p];
    for (int r = 1; r < p; ++r) turns[r] = roots[q * r * stride];
    for (std::int64_t k = 0; k < stride; ++k) {
      Complex a[p];
      for (int t = 0; t < p; ++t) a[t] = x[k + stride * m * t];
      transformFew<p>(a);
      y[k] = a[0];
      for (int r = 1; r < p; ++r) y[k + stride * r] = a[r] * turns[r];
    }
  }
}

// The same for any p, as a pass of a transform of n numbers.
void passOf(std::int64_t p, const Complex* x, Complex* y, Roots roots, std::int64_t n, std::int64_t stride) {
  const std::int64_t m = n / stride / p;
  for (std::int64_t q = 0; q < m; ++q)
    for (std::int64_t r = 0; r < p; ++r) {
      const Complex turn = roots[q * r * stride];
      for (std::int64_t k = 0; k < stride; ++k) {
        Complex sum{0, 0};
        for (std::int64_t t = 0, at = 0; t < p; ++t, at = at + r >= p ? at + r - p : at + r)
          sum = sum + x[k + stride * (q + m * t)] * roots[at * (n / p)];
        y[k + stride * (p * q + r)] = sum * turn;
      }
    }
}

std::int64_t nextFactor(std::int64_t n) {
  for (const std::int64_t p : {4, 2, 3, 5})
    if (n % p == 0) return p;
  for (std::int64_t p = 7; p * p <= n; p += 2)
    if (n % p == 0) return p;
  return n;
}

// Transforms x by Stockham's algorithm, for any factors of n. Returns the buffer, x or y, that holds the result.
Complex* transform(Complex* x, Complex* y, Roots roots, std::int64_t n) {
  for (std::int64_t length = n, stride = 1; length > 1; std::swap(x, y)) {
    const std::int64_t p = nextFactor(length), m = length / p;
    if (p == 4)
      pass<4>(x, y, roots, m, stride);
    else if (p == 2)
      pass<2>(x, y, roots, m, stride);
    else if (p == 3)
      pass<3>(x, y, roots, m, stride);
    else if (p == 5)
      pass<5>(x, y, roots, m, stride);
    else
      passOf(p, x, y, roots, n, stride);
    length = m;
    stride *= p;
  }
  return x;
}

// Loads the n complex numbers to transform. An inverse is the transform of the conjugate, conjugated and divided by n.
// For irfft, completes the half spectrum by its mirror image.
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
  to[0].im = 0;  // real, as the sequence is
  if (n % 2 == 0) to[n / 2].im = 0;
}

// A real sequence of even length n is transformed as n/2 complex numbers, each a pair of neighbours: by `loadHalf`, a
// transform of length n/2, and `storeHalf`. `roots` are those of n.
template <class T>
void loadHalf(const T* from, Complex* to, const Complex* roots, std::int64_t n, std::int64_t which) {
  const auto pair = [&](std::int64_t i) {
    return Complex{static_cast<double>(widen(from[2 * i])), static_cast<double>(widen(from[2 * i + 1]))};
  };
  const std::int64_t half = n / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    to[i] = pair(i);
    if (which == rfft) continue;
    Complex mirrored = conjugate(pair(half - i));
    if (i == 0) to[0].im = mirrored.im = 0;  // real, as the sequence is
    const Complex odd = turnedBack((to[i] - mirrored) * conjugate(roots[i]));
    to[i] = 0.5 * conjugate((to[i] + mirrored) - odd);
  }
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

template <class T>
void storeHalf(const Complex* from, T* to, const Complex* roots, std::int64_t n, std::int64_t which) {
  const std::int64_t half = n / 2;
  const auto put = [&](std::int64_t i, Complex x) {
    to[2 * i] = rounded<T>(x.re);
    to[2 * i + 1] = rounded<T>(x.im);
  };
  const double scale = 1 / static_cast<double>(half);
  if (which == rfft) put(0, {from[0].re + from[0].im, 0});
  for (std::int64_t i = which == rfft ? 1 : 0; i < half; ++i) {
    if (which == rfft) {
      const Complex mirrored = conjugate(from[half - i]), odd = turnedBack((from[i] - mirrored) * roots[i]);
      put(i, 0.5 * ((from[i] + mirrored) + odd));
    } else {
      put(i, scale * conjugate(from[i]));
    }
  }
  if (which == rfft) put(half, {from[0].re - from[0].im, 0});
}

// Computes dct, 2 * sum of x[j]*cos(pi*k*(2*j + 1)/(2*n)), or its inverse idct, (x[0]/2 + sum of x[k]*cos(the same)) /
// n.
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

// Returns the length of the sequence that is not halved: for rfft and irfft, of the real one.
std::int64_t lengthOf(const Step& step) {
  const Shape& shape = step.integer(0) == irfft ? step.out(0).shape : step.in(0).shape;
  return shape[shape.rank() - (step.integer(0) <= ifft ? 2 : 1)];
}

// Longer tables of roots are computed in each run, in the workspace.
constexpr std::int64_t mostKeptRoots = std::int64_t{1} << 16;

std::int64_t rootsOf(const Step& step, std::int64_t n) { return isCosine(step) ? 4 * n : n; }

// Parts divide the sequences.
template <class T>
bool run(Step& step, Part part, Fault&) {
  const std::int64_t n = lengthOf(step), which = step.integer(0);
  auto* const x = reinterpret_cast<Complex*>(workspaceOf(step, part));
  auto* const y = x + n;
  auto* roots = reinterpret_cast<Complex*>(step.roots.data());
  if (step.roots.empty()) {
    roots = isCosine(step) ? x : y + n;
    fillRoots(roots, rootsOf(step, n));
  }
  const bool isHalved = (which == rfft || which == irfft) && n % 2 == 0;
  const std::int64_t in = which == rfft || isCosine(step) ? n : which == irfft ? 2 * (n / 2 + 1) : 2 * n;
  const std::int64_t out = which == irfft || isCosine(step) ? n : which == rfft ? 2 * (n / 2 + 1) : 2 * n;
  const std::int64_t rows = step.out(0).shape.elements() / out, first = part.begin(rows);
  const T* from = step.in(0).as<T>() + first * in;
  T* to = step.out(0).as<T>() + first * out;
  for (std::int64_t row = first; row < part.end(rows); ++row, from += in, to += out) {
    if (isCosine(step)) {
      cosines(from, to, roots, n, which);
    } else if (isHalved) {
      loadHalf(from, x, roots, n, which);
      storeHalf(transform(x, y, {roots, 2}, n / 2), to, roots, n, which);
    } else {
      load(from, x, n, which);
      store(transform(x, y, {roots, 1}, n), to, n, which);
    }
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
  const std::int64_t roots = rootsOf(step, n);
  const bool keepsRoots = roots <= mostKeptRoots;
  step.roots.resize(keepsRoots ? static_cast<std::size_t>(2 * roots) : 0);
  if (keepsRoots) fillRoots(reinterpret_cast<Complex*>(step.roots.data()), roots);
  constexpr std::uint64_t nanosecondsOfElement = 4;
  return divideStep(
      step, forElem < floats & linked > (step.in(0).elem, []<class T>() -> PartKernel { return &run<T>; }),
      static_cast<std::uint64_t>(y.elements()) *
          (isCosine(step) ? static_cast<std::uint64_t>(n) : nanosecondsOfElement),
      static_cast<std::uint64_t>((isCosine(step) ? 0 : 2 * n) + (keepsRoots ? 0 : roots)) * sizeof(Complex));
}

}  // namespace

const char* prepareFourier(Step& step) { return chooseFourier<allElems>(step); }
const char* f32::prepareFourier(Step& step) { return chooseFourier<onlyF32>(step); }

}  // namespace axle::runtime
