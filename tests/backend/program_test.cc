// Checks on random graphs that fused programs compute the same as plain ones, which have one call for each node.
#include "backend/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "backend/bundle.h"
#include "io/half.h"
#include "ir/passes/patch.h"
#include "runtime/bundle_format.h"
#include "runtime/ops.h"
#include "runtime/plan.h"
#include "runtime/session.h"
#include "runtime/vector/instruction_set.h"
#include "tests/backend/random_graph.h"

namespace axle {
namespace {

using ir::Op;
using ir::OutletId;

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
  for (int round = 0; round < 2; ++round)  // the second round finds values of the first in the arena
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

// Local response normalisation of a pool's results is one call, in the memory of these results.
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
  const std::uint64_t rowMemory = 16 * 16 * 8;  // at most, for the calls themselves
  EXPECT_LE(*fused.info.arenaBytes, 4 * 4 * 16 * sizeof(float) + rowMemory);
}

// With the plain kernels, fusing changes no bit.
TEST(Program, FusedComputesWhatPlainComputes) {
  runtime::useInstructionSet("plain");
  std::uint64_t plainCalls = 0, fusedCalls = 0, plainBytes = 0, fusedBytes = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    const test::RandomGraph graph(seed);
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
      const test::RandomGraph graph(seed);
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

// Returns the largest difference of two results of f32, divided by the larger magnitude of the two or 1.
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
    const test::RandomGraph graph(seed);
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

// How many calls of the program have each primitive.
std::map<std::uint32_t, int> primitivesOf(ir::Model& model) {
  std::map<std::uint32_t, int> primitives;
  const std::optional<Program> program = fusedProgram(model);
  EXPECT_TRUE(program);
  for (const Call& call : program ? program->graphs[0] : std::vector<Call>()) ++primitives[call.primitive];
  return primitives;
}

// In each instruction set the fused program computes what the plain one does.
void expectPlainResults(test::Builder& b) {
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

// Sums of products with enough depth and rows are added up in pieces; each part of the epilogue is applied once.
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
  b.output(b.add(Op::tanh, {plus(product(), bias)}, sums));  // not an epilogue for registers
  expectPlainResults(b);
}

// Convolutions use one filter of 3 x 3. The larger the image, the larger the tiles of Winograd's algorithm; those with
// a stride or a small image run without.
TEST(Program, ImagesAreConvolvedInTheFastestTiles) {
  constexpr std::int64_t channels = 64, columns = 64;
  std::vector<float> weights, biases;
  for (std::int64_t i = 0; i < 9 * channels * columns; ++i)
    weights.push_back(static_cast<float>(i * 7 % 23 - 11) / 128);
  for (std::int64_t i = 0; i < columns; ++i) biases.push_back(static_cast<float>(i % 5) - 2);
  test::Builder b;
  const OutletId filter = b.constant<float>(Elem::f32, {3, 3, channels, columns}, weights);
  const OutletId bias = b.constant<float>(Elem::f32, {columns}, biases);
  const OutletId image = b.input(b.fact(Elem::f32, {2, 12, 13, channels}));
  const auto conv = [&](OutletId x, const ir::Fact& result, std::int64_t stride) {
    return b.add(Op::conv, {x, filter}, result, {stride, stride, 1, 1, 1, 1, 1, 1, 1, 1, 1});
  };
  const ir::Fact large = b.fact(Elem::f32, {2, 12, 13, columns});
  b.output(b.add(Op::relu, {b.add(Op::add, {conv(image, large, 1), bias}, large)}, large));
  b.output(b.add(Op::tanh, {conv(image, large, 1)}, large));  // not an epilogue for registers
  b.output(conv(image, b.fact(Elem::f32, {2, 6, 7, columns}), 2));
  for (const std::int64_t size : {7, 10, 30})
    b.output(
        conv(b.input(b.fact(Elem::f32, {1, size, size, channels})), b.fact(Elem::f32, {1, size, size, columns}), 1));
  std::map<std::uint32_t, int> primitives = primitivesOf(b.model);
  EXPECT_EQ(primitives[op::convWinogradF2], 1);
  EXPECT_EQ(primitives[op::convWinogradF4], 2);
  EXPECT_EQ(primitives[op::convWinogradF6], 1);
  EXPECT_EQ(primitives[op::convPanels], 2);
  expectPlainResults(b);
}

// Groups of few channels share vectors if all channels fill vectors; the other groups have panels.
TEST(Program, ConvolutionsInGroupsHaveTheirKernels) {
  test::Builder b;
  const auto output = [&](std::int64_t channels, std::int64_t groups, std::int64_t results) {
    std::vector<float> weights;
    for (std::int64_t i = 0; i < 9 * channels / groups * results; ++i)
      weights.push_back(static_cast<float>(i * 7 % 23 - 11) / 32);
    const OutletId image = b.input(b.fact(Elem::f32, {1, 6, 7, channels}));
    const ir::Fact result = b.fact(Elem::f32, {1, 6, 7, results});
    const OutletId conv =
        b.add(Op::conv, {image, b.constant<float>(Elem::f32, {3, 3, channels / groups, results}, weights)}, result,
              {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, groups});
    b.output(b.add(Op::relu, {conv}, result));
    b.output(b.add(Op::tanh, {conv}, result));  // not an epilogue for registers
  };
  output(32, 8, 32), output(32, 16, 32), output(32, 4, 32), output(16, 16, 32), output(144, 36, 144);
  output(24, 6, 24), output(48, 16, 48), output(32, 8, 64);
  std::map<std::uint32_t, int> primitives = primitivesOf(b.model);
  EXPECT_EQ(primitives[op::convGroups], 5);
  EXPECT_EQ(primitives[op::convPanels], 3);
  expectPlainResults(b);
}

// Filters of f16 and bf16 stay in their type, in panels where the kernel reads panels.
TEST(Program, ConvolutionsOfHalvesHaveTheirKernels) {
  constexpr std::int64_t channels = 32, columns = 48;
  for (const auto& [elem, half] : {std::pair{Elem::f16, &f16FromF32}, {Elem::bf16, &bf16FromF32}}) {
    test::Builder b;
    const auto weights = [&](const std::vector<std::int64_t>& shape) {
      std::int64_t count = 1;
      for (const std::int64_t size : shape) count *= size;
      std::vector<std::uint16_t> bits;
      for (std::int64_t i = 0; i < count; ++i) bits.push_back(half(static_cast<float>(i * 7 % 23 - 11) / 32));
      return b.constant<std::uint16_t>(elem, shape, bits);
    };
    const std::vector<std::int64_t> sizes{1, 16, 17, channels};
    const OutletId image = b.add(Op::cast, {b.input(b.fact(Elem::f32, sizes))}, b.fact(elem, sizes));
    const auto output = [&](OutletId filter, std::int64_t results, std::int64_t stride, std::int64_t groups) {
      const std::vector<std::int64_t> shape{1, 16 / stride, (16 + stride) / stride, results};
      const OutletId conv =
          b.add(Op::conv, {image, filter}, b.fact(elem, shape), {stride, stride, 1, 1, 1, 1, 1, 1, 1, 1, groups});
      b.output(b.add(Op::cast, {conv}, b.fact(Elem::f32, shape)));
    };
    output(weights({3, 3, channels, columns}), columns, 1, 1);
    output(weights({3, 3, channels, columns}), columns, 2, 1);
    output(weights({3, 3, channels / 2, 2 * columns}), 2 * columns, 2, 2);
    output(weights({3, 3, 1, channels}), channels, 1, channels);
    std::map<std::uint32_t, int> primitives;
    const std::optional<Program> program = fusedProgram(b.model);
    ASSERT_TRUE(program);
    for (const Call& call : program->graphs[0]) ++primitives[call.primitive];
    EXPECT_EQ(primitives[op::convWinogradHalfF4], 1);
    EXPECT_EQ(primitives[op::convPanelsHalf], 2);
    EXPECT_EQ(primitives[op::convDepthwiseHalf], 1);
    const Ran plain = run(b, false), ran = run(b, true);
    ASSERT_EQ(plain.error + ran.error, "");
    for (std::size_t i = 0; i < ran.outputs.size(); ++i)
      EXPECT_LE(largestDifference(plain.outputs[i], ran.outputs[i]), elem == Elem::f16 ? 2e-3f : 1.6e-2f) << i;
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

// A reduction and the operators on its result are one call.
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

// Returns the size of the arena of a program without symbols.
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
    const test::RandomGraph graph(seed);
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
