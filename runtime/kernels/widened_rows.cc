#include "runtime/kernels/widened_rows.h"

#include <algorithm>

#include "runtime/kernels/halves.h"

namespace axle::runtime {
namespace {

// Runs a kernel on strips: parts of a row, or several short rows.
bool runWidened(const Conversions& conversions, RowKernel kernel, const Row& row) {
  alignas(tensorAlignment) float widened[3][stripWidth], results[stripWidth];
  const bool hasBlocks = conversions.widen != nullptr && conversions.store != nullptr && row.count > 0;
  const std::int64_t mostRows = hasBlocks ? std::max<std::int64_t>(stripWidth / row.count, 1) : 1;
  Row strip = row;
  strip.rows = 1;
  for (std::size_t k = 0; k < conversions.arity; ++k)
    if (!row.moves[k] && conversions.widen != nullptr) {
      conversions.widen({static_cast<const std::uint16_t*>(row.operands[k]), 0, 1, 1, widened[k], 0});
      strip.operands[k] = widened[k];
    }
  bool succeeded = true;
  for (std::int64_t r = 0; r < row.rows; r += mostRows)
    for (std::int64_t c = 0; c < row.count; c += stripWidth) {
      const std::int64_t rows = std::min(mostRows, row.rows - r), columns = std::min(stripWidth, row.count - c);
      strip.count = rows * columns;
      for (std::size_t k = 0; k < conversions.arity; ++k) {
        if (!row.moves[k]) continue;
        const auto* from =
            static_cast<const std::byte*>(row.operands[k]) + (r * row.pitches[k] + c) * conversions.operandBytes;
        strip.operands[k] = conversions.widen == nullptr ? static_cast<const void*>(from) : widened[k];
        if (conversions.widen != nullptr)
          conversions.widen(
              {reinterpret_cast<const std::uint16_t*>(from), row.pitches[k], rows, columns, widened[k], columns});
      }
      auto* const to = static_cast<std::byte*>(row.result) + (r * row.resultPitch + c) * conversions.resultBytes;
      strip.result = conversions.store == nullptr ? static_cast<void*>(to) : results;
      succeeded = kernel(strip) && succeeded;
      if (conversions.store != nullptr)
        conversions.store({results, columns, rows, columns, reinterpret_cast<std::uint16_t*>(to), row.resultPitch});
    }
  return succeeded;
}

}  // namespace

RowChoice widenedRows(RowChoice choice, std::uint8_t arity, Elem operand, Elem result) {
  choice.conversions = {.run = runWidened,
                        .widen = isHalf(operand) ? widenHalves(operand) : nullptr,
                        .store = isHalf(result) ? storeHalves(result) : nullptr,
                        .arity = arity,
                        .operandBytes = static_cast<std::uint8_t>(info(operand).bytes),
                        .resultBytes = static_cast<std::uint8_t>(info(result).bytes)};
  choice.takesRows = true;
  choice.gate = nullptr;  // would not round its factors
  return choice;
}

}  // namespace axle::runtime
