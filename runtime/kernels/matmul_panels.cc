// Matrix products of f32: with a constant right factor stored in panels [panels, k, panelWidth], and with a computed
// one.
#include <algorithm>

#include "runtime/bundle_format.h"
#include "runtime/kernels/factors.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/prepared_product.h"
#include "runtime/kernels/products.h"
#include "runtime/kernels/window.h"
#include "runtime/strips.h"

namespace axle::runtime {
namespace {

PanelProduct productOf(const Step& step) {
  const TensorView& out = step.out(0);
  PanelProduct product;
  product.rows = out.shape.elements() / out.columns();
  product.columns = out.columns();
  product.depth = step.in(0).columns();
  product.outPitch = out.rowPitch();
  product.out = out.as<float>();
  return product;
}

PanelProduct productByPanels(const Step& step) {
  PanelProduct product = productOf(step);
  product.right = step.in(1).as<float>();
  product.panelPitch = product.depth * panelWidth;
  return product;
}

void finishWith(PanelProduct& product, const StepEpilogue& epilogue) {
  product.epilogue = &epilogue.inRegisters();
  product.results = epilogue.results();
}

bool runMatmulPanels(Step& step, Part part, Fault& fault) {
  const StepEpilogue epilogue(step);
  PanelProduct product = productByPanels(step);
  finishWith(product, epilogue);
  product.part = partOf(step, product, part);
  return runEvenRows(product, step.in(0).as<float>(), step.in(0).rowPitch(), fault);
}

[[gnu::cold]] void settleMatmulPanels(Step& step) {
  if (step.out(0).shape.elements() == 0) return;
  const PanelProduct product[] = {productByPanels(step)};
  if (prepareEvenProduct(step, product, step.in(0).rowPitch())) step.kernel = runPreparedStep;
}

// With fewer rows, packing the right factor would take as long as the product.
constexpr std::int64_t rowsWorthPacking = 24;

// A right factor of at most this size stays in the first-level cache and is faster in place.
constexpr std::int64_t bytesInPlace = std::int64_t{48} * 1024;

// How a right factor [k, columns] is read: copied in panels into the workspace, or in place. A last panel that is not
// full is copied also then; of few columns column by column in both cases.
struct Packing {
  bool packs = false;
  std::int64_t panels = 0;    // read at once
  std::int64_t whole = 0;     // the columns that are not read as the rest
  bool restIsNarrow = false;  // the rest is stored column by column

  // `depth`: of the piece of k that is packed at once.
  Packing(std::int64_t rows, std::int64_t k, std::int64_t columns, std::int64_t depth) {
    constexpr std::int64_t bytes = sizeof(float);
    const std::int64_t all = panelsOf(columns), rest = columns % panelWidth;
    restIsNarrow = isNarrow(rest, k);
    packs = rows >= rowsWorthPacking &&
            (AXLE_KERNELS_IN_USE(products).needPanels || k > bytesInPlace / bytes / std::max<std::int64_t>(columns, 1));
    const std::int64_t fitting = products::cachedBytes / (std::max<std::int64_t>(depth, 1) * panelWidth * bytes);
    panels =
        packs ? std::clamp<std::int64_t>(fitting / 4 * 4, 4, std::max<std::int64_t>(all, 4)) : columns / panelWidth;
    whole = packs && !restIsNarrow ? columns : columns - rest;
  }

  // Returns the panels that are read at once if so many parts share the columns.
  std::int64_t panelsFor(std::int64_t parts, std::int64_t columns) const {
    return packs ? std::min(panels, std::max<std::int64_t>((panelsOf(columns) + parts - 1) / parts, 4)) : panels;
  }
};

// Runs a product, of which these are the pieces: packs each piece of the right factor when it is needed.
bool runPacked(const products::DepthPieces& pieces, const float* left, std::int64_t leftPitch, const float* right,
               std::int64_t pitch, float* packed, Fault& fault) {
  for (std::int64_t piece = 0; piece < pieces.count(); ++piece) {
    RegisterEpilogue epilogue;
    PanelProduct of = pieces.at(piece, epilogue);
    of.right = packed, of.panelPitch = of.depth * panelWidth;
    packPanels(right + pieces.begin(piece) * pitch, pitch, of.depth, of.columns, packed);
    if (!runEvenRows(of, left + pieces.begin(piece), leftPitch, fault)) return false;
  }
  return true;
}

// Runs the prepared product of a right factor in place, whose rest is packed.
bool runInPlace(Step& step, Fault& fault) {
  const TensorView& b = step.in(1);
  const std::int64_t k = step.in(0).columns(), columns = b.columns(), rest = columns % panelWidth;
  const float* const from = b.as<float>() + columns - rest;
  auto* const packed = reinterpret_cast<float*>(step.workspace);
  if (isNarrow(rest, k))
    packColumns(from, b.rowPitch(), k, rest, packed);
  else if (rest > 0)
    packPanels(from, b.rowPitch(), k, rest, packed);
  return runPrepared(step, step.in(0).as<float>(), fault);
}

[[gnu::cold]] void settleMatmulVector(Step& step) {
  const Factors factors(step);
  const Packing packing(factors.m, factors.k, factors.n, factors.k);
  if (step.out(0).shape.elements() == 0 || factors.batches != 1 || packing.packs) return;
  PanelProduct ranges[2] = {productOf(step), productOf(step)};
  auto& [inPlace, rest] = ranges;
  inPlace.columns = packing.whole;
  inPlace.rightPitch = factors.b.rowPitch(), inPlace.panelPitch = panelWidth;
  rest.firstColumn = packing.whole, rest.columns = factors.n - packing.whole;
  rest.isInWorkspace = true;
  if (packing.restIsNarrow)
    rest.narrow = &AXLE_KERNELS_IN_USE(narrowProducts).shape, rest.rightPitch = narrowPitch(factors.k);
  if (prepareEvenProduct(step, ranges, step.in(0).rowPitch())) step.kernel = runInPlace;
}

bool runMatmulVector(Step& step, Part part, Fault& fault) {
  const StepEpilogue epilogue(step);
  PanelProduct product = productOf(step);
  finishWith(product, epilogue);
  const Factors factors(step);
  const std::int64_t m = factors.m, n = factors.n, k = factors.k, pitch = factors.b.rowPitch();
  product.rows = m;
  const products::DepthPieces pieces(AXLE_KERNELS_IN_USE(products), product);
  const Packing packing(m, k, n, pieces.greatestDepth());
  auto* const packed = reinterpret_cast<float*>(workspaceOf(step, part));
  // One product for each batch and range of columns. Parts take whole products, or a share of each where the products
  // do not divide evenly.
  const std::int64_t atOnce = packing.panelsFor(factors.batches < part.count ? part.count : 1, n);
  const std::int64_t fit = std::max<std::int64_t>(atOnce, 1) * panelWidth, whole = packing.whole,
                     ranges = (whole + fit - 1) / fit + (whole < n ? 1 : 0), products = factors.batches * ranges;
  const bool dividesEach = products % part.count != 0 && products < std::int64_t{4} * part.count;
  const Part mine = dividesEach ? Part() : part;
  for (std::int64_t at = mine.begin(products); at < mine.end(products); ++at) {
    const std::int64_t batch = at / ranges, column = std::min(at % ranges * fit, whole);
    const auto* const right = factors.right<float>(batch, column);
    const bool packs = packing.packs || column == whole;
    product.narrow = packing.restIsNarrow && column == whole ? &AXLE_KERNELS_IN_USE(narrowProducts).shape : nullptr;
    product.firstRow = batch * m;
    product.firstColumn = column;
    product.columns = (column == whole ? n : std::min(column + fit, whole)) - column;
    product.right = packs ? packed : right;
    product.rightPitch = product.narrow != nullptr ? narrowPitch(k) : packs ? panelWidth : pitch;
    product.panelPitch = packs ? k * panelWidth : panelWidth;
    if (dividesEach) product.part = partOf(step, product, part);
    const float* const left = factors.left<float>(batch);
    const std::int64_t leftPitch = factors.a.rowPitch();
    if (product.narrow != nullptr) packColumns(right, pitch, k, product.columns, packed);
    if (!(packs && product.narrow == nullptr ? runPacked(pieces, left, leftPitch, right, pitch, packed, fault)
                                             : runEvenRows(product, left, leftPitch, fault)))
      return false;
  }
  return true;
}

}  // namespace

bool runStripOfProduct(Step& step, const StripCall& call, Fault& fault) {
  StepEpilogue epilogue(step);
  if (call.out != nullptr) epilogue.moveTo(call.out, call.begin);
  PanelProduct product = productOf(step);
  finishWith(product, epilogue);
  const Factors factors(step);
  auto* const packed = reinterpret_cast<float*>(call.workspace);
  if (call.isFirst)
    packPanels(factors.right<float>(call.begin / factors.m), factors.b.rowPitch(), product.depth, product.columns,
               packed);
  product.rows = call.end - call.begin, product.firstRow = call.begin;
  product.right = packed, product.panelPitch = product.depth * panelWidth;
  if (call.out != nullptr)
    product.out = reinterpret_cast<float*>(call.out), product.outPitch = product.columns, product.outRow = call.begin;
  if (call.operand == 0) return runEvenRows(product, reinterpret_cast<const float*>(call.input), product.depth, fault);
  return runEvenRows(product, factors.left<float>(0, call.begin), factors.a.rowPitch(), fault);
}

const char* prepareMatmulVector(Step& step) {
  const TensorView &a = step.in(0), &b = step.in(1), &out = step.out(0);
  if (a.elem == Elem::f16 || a.elem == Elem::bf16) return prepareMatmulHalf(step);
  if (a.elem != Elem::f32 || b.elem != Elem::f32 || step.baseElem() != Elem::f32) return "not f32";
  if (const char* problem = checkFactors(step)) return problem;
  const Factors factors(step);
  const std::int64_t m = factors.m, n = factors.n, k = factors.k;
  step.macs = static_cast<std::uint64_t>(out.shape.elements()) * static_cast<std::uint64_t>(k);
  // The epilogue, which comes later, decides whether the depth is divided.
  std::int64_t elements = 0;
  const std::int64_t pieces =
      std::max<std::int64_t>(products::DepthPieces::countOf(AXLE_KERNELS_IN_USE(products), k), 1);
  for (const std::int64_t depth : {k, (k + pieces - 1) / pieces}) {
    const Packing packing(m, k, n, depth);
    std::int64_t rows = 0;  // of panels
    if (__builtin_mul_overflow(packing.packs ? std::min(packing.panels, panelsOf(n)) : 1, depth, &rows) ||
        rows > windowLimit)
      return "the factors are too large";
    elements = std::max(elements, rows);
  }
  if (std::int64_t right = 0;
      linkedStrips != nullptr && !__builtin_mul_overflow(panelsOf(n), k, &right) && right <= windowLimit)
    step.inStrips = {linkedStrips->product, productNanoseconds(*step.macs),
                     static_cast<std::uint64_t>(right * panelWidth) * sizeof(float)};
  step.settle = settleMatmulVector;
  return divideStep(step, runMatmulVector, productNanoseconds(*step.macs),
                    static_cast<std::uint64_t>(elements * panelWidth) * sizeof(float));
}

const char* prepareMatmulPanels(Step& step) {
  const TensorView &a = step.in(0), &b = step.in(1), &out = step.out(0);
  const int rank = out.shape.rank();
  if (a.elem != Elem::f32 || b.elem != Elem::f32 || step.baseElem() != Elem::f32) return "not f32";
  if (rank < 2 || a.shape.rank() != rank || b.shape.rank() != rank + 1) return "the ranks do not fit";
  for (int i = 0; i < rank - 2; ++i)
    if (out.shape[i] != 1 || a.shape[i] != 1 || b.shape[i + 1] != 1) return "the right factor has batches";
  if (a.shape[rank - 2] != out.shape[rank - 2] || b.shape[0] != panelsOf(out.shape[rank - 1]) ||
      b.shape[rank - 1] != a.shape[rank - 1] || b.shape[rank] != panelWidth)
    return "the sizes do not fit";
  step.macs = static_cast<std::uint64_t>(out.shape.elements()) * static_cast<std::uint64_t>(a.shape[rank - 1]);
  step.settle = settleMatmulPanels;
  return divideStep(step, runMatmulPanels, productNanoseconds(*step.macs));
}

}  // namespace axle::runtime
