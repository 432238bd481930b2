// Dimensions that are not plain sizes: run-time sizes, which no caller can know; ragged lengths, which are functions;
// streamed dimensions, which no operation may need as a whole (docs/shapes.md).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

// Requires that no variable of the dimension is a stream, because `reason` needs the whole dimension at once. False
// after a conflict.
bool requireWhole(Solver& solver, Dim d, ReasonId reason);
bool requireWhole(Solver& solver, const Shape& shape, ReasonId reason);
// Requires that the dimension is not a ragged length, because `reason` needs one size. False after a conflict.
bool requireUnragged(Solver& solver, Dim d, ReasonId reason);
bool requireUnragged(Solver& solver, const Shape& shape, ReasonId reason);

// Requires that no type from before contains run-time sizes made since `from`. False after a conflict, which names the
// type's owner `name`.
bool checkEscape(Solver& solver, TypeId given, std::size_t from, const std::string& name);
// The same; also requires that ragged lengths of a given type are functions of the type's own dimensions.
bool checkGivenType(Solver& solver, TypeId given, std::size_t from, const std::string& name);
// Requires that no suspended equation for which `choose` holds leaves a size that only a run-time size could determine.
// The types `given` determine their own sizes. False after a conflict.
bool checkDetermined(Solver& solver, const std::function<bool(const Constraint&)>& choose,
                     const std::vector<TypeId>& given);

// Closes the run-time sizes made since `from` in a function's result: every call makes new ones.
void closeRuntimeSizes(Solver& solver, TypeId result, std::size_t from);
// Opens them again, because the function is called. Those of functions inside the result stay closed.
void openRuntimeSizes(Solver& solver, TypeId result);
// Returns a size of a function that is not called yet: of the tensor `type`, or with `withFunctions` of any type.
std::optional<DimVar> findClosedSize(Solver& solver, TypeId type, bool withFunctions = false);
// For `match` on a run-time rank: makes the sizes since `from` run-time sizes.
bool hasRuntimeRank(Solver& solver, TypeId type);
void makeRuntimeSizes(Solver& solver, TypeId type, std::size_t from, OriginId origin, const std::string& maker);

// Decides every `element` constraint of an application: its tensors are known, so sizes that are not ragged now never
// will be.
void settleElementShapes(Solver& solver);
// Returns a ragged length, or a size computed from one, that does not follow the dimensions it is a function of.
std::optional<Dim> findMisplacedLength(Solver& solver, TypeId type);

}  // namespace axle
