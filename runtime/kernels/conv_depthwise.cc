// Depthwise convolutions of f32, channels last: a filter [..window, 1, channels], one result for each channel.
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

constexpr std::int64_t tileChannels = 64;  // where results go through an epilogue of another form

bool storeDepthwise(const DepthwiseKernel kernel, DepthwiseBlock block, std::int64_t pixel, std::int64_t count,
                    const Results& results, Fault& fault) {
  alignas(tensorAlignment) float sums[maxDepthwisePixels * tileChannels];
  const std::int64_t channels = block.channels;
  block.out = sums;
  block.outPitch = tileChannels;
  for (; block.firstChannel < channels; block.firstChannel += tileChannels) {
    block.channels = std::min(tileChannels, channels - block.firstChannel);
    kernel(block);
    for (std::int64_t i = 0; i < count; ++i)
      if (!results.store(sums + i * tileChannels, pixel + i, block.firstChannel, block.channels, fault)) return false;
  }
  return true;
}

bool runDepthwise(Step& step, Part part, Fault& fault) {
  const Geometry g = depthwiseGeometry(step);
  const DepthwiseKernels& kernels = AXLE_KERNELS_IN_USE(depthwise);
  Windowed windowed(g, step.in(0).as<float>(), workspaceOf(step, part), maxDepthwisePixels);
  const StepEpilogue epilogue(step);
  const TensorView& out = step.out(0);
  DepthwiseBlock block;
  block.rows = windowed.table();
  block.filter = step.in(1).as<float>();
  block.taps = g.taps;
  block.channels = block.filterPitch = g.depth;
  block.outPitch = out.rowPitch();
  const std::int64_t blocks = (g.pixels() + kernels.pixels - 1) / kernels.pixels,
                     end = std::min(part.end(blocks) * kernels.pixels, g.pixels());
  for (std::int64_t pixel = part.begin(blocks) * kernels.pixels, count = 0; pixel < end; pixel += count) {
    count = std::min(kernels.pixels, end - pixel);
    windowed.rowsAt(pixel, count, 0, windowed.table());
    const DepthwiseKernel kernel = kernels.kernels[count - 1];
    if (epilogue.results() != nullptr) {
      if (!storeDepthwise(kernel, block, pixel, count, *epilogue.results(), fault)) return false;
      continue;
    }
    block.out = out.as<float>() + pixel * block.outPitch;
    block.epilogue = epilogue.inRegisters().atOrigin;
    if (block.epilogue.residual != nullptr) block.epilogue.residual += pixel * block.epilogue.residualPitch;
    kernel(block);
  }
  return true;
}

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
  return divideStep(step, runDepthwise, *step.macs / 8, Windowed::workspaceBytes(g, maxDepthwisePixels));
}

}  // namespace axle::runtime
