// Infers calls: of operators, and of functions with their static parameters.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle::codes {
inline const DiagnosticCode arity{"E0310", Severity::error, "wrong arguments"};
}

namespace axle {

TypedId inferCall(Inference& in, Span span, const ast::ExprCall& call);

// Reports arguments that are written with the names of parameters, which take them by place. True if there are any.
bool reportPositionalByName(Inference& in, Span span, const ast::ExprCall& call, const std::string& name,
                            const std::vector<std::string>& parameters);
// Reports the use of a size that each call of a function makes anew, where the call is not known: two such values need
// not agree. Always true.
bool reportClosedSize(Inference& in, DimVar size, ReasonId why);

}  // namespace axle
