// Checks the arguments of an operator's application: their number, and the attributes that they give.
#pragma once

#include "typecheck/infer/operators.h"
#include "typecheck/infer/type_reader.h"

namespace axle {

// Checks the number of arguments for `wanted` parameters; the parameter at index `variadic` takes any number.
bool checkArity(Inference& in, const OperatorUse& use, std::size_t wanted, std::optional<std::size_t> variadic);
// Reads the attributes given by name into `use.statics`, checks each against its sort, and sets all attributes of the
// signature, the others to their defaults. False after an error.
bool readAttributes(Inference& in, OperatorUse& use, SignatureUse& signature, TypeReader& reader, ReasonId why);

}  // namespace axle
