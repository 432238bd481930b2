// Describes how the core operators work on streams, for `axc ops NAME`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "frontend/modules.h"

namespace axle::driver {

// Facts that the signature does not express, by the operator's name.
struct StreamRule {
  std::string_view name, text;
};
std::span<const StreamRule> streamRules();

// Returns a sentence about an operator: from its rule, or else from the dimensions that its signature marks as needed
// at once.
std::string streamSentence(const CoreOp& op);

}  // namespace axle::driver
