// Formulas of special functions. All is computed in double precision.
#include <cmath>

#include "ir/import/tensorflow/analysis/formula.h"

namespace axle::tensorflow {
namespace {

constexpr double pi = 3.14159265358979323846;

Ex wide(Formula& f, Ex x) { return f.cast(x, Elem::f64); }

FormulaResults narrow(Formula& f, Ex made) { return {f.cast(made, f.elem(f.in(0)))}; }

// Lanczos' approximation with g = 7, for x >= 1/2.
Ex logGammaRight(Ex x) {
  constexpr double terms[] = {676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
                              12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  Ex y = x - 1.0, sum = y.formula->like(0.99999999999980993, y);
  for (std::size_t i = 0; i < std::size(terms); ++i) sum = sum + terms[i] / (y + static_cast<double>(i + 1));
  Ex t = y + 7.5;
  return (y + 0.5) * apply("log", t) - t + apply("log", sum) + 0.5 * std::log(2 * pi);
}

// Left of 1/2 by the reflection at 1/2; infinite at 0 and the negative whole numbers, where the sine may miss 0.
Ex logGamma(Ex x) {
  Ex left = x < 0.5;
  Ex y = choose(left, 1.0 - x, x);
  Ex right = logGammaRight(choose(apply("is_inf", y), 1, y));
  Ex nearest = apply("round", x);
  Ex sine = apply("abs", apply("sin", (x - nearest) * pi));
  Ex made = choose(left, std::log(pi) - apply("log", sine) - right, right);
  Ex isPole = x <= 0.0 && nearest == x;
  return choose(isPole || apply("is_inf", x), INFINITY, made);
}

Ex digammaRight(Ex x) {
  constexpr int steps = 10;
  Ex sum = x * 0.0;
  for (int i = 0; i < steps; ++i) sum = sum + 1.0 / (x + static_cast<double>(i));
  Ex y = x + static_cast<double>(steps), z = 1.0 / (y * y);
  Ex tail = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132)))));
  return apply("log", y) - 0.5 / y - tail - sum;
}

Ex digamma(Ex x) {
  Ex left = x <= 0.0;
  Ex right = digammaRight(choose(left, 1.0 - x, x));
  Ex nearest = apply("round", x);
  Ex made = choose(left, right - pi / apply("tan", (x - nearest) * pi), right);
  return choose(left && nearest == x, NAN, made);
}

// Euler and Maclaurin, for s > 1 and q > 0.
Ex zeta(Ex s, Ex q) {
  constexpr int steps = 12;
  // B(2j) / (2j)!
  constexpr double bernoulli[] = {1.0 / 12,       -1.0 / 720,     1.0 / 30240,
                                  -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000.0};
  Ex sum = apply("pow", q, -s);
  for (int k = 1; k < steps; ++k) sum = sum + apply("pow", q + static_cast<double>(k), -s);
  Ex y = q + static_cast<double>(steps), power = apply("pow", y, -s);
  sum = sum + power * y / (s - 1.0) + power * 0.5;
  Ex factor = s * power / y;
  for (int j = 0; j < static_cast<int>(std::size(bernoulli)); ++j) {
    sum = sum + factor * bernoulli[j];
    factor = factor * (s + (2.0 * j + 1)) * (s + (2.0 * j + 2)) / (y * y);
  }
  return sum;
}

// Other arguments than those of the sum are not TensorFlow's either: they are not a number.
Ex zetaDefined(Ex s, Ex q) {
  return choose(s > 1.0 && q > 0.0, zeta(choose(s > 1.0, s, 2), choose(q > 0.0, q, 1)), NAN);
}

FormulaResults erfc(Formula& f) { return narrow(f, 1.0 - apply("erf", wide(f, f.in(0)))); }
FormulaResults lgamma(Formula& f) { return narrow(f, logGamma(wide(f, f.in(0)))); }
FormulaResults digammaOf(Formula& f) { return narrow(f, digamma(wide(f, f.in(0)))); }

FormulaResults polygamma(Formula& f) {
  Ex order = wide(f, f.in(0)), x = wide(f, f.in(1));
  Ex half = order * 0.5, sign = choose(apply("floor", half) == half, -1, order * 0.0 + 1.0);
  Ex derivative = sign * apply("exp", logGamma(order + 1.0)) * zetaDefined(order + 1.0, x);
  Ex isOrder = order >= 0.0 && apply("floor", order) == order;
  return narrow(f, choose(isOrder, choose(order == 0.0, digamma(x), derivative), NAN));
}

constexpr FormulaRow rows[] = {
    {"Erfc", erfc},
    {"Lgamma", lgamma},
    {"Digamma", digammaOf},
    {"Polygamma", polygamma},
};

}  // namespace

std::span<const FormulaRow> specialFormulas() { return rows; }

}  // namespace axle::tensorflow
