#include "runtime/chain.h"

#include <cstring>
#include <optional>

#include "runtime/kernels/strided.h"
#include "runtime/program.h"

namespace axle::runtime {
namespace {

constexpr std::size_t registerBytes = stripWidth * 8;

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
    if (i + 1 == chain.links.size()) return true;
    for (std::uint8_t r = 0; r < chainRegisters && chain.links[i].place == chainRegisters; ++r)
      if (freeFrom[r] <= i) chain.links[i].place = r, freeFrom[r] = last + 1;
    if (chain.links[i].place == chainRegisters) return false;
  }
  return true;
}

// Copies elements that are `step` apart, or one element to all places.
void spread(std::byte* to, std::int64_t toStep, const std::byte* from, std::int64_t fromStep, std::int64_t count,
            std::uint8_t bytes) {
  const CopyAxis axis{count, toStep, fromStep};
  stridedCopy(to, from, {&axis, 1}, bytes);
}

}  // namespace

const char* bindChain(Step& step, bool hasBase) {
  const manifest::Node& node = *step.node;
  Chain& chain = step.chain;
  chain.hasBase = hasBase;
  chain.operands = static_cast<std::uint16_t>(node.inputs.size());
  chain.first = static_cast<std::uint16_t>(node.inputs.size() - node.epilogueInputs);
  chain.baseBytes = hasBase ? static_cast<std::uint8_t>(info(step.in(0).elem).bytes) : std::uint8_t{0};
  chain.links.resize(node.epilogue.size());
  if (node.epilogueInputs > maxChainOperands) return "its epilogue has too many operands";
  for (int i = chain.first; i < step.inputCount(); ++i)
    if (!stretches(step.in(i).shape, step.out(0).shape)) return "the operands do not stretch to the result's shape";
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    const manifest::Pointwise& pointwise = node.epilogue[i];
    const OpRow* row = operatorRow(pointwise.op);
    if (row == nullptr || row->choose == nullptr) return "an operator of its epilogue is not pointwise";
    Link& link = chain.links[i];
    link.arity = static_cast<std::uint8_t>(row->inputs.least);
    link.mayStay = row->inputs.least == 2;
    if (pointwise.args.size() != link.arity) return "an operator of its epilogue has another number of operands";
    Elem elems[3] = {};
    for (std::size_t k = 0; k < link.arity; ++k) {
      const auto elem = elemOf(step, chain, i, pointwise.args[k]);
      if (!elem) return "an operator of its epilogue uses a result before it is made";
      elems[k] = *elem;
      link.args[k] = static_cast<std::uint16_t>(pointwise.args[k]);
    }
    const RowChoice choice = row->choose(elems, static_cast<Elem>(pointwise.elem));
    if (choice.kernel == nullptr) return choice.problem;
    link.kernel = choice.kernel;
    link.bytes = static_cast<std::uint8_t>(info(static_cast<Elem>(pointwise.elem)).bytes);
  }
  if (chain.links.empty()) return hasBase ? nullptr : "it has no operators";
  if (static_cast<Elem>(node.epilogue.back().elem) != step.out(0).elem) return "the result has another element type";
  return placeResults(chain) ? nullptr : "its epilogue needs too many results at once";
}

bool runStrip(const Chain& chain, const StripOperand* operands, std::byte* output, std::int64_t outputStep,
              std::int64_t count) {
  alignas(tensorAlignment) std::byte registers[chainRegisters][registerBytes];
  alignas(tensorAlignment) std::byte moved[4][registerBytes];  // operands that do not lie as the kernel reads them
  const std::size_t firstLink = chain.operands + (chain.hasBase ? 1u : 0u);
  bool succeeded = true;
  for (const Link& link : chain.links) {
    Row row{{}, {}, nullptr, count};
    for (std::size_t k = 0; k < link.arity; ++k) {
      row.moves[k] = true;
      if (link.args[k] >= firstLink) {
        row.operands[k] = registers[chain.links[link.args[k] - firstLink].place];
        continue;
      }
      const StripOperand& operand = operands[link.args[k]];
      row.operands[k] = operand.data;
      row.moves[k] = operand.step != 0;
      if (operand.step == 1 || (operand.step == 0 && link.mayStay)) continue;
      spread(moved[k], 1, operand.data, operand.step, count, operand.bytes);
      row.operands[k] = moved[k];
      row.moves[k] = true;
    }
    const bool isLast = link.place == chainRegisters;
    row.result = !isLast ? registers[link.place] : outputStep == 1 ? static_cast<void*>(output) : moved[3];
    succeeded = link.kernel(row) && succeeded;
    if (isLast && outputStep != 1) spread(output, outputStep, moved[3], 1, count, link.bytes);
  }
  return succeeded;
}

}  // namespace axle::runtime
