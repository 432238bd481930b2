// Operators that create, rearrange and repeat tensors, as formulas.
#include "ir/lower/formula.h"
#include "ir/lower/formula_rules.h"

namespace axle::ir::lowering {

namespace {

using F = Formula;

std::size_t rankOf(F& f, std::size_t argument) { return f.shape(f[argument]).size(); }
Dim product(F& f, const Dims& sizes, std::size_t from, std::size_t to) {
  return elementCount(f.dims, Dims(sizes.begin() + offset(from), sizes.begin() + offset(to)));
}

// Fills a shape with each element's index along one axis.
Operand iota(F& f, Dims shape, std::size_t axis) {
  return f.apply(Op::iota, {}, AxisAttributes{axis}, Fact{Elem::i64, std::move(shape), {}});
}
// 0, 1, .., n - 1 along an axis, with sizes of 1 elsewhere.
Operand line(F& f, Dim n, std::size_t axis, std::size_t rank) {
  Dims shape(rank, f.size(1));
  shape[axis] = n;
  return iota(f, std::move(shape), axis);
}

// ---- joining, splitting, repeating

Results stack(F& f) {
  const std::size_t axis = f.axis(rankOf(f, 0) + 1);
  std::vector<Operand> parts;
  for (std::size_t i = 0; i < f.count(); ++i) parts.push_back(f.expand(f[i], axis));
  return f.concat(parts, axis);
}

Results unstack(F& f) {
  const std::size_t axis = f.axis(rankOf(f, 0));
  std::vector<Operand> parts;
  for (std::size_t i = 0; i < f.results.size(); ++i)
    parts.push_back(
        f.reshape(f.slice(f[0], axis, f.size(static_cast<std::int64_t>(i)), f.size(1)), f.results[i].shape));
  return Results(std::move(parts));
}

// Repeats each block of the axes from `axis` on.
Operand tiled(F& f, const Operand& x, std::size_t axis, Dim times) {
  Dims shape = f.shape(x);
  Dim outer = product(f, shape, 0, axis), block = product(f, shape, axis, shape.size());
  Operand repeated = f.broadcast(f.reshape(x, {outer, f.size(1), block}), {outer, times, block});
  shape[axis] = f.dims.mul(shape[axis], times);
  return f.reshape(repeated, std::move(shape));
}

Results tile(F& f) {
  Operand x = f[0];
  std::vector<Dim> times = f.list("times");
  for (std::size_t axis = 0; axis < times.size() && !f.failed(); ++axis)
    if (times[axis] != f.size(1)) x = tiled(f, x, axis, times[axis]);
  return x;
}

Results repeat(F& f) {
  Dims shape = f.shape(f[0]);
  const std::size_t axis = f.axis(shape.size());
  if (f.failed()) return f[0];
  Dim outer = product(f, shape, 0, axis + 1), inner = product(f, shape, axis + 1, shape.size());
  Operand repeated = f.broadcast(f.reshape(f[0], {outer, f.size(1), inner}), {outer, f.dim("times"), inner});
  return f.reshape(repeated, f.results[0].shape);
}

Results roll(F& f) {
  Dims shape = f.shape(f[0]);
  const std::size_t axis = f.axis(shape.size());
  if (f.failed()) return f[0];
  Dim n = shape[axis];
  Dim first = f.dims.mod(f.dims.mul(f.size(-1), f.dim("shift")), f.dims.max(n, f.size(1)));
  return f.concat({f.slice(f[0], axis, first, f.dims.sub(n, first)), f.slice(f[0], axis, f.size(0), first)}, axis);
}

Results permuted(F& f, bool swaps, const char* one, const char* other) {
  const std::size_t rank = rankOf(f, 0), a = f.axis(rank, one), b = f.axis(rank, other);
  std::vector<std::size_t> perm;
  for (std::size_t i = 0; i < rank; ++i) perm.push_back(i);
  if (f.failed()) return f[0];
  if (swaps) {
    std::swap(perm[a], perm[b]);
  } else {
    perm.erase(perm.begin() + offset(a));
    perm.insert(perm.begin() + offset(b), a);
  }
  return f.transpose(f[0], perm);
}

// ---- matrices

// Returns, for each element of a matrix, its column minus its row.
Operand offDiagonal(F& f, Dim rows, Dim columns) { return line(f, columns, 1, 2) - line(f, rows, 0, 2); }

Operand kept(F& f, const Operand& holds) { return choose(holds, f[0], 0.0); }

Operand triangle(F& f, bool lower) {
  const Dims shape = f.shape(f[0]);
  Operand off = offDiagonal(f, shape[shape.size() - 2], shape[shape.size() - 1]), k = f.size(f.dim("k"));
  return kept(f, lower ? off <= k : off >= k);
}

Results diag(F& f) {
  Dim n = f.shape(f[0])[0];
  return choose(equal(offDiagonal(f, n, n), 0.0), f.broadcast(f[0], {n, n}), 0.0);
}

Operand diagonal(F& f, const Operand& x) {
  Dims shape = f.shape(x);
  Dim m = shape[shape.size() - 2], n = shape[shape.size() - 1];
  shape.resize(shape.size() - 1);
  shape.back() = f.dims.mul(m, n);
  Operand places = iota(f, {f.dims.min(m, n)}, 0) * f.size(f.dims.add(n, f.size(1)));
  return f.gather(f.reshape(x, shape), places, shape.size() - 1);
}

Results trace(F& f) {
  Operand x = diagonal(f, f.wide(0));
  return f.reduce(Op::reduceSum, x, {f.shape(x).size() - 1}, false, f.number(0, x));
}

Results eye(F& f) { return f.cast(equal(offDiagonal(f, f.dim("rows"), f.dim("columns")), 0.0), f.results[0].elem); }

// ---- tensors made from sizes

Results filled(F& f, double value) { return f.broadcast(f.number(value, f.results[0].elem), f.results[0].shape); }

Results arange(F& f) {
  Operand places = iota(f, f.results[0].shape, 0) * f.size(f.dim("step")) + f.size(f.dim("start"));
  return f.cast(places, f.results[0].elem);
}

// Interpolates between the two ends, which makes both exact.
Results linspace(F& f) {
  Dim count = f.dim("count");
  Operand from = f.wide(0), to = f.wide(1);
  Operand steps = f.cast(f.size(f.dims.max(f.dims.sub(count, f.size(1)), f.size(1))), f.elem(from));
  Operand weight = f.cast(iota(f, {count}, 0), f.elem(from)) / steps;
  return from * (1.0 - weight) + to * weight;
}

Results oneHot(F& f) {
  const std::size_t rank = rankOf(f, 0) + 1, axis = f.axis(rank);
  if (f.failed()) return f[0];
  Operand ids = f.cast(f.expand(f[0], axis), Elem::i64);
  return f.cast(equal(ids, line(f, f.dim("depth"), axis, rank)), f.results[0].elem);
}

// ---- images

Results spaceToDepth(F& f) {
  const Dims x = f.shape(f[0]), y = f.results[0].shape;
  Dim b = f.dim("block");
  Operand parts = f.reshape(f[0], {x[0], y[1], b, y[2], b, x[3]});
  return f.reshape(f.transpose(parts, {0, 1, 3, 2, 4, 5}), y);
}

Results depthToSpace(F& f) {
  const Dims x = f.shape(f[0]), y = f.results[0].shape;
  Dim b = f.dim("block");
  Operand parts = f.reshape(f[0], {x[0], x[1], x[2], b, b, y[3]});
  return f.reshape(f.transpose(parts, {0, 1, 3, 2, 4, 5}), y);
}

// ---- random

constexpr double pi = 3.14159265358979323846;

struct Significand {
  Elem elem;     // of the computation
  int bits;      // of the significand of the result
  Elem integer;  // an integer with as many bits
};
Significand significandOf(Elem elem) {
  switch (elem) {
    case Elem::f16:
      return {Elem::f32, 11, Elem::u32};
    case Elem::bf16:
      return {Elem::f32, 8, Elem::u32};
    case Elem::f64:
      return {Elem::f64, 53, Elem::u64};
    default:
      return {Elem::f32, 24, Elem::u32};
  }
}

Operand randomBits(F& f, std::int64_t stream) {
  return f.apply(Op::randomBits, {f[0]}, StreamAttributes{stream}, Fact{Elem::u64, f.results[0].shape, {}});
}

// Returns multiples of a power of 2 in [0, 1): the upper bits of random integers, as many as the significand has.
Operand uniform(F& f, std::int64_t stream, const Significand& s, double plus = 0) {
  Operand upper = f.apply(Op::shiftRight, {randomBits(f, stream), f.number(64 - s.bits, Elem::u64)});
  return (f.cast(upper, s.elem) + plus) * (1.0 / static_cast<double>(std::uint64_t{1} << s.bits));
}

Results randomUniform(F& f) {
  const double low = f.real("low"), high = f.real("high");
  Operand x = uniform(f, 0, significandOf(f.results[0].elem));
  return low == 0 && high == 1 ? x : x * (high - low) + low;
}

// Box-Muller transform; the argument of the logarithm is above 0.
Results randomNormal(F& f) {
  Significand s = significandOf(f.results[0].elem == Elem::f64 ? Elem::f64 : Elem::f32);
  Operand radius = sqrt(-2.0 * log(uniform(f, 0, s, 1)));
  return radius * unary(Op::cos, 2 * pi * uniform(f, 1, s)) * f.real("std") + f.real("mean");
}

}  // namespace

std::span<const FormulaRow> structureFormulas() {
  // clang-format off
  static constexpr FormulaRow rows[] = {
      {"stack", stack},
      {"unstack", unstack},
      {"tile", tile},
      {"repeat", repeat, lowerFormula},
      {"roll", roll, lowerFormula},
      {"broadcast_to", [](F& f) -> Results { return f.broadcast(f[0], f.results[0].shape); }},
      {"flatten", [](F& f) -> Results { return f.reshape(f[0], f.results[0].shape); }},
      {"swap_axes", [](F& f) { return permuted(f, true, "a", "b"); }},
      {"move_axis", [](F& f) { return permuted(f, false, "from", "to"); }},
      {"diag", diag},
      {"diagonal", [](F& f) -> Results { return diagonal(f, f[0]); }},
      {"trace", trace},
      {"tril", [](F& f) -> Results { return triangle(f, true); }},
      {"triu", [](F& f) -> Results { return triangle(f, false); }},
      {"eye", eye},
      {"full", [](F& f) -> Results { return f.broadcast(f[0], f.results[0].shape); }},
      {"zeros", [](F& f) { return filled(f, 0); }},
      {"ones", [](F& f) { return filled(f, 1); }},
      {"full_like", [](F& f) -> Results { return f.broadcast(f[1], f.results[0].shape); }, lowerFormula},
      {"zeros_like", [](F& f) { return filled(f, 0); }, lowerFormula},
      {"ones_like", [](F& f) { return filled(f, 1); }, lowerFormula},
      {"arange", arange},
      {"linspace", linspace},
      {"one_hot", oneHot},
      {"space_to_depth", spaceToDepth},
      {"depth_to_space", depthToSpace},
      {"random_bits", [](F& f) -> Results { return randomBits(f, 0); }},
      {"random_uniform", randomUniform},
      {"random_normal", randomNormal},
      {"random_bernoulli", [](F& f) -> Results { return uniform(f, 0, significandOf(Elem::f64)) < f.real("p"); }},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::ir::lowering
