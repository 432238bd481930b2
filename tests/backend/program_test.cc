// Fused programs compute what plain ones compute, one call for each node, on random graphs.
#include "backend/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "backend/bundle.h"
#include "ir/passes/patch.h"
#include "runtime/bundle_format.h"
#include "runtime/ops.h"
#include "runtime/plan.h"
#include "runtime/session.h"
#include "runtime/vector/instruction_set.h"
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

  // As in softmax: what is reduced goes back into its rows, reshaped.
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

  // Divides by what a window along the last axis sums, as local response normalisation does; rarely as a whole.
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

  // A reduction along any axis, then pointwise operators, and the shape with size 1 along the axis.
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

  // Some value of this shape.
  OutletId any(const std::vector<std::int64_t>& shape) {
    std::vector<OutletId> found;
    for (OutletId id : values_)
      if (shapeOf(id) == shape) found.push_back(id);
    return pick(found);
  }

  std::mt19937 random_;
  std::vector<OutletId> values_;
};

struct Ran {
  std::string error;
  std::vector<std::vector<std::byte>> outputs;
  runtime::SessionInfo info;
};

std::optional<TensorBytes> bundleOf(const test::Builder& b, bool fuses) {
  Diagnostics diagnostics;
  SourceMap sources;
  Interface interface;
  interface.inputTypes.assign(b.model.inputNames.size(), "");
  interface.outputTypes.assign(b.model.outputNames.size(), "");
  const Variant variant{&b.model, interface, fuses};
  const auto bundle = makeBundle({&variant, 1}, interface, sources, {}, diagnostics);
  return bundle ? std::optional(bundle->inMemory()) : std::nullopt;
}

Ran run(const test::Builder& b, bool fuses, std::int64_t threads = 1) {
  Ran ran;
  const auto bundle = bundleOf(b, fuses);
  if (!bundle) return {"no bundle", {}, {}};
  const TensorBytes& bytes = *bundle;
  auto session = runtime::Session::fromMemory(bytes.bytes, bytes.owner);
  if (!session) return {session.error().text(), {}, {}};
  if (auto set = session->setThreads({threads, threads, 0, 0}); !set) return {set.error().text(), {}, {}};
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

// Local response normalisation of a pool's results: one call, in their memory.
TEST(Program, NormalizingByNeighboursIsOneCallInPlace) {
  test::Builder b;
  const ir::Fact image = b.fact(Elem::f32, {1, 4, 4, 16}), padded = b.fact(Elem::f32, {1, 4, 4, 20});
  const auto scalar = [&](float value) { return b.constant<float>(Elem::f32, {}, {value}); };
  const OutletId x = b.add(Op::maxPool, {b.input(b.fact(Elem::f32, {1, 5, 5, 16}))}, image, {2, 2, 1, 1, 0, 0, 0, 0});
  const OutletId squares = b.add(Op::pad, {b.add(Op::mul, {x, x}, image)}, padded, {0, 0, 0, 0, 0, 0, 2, 2});
  OutletId sum = b.add(Op::slice, {squares}, image, {3, 0, 1});
  for (std::int64_t i = 1; i < 5; ++i)
    sum = b.add(Op::add, {sum, b.add(Op::slice, {squares}, image, {3, i, 1})}, image);
  const OutletId base = b.add(Op::add, {b.add(Op::mul, {sum, scalar(0.5F)}, image), scalar(1)}, image);
  b.output(b.add(Op::mul, {x, b.add(Op::pow, {base, scalar(-0.75F)}, image)}, image));
  const Ran plain = run(b, false), fused = run(b, true);
  ASSERT_EQ(plain.error, "");
  ASSERT_EQ(fused.error, "");
  EXPECT_EQ(plain.outputs, fused.outputs);
  EXPECT_EQ(callsOf(fused), 2u);                // MAX_POOL, ROWS
  const std::uint64_t rowMemory = 16 * 16 * 8;  // at most, of the calls' own
  EXPECT_LE(*fused.info.arenaBytes, 4 * 4 * 16 * sizeof(float) + rowMemory);
}

// With the plain kernels, fusing changes no bit.
TEST(Program, FusedComputesWhatPlainComputes) {
  runtime::useInstructionSet("plain");
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
  runtime::useInstructionSet(runtime::instructionSets().back().name);
}

TEST(Program, ThreadsChangeNoBit) {
  for (const runtime::InstructionSetName& set : runtime::instructionSets()) {
    runtime::useInstructionSet(set.name);
    for (unsigned seed = 0; seed < 300; ++seed) {
      const RandomGraph graph(seed);
      const Ran one = run(graph.b, true);
      ASSERT_EQ(one.error, "") << seed;
      for (const std::int64_t threads : {2, 3, 7}) {
        const Ran many = run(graph.b, true, threads);
        ASSERT_EQ(many.error, "") << seed;
        ASSERT_EQ(one.outputs, many.outputs) << seed << " " << set.name << ", " << threads << " threads";
      }
    }
  }
}

// The largest difference of two results of f32, for each unit that the larger of them has, or 1.
float largestDifference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  if (a.size() != b.size()) return INFINITY;
  std::vector<float> x(a.size() / sizeof(float)), y(x.size());
  std::memcpy(x.data(), a.data(), a.size());
  std::memcpy(y.data(), b.data(), b.size());
  float most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    const float difference = std::abs(x[i] - y[i]) / std::max(1.0f, std::max(std::abs(x[i]), std::abs(y[i])));
    most = std::isnan(difference) ? INFINITY : std::max(most, difference);
  }
  return most;
}

TEST(Program, InstructionSetsComputeWhatPlainKernelsCompute) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const RandomGraph graph(seed);
    runtime::useInstructionSet("plain");
    const Ran plain = run(graph.b, true);
    for (const runtime::InstructionSetName& set : runtime::instructionSets()) {
      runtime::useInstructionSet(set.name);
      const Ran ran = run(graph.b, true);
      ASSERT_EQ(ran.error, "") << seed;
      for (std::size_t i = 0; i < ran.outputs.size(); ++i)
        ASSERT_LE(largestDifference(plain.outputs[i], ran.outputs[i]), 1e-4f) << seed << " " << set.name;
    }
  }
}

// Products so deep, of so many rows, that their sums are added up in pieces: each part of the epilogue once.
TEST(Program, DeepProductsHaveTheirEpilogueOnce) {
  constexpr std::int64_t rows = 41, depth = 400, columns = 70;
  std::vector<float> weights, biases, scales;
  for (std::int64_t i = 0; i < depth * columns; ++i) weights.push_back(static_cast<float>(i * 7 % 23 - 11) / 32);
  for (std::int64_t i = 0; i < columns; ++i) {
    biases.push_back(static_cast<float>(i % 5) - 2);
    scales.push_back(static_cast<float>(i % 3) + 0.5f);
  }
  test::Builder b;
  const OutletId right = b.constant<float>(Elem::f32, {depth, columns}, weights);
  const OutletId bias = b.constant<float>(Elem::f32, {columns}, biases);
  const OutletId scale = b.constant<float>(Elem::f32, {columns}, scales);
  const ir::Fact sums = b.fact(Elem::f32, {rows, columns});
  const OutletId left = b.input(b.fact(Elem::f32, {rows, depth})), other = b.input(sums);
  const auto product = [&] { return b.add(Op::matmul, {left, right}, sums, {}); };
  const auto plus = [&](OutletId x, OutletId y) { return b.add(Op::add, {x, y}, sums); };
  b.output(product());
  b.output(b.add(Op::relu, {plus(plus(product(), bias), other)}, sums));
  b.output(b.add(Op::relu, {plus(b.add(Op::mul, {product(), scale}, sums), bias)}, sums));
  b.output(b.add(Op::tanh, {plus(product(), bias)}, sums));  // no epilogue in registers
  runtime::useInstructionSet("plain");
  const Ran plain = run(b, false);
  ASSERT_EQ(plain.error, "");
  for (const runtime::InstructionSetName& set : runtime::instructionSets()) {
    runtime::useInstructionSet(set.name);
    const Ran ran = run(b, true);
    ASSERT_EQ(ran.error, "");
    for (std::size_t i = 0; i < ran.outputs.size(); ++i)
      EXPECT_LE(largestDifference(plain.outputs[i], ran.outputs[i]), 1e-4f) << i << " " << set.name;
  }
}

// A filter of 3 x 3 that four convolutions take: by transformed tiles, or with a stride or for a small image by others.
TEST(Program, LargeImagesAreConvolvedByWinogradsAlgorithm) {
  constexpr std::int64_t channels = 17, columns = 33;
  std::vector<float> weights, biases;
  for (std::int64_t i = 0; i < 9 * channels * columns; ++i) weights.push_back(static_cast<float>(i * 7 % 23 - 11) / 32);
  for (std::int64_t i = 0; i < columns; ++i) biases.push_back(static_cast<float>(i % 5) - 2);
  test::Builder b;
  const OutletId filter = b.constant<float>(Elem::f32, {3, 3, channels, columns}, weights);
  const OutletId bias = b.constant<float>(Elem::f32, {columns}, biases);
  const OutletId image = b.input(b.fact(Elem::f32, {2, 12, 13, channels}));
  const OutletId small = b.input(b.fact(Elem::f32, {1, 7, 7, channels}));
  const auto conv = [&](OutletId x, const ir::Fact& result, std::int64_t stride) {
    return b.add(Op::conv, {x, filter}, result, {stride, stride, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  };
  const ir::Fact large = b.fact(Elem::f32, {2, 12, 13, columns});
  b.output(b.add(Op::relu, {b.add(Op::add, {conv(image, large, 1), bias}, large)}, large));
  b.output(b.add(Op::tanh, {conv(image, large, 1)}, large));  // no epilogue in registers
  b.output(conv(image, b.fact(Elem::f32, {2, 6, 7, columns}), 2));
  b.output(conv(small, b.fact(Elem::f32, {1, 7, 7, columns}), 1));
  std::map<std::uint32_t, int> primitives;
  const std::optional<Program> program = fusedProgram(b.model);
  ASSERT_TRUE(program);
  for (const Call& call : program->graphs[0]) ++primitives[call.primitive];
  EXPECT_EQ(primitives[op::convWinograd], 2);
  EXPECT_EQ(primitives[op::convPanels], 2);
  runtime::useInstructionSet("plain");
  const Ran plain = run(b, false);
  ASSERT_EQ(plain.error, "");
  for (const runtime::InstructionSetName& set : runtime::instructionSets()) {
    runtime::useInstructionSet(set.name);
    const Ran ran = run(b, true);
    ASSERT_EQ(ran.error, "");
    for (std::size_t i = 0; i < ran.outputs.size(); ++i)
      EXPECT_LE(largestDifference(plain.outputs[i], ran.outputs[i]), 1e-4f) << i << " " << set.name;
  }
}

TEST(Program, AViewOfAnInputNeedsNoMemory) {
  test::Builder b;
  const ir::Fact row = b.fact(Elem::f32, {64});
  b.output(b.add(Op::relu, {b.add(Op::reshape, {b.input(b.fact(Elem::f32, {4, 16}))}, row)}, row));
  const Ran ran = run(b, true);
  EXPECT_EQ(ran.error, "");
  EXPECT_EQ(ran.info.arenaBytes, 64 * sizeof(float));
}

// A reduction and what is computed of its result are one call.
TEST(Program, AReductionHasAnEpilogue) {
  test::Builder b;
  const ir::Fact means = b.fact(Elem::f32, {2, 5});
  const OutletId x = b.input(b.fact(Elem::f32, {2, 12, 5})), zero = b.constant<float>(Elem::f32, {}, {0});
  const OutletId sum = b.add(Op::reduceSum, {x, zero}, means, {1});
  b.output(b.add(Op::relu, {b.add(Op::div, {sum, b.constant<float>(Elem::f32, {}, {12})}, means)}, means));
  const Ran plain = run(b, false), fused = run(b, true);
  ASSERT_EQ(fused.error, "");
  EXPECT_EQ(plain.outputs, fused.outputs);
  EXPECT_EQ(callsOf(fused), 1u);
}

// The arena's bytes of a program without symbols.
std::uint64_t arenaBytes(const runtime::manifest::Manifest& manifest, std::span<const std::byte> weights) {
  std::vector<runtime::TensorView> inputs;
  std::vector<DimValue> dims(manifest.dims.size());
  evaluateDims(manifest.dims, {}, dims);
  for (std::uint32_t value : manifest.graph.inputs) {
    inputs.push_back({static_cast<Elem>(manifest.graph.values[value].elem), {}, nullptr, 0});
    for (std::uint32_t dim : manifest.graph.values[value].shape) inputs.back().shape.push(dims[dim].value);
  }
  runtime::RunSizes sizes(manifest, runtime::bindSizes(manifest, inputs).value());
  return runtime::bindGraph({manifest, sizes, weights}, manifest.graph).value().arenaBytes;
}

TEST(Program, OffsetsOfTheBundleNeedNoMoreMemoryThanAPlanAtBind) {
  std::size_t planned = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const RandomGraph graph(seed);
    const auto bundle = bundleOf(graph.b, true);
    ASSERT_TRUE(bundle);
    const auto sections = runtime::readBundleFrame(bundle->bytes, true);
    ASSERT_TRUE(sections);
    auto manifest = runtime::manifest::readManifest(sections->manifest, {});
    ASSERT_TRUE(manifest);
    EXPECT_EQ(manifest->graph.offsets.size(), manifest->graph.values.size()) << seed;
    const std::uint64_t given = arenaBytes(*manifest, sections->weights);
    planned +=
        std::count_if(manifest->graph.offsets.begin(), manifest->graph.offsets.end(), [](auto o) { return o > 0; });
    manifest->graph.offsets.clear();
    EXPECT_LE(given, arenaBytes(*manifest, sections->weights)) << seed;
  }
  EXPECT_GT(planned, 300u);
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
