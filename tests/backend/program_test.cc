// Fused programs compute bit for bit what plain ones compute, one call for each node, on random graphs.
#include "backend/program.h"

#include <gtest/gtest.h>

#include <random>

#include "backend/bundle.h"
#include "ir/passes/patch.h"
#include "runtime/session.h"
#include "tests/ir/build_graph.h"

namespace axle {
namespace {

using ir::Op;
using ir::OutletId;

std::int64_t sizeOf(const DimStore& dims, Dim d) { return dims.asConstant(d).value(); }

// A random graph over images [n, h, w, c] and rows [m, k] of f32, with operators that are fused, or are views.
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

  test::Builder b;

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

  // The node with the facts that its row infers; `shape` where only the node says it.
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

  // Of the same shape as a value, or one that stretches to it.
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
    switch (number(0, 10)) {
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
        return rows(x, shape);
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

  // As in softmax: what is reduced goes back into its rows, reshaped.
  void rows(OutletId x, std::vector<std::int64_t> shape) {
    std::vector<std::int64_t> reduced(shape.begin(), shape.end() - 1), kept = shape;
    kept.back() = 1;
    node(pick<Op>({Op::reduceMax, Op::reduceSum}), {x, constant({})}, {static_cast<std::int64_t>(reduced.size())},
         reduced);
    const OutletId sums = values_.back();
    node(Op::reshape, {sums}, {}, kept);
    const OutletId scalars = values_.back();
    values_.resize(values_.size() - 2);  // of ranks that other steps do not take
    if (number(0, 2) == 0) b.output(sums);
    node(pick<Op>({Op::sub, Op::mul, Op::add}), {x, scalars});
  }

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

  std::mt19937 random_;
  std::vector<OutletId> values_;
};

struct Ran {
  std::string error;
  std::vector<std::vector<std::byte>> outputs;
  runtime::SessionInfo info;
};

Ran run(const test::Builder& b, bool fuses) {
  Ran ran;
  Diagnostics diagnostics;
  SourceMap sources;
  Interface interface;
  interface.inputTypes.assign(b.model.inputNames.size(), "");
  interface.outputTypes.assign(b.model.outputNames.size(), "");
  const Variant variant{&b.model, interface, fuses};
  auto bundle = makeBundle({&variant, 1}, interface, sources, {}, diagnostics);
  if (!bundle) return {"no bundle", {}, {}};
  const TensorBytes bytes = bundle->inMemory();
  auto session = runtime::Session::fromMemory(bytes.bytes, bytes.owner);
  if (!session) return {session.error().text(), {}, {}};
  std::vector<runtime::Tensor> tensors;
  std::vector<runtime::NamedTensor> inputs;
  for (const runtime::PortInfo& port : session->inputs()) {
    runtime::Shape shape;
    for (const auto& size : *port.sizes) shape.push(*size);
    tensors.push_back(runtime::Tensor::make(Elem::f32, shape).value());
    float* data = tensors.back().view().as<float>();
    for (std::int64_t i = 0; i < shape.elements(); ++i) data[i] = static_cast<float>((i * 37 + 11) % 19 - 9) / 4;
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) inputs.push_back({session->inputs()[i].name, tensors[i].view()});
  if (auto bound = session->bind(inputs); !bound) return {bound.error().text(), {}, {}};
  for (int round = 0; round < 2; ++round)  // the second finds the arena full of the first's values
    if (auto done = session->run(); !done) return {done.error().text(), {}, {}};
  for (std::size_t i = 0; i < session->outputs().size(); ++i) {
    const runtime::TensorView view = session->output(i);
    const auto* data = static_cast<const std::byte*>(view.data);
    ran.outputs.emplace_back(data, data + view.bytes());
  }
  ran.info = session->info();
  return ran;
}

std::uint64_t callsOf(const Ran& ran) {
  std::uint64_t calls = 0;
  for (const runtime::OperatorCount& count : ran.info.calls) calls += count.count;
  return calls;
}

TEST(Program, FusedComputesWhatPlainComputes) {
  std::uint64_t plainCalls = 0, fusedCalls = 0, plainBytes = 0, fusedBytes = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    const RandomGraph graph(seed);
    ASSERT_EQ(ir::verify(graph.b.model), std::nullopt) << seed;
    const Ran plain = run(graph.b, false), fused = run(graph.b, true);
    ASSERT_EQ(plain.error, "") << seed;
    ASSERT_EQ(fused.error, "") << seed;
    ASSERT_EQ(plain.outputs, fused.outputs) << seed;
    plainCalls += callsOf(plain), fusedCalls += callsOf(fused);
    plainBytes += *plain.info.arenaBytes, fusedBytes += *fused.info.arenaBytes;
  }
  EXPECT_LT(fusedCalls * 10, plainCalls * 8);
  EXPECT_LT(fusedBytes, plainBytes);
}

// x - max(x) - sum(x - max(x)), the reductions reshaped to a column; `asked` makes the maximum an output.
void addCentredRows(test::Builder& b, bool asked) {
  const OutletId x = b.input(b.fact(Elem::f32, {4, 6})), start = b.constant<float>(Elem::f32, {}, {0});
  const auto column = [&](Op op, OutletId of) {
    const OutletId reduced = b.add(op, {of, start}, b.fact(Elem::f32, {4}), {1});
    if (asked && op == Op::reduceMax) b.output(reduced);
    return b.add(Op::reshape, {reduced}, b.fact(Elem::f32, {4, 1}));
  };
  const OutletId centred = b.add(Op::sub, {x, column(Op::reduceMax, x)}, b.fact(Elem::f32, {4, 6}));
  b.output(b.add(Op::sub, {centred, column(Op::reduceSum, centred)}, b.fact(Elem::f32, {4, 6})));
}

TEST(Program, RowsWithReshapedReductionsAreOneCall) {
  test::Builder b;
  addCentredRows(b, false);
  const auto program = fusedProgram(b.model);
  ASSERT_TRUE(program);
  ASSERT_EQ(program->graphs[0].size(), 1u);
  EXPECT_TRUE(program->graphs[0][0].isRows);
}

TEST(Program, AReductionThatIsAnOutputKeepsItsCall) {
  test::Builder b;
  addCentredRows(b, true);
  const Ran plain = run(b, false), fused = run(b, true);
  ASSERT_EQ(plain.error, "");
  ASSERT_EQ(fused.error, "");
  EXPECT_EQ(plain.outputs, fused.outputs);
}

}  // namespace
}  // namespace axle
