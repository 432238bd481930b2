// Finds the last use of a block of memory that several tensors share. The compiler uses it to decide which results take
// the memory of operands, and the runtime to check that decision.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace axle::runtime {

struct LastUses {
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t member = none;  // a tensor read at `last`
  std::uint32_t last = 0;       // the last step that reads one of the tensors
  std::uint32_t ofOthers = 0;   // the last step that reads a tensor other than `member`
  std::size_t atLast = 0;       // number of tensors whose last read is at `last`

  void add(std::uint32_t tensor, std::uint32_t use) {
    if (member == none || use > last) {
      ofOthers = member == none ? 0 : last;
      member = tensor, last = use, atLast = 1;
    } else {
      ofOthers = std::max(ofOthers, use);
      atLast += use == last ? 1 : 0;
    }
  }
  // Adds all tensors of another block.
  void add(const LastUses& other) {
    if (other.member == none) return;
    add(other.member, other.last);
    if (other.last == last) atLast += other.atLast - 1;
    ofOthers = std::max(ofOthers, other.ofOthers);
  }
  // The last step that reads a tensor other than this one.
  std::uint32_t except(std::uint32_t tensor) const { return tensor == member ? ofOthers : last; }
  // Whether exactly `count` tensors are read for the last time at `use`, and none later.
  bool areAt(std::uint32_t use, std::size_t count) const { return last == use && atLast == count; }
};

}  // namespace axle::runtime
