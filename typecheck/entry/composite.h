// The interfaces of composites (papers/tflite-fusion.txt): what a function must take and give that says it implements
// one, so that a fused operator may stand for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "typecheck/types/solution.h"

namespace axle {

using Types = std::vector<std::optional<TypeId>>;

// Why a function of these types does not have the interface of that name, in a sentence; empty where it has, or where
// no interface of that name is known. What is no tensor, or has no type, fits anything.
std::string whyNotComposite(std::string_view implements, Solution& solution, const Types& inputs, const Types& outputs);

}  // namespace axle
