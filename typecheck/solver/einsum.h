// Equations of einsum: "ij,jk->ik", "...ij->...ji". Without an arrow, the letters that stand once, in order.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace axle {

struct EinsumTerm {
  std::string before, after;  // the letters around the ellipsis; all are in `before` where there is none
  bool ellipsis = false;
  std::string letters() const { return before + after; }
};

struct Einsum {
  std::vector<EinsumTerm> operands;
  EinsumTerm result;
};

// The equation for so many operands, or what is wrong with it.
tl::expected<Einsum, std::string> parseEinsum(std::string_view text, std::size_t operands);

}  // namespace axle
