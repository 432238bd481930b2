// Times the vector kernels of the instruction set in use with Google Benchmark, and prints each kernel's share of the
// core's peak, measured before and after it. Kernels of sums of products are compared with multiply-adds in registers;
// the others, by the bytes that they read and write, with copies within the first level of cache.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/kernels/peak.h"
#include "runtime/kernels/copy_blocks.h"
#include "runtime/kernels/kernels.h"
#include "runtime/vector/depthwise.h"
#include "runtime/vector/groups.h"
#include "runtime/vector/half.h"
#include "runtime/vector/instruction_set.h"
#include "runtime/vector/pointwise.h"
#include "runtime/vector/product.h"
#include "runtime/vector/reduction.h"
#include "runtime/vector/resize.h"
#include "runtime/vector/winograd.h"

namespace axle::bench {
namespace {

using namespace axle::runtime;

// Returns elements between `least` and `least` + 2.
std::vector<float> elements(std::int64_t count, float least = -1) {
  std::vector<float> made(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = least + static_cast<float>(i % 61) / 32;
  return made;
}

// Runs the kernel. `work`: the operations or bytes of one call, whose highest rate a second `peak` measures.
template <class Kernel>
void measure(benchmark::State& state, double work, double (*peak)(), const char* unit, Kernel kernel) {
  double most = peak();
  const double begin = seconds();
  for (auto _ : state) {
    kernel();
    benchmark::ClobberMemory();
  }
  const double rate = work * static_cast<double>(state.iterations()) / (seconds() - begin);
  most = std::max(most, peak());
  state.counters[unit] = rate;
  state.counters["share"] = rate / most;
}

void product(benchmark::State& state, const ProductShape& shape, std::int64_t rows) {
  constexpr std::int64_t depth = 256;
  const std::vector<float> left = elements(rows * depth), right = elements(shape.panels * depth * panelWidth);
  std::vector<float> out(static_cast<std::size_t>(rows * shape.panels * panelWidth));
  std::vector<const float*> table;
  for (std::int64_t i = 0; i < rows; ++i) table.push_back(left.data() + i * depth);
  ProductBlock block;
  block.rows = table.data();
  block.taps = 1, block.depth = depth;
  block.right = block.fetched = right.data(), block.panelPitch = depth * panelWidth;
  block.out = out.data(), block.outPitch = block.columns = shape.panels * panelWidth;
  measure(state, 2.0 * static_cast<double>(rows * depth * block.columns), peakFlops, "FLOP_per_s",
          [&] { shape.kernels[rows - 1](block); });
}

// Times a depthwise kernel. `stride`: 0 for a window of any form.
void depthwiseBlock(benchmark::State& state, DepthwiseKernel kernel, std::int64_t pixels, std::int64_t stride) {
  constexpr std::int64_t channels = 64, taps = 9;
  const std::int64_t columns = stride == 0 ? pixels * taps : 3 * ((pixels - 1) * stride + 3);
  const std::vector<float> image = elements(columns * channels), filter = elements(taps * channels);
  std::vector<float> out(static_cast<std::size_t>(pixels * channels));
  std::vector<const float*> table;
  for (std::int64_t i = 0; i < columns; ++i) table.push_back(image.data() + i * channels);
  DepthwiseBlock block;
  block.rows = table.data();
  block.filter = filter.data();
  block.taps = taps, block.channels = block.filterPitch = channels;
  block.out = out.data(), block.outPitch = channels;
  measure(state, 2.0 * static_cast<double>(pixels * channels * taps), peakFlops, "FLOP_per_s", [&] { kernel(block); });
}

// Times a kernel of groups of channels.
void groupsBlock(benchmark::State& state, DepthwiseKernel kernel, std::int64_t pixels, GroupForm form) {
  constexpr std::int64_t channels = 64, taps = 9;
  const std::int64_t results = channels * form.multiplier;
  const std::vector<float> image = elements(pixels * taps * channels), filter = elements(taps * form.depth * results);
  std::vector<float> out(static_cast<std::size_t>(pixels * results));
  std::vector<const float*> table;
  for (std::int64_t i = 0; i < pixels * taps; ++i) table.push_back(image.data() + i * channels);
  DepthwiseBlock block;
  block.rows = table.data();
  block.filter = filter.data();
  block.taps = taps, block.channels = channels, block.filterPitch = results;
  block.out = out.data(), block.outPitch = results;
  measure(state, 2.0 * static_cast<double>(pixels * results * taps * form.depth), peakFlops, "FLOP_per_s",
          [&] { kernel(block); });
}

constexpr std::int64_t rowLength = 1024;

void row(benchmark::State& state, RowKernel kernel, int operands) {
  const std::vector<float> a = elements(rowLength, 0.1f), b = elements(rowLength, 0.2f);
  std::vector<float> out(static_cast<std::size_t>(rowLength));
  const Row of{{a.data(), b.data(), nullptr}, {true, true, false}, out.data(), rowLength};
  measure(state, static_cast<double>((operands + 1) * rowLength) * sizeof(float), peakCopies, "B_per_s",
          [&] { kernel(of); });
}

// The same of f16 or bf16, through the kernel of f32.
void halfRow(benchmark::State& state, ChooseRow* choose, int operands, Elem elem) {
  const std::vector<std::uint16_t> a(rowLength), b(rowLength);
  std::vector<std::uint16_t> out(rowLength);
  const Elem elems[] = {elem, elem};
  const RowChoice choice = choose(elems, elem);
  const Row of{{a.data(), b.data(), nullptr}, {true, true, false}, out.data(), rowLength};
  measure(state, static_cast<double>((operands + 1) * rowLength) * sizeof(std::uint16_t), peakCopies, "B_per_s",
          [&] { choice.conversions.run(choice.conversions, choice.kernel, of); });
}

void combinedRows(benchmark::State& state, CombineRows kernel) {
  constexpr std::int64_t count = 8, columns = 256;
  const std::vector<float> x = elements(count * columns);
  std::vector<const float*> rows;
  for (std::int64_t i = 0; i < count; ++i) rows.push_back(x.data() + i * columns);
  std::vector<float> out(static_cast<std::size_t>(columns));
  measure(state, (count + 1) * columns * sizeof(float), peakCopies, "B_per_s",
          [&] { kernel(rows.data(), count, columns, out.data()); });
}

void combinedRow(benchmark::State& state, CombineRow kernel) {
  const std::vector<float> x = elements(rowLength);
  measure(state, rowLength * sizeof(float), peakCopies, "B_per_s",
          [&] { benchmark::DoNotOptimize(kernel(x.data(), rowLength, 0)); });
}

constexpr std::int64_t halfRows = 8, halfColumns = 128;

void widening(benchmark::State& state, WidenRows kernel) {
  const std::vector<std::uint16_t> from(halfRows * halfColumns);
  std::vector<float> to(from.size());
  measure(state, static_cast<double>(from.size()) * 6, peakCopies, "B_per_s",
          [&] { kernel({from.data(), halfColumns, halfRows, halfColumns, to.data(), halfColumns}); });
}

// `links`: 0, or 2 for a bias and a limit.
void storedHalves(benchmark::State& state, StoreHalves kernel, std::int64_t links) {
  const std::vector<float> sums = elements(halfRows * halfColumns);
  const std::vector<std::uint16_t> bias(halfColumns);
  std::vector<std::uint16_t> out(sums.size());
  const HalfLink all[] = {{HalfLink::Op::add, false, bias.data()}, {}};
  measure(state, static_cast<double>(sums.size()) * 6, peakCopies, "B_per_s",
          [&] { kernel({sums.data(), halfColumns, halfRows, halfColumns, out.data(), halfColumns, all, links}); });
}

// A line of an image of twice the size, by bilinear mixing.
void mixedLine(benchmark::State& state, std::int64_t channels) {
  constexpr std::int64_t columns = 56;
  const std::vector<float> image = elements(2 * columns * channels);
  std::vector<float> out(static_cast<std::size_t>(2 * columns * channels));
  std::vector<Mix<float>> mixes;
  for (std::int64_t j = 0; j < 2 * columns; ++j)
    mixes.push_back({2, {j / 2, std::min(j / 2 + 1, columns - 1)}, {0.25f, 0.75f}});
  MixedLine line{{image.data(), image.data() + columns * channels}, {2, {}, {0.25f, 0.75f}}};
  line.columns = mixes.data(), line.count = 2 * columns, line.channels = channels, line.out = out.data();
  measure(state, 2.0 * 4 * static_cast<double>(out.size()), peakFlops, "FLOP_per_s",
          [&] { AXLE_KERNELS_IN_USE(mixLine)(line); });
}

void copiedBlocks(benchmark::State& state, std::int64_t bytes) {
  constexpr std::int64_t count = 256;
  const auto size = static_cast<std::size_t>(bytes);
  const std::vector<std::byte> from(static_cast<std::size_t>(count) * size);
  std::vector<std::byte> to(from.size());
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < count; ++i) places.push_back(i * 97 % count);
  measure(state, 2.0 * static_cast<double>(to.size()), peakCopies, "B_per_s",
          [&] { copyBlocks(to.data(), from.data(), places.data(), count, size); });
}

void winogradTransform(benchmark::State& state, const WinogradKernels& kernels, std::int64_t tile, bool isInput) {
  constexpr std::int64_t channels = 64;
  const std::int64_t transformed = winogradElements(tile), results = isInput ? transformed : tile * tile;
  const std::vector<float> from = elements(transformed * channels);
  std::vector<float> to(static_cast<std::size_t>(transformed * channels));
  std::vector<const float*> pixels;
  for (std::int64_t i = 0; i < transformed; ++i) pixels.push_back(from.data() + i * channels);
  const WinogradInput in{pixels.data(), 0, channels, to.data(), channels};
  WinogradOutput out;
  out.from = from.data(), out.pitch = out.channels = channels;
  out.rows = out.columns = tile;
  out.out = to.data(), out.outPitch = channels, out.outRowPitch = tile * channels;
  measure(state, static_cast<double>((transformed + results) * channels) * sizeof(float), peakCopies, "B_per_s",
          [&] { isInput ? kernels.input(in) : kernels.output(out); });
}

void winogradFilter(benchmark::State& state, const WinogradKernels& kernels, std::int64_t tile) {
  constexpr std::int64_t channels = 64, tapPitch = channels * panelWidth, pitch = tapPitch + 16;
  const std::int64_t transformed = winogradElements(tile);
  const std::vector<float> from = elements(winogradTaps * tapPitch);
  std::vector<float> to(static_cast<std::size_t>(transformed * pitch));
  const WinogradFilter filter{from.data(), tapPitch, channels, to.data(), pitch};
  measure(state, static_cast<double>((winogradTaps + transformed) * tapPitch) * sizeof(float), peakCopies, "B_per_s",
          [&] { kernels.filter(filter); });
}

template <class Function, class... Arguments>
void add(const std::string& name, Function function, Arguments... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { function(state, arguments...); });
}

void addAll() {
  const ProductKernels& products = AXLE_KERNELS_IN_USE(products);
  for (std::int64_t i = 0; i < products.count; ++i)
    for (std::int64_t rows = 1; rows <= products.shapes[i].rows; ++rows)
      add("product/" + std::to_string(rows) + "x" + std::to_string(products.shapes[i].panels * panelWidth), product,
          products.shapes[i], rows);
  const DepthwiseKernels& depthwise = AXLE_KERNELS_IN_USE(depthwise);
  for (std::int64_t pixels = 1; pixels <= depthwise.pixels; ++pixels) {
    const std::string of = "depthwise/" + std::to_string(pixels);
    add(of, depthwiseBlock, depthwise.kernels[pixels - 1], pixels, 0);
    for (const std::int64_t stride : {1, 2})
      add(of + "/3 columns, stride " + std::to_string(stride), depthwiseBlock,
          depthwise.ofThree[stride - 1][pixels - 1], pixels, stride);
  }
  for (std::size_t form = 0; form < std::size(groupForms); ++form) {
    const DepthwiseKernels& kernels = AXLE_KERNELS_IN_USE(groups).forms[form];
    const auto [depth, multiplier] = groupForms[form];
    for (const std::int64_t pixels : {std::int64_t{1}, kernels.pixels})
      add("groups/" + std::to_string(depth) + " to " + std::to_string(depth * multiplier) + "/" +
              std::to_string(pixels),
          groupsBlock, kernels.kernelOf(kernels.kernels, pixels), pixels, groupForms[form]);
  }
  const WinogradKernels* const forms[] = {&AXLE_KERNELS_IN_USE(winogradF2), &AXLE_KERNELS_IN_USE(winogradF4),
                                          &AXLE_KERNELS_IN_USE(winogradF6)};
  for (std::int64_t form = 0; form < 3; ++form) {
    const std::int64_t tile = 2 * form + 2;
    const std::string of = "winograd/" + std::to_string(tile);
    add(of + "/filter", winogradFilter, *forms[form], tile);
    add(of + "/input", winogradTransform, *forms[form], tile, true);
    add(of + "/output", winogradTransform, *forms[form], tile, false);
  }
  add("halves/widen f16", widening, AXLE_KERNELS_IN_USE(widenF16));
  add("halves/widen bf16", widening, AXLE_KERNELS_IN_USE(widenBf16));
  for (const std::int64_t links : {0, 2}) {
    const std::string with = links == 0 ? "" : ", bias and relu";
    add("halves/store f16" + with, storedHalves, AXLE_KERNELS_IN_USE(storeF16), links);
    add("halves/store bf16" + with, storedHalves, AXLE_KERNELS_IN_USE(storeBf16), links);
  }
  for (const std::int64_t channels : {3, 64}) add("resize/" + std::to_string(channels), mixedLine, channels);
  for (const std::int64_t bytes : {4, 12, 64}) add("blocks/" + std::to_string(bytes), copiedBlocks, bytes);
  struct Pointwise {
    const char* name;
    int operands;
    RowKernel kernel;
  };
  const Pointwise rows[] = {{"neg", 1, AXLE_KERNELS_IN_USE(vectorNeg)},
                            {"abs", 1, AXLE_KERNELS_IN_USE(vectorAbs)},
                            {"relu", 1, AXLE_KERNELS_IN_USE(vectorRelu)},
                            {"sqrt", 1, AXLE_KERNELS_IN_USE(vectorSqrt)},
                            {"rsqrt", 1, AXLE_KERNELS_IN_USE(vectorRsqrt)},
                            {"exp", 1, AXLE_KERNELS_IN_USE(vectorExp)},
                            {"tanh", 1, AXLE_KERNELS_IN_USE(vectorTanh)},
                            {"sigmoid", 1, AXLE_KERNELS_IN_USE(vectorSigmoid)},
                            {"hard_swish", 1, AXLE_KERNELS_IN_USE(vectorHardSwish)},
                            {"add", 2, AXLE_KERNELS_IN_USE(vectorAdd)},
                            {"sub", 2, AXLE_KERNELS_IN_USE(vectorSub)},
                            {"mul", 2, AXLE_KERNELS_IN_USE(vectorMul)},
                            {"div", 2, AXLE_KERNELS_IN_USE(vectorDiv)},
                            {"pow", 2, AXLE_KERNELS_IN_USE(vectorPow)},
                            {"maximum", 2, AXLE_KERNELS_IN_USE(vectorMaximum)},
                            {"minimum", 2, AXLE_KERNELS_IN_USE(vectorMinimum)}};
  for (const auto& [name, operands, kernel] : rows)
    if (kernel != nullptr) add(std::string("pointwise/") + name, row, kernel, operands);
  for (const Elem elem : {Elem::f16, Elem::bf16}) {
    const std::string of = elem == Elem::f16 ? " f16" : " bf16";
    add("pointwise/relu" + of, halfRow, rowRelu, 1, elem);
    add("pointwise/exp" + of, halfRow, rowExp, 1, elem);
    add("pointwise/add" + of, halfRow, rowAdd, 2, elem);
    add("pointwise/maximum" + of, halfRow, rowMaximum, 2, elem);
  }
  add("rows/sum", combinedRows, AXLE_KERNELS_IN_USE(sumRows));
  add("rows/max", combinedRows, AXLE_KERNELS_IN_USE(maxRows));
  add("row/sum", combinedRow, AXLE_KERNELS_IN_USE(sumRow));
  add("row/max", combinedRow, AXLE_KERNELS_IN_USE(maxRow));
}

}  // namespace
}  // namespace axle::bench

int main(int argc, char** argv) {
  if (const char* set = std::getenv("AXLE_INSTRUCTION_SET"); set != nullptr && !axle::runtime::useInstructionSet(set)) {
    std::fprintf(stderr, "bench/kernels: this machine has no instruction set '%s'\n", set);
    return 2;
  }
  axle::bench::addAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
