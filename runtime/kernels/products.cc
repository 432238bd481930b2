#include "runtime/kernels/products.h"

#include <algorithm>

namespace axle::runtime {
namespace {

// How the operand of an operator in an epilogue lies to the result.
enum class OperandKind : std::uint8_t { other, one, byColumn, whole };

OperandKind kindOf(const TensorView& operand, const TensorView& out) {
  if (operand.elem != Elem::f32) return OperandKind::other;
  if (operand.shape == out.shape) return OperandKind::whole;
  if (operand.shape.elements() == 1) return OperandKind::one;
  return operand.columns() == out.columns() && operand.shape.elements() == out.columns() ? OperandKind::byColumn
                                                                                         : OperandKind::other;
}

// The order in which kernels apply the parts.
enum EpiloguePart : std::uint8_t { scale, bias, residual, low, high, none };

// The part that an operator with this operand is, or none.
EpiloguePart epiloguePartOf(std::uint32_t op, OperandKind kind) {
  struct Row {
    std::uint32_t op;
    OperandKind kind;
    EpiloguePart part;
  };
  static constexpr Row rows[] = {
      {op::mul, OperandKind::byColumn, scale}, {op::add, OperandKind::byColumn, bias},
      {op::add, OperandKind::whole, residual}, {op::maximum, OperandKind::one, low},
      {op::minimum, OperandKind::one, high},
  };
  for (const Row& row : rows)
    if (row.op == op && row.kind == kind) return row.part;
  return none;
}

void set(ProductEpilogue& epilogue, EpiloguePart part, const TensorView& operand) {
  const auto* data = operand.as<float>();
  if (part == scale) epilogue.scale = data;
  if (part == bias) epilogue.bias = data;
  if (part == residual) epilogue.residual = data, epilogue.residualPitch = operand.rowPitch();
  if (part == low) epilogue.low = *data;
  if (part == high) epilogue.high = *data;
}

}  // namespace

RegisterEpilogue registerEpilogue(const Step& step) {
  RegisterEpilogue found;
  const auto& links = step.node->epilogue;
  const auto operands = static_cast<std::uint32_t>(step.node->inputs.size());
  EpiloguePart last = scale;
  bool isFirst = true;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const manifest::Pointwise& link = links[i];
    const std::uint32_t before = operands + static_cast<std::uint32_t>(i);  // the result of the operator before it
    if (static_cast<Elem>(link.elem) != Elem::f32) return {};
    EpiloguePart part = none;
    if (link.op == op::relu && link.args.size() == 1 && link.args[0] == before) {
      part = low;
      found.atOrigin.low = 0;
    } else if (link.args.size() == 2 && (link.args[0] == before) != (link.args[1] == before)) {
      const std::uint32_t other = link.args[0] == before ? link.args[1] : link.args[0];
      if (other >= operands) return {};
      const TensorView& operand = step.in(static_cast<int>(other));
      part = epiloguePartOf(link.op, kindOf(operand, step.out(0)));
      set(found.atOrigin, part, operand);
    }
    if (part == none || (part <= last && !isFirst)) return {};
    last = part;
    isFirst = false;
  }
  found.isWhole = true;
  return found;
}

GridPart partOf(const Step& step, const PanelProduct& product, Part part) {
  if (part.count == 1) return {};
  const ProductKernels& kernels = AXLE_KERNELS_IN_USE(products);
  const std::int64_t panels = panelsOf(product.columns), rows = products::nextShape(kernels, product, panels).rows;
  return step.team->partOfGrid(part, (product.rows + rows - 1) / rows, products::groupsOf(kernels, product));
}

namespace products {

std::int64_t groupsOf(const ProductKernels& kernels, const PanelProduct& product) {
  const std::int64_t panels = panelsOf(product.columns);
  std::int64_t groups = 0;
  for (std::int64_t panel = 0; panel < panels; ++groups) panel += nextShape(kernels, product, panels - panel).panels;
  return groups;
}

std::int64_t panelOfGroup(const ProductKernels& kernels, const PanelProduct& product, std::int64_t group) {
  const std::int64_t panels = panelsOf(product.columns);
  std::int64_t panel = 0;
  for (; group > 0; --group) panel += nextShape(kernels, product, panels - panel).panels;
  return panel;
}

const ProductShape& nextShape(const ProductKernels& kernels, const PanelProduct& product, std::int64_t left) {
  for (std::int64_t i = 0; i < kernels.count; ++i) {
    const ProductShape& shape = kernels.shapes[i];
    if (shape.panels > 2 && product.rows > shape.rows && shape.panels * product.panelBytes() > largestBlockBytes)
      continue;
    if (shape.panels <= left && (left != shape.panels + 1 || shape.panels < 3)) return shape;
  }
  return kernels.shapes[kernels.count - 1];
}

void planFetches(const PanelProduct& product, const ProductShape& shape, PanelGroup& group, std::int64_t end,
                 std::int64_t tiles) {
  const auto share = [](std::int64_t elements, std::int64_t among) {
    return std::min(panelWidth, (elements + among - 1) / among);
  };
  const std::int64_t panels = end - group.last, blocks = (group.last - group.first) / shape.panels,
                     k = product.taps * product.depth;
  group.fetched = product.right + group.first * product.panelPitch;
  if (panels > 0 && product.rightPitch == panelWidth) {
    group.fetched = product.right + group.last * product.panelPitch;
    group.fetchedEnd = group.fetched + panels * product.panelPitch;
    group.fetchPitch = share(panels * panelWidth, tiles * blocks);
  } else if (k > 0 && group.last - group.first == panelsOf(product.outPitch)) {
    group.resultPitch = share(shape.rows * product.outPitch, blocks * k);
  }
}

bool runBlock(const PanelProduct& product, const ProductShape& shape, const float* const* table, std::int64_t row,
              std::int64_t rows, PanelGroup& group, Fault& fault) {
  alignas(tensorAlignment) float sums[maxProductSums];
  ProductBlock block;
  const std::int64_t k = product.taps * product.depth;
  static constexpr const float* none[maxProductRows] = {};
  block.rows = k > 0 ? table : none;
  block.taps = k > 0 ? product.taps : 1;
  block.depth = k > 0 ? product.depth : 0;
  block.rightPitch = product.rightPitch;
  block.panelPitch = product.panelPitch;
  const ProductKernel kernel = shape.kernels[rows - 1];
  if (group.resultPitch != 0) {
    group.fetched = product.out + (product.firstRow + row + rows) * product.outPitch;
    group.fetchedEnd = group.fetched + rows * product.outPitch;
    group.fetchPitch = row + 2 * rows <= product.rows ? group.resultPitch : 0;
  }
  const bool inRegisters = product.epilogue->isWhole;
  for (std::int64_t panel = group.first; panel < group.last; panel += shape.panels) {
    const std::int64_t column = product.firstColumn + panel * panelWidth;
    block.right = product.right + panel * product.panelPitch;
    block.fetched = group.fetched;
    block.fetchPitch = group.fetchPitch;
    group.fetched += group.fetchPitch * k;
    if (group.fetchedEnd - group.fetched < group.fetchPitch * k) group.fetchPitch = 0;
    const std::int64_t at = product.firstRow + row;
    block.columns = std::min(shape.panels * panelWidth, product.columns - panel * panelWidth);
    if (inRegisters) {
      block.out = product.out + at * product.outPitch + column;
      block.outPitch = product.outPitch;
      block.epilogue = product.epilogue->from(at, column);
      kernel(block);
      continue;
    }
    block.out = sums;
    block.outPitch = shape.panels * panelWidth;
    kernel(block);
    for (std::int64_t i = 0; i < rows; ++i)
      if (!product.results->store(sums + i * block.outPitch, at + i, column, block.columns, fault)) return false;
  }
  return true;
}

}  // namespace products
}  // namespace axle::runtime
