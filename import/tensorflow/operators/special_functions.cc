// Special functions, computed in double precision.
#include <cfloat>
#include <cmath>
#include <functional>
#include <utility>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::special_functions {
namespace {

constexpr std::string_view unary = "(t s) -> t s";
constexpr std::string_view binary = "(t a, t b) -> t (a # b)";

constexpr double pi = 3.14159265358979323846;
constexpr double precision = 1e-16;
constexpr double mostSteps = 4000;
Expr wide(NodeFormula& f, Expr x) { return f.cast(x, Elem::f64); }
FormulaResults narrow(NodeFormula& f, Expr made) { return {f.cast(made, f.elem(f.in(0)))}; }
Expr constantLike(Expr x, double value) { return x.formula->op("full_like", {x, x.formula->like(value, x)}); }

// Lanczos' approximation with g = 7, for x >= 1/2.
Expr logGammaRight(Expr x) {
  constexpr double terms[] = {676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
                              12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  Expr y = x - 1.0, sum = y.formula->like(0.99999999999980993, y);
  for (std::size_t i = 0; i < std::size(terms); ++i) sum = sum + terms[i] / (y + static_cast<double>(i + 1));
  Expr t = y + 7.5;
  return (y + 0.5) * apply("log", t) - t + apply("log", sum) + 0.5 * std::log(2 * pi);
}

// Uses the reflection left of 1/2; infinite at 0 and the negative integers, where the computed sine may miss 0.
Expr logGamma(Expr x) {
  Expr left = x < 0.5;
  Expr y = choose(left, 1.0 - x, x);
  Expr right = logGammaRight(choose(apply("is_inf", y), 1, y));
  Expr nearest = apply("round", x);
  Expr sine = apply("abs", apply("sin", (x - nearest) * pi));
  Expr made = choose(left, std::log(pi) - apply("log", sine) - right, right);
  Expr isPole = x <= 0.0 && nearest == x;
  return choose(isPole || apply("is_inf", x), INFINITY, made);
}

Expr digammaRight(Expr x) {
  constexpr int steps = 10;
  Expr sum = x * 0.0;
  for (int i = 0; i < steps; ++i) sum = sum + 1.0 / (x + static_cast<double>(i));
  Expr y = x + static_cast<double>(steps), z = 1.0 / (y * y);
  Expr tail = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132)))));
  return apply("log", y) - 0.5 / y - tail - sum;
}

Expr digamma(Expr x) {
  Expr left = x <= 0.0;
  Expr right = digammaRight(choose(left, 1.0 - x, x));
  Expr nearest = apply("round", x);
  Expr made = choose(left, right - pi / apply("tan", (x - nearest) * pi), right);
  return choose(left && nearest == x, NAN, choose(x > DBL_MAX, INFINITY, made));
}

// Euler-Maclaurin summation, for s > 1 and q > 0.
Expr zeta(Expr s, Expr q) {
  constexpr int steps = 12;
  // B(2j) / (2j)!
  constexpr double bernoulli[] = {1.0 / 12,       -1.0 / 720,     1.0 / 30240,
                                  -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000.0};
  Expr sum = apply("pow", q, -s);
  for (int k = 1; k < steps; ++k) sum = sum + apply("pow", q + static_cast<double>(k), -s);
  Expr y = q + static_cast<double>(steps), power = apply("pow", y, -s);
  sum = sum + power * y / (s - 1.0) + power * 0.5;
  Expr factor = s * power / y;
  for (int j = 0; j < static_cast<int>(std::size(bernoulli)); ++j) {
    sum = sum + factor * bernoulli[j];
    factor = factor * (s + (2.0 * j + 1)) * (s + (2.0 * j + 2)) / (y * y);
  }
  return sum;
}

// Left of 0, the sum has integer powers; at its poles it is infinite if the powers are even.
Expr zetaDefined(NodeFormula& f, Expr s, Expr q) {
  Expr isWhole = apply("floor", s) == s, isLeft = q <= 0.0, isPole = isLeft && apply("floor", q) == q;
  Expr half = s * 0.5, isEven = apply("floor", half) == half;
  Expr isOrdinary = s > 1.0 && s <= DBL_MAX && (q > 0.0 || isWhole) && apply("is_finite", q);
  Expr power = choose(isOrdinary, s, 2), from = choose(isOrdinary, choose(isPole, 1, q), 1);
  auto moves = [&](const States& now) { return f.op("any", {now[1] <= 0.0}) && now[0] < mostSteps; };
  auto step = [&](const States& now) -> States {
    Expr isOne = now[1] <= 0.0;
    return {now[0] + 1.0, choose(isOne, now[1] + 1.0, now[1]),
            choose(isOne, now[2] + apply("pow", now[1], -power), now[2])};
  };
  States left = f.loop({f.number(0, Elem::f64), from, (power + from) * 0.0}, moves, step);
  Expr made = left[2] + zeta(power, left[1]);
  Expr none = constantLike(made, NAN);
  Expr isInfinite = s > DBL_MAX && q < 1.0;
  made = choose(isOrdinary, choose(isPole, choose(isEven, INFINITY, none), made), none);
  made = choose(s > 1.0 && q > DBL_MAX, 0, choose(s > 1.0 && isWhole && q < -DBL_MAX, INFINITY, made));
  made = choose(s > DBL_MAX, choose(isInfinite, INFINITY, choose(q == 1.0, 1, choose(q > 1.0, 0, none))), made);
  return choose(s == 1.0, INFINITY, made);
}

// ---- by iteration over all elements together, until none changes

Expr larger(Expr x, double least) { return apply("maximum", x, x.formula->like(least, x)); }

// Computes gamma(a, x) / Gamma(a) by the series of the lower incomplete gamma function, for a > 0 and x >= 0.
Expr gammaSeries(NodeFormula& f, Expr factor, Expr a, Expr x) {
  Expr one = constantLike(factor, 1);
  auto moves = [&](const States& s) { return f.op("any", {s[1] > s[2] * precision}) && s[0] < mostSteps; };
  auto step = [&](const States& s) -> States {
    Expr term = s[1] * x / (a + s[0]);
    return {s[0] + 1.0, term, s[2] + term};
  };
  return factor / a * f.loop({f.number(1, Elem::f64), one, one}, moves, step)[2];
}

// Evaluates a continued fraction from its first denominator (Lentz). `part` returns the numerators and denominators.
Expr fraction(NodeFormula& f, Expr first, const std::function<std::pair<Expr, Expr>(Expr)>& part) {
  constexpr double tiny = 1e-300;
  auto away = [](Expr x) { return choose(apply("abs", x) < tiny, tiny, x); };
  Expr one = constantLike(first, 1), start = away(first);
  auto moves = [&](const States& s) {
    return f.op("any", {apply("abs", s[4] - 1.0) > 2 * precision}) && s[0] < mostSteps;
  };
  auto step = [&](const States& s) -> States {
    auto [over, under] = part(s[0]);
    Expr d = 1.0 / away(under + over * s[2]), c = away(under + over / s[1]);
    return {s[0] + 1.0, c, d, s[3] * c * d, c * d};
  };
  return f.loop({f.number(1, Elem::f64), start, one * 0.0, start, one + 1.0}, moves, step)[3];
}

// Returns the regularised lower and upper incomplete gamma functions.
std::pair<Expr, Expr> incompleteGamma(NodeFormula& f) {
  Expr a = wide(f, f.in(0)), x = wide(f, f.in(1));
  Expr isOrdinary = a > 0.0 && x > 0.0 && apply("is_finite", a) && apply("is_finite", x);
  Expr order = choose(isOrdinary, a, 1), at = choose(isOrdinary, x, 1);
  Expr factor = apply("exp", order * apply("log", at) - at - logGamma(order));
  Expr isLeft = at <= order || at <= 1.0;
  Expr series = gammaSeries(f, choose(isLeft, factor, 0), order, choose(isLeft, at, 0));
  Expr end = choose(isLeft, 1, at), power = choose(isLeft, 1, order);
  Expr rest =
      fraction(f, end + 1.0 - power, [&](Expr i) { return std::pair(-i * (i - power), end + 2.0 * i + 1.0 - power); });
  Expr lower = choose(isLeft, series, 1.0 - factor / rest);
  Expr upper = choose(isLeft, 1.0 - series, factor / rest);
  // If both are infinite, each part is 0; below 0 there is no value.
  auto otherwise = [&](Expr made, double atZero, double atInfinity) {
    Expr edge = choose(x > DBL_MAX, choose(a > DBL_MAX, 0, constantLike(made, atInfinity)), atZero);
    return choose(isOrdinary, made, choose(a > 0.0 && x >= 0.0, edge, NAN));
  };
  return {choose(x == 0.0, 0, otherwise(lower, 0, 1)), otherwise(upper, 1, 0)};
}

FormulaResults igammaFormula(NodeFormula& f) { return narrow(f, incompleteGamma(f).first); }
FormulaResults igammacFormula(NodeFormula& f) { return narrow(f, incompleteGamma(f).second); }

// Computes the smaller of the two tails.
FormulaResults betaincFormula(NodeFormula& f) {
  Expr a = wide(f, f.in(0)), b = wide(f, f.in(1)), x = wide(f, f.in(2));
  Expr isNone = a <= 0.0 || b <= 0.0;
  Expr isOrdinary = a > 0.0 && b > 0.0 && a <= DBL_MAX && b <= DBL_MAX && x > 0.0 && x < 1.0;
  a = choose(isOrdinary, a, 1);
  b = choose(isOrdinary, b, 1);
  Expr at = choose(isOrdinary, x, 0.5);
  Expr isLeft = at <= (a + 1.0) / (a + b + 2.0);
  Expr p = choose(isLeft, a, b), q = choose(isLeft, b, a), y = choose(isLeft, at, 1.0 - at);
  Expr factor =
      apply("exp", p * apply("log", y) + q * apply("log1p", -y) + logGamma(p + q) - logGamma(p) - logGamma(q));
  Expr all = fraction(f, constantLike(factor, 1), [&](Expr i) {
    Expr k = apply("floor", i * 0.5), isEven = i == 2.0 * k;
    Expr even = k * (q - k) * y / ((p + i - 1.0) * (p + i));
    Expr odd = -(p + k) * (p + q + k) * y / ((p + i - 1.0) * (p + i));
    return std::pair(choose(isEven, even, odd), constantLike(factor, 1));
  });
  Expr tail = factor / (p * all);
  Expr edge = choose(x == 0.0, 0, choose(x == 1.0, 1, constantLike(tail, NAN)));
  return narrow(f, choose(isOrdinary, choose(isLeft, tail, 1.0 - tail), choose(isNone, NAN, edge)));
}

// ---- the normal distribution

// Uses the trapezoidal rule right of 1/2, where it is accurate to rounding, and the complement left of it.
Expr erfcWide(Expr x) {
  constexpr double step = 0.5, mostRight = 40;
  Expr y = apply("minimum", larger(x, step), x.formula->like(mostRight, x)), squared = y * y, sum = 1.0 / squared;
  for (int k = 1; k <= 13; ++k) {
    const double at = step * step * k * k;
    sum = sum + 2 * std::exp(-at) / (squared + at);
  }
  Expr pole = choose(y > pi / step, 0, 2.0 / (1.0 - apply("exp", larger(-y, -pi / step) * (-2 * pi / step))));
  return choose(x < step, 1.0 - apply("erf", x), y * apply("exp", -squared) * sum * (step / pi) + pole);
}

// Returns the quantile with the probability p above it, for 0 < p <= 1/2, by Newton steps from an estimate.
Expr upperQuantile(Expr p) {
  Expr t = apply("sqrt", -2.0 * apply("log", p));
  Expr x = t - (t * 0.27061 + 2.30753) / (t * (t * 0.04481 + 0.99229) + 1.0);
  for (int i = 0; i < 4; ++i) {
    Expr tail = erfcWide(x * std::sqrt(0.5)) * 0.5, density = apply("exp", x * x * -0.5) / std::sqrt(2 * pi);
    Expr error = (tail - p) / density;
    x = x + error / (1.0 - 0.5 * x * error);
  }
  return x;
}

// Returns the quantile with these probabilities below and above it; the smaller one is exact.
Expr normalQuantile(Expr lower, Expr upper) {
  Expr least = apply("minimum", lower, upper), isOrdinary = least > 0.0;
  Expr place = upperQuantile(choose(isOrdinary, least, 0.5));
  place = choose(isOrdinary, place, choose(least == 0.0, INFINITY, constantLike(place, NAN)));
  return choose(lower < upper, -place, place);
}

FormulaResults ndtriFormula(NodeFormula& f) {
  Expr p = wide(f, f.in(0));
  return narrow(f, normalQuantile(p, 1.0 - p));
}

FormulaResults erfinvFormula(NodeFormula& f) {
  Expr x = wide(f, f.in(0));
  return narrow(f, normalQuantile((x + 1.0) * 0.5, (1.0 - x) * 0.5) * std::sqrt(0.5));
}

FormulaResults erfcFormula(NodeFormula& f) { return narrow(f, erfcWide(wide(f, f.in(0)))); }

// ---- Bessel functions: means over the circle for small arguments, asymptotic series for large ones

constexpr double bound = 30;
constexpr int nodes = 64;

// Returns the terms of the asymptotic series in 1 / (8x), without their signs.
std::vector<Expr> hankel(Expr x, double order) {
  Expr term = constantLike(x, 1);
  std::vector<Expr> terms{term};
  for (int k = 1; k <= 20; ++k) {
    term = term * (4 * order * order - (2.0 * k - 1) * (2.0 * k - 1)) / (8.0 * k * x);
    terms.push_back(term);
  }
  return terms;
}

// Returns the function times exp(-|value|).
Expr besselI(Expr value, double order) {
  Expr x = apply("abs", value), y = larger(x, bound), left, right;
  for (int k = 0; k < nodes; ++k) {
    const double cosine = std::cos(2 * pi * k / nodes), weight = (order == 0 ? 1 : cosine) / nodes;
    Expr part = apply("exp", x * (cosine - 1)) * weight;
    left = left.formula ? left + part : part;
  }
  std::vector<Expr> terms = hankel(y, order);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    if (!right.formula)
      right = terms[k];
    else
      right = k % 2 ? right - terms[k] : right + terms[k];
  }
  Expr made = choose(x < bound, left, right * apply("rsqrt", y * (2 * pi)));
  return order == 0 ? made : choose(value < 0.0, -made, made);
}

Expr besselJ(Expr value, double order) {
  Expr x = apply("abs", value), y = larger(x, bound), left;
  for (int k = 0; k < nodes; ++k) {
    const double angle = 2 * pi * k / nodes;
    Expr part = apply("cos", x * std::sin(angle) - order * angle) * (1.0 / nodes);
    left = left.formula ? left + part : part;
  }
  std::vector<Expr> terms = hankel(y, order);
  Expr even = terms[0], odd = terms[1];
  for (std::size_t k = 2; k < terms.size(); ++k) {
    Expr& sum = k % 2 ? odd : even;
    sum = k % 4 < 2 ? sum + terms[k] : sum - terms[k];
  }
  Expr phase = y - pi * (0.5 * order + 0.25);
  Expr right = apply("sqrt", 2 / pi / y) * (apply("cos", phase) * even - apply("sin", phase) * odd);
  Expr made = choose(x < bound, left, right);
  return order == 0 ? made : choose(value < 0.0, -made, made);
}

template <int order>
FormulaResults scaledBesselIFormula(NodeFormula& f) {
  return narrow(f, besselI(wide(f, f.in(0)), order));
}

template <int order>
FormulaResults besselIFormula(NodeFormula& f) {
  Expr x = wide(f, f.in(0));
  return narrow(f, besselI(x, order) * apply("exp", apply("abs", x)));
}

template <int order>
FormulaResults besselJFormula(NodeFormula& f) {
  return narrow(f, besselJ(wide(f, f.in(0)), order));
}

// ---- integrals

Expr polynomial(Expr x, const std::vector<double>& factors) {  // the highest first
  Expr sum = x * factors[0];
  for (std::size_t i = 1; i + 1 < factors.size(); ++i) sum = (sum + factors[i]) * x;
  return sum + factors.back();
}

// Computes Dawson's integral by a sum of bells around the nearest even point (Rybicki, 1989); near 0 by its series.
FormulaResults dawsonFormula(NodeFormula& f) {
  constexpr double step = 0.25, mostRight = 1e8;
  Expr x = wide(f, f.in(0)), y = apply("minimum", apply("abs", x), x.formula->like(mostRight, x));
  Expr nearest = apply("round", y / (2 * step)) * 2.0, rest = y - nearest * step, sum = y * 0.0;
  for (int k = -25; k <= 25; k += 2) {
    Expr place = rest - k * step;
    sum = sum + apply("exp", -place * place) / (nearest + static_cast<double>(k));
  }
  Expr squared = y * y;
  Expr left = y * polynomial(squared, {-32.0 / 10395, 16.0 / 945, -8.0 / 105, 4.0 / 15, -2.0 / 3, 1});
  Expr right = choose(apply("abs", x) < mostRight, sum / std::sqrt(pi), 0.5 / apply("abs", x));
  Expr made = choose(y < 0.02, left, right);
  return narrow(f, choose(x < 0.0, -made, made));
}

// Computes the exponential integral right of 0 by its series or, for large numbers, the asymptotic one.
FormulaResults exponentialIntegralFormula(NodeFormula& f) {
  constexpr double bound = 40, gamma = 0.57721566490153286061;
  Expr x = wide(f, f.in(0)), left = choose(x > 0.0 && x < bound, x, 1), right = choose(x >= bound, x, bound);
  Expr one = constantLike(left, 1);
  auto moves = [&](const States& s) { return f.op("any", {s[1] > s[2] * precision}) && s[0] < mostSteps; };
  auto next = [&](const States& s) -> States {
    Expr term = s[1] * left / s[0];
    return {s[0] + 1.0, term, s[2] + term / s[0]};
  };
  Expr series = f.loop({f.number(1, Elem::f64), one, one * 0.0}, moves, next)[2] + apply("log", left) + gamma;
  Expr term = constantLike(right, 1), sum = term;
  for (int k = 1; k <= 40; ++k) {
    term = term * (k / right);
    sum = sum + term;
  }
  Expr made = choose(x < bound, series, apply("exp", right) / right * sum);
  return narrow(f, choose(x >= 0.0 && x <= DBL_MAX, choose(x == 0.0, -INFINITY, made), NAN));
}

// Computes the dilogarithm of 1 - x. Numbers above 2 use the inverse, those below 1/2 use 1 - x, those between use
// powers of the logarithm.
FormulaResults spenceFormula(NodeFormula& f) {
  Expr x = wide(f, f.in(0)), isLarge = x > 2.0, z = choose(isLarge, 1.0 / choose(isLarge, x, 2), x), isSmall = z < 0.5;
  Expr u = -apply("log", choose(isSmall, 1.0 - z, z)), squared = u * u;
  Expr odd = polynomial(squared, {691.0 / (2730.0 * 6227020800.0), -5.0 / (66.0 * 39916800.0), 1.0 / 10886400,
                                  -1.0 / 211680, 1.0 / 3600, -1.0 / 36, -1});
  Expr made = -u * odd - squared * 0.25;
  Expr product = apply("log", choose(z > 0.0, z, 1)) * apply("log1p", -choose(isSmall, z, 0));
  made = choose(isSmall, pi * pi / 6 - product - made, made);
  Expr logarithm = apply("log", choose(isLarge, x, 1));
  made = choose(isLarge, -made - 0.5 * logarithm * logarithm, made);
  return narrow(f, choose(x >= 0.0 && x <= DBL_MAX, made, NAN));
}

// Computes Fresnel's cosine and sine integrals: near 0 by their series, otherwise by the complex complementary error
// function, whose integral is computed by the trapezoidal rule.
std::pair<Expr, Expr> fresnel(NodeFormula& f) {
  constexpr double step = 0.5, nearest = 1.2, mostRight = 36974;
  Expr x = wide(f, f.in(0)), y = apply("minimum", apply("abs", x), f.like(mostRight, x));
  Expr near = choose(y < nearest, y, 0), angle = near * near * (pi / 2), squared = -angle * angle;
  std::vector<double> cosines, sines;
  double factorial = 1;
  for (int n = 0; n <= 12; ++n) {
    if (n) factorial *= (2.0 * n - 1) * (2.0 * n);
    cosines.insert(cosines.begin(), 1 / (factorial * (4 * n + 1)));
    sines.insert(sines.begin(), 1 / (factorial * (2 * n + 1) * (4 * n + 3)));
  }
  Expr cosine = near * polynomial(squared, cosines), sine = near * angle * polynomial(squared, sines);

  Expr far = larger(y, nearest), a = far * far * (pi / 2), s = far * (std::sqrt(pi) / 2);
  Expr real = a * 0.0, imaginary = -1.0 / a;
  for (int k = 1; k <= 13; ++k) {
    const double q = step * step * k * k, weight = 2 * std::exp(-q);
    Expr part = weight / (a * a + q * q);
    real = real - part * q;
    imaginary = imaginary - part * a;
  }
  Expr u = (-real - imaginary) * s * (step / pi), v = (real - imaginary) * s * (step / pi);
  Expr p = apply("cos", a) * u - apply("sin", a) * v, q = apply("cos", a) * v + apply("sin", a) * u;
  Expr turn = apply("minimum", s, f.like(pi / step, s)) * (2 * pi / step), size = apply("exp", turn);
  Expr re = 1.0 - size * apply("cos", turn), im = size * apply("sin", turn), norm = re * re + im * im;
  Expr hasPole = s < pi / step;
  p = p + choose(hasPole, 2.0 * re / norm, 0);
  q = q - choose(hasPole, 2.0 * im / norm, 0);
  auto whole = [&](Expr left, Expr right) {
    Expr made = choose(y < nearest, left, choose(y >= mostRight, 0.5, right));
    return choose(x < 0.0, -made, made);
  };
  return {whole(cosine, (1.0 - p + q) * 0.5), whole(sine, (1.0 - p - q) * 0.5)};
}

FormulaResults fresnelCosineFormula(NodeFormula& f) { return narrow(f, fresnel(f).first); }
FormulaResults fresnelSineFormula(NodeFormula& f) { return narrow(f, fresnel(f).second); }
FormulaResults zetaFormula(NodeFormula& f) { return narrow(f, zetaDefined(f, wide(f, f.in(0)), wide(f, f.in(1)))); }
FormulaResults lgammaFormula(NodeFormula& f) { return narrow(f, logGamma(wide(f, f.in(0)))); }
FormulaResults digammaFormula(NodeFormula& f) { return narrow(f, digamma(wide(f, f.in(0)))); }

FormulaResults polygammaFormula(NodeFormula& f) {
  Expr order = wide(f, f.in(0)), x = wide(f, f.in(1));
  Expr half = order * 0.5, sign = choose(apply("floor", half) == half && order <= DBL_MAX, -1, constantLike(order, 1));
  Expr derivative = sign * apply("exp", logGamma(order + 1.0)) * zetaDefined(f, order + 1.0, x);
  Expr isOrder = order >= 0.0 && apply("floor", order) == order;
  return narrow(f, choose(isOrder, choose(order == 0.0, digamma(x), derivative), NAN));
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name          type                                 value  formula
    {"BesselK0e",    unary},
    {"BesselK1e",    unary},
    {"Digamma",      unary,                               {},    digammaFormula},
    {"Lgamma",       unary,                               {},    lgammaFormula},
    {"Erfc",         unary,                               {},    erfcFormula},
    {"Erfinv",       unary,                               {},    erfinvFormula},
    {"Ndtri",        unary,                               {},    ndtriFormula},
    {"BesselI0",     unary,                               {},    besselIFormula<0>},
    {"BesselI1",     unary,                               {},    besselIFormula<1>},
    {"BesselI0e",    unary,                               {},    scaledBesselIFormula<0>},
    {"BesselI1e",    unary,                               {},    scaledBesselIFormula<1>},
    {"BesselJ0",     unary,                               {},    besselJFormula<0>},
    {"BesselJ1",     unary,                               {},    besselJFormula<1>},
    {"BesselK0",     unary},
    {"BesselK1",     unary},
    {"BesselY0",     unary},
    {"BesselY1",     unary},
    {"Dawsn",        unary,                               {},    dawsonFormula},
    {"Expint",       unary,                               {},    exponentialIntegralFormula},
    {"FresnelCos",   unary,                               {},    fresnelCosineFormula},
    {"FresnelSin",   unary,                               {},    fresnelSineFormula},
    {"Spence",       unary,                               {},    spenceFormula},
    {"Igamma",       binary,                              {},    igammaFormula},
    {"Igammac",      binary,                              {},    igammacFormula},
    {"IgammaGradA",  binary},
    {"Zeta",         binary,                              {},    zetaFormula},
    {"Polygamma",    binary,                              {},    polygammaFormula},
    {"Betainc",      "(t a, t b, t c) -> t (a # b # c)",  {},    betaincFormula},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::special_functions
