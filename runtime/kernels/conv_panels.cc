// Convolutions of f32, channels last, with a filter in panels [groups * panels, ..window, depth, panelWidth]: products
// of the pixels under each window's taps, read where they lie (indirect), or, of few channels, copied together first.
// The same of f16 and bf16, in bands of pixels and blocks of panels that are widened.
#include <utility>

#include "runtime/by_rows.h"
#include "runtime/kernels/half_bands.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/prepared_product.h"
#include "runtime/kernels/products.h"
#include "runtime/kernels/windowed.h"

namespace axle::runtime {
namespace {

Geometry panelGeometry(const Step& step) {
  const Shape& filter = step.in(1).shape;
  return geometryOf(step, filter.begin() + 1, filter[filter.rank() - 2]);
}

// Whether the results are one row whose windows are rows inside of the image.
bool isRowInside(const Geometry& g) {
  for (int i = 0; i < mostAxes - 1; ++i)
    if (g.window[i] != 1 || g.output[i] != 1 || g.axis[i].before != 0) return false;
  const Window& row = g.axis[mostAxes - 1];
  return g.images == 1 && g.groups == 1 && !g.hasFewChannels() && g.taps <= mostPieces && row.before == 0 &&
         (g.output[mostAxes - 1] - 1) * row.stride + (row.size - 1) * row.dilation < row.input;
}

// The product of a convolution with one group whose windows are rows of pixels.
PanelProduct productOfRows(const Step& step, std::int64_t rows, std::int64_t taps, float* out,
                           const RegisterEpilogue* epilogue = nullptr) {
  PanelProduct product;
  product.rows = rows;
  product.columns = step.out(0).columns();
  product.taps = taps;
  product.depth = step.in(0).columns();
  product.outPitch = step.out(0).rowPitch();
  product.out = out;
  product.epilogue = epilogue;
  product.right = step.in(1).as<float>();
  product.panelPitch = taps * product.depth * panelWidth;
  return product;
}

std::int64_t rowsOfResult(const Step& step) {
  const TensorView& out = step.out(0);
  return out.columns() == 0 ? 0 : out.shape.elements() / out.columns();
}

bool runEvenWindows(Step& step, Part part, Fault& fault) {
  const TensorView &image = step.in(0), &out = step.out(0);
  const std::int64_t pitch = image.rowPitch(), stride = step.integer(image.shape.rank() - 3) * pitch;
  const StepEpilogue epilogue(step);
  PanelProduct product = productOfRows(step, rowsOfResult(step), static_cast<std::int64_t>(step.pixelsOfWindow.size()),
                                       out.as<float>(), &epilogue.inRegisters());
  product.results = epilogue.results();
  product.part = partOf(step, product, part);
  return runEvenRows(product, image.as<float>(), stride, fault, step.pixelsOfWindow, pitch);
}

[[gnu::cold]] void settleEvenWindows(Step& step) {
  const TensorView& image = step.in(0);
  const std::int64_t pitch = image.rowPitch(), stride = step.integer(image.shape.rank() - 3) * pitch;
  const auto taps = static_cast<std::int64_t>(step.pixelsOfWindow.size());
  const PanelProduct product[] = {productOfRows(step, rowsOfResult(step), taps, nullptr)};
  if (prepareEvenProduct(step, product, stride, step.pixelsOfWindow, pitch)) step.kernel = runPreparedStep;
}

// Several groups share the pointers to many rows.
std::int64_t rowsAtOnceOf(const Geometry& g) {
  return std::min(g.groups > 1 ? mostRowsAtOnce : rowsAtOnce(g.pieces() * g.pieceDepth()),
                  std::max<std::int64_t>(g.pixels(), 1));
}

// Of the copy of an image with its padding.
std::uint64_t paddedBytes(const Geometry& g) {
  return g.isPadded ? alignUp(static_cast<std::uint64_t>(g.inputElements()) * sizeof(float)) : 0;
}

// The product of a group of channels; its results and their epilogue are left open.
PanelProduct productOf(const Step& step, const Geometry& g) {
  PanelProduct product;
  product.columns = g.width;
  product.taps = g.pieces();
  product.depth = g.pieceDepth();
  product.outPitch = step.out(0).rowPitch();
  product.panelPitch = g.taps * g.depth * panelWidth;
  return product;
}

// Copies an image into the middle of a padded one.
void padImage(const Geometry& from, const float* image, const Geometry& to, float* padded) {
  std::fill_n(padded, to.inputElements(), 0.0f);
  const std::int64_t row = from.input[2] * from.depth;
  for (std::int64_t a = 0; a < from.input[0]; ++a)
    for (std::int64_t b = 0; b < from.input[1]; ++b, image += row) {
      const std::int64_t at =
          ((a + from.axis[0].before) * to.input[1] + b + from.axis[1].before) * to.input[2] + from.axis[2].before;
      std::copy_n(image, row, padded + at * from.depth);
    }
}

// How the image is read: with its padding, where it is copied with it.
Geometry readGeometry(const Step& step) {
  const Geometry own = panelGeometry(step);
  return own.canBePadded() ? own.padded() : own;
}

// Sets the pointers of a prepared product whose results begin at `pixel`.
void pointWindows(PreparedProduct& product, Windowed& windowed, std::int64_t pixel) {
  for (const PreparedProduct::Rows& rows : product.rows)
    for (std::int64_t tile = 0; tile < rows.tiles; ++tile) {
      const std::int64_t row = rows.row + tile * rows.count, pointers = rows.count * product.block.taps;
      const float** const to = product.table.data() + static_cast<std::int64_t>(rows.table) + tile * pointers;
      windowed.rowsAt(pixel + row, rows.count, 0, to, row);
      if (rows.begin > 0)
        for (std::int64_t i = 0; i < pointers; ++i) to[i] += rows.begin;
    }
}

void pointAllWindows(Step& step) {
  PreparedProduct& product = step.product;
  const Geometry g = readGeometry(step);
  Windowed windowed(g, product.left, reinterpret_cast<std::byte*>(product.memory.data()), 1);
  pointWindows(product, windowed, 0);
}

bool runPadded(Step& step, Fault& fault) {
  auto* const padded = reinterpret_cast<float*>(step.workspace);
  const Geometry own = panelGeometry(step);
  padImage(own, step.in(0).as<float>(), own.padded(), padded);
  return runPrepared(step, padded, fault);
}

[[gnu::cold]] void settleWindows(Step& step) {
  const Geometry g = readGeometry(step);
  if (g.groups != 1 || g.pixels() == 0 || (g.hasFewChannels() && !g.isPadded)) return;
  PanelProduct product = productOf(step, g);
  product.rows = g.pixels();
  product.right = step.in(1).as<float>();
  if (!prepareProduct(step, std::span(&product, 1))) return;
  step.product.memory.resize(Windowed::workspaceBytes(g, 1) / sizeof(float));
  step.product.point = pointAllWindows;
  step.kernel = g.isPadded ? runPadded : runPreparedStep;
}

// The product of a group of channels, or of all from this one on, of pixels from `first` on.
bool runGroup(Windowed& windowed, const PanelProduct& product, std::int64_t group, std::int64_t first, Fault& fault) {
  struct Pixels {
    Windowed& windowed;
    std::int64_t first, group;
  } pixels{windowed, first, group};
  const auto pointAt = [](void* context, std::int64_t row, std::int64_t count, const float** table,
                          std::int64_t before) {
    const Pixels& from = *static_cast<const Pixels*>(context);
    from.windowed.rowsAt(from.first + row, count, from.group, table, before);
  };
  return runProduct(product, {pointAt, &pixels, windowed.table(), product.channelGroups > 1}, fault);
}

bool runGroups(const Step& step, const Geometry& g, Windowed& windowed, PanelProduct& product, std::int64_t first,
               Fault& fault) {
  product.right = step.in(1).as<float>();
  product.channelGroups = g.groups;
  product.channelGroupPitch = panelsOf(g.width) * product.panelPitch;
  return runGroup(windowed, product, 0, first, fault);
}

bool runConvPanels(Step& step, Part part, Fault& fault) {
  if (!step.pixelsOfWindow.empty()) return runEvenWindows(step, part, fault);
  const Geometry g = readGeometry(step);
  const float* input = step.in(0).as<float>();
  std::byte* workspace = workspaceOf(step, part);
  if (g.isPadded) {
    auto* const padded = reinterpret_cast<float*>(workspace);
    workspace += paddedBytes(g);
    padImage(panelGeometry(step), input, g, padded);
    input = padded;
  }
  Windowed windowed(g, input, workspace, rowsAtOnceOf(g));
  const StepEpilogue epilogue(step);
  PanelProduct product = productOf(step, g);
  product.rows = g.pixels();
  product.out = step.out(0).as<float>();
  product.epilogue = &epilogue.inRegisters();
  product.results = epilogue.results();
  product.part = partOf(step, product, part);
  return runGroups(step, g, windowed, product, 0, fault);
}

// A convolution of f16 or bf16: each unit of work is a band of the result by a block of panels of one group.
struct HalfPanels {
  // So many pixels pay for the widening of the panels.
  static constexpr std::int64_t pixelsOfBand = 128;

  const HalfBands bands;
  const std::int64_t panels;               // of a group
  std::int64_t panelPitch, blocksOfGroup;  // elements; blocks of panels
  std::uint64_t inputBytes, filterBytes, sumBytes;

  explicit HalfPanels(const Step& step)
      : bands(step, panelGeometry(step), pixelsOfBand), panels(panelsOf(bands.whole().width)) {
    const Geometry& g = bands.whole();
    panelPitch = g.taps * g.depth * panelWidth;
    const std::int64_t fitting =
        products::cachedBytes / (std::max<std::int64_t>(panelPitch, 1) * static_cast<std::int64_t>(sizeof(float)));
    const std::int64_t most = fitting >= 4 ? fitting / 4 * 4 : 2;
    blocksOfGroup = (panels + most - 1) / most;
    const std::int64_t ofBlock = blocksOfGroup == 0 ? 0 : (panels + blocksOfGroup - 1) / blocksOfGroup;
    inputBytes = bands.inputBytes();
    filterBytes = alignUp(static_cast<std::uint64_t>(ofBlock * panelPitch) * sizeof(float));
    sumBytes = alignUp(static_cast<std::uint64_t>(bands.mostPixels() * ofBlock * panelWidth) * sizeof(float));
  }
  std::int64_t blocks() const { return bands.whole().groups * blocksOfGroup; }
  std::int64_t firstPanel(std::int64_t block) const { return panels * block / blocksOfGroup; }
  std::uint64_t workspaceBytes() const {
    return inputBytes + filterBytes + sumBytes + Windowed::workspaceBytes(bands.whole(), rowsAtOnceOf(bands.whole()));
  }
};

bool runConvPanelsHalf(Step& step, Part part, Fault& fault) {
  const HalfPanels conv(step);
  const HalfBands& bands = conv.bands;
  const Geometry& whole = bands.whole();
  const HalfEpilogue epilogue(step);
  std::byte* const workspace = workspaceOf(step, part);
  auto *const input = reinterpret_cast<float*>(workspace),
              *const filter = reinterpret_cast<float*>(workspace + conv.inputBytes),
              *const sums = reinterpret_cast<float*>(workspace + conv.inputBytes + conv.filterBytes);
  std::byte* const windows = workspace + conv.inputBytes + conv.filterBytes + conv.sumBytes;
  const RegisterEpilogue none{{}, true};
  PanelProduct product = productOf(step, whole);
  product.right = filter, product.out = sums, product.epilogue = &none;
  const std::int64_t blocks = conv.blocks(), units = bands.count() * blocks;
  std::int64_t widenedBand = -1, widenedBlock = -1;
  HalfBands::Band band{whole, 0, 0};
  for (std::int64_t unit = part.begin(units); unit < part.end(units); ++unit) {
    const std::int64_t block = unit % blocks, group = block / conv.blocksOfGroup, ofGroup = block % conv.blocksOfGroup;
    const std::int64_t panel = conv.firstPanel(ofGroup), last = conv.firstPanel(ofGroup + 1);
    if (std::exchange(widenedBand, unit / blocks) != unit / blocks) {
      band = bands.at(unit / blocks);
      bands.widen(step, band, input);
    }
    if (std::exchange(widenedBlock, block) != block)
      widenHalves(step.in(1).elem)({step.in(1).as<std::uint16_t>() + (group * conv.panels + panel) * conv.panelPitch, 0,
                                    1, (last - panel) * conv.panelPitch, filter, 0});
    product.rows = band.g.pixels();
    product.columns = std::min((last - panel) * panelWidth, whole.width - panel * panelWidth);
    product.outPitch = product.columns;
    Windowed windowed(band.g, input, windows, rowsAtOnceOf(whole));
    if (!runGroup(windowed, product, group, 0, fault) ||
        !epilogue.store(sums, product.outPitch, band.firstPixel, product.rows, group * whole.width + panel * panelWidth,
                        product.columns, fault))
      return false;
  }
  return true;
}

// Checks image, filter and result. Returns the error, or null.
const char* checkPanels(const Step& step) {
  const Shape &x = step.in(0).shape, &f = step.in(1).shape, &y = step.out(0).shape;
  const int rank = x.rank(), r = rank - 2;
  if (f.rank() != rank + 1) return "the ranks do not fit";
  if (const char* problem = checkGeometry(step, f.begin() + 1)) return problem;
  const std::int64_t groups = step.integer(5 * r), results = y[rank - 1];
  std::int64_t channels = 0, panels = 0;
  if (groups < 1 || results % groups != 0 || __builtin_mul_overflow(groups, f[r + 1], &channels) ||
      channels != x[rank - 1] || __builtin_mul_overflow(groups, panelsOf(results / groups), &panels) ||
      panels != f[0] || f[r + 2] != panelWidth)
    return "the channels do not fit";
  return nullptr;
}

}  // namespace

[[gnu::cold]] void prepareRowOfPanels(Step& step) {
  const Geometry g = panelGeometry(step);
  if (g.groups != 1 || g.output[2] > rowsAtOnceOf(g)) return;
  PanelProduct product = productOf(step, g);
  product.rows = g.output[2];
  prepareProduct(step, std::span(&product, 1));
}

void runRowOfPanels(Step& step, const RowCall& call) {
  const Geometry g = panelGeometry(step);
  Windowed windowed(g, call.input, call.workspace, rowsAtOnceOf(g), call.kept);
  const std::int64_t row = call.image * g.output[1] + call.row;
  const std::int64_t pixel = (call.kept == 0 ? row : call.row) * g.output[2];
  if (isPrepared(step)) {
    pointWindows(step.product, windowed, pixel);
    return runPreparedRows(step, call.out, row * g.output[2]);
  }
  const RegisterEpilogue epilogue = registerEpilogue(step).fromRow(row * g.output[2]);
  PanelProduct product = productOf(step, g);
  product.rows = g.output[2];
  product.out = call.out;
  product.epilogue = &epilogue;
  Fault none;
  runGroups(step, g, windowed, product, pixel, none);
}

// The same of a window of one pixel.
[[gnu::cold]] void prepareRowOfPixels(Step& step) {
  const PanelProduct product[] = {productOfRows(step, step.out(0).shape[2], 1, nullptr)};
  prepareEvenProduct(step, product, step.in(0).rowPitch());
}

void runRowOfPixels(Step& step, const RowCall& call) {
  const TensorView &image = step.in(0), &out = step.out(0);
  const std::int64_t width = out.shape[2], pitch = image.rowPitch(), row = call.image * out.shape[1] + call.row;
  const float* const first = call.input + (call.kept == 0 ? row : call.row % call.kept) * width * pitch;
  if (isPrepared(step)) {
    pointPrepared(step, first);
    return runPreparedRows(step, call.out, row * width);
  }
  const RegisterEpilogue epilogue = registerEpilogue(step).fromRow(row * width);
  const PanelProduct product = productOfRows(step, width, 1, call.out, &epilogue);
  Fault none;
  runEvenRows(product, first, pitch, none);
}

const char* prepareConvPanels(Step& step) {
  const TensorView &image = step.in(0), &filter = step.in(1), &out = step.out(0);
  if (image.elem != Elem::f32 || filter.elem != Elem::f32 || step.baseElem() != Elem::f32) return "not f32";
  if (const char* problem = checkPanels(step)) return problem;
  const Geometry g = panelGeometry(step);
  const bool isPixelwise =
      g.taps == 1 && g.groups == 1 && g.axis[0].isIdentity() && g.axis[1].isIdentity() && g.axis[2].isIdentity();
  step.pixelsOfWindow.clear();
  if (!step.late && (isPixelwise || isRowInside(g)))
    for (std::int64_t tap = 0; tap < g.taps; ++tap) step.pixelsOfWindow.push_back(tap * g.axis[mostAxes - 1].dilation);
  step.macs = static_cast<std::uint64_t>(out.shape.elements()) * static_cast<std::uint64_t>(g.taps * g.depth);
  const std::uint64_t nanoseconds = productNanoseconds(*step.macs),
                      bytes = Windowed::workspaceBytes(g, rowsAtOnceOf(g)),
                      padded = g.canBePadded() ? paddedBytes(g.padded()) : 0;
  step.settle = step.pixelsOfWindow.empty() ? settleWindows : settleEvenWindows;
  if (image.shape.rank() == 4 && linkedByRows != nullptr)
    step.byRows = byRowsOf(g, isPixelwise ? linkedByRows->pixels : linkedByRows->panels, nanoseconds, bytes);
  return divideStep(step, runConvPanels, nanoseconds, bytes + padded);
}

const char* prepareConvPanelsHalf(Step& step) {
  if (const char* problem = checkHalves(step)) return problem;
  if (const char* problem = checkPanels(step)) return problem;
  const HalfPanels conv(step);
  const Geometry& g = conv.bands.whole();
  step.macs = static_cast<std::uint64_t>(step.out(0).shape.elements()) * static_cast<std::uint64_t>(g.taps * g.depth);
  return divideStep(step, runConvPanelsHalf, productNanoseconds(*step.macs), conv.workspaceBytes());
}

}  // namespace axle::runtime
