#include "runtime/kernels/halves.h"

#include <algorithm>

namespace axle::runtime {
namespace {

struct LinkRow {
  std::uint32_t op;
  HalfLink::Op link;
  std::size_t arity = 2;
  bool commutes = false;
};
constexpr LinkRow linkRows[] = {{op::add, HalfLink::Op::add, 2, true},
                                {op::mul, HalfLink::Op::mul, 2, true},
                                {op::maximum, HalfLink::Op::maximum},
                                {op::minimum, HalfLink::Op::minimum},
                                {op::relu, HalfLink::Op::relu, 1}};

}  // namespace

const char* checkHalves(const Step& step) {
  const Elem elem = step.in(0).elem;
  if (!isHalf(elem)) return "neither f16 nor bf16";
  return step.in(1).elem == elem && step.baseElem() == elem ? nullptr
                                                            : "operands and result must have one element type";
}

HalfEpilogue::HalfEpilogue(const Step& step) : step_(step), results_(step), store_(storeHalves(step.baseElem())) {
  auto before = static_cast<std::uint32_t>(step.node->inputs.size());  // the value that an operator applies to
  for (const manifest::Pointwise& operation : step.node->epilogue)
    isWhole_ = isWhole_ && count_ < links_.size() && addLink(operation, before++);
}

bool HalfEpilogue::addLink(const manifest::Pointwise& operation, std::uint32_t before) {
  const auto* const row = std::find_if(std::begin(linkRows), std::end(linkRows),
                                       [&](const LinkRow& each) { return each.op == operation.op; });
  if (row == std::end(linkRows) || static_cast<Elem>(operation.elem) != step_.baseElem() ||
      operation.args.size() != row->arity)
    return false;
  const bool isSwapped = row->commutes && operation.args[1] == before;
  if (operation.args[isSwapped ? 1 : 0] != before) return false;
  HalfLink link{.op = row->link};
  columnSteps_[count_] = 0;
  if (row->arity == 2) {
    const std::uint32_t input = operation.args[isSwapped ? 0 : 1];
    if (input >= step_.node->inputs.size()) return false;
    const TensorView &operand = step_.in(static_cast<int>(input)), &out = step_.out(0);
    const bool isWhole = operand.shape == out.shape;
    link.operand = operand.as<std::uint16_t>();
    link.isOne = !isWhole && operand.shape.elements() == 1;
    if (isWhole) link.pitch = operand.rowPitch();
    if (!isWhole && !link.isOne && (operand.columns() != out.columns() || operand.shape.elements() != out.columns()))
      return false;
    columnSteps_[count_] = link.isOne ? 0 : 1;
  }
  links_[count_++] = link;
  return true;
}

bool HalfEpilogue::store(const float* sums, std::int64_t pitch, std::int64_t row, std::int64_t rows,
                         std::int64_t column, std::int64_t columns, Fault& fault) const {
  if (isWhole_) {
    const TensorView& out = step_.out(0);
    std::array<HalfLink, mostHalfLinks> links = links_;
    for (std::size_t i = 0; i < count_; ++i)
      if (links[i].operand != nullptr) links[i].operand += row * links[i].pitch + column * columnSteps_[i];
    store_({sums, pitch, rows, columns, out.as<std::uint16_t>() + row * out.rowPitch() + column, out.rowPitch(),
            links.data(), static_cast<std::int64_t>(count_)});
    return true;
  }
  std::uint16_t tile[stripWidth];
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; c += stripWidth) {
      const std::int64_t count = std::min(stripWidth, columns - c);
      store_({sums + r * pitch + c, count, 1, count, tile, count});
      if (!results_.store(tile, row + r, column + c, count, fault)) return false;
    }
  return true;
}

}  // namespace axle::runtime
