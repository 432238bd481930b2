// The arguments of an application of an operator: how many there are, and which attributes they give.
#pragma once

#include "typecheck/infer/operators.h"
#include "typecheck/infer/type_reader.h"

namespace axle {

// Checks the number of arguments for `wanted` parameters, of which the one at `variadic` takes any number.
bool checkArity(Inference& in, const OperatorUse& use, std::size_t wanted, std::optional<std::size_t> variadic);
// Reads the attributes that are given by name into `use.statics`, checks each against its sort, and sets all attributes
// of the signature, the others to their defaults. False after an error.
bool readAttributes(Inference& in, OperatorUse& use, SignatureUse& signature, TypeReader& reader, ReasonId why);

}  // namespace axle
