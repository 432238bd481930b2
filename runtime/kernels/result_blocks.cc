#include "runtime/kernels/result_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace axle::runtime {

namespace {

constexpr std::int64_t wholeVectors = 16;  // elements: rows of a multiple of it consist of whole vectors

// Copies a row without calling memcpy: most rows are so short that the call takes longer.
void copyShortRow(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (; bytes >= 16; bytes -= 16, to += 16, from += 16) std::memcpy(to, from, 16);
  for (; bytes > 0; --bytes) *to++ = *from++;
}

}  // namespace

ResultBlocks::ResultBlocks(const Step& step, std::int64_t firstRow)
    : results_(step), chain_(step.chain), out_(step.out(0)), stored_(firstRow * columns_) {
  if (chain_.links.empty() || columns_ == 0 || columns_ > stripWidth / 2) return;
  const std::int64_t rows = out_.shape.elements() / columns_;
  if (rows < 2) return;
  blockSize_ = std::min(stripWidth / columns_, rows) * columns_;
  for (int i = chain_.first; i < chain_.operands; ++i)
    if (!addOperand(step.in(i), i - chain_.first)) {
      blockSize_ = 0;
      return;
    }
}

bool ResultBlocks::addOperand(const TensorView& view, int index) {
  Operand& operand = operands_[static_cast<std::size_t>(index)];
  operand.strip = {view.as<std::byte>(), 1, static_cast<std::uint8_t>(info(view.elem).bytes)};
  const std::int64_t elements = view.shape.elements();
  const auto pitch = results_.rowPitchOf(index);
  operand.isMoving = view.dense() && elements == out_.shape.elements();
  if (operand.isMoving) return true;
  if (pitch && columns_ % wholeVectors == 0 && view.columns() == columns_) {
    operand.strip.hasRowsApart = true;
    operand.strip.pitch = *pitch;
    return true;
  }
  if (elements == 1) {
    operand.strip.step = 0;
    return true;
  }
  if (copied_ == mostCopied) return false;
  operand.copy = copies_[copied_++];
  operand.strip.data = operand.copy;
  operand.isCopiedEachTime = elements != columns_ || view.columns() != columns_;  // otherwise all rows are the same
  if (!operand.isCopiedEachTime) copyRows(index, 0, blockSize_);
  return true;
}

void ResultBlocks::copyRows(int index, std::int64_t firstRow, std::int64_t elements) {
  const Operand& operand = operands_[static_cast<std::size_t>(index)];
  const auto bytes = static_cast<std::size_t>(operand.strip.bytes), size = static_cast<std::size_t>(columns_) * bytes;
  std::byte* to = operand.copy;
  const StripOperand first = results_.operandAt(index, firstRow, 0);
  if (const auto pitch = results_.rowPitchOf(index); pitch && first.step == 1) {
    const std::byte* from = first.data;
    for (std::int64_t done = 0; done < elements; done += columns_, to += size, from += *pitch * first.bytes)
      copyShortRow(to, from, size);
    return;
  }
  for (std::int64_t row = 0; row * columns_ < elements; ++row, to += size) {
    const StripOperand from = results_.operandAt(index, firstRow + row, 0);
    if (from.step == 1) {
      std::memcpy(to, from.data, size);
    } else {
      const CopyAxis axis{columns_, 1, from.step};
      stridedCopy(to, from.data, {&axis, 1}, bytes);
    }
  }
}

bool ResultBlocks::finish(Fault& fault) {
  if (held_ == 0) return true;
  StripOperand strip[BroadcastLoop::most];
  const int operands = chain_.operands - chain_.first;
  for (int i = 0; i < operands; ++i) {
    const Operand& operand = operands_[static_cast<std::size_t>(i)];
    if (operand.isCopiedEachTime) copyRows(i, stored_ / columns_, held_);
    strip[i] = operand.strip;
    if (operand.isMoving) strip[i].data += stored_ * operand.strip.bytes;
    if (operand.strip.hasRowsApart) strip[i].data += stored_ / columns_ * operand.strip.pitch * operand.strip.bytes;
  }
  strip[operands] = {kept_, 1, chain_.baseBytes};
  const auto bytes = static_cast<std::int64_t>(info(out_.elem).bytes);
  const std::int64_t row = stored_ / columns_, rows = held_ / columns_;
  std::byte* const to = out_.as<std::byte>() + row * out_.rowPitch() * bytes;
  alignas(tensorAlignment) std::byte apart[stripWidth * 8];
  std::byte* const result = out_.dense() ? to : apart;
  const bool succeeded = runStrip(chain_, strip - chain_.first, result, 1, held_, columns_);
  if (!out_.dense())
    for (std::int64_t i = 0; i < rows; ++i)
      std::memcpy(to + i * out_.rowPitch() * bytes, result + i * columns_ * bytes,
                  static_cast<std::size_t>(columns_ * bytes));
  stored_ += std::exchange(held_, 0);
  return reportDivision(succeeded, fault);
}

bool ResultBlocks::storePart(Part part, Fault& fault) {
  const std::int64_t all = out_.shape.elements(), blocks = (all + blockSize_ - 1) / blockSize_,
                     end = std::min(part.end(blocks) * blockSize_, all);
  for (stored_ = part.begin(blocks) * blockSize_; stored_ < end;) {
    held_ = std::min(end - stored_, blockSize_);
    if (!finish(fault)) return false;
  }
  return true;
}

}  // namespace axle::runtime
