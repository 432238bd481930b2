// Infers shapes of merged branches and of loop states. The inferring functions may be called again when more is known,
// and return whether they learnt something.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "import/builder/graph_typer.h"

namespace axle {

// Return the resolved shape of a tensor whose parts are all dimensions. None if the rank is open.
std::optional<Shape> resolvedShape(GraphTyper& typer, TypedId value);
std::optional<std::vector<Dim>> resolvedDims(GraphTyper& typer, TypedId value);
// Whether both are tensors of known rank with the same sizes.
bool haveSameShape(GraphTyper& typer, TypedId a, TypedId b);

// Gives a tensor of open rank this rank and new unknown sizes.
bool fixRank(GraphTyper& typer, TypedId value, std::size_t rank, Span at);

// Gives `merged`, which is one of `cases`, their common rank and the sizes that all of them have.
bool inferMergedShape(GraphTyper& typer, std::span<const TypedId> cases, TypedId merged, Span at);

// For a loop that starts with `start` and whose iterations compute `next` from `state`: if a size of `next` is that of
// the state or of the start, gives the state the size of the start.
bool inferStateShape(GraphTyper& typer, TypedId start, TypedId state, TypedId next, Span at);
bool inferStateSize(GraphTyper& typer, Dim start, Dim state, Dim next, Span at);

// For a loop that ends with `exit`: gives the exit each size of the state that is known or is that of the start. Other
// sizes of the exit may differ from the state's, because the loop may be unrolled.
bool inferExitShape(GraphTyper& typer, TypedId start, TypedId state, TypedId exit, Span at);
bool inferExitSize(GraphTyper& typer, Dim start, Dim state, Dim exit, Span at);

}  // namespace axle
