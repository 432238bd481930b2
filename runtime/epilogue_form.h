// Epilogues that kernels apply to sums in registers: a scale and a bias per channel, the addition of a tensor, limits.
#pragma once

#include <array>
#include <cstdint>

namespace axle::runtime {

struct Step;

// Kernels apply the parts in this order, but may add the residual before the bias.
enum class EpiloguePart : std::uint8_t { scale, bias, residual, low, high };
inline constexpr std::size_t epilogueParts = 5;

// The inputs of a step that are the parts of its epilogue.
struct EpilogueForm {
  bool isWhole = true;  // the whole epilogue has this form; if false, there are no parts
  bool isRelu = false;  // the lower limit is 0
  std::array<std::int16_t, epilogueParts> inputs{-1, -1, -1, -1, -1};

  bool has(EpiloguePart part) const { return input(part) >= 0; }
  int input(EpiloguePart part) const { return inputs[static_cast<std::size_t>(part)]; }
};

// Returns the form of a step's epilogue, which must be checked.
EpilogueForm epilogueFormOf(const Step& step);

}  // namespace axle::runtime
