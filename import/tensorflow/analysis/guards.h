// Guards: what a run must check, since its sizes decide it. What an input's shape must be besides what is declared of
// it, and what the solver leaves open.
#pragma once

#include <string>

#include "import/tensorflow/analysis/frame.h"

namespace axle {
struct Guard;
struct Reason;
}  // namespace axle

namespace axle::tensorflow {

struct Analysis;

void findGuards(Analysis& analysis);

// Adds a guard that `why` (null for nothing) asks for. Null where there is one with this text.
Guard* addGuard(Analysis& analysis, std::string text, const Reason* why);
// Adds the places that gave a size.
void addOrigins(Analysis& analysis, Guard& guard, const ShapePart& size);

}  // namespace axle::tensorflow
