// How the core operators work on streams, as `axc ops NAME` tells it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "frontend/modules.h"

namespace axle::driver {

// What the signature does not tell, by the operator's name.
struct StreamRule {
  std::string_view name, text;
};
std::span<const StreamRule> streamRules();

// A sentence about each operator: of its rule, else from the dimensions that its signature needs at once.
std::string streamSentence(const CoreOp& op);

}  // namespace axle::driver
