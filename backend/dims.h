// Converts dimensions to nodes of the bundle's pool of expressions.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "dims/dim.h"
#include "dims/evaluate.h"

namespace axle {

class DimPool {
 public:
  // `symbols` are in the bundle's order.
  DimPool(const DimStore& dims, const std::vector<DimVar>& symbols);

  // Returns the index of an expression equal to `dim`.
  std::uint32_t index(Dim dim);
  const std::vector<DimNode>& nodes() const { return nodes_; }

 private:
  std::uint32_t add(DimOp op, std::int64_t value, std::uint32_t left, std::uint32_t right);
  std::uint32_t constant(std::int64_t value) { return add(DimOp::constant, value, 0, 0); }
  std::uint32_t term(const Term& term, bool magnitude);
  std::uint32_t factor(const Factor& factor);

  const DimStore& dims_;
  std::unordered_map<std::uint32_t, std::uint32_t> symbols_;  // DimVar -> symbol
  std::unordered_map<std::uint32_t, std::uint32_t> known_;    // Dim -> node
  std::map<std::tuple<int, std::int64_t, std::uint32_t, std::uint32_t>, std::uint32_t> interned_;
  std::vector<DimNode> nodes_;
};

}  // namespace axle
