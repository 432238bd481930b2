// Convolutions of f32, channels last, with a filter in panels [groups * panels, ..window, depth, panelWidth]: products
// of the pixels under each window's taps, read where they lie (indirect), or, of few channels, copied together first.
#include "runtime/by_rows.h"
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

bool runRowInside(Step& step, Part part, Fault& fault) {
  const TensorView &image = step.in(0), &out = step.out(0);
  const std::int64_t pitch = image.rowPitch(), stride = step.integer(image.shape.rank() - 3) * pitch;
  const StepEpilogue epilogue(step);
  PanelProduct product = productOfRows(step, rowsOfResult(step), static_cast<std::int64_t>(step.pixelsOfWindow.size()),
                                       out.as<float>(), &epilogue.inRegisters());
  product.results = epilogue.results();
  product.part = partOf(step, product, part);
  return runEvenRows(product, image.as<float>(), stride, fault, step.pixelsOfWindow, pitch);
}

[[gnu::cold]] void settleRowInside(Step& step) {
  const TensorView& image = step.in(0);
  const std::int64_t pitch = image.rowPitch(), stride = step.integer(image.shape.rank() - 3) * pitch;
  const auto taps = static_cast<std::int64_t>(step.pixelsOfWindow.size());
  const PanelProduct product[] = {productOfRows(step, rowsOfResult(step), taps, nullptr)};
  prepareEvenProduct(step, product, stride, step.pixelsOfWindow, pitch);
}

[[gnu::cold]] void settlePixels(Step& step) {
  const PanelProduct product[] = {productOfRows(step, rowsOfResult(step), 1, nullptr)};
  prepareEvenProduct(step, product, step.in(0).rowPitch());
}

std::int64_t rowsAtOnceOf(const Geometry& g) {
  return std::min(rowsAtOnce(g.pieces() * g.pieceDepth()), std::max<std::int64_t>(g.pixels(), 1));
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

void pointWindows(Step& step) {
  PreparedProduct& product = step.product;
  const Geometry g = readGeometry(step);
  Windowed windowed(g, product.left, reinterpret_cast<std::byte*>(product.memory.data()), 1);
  for (const PreparedProduct::Rows& rows : product.rows)
    for (std::int64_t tile = 0; tile < rows.tiles; ++tile)
      windowed.rowsAt(
          rows.row + tile * rows.count, rows.count, 0,
          product.table.data() + static_cast<std::int64_t>(rows.table) + tile * rows.count * product.block.taps);
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
  step.product.point = pointWindows;
  if (g.isPadded) step.kernel = runPadded;
}

// The product of each group, of pixels from `first` on.
bool runGroups(const Step& step, const Geometry& g, Windowed& windowed, PanelProduct& product, std::int64_t first,
               Fault& fault) {
  for (std::int64_t group = 0; group < g.groups; ++group) {
    product.right = step.in(1).as<float>() + group * panelsOf(g.width) * product.panelPitch;
    product.firstColumn = group * g.width;
    struct Pixels {
      Windowed& windowed;
      std::int64_t first, group;
    } pixels{windowed, first, group};
    const auto pointAt = [](void* context, std::int64_t row, std::int64_t count, const float** table,
                            std::int64_t before) {
      const Pixels& from = *static_cast<const Pixels*>(context);
      from.windowed.rowsAt(from.first + row, count, from.group, table, before);
    };
    if (!runProduct(product, {pointAt, &pixels, windowed.table()}, fault)) return false;
  }
  return true;
}

bool runConvPanels(Step& step, Part part, Fault& fault) {
  if (!step.pixelsOfWindow.empty()) return runRowInside(step, part, fault);
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

}  // namespace

void runRowOfPanels(const Step& step, const RowCall& call) {
  const Geometry g = panelGeometry(step);
  Windowed windowed(g, call.input, call.workspace, rowsAtOnceOf(g), call.kept);
  const std::int64_t row = call.image * g.output[1] + call.row;
  const RegisterEpilogue epilogue = registerEpilogue(step).fromRow(row * g.output[2]);
  PanelProduct product = productOf(step, g);
  product.rows = g.output[2];
  product.out = call.out;
  product.epilogue = &epilogue;
  Fault none;
  runGroups(step, g, windowed, product, (call.kept == 0 ? row : call.row) * g.output[2], none);
}

// The same of a window of one pixel.
void runRowOfPixels(const Step& step, const RowCall& call) {
  const TensorView &image = step.in(0), &out = step.out(0);
  const std::int64_t width = out.shape[2], pitch = image.rowPitch(), row = call.image * out.shape[1] + call.row;
  const float* const first = call.input + (call.kept == 0 ? row : call.row % call.kept) * width * pitch;
  const RegisterEpilogue epilogue = registerEpilogue(step).fromRow(row * width);
  const PanelProduct product = productOfRows(step, width, 1, call.out, &epilogue);
  Fault none;
  runEvenRows(product, first, pitch, none);
}

const char* prepareConvPanels(Step& step) {
  const TensorView &image = step.in(0), &filter = step.in(1);
  const Shape &x = image.shape, &f = filter.shape, &y = step.out(0).shape;
  const int rank = x.rank(), r = rank - 2;
  if (image.elem != Elem::f32 || filter.elem != Elem::f32 || step.baseElem() != Elem::f32) return "not f32";
  if (f.rank() != rank + 1) return "the ranks do not fit";
  if (const char* problem = checkGeometry(step, f.begin() + 1)) return problem;
  const std::int64_t groups = step.integer(5 * r), results = y[rank - 1];
  std::int64_t channels = 0, panels = 0;
  if (groups < 1 || results % groups != 0 || __builtin_mul_overflow(groups, f[r + 1], &channels) ||
      channels != x[rank - 1] || __builtin_mul_overflow(groups, panelsOf(results / groups), &panels) ||
      panels != f[0] || f[r + 2] != panelWidth)
    return "the channels do not fit";
  const Geometry g = panelGeometry(step);
  step.pixelsOfWindow.clear();
  if (!step.late && isRowInside(g))
    for (std::int64_t tap = 0; tap < g.taps; ++tap) step.pixelsOfWindow.push_back(tap * g.axis[mostAxes - 1].dilation);
  step.macs = static_cast<std::uint64_t>(y.elements()) * static_cast<std::uint64_t>(g.taps * g.depth);
  const std::uint64_t nanoseconds = productNanoseconds(*step.macs),
                      bytes = Windowed::workspaceBytes(g, rowsAtOnceOf(g)),
                      padded = g.canBePadded() ? paddedBytes(g.padded()) : 0;
  const bool isPixelwise =
      g.taps == 1 && g.groups == 1 && g.axis[0].isIdentity() && g.axis[1].isIdentity() && g.axis[2].isIdentity();
  step.settle = !step.pixelsOfWindow.empty() ? settleRowInside : isPixelwise ? settlePixels : settleWindows;
  if (r == 2 && linkedByRows != nullptr)
    step.byRows = byRowsOf(g, isPixelwise ? linkedByRows->pixels : linkedByRows->panels, nanoseconds, bytes);
  return divideStep(step, runConvPanels, nanoseconds, bytes + padded);
}

}  // namespace axle::runtime
