// Shapes of merged branches and of loop states. What is asked of a value here holds for all cases of a branch, or for
// all iterations of a loop; each function may be asked again when more is known, and gives true where something was
// learnt.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "import/builder/graph_typer.h"

namespace axle {

// The shape of a tensor, resolved, all of whose parts are dimensions; none where its rank is open.
std::optional<Shape> resolvedShape(GraphTyper& typer, TypedId value);
std::optional<std::vector<Dim>> resolvedDims(GraphTyper& typer, TypedId value);
// Whether both shapes are resolved, and are one.
bool haveSameShape(GraphTyper& typer, TypedId a, TypedId b);

// Gives a tensor of open rank this rank, with sizes of its own.
bool fixRank(GraphTyper& typer, TypedId value, std::size_t rank, Span at);

// `merged` is one of `cases`: it has their rank, and the sizes in which they agree.
bool inferMergedShape(GraphTyper& typer, std::span<const TypedId> cases, TypedId merged, Span at);

// A loop starts with `start` and makes `next` of `state` in an iteration: a size of the state that the iteration leaves
// as it was, or makes what it was at the start, is what it was at the start.
bool inferStateShape(GraphTyper& typer, TypedId start, TypedId state, TypedId next, Span at);
bool inferStateSize(GraphTyper& typer, Dim start, Dim state, Dim next, Span at);

// A loop ends with `exit`, whose sizes are of its own where the state's are open, since the loop may be unrolled: a size
// of the state that is what it was at the start, or is known, is the exit's.
bool inferExitShape(GraphTyper& typer, TypedId start, TypedId state, TypedId exit, Span at);
bool inferExitSize(GraphTyper& typer, Dim start, Dim state, Dim exit, Span at);

}  // namespace axle
