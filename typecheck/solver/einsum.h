// Equations of einsum: "ij,jk->ik", "...ij->...ji". Without an arrow, the result has the letters that occur once, in
// order.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace axle {

struct EinsumTerm {
  std::string before, after;  // the letters around the ellipsis; without one, all are in `before`
  bool ellipsis = false;
  std::string letters() const { return before + after; }
};

struct Einsum {
  std::vector<EinsumTerm> operands;
  EinsumTerm result;
};

// Parses the equation for this number of operands, or returns the error text.
tl::expected<Einsum, std::string> parseEinsum(std::string_view text, std::size_t operands);

}  // namespace axle
