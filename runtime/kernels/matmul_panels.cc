// Matrix products of f32: with a constant right factor in panels [panels, k, panelWidth], and with one that is computed.
#include <algorithm>

#include "runtime/bundle_format.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/products.h"

namespace axle::runtime {
namespace {

PanelProduct productOf(const Step& step, const RegisterEpilogue& epilogue, const Results& results) {
  const TensorView& out = step.out(0);
  PanelProduct product;
  product.rows = out.shape.elements() / out.columns();
  product.columns = out.columns();
  product.depth = step.in(0).columns();
  product.outPitch = out.rowPitch();
  product.out = out.as<float>();
  product.epilogue = &epilogue;
  product.results = &results;
  return product;
}

bool runRowsOf(const PanelProduct& product, const float* left, std::int64_t pitch, Fault& fault) {
  const float* table[maxProductRows];
  const auto rowsAt = [&](std::int64_t row, std::int64_t count, const float** to) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = left + (row + i) * pitch;
  };
  return runProduct(product, table, rowsAt, fault);
}

bool runMatmulPanels(Step& step, Fault& fault) {
  const RegisterEpilogue epilogue = registerEpilogue(step);
  const Results results(step);
  PanelProduct product = productOf(step, epilogue, results);
  product.right = step.in(1).as<float>();
  product.panelPitch = product.depth * panelWidth;
  return runRowsOf(product, step.in(0).as<float>(), step.in(0).rowPitch(), fault);
}

}  // namespace

const char* prepareMatmulPanels(Step& step) {
  const TensorView &a = step.in(0), &b = step.in(1), &out = step.out(0);
  const int rank = out.shape.rank();
  if (a.elem != Elem::f32 || b.elem != Elem::f32 || step.baseElem() != Elem::f32) return "not f32";
  if (rank < 2 || a.shape.rank() != rank || b.shape.rank() != 3) return "the ranks do not fit";
  for (int i = 0; i < rank - 1; ++i)
    if (a.shape[i] != out.shape[i]) return "the sizes do not fit";
  if (b.shape[0] != panelsOf(out.shape[rank - 1]) || b.shape[1] != a.shape[rank - 1] || b.shape[2] != panelWidth)
    return "the sizes do not fit";
  step.macs = static_cast<std::uint64_t>(out.shape.elements()) * static_cast<std::uint64_t>(a.shape[rank - 1]);
  step.kernel = runMatmulPanels;
  return nullptr;
}

}  // namespace axle::runtime
