// Formulas of random numbers. What is drawn is by the language's own generator, from the seeds of the node:
// TensorFlow's distributions, not its numbers.
#include <functional>

#include "ir/import/tensorflow/analysis/formula.h"

namespace axle::tensorflow {
namespace {

// Of two nodes of the same seeds by their names.
Ex seedOf(Formula& f) {
  constexpr std::uint64_t mostExact = (std::uint64_t{1} << 52) - 1;
  std::uint64_t seed = std::hash<std::string_view>()(f.n.node.name);
  for (const char* name : {"seed", "seed2"})
    seed = seed * 6364136223846793005U + static_cast<std::uint64_t>(f.n.integer(name));
  return f.number(static_cast<double>(seed & mostExact), Elem::u64);
}

Ex drawn(Formula& f, std::string_view core, Elem elem) {
  auto made = f.sizesBy(0, 0);
  return made ? f.as(core, {seedOf(f)}, {{"dims", f.n.t.list(*made)}}, elem) : Ex{&f, {}};
}

FormulaResults uniform(Formula& f) {
  return {drawn(f, "random_uniform", f.elemOf(f.n.type("dtype").value_or(Type::f32)))};
}

FormulaResults normal(Formula& f) {
  return {drawn(f, "random_normal", f.elemOf(f.n.type("dtype").value_or(Type::f32)))};
}

// From the second input up to, not including, the third.
FormulaResults uniformInt(Formula& f) {
  Ex low = f.cast(f.in(1), Elem::f64), high = f.cast(f.in(2), Elem::f64);
  Ex place = apply("floor", drawn(f, "random_uniform", Elem::f64) * (high - low));
  return {f.cast(low + apply("minimum", place, high - low - 1.0), f.elem(f.in(1)))};
}

constexpr FormulaRow rows[] = {
    {"RandomUniform", uniform},
    {"RandomStandardNormal", normal},
    {"RandomUniformInt", uniformInt},
};

}  // namespace

std::span<const FormulaRow> randomFormulas() { return rows; }

}  // namespace axle::tensorflow
