// Infers indices, as in `x[0]`, `x[:, 1:n-1]` and `x[..., -1]`: slices, and squeezes of the axes that an index removes.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle {

TypedId inferIndex(Inference& in, Span span, const ast::ExprIndex& index);

}  // namespace axle
