// Convolutions of f32, channels last, with windows of 3 x 3, stride 1, by Winograd's algorithm (vector/winograd.h):
// tiles of pixels are transformed, multiplied by the transformed filter, and transformed back. The multiplication is a
// product of tiles with panels for each element. The filter is transformed block by block, because it takes up to seven
// times the memory when transformed. Of f16 and bf16, pixels and blocks of the filter are widened before they are
// transformed.
#include <algorithm>
#include <utility>

#include "runtime/bundle_format.h"
#include "runtime/kernels/halves.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/products.h"
#include "runtime/kernels/window.h"
#include "runtime/vector/winograd.h"

namespace axle::runtime {
namespace {

// A gap between transformed elements, so that they do not fall into the same sets of the cache.
constexpr std::int64_t gap = 16;

// Divides items into blocks of nearly equal size.
struct Blocks {
  std::int64_t items, count, size;

  Blocks(std::int64_t items, std::int64_t most, std::int64_t leastCount = 0)
      : items(items),
        count(std::max((items + most - 1) / most, leastCount)),
        size(count == 0 ? 0 : (items + count - 1) / count) {}

  std::int64_t begin(std::int64_t block) const { return std::min(block * size, items); }
  std::int64_t sizeOf(std::int64_t block) const { return begin(block + 1) - begin(block); }
};

struct WinogradSizes {
  std::int64_t tile, size, elements;  // results along an axis, pixels along an axis, transformed elements
  std::int64_t height, width, outHeight, outWidth;
  std::int64_t top, left;  // padding
  std::int64_t tilesDown, tilesAcross;
  WinogradBlock block;
  Blocks panels, channels, tiles;

  WinogradSizes(const Step& step, std::int64_t tile)
      : tile(tile),
        size(winogradSize(tile)),
        elements(winogradElements(tile)),
        height(step.in(0).shape[1]),
        width(step.in(0).shape[2]),
        outHeight(step.out(0).shape[1]),
        outWidth(step.out(0).shape[2]),
        top(step.integer(2)),
        left(step.integer(4)),
        tilesDown(winogradTiles(tile, outHeight)),
        tilesAcross(winogradTiles(tile, outWidth)),
        block(winogradBlock(panelsOf(step.out(0).columns()), step.in(0).columns())),
        panels(panelsOf(step.out(0).columns()), block.panels),
        channels(step.in(0).columns(), block.channels, 1),
        tiles(step.out(0).shape[0] * tilesDown * tilesAcross, block.tiles) {}

  // The distances from one transformed element to the next.
  std::int64_t inputPitch() const { return tiles.size * channels.size + gap; }
  std::int64_t filterPitch() const { return panels.size * panelWidth * channels.size + gap; }
  std::int64_t outputPitch() const { return tiles.size * panels.size * panelWidth + gap; }
  // The floats of a block of channels.
  std::int64_t inputElements() const { return elements * inputPitch(); }

  // The floats of the workspace.
  std::int64_t workspace() const {
    return channels.count * inputElements() + elements * (filterPitch() + outputPitch()) + channels.items;
  }
  // Those added to widen the pixels under a tile, or a block of channels of a panel.
  std::int64_t widened() const {
    return std::max(elements * channels.items, winogradTaps * channels.size * panelWidth);
  }
};

template <bool ofHalves>
class WinogradConv {
  using Elements = std::conditional_t<ofHalves, std::uint16_t, float>;
  using Epilogue = std::conditional_t<ofHalves, HalfEpilogue, StepEpilogue>;

 public:
  WinogradConv(Step& step, Part part, std::int64_t tile, const WinogradKernels& kernels)
      : sizes_(step, tile),
        kernels_(kernels),
        image_(step.in(0)),
        out_(step.out(0)),
        filter_(step.in(1).as<Elements>()),
        epilogue_(step),
        input_(reinterpret_cast<float*>(workspaceOf(step, part))),
        transformedFilter_(input_ + sizes_.channels.count * sizes_.inputElements()),
        products_(transformedFilter_ + sizes_.elements * sizes_.filterPitch()),
        zeros_(products_ + sizes_.elements * sizes_.outputPitch()),
        widened_(zeros_ + sizes_.channels.items) {
    if (part.count > 1) part_ = step.team->partOfGrid(part, sizes_.tiles.count, sizes_.panels.count);
    std::fill_n(zeros_, sizes_.channels.items, 0.0f);
  }

  bool run(Fault& fault) {
    const Part rows = part_.rows, columns = part_.columns;
    for (std::int64_t block = rows.begin(sizes_.tiles.count); block < rows.end(sizes_.tiles.count); ++block) {
      const std::int64_t first = sizes_.tiles.begin(block), count = sizes_.tiles.sizeOf(block);
      for (std::int64_t i = 0; i < count; ++i) transformTile(first + i, i);
      for (std::int64_t group = columns.begin(sizes_.panels.count); group < columns.end(sizes_.panels.count); ++group) {
        for (std::int64_t channels = 0; channels < sizes_.channels.count; ++channels)
          if (!multiply(count, group, channels, fault)) return false;
        for (std::int64_t i = 0; i < count; ++i)
          if (!storeTile(first + i, i, group, fault)) return false;
      }
    }
    return true;
  }

 private:
  struct Place {
    std::int64_t image, row, column;  // of the first result
  };
  Place placeOf(std::int64_t tile) const {
    const std::int64_t across = tile % sizes_.tilesAcross, rest = tile / sizes_.tilesAcross;
    return {rest / sizes_.tilesDown, rest % sizes_.tilesDown * sizes_.tile, across * sizes_.tile};
  }

  struct PixelRow {
    const float* data = nullptr;  // the pixel in column 0
    std::int64_t pitch = 0;
  };
  // Returns a row of the image, of which columns from `first` on are needed; of halves, as row `i` of those widened.
  PixelRow rowAt(std::int64_t row, std::int64_t first, std::int64_t i) const {
    const std::int64_t pitch = image_.rowPitch(), channels = sizes_.channels.items;
    const Elements* const from = image_.as<Elements>() + row * sizes_.width * pitch;
    if constexpr (ofHalves) {
      const std::int64_t begin = std::clamp<std::int64_t>(first, 0, sizes_.width),
                         end = std::clamp<std::int64_t>(first + sizes_.size, begin, sizes_.width);
      float* const to = widened_ + i * sizes_.size * channels;
      widenHalves(image_.elem)(
          {from + begin * pitch, pitch, end - begin, channels, to + (begin - first) * channels, channels});
      return {to - first * channels, channels};
    } else {
      return {from, pitch};
    }
  }

  // Transforms the pixels under a tile and stores them as tile `to` of its block.
  void transformTile(std::int64_t tile, std::int64_t to) const {
    const Place place = placeOf(tile);
    const float* pixels[winogradElements(largestWinogradTile)];
    const float** pixel = pixels;
    for (std::int64_t i = 0; i < sizes_.size; ++i) {
      const std::int64_t row = place.row - sizes_.top + i;
      const bool hasRow = row >= 0 && row < sizes_.height;
      const std::int64_t first = place.column - sizes_.left;
      const PixelRow from = hasRow ? rowAt(place.image * sizes_.height + row, first, i) : PixelRow();
      for (std::int64_t column = first; column < first + sizes_.size; ++column)
        *pixel++ = hasRow && column >= 0 && column < sizes_.width ? from.data + column * from.pitch : zeros_;
    }
    for (std::int64_t block = 0; block < sizes_.channels.count; ++block)
      kernels_.input({pixels, sizes_.channels.begin(block), sizes_.channels.sizeOf(block),
                      input_ + block * sizes_.inputElements() + to * sizes_.channels.size, sizes_.inputPitch()});
  }

  // Transforms a block of the filter, unless it is the one transformed last.
  void transformFilter(std::int64_t group, std::int64_t channels) {
    if (transformed_ == std::pair(group, channels)) return;
    transformed_ = {group, channels};
    WinogradFilter filter;
    const std::int64_t tapPitch = sizes_.channels.items * panelWidth;
    filter.channels = sizes_.channels.sizeOf(channels);
    filter.tapPitch = ofHalves ? filter.channels * panelWidth : tapPitch;
    filter.pitch = sizes_.filterPitch();
    for (std::int64_t i = 0; i < sizes_.panels.sizeOf(group); ++i) {
      const Elements* const taps = filter_ + (sizes_.panels.begin(group) + i) * winogradTaps * tapPitch +
                                   sizes_.channels.begin(channels) * panelWidth;
      if constexpr (ofHalves) {
        widenHalves(image_.elem)({taps, tapPitch, winogradTaps, filter.tapPitch, widened_, filter.tapPitch});
        filter.taps = widened_;
      } else {
        filter.taps = taps;
      }
      filter.to = transformedFilter_ + i * filter.channels * panelWidth;
      kernels_.filter(filter);
    }
  }

  // Multiplies a block of channels, and adds the products to those of the preceding blocks.
  bool multiply(std::int64_t count, std::int64_t group, std::int64_t channels, Fault& fault) {
    transformFilter(group, channels);
    RegisterEpilogue sum{{}, true};
    PanelProduct product;
    product.rows = count;
    product.columns = product.outPitch = sizes_.panels.sizeOf(group) * panelWidth;
    product.depth = sizes_.channels.sizeOf(channels);
    product.panelPitch = product.depth * panelWidth;
    product.epilogue = &sum;
    sum.atOrigin.residualPitch = product.outPitch;
    for (std::int64_t element = 0; element < sizes_.elements; ++element) {
      product.right = transformedFilter_ + element * sizes_.filterPitch();
      product.out = products_ + element * sizes_.outputPitch();
      if (channels > 0) sum.atOrigin.residual = product.out;
      const float* const left = input_ + channels * sizes_.inputElements() + element * sizes_.inputPitch();
      if (!runEvenRows(product, left, sizes_.channels.size, fault)) return false;
    }
    return true;
  }

  // Transforms the products of a tile back and stores its results for the columns of a group of panels.
  bool storeTile(std::int64_t tile, std::int64_t from, std::int64_t group, Fault& fault) const {
    const Place place = placeOf(tile);
    const std::int64_t pixel = (place.image * sizes_.outHeight + place.row) * sizes_.outWidth + place.column,
                       firstColumn = sizes_.panels.begin(group) * panelWidth,
                       width = sizes_.panels.sizeOf(group) * panelWidth;
    WinogradOutput output;
    output.from = products_ + from * width;
    output.pitch = sizes_.outputPitch();
    output.channels = std::min(width, out_.columns() - firstColumn);
    output.rows = std::min(sizes_.tile, sizes_.outHeight - place.row);
    output.columns = std::min(sizes_.tile, sizes_.outWidth - place.column);
    if constexpr (ofHalves) {
      return store(output, pixel, firstColumn, fault);
    } else {
      if (epilogue_.results() != nullptr) return store(output, pixel, firstColumn, fault);
      output.outPitch = out_.rowPitch();
      output.outRowPitch = sizes_.outWidth * output.outPitch;
      output.out = out_.as<float>() + pixel * output.outPitch + firstColumn;
      output.epilogue = epilogue_.inRegisters().from(pixel, firstColumn);
      output.residualRowPitch = sizes_.outWidth * output.epilogue.residualPitch;
      kernels_.output(output);
      return true;
    }
  }

  // Stores results through an epilogue that kernels cannot apply in registers.
  bool store(WinogradOutput output, std::int64_t pixel, std::int64_t firstColumn, Fault& fault) const {
    constexpr std::int64_t mostColumns = mostWinogradPanels * panelWidth;
    alignas(tensorAlignment) float sums[largestWinogradTile * largestWinogradTile * mostColumns];
    output.out = sums;
    output.outPitch = mostColumns;
    output.outRowPitch = sizes_.tile * mostColumns;
    kernels_.output(output);
    for (std::int64_t row = 0; row < output.rows; ++row)
      if (!storeRow(sums + row * output.outRowPitch, output, pixel + row * sizes_.outWidth, firstColumn, fault))
        return false;
    return true;
  }
  bool storeRow(const float* sums, const WinogradOutput& output, std::int64_t pixel, std::int64_t firstColumn,
                Fault& fault) const {
    if constexpr (ofHalves) {
      return epilogue_.store(sums, output.outPitch, pixel, output.columns, firstColumn, output.channels, fault);
    } else {
      for (std::int64_t column = 0; column < output.columns; ++column)
        if (!epilogue_.results()->store(sums + column * output.outPitch, pixel + column, firstColumn, output.channels,
                                        fault))
          return false;
      return true;
    }
  }

  const WinogradSizes sizes_;
  const WinogradKernels& kernels_;
  GridPart part_;
  const TensorView &image_, &out_;
  const Elements* const filter_;
  const Epilogue epilogue_;
  float *const input_, *const transformedFilter_, *const products_, *const zeros_, *const widened_;
  std::pair<std::int64_t, std::int64_t> transformed_{-1, -1};  // the group of panels and the block of channels
};

// A program links only the kernels of the forms that its operators use.
template <std::int64_t tile>
const WinogradKernels& winogradKernels() {
  if constexpr (tile == 2) return AXLE_KERNELS_IN_USE(winogradF2);
  if constexpr (tile == 4) return AXLE_KERNELS_IN_USE(winogradF4);
  if constexpr (tile == 6) return AXLE_KERNELS_IN_USE(winogradF6);
}

template <bool ofHalves>
[[gnu::noinline]] bool runTiles(Step& step, Part part, std::int64_t tile, const WinogradKernels& kernels,
                                Fault& fault) {
  return WinogradConv<ofHalves>(step, part, tile, kernels).run(fault);
}

template <std::int64_t tile, bool ofHalves>
bool runConvWinograd(Step& step, Part part, Fault& fault) {
  return runTiles<ofHalves>(step, part, tile, winogradKernels<tile>(), fault);
}

const char* prepareTiles(Step& step, std::int64_t tile, PartKernel kernel, bool widens) {
  const Shape &x = step.in(0).shape, &f = step.in(1).shape, &y = step.out(0).shape;
  if (x.rank() != 4 || y.rank() != 4 || f.rank() != 5 || step.ints.size() != 11) return "the ranks do not fit";
  for (int i : {0, 1, 6, 7, 8, 9, 10})
    if (step.integer(i) != 1) return "the windows are not dense";
  for (int i = 0; i < 2; ++i) {
    const Window axis{x[i + 1], 3, 1, step.integer(2 + 2 * i), step.integer(3 + 2 * i), 1};
    if (!axis.valid()) return "a padding or size is out of range";
    if (y[i + 1] != axis.output()) return "the result has other sizes";
  }
  if (y[0] != x[0]) return "the result has other sizes";
  if (f[0] != panelsOf(y[3]) || f[1] != 3 || f[2] != 3 || f[3] != x[3] || f[4] != panelWidth)
    return "the channels do not fit";
  if (x[3] >= windowLimit / winogradElements(tile)) return "too many channels";
  const WinogradSizes sizes(step, tile);
  step.macs = static_cast<std::uint64_t>(y.elements()) * winogradTaps * static_cast<std::uint64_t>(x[3]);
  const std::int64_t elements = sizes.workspace() + (widens ? sizes.widened() : 0);
  if (elements > windowLimit) return "the tiles are too large";
  return divideStep(step, kernel, productNanoseconds(*step.macs) / 2,
                    static_cast<std::uint64_t>(elements) * sizeof(float));
}

template <std::int64_t tile>
const char* prepare(Step& step) {
  if (step.in(0).elem != Elem::f32 || step.in(1).elem != Elem::f32 || step.baseElem() != Elem::f32) return "not f32";
  return prepareTiles(step, tile, runConvWinograd<tile, false>, false);
}

template <std::int64_t tile>
const char* prepareHalf(Step& step) {
  if (const char* problem = checkHalves(step)) return problem;
  return prepareTiles(step, tile, runConvWinograd<tile, true>, true);
}

}  // namespace

const char* prepareConvWinogradF2(Step& step) { return prepare<2>(step); }
const char* prepareConvWinogradF4(Step& step) { return prepare<4>(step); }
const char* prepareConvWinogradF6(Step& step) { return prepare<6>(step); }
const char* prepareConvWinogradHalfF2(Step& step) { return prepareHalf<2>(step); }
const char* prepareConvWinogradHalfF4(Step& step) { return prepareHalf<4>(step); }
const char* prepareConvWinogradHalfF6(Step& step) { return prepareHalf<6>(step); }

}  // namespace axle::runtime
