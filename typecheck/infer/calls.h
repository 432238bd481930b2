// Infers calls: of operators, and of functions with their static parameters.
#pragma once

#include "typecheck/infer/inference.h"

namespace axle::codes {
inline const DiagnosticCode arity{"E0310", Severity::error, "wrong arguments"};
}

namespace axle {

TypedId inferCall(Inference& in, Span span, const ast::ExprCall& call);

// Returns the function that a name means if calls are followed; null for other names.
const FollowedFunction* followedFunction(const Inference& in, const std::string& name);
// Whether an argument is a function literal, or is inferred as one.
bool isFunctionLiteral(const Inference& in, ast::ExprId argument);
// Infers a function used as a value, for this use, if calls are followed.
TypedId inferFollowedValue(Inference& in, Span span, const FollowedFunction& fn, std::optional<TypeId> expected);

// Reports arguments given by name to parameters that take them by position. True if there are any.
bool reportPositionalByName(Inference& in, Span span, const ast::ExprCall& call, const std::string& name,
                            const std::vector<std::string>& parameters);
// Says that one or some of the parameters have no argument, if `given` arguments are too few for them.
std::optional<Phrase> missingArguments(const std::vector<std::string>& parameters, std::size_t given);
// Reports the use of a size that each call of a function makes anew if it is not known which call made it: two such
// values need not agree. Always true.
bool reportClosedSize(Inference& in, DimVar size, ReasonId why);

}  // namespace axle
