// Chains over rows of the last axis, which reduce rows and use the reduced values in the same rows.
#include <algorithm>

#include "runtime/bundle_format.h"
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/results.h"
#include "runtime/parts.h"
#include "runtime/strips.h"

namespace axle::runtime {
namespace {

// Returns the size of a row in a chain's workspace, which has one for each register and each spread operand.
std::size_t rowBytes(const Step& step) { return alignUp(static_cast<std::uint64_t>(step.out(0).columns()) * 8); }

std::size_t registersOf(const Chain& chain) {
  std::size_t registers = 0;
  for (const Link& link : chain.links)
    if (link.place < chainRegisters) registers = std::max<std::size_t>(registers, link.place + 1u);
  return registers;
}

// Computes a block of short rows at once: an operator that computes no scalars runs on all elements of the block.
class RowBlocks {
 public:
  // `strip`: null, or the place of an operand's rows and of the results.
  RowBlocks(const Step& step, const StripCall* strip)
      : step_(step), strip_(strip), chain_(step.chain), results_(step), out_(step.out(0)) {
    fits_ = columns_ > 1 && columns_ <= stripWidth / 2 && out_.dense();
    for (const Link& link : chain_.links) fits_ = fits_ && !link.shift;
    for (int i = 0; fits_ && i < step.inputCount(); ++i) {
      const OperandLayout& layout = chain_.layouts[static_cast<std::size_t>(i)];
      kinds_[i] = layout.step == 1 ? Kind::rows : layout.rowStep == 1 ? Kind::scalars : Kind::one;
      fits_ =
          layout.isEven && (layout.step == 1 ? layout.rowStep == columns_ : layout.step == 0 && layout.rowStep <= 1);
    }
  }

  // Whether each operand consists of dense rows, of one element per row, or of a single element.
  bool fits() const { return fits_; }
  std::int64_t rowsAtOnce() const { return stripWidth / columns_; }

  bool run(std::int64_t first, std::int64_t rows) {
    for (int i = 0; i < step_.inputCount(); ++i) data_[i] = results_.operandAt(i, first, 0).data;
    const std::int64_t rowBytes = columns_ * static_cast<std::int64_t>(info(out_.elem).bytes);
    auto* to = out_.as<std::byte>() + first * rowBytes;
    if (strip_ != nullptr) {
      data_[strip_->operand] = strip_->input + (first - strip_->begin) * rowBytes;
      to = strip_->out + (first - strip_->begin) * rowBytes;
    }
    bool succeeded = true;
    for (const Link& link : chain_.links)
      if (link.kernel != nullptr)
        succeeded = run(link, rows, link.place == chainRegisters ? to : registers_[link.place]) && succeeded;
    return succeeded;
  }

 private:
  enum class Kind : std::uint8_t { rows, scalars, one };
  struct Operand {
    const std::byte* data;
    Kind kind;
    std::size_t bytes;
  };
  static constexpr std::size_t registerBytes = stripWidth * 8;

  Operand operandOf(const Link::Source& source) const {
    if (source.isRegister)
      return {registers_[source.index], source.step != 0 ? Kind::rows : Kind::scalars, source.bytes};
    return {data_[source.index], kinds_[source.index], chain_.layouts[source.index].bytes};
  }

  bool run(const Link& link, std::int64_t rows, std::byte* to) {
    Operand operands[3];
    bool isReduction = false;
    for (std::size_t k = 0; k < link.arity; ++k) {
      operands[k] = operandOf(link.sources[k]);
      isReduction = isReduction || (link.isScalar && operands[k].kind == Kind::rows);
    }
    if (isReduction) return reduce(link, operands, rows, to);
    Row row;
    row.count = link.isScalar ? rows : rows * columns_;
    row.result = to;
    for (std::size_t k = 0; k < link.arity; ++k) {
      const Operand& operand = operands[k];
      const bool isAsItLies = operand.kind == (link.isScalar ? Kind::scalars : Kind::rows);
      row.moves[k] = isAsItLies || operand.kind != Kind::one || !link.mayStay;
      row.operands[k] =
          isAsItLies || !row.moves[k] ? operand.data : spread(operand, link.isScalar ? 1 : columns_, rows, moved_[k]);
    }
    return link.run(row);
  }

  bool reduce(const Link& link, const Operand* operands, std::int64_t rows, std::byte* to) const {
    bool succeeded = true;
    for (std::int64_t r = 0; r < rows; ++r) {
      Row row;
      row.count = columns_;
      row.result = to + r * link.bytes;
      for (std::size_t k = 0; k < link.arity; ++k) {
        const Operand& operand = operands[k];
        row.moves[k] = operand.kind == Kind::rows;
        row.operands[k] = operand.data + (operand.kind == Kind::one    ? 0
                                          : operand.kind == Kind::rows ? r * columns_
                                                                       : r) *
                                             static_cast<std::int64_t>(operand.bytes);
      }
      succeeded = link.run(row) && succeeded;
    }
    return succeeded;
  }

  // Repeats each scalar `times` times.
  static const std::byte* spread(const Operand& operand, std::int64_t times, std::int64_t rows, std::byte* to) {
    const CopyAxis axes[] = {{rows, times, operand.kind == Kind::one ? 0 : 1}, {times, 1, 0}};
    stridedCopy(to, operand.data, axes, operand.bytes);
    return to;
  }

  const Step& step_;
  const StripCall* const strip_;
  const Chain& chain_;
  const Results results_;
  const TensorView& out_;
  const std::int64_t columns_ = out_.columns();
  bool fits_ = false;
  Kind kinds_[maxChainOperands] = {};
  const std::byte* data_[maxChainOperands] = {};
  alignas(tensorAlignment) std::byte registers_[chainRegisters][registerBytes];
  alignas(tensorAlignment) std::byte moved_[3][registerBytes];
};

bool runRowBlocks(RowBlocks& blocks, std::int64_t row, std::int64_t end, Fault& fault) {
  while (row < end) {
    const std::int64_t rows = std::min(blocks.rowsAtOnce(), end - row);
    if (!reportDivision(blocks.run(row, rows), fault)) return false;
    row += rows;
  }
  return true;
}

// Runs rows [begin, end). `strip`: as for RowBlocks.
bool runRows(Step& step, std::int64_t begin, std::int64_t end, std::byte* workspace, const StripCall* strip,
             Fault& fault) {
  const int operandCount = step.inputCount();
  const TensorView& out = step.out(0);
  const StripMemory memory{workspace, workspace + registersOf(step.chain) * rowBytes(step), rowBytes(step)};
  const Results results(step);
  StripOperand operands[maxChainOperands];
  const std::int64_t columns = out.columns();
  if (RowBlocks blocks(step, strip); out.shape.elements() > columns && blocks.fits())
    return runRowBlocks(blocks, begin, end, fault);
  const auto outBytes = static_cast<std::int64_t>(info(out.elem).bytes);
  for (std::int64_t row = begin; row < end; ++row) {
    for (int i = 0; i < operandCount; ++i) operands[i] = results.operandAt(i, row, 0);
    std::byte* to = out.as<std::byte>() + row * out.rowPitch() * outBytes;
    if (strip != nullptr) {
      operands[strip->operand].data = strip->input + (row - begin) * columns * outBytes;
      to = strip->out + (row - begin) * columns * outBytes;
    }
    if (!reportDivision(runLinks(step.chain, operands, to, 1, columns, memory), fault)) return false;
  }
  return true;
}

bool runPartOfRows(Step& step, Part part, Fault& fault) {
  const std::int64_t rows = step.out(0).shape.elements() / step.out(0).columns();
  return runRows(step, part.begin(rows), part.end(rows), workspaceOf(step, part), nullptr, fault);
}

// Whether results may overwrite the rows they are computed from: no operator may read a row at other places.
bool canRunInStrips(const Step& step) {
  const auto shifts = [](const Link& link) { return link.shift.has_value(); };
  return step.out(0).elem == Elem::f32 && std::none_of(step.chain.links.begin(), step.chain.links.end(), shifts);
}

}  // namespace

bool runStripOfRows(Step& step, const StripCall& call, Fault& fault) {
  return runRows(step, call.begin, call.end, call.workspace, &call, fault);
}

const char* prepareRows(Step& step) {
  if (step.node->epilogueInputs != step.node->inputs.size()) return "it has operands outside of its chain";
  if (step.out(0).shape.rank() < 1) return "the result has no rows";
  if (const char* problem = bindChain(step, ChainKind::rows)) return problem;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(registersOf(step.chain) + 4, rowBytes(step), &bytes)) return "the rows are too long";
  const std::uint64_t nanoseconds = 2 * pointwiseNanoseconds(step, step.chain.links.size());
  if (linkedStrips != nullptr && canRunInStrips(step)) step.inStrips = {linkedStrips->rows, nanoseconds, bytes};
  return divideStep(step, runPartOfRows, nanoseconds, bytes);
}

const char* prepareShift(Step&) { return "it is no call of its own"; }

}  // namespace axle::runtime
