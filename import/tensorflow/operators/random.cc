// Random numbers, and samples of candidates. With seeds, they are those that TensorFlow draws on a CPU in the first run
// of a graph; otherwise they have its distributions, drawn by the language's own generator.
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::random {
namespace {

constexpr std::string_view unary = "(t s) -> t s";
constexpr std::string_view randomShape = "(shape : shape) -> t sized(shape)";
constexpr std::string_view seededShape = "(shape : shape, i [2]) -> t sized(shape)";
constexpr std::string_view statefulShape = "(l [], shape : shape) -> t sized(shape)";

constexpr std::string_view sampledCandidates =
    "(i [b, num_true]; num_true : int, num_sampled : int) -> (i [num_sampled], f [b, num_true], f [num_sampled])";

constexpr double lowWord = 0xFFFFFFFF;
constexpr std::int64_t perBlock = 4;
constexpr std::int64_t mostDrawn = 1 << 24;  // in one draw
Expr low(Expr x) { return apply("bit_and", x, x.formula->number(lowWord, Elem::u64)); }
Expr high(Expr x) { return apply("shift_right", x, x.formula->number(32, Elem::u64)); }
Expr differing(Expr a, Expr b) { return apply("bit_xor", a, b); }
Expr lowOf(NodeFormula& f, std::uint64_t x) { return f.number(static_cast<double>(x & 0xFFFFFFFF), Elem::u64); }
Expr highOf(NodeFormula& f, std::uint64_t x) { return lowOf(f, x >> 32); }

// ---- drawn as in TensorFlow

using Words = std::array<Expr, 4>;

// Philox4x32-10 (Salmon and others, 2011). Returns the four words of each block, in the shape of the blocks. The seeds
// are the key and the upper half of the counter.
Words words(NodeFormula& f, Expr blocks) {
  auto key = static_cast<std::uint64_t>(f.n.integer("seed")), above = static_cast<std::uint64_t>(f.n.integer("seed2"));
  const Expr count = f.cast(blocks, Elem::u64), zeros = count * 0.0;
  Words c{low(count), high(count), zeros + lowOf(f, above), zeros + highOf(f, above)};
  std::uint64_t k0 = key & 0xFFFFFFFF, k1 = key >> 32;
  for (int round = 0; round < 10; ++round) {
    const Expr p0 = c[0] * static_cast<double>(0xD2511F53), p1 = c[2] * static_cast<double>(0xCD9E8D57);
    c = {differing(differing(high(p1), c[1]), lowOf(f, k0)), low(p1),
         differing(differing(high(p0), c[3]), lowOf(f, k1)), low(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

// Returns as many low bits of a word as a float's fraction has, for a float in [0, 1).
Expr bits(Expr word, int count) {
  FormulaBuilder& f = *word.formula;
  return apply("bit_and", word, f.number(static_cast<double>((1U << count) - 1), Elem::u64));
}

Expr fraction(Expr word) { return word.formula->cast(bits(word, 23), Elem::f32) * std::ldexp(1.0, -23); }

Expr fraction(Expr above, Expr below) {
  FormulaBuilder& f = *above.formula;
  return (f.cast(bits(above, 20), Elem::f64) * 0x1p32 + f.cast(below, Elem::f64)) * std::ldexp(1.0, -52);
}

// Returns two normal numbers from two fractions (Box and Muller).
std::array<Expr, 2> normals(Expr first, Expr second) {
  Expr size = apply("sqrt", apply("log", apply("maximum", first, first.formula->like(1e-7, first))) * -2.0);
  Expr angle = second * (2 * std::numbers::pi);
  return {apply("sin", angle) * size, apply("cos", angle) * size};
}

// The numbers from a block: four, or two of 64 bits.
using Numbers = std::vector<Expr>;

Numbers fractions(NodeFormula& f, const Words& w, Elem elem) {
  if (elem == Elem::f64) return {fraction(w[0], w[1]), fraction(w[2], w[3])};
  Numbers made;
  for (Expr word : w) {
    if (elem == Elem::f32)
      made.push_back(fraction(word));
    else  // exact in f32
      made.push_back(f.cast(
          f.cast(bits(word, elem == Elem::f16 ? 10 : 7), Elem::f32) * std::ldexp(1.0, elem == Elem::f16 ? -10 : -7),
          elem));
  }
  return made;
}

// Returns normal numbers; the caller rounds them to f16 or bf16.
Numbers unroundedNormals(const Words& w, Elem elem) {
  if (elem == Elem::f64) {
    auto [a, b] = normals(fraction(w[0], w[1]), fraction(w[2], w[3]));
    return {a, b};
  }
  auto [a, b] = normals(fraction(w[0]), fraction(w[1]));
  auto [c, d] = normals(fraction(w[2]), fraction(w[3]));
  return {a, b, c, d};
}

// Returns integers from the second input up to, but not including, the third.
Numbers between(NodeFormula& f, const Words& w, Elem elem) {
  const Expr least = f.cast(f.in(1), Elem::i64), count = f.cast(f.cast(f.in(2), Elem::i64) - least, Elem::u64);
  Numbers all(w.begin(), w.end()), made;
  if (elem == Elem::i64) all = {w[0] + w[1] * 0x1p32, w[2] + w[3] * 0x1p32};
  for (Expr number : all) made.push_back(f.cast(f.cast(number - number / count * count, Elem::i64) + least, elem));
  return made;
}

// Keeps the normal numbers within two deviations. TensorFlow reserves 256 blocks for each four numbers, but no draw
// needs more than the few that are computed here.
Numbers within(NodeFormula& f, const Numbers& normal, Dim groups, std::int64_t perGroup, Elem elem) {
  constexpr std::int64_t candidates = 16;
  const Expr all = f.shaped(f.stack(normal, -1), {groups, f.dim(candidates)});
  const Expr fits = apply("abs", all) < 2.0;
  const Expr place =
      f.op("cumsum", {f.cast(fits, Elem::i64)},
           {{"axis", f.n.t.integer(1)}, {"exclusive", f.n.t.boolean(true)}, {"reverse", f.n.t.boolean(false)}});
  Numbers made;
  for (std::int64_t i = 0; i < perGroup; ++i) {
    Expr its = choose(fits && place == static_cast<double>(i), all, 0);
    made.push_back(f.cast(f.reduce("sum", its, {1}, true), elem));
  }
  return made;
}

bool isSeeded(NodeFormula& f) { return f.n.integer("seed") || f.n.integer("seed2"); }

// Concatenates the elements of the groups, and drops the excess.
Expr laidOut(NodeFormula& f, const Dims& dims, Dim count, Dim groups, const Numbers& parts) {
  const Dim drawn = f.times(groups, f.dim(std::ssize(parts)));
  Expr all = f.shaped(f.concat(parts, 1), {drawn});
  return f.shaped(drawn == count ? all : f.sliced(all, 0, f.dim(0), count), dims);
}

// Returns the counters of each group's blocks: a row for each group.
Expr countersOf(NodeFormula& f, Dim groups, std::int64_t blocks, std::int64_t apart) {
  Expr first = f.expand(f.countTo(groups), -1);
  return blocks == 1 ? first : first * static_cast<double>(apart) + f.count(blocks);
}

using Make = Numbers (*)(NodeFormula&, Dim groups, Elem elem);

FormulaResults seeded(NodeFormula& f, Elem elem, Make make) {
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

Elem drawnElem(NodeFormula& f) { return f.elemOf(f.n.type("dtype").value_or(Type::f32)); }

FormulaResults seededUniformFormula(NodeFormula& f) {
  return seeded(f, drawnElem(f), [](NodeFormula& g, Dim groups, Elem elem) {
    return fractions(g, words(g, countersOf(g, groups, 1, 1)), elem);
  });
}

FormulaResults seededNormalFormula(NodeFormula& f) {
  return seeded(f, drawnElem(f), [](NodeFormula& g, Dim groups, Elem elem) {
    Numbers made = unroundedNormals(words(g, countersOf(g, groups, 1, 1)), elem);
    for (Expr& number : made) number = g.cast(number, elem);
    return made;
  });
}

FormulaResults seededTruncatedFormula(NodeFormula& f) {
  return seeded(f, drawnElem(f), [](NodeFormula& g, Dim groups, Elem elem) {
    const bool isDouble = elem == Elem::f64;
    const Expr counters = isDouble ? countersOf(g, groups, 8, 128) : countersOf(g, groups, 4, 256);
    return within(g, unroundedNormals(words(g, counters), elem), groups, isDouble ? 2 : 4, elem);
  });
}

FormulaResults seededIntFormula(NodeFormula& f) {
  return seeded(f, f.elem(f.in(1)), [](NodeFormula& g, Dim groups, Elem elem) {
    return between(g, words(g, countersOf(g, groups, 1, 1)), elem);
  });
}

// ---- drawn by the language

// Includes the node's name, so that two nodes have different seeds.
Expr seedOf(NodeFormula& f) {
  constexpr std::uint64_t mostExact = (std::uint64_t{1} << 52) - 1;
  std::uint64_t seed = std::hash<std::string_view>()(f.n.node.name);
  for (const char* name : {"seed", "seed2"})
    seed = seed * 6364136223846793005U + static_cast<std::uint64_t>(f.n.integer(name));
  return f.number(static_cast<double>(seed & mostExact), Elem::u64);
}

Expr drawn(NodeFormula& f, std::string_view core, Elem elem) {
  auto made = f.sizesBy(0, 0);
  return made ? f.as(core, {seedOf(f)}, {{"dims", f.n.t.list(*made)}}, elem) : Expr{&f, {}};
}

FormulaResults uniformFormula(NodeFormula& f) { return {drawn(f, "random_uniform", drawnElem(f))}; }
FormulaResults normalFormula(NodeFormula& f) { return {drawn(f, "random_normal", drawnElem(f))}; }

// Draws integers from the second input up to, but not including, the third.
FormulaResults uniformIntFormula(NodeFormula& f) {
  Expr low = f.cast(f.in(1), Elem::f64), high = f.cast(f.in(2), Elem::f64);
  Expr place = apply("floor", drawn(f, "random_uniform", Elem::f64) * (high - low));
  return {f.cast(low + apply("minimum", place, high - low - 1.0), f.elem(f.in(1)))};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                                    type          value  formula
    {"RandomUniform",                          randomShape,  {},    {seededUniformFormula, uniformFormula}},
    {"RandomStandardNormal",                   randomShape,  {},    {seededNormalFormula, normalFormula}},
    {"TruncatedNormal",                        randomShape,  {},    seededTruncatedFormula},
    {"RandomUniformInt",                       "(shape : shape, t [], t []) -> t sized(shape)",
                                                             {},    {seededIntFormula, uniformIntFormula}},
    {"RandomGamma",                            "(shape : shape, t a) -> t sized(shape) @ a"},
    {"RandomPoisson",                          "(shape : shape, t a) -> t sized(shape) @ a"},
    {"RandomPoissonV2",                        "(shape : shape, t a) -> u sized(shape) @ a"},
    {"RandomShuffle",                          unary},
    {"Multinomial",                            "(t [b, c]; num_samples : int) -> i [b, num_samples]"},
    {"StatelessMultinomial",                   "(t [b, c], j [2]; num_samples : int) -> i [b, num_samples]"},
    {"StatelessRandomUniform",                 seededShape},
    {"StatelessRandomNormal",                  seededShape},
    {"StatelessTruncatedNormal",               seededShape},
    {"StatelessRandomUniformInt",              "(shape : shape, i [2], t [], t []) -> t sized(shape)"},
    {"StatelessRandomUniformV2",               "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"StatelessRandomNormalV2",                "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"StatelessTruncatedNormalV2",             "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"LogUniformCandidateSampler",             sampledCandidates},
    {"UniformCandidateSampler",                sampledCandidates},
    {"LearnedUnigramCandidateSampler",         sampledCandidates},
    {"ThreadUnsafeUnigramCandidateSampler",    sampledCandidates},
    {"FixedUnigramCandidateSampler",           sampledCandidates},
    {"AllCandidateSampler",                    sampledCandidates},
    {"ComputeAccidentalHits",                  "(i [b, num_true], j [m]; num_true : int) -> (i [k], j [k], f [k])"},
    {"ParameterizedTruncatedNormal",           "(shape : shape, t a, t b, t c, t d) -> t sized(shape)"},
    {"StatelessParameterizedTruncatedNormal",  "(shape : shape, i [2], t a, t b, t c, t d) -> t sized(shape)"},
    {"StatelessRandomBinomial",                "(shape : shape, i [2], t a, t b) -> u sized(shape)"},
    {"StatelessRandomGammaV2",                 "(shape : shape, i [2], t a) -> t sized(shape)"},
    {"StatelessRandomGammaV3",                 "(shape : shape, i k, j c, l [], t a) -> t sized(shape)"},
    {"StatelessRandomPoisson",                 "(shape : shape, i [2], t a) -> u sized(shape)"},
    {"StatelessRandomUniformFullInt",          seededShape},
    {"StatelessRandomUniformFullIntV2",        "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"StatelessRandomUniformIntV2",            "(shape : shape, i k, j c, l [], t [], t []) -> t sized(shape)"},
    {"StatelessRandomGetAlg",                  "() -> i []"},
    {"StatelessRandomGetKeyCounter",           "(s [2]) -> (i [1], i [2])"},
    {"StatelessRandomGetKeyCounterAlg",        "(s [2]) -> (i [1], i [2], j [])"},
    {"StatelessShuffle",                       "(t s, i k, j c, l []) -> t s"},
    {"StatelessSampleDistortedBoundingBox",    "(t [3], f [b, n, 4], f [], i [2]) -> (t [3], t [3], f [1, 1, 4])"},
    {"SampleDistortedBoundingBox",             "(t [3], f [b, n, 4]) -> (t [3], t [3], f [1, 1, 4])"},
    {"SampleDistortedBoundingBoxV2",           "(t [3], f [b, n, 4], f []) -> (t [3], t [3], f [1, 1, 4])"},
    {"StatefulStandardNormal",                 randomShape},
    {"StatefulStandardNormalV2",               statefulShape},
    {"StatefulTruncatedNormal",                statefulShape},
    {"StatefulUniform",                        statefulShape},
    {"StatefulUniformFullInt",                 statefulShape},
    {"StatefulUniformInt",                     "(l [], shape : shape, t [], t []) -> t sized(shape)"},
    {"StatefulRandomBinomial",                 "(l [], shape : shape, t a, t b) -> u sized(shape)"},
    {"NonDeterministicInts",                   randomShape},
    {"RngReadAndSkip",                         "(i [], d []) -> v [3]"},
    {"RandomCrop",                             "(t [h, w, c]; size : ints(2)) -> t [size[0], size[1], c]"},
    {"RandomGammaGrad",                        "(t a, t b) -> t (a # b)"},
    {"StochasticCastToInt",                    "(t s, k a, c b, l []) -> u s"},
    {"SobolSample",                            "(i []; dim : int, num_results : int) -> t [num_results, dim]"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::random
