#include "runtime/kernels/few_rows.h"

#include "runtime/kernels/products.h"

namespace axle::runtime {
namespace {

void setEpilogue(const Step& step, ProductEpilogue& parts) {
  const EpilogueForm& form = step.epilogueForm;
  const auto elementsOf = [&](EpiloguePart part) { return step.in(form.input(part)).as<float>(); };
  if (form.has(EpiloguePart::scale)) parts.scale = elementsOf(EpiloguePart::scale);
  if (form.has(EpiloguePart::bias)) parts.bias = elementsOf(EpiloguePart::bias);
  if (form.has(EpiloguePart::residual)) parts.residual = elementsOf(EpiloguePart::residual);
  if (form.has(EpiloguePart::low)) parts.low = *elementsOf(EpiloguePart::low);
  if (form.has(EpiloguePart::high)) parts.high = *elementsOf(EpiloguePart::high);
}

bool runFewRows(Step& step, Fault&) {
  FewRows& few = step.fewRows;
  const auto* const left = step.in(0).as<float>();
  const float** to = few.table.data();
  for (const std::int64_t piece : few.pieces)
    for (std::int64_t i = 0; i < few.rows; ++i) *to++ = left + i * few.pitch + piece;
  ProductBlock& block = few.block;
  block.right = block.fetched = step.in(1).as<float>();
  block.out = step.out(0).as<float>();
  setEpilogue(step, block.epilogue);
  for (const FewRows::Call* call = few.calls.data(), *const last = call + few.calls.size() - 1;; ++call) {
    block.columns = call->columns;
    call->kernel(block);
    if (call == last) return true;
    block.right += call->columns / panelWidth * block.panelPitch;
    block.out += call->columns;
    ProductEpilogue& parts = block.epilogue;
    for (const float** part : {&parts.scale, &parts.bias, &parts.residual})
      if (*part != nullptr) *part += call->columns;
  }
}

}  // namespace

void settleFewRows(Step& step, const EvenFactors& factors) {
  const ProductKernels& kernels = AXLE_KERNELS_IN_USE(products);
  const TensorView& out = step.out(0);
  const std::int64_t elements = out.shape.elements();
  if (step.late || step.parts != 1 || !step.epilogueForm.isWhole || elements == 0 || factors.depth == 0) return;
  PanelProduct product;
  product.rows = elements / out.columns();
  if (product.rows > kernels.shapes[0].rows) return;  // shapes of fewer panels have more rows
  FewRows& few = step.fewRows;
  few = {};
  few.rows = product.rows, few.pitch = factors.pitch;
  for (const std::int64_t piece : factors.pieces) few.pieces.push_back(piece * factors.piecePitch);
  few.table.resize(few.pieces.size() * static_cast<std::size_t>(few.rows));
  product.taps = static_cast<std::int64_t>(few.pieces.size());
  product.depth = factors.depth;
  for (std::int64_t left = out.columns(); left > 0;) {
    const ProductShape& shape = products::nextShape(kernels, product, panelsOf(left));
    const std::int64_t columns = std::min(shape.panels * panelWidth, left);
    few.calls.push_back({shape.kernels[few.rows - 1], columns});
    left -= columns;
  }
  ProductBlock& block = few.block;
  block.rows = few.table.data();
  block.taps = product.taps, block.depth = product.depth;
  block.panelPitch = product.k() * panelWidth;
  block.outPitch = out.rowPitch();
  if (step.epilogueForm.has(EpiloguePart::residual))
    block.epilogue.residualPitch = step.in(step.epilogueForm.input(EpiloguePart::residual)).rowPitch();
  if (step.epilogueForm.isRelu) block.epilogue.low = 0;
  step.kernel = runFewRows;
}

}  // namespace axle::runtime
