// Epilogues that kernels apply to sums in registers: a scale and a bias by channel, a sum with another tensor, limits.
#pragma once

#include <array>
#include <cstdint>

namespace axle::runtime {

struct Step;

// A kernel applies the parts in this order; a bias and a residual may be added the other way round.
enum class EpiloguePart : std::uint8_t { scale, bias, residual, low, high };
inline constexpr std::size_t epilogueParts = 5;

// Which inputs of a step are the parts of its epilogue.
struct EpilogueForm {
  bool isWhole = true;  // the whole epilogue has this form; else it has no part
  bool isRelu = false;  // the lower limit is 0
  std::array<std::int16_t, epilogueParts> inputs{-1, -1, -1, -1, -1};

  bool has(EpiloguePart part) const { return input(part) >= 0; }
  int input(EpiloguePart part) const { return inputs[static_cast<std::size_t>(part)]; }
};

// Of a step whose epilogue is checked.
EpilogueForm epilogueFormOf(const Step& step);

}  // namespace axle::runtime
