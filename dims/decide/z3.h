// Tier 3: Z3 over integers, for facts that tiers 1 and 2 leave open. Deterministic: uses a resource limit and a fixed
// seed, no clock.
#pragma once

#include <memory>
#include <vector>

#include "dims/decide/intervals.h"

namespace axle::decide {

enum class Satisfiable : std::uint8_t { no, yes, unknown };

class Z3 {
 public:
  Z3();
  ~Z3();
  Z3(Z3&&) noexcept;
  Z3& operator=(Z3&&) noexcept;

  // `resources` are Z3's own units. After `yes`, `model` holds a value for each variable by DimVar::index.
  Satisfiable ask(DimStore& store, const System& system, unsigned resources, std::vector<std::int64_t>& model);

 private:
  struct Context;
  std::unique_ptr<Context> context_;  // made on first use
};

}  // namespace axle::decide
