// Shapes of merged branches and of loop states. Each function may be called again when more is known. It returns
// whether it learnt something.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "import/builder/graph_typer.h"

namespace axle {

// The resolved shape of a tensor, whose parts are all dimensions. None where the rank is open.
std::optional<Shape> resolvedShape(GraphTyper& typer, TypedId value);
std::optional<std::vector<Dim>> resolvedDims(GraphTyper& typer, TypedId value);
// Whether both are tensors of known rank and of the same sizes.
bool haveSameShape(GraphTyper& typer, TypedId a, TypedId b);

// Gives a tensor of open rank this rank and new unknown sizes.
bool fixRank(GraphTyper& typer, TypedId value, std::size_t rank, Span at);

// `merged` is one of `cases`, so it has their rank and the sizes that all of them have.
bool inferMergedShape(GraphTyper& typer, std::span<const TypedId> cases, TypedId merged, Span at);

// A loop starts with `start`, and an iteration computes `next` from `state`. Where a size of `next` is that of the
// state or of the start, the state has the size of the start.
bool inferStateShape(GraphTyper& typer, TypedId start, TypedId state, TypedId next, Span at);
bool inferStateSize(GraphTyper& typer, Dim start, Dim state, Dim next, Span at);

// A loop ends with `exit`. Where a size of the state is known, or is that of the start, the exit has it. Other sizes of
// the exit may differ from the state's, since the loop may be unrolled.
bool inferExitShape(GraphTyper& typer, TypedId start, TypedId state, TypedId exit, Span at);
bool inferExitSize(GraphTyper& typer, Dim start, Dim state, Dim exit, Span at);

}  // namespace axle
