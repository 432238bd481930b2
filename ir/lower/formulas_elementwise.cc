// Elementwise formulas. All operands broadcast; f16 and bf16 are computed in f32 and rounded once.
#include <cmath>

#include "ir/lower/formula.h"
#include "ir/lower/formula_rules.h"

namespace axle::ir::lowering {

namespace {

using F = Formula;

Operand softplus(const Operand& x) { return maximum(x, 0.0) + log1p(exp(-abs(x))); }
Operand clip(const Operand& x, double low, double high) { return minimum(maximum(x, low), high); }

// exp(x) - 1 for negative x, otherwise 0: exp of a large x would overflow.
Operand negativeExpm1(const Operand& x) { return expm1(minimum(x, 0.0)); }

Results floorDiv(F& f) {
  Operand a = f.wide(0), b = f.wide(1);
  if (info(f.elem(a)).isInt) return a / b;
  return choose(equal(b, 0.0), a / b, round((a - a % b) / b));
}

// The remainder of the division of the magnitudes, with the dividend's sign.
Results fmod(F& f) {
  Operand a = f.wide(0), rest = abs(a) % abs(f.wide(1));
  return choose(a < 0.0, -rest, rest);
}

Results hypot(F& f) {
  Operand a = abs(f.wide(0)), b = abs(f.wide(1));
  Operand larger = maximum(a, b), ratio = minimum(a, b) / larger;
  Operand plain = either(equal(larger, 0.0), equal(larger, INFINITY));
  return choose(plain, larger, larger * sqrt(1.0 + ratio * ratio));
}

Results logaddexp(F& f) {
  Operand a = f.wide(0), b = f.wide(1);
  Operand difference = choose(equal(a, b), 0.0, abs(a - b));  // 0 for equal infinities, too
  return maximum(a, b) + log1p(exp(-difference));
}

Results gelu(F& f) {
  Operand x = f.wide(0);
  if (!f.flag("approximate")) return 0.5 * x * (1.0 + erf(x * std::sqrt(0.5)));
  constexpr double pi = 3.14159265358979323846;
  return 0.5 * x * (1.0 + tanh(std::sqrt(2 / pi) * (x + 0.044715 * x * x * x)));
}

Results selu(F& f) {
  constexpr double alpha = 1.6732632423543772, scale = 1.0507009873554805;
  Operand x = f.wide(0);
  return scale * choose(x > 0.0, x, alpha * negativeExpm1(x));
}

Results elu(F& f) {
  Operand x = f.wide(0);
  return choose(x > 0.0, x, f.real("alpha") * negativeExpm1(x));
}

Results celu(F& f) {
  Operand x = f.wide(0);
  const double alpha = f.real("alpha");
  return maximum(x, 0.0) + alpha * negativeExpm1(x / alpha);
}

Results leakyRelu(F& f) {
  Operand x = f.wide(0);
  return choose(x < 0.0, f.real("slope") * x, x);
}

Results quantize(F& f) {
  Operand zero = f.wide(f.cast(f[2], f.elem(f.wide(0))));
  return f.cast(round(f.wide(0) / f.wide(1)) + zero, f.results[0].elem);
}

Results dequantize(F& f) {
  const Elem to = f.elem(f.wide(1));
  Operand distance = f.cast(f[0], Elem::f64) - f.cast(f[2], Elem::f64);
  return f.cast(distance, to) * f.wide(1);
}

}  // namespace

std::span<const FormulaRow> elementwiseFormulas() {
  // clang-format off
  static constexpr FormulaRow rows[] = {
      {"log10", [](F& f) -> Results { return log(f.wide(0)) / std::log(10.0); }},
      {"reciprocal", [](F& f) -> Results { return 1.0 / f.wide(0); }},
      {"square", [](F& f) -> Results { return f.wide(0) * f.wide(0); }},
      {"is_nan", [](F& f) -> Results { return differs(f[0], f[0]); }},
      {"is_inf", [](F& f) -> Results { return equal(abs(f[0]), INFINITY); }},
      {"is_finite", [](F& f) -> Results { return abs(f[0]) < INFINITY; }},

      {"floor_div", floorDiv},
      {"fmod", fmod},
      {"hypot", hypot},
      {"logaddexp", logaddexp},
      {"xor", [](F& f) -> Results { return differs(f[0], f[1]); }},
      {"xlogy", [](F& f) -> Results { return choose(equal(f.wide(0), 0.0), 0.0 * f.wide(0), f.wide(0) * log(f.wide(1))); }},
      {"squared_difference", [](F& f) -> Results { Operand d = f.wide(0) - f.wide(1); return d * d; }},
      {"lerp", [](F& f) -> Results { return f.wide(0) + f.wide(2) * (f.wide(1) - f.wide(0)); }},
      {"clip", [](F& f) -> Results { return minimum(maximum(f[0], f[1]), f[2]); }},

      {"leaky_relu", leakyRelu},
      {"prelu", [](F& f) -> Results { return choose(f.wide(0) < 0.0, f.wide(1) * f.wide(0), f.wide(0)); }},
      {"elu", elu},
      {"celu", celu},
      {"selu", selu},
      {"gelu", gelu},
      {"silu", [](F& f) -> Results { return f.wide(0) * sigmoid(f.wide(0)); }},
      {"mish", [](F& f) -> Results { return f.wide(0) * tanh(softplus(f.wide(0))); }},
      {"softplus", [](F& f) -> Results { return softplus(f.wide(0)); }},
      {"log_sigmoid", [](F& f) -> Results { return -softplus(-f.wide(0)); }},
      {"softsign", [](F& f) -> Results { return f.wide(0) / (1.0 + abs(f.wide(0))); }},
      {"hard_sigmoid", [](F& f) -> Results { return clip(f.wide(0) / 6.0 + 0.5, 0, 1); }},
      {"hard_tanh", [](F& f) -> Results { return clip(f[0], -1, 1); }},
      {"relu6", [](F& f) -> Results { return clip(f[0], 0, 6); }},

      {"quantize", quantize},
      {"dequantize", dequantize},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::ir::lowering
