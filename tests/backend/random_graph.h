// Random graphs of operators that are fused or become views.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "tests/ir/build_graph.h"

namespace axle::test {

using ir::Op;
using ir::OutletId;

inline std::int64_t sizeOf(const DimStore& dims, Dim d) { return dims.asConstant(d).value(); }

// A random graph over images [n, h, w, c] and rows [m, k] of f32, with operators that are fused or become views.
class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) : random_(seed) {
    const std::int64_t batch = number(0, 2) == 0 ? 2 : 1;
    add(b.input(b.fact(Elem::f32, {batch, number(1, 5), number(1, 5), number(1, 6)})));
    add(b.input(b.fact(Elem::f32, {batch, number(1, 5), number(1, 20), number(1, 6)})));  // several blocks of results
    add(b.input(b.fact(Elem::f32, {number(1, 5), number(1, 6)})));
    const int steps = static_cast<int>(number(3, 30));
    for (int i = 0; i < steps; ++i) step();
    for (OutletId id : values_)
      if (number(0, 5) == 0) b.output(id);
    b.output(values_.back());
  }

  Builder b;

 private:
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  template <class T>
  T pick(std::vector<T> of) {
    return of[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(of.size()) - 1))];
  }
  OutletId any() { return number(0, 1) == 0 ? values_.back() : pick(values_); }

  std::vector<std::int64_t> shapeOf(OutletId id) {
    std::vector<std::int64_t> shape;
    for (Dim d : b.model.graphs[0][id].fact.shape) shape.push_back(sizeOf(b.dims, d));
    return shape;
  }
  void add(OutletId id) { values_.push_back(id); }

  // Adds a node with the facts that its row infers; `shape` is for nodes whose row does not infer it.
  void node(Op op, std::vector<OutletId> inputs, std::vector<std::int64_t> ints = {},
            std::vector<std::int64_t> shape = {}) {
    add(b.add(op, inputs, b.fact(Elem::f32, shape.empty() ? shapeOf(inputs[0]) : shape), std::move(ints)));
  }

  OutletId constant(std::vector<std::int64_t> shape) {
    std::int64_t count = 1;
    for (std::int64_t size : shape) count *= size;
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(number(-8, 8)) / 8);
    return b.constant<float>(Elem::f32, std::move(shape), values);
  }

  // Returns a value of the same shape as `of`, or of one that stretches to it.
  OutletId partner(OutletId of) {
    const auto shape = shapeOf(of);
    if (number(0, 1) == 0)
      for (int tries = 0; tries < 4; ++tries)
        if (OutletId other = any(); shapeOf(other) == shape) return other;
    if (number(0, 2) == 0) return constant({shape.back()});
    if (number(0, 1) == 0) return constant({});
    auto stretched = shape;
    stretched[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(shape.size()) - 1))] = 1;
    return constant(stretched);
  }

  void step() {
    const OutletId x = any();
    const auto shape = shapeOf(x);
    switch (number(0, 12)) {
      case 0:
      case 1:
        return node(pick<Op>({Op::relu, Op::tanh, Op::sigmoid, Op::neg, Op::abs, Op::exp}), {x});
      case 2:
      case 3:
      case 4:
        return node(pick<Op>({Op::add, Op::mul, Op::sub, Op::maximum, Op::minimum}), {x, partner(x)});
      case 5:
        return slice(x, shape);
      case 6:
        return concat(x, shape);
      case 7:
        return shape.size() == 4 ? convolve(x, shape) : multiply(x, shape);
      case 8:
        return reshape(x, shape);
      case 9:
        return normalizeByNeighbours(x, shape);
      case 10:
        return normalizeRows(x, shape);
      case 11:
        return reduce(x, shape);
      default:
        return shape.size() == 4 ? pool(x, shape) : node(Op::transpose, {x}, {1, 0}, {shape[1], shape[0]});
    }
  }

  void slice(OutletId x, std::vector<std::int64_t> shape) {
    const auto axis = number(0, 1) == 0 ? static_cast<std::int64_t>(shape.size()) - 1
                                        : number(0, static_cast<std::int64_t>(shape.size()) - 1);
    std::int64_t& size = shape[static_cast<std::size_t>(axis)];
    const std::int64_t start = number(0, size - 1);
    size = number(1, size - start);
    node(Op::slice, {x}, {axis, start, 1}, shape);
  }

  void concat(OutletId x, std::vector<std::int64_t> shape) {
    const auto axis =
        static_cast<std::size_t>(number(0, 1) == 0 ? static_cast<std::int64_t>(shape.size()) - 1
                                                   : number(0, static_cast<std::int64_t>(shape.size()) - 1));
    std::vector<OutletId> parts{x};
    for (OutletId other : values_) {
      auto of = shapeOf(other);
      if (of.size() != shape.size() || parts.size() > 3 || number(0, 2) == 0) continue;
      of[axis] = shape[axis];
      const auto first = shapeOf(x);
      if (of != first) continue;
      parts.push_back(other);
    }
    shape[axis] = 0;
    for (OutletId part : parts) shape[axis] += shapeOf(part)[axis];
    node(Op::concat, parts, {static_cast<std::int64_t>(axis)}, shape);
  }

  void convolve(OutletId x, const std::vector<std::int64_t>& shape) {
    const bool depthwise = number(0, 2) == 0;
    const std::int64_t k = number(1, 2), results = depthwise ? shape[3] : number(1, 6);
    if (shape[1] < k || shape[2] < k) return;
    const OutletId filter = constant({k, k, depthwise ? 1 : shape[3], results});
    node(Op::conv, {x, filter}, {1, 1, 0, k - 1, 0, k - 1, 1, 1, 1, 1, depthwise ? shape[3] : 1},
         {shape[0], shape[1], shape[2], results});
  }

  // As in softmax: the reduced value is reshaped and used in its rows.
  void pool(OutletId x, const std::vector<std::int64_t>& shape) {
    if (shape[1] < 2 || shape[2] < 2) return;
    node(pick<Op>({Op::maxPool, Op::avgPool}), {x}, {2, 2, 1, 1, 0, 0, 0, 0},
         {shape[0], shape[1] - 1, shape[2] - 1, shape[3]});
  }

  void multiply(OutletId x, const std::vector<std::int64_t>& shape) {
    if (shape.size() != 2) return;
    const std::int64_t n = number(1, 6);
    node(Op::matmul, {x, constant({shape[1], n})}, {}, {shape[0], n});
  }

  void reshape(OutletId x, const std::vector<std::int64_t>& shape) {
    if (shape.size() == 4) return node(Op::reshape, {x}, {}, {shape[0] * shape[1] * shape[2], shape[3]});
    node(Op::reshape, {x}, {}, {1, shape[0], 1, shape[1]});
  }

  // Divides by sums over a window along the last axis, as local response normalisation does; rarely as one operator.
  void normalizeByNeighbours(OutletId x, const std::vector<std::int64_t>& shape) {
    const auto axes = shape.size();
    const std::int64_t before = number(0, 3), after = number(0, 3), size = shape.back() + before + after;
    std::vector<std::int64_t> pads(2 * axes), padded = shape;
    pads[2 * axes - 2] = before, pads[2 * axes - 1] = after, padded.back() = size;
    node(Op::mul, {x, x});
    node(Op::pad, {values_.back()}, pads, padded);
    const OutletId squares = values_.back();
    OutletId sum = squares;
    for (std::int64_t i = 0; i <= before + after; ++i) {
      node(Op::slice, {squares}, {static_cast<std::int64_t>(axes) - 1, i, 1}, shape);
      if (i > 0) node(Op::add, {sum, values_.back()});
      sum = values_.back();
    }
    node(Op::rsqrt, {sum});
    node(Op::mul, {number(0, 3) == 0 ? any(shape) : x, values_.back()});
  }

  // Subtracts a reduction of the row, as softmax does.
  void normalizeRows(OutletId x, const std::vector<std::int64_t>& shape) {
    auto kept = shape;
    kept.back() = 1;
    const Op op = pick<Op>({Op::reduceMax, Op::reduceSum});
    const std::vector<std::int64_t> scalars(shape.begin(), shape.end() - 1);
    const OutletId reduced =
        b.add(op, {x, constant({})}, b.fact(Elem::f32, scalars), {static_cast<std::int64_t>(shape.size()) - 1});
    node(Op::reshape, {reduced}, {}, kept);
    node(Op::sub, {x, values_.back()}, {}, shape);
  }

  // Adds a reduction along any axis, pointwise operators on it, and a reshape to size 1 along the axis.
  void reduce(OutletId x, const std::vector<std::int64_t>& shape) {
    const auto axis = number(0, static_cast<std::int64_t>(shape.size()) - 1);
    auto kept = shape, reduced = shape;
    kept[static_cast<std::size_t>(axis)] = 1;
    reduced.erase(reduced.begin() + axis);
    const Op op = pick<Op>({Op::reduceMax, Op::reduceMin, Op::reduceSum, Op::reduceProd});
    OutletId y = b.add(op, {x, constant({})}, b.fact(Elem::f32, reduced), {axis});
    for (std::int64_t i = number(0, 2); i > 0; --i)
      y = b.add(pick<Op>({Op::mul, Op::add}), {y, constant(number(0, 1) == 0 ? std::vector<std::int64_t>{} : reduced)},
                b.fact(Elem::f32, reduced));
    node(Op::reshape, {y}, {}, kept);
  }

  // Returns some value of this shape.
  OutletId any(const std::vector<std::int64_t>& shape) {
    std::vector<OutletId> found;
    for (OutletId id : values_)
      if (shapeOf(id) == shape) found.push_back(id);
    return pick(found);
  }

  std::mt19937 random_;
  std::vector<OutletId> values_;
};

}  // namespace axle::test
