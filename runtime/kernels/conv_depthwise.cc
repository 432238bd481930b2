// Depthwise convolutions of f32, channels last: a filter [..window, 1, channels], one result for each channel.
#include <algorithm>

#include "runtime/kernels/kernels.h"
#include "runtime/kernels/products.h"
#include "runtime/kernels/windowed.h"
#include "runtime/vector/depthwise.h"

namespace axle::runtime {
namespace {

Geometry depthwiseGeometry(const Step& step) {
  Geometry g = geometryOf(step, step.in(1).shape.begin(), step.in(0).columns());
  g.isDepthwise = true;
  return g;
}

// Channels that pass all pixels of a band before the next ones do: their pixels and filter stay in the first level of
// cache.
constexpr std::int64_t channelsAtOnce = 128;

// A band: neighbouring blocks of pixels, whose pointers are made together where there are more channels than that.
constexpr std::int64_t maxBandBlocks = 32;
std::int64_t bandBlocks(const Geometry& g) {
  if (g.depth <= channelsAtOnce) return 1;
  return std::clamp<std::int64_t>(512 / std::max<std::int64_t>(g.taps, 1), 1, maxBandBlocks);
}

struct PixelBlock {
  std::int64_t pixel = 0, count = 0;
  const float* const* rows = nullptr;
};

class Depthwise {
 public:
  Depthwise(Step& step, Part part)
      : g_(depthwiseGeometry(step)),
        part_(part),
        windowed_(g_, step.in(0).as<float>(), workspaceOf(step, part), bandBlocks(g_) * maxDepthwisePixels),
        epilogue_(step),
        out_(step.out(0)) {
    block_.filter = step.in(1).as<float>();
    block_.taps = g_.taps;
    block_.filterPitch = g_.depth;
  }

  bool run(Fault& fault) {
    const std::int64_t units = (g_.pixels() + kernels_.pixels - 1) / kernels_.pixels, most = bandBlocks(g_),
                       end = std::min(part_.end(units) * kernels_.pixels, g_.pixels());
    for (std::int64_t pixel = part_.begin(units) * kernels_.pixels; pixel < end;) {
      std::int64_t blocks = 0;
      for (const float** table = windowed_.table(); blocks < most && pixel < end; ++blocks) {
        PixelBlock& block = band_[blocks];
        block = {pixel, 0, table};
        table += point(block, end - pixel, table);
        pixel += block.count;
      }
      for (block_.firstChannel = 0; block_.firstChannel < g_.depth; block_.firstChannel += channelsAtOnce) {
        block_.channels = std::min(channelsAtOnce, g_.depth - block_.firstChannel);
        for (std::int64_t i = 0; i < blocks; ++i)
          if (!runBlock(band_[i], fault)) return false;
      }
    }
    return true;
  }

 private:
  // Sets the pointers of as many pixels as a kernel takes. Returns how many pointers there are.
  std::int64_t point(PixelBlock& block, std::int64_t left, const float** table) {
    if (!isOfThree_) {
      block.count = std::min(kernels_.pixels, left);
      windowed_.rowsAt(block.pixel, block.count, 0, table);
      return g_.taps * block.count;
    }
    left = std::min(left, windowed_.leftInRow(block.pixel));
    block.count = left / ((left + kernels_.pixels - 1) / kernels_.pixels);
    return windowed_.columnsAt(block.pixel, block.count, table);
  }

  bool runBlock(const PixelBlock& pixels, Fault& fault) {
    const DepthwiseKernel kernel = table_[pixels.count - 1];
    block_.rows = pixels.rows;
    if (epilogue_.results() != nullptr) return store(kernel, pixels, *epilogue_.results(), fault);
    block_.outPitch = out_.rowPitch();
    block_.out = out_.as<float>() + pixels.pixel * block_.outPitch + block_.firstChannel;
    block_.epilogue = epilogue_.inRegisters().from(pixels.pixel, block_.firstChannel);
    kernel(block_);
    return true;
  }

  // Through an epilogue of another form.
  bool store(DepthwiseKernel kernel, const PixelBlock& pixels, const Results& results, Fault& fault) {
    alignas(tensorAlignment) float sums[maxDepthwisePixels * channelsAtOnce];
    block_.out = sums;
    block_.outPitch = channelsAtOnce;
    kernel(block_);
    for (std::int64_t i = 0; i < pixels.count; ++i)
      if (!results.store(sums + i * channelsAtOnce, pixels.pixel + i, block_.firstChannel, block_.channels, fault))
        return false;
    return true;
  }

  const Geometry g_;
  const Part part_;
  const DepthwiseKernels& kernels_ = AXLE_KERNELS_IN_USE(depthwise);
  const bool isOfThree_ = g_.window[2] == 3 && g_.axis[2].dilation == 1 && g_.axis[2].stride <= 2;
  const DepthwiseKernel* const table_ = isOfThree_ ? kernels_.ofThree[g_.axis[2].stride - 1] : kernels_.kernels;
  Windowed windowed_;
  const StepEpilogue epilogue_;
  const TensorView& out_;
  DepthwiseBlock block_;
  PixelBlock band_[maxBandBlocks];
};

bool runDepthwise(Step& step, Part part, Fault& fault) { return Depthwise(step, part).run(fault); }

}  // namespace

const char* prepareConvDepthwise(Step& step) {
  const TensorView &image = step.in(0), &filter = step.in(1);
  const Shape &x = image.shape, &f = filter.shape, &y = step.out(0).shape;
  const int rank = x.rank(), r = rank - 2;
  if (image.elem != Elem::f32 || filter.elem != Elem::f32 || step.baseElem() != Elem::f32) return "not f32";
  if (f.rank() != rank) return "the ranks do not fit";
  if (const char* problem = checkGeometry(step, f.begin())) return problem;
  const std::int64_t channels = x[rank - 1];
  if (step.integer(5 * r) != channels || f[r] != 1 || f[r + 1] != channels || y[rank - 1] != channels)
    return "the channels do not fit";
  const Geometry g = depthwiseGeometry(step);
  step.macs = static_cast<std::uint64_t>(y.elements()) * static_cast<std::uint64_t>(g.taps);
  return divideStep(step, runDepthwise, *step.macs / 8,
                    Windowed::workspaceBytes(g, bandBlocks(g) * maxDepthwisePixels));
}

}  // namespace axle::runtime
