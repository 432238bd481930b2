// Dimensions that are not plain sizes: run-time sizes, which no caller can know; ragged lengths, which are functions;
// streamed dimensions, which nothing may need whole (docs/shapes.md).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

// `reason` needs all of the dimension at once, so none of its variables is a stream. False after a conflict.
bool requireWhole(Solver& solver, Dim d, ReasonId reason);
bool requireWhole(Solver& solver, const Shape& shape, ReasonId reason);
// `reason` needs one size, so the dimension is no ragged length. False after a conflict.
bool requireUnragged(Solver& solver, Dim d, ReasonId reason);
bool requireUnragged(Solver& solver, const Shape& shape, ReasonId reason);

// Run-time sizes of the variables made since `from` must not be sizes of a type that was there before. False after a
// conflict, in which `name` is that of the type's owner.
bool checkEscape(Solver& solver, TypeId given, std::size_t from, const std::string& name);
// The same, and that ragged lengths of a type that is given are functions of its own dimensions.
bool checkGivenType(Solver& solver, TypeId given, std::size_t from, const std::string& name);
// Of the suspended equations for which `choose` holds, none may be left that only a run-time size could solve. `given`
// are types that say what their sizes are. False after a conflict.
bool checkDetermined(Solver& solver, const std::function<bool(const Constraint&)>& choose,
                     const std::vector<TypeId>& given);

// Closes the run-time sizes in a function's result that were made since `from`: every call makes others.
void closeRuntimeSizes(Solver& solver, TypeId result, std::size_t from);
// Opens them again: the function is called here. Those of functions inside of the result stay closed.
void openRuntimeSizes(Solver& solver, TypeId result);
// A size of a function that is not called yet, in a tensor that is read, or wherever it stands in the type.
std::optional<DimVar> findClosedSize(Solver& solver, TypeId type, bool withFunctions = false);
// `match` on a run-time rank: the sizes made since `from` are what the run finds.
bool hasRuntimeRank(Solver& solver, TypeId type);
void makeRuntimeSizes(Solver& solver, TypeId type, std::size_t from, OriginId origin, const std::string& maker);

// Decides every `element` of an application: its tensors are given, so what is not ragged by now never is.
void settleElementShapes(Solver& solver);
// A ragged length, or a size computed of one, that does not stand behind the dimensions it is a function of.
std::optional<Dim> findMisplacedLength(Solver& solver, TypeId type);

}  // namespace axle
