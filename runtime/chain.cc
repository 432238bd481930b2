#include "runtime/chain.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "runtime/kernels/strided.h"
#include "runtime/program.h"

namespace axle::runtime {
namespace {

constexpr std::int64_t maxShift = std::int64_t{1} << 32;

// The element type of an argument of link `at`, if it may have that number.
std::optional<Elem> elemOf(const Step& step, const Chain& chain, std::size_t at, std::uint32_t arg) {
  if (arg < chain.operands)
    return arg >= chain.first ? std::optional(step.in(static_cast<int>(arg)).elem) : std::nullopt;
  arg -= chain.operands;
  if (chain.hasBase) {
    if (arg == 0) return step.in(0).elem;
    --arg;
  }
  return arg < at ? std::optional(static_cast<Elem>(step.node->epilogue[arg].elem)) : std::nullopt;
}

// Where the operands of the links are, which have registers.
void findSources(Chain& chain) {
  const std::size_t firstLink = chain.operands + (chain.hasBase ? 1u : 0u);
  for (Link& link : chain.links)
    for (std::size_t k = 0; k < link.arity; ++k) {
      link.sources[k] = {};
      link.sources[k].index = link.args[k];
      if (link.args[k] < firstLink) continue;
      const Link& from = chain.links[link.args[k] - firstLink];
      link.sources[k] = {true, from.bytes, from.place, from.isScalar ? 0 : 1};
    }
}

// Gives each link the register of its result: one that no later link needs any more.
bool placeResults(Chain& chain) {
  const std::size_t firstLink = chain.operands + (chain.hasBase ? 1u : 0u);
  std::array<std::size_t, chainRegisters> freeFrom{};  // the link from which on a register is free
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    std::size_t last = i;
    for (std::size_t j = i + 1; j < chain.links.size(); ++j)
      for (std::size_t k = 0; k < chain.links[j].arity; ++k)
        if (chain.links[j].args[k] == firstLink + i) last = j;
    chain.links[i].place = chainRegisters;
    if (i + 1 == chain.links.size()) break;
    for (std::uint8_t r = 0; r < chainRegisters && chain.links[i].place == chainRegisters; ++r)
      if (freeFrom[r] <= i) chain.links[i].place = r, freeFrom[r] = last + 1;
    if (chain.links[i].place == chainRegisters) return false;
  }
  findSources(chain);
  return true;
}

// Copies elements that are `step` apart, or one element to all places.
void spread(std::byte* to, std::int64_t toStep, const std::byte* from, std::int64_t fromStep, std::int64_t count,
            std::uint8_t bytes) {
  const CopyAxis axis{count, toStep, fromStep};
  stridedCopy(to, from, {&axis, 1}, bytes);
}

// Copies rows of `columns` elements that are apart, `count` elements in all.
void gatherRows(std::byte* to, const StripOperand& from, std::int64_t columns, std::int64_t count) {
  const CopyAxis axes[] = {{count / columns, columns, from.pitch}, {columns, 1, 1}};
  stridedCopy(to, from.data, axes, from.bytes);
}

OperandLayout layoutOf(const TensorView& view, const TensorView& out) {
  const Shape& shape = out.shape;
  OperandLayout layout;
  layout.bytes = static_cast<std::uint8_t>(info(view.elem).bytes);
  if (shape.rank() == 0) return layout;
  layout.strides = broadcastStrides(view, shape);
  layout.step = layout.strides[static_cast<std::size_t>(shape.rank() - 1)];
  std::int64_t whole = 0;  // what the axis before must advance by, if there is one
  bool isInner = true;
  for (int axis = shape.rank() - 2; axis >= 0; --axis) {
    const std::int64_t stride = layout.strides[static_cast<std::size_t>(axis)];
    if (shape[axis] == 1) continue;
    if (isInner)
      layout.rowStep = stride;
    else if (stride != whole)
      layout.isEven = false;
    whole = stride * shape[axis];
    isInner = false;
  }
  return layout;
}

// Moves the elements of a row by `shift` places to the left, and zeros in. The result may be in the row's memory.
void shiftRow(const Row& row, std::int64_t shift, std::size_t bytes) {
  const std::int64_t begin = std::clamp<std::int64_t>(shift < 0 ? -shift : 0, 0, row.count);
  const std::int64_t kept = std::clamp<std::int64_t>(row.count - (shift < 0 ? begin : shift), 0, row.count);
  const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(i) * bytes; };
  auto* const to = static_cast<std::byte*>(row.result);
  const auto* const from = static_cast<const std::byte*>(row.operands[0]) + at(shift > 0 && kept > 0 ? shift : 0);
  std::memmove(to + at(begin), from, at(kept));
  std::memset(to, 0, at(begin));
  std::memset(to + at(begin + kept), 0, at(row.count - begin - kept));
}

// A row of a link of which operands have rows apart: makes rows of all of them.
void divideRows(Row& row, const Link& link, const StripOperand* operands, std::int64_t columns) {
  row.rows = row.count / columns;
  row.count = row.resultPitch = columns;
  for (std::size_t k = 0; k < link.arity; ++k) {
    const bool isApart = !link.sources[k].isRegister && operands[link.sources[k].index].hasRowsApart;
    if (!isApart && row.moves[k]) row.pitches[k] = columns;
  }
}

// Chooses the kernel of link `at`. Returns the error, or null.
const char* chooseLink(const Step& step, Chain& chain, std::size_t at, ChainKind kind) {
  const manifest::Pointwise& pointwise = step.node->epilogue[at];
  const OpRow* row = operatorRow(pointwise.op);
  const auto elem = static_cast<Elem>(pointwise.elem);
  Link& link = chain.links[at];
  const ChooseRow* reduction = kind == ChainKind::rows && row != nullptr ? row->reduceRow : nullptr;
  const bool isShift = kind == ChainKind::rows && pointwise.op == op::shift;
  if (row == nullptr || (row->choose == nullptr && reduction == nullptr && !isShift))
    return "an operator of its epilogue is not pointwise";
  link.arity = static_cast<std::uint8_t>(row->inputs.least);
  link.mayStay = row->inputs.least == 2;
  if (pointwise.args.size() != link.arity) return "an operator of its epilogue has another number of operands";
  Elem elems[3] = {};
  link.isScalar = kind == ChainKind::rows;
  for (std::size_t k = 0; k < link.arity; ++k) {
    const std::uint32_t arg = pointwise.args[k];
    const auto of = elemOf(step, chain, at, arg);
    if (!of) return "an operator of its epilogue uses a result before it is made";
    elems[k] = *of;
    link.args[k] = static_cast<std::uint16_t>(arg);
    if (arg >= chain.operands)
      link.isScalar = link.isScalar && chain.links[arg - chain.operands].isScalar;
    else
      link.isScalar = link.isScalar && step.in(static_cast<int>(arg)).columns() == 1;
  }
  if (reduction != nullptr) {  // of a row, with a start value
    const bool startsFromOne = link.args[1] < chain.operands ? step.in(link.args[1]).columns() == 1
                                                             : chain.links[link.args[1] - chain.operands].isScalar;
    if (!startsFromOne) return "the start value of a row is no scalar";
    if (link.isScalar && step.out(0).columns() != 1) return "a reduction of a scalar";
    link.isScalar = true;
  }
  link.bytes = static_cast<std::uint8_t>(info(elem).bytes);
  link.shift.reset();
  if (isShift) {
    if (elems[0] != elem) return "a shift to another element type";
    if (pointwise.shift <= -maxShift || pointwise.shift >= maxShift) return "a shift is too far";
    link.shift = pointwise.shift;
    link.isScalar = false;
    return nullptr;
  }
  const RowChoice choice = (reduction != nullptr ? *reduction : *row->choose)(elems, elem);
  if (choice.kernel == nullptr) return choice.problem;
  link.kernel = choice.kernel;
  link.conversions = choice.conversions;
  link.takesRows = choice.takesRows;
  link.mayStay = link.mayStay || choice.mayStay;
  link.gate = choice.gate;
  link.isTanh = pointwise.op == op::tanh;
  return nullptr;
}

// Whether only the last link runs anything.
[[gnu::cold]] bool isOneKernel(const Chain& chain) {
  return chain.links.back().kernel != nullptr &&
         std::all_of(chain.links.begin(), chain.links.end() - 1,
                     [](const Link& link) { return link.kernel == nullptr && !link.shift; });
}

const OperandLayout& operandLayout(const Chain& chain, std::size_t operand) {
  return chain.layouts[operand - chain.first];
}

// Whether the last link's kernel takes all rows of its operands at once.
[[gnu::cold]] bool takesRowsOf(const Step& step, const Chain& chain) {
  const TensorView& out = step.out(0);
  const Link& link = chain.links.back();
  if (!link.takesRows || out.columns() == 0) return false;
  for (std::size_t k = 0; k < link.arity; ++k) {
    const TensorView& view = step.in(link.args[k]);
    const OperandLayout& layout = operandLayout(chain, link.args[k]);
    const bool hasRows = view.columns() == out.columns() && layout.step == 1 && layout.isEven;
    if (view.shape.elements() != 1 && !hasRows) return false;
  }
  return true;
}

}  // namespace

const char* bindChain(Step& step, ChainKind kind) {
  const manifest::Node& node = *step.node;
  Chain& chain = step.chain;
  chain.hasBase = kind == ChainKind::base;
  chain.operands = static_cast<std::uint16_t>(node.inputs.size());
  chain.first = static_cast<std::uint16_t>(node.inputs.size() - node.epilogueInputs);
  chain.baseBytes = chain.hasBase ? static_cast<std::uint8_t>(info(step.in(0).elem).bytes) : std::uint8_t{0};
  chain.links.resize(node.epilogue.size());
  if (node.epilogueInputs > maxChainOperands) return "its epilogue has too many operands";
  for (int i = chain.first; i < step.inputCount(); ++i)
    if (!stretches(step.in(i).shape, step.out(0).shape)) return "the operands do not stretch to the result's shape";
  for (std::size_t i = 0; i < chain.links.size(); ++i)
    if (const char* problem = chooseLink(step, chain, i, kind)) return problem;
  if (chain.links.empty()) return chain.hasBase ? nullptr : "it has no operators";
  if (static_cast<Elem>(node.epilogue.back().elem) != step.out(0).elem) return "the result has another element type";
  if (chain.links.back().isScalar && step.out(0).columns() != 1) return "the result is a row, its operator's a scalar";
  joinGates(node, chain);
  return placeResults(chain) ? nullptr : "its epilogue needs too many results at once";
}

std::uint64_t pointwiseNanoseconds(const Step& step, std::size_t operators) {
  return static_cast<std::uint64_t>(step.out(0).shape.elements()) * operators / 4;
}

void settleChain(Step& step) {
  Chain& chain = step.chain;
  chain.isFlat = chain.isDirect = false;
  if (chain.links.empty() || step.outputCount() == 0) return;
  const TensorView& out = step.out(0);
  chain.layouts.resize(static_cast<std::size_t>(chain.operands - chain.first));
  for (int i = chain.first; i < chain.operands; ++i)
    chain.layouts[static_cast<std::size_t>(i - chain.first)] = layoutOf(step.in(i), out);
  chain.count = out.shape.elements();
  chain.isFlat = out.contiguous();
  for (int i = chain.first; i < chain.operands && chain.isFlat; ++i) {
    const TensorView& view = step.in(i);
    chain.isFlat = view.shape.elements() == 1 || (view.contiguous() && view.shape.elements() == chain.count);
  }
  const bool isOne = isOneKernel(chain);
  if (chain.hasBase)
    chain.isDirect = chain.isFlat && chain.count <= stripWidth;
  else
    chain.isDirect = chain.isFlat ? chain.count <= stripWidth || isOne : isOne && takesRowsOf(step, chain);
  for (Link& link : chain.links) {
    if (link.isScalar || link.shift) chain.isDirect = false;
    link.row = {};
    link.row.count = chain.isFlat ? chain.count : out.columns();
    link.row.resultPitch = out.rowPitch();
    if (!chain.isFlat && chain.isDirect) link.row.rows = chain.count / out.columns();
    for (std::size_t k = 0; k < link.arity && chain.isDirect; ++k) {
      link.row.moves[k] = link.args[k] >= chain.operands || step.in(link.args[k]).shape.elements() != 1;
      if (!chain.isFlat && link.row.moves[k]) link.row.pitches[k] = operandLayout(chain, link.args[k]).rowStep;
      chain.isDirect = link.row.moves[k] || link.mayStay;
    }
  }
}

bool runDirect(Step& step, const void* base) {
  constexpr std::size_t bytes = stripWidth * 8;
  alignas(tensorAlignment) std::byte registers[chainRegisters * bytes];
  bool succeeded = true;
  for (Link& link : step.chain.links) {
    if (link.kernel == nullptr) continue;
    Row& row = link.row;
    row.result = link.place == chainRegisters ? step.out(0).data : registers + link.place * bytes;
    for (std::size_t k = 0; k < link.arity; ++k) {
      const Link::Source& source = link.sources[k];
      row.operands[k] = source.isRegister                    ? registers + source.index * bytes
                        : source.index < step.chain.operands ? step.in(source.index).data
                                                             : base;
    }
    succeeded = link.run(row) && succeeded;
  }
  return succeeded;
}

bool runLinks(const Chain& chain, const StripOperand* operands, std::byte* output, std::int64_t outputStep,
              std::int64_t count, const StripMemory& memory, std::int64_t columns) {
  bool succeeded = true;
  for (const Link& link : chain.links) {
    if (link.kernel == nullptr && !link.shift) continue;
    Row row;
    row.count = count;
    bool isReduced = false, hasRowsApart = false;
    for (std::size_t k = 0; k < link.arity; ++k) {
      const Link::Source& source = link.sources[k];
      if (source.isRegister) {
        row.operands[k] = memory.registers + source.index * memory.bytes;
        row.moves[k] = source.step != 0;
        isReduced = isReduced || source.step != 0;
        if (source.step != 0 || link.mayStay || link.isScalar) continue;
        spread(memory.moved + k * memory.bytes, 1, memory.registers + source.index * memory.bytes, 0, count,
               source.bytes);
      } else {
        const StripOperand& operand = operands[source.index];
        row.operands[k] = operand.data;
        row.moves[k] = operand.step != 0;
        isReduced = isReduced || operand.step != 0;
        if (operand.hasRowsApart && link.takesRows) {
          row.pitches[k] = operand.pitch;
          hasRowsApart = true;
          continue;
        }
        if (!operand.hasRowsApart && (operand.step == 1 || (operand.step == 0 && (link.mayStay || link.isScalar))))
          continue;
        if (operand.hasRowsApart)
          gatherRows(memory.moved + k * memory.bytes, operand, columns, count);
        else
          spread(memory.moved + k * memory.bytes, 1, operand.data, operand.step, count, operand.bytes);
      }
      row.operands[k] = memory.moved + k * memory.bytes;
      row.moves[k] = true;
    }
    if (link.isScalar && !isReduced) row.count = 1;
    if (hasRowsApart) divideRows(row, link, operands, columns);
    const bool isLast = link.place == chainRegisters;
    std::byte* const spare = memory.moved + 3 * memory.bytes;
    row.result = !isLast ? memory.registers + link.place * memory.bytes : outputStep == 1 ? output : spare;
    if (link.shift)
      shiftRow(row, *link.shift, link.bytes);
    else
      succeeded = link.run(row) && succeeded;
    if (isLast && outputStep != 1) spread(output, outputStep, spare, 1, count, link.bytes);
  }
  return succeeded;
}

bool runStrip(const Chain& chain, const StripOperand* operands, std::byte* output, std::int64_t outputStep,
              std::int64_t count, std::int64_t columns) {
  constexpr std::size_t bytes = stripWidth * 8;
  alignas(tensorAlignment) std::byte registers[chainRegisters * bytes];
  alignas(tensorAlignment) std::byte moved[4 * bytes];
  return runLinks(chain, operands, output, outputStep, count, {registers, moved, bytes}, columns);
}

}  // namespace axle::runtime
