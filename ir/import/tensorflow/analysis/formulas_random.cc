// Formulas of random numbers. With seeds they are those that TensorFlow draws on a CPU in the first run of a graph,
// where the sizes are known; else of its distributions, by the language's own generator.
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "ir/import/tensorflow/analysis/formula.h"

namespace axle::tensorflow {
namespace {

constexpr double lowWord = 0xFFFFFFFF;
constexpr std::int64_t perBlock = 4;
constexpr std::int64_t mostDrawn = 1 << 20;

Ex low(Ex x) { return apply("bit_and", x, x.formula->number(lowWord, Elem::u64)); }
Ex high(Ex x) { return apply("shift_right", x, x.formula->number(32, Elem::u64)); }
Ex differing(Ex a, Ex b) { return apply("bit_xor", a, b); }
Ex lowOf(Formula& f, std::uint64_t x) { return f.number(static_cast<double>(x & 0xFFFFFFFF), Elem::u64); }
Ex highOf(Formula& f, std::uint64_t x) { return lowOf(f, x >> 32); }

// ---- as TensorFlow draws

// Philox4x32-10 (Salmon and others, 2011): of as many blocks the four words, each [blocks, 1]. The seeds are the key
// and the upper half of the counter.
std::array<Ex, 4> words(Formula& f, std::int64_t blocks) {
  auto key = static_cast<std::uint64_t>(f.n.integer("seed")), above = static_cast<std::uint64_t>(f.n.integer("seed2"));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(blocks));
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<std::int64_t>(i);
  const Ex count = f.integers(Type::u64, {blocks, 1}, counts), zeros = count * 0.0;
  std::array<Ex, 4> c{low(count), high(count), zeros + lowOf(f, above), zeros + highOf(f, above)};
  std::uint64_t k0 = key & 0xFFFFFFFF, k1 = key >> 32;
  for (int round = 0; round < 10; ++round) {
    const Ex p0 = c[0] * static_cast<double>(0xD2511F53), p1 = c[2] * static_cast<double>(0xCD9E8D57);
    c = {differing(differing(high(p1), c[1]), lowOf(f, k0)), low(p1),
         differing(differing(high(p0), c[3]), lowOf(f, k1)), low(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

// The lower 23 bits as a fraction.
Ex fraction(Ex word) {
  Formula& f = *word.formula;
  return f.cast(apply("bit_and", word, f.number(0x7FFFFF, Elem::u64)), Elem::f32) * std::ldexp(1.0, -23);
}

// The elements of the blocks one behind the other; what is too many is left out.
FormulaResults laidOut(Formula& f, const Sizes& sizes, std::int64_t count, const std::array<Ex, 4>& parts) {
  const std::int64_t drawn = (count + perBlock - 1) / perBlock * perBlock;
  Ex all = f.reshape(f.concat({parts[0], parts[1], parts[2], parts[3]}, 1), {drawn});
  return {f.reshape(drawn == count ? all : f.slice(all, 0, 0, count), sizes)};
}

using Made = std::array<Ex, 4> (*)(Formula&, const std::array<Ex, 4>&);

FormulaResults seeded(Formula& f, Type type, Made make) {
  auto sizes = f.outletSizes(0);
  if (!sizes || (!f.n.integer("seed") && !f.n.integer("seed2"))) return {};
  if (f.n.type(type == Type::i32 ? "Tout" : "dtype") != type) return {};
  const std::int64_t count = countOf(*sizes);
  if (count > mostDrawn) return {};
  if (count == 0) return {f.full(*sizes, f.number(0, f.elemOf(type)))};
  return laidOut(f, *sizes, count, make(f, words(f, (count + perBlock - 1) / perBlock)));
}

FormulaResults seededUniform(Formula& f) {
  return seeded(f, Type::f32, [](Formula&, const std::array<Ex, 4>& w) {
    return std::array<Ex, 4>{fraction(w[0]), fraction(w[1]), fraction(w[2]), fraction(w[3])};
  });
}

// By Box and Muller.
FormulaResults seededNormal(Formula& f) {
  return seeded(f, Type::f32, [](Formula&, const std::array<Ex, 4>& w) {
    std::array<Ex, 4> made;
    for (std::size_t i = 0; i < 4; i += 2) {
      Ex first = fraction(w[i]);
      Ex size = apply("sqrt", apply("log", apply("maximum", first, first.formula->like(1e-7, first))) * -2.0);
      Ex angle = fraction(w[i + 1]) * (2 * std::numbers::pi);
      made[i] = apply("sin", angle) * size;
      made[i + 1] = apply("cos", angle) * size;
    }
    return made;
  });
}

FormulaResults seededInt(Formula& f) {
  return seeded(f, Type::i32, [](Formula& g, const std::array<Ex, 4>& w) {
    const Ex least = g.cast(g.in(1), Elem::i64), count = g.cast(g.cast(g.in(2), Elem::i64) - least, Elem::u64);
    std::array<Ex, 4> made;
    for (std::size_t i = 0; i < 4; ++i)
      made[i] = g.cast(g.cast(w[i] - w[i] / count * count, Elem::i64) + least, Elem::i32);
    return made;
  });
}

// ---- as the language draws

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

// The first that applies counts.
constexpr FormulaRow rows[] = {
    {"RandomUniform", seededUniform}, {"RandomUniform", uniform},      {"RandomStandardNormal", seededNormal},
    {"RandomStandardNormal", normal}, {"RandomUniformInt", seededInt}, {"RandomUniformInt", uniformInt},
};

}  // namespace

std::span<const FormulaRow> randomFormulas() { return rows; }

}  // namespace axle::tensorflow
