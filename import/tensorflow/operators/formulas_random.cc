// Formulas of random numbers. With seeds they are those that TensorFlow draws on a CPU in the first run of a graph;
// else of its distributions, by the language's own generator.
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

constexpr double lowWord = 0xFFFFFFFF;
constexpr std::int64_t perBlock = 4;
constexpr std::int64_t mostDrawn = 1 << 24;  // at once

Ex low(Ex x) { return apply("bit_and", x, x.formula->number(lowWord, Elem::u64)); }
Ex high(Ex x) { return apply("shift_right", x, x.formula->number(32, Elem::u64)); }
Ex differing(Ex a, Ex b) { return apply("bit_xor", a, b); }
Ex lowOf(Formula& f, std::uint64_t x) { return f.number(static_cast<double>(x & 0xFFFFFFFF), Elem::u64); }
Ex highOf(Formula& f, std::uint64_t x) { return lowOf(f, x >> 32); }

// ---- as TensorFlow draws

using Words = std::array<Ex, 4>;

// Philox4x32-10 (Salmon and others, 2011): of each block the four words, in the shape of the blocks. The seeds are the
// key and the upper half of the counter.
Words words(Formula& f, Ex blocks) {
  auto key = static_cast<std::uint64_t>(f.n.integer("seed")), above = static_cast<std::uint64_t>(f.n.integer("seed2"));
  const Ex count = f.cast(blocks, Elem::u64), zeros = count * 0.0;
  Words c{low(count), high(count), zeros + lowOf(f, above), zeros + highOf(f, above)};
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

// In [0, 1), of the lower bits of words: of as many as the float's fraction has.
Ex bits(Ex word, int count) {
  Formula& f = *word.formula;
  return apply("bit_and", word, f.number(static_cast<double>((1U << count) - 1), Elem::u64));
}
Ex fraction(Ex word) { return word.formula->cast(bits(word, 23), Elem::f32) * std::ldexp(1.0, -23); }
Ex fraction(Ex above, Ex below) {
  Formula& f = *above.formula;
  return (f.cast(bits(above, 20), Elem::f64) * 0x1p32 + f.cast(below, Elem::f64)) * std::ldexp(1.0, -52);
}

// By Box and Muller, of two fractions.
std::array<Ex, 2> normals(Ex first, Ex second) {
  Ex size = apply("sqrt", apply("log", apply("maximum", first, first.formula->like(1e-7, first))) * -2.0);
  Ex angle = second * (2 * std::numbers::pi);
  return {apply("sin", angle) * size, apply("cos", angle) * size};
}

// What a block gives: four numbers, of 64 bits two.
using Numbers = std::vector<Ex>;

Numbers fractions(Formula& f, const Words& w, Elem elem) {
  if (elem == Elem::f64) return {fraction(w[0], w[1]), fraction(w[2], w[3])};
  Numbers made;
  for (Ex word : w) {
    if (elem == Elem::f32)
      made.push_back(fraction(word));
    else  // exact in f32
      made.push_back(f.cast(
          f.cast(bits(word, elem == Elem::f16 ? 10 : 7), Elem::f32) * std::ldexp(1.0, elem == Elem::f16 ? -10 : -7),
          elem));
  }
  return made;
}

// Halves are rounded afterwards.
Numbers unroundedNormals(const Words& w, Elem elem) {
  if (elem == Elem::f64) {
    auto [a, b] = normals(fraction(w[0], w[1]), fraction(w[2], w[3]));
    return {a, b};
  }
  auto [a, b] = normals(fraction(w[0]), fraction(w[1]));
  auto [c, d] = normals(fraction(w[2]), fraction(w[3]));
  return {a, b, c, d};
}

// From the second input up to, not including, the third.
Numbers between(Formula& f, const Words& w, Elem elem) {
  const Ex least = f.cast(f.in(1), Elem::i64), count = f.cast(f.cast(f.in(2), Elem::i64) - least, Elem::u64);
  Numbers all(w.begin(), w.end()), made;
  if (elem == Elem::i64) all = {w[0] + w[1] * 0x1p32, w[2] + w[3] * 0x1p32};
  for (Ex number : all) made.push_back(f.cast(f.cast(number - number / count * count, Elem::i64) + least, elem));
  return made;
}

// Of the normal ones those within two deviations. A group of numbers has 256 blocks for each four; that more than these
// few are needed happens to none.
Numbers within(Formula& f, const Numbers& normal, Dim groups, std::int64_t perGroup, Elem elem) {
  constexpr std::int64_t candidates = 16;
  const Ex all = f.shaped(f.stack(normal, -1), {groups, f.dim(candidates)});
  const Ex fits = apply("abs", all) < 2.0;
  const Ex place =
      f.op("cumsum", {f.cast(fits, Elem::i64)},
           {{"axis", f.n.t.integer(1)}, {"exclusive", f.n.t.boolean(true)}, {"reverse", f.n.t.boolean(false)}});
  Numbers made;
  for (std::int64_t i = 0; i < perGroup; ++i) {
    Ex its = choose(fits && place == static_cast<double>(i), all, 0);
    made.push_back(f.cast(f.reduce("sum", its, {1}, true), elem));
  }
  return made;
}

bool isSeeded(Formula& f) { return f.n.integer("seed") || f.n.integer("seed2"); }

// The elements of the groups one behind the other; what is too many is left out.
Ex laidOut(Formula& f, const Dims& dims, Dim count, Dim groups, const Numbers& parts) {
  const Dim drawn = f.times(groups, f.dim(std::ssize(parts)));
  Ex all = f.shaped(f.concat(parts, 1), {drawn});
  return f.shaped(drawn == count ? all : f.sliced(all, 0, f.dim(0), count), dims);
}

// The counters of the blocks of each group, in a row.
Ex countersOf(Formula& f, Dim groups, std::int64_t blocks, std::int64_t apart) {
  Ex first = f.expand(f.countTo(groups), -1);
  return blocks == 1 ? first : first * static_cast<double>(apart) + f.count(blocks);
}

using Make = Numbers (*)(Formula&, Dim groups, Elem elem);

FormulaResults seeded(Formula& f, Elem elem, Make make) {
  if (!isSeeded(f)) return {};
  auto dims = f.sizesBy(0, 0);
  if (!dims) return {};
  const Dim count = f.productOf(*dims);
  if (f.number(count).value_or(0) > mostDrawn) return {};
  if (f.number(count) == 0) return {f.filled(*dims, f.number(0, elem))};
  const Dim perGroup = f.dim(info(elem).bytes == 8 ? perBlock / 2 : perBlock);
  const Dim groups = f.n.t.solution().dims.ceildiv(count, perGroup);
  return {laidOut(f, *dims, count, groups, make(f, groups, elem))};
}

Elem drawnElem(Formula& f) { return f.elemOf(f.n.type("dtype").value_or(Type::f32)); }

FormulaResults seededUniform(Formula& f) {
  return seeded(f, drawnElem(f), [](Formula& g, Dim groups, Elem elem) {
    return fractions(g, words(g, countersOf(g, groups, 1, 1)), elem);
  });
}

FormulaResults seededNormal(Formula& f) {
  return seeded(f, drawnElem(f), [](Formula& g, Dim groups, Elem elem) {
    Numbers made = unroundedNormals(words(g, countersOf(g, groups, 1, 1)), elem);
    for (Ex& number : made) number = g.cast(number, elem);
    return made;
  });
}

FormulaResults seededTruncated(Formula& f) {
  return seeded(f, drawnElem(f), [](Formula& g, Dim groups, Elem elem) {
    const bool isDouble = elem == Elem::f64;
    const Ex counters = isDouble ? countersOf(g, groups, 8, 128) : countersOf(g, groups, 4, 256);
    return within(g, unroundedNormals(words(g, counters), elem), groups, isDouble ? 2 : 4, elem);
  });
}

FormulaResults seededInt(Formula& f) {
  return seeded(f, f.elem(f.in(1)), [](Formula& g, Dim groups, Elem elem) {
    return between(g, words(g, countersOf(g, groups, 1, 1)), elem);
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

FormulaResults uniform(Formula& f) { return {drawn(f, "random_uniform", drawnElem(f))}; }
FormulaResults normal(Formula& f) { return {drawn(f, "random_normal", drawnElem(f))}; }

// From the second input up to, not including, the third.
FormulaResults uniformInt(Formula& f) {
  Ex low = f.cast(f.in(1), Elem::f64), high = f.cast(f.in(2), Elem::f64);
  Ex place = apply("floor", drawn(f, "random_uniform", Elem::f64) * (high - low));
  return {f.cast(low + apply("minimum", place, high - low - 1.0), f.elem(f.in(1)))};
}

// The first that applies counts.
constexpr FormulaRow rows[] = {
    {"RandomUniform", seededUniform},     {"RandomUniform", uniform},      {"RandomStandardNormal", seededNormal},
    {"RandomStandardNormal", normal},     {"RandomUniformInt", seededInt}, {"RandomUniformInt", uniformInt},
    {"TruncatedNormal", seededTruncated},
};

}  // namespace

std::span<const FormulaRow> randomFormulas() { return rows; }

}  // namespace axle::tensorflow
