// Why a value has the type that it has: what gave its sizes their values, one place after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typecheck/check.h"

namespace axle {

struct DerivationStep {
  std::string text;
  std::optional<Span> place;
  std::string file, node;            // of a tensor in a file, in place of a span
  std::optional<decide::Tier> tier;  // of a fact that was proved
};

struct Derivation {
  std::string what;  // "[3, 4]", or one size
  std::vector<DerivationStep> steps;
};

// Of one axis (from the end where it is negative), or of the whole shape. None where there is no such axis, or where
// the binding is no tensor.
std::optional<Derivation> derivation(Checked& checked, const std::string& name, BindingId binding,
                                     std::optional<std::int64_t> axis);

}  // namespace axle
