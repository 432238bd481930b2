// Convolutions of f32, channels last, with windows of 3 x 3, stride 1, by Winograd's algorithm (vector/winograd.h):
// tiles of pixels are transformed, multiplied by the transformed filter, element by element a product of tiles with
// panels, and transformed back.
#include <algorithm>

#include "runtime/bundle_format.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/products.h"
#include "runtime/kernels/window.h"
#include "runtime/vector/winograd.h"

namespace axle::runtime {
namespace {

constexpr std::int64_t leastTilesOfBlock = 24;  // two threads share them
// Each block of tiles reads the whole filter: so many of its elements for a tile, within these bounds.
constexpr std::int64_t filterElementsOfTile = 10'000, leastTilesAtOnce = 24, enoughTilesAtOnce = 64;
// Of pixels and products of a block, if it has more: beside a filter of 64 by 64 channels they lie in a cache of 1 MB.
constexpr std::int64_t transformedElements = std::int64_t{15} << 13;

struct WinogradSizes {
  std::int64_t height, width, outHeight, outWidth, channels, columns, storedColumns;
  std::int64_t top, left;  // padding
  std::int64_t tilesDown, tilesAcross, tiles, tilesAtOnce, blocks;

  explicit WinogradSizes(const Step& step) {
    const Shape &x = step.in(0).shape, &y = step.out(0).shape;
    height = x[1], width = x[2], channels = x[3];
    outHeight = y[1], outWidth = y[2], columns = y[3];
    storedColumns = panelsOf(columns) * panelWidth;
    top = step.integer(2), left = step.integer(4);
    tilesDown = (outHeight + winogradTile - 1) / winogradTile;
    tilesAcross = (outWidth + winogradTile - 1) / winogradTile;
    tiles = y[0] * tilesDown * tilesAcross;
    const std::int64_t most = std::max(std::clamp(winogradElements * channels * storedColumns / filterElementsOfTile,
                                                  leastTilesAtOnce, enoughTilesAtOnce),
                                       transformedElements / (winogradElements * (channels + storedColumns)));
    const std::int64_t wanted =
        std::max((tiles + most - 1) / most, std::clamp<std::int64_t>(tiles / leastTilesOfBlock, 1, 2));
    tilesAtOnce = std::max<std::int64_t>((tiles + wanted - 1) / wanted, 1);
    blocks = (tiles + tilesAtOnce - 1) / tilesAtOnce;
  }

  std::int64_t inputElements() const { return winogradElements * tilesAtOnce * channels; }
  std::int64_t outputElements() const { return winogradElements * tilesAtOnce * storedColumns; }
};

class WinogradConv {
 public:
  WinogradConv(Step& step, Part part)
      : sizes_(step),
        part_(part),
        image_(step.in(0)),
        out_(step.out(0)),
        filter_(step.in(1).as<float>()),
        epilogue_(step),
        transformed_(reinterpret_cast<float*>(workspaceOf(step, part))),
        products_(transformed_ + sizes_.inputElements()),
        zeros_(products_ + sizes_.outputElements()) {
    std::fill_n(zeros_, sizes_.channels, 0.0f);
  }

  bool run(Fault& fault) {
    for (std::int64_t block = part_.begin(sizes_.blocks); block < part_.end(sizes_.blocks); ++block) {
      const std::int64_t first = block * sizes_.tilesAtOnce;
      const std::int64_t count = std::min(sizes_.tilesAtOnce, sizes_.tiles - first);
      for (std::int64_t i = 0; i < count; ++i) transformTile(first + i, transformed_ + i * sizes_.channels);
      for (std::int64_t element = 0; element < winogradElements; ++element)
        if (!multiply(element, count, fault)) return false;
      for (std::int64_t i = 0; i < count; ++i)
        if (!storeTile(first + i, products_ + i * sizes_.storedColumns, fault)) return false;
    }
    return true;
  }

 private:
  struct Place {
    std::int64_t image, row, column;  // of the first result
  };
  Place placeOf(std::int64_t tile) const {
    const std::int64_t across = tile % sizes_.tilesAcross, rest = tile / sizes_.tilesAcross;
    return {rest / sizes_.tilesDown, rest % sizes_.tilesDown * winogradTile, across * winogradTile};
  }

  void transformTile(std::int64_t tile, float* to) const {
    const Place place = placeOf(tile);
    const float* pixels[winogradElements];
    const float** pixel = pixels;
    for (std::int64_t i = 0; i < winogradSize; ++i) {
      const std::int64_t row = place.row - sizes_.top + i;
      const bool hasRow = row >= 0 && row < sizes_.height;
      const float* const from =
          hasRow ? image_.as<float>() + (place.image * sizes_.height + row) * sizes_.width * image_.rowPitch()
                 : nullptr;
      for (std::int64_t j = 0; j < winogradSize; ++j) {
        const std::int64_t column = place.column - sizes_.left + j;
        *pixel++ = hasRow && column >= 0 && column < sizes_.width ? from + column * image_.rowPitch() : zeros_;
      }
    }
    kernels_.input({pixels, sizes_.channels, to, sizes_.tilesAtOnce * sizes_.channels});
  }

  bool multiply(std::int64_t element, std::int64_t count, Fault& fault) const {
    static constexpr RegisterEpilogue none{{}, true};
    PanelProduct product;
    product.rows = count;
    product.columns = product.outPitch = sizes_.storedColumns;
    product.depth = sizes_.channels;
    product.panelPitch = sizes_.channels * panelWidth;
    product.right = filter_ + element * sizes_.storedColumns * sizes_.channels;
    product.out = products_ + element * sizes_.tilesAtOnce * sizes_.storedColumns;
    product.epilogue = &none;
    const float* const left = transformed_ + element * sizes_.tilesAtOnce * sizes_.channels;
    return runEvenRows(product, left, sizes_.channels, fault);
  }

  bool storeTile(std::int64_t tile, const float* from, Fault& fault) const {
    const Place place = placeOf(tile);
    const std::int64_t pixel = (place.image * sizes_.outHeight + place.row) * sizes_.outWidth + place.column;
    WinogradOutput output;
    output.from = from;
    output.pitch = sizes_.tilesAtOnce * sizes_.storedColumns;
    output.channels = sizes_.columns;
    output.rows = std::min(winogradTile, sizes_.outHeight - place.row);
    output.columns = std::min(winogradTile, sizes_.outWidth - place.column);
    if (epilogue_.results() != nullptr) return store(output, pixel, *epilogue_.results(), fault);
    output.outPitch = out_.rowPitch();
    output.outRowPitch = sizes_.outWidth * output.outPitch;
    output.out = out_.as<float>() + pixel * output.outPitch;
    output.epilogue = epilogue_.inRegisters().from(pixel, 0);
    output.residualRowPitch = sizes_.outWidth * output.epilogue.residualPitch;
    kernels_.output(output);
    return true;
  }

  // Through an epilogue of another form.
  bool store(WinogradOutput output, std::int64_t pixel, const Results& results, Fault& fault) const {
    constexpr std::int64_t channelsAtOnce = 64;
    alignas(tensorAlignment) float sums[winogradTile * winogradTile * channelsAtOnce];
    output.out = sums;
    output.outPitch = channelsAtOnce;
    output.outRowPitch = winogradTile * channelsAtOnce;
    for (std::int64_t first = 0; first < sizes_.columns; first += channelsAtOnce) {
      output.channels = std::min(channelsAtOnce, sizes_.columns - first);
      kernels_.output(output);
      for (std::int64_t row = 0; row < output.rows; ++row)
        for (std::int64_t column = 0; column < output.columns; ++column)
          if (!results.store(sums + (row * winogradTile + column) * channelsAtOnce,
                             pixel + row * sizes_.outWidth + column, first, output.channels, fault))
            return false;
      output.from += channelsAtOnce;
    }
    return true;
  }

  const WinogradSizes sizes_;
  const Part part_;
  const WinogradKernels& kernels_ = AXLE_KERNELS_IN_USE(winograd);
  const TensorView &image_, &out_;
  const float* const filter_;
  const StepEpilogue epilogue_;
  float *const transformed_, *const products_, *const zeros_;
};

bool runConvWinograd(Step& step, Part part, Fault& fault) { return WinogradConv(step, part).run(fault); }

}  // namespace

const char* prepareConvWinograd(Step& step) {
  const TensorView &image = step.in(0), &filter = step.in(1);
  const Shape &x = image.shape, &f = filter.shape, &y = step.out(0).shape;
  if (image.elem != Elem::f32 || filter.elem != Elem::f32 || step.baseElem() != Elem::f32) return "not f32";
  if (x.rank() != 4 || y.rank() != 4 || f.rank() != 4 || step.ints.size() != 11) return "the ranks do not fit";
  for (int i : {0, 1, 6, 7, 8, 9, 10})
    if (step.integer(i) != 1) return "the windows are not dense";
  for (int i = 0; i < 2; ++i) {
    const Window axis{x[i + 1], 3, 1, step.integer(2 + 2 * i), step.integer(3 + 2 * i), 1};
    if (!axis.valid()) return "a padding or size is out of range";
    if (y[i + 1] != axis.output()) return "the result has other sizes";
  }
  if (y[0] != x[0]) return "the result has other sizes";
  if (f[0] != winogradElements || f[1] != panelsOf(y[3]) || f[2] != x[3] || f[3] != panelWidth)
    return "the channels do not fit";
  if (x[3] >= windowLimit / winogradElements || y[3] >= windowLimit / winogradElements) return "too many channels";
  const WinogradSizes sizes(step);
  step.macs = static_cast<std::uint64_t>(y.elements()) * 9 * static_cast<std::uint64_t>(x[3]);
  std::int64_t elements = 0, perTile = winogradElements * (sizes.channels + sizes.storedColumns);
  if (__builtin_mul_overflow(perTile, sizes.tilesAtOnce, &elements) || elements > windowLimit)
    return "the tiles are too large";
  return divideStep(step, runConvWinograd, productNanoseconds(*step.macs) / 2,
                    static_cast<std::uint64_t>(elements + sizes.channels) * sizeof(float));
}

}  // namespace axle::runtime
