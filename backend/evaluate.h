// Evaluates models without inputs with the runtime, to fold constants.
#pragma once

#include "backend/bundle.h"
#include "ir/passes/pass.h"

namespace axle {

ir::Evaluate runtimeEvaluator(WeightBytes weights);

}  // namespace axle
