// Turns loops and branches of a graph into expressions of the typed program. Their results are opaque values during the
// analysis, and are defined here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "import/builder/graph_typer.h"

namespace axle {

// Defines the opaque value `open` as `value`. Returns false and changes nothing if `open` is none or not opaque, or if
// the types differ, which is reported.
bool defineOpaque(GraphTyper& typer, TypedId open, TypedId value, const std::string& name, Span at,
                  const std::string& subject);

// A state of a loop: `start` before it, the opaque `state` in an iteration, and `next`, which the iteration computes.
struct LoopValue {
  TypedId start, state, next;
};
// Returns the values of the states after the loop. Empty if the language has no such loop: a state has no value, or its
// shape differs between iterations.
std::vector<TypedId> defineLoop(GraphTyper& typer, const std::string& name, TypedId condition,
                                std::span<const LoopValue> values, Span at);

// Whether a value can select a case: a scalar of a known element type.
bool canSelect(GraphTyper& typer, TypedId selector);
// Returns the case with the number `selector`: the first for false or 0, the last for a number without a case.
// `selected` is the number if it is known. None if a case has no value, or the shapes of the cases differ.
TypedId selectCase(GraphTyper& typer, const std::string& name, TypedId selector, std::optional<std::size_t> selected,
                   std::span<const TypedId> cases, Span at);

}  // namespace axle
