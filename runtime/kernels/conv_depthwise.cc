// Depthwise convolutions of f32, channels last: a filter [..window, 1, channels], one result for each channel. The same
// of f16 and bf16, in bands of pixels that are widened. `multiplier` and groups: conv_groups.cc.
#include "runtime/kernels/conv_depthwise.h"

#include <algorithm>
#include <utility>

#include "runtime/by_rows.h"
#include "runtime/kernels/half_bands.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/prepared_product.h"
#include "runtime/kernels/products.h"
#include "runtime/kernels/windowed.h"
#include "runtime/vector/depthwise.h"

namespace axle::runtime {

Geometry depthwiseGeometry(const Step& step) {
  return geometryOf(step, step.in(1).shape.begin(), step.in(0).columns(), true);
}

namespace {

// The number of results of a pixel computed for all pixels of a band before the next ones: the pixels and the filter
// stay in the first-level cache.
constexpr std::int64_t resultsAtOnce = 128;

// A band is a number of neighbouring blocks of pixels. With more than `resultsAtOnce` results of a pixel, the pointers
// of a band are computed together; otherwise it has one block.
constexpr std::int64_t maxBandBlocks = 32;
std::int64_t bandBlocks(const Geometry& g) {
  if (g.groups * g.width <= resultsAtOnce) return 1;
  return std::clamp<std::int64_t>(512 / std::max<std::int64_t>(g.taps, 1), 1, maxBandBlocks);
}

// Whether windows have three columns, some of which neighbouring windows share.
bool isOfThree(const Geometry& g, const DepthwiseKernels& kernels) {
  return kernels.ofThree[0] != nullptr && g.window[2] == 3 && g.axis[2].dilation == 1 && g.axis[2].stride <= 2;
}

// Returns the number of pixels of the next block, of the `left` that remain.
std::int64_t pixelsOfBlock(const Geometry& g, const DepthwiseKernels& kernels, std::int64_t pixel, std::int64_t left) {
  if (left < kernels.pixels && !kernels.hasAll) return 1;
  if (!isOfThree(g, kernels)) return std::min(kernels.pixels, left);
  left = std::min(left, g.output[2] - pixel % g.output[2]);
  return left / ((left + kernels.pixels - 1) / kernels.pixels);
}

struct PixelBlock {
  std::int64_t pixel = 0, count = 0;
  const float* const* rows = nullptr;
  std::int64_t rowOffset = 0;
};

class Depthwise {
 public:
  // `out`, `epilogue` and `results` (may be null) begin at pixel `origin`.
  Depthwise(const Step& step, const DepthwiseKernels& kernels, const RowCall& from, float* out, std::int64_t origin,
            const RegisterEpilogue& epilogue, const Results* results)
      : Depthwise(depthwiseGeometry(step), kernels, step.in(1).as<float>(), from, origin) {
    out_ = out;
    outPitch_ = step.out(0).rowPitch();
    epilogue_ = epilogue;
    results_ = results;
  }

  // Of a widened copy; the results begin at pixel `origin` of the copy.
  Depthwise(const Geometry& g, const DepthwiseKernels& kernels, const float* filter, const RowCall& from,
            std::int64_t origin, const HalfEpilogue& halves)
      : Depthwise(g, kernels, filter, from, origin) {
    halves_ = &halves;
  }

  bool run(Part part, Fault& fault) {
    const std::int64_t units = (g_.pixels() + kernels_.pixels - 1) / kernels_.pixels;
    return run(part.begin(units) * kernels_.pixels, std::min(part.end(units) * kernels_.pixels, g_.pixels()), fault);
  }

  bool run(std::int64_t pixel, std::int64_t end, Fault& fault) {
    const std::int64_t most = bandBlocks(g_);
    while (pixel < end) {
      std::int64_t blocks = 0;
      if (most > 1) inside_ = {};
      for (const float** table = windowed_.table(); blocks < most && pixel < end; ++blocks) {
        PixelBlock& block = band_[blocks];
        block = {pixel, 0, table};
        table += sharesPointers(block, end - pixel) ? 0 : point(block, end - pixel, table);
        pixel += block.count;
      }
      for (block_.firstChannel = 0; block_.firstChannel < g_.depth; block_.firstChannel += channelsAtOnce_) {
        block_.channels = std::min(channelsAtOnce_, g_.depth - block_.firstChannel);
        for (std::int64_t i = 0; i < blocks; ++i)
          if (!runBlock(band_[i], fault)) return false;
      }
    }
    return true;
  }

  // Sets the pointers of prepared blocks, the first of which is at `pixel`.
  void point(const PreparedProduct& prepared, std::int64_t pixel, const float** table) {
    for (const PreparedProduct::Rows& rows : prepared.rows) {
      PixelBlock block{pixel + rows.row, 0, nullptr};
      if (rows.begin == 0) point(block, rows.count, table + rows.table);
    }
  }

 private:
  Depthwise(const Geometry& g, const DepthwiseKernels& kernels, const float* filter, const RowCall& from,
            std::int64_t origin)
      : g_(g),
        kernels_(kernels),
        windowed_(g_, from.input, from.workspace, bandBlocks(g_) * maxDepthwisePixels, from.kept),
        origin_(origin) {
    block_.filter = filter;
    block_.taps = g_.taps;
    block_.filterPitch = g_.depth * kernels.multiplier;
  }

  // Whether a block can use the pointers of the preceding block in its row, because both are inside the image. If so,
  // sets them; if not, keeps the block for the next ones.
  bool sharesPointers(PixelBlock& block, std::int64_t left) {
    if (!isOfThree_) return false;
    block.count = pixelsOfBlock(g_, kernels_, block.pixel, left);
    const std::int64_t endOfRow = block.pixel + windowed_.leftInRow(block.pixel);
    const bool isInside = windowed_.areInside(block.pixel, block.count);
    if (isInside && inside_.count == block.count && endOfInside_ == endOfRow) {
      block.rows = inside_.rows;
      block.rowOffset = (block.pixel - inside_.pixel) * g_.axis[2].stride * g_.pitch;
      windowed_.skip(block.pixel, block.count);
      return true;
    }
    inside_ = isInside ? block : PixelBlock();
    endOfInside_ = endOfRow;
    return false;
  }

  // Sets the pointers of as many pixels as a kernel takes. Returns the number of pointers.
  [[gnu::noinline]] std::int64_t point(PixelBlock& block, std::int64_t left, const float** table) {
    block.count = pixelsOfBlock(g_, kernels_, block.pixel, left);
    if (isOfThree_) return windowed_.columnsAt(block.pixel, block.count, table);
    windowed_.rowsAt(block.pixel, block.count, 0, table);
    return g_.taps * block.count;
  }

  bool runBlock(const PixelBlock& pixels, Fault& fault) {
    const DepthwiseKernel kernel = kernels_.kernelOf(table_, pixels.count);
    const std::int64_t column = block_.firstChannel * kernels_.multiplier;
    block_.rows = pixels.rows;
    block_.rowOffset = pixels.rowOffset;
    if (results_ != nullptr || halves_ != nullptr) return store(kernel, pixels, column, fault);
    block_.outPitch = outPitch_;
    block_.out = out_ + (pixels.pixel - origin_) * outPitch_ + column;
    block_.epilogue = epilogue_.from(pixels.pixel - origin_, column);
    kernel(block_);
    return true;
  }

  // Stores a block, whose results begin at `column`, through an epilogue that kernels cannot apply in registers.
  bool store(DepthwiseKernel kernel, const PixelBlock& pixels, std::int64_t column, Fault& fault) {
    alignas(tensorAlignment) float sums[maxDepthwisePixels * resultsAtOnce];
    block_.out = sums;
    block_.outPitch = resultsAtOnce;
    kernel(block_);
    const std::int64_t first = pixels.pixel - origin_, columns = block_.channels * kernels_.multiplier;
    if (halves_ != nullptr) return halves_->store(sums, resultsAtOnce, first, pixels.count, column, columns, fault);
    for (std::int64_t i = 0; i < pixels.count; ++i)
      if (!results_->store(sums + i * resultsAtOnce, first + i, column, columns, fault)) return false;
    return true;
  }

  const Geometry g_;
  const DepthwiseKernels& kernels_;
  const std::int64_t channelsAtOnce_ = resultsAtOnce / kernels_.multiplier;
  const bool isOfThree_ = isOfThree(g_, kernels_);
  const DepthwiseKernel* const table_ = isOfThree_ ? kernels_.ofThree[g_.axis[2].stride - 1] : kernels_.kernels;
  Windowed windowed_;
  RegisterEpilogue epilogue_;
  const Results* results_ = nullptr;
  const HalfEpilogue* halves_ = nullptr;
  float* out_ = nullptr;
  const std::int64_t origin_;
  std::int64_t outPitch_ = 0;
  DepthwiseBlock block_;
  PixelBlock band_[maxBandBlocks];
  PixelBlock inside_;             // a block whose pointers the next blocks of its row may share
  std::int64_t endOfInside_ = 0;  // the end of its row
};

bool runChannels(Step& step, Part part, Fault& fault) {
  return runDepthwise(step, AXLE_KERNELS_IN_USE(depthwise), part, fault);
}

bool runChannelsOfHalves(Step& step, Part part, Fault& fault) {
  return runDepthwiseHalf(step, AXLE_KERNELS_IN_USE(depthwise), part, fault);
}

// Returns the number of pointers of a block of so many pixels.
std::int64_t pointersOf(const Geometry& g, const DepthwiseKernels& kernels, std::int64_t count) {
  return isOfThree(g, kernels) ? g.taps / 3 * ((count - 1) * g.axis[2].stride + 3) : g.taps * count;
}

// Runs prepared blocks, whose pointers are in `table`. Their results begin at `out`.
void runBlocks(const Step& step, const float* const* table, const RegisterEpilogue& epilogue, float* out) {
  const Geometry g = depthwiseGeometry(step);
  const DepthwiseKernels& kernels = AXLE_KERNELS_IN_USE(depthwise);
  const DepthwiseKernel* const ofCounts =
      isOfThree(g, kernels) ? kernels.ofThree[g.axis[2].stride - 1] : kernels.kernels;
  DepthwiseBlock block;
  block.filter = step.in(1).as<float>();
  block.taps = g.taps, block.filterPitch = g.depth;
  block.outPitch = step.out(0).rowPitch();
  for (block.firstChannel = 0; block.firstChannel < g.depth; block.firstChannel += resultsAtOnce) {
    block.channels = std::min(resultsAtOnce, g.depth - block.firstChannel);
    for (const PreparedProduct::Rows& rows : step.product.rows) {
      block.rows = table + rows.table;
      block.rowOffset = rows.begin;
      block.out = out + rows.row * block.outPitch + block.firstChannel;
      block.epilogue = epilogue.from(rows.row, block.firstChannel);
      kernels.kernelOf(ofCounts, rows.count)(block);
    }
  }
}

Depthwise withPreparedPointers(Step& step, const float* input, std::int64_t kept) {
  const RowCall from{
      .input = input, .kept = kept, .workspace = reinterpret_cast<std::byte*>(step.product.memory.data())};
  return {step, AXLE_KERNELS_IN_USE(depthwise), from, nullptr, 0, {}, nullptr};
}

bool runPreparedDepthwise(Step& step, Fault&) {
  PreparedProduct& prepared = step.product;
  const auto* input = step.in(0).as<float>();
  if (std::exchange(prepared.left, input) != input)
    withPreparedPointers(step, input, 0).point(prepared, 0, prepared.table.data());
  runBlocks(step, prepared.table.data(), registerEpilogue(step), step.out(0).as<float>());
  return true;
}

[[gnu::cold]] void settleDepthwise(Step& step) {
  const Geometry g = depthwiseGeometry(step);
  PreparedProduct& prepared = step.product;
  prepared = {};
  if (step.late || step.parts != 1 || !step.epilogueForm.isWhole || g.pixels() > mostPreparedPointers ||
      g.taps > mostPreparedPointers)
    return;
  prepared.memory.resize(workspaceOfDepthwise(g) / sizeof(float));
  const DepthwiseKernels& kernels = AXLE_KERNELS_IN_USE(depthwise);
  std::int64_t pointers = 0;
  for (std::int64_t pixel = 0; pixel < g.pixels(); pixel += prepared.rows.back().count) {
    const std::int64_t count = pixelsOfBlock(g, kernels, pixel, g.pixels() - pixel);
    prepared.rows.push_back({pixel, count, 1, static_cast<std::size_t>(pointers)});
    pointers += pointersOf(g, kernels, count);
  }
  if (pointers > mostPreparedPointers) return;
  prepared.table.resize(static_cast<std::size_t>(pointers));
  step.kernel = runPreparedDepthwise;
}

// A convolution of f16 or bf16. Each band of the result is one unit of work.
struct HalfDepthwise {
  // Neighbouring bands widen the same lines, so bands have many, if they stay in the second-level cache.
  static constexpr std::int64_t elementsOfBand = std::int64_t{96} * 1024;

  static std::int64_t pixelsOfBand(const Geometry& g) {
    std::int64_t elements = std::max<std::int64_t>(g.depth, 1);  // under a pixel of the result
    for (const Window& axis : g.axis) elements *= std::min(axis.stride, axis.size);
    return std::max<std::int64_t>(elementsOfBand / elements, 1);
  }

  const HalfBands bands;
  std::uint64_t inputBytes, filterBytes;

  explicit HalfDepthwise(const Step& step)
      : bands(step, depthwiseGeometry(step), pixelsOfBand(depthwiseGeometry(step))) {
    inputBytes = bands.inputBytes();
    filterBytes = alignUp(static_cast<std::uint64_t>(step.in(1).shape.elements()) * sizeof(float));
  }
  std::uint64_t workspaceBytes() const { return inputBytes + filterBytes + workspaceOfDepthwise(bands.whole()); }
};

// Checks image, filter and result. Returns the error, or null.
const char* checkDepthwise(const Step& step) {
  const Shape &x = step.in(0).shape, &f = step.in(1).shape, &y = step.out(0).shape;
  const int rank = x.rank(), r = rank - 2;
  if (f.rank() != rank) return "the ranks do not fit";
  if (const char* problem = checkGeometry(step, f.begin())) return problem;
  const std::int64_t channels = x[rank - 1];
  if (step.integer(5 * r) != channels || f[r] != 1 || f[r + 1] != channels || y[rank - 1] != channels)
    return "the channels do not fit";
  return nullptr;
}

}  // namespace

bool runDepthwise(Step& step, const DepthwiseKernels& kernels, Part part, Fault& fault) {
  const StepEpilogue epilogue(step);
  const RowCall from{.input = step.in(0).as<float>(), .workspace = workspaceOf(step, part)};
  return Depthwise(step, kernels, from, step.out(0).as<float>(), 0, epilogue.inRegisters(), epilogue.results())
      .run(part, fault);
}

std::uint64_t workspaceOfDepthwise(const Geometry& g) {
  return Windowed::workspaceBytes(g, bandBlocks(g) * maxDepthwisePixels);
}

bool runDepthwiseHalf(Step& step, const DepthwiseKernels& kernels, Part part, Fault& fault) {
  const HalfDepthwise conv(step);
  const HalfBands& bands = conv.bands;
  const HalfEpilogue epilogue(step);
  std::byte* const workspace = workspaceOf(step, part);
  auto *const input = reinterpret_cast<float*>(workspace), *const filter =
                                                               reinterpret_cast<float*>(workspace + conv.inputBytes);
  const RowCall from{.input = input, .workspace = workspace + conv.inputBytes + conv.filterBytes};
  widenHalves(step.in(1).elem)({step.in(1).as<std::uint16_t>(), 0, 1, step.in(1).shape.elements(), filter, 0});
  for (std::int64_t i = part.begin(bands.count()); i < part.end(bands.count()); ++i) {
    const HalfBands::Band band = bands.at(i);
    bands.widen(step, band, input);
    if (!Depthwise(band.g, kernels, filter, from, -band.firstPixel, epilogue).run(0, band.g.pixels(), fault))
      return false;
  }
  return true;
}

std::uint64_t workspaceOfDepthwiseHalf(const Step& step) { return HalfDepthwise(step).workspaceBytes(); }

// Prepares rows whose windows are inside the image from top to bottom. There are as many tables of pointers as kept
// rows, one for each place that the first row under the windows may have. Blocks inside the image share their pointers.
[[gnu::cold]] void prepareRowOfDepthwise(Step& step) {
  const Geometry g = depthwiseGeometry(step);
  const DepthwiseKernels& kernels = AXLE_KERNELS_IN_USE(depthwise);
  const Window& columns = g.axis[2];
  PreparedProduct& prepared = step.product;
  PreparedProduct::Rows inside;
  std::int64_t pointers = 0;
  for (std::int64_t pixel = 0; pixel < g.output[2]; pixel += prepared.rows.back().count) {
    const std::int64_t count = pixelsOfBlock(g, kernels, pixel, g.output[2] - pixel),
                       first = pixel * columns.stride - columns.before;
    PreparedProduct::Rows block{pixel, count, 1, static_cast<std::size_t>(pointers)};
    const bool isInside =
        isOfThree(g, kernels) && first >= 0 && first + (count - 1) * columns.stride + 3 <= columns.input;
    if (isInside && inside.count == count) {
      block.table = inside.table, block.begin = (pixel - inside.row) * columns.stride * g.pitch;
    } else {
      pointers += pointersOf(g, kernels, count);
      if (isInside) inside = block;
    }
    prepared.rows.push_back(block);
  }
  const std::int64_t kept = std::clamp<std::int64_t>(step.byRows.extent, 1, g.input[1]);
  if (pointers > mostPreparedPointers / kept) {
    prepared = {};
    return;
  }
  prepared.table.resize(static_cast<std::size_t>(pointers * kept));
  prepared.memory.resize(workspaceOfDepthwise(g) / sizeof(float));
}

namespace {

// Where the pointers are of a row whose windows begin at row `first` of the image.
const float** tableOfRow(PreparedProduct& prepared, std::int64_t first, std::int64_t kept) {
  return prepared.table.data() + first % kept * (static_cast<std::int64_t>(prepared.table.size()) / kept);
}

[[gnu::cold]] void pointRows(Step& step, const RowCall& call) {
  const ByRows& form = step.byRows;
  Depthwise depthwise = withPreparedPointers(step, call.input, call.kept);
  std::int64_t row = std::max<std::int64_t>((form.before + form.stride - 1) / form.stride, 0), first = 0;
  for (std::int64_t i = 0; i < call.kept; ++i, ++row) {
    first = row * form.stride - form.before;
    if (first + form.extent > step.in(0).shape[1]) break;
    depthwise.point(step.product, row * step.out(0).shape[2], tableOfRow(step.product, first, call.kept));
  }
}

}  // namespace

void runRowOfDepthwise(Step& step, const RowCall& call) {
  const Shape& y = step.out(0).shape;
  const std::int64_t row = call.image * y[1] + call.row, pixel = (call.kept == 0 ? row : call.row) * y[2],
                     first = call.row * step.byRows.stride - step.byRows.before;
  const RegisterEpilogue epilogue = registerEpilogue(step).fromRow(row * y[2]);
  PreparedProduct& prepared = step.product;
  if (call.kept > 0 && !prepared.rows.empty() && first >= 0 && first + step.byRows.extent <= step.in(0).shape[1]) {
    if (std::exchange(prepared.left, call.input) != call.input) pointRows(step, call);
    return runBlocks(step, tableOfRow(prepared, first, call.kept), epilogue, call.out);
  }
  Fault none;
  Depthwise(step, AXLE_KERNELS_IN_USE(depthwise), call, call.out, pixel, epilogue, nullptr)
      .run(pixel, pixel + y[2], none);
}

const char* prepareConvDepthwise(Step& step) {
  if (step.in(0).elem != Elem::f32 || step.in(1).elem != Elem::f32 || step.baseElem() != Elem::f32) return "not f32";
  if (const char* problem = checkDepthwise(step)) return problem;
  const Geometry g = depthwiseGeometry(step);
  step.macs = static_cast<std::uint64_t>(step.out(0).shape.elements()) * static_cast<std::uint64_t>(g.taps);
  const std::uint64_t nanoseconds = *step.macs / 8, bytes = workspaceOfDepthwise(g);
  if (step.in(0).shape.rank() == 4 && linkedByRows != nullptr)
    step.byRows = byRowsOf(g, linkedByRows->depthwise, nanoseconds, bytes);
  step.settle = settleDepthwise;
  return divideStep(step, runChannels, nanoseconds, bytes);
}

const char* prepareConvDepthwiseHalf(Step& step) {
  if (const char* problem = checkHalves(step)) return problem;
  if (const char* problem = checkDepthwise(step)) return problem;
  step.macs = static_cast<std::uint64_t>(step.out(0).shape.elements()) *
              static_cast<std::uint64_t>(depthwiseGeometry(step).taps);
  return divideStep(step, runChannelsOfHalves, *step.macs / 4, workspaceOfDepthwiseHalf(step));
}

}  // namespace axle::runtime
