// Runs a pointwise operator, or a chain of them, over a whole tensor.
#include <algorithm>

#include "runtime/bundle_format.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/result_blocks.h"
#include "runtime/kernels/strided.h"
#include "runtime/parts.h"

namespace axle::runtime {
namespace {

// Computes one row of the result, or a part of it, from operands that begin at `row`. The elements at `to` are
// `outStep` apart.
bool runRow(const Step& step, const StripOperand* row, std::byte* to, std::int64_t outStep, std::int64_t count,
            Part part, Fault& fault) {
  const auto outBytes = static_cast<std::int64_t>(info(step.out(0).elem).bytes);
  StripOperand strip[maxChainOperands];
  const std::int64_t strips = (count + stripWidth - 1) / stripWidth,
                     end = std::min(count, part.end(strips) * stripWidth);
  for (std::int64_t at = part.begin(strips) * stripWidth; at < end; at += stripWidth) {
    for (int i = 0; i < step.inputCount(); ++i)
      strip[i] = {row[i].data + at * row[i].step * row[i].bytes, row[i].step, row[i].bytes};
    const std::int64_t width = std::min(stripWidth, count - at);
    if (!reportDivision(runStrip(step.chain, strip, to + at * outStep * outBytes, outStep, width), fault)) return false;
  }
  return true;
}

bool run(Step& step, Part part, Fault& fault) {
  if (step.chain.isDirect && step.chain.count <= stripWidth)
    return part.begin(1) == part.end(1) || reportDivision(runDirect(step), fault);
  const int operands = step.inputCount();
  const TensorView& out = step.out(0);
  const TensorView* views[maxChainOperands] = {};
  StripOperand row[maxChainOperands];
  for (int i = 0; i < operands; ++i) {
    const TensorView& view = step.in(i);
    views[i] = &view;
    row[i] = {view.as<std::byte>(), view.shape.elements() == 1 ? 0 : 1,
              static_cast<std::uint8_t>(info(view.elem).bytes)};
  }
  if (step.chain.isFlat) return runRow(step, row, out.as<std::byte>(), 1, step.chain.count, part, fault);
  BroadcastLoop loop(out, {views, static_cast<std::size_t>(operands)});
  if (loop.inner() == out.columns() && loop.inner() <= stripWidth / 2) {
    ResultBlocks blocks(step);
    if (blocks.hasBlocks()) return blocks.storePart(part, fault);
  }
  const auto outBytes = static_cast<std::int64_t>(info(out.elem).bytes);
  const std::int64_t rows = loop.rows(), end = part.end(rows);
  std::int64_t at = part.begin(rows);
  if (at > 0) loop.moveTo(at);
  for (; at < end; ++at, loop.next()) {
    for (int i = 0; i < operands; ++i) {
      row[i].step = loop.innerStep(i + 1);
      row[i].data = views[i]->as<std::byte>() + loop.offset(i + 1) * row[i].bytes;
    }
    std::byte* const to = out.as<std::byte>() + loop.offset(0) * outBytes;
    if (!runRow(step, row, to, loop.innerStep(0), loop.inner(), {}, fault)) return false;
  }
  return true;
}

bool runSettled(Step& step, Fault& fault) { return reportDivision(runDirect(step), fault); }

void settle(Step& step) {
  if (step.chain.isDirect && step.parts == 1) step.kernel = runSettled;
}

}  // namespace

const char* preparePointwise(Step& step) {
  Chain& chain = step.chain;
  chain.hasBase = false;
  chain.operands = static_cast<std::uint16_t>(step.inputCount());
  chain.links.resize(1);
  Link& link = chain.links[0];
  link.arity = static_cast<std::uint8_t>(step.inputCount());
  link.mayStay = link.arity == 2;
  Elem elems[3] = {};
  for (std::size_t i = 0; i < link.arity; ++i) {
    elems[i] = step.in(static_cast<int>(i)).elem;
    link.args[i] = static_cast<std::uint16_t>(i);
    link.sources[i].index = static_cast<std::uint16_t>(i);
  }
  const RowChoice choice = step.row->choose(elems, step.out(0).elem);
  link.mayStay = link.mayStay || choice.mayStay;
  if (choice.kernel == nullptr) return choice.problem;
  for (int i = 0; i < step.inputCount(); ++i)
    if (!stretches(step.in(i).shape, step.out(0).shape)) return "the operands do not stretch to the result's shape";
  link.kernel = choice.kernel;
  link.conversions = choice.conversions;
  link.takesRows = choice.takesRows;
  link.place = chainRegisters;
  link.bytes = static_cast<std::uint8_t>(info(step.out(0).elem).bytes);
  step.settle = settle;
  return divideStep(step, run, pointwiseNanoseconds(step, 1));
}

const char* prepareChain(Step& step) {
  if (step.node->epilogueInputs != step.node->inputs.size()) return "it has operands outside of its chain";
  if (const char* problem = bindChain(step, ChainKind::alone)) return problem;
  step.settle = settle;
  return divideStep(step, run, pointwiseNanoseconds(step, step.chain.links.size()));
}

}  // namespace axle::runtime
