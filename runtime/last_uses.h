// When a block of memory that several tensors share is needed for the last time. The compiler decides by it which
// results take the memory of operands, the runtime checks by it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace axle::runtime {

struct LastUses {
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t member = none;  // a tensor that is read at `last`
  std::uint32_t last = 0;       // the step that reads any of the tensors last
  std::uint32_t ofOthers = 0;   // the same of all tensors but `member`
  std::size_t atLast = 0;       // how many tensors are read last at `last`

  void add(std::uint32_t tensor, std::uint32_t use) {
    if (member == none || use > last) {
      ofOthers = member == none ? 0 : last;
      member = tensor, last = use, atLast = 1;
    } else {
      ofOthers = std::max(ofOthers, use);
      atLast += use == last ? 1 : 0;
    }
  }
  // All tensors of another block.
  void add(const LastUses& other) {
    if (other.member == none) return;
    add(other.member, other.last);
    if (other.last == last) atLast += other.atLast - 1;
    ofOthers = std::max(ofOthers, other.ofOthers);
  }
  // When the tensors other than this one are needed for the last time.
  std::uint32_t except(std::uint32_t tensor) const { return tensor == member ? ofOthers : last; }
  // Whether exactly so many tensors are needed for the last time at `use`, and none later.
  bool areAt(std::uint32_t use, std::size_t count) const { return last == use && atLast == count; }
};

}  // namespace axle::runtime
