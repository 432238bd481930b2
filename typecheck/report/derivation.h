// Why a value has its type: the places that gave its sizes their values, one after the other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "typecheck/check.h"

namespace axle {

struct DerivationStep {
  std::string text;
  std::optional<Span> place;
  std::string file, node;            // of a tensor in a file, instead of a span
  std::optional<decide::Tier> tier;  // that proved a fact
};

struct Derivation {
  std::string what;  // "[3, 4]", or one size
  std::vector<DerivationStep> steps;
};

// The derivation of one axis (a negative one counts from the end), or of the whole shape. Nothing if there is no such
// axis, or if the binding is no tensor.
std::optional<Derivation> derivation(Checked& checked, const std::string& name, BindingId binding,
                                     std::optional<std::int64_t> axis);

}  // namespace axle
