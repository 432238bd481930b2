// Typed 32-bit ids: indices into the vectors of a store.
#pragma once

#include <compare>
#include <cstdint>

namespace axle {

template <class Tag>
struct Id {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t index = none;
  explicit operator bool() const { return index != none; }
  friend auto operator<=>(Id, Id) = default;
};

}  // namespace axle
