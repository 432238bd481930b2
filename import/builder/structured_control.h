// Loops and branches of a graph as expressions of the typed program. Their results are opaque values while the graph is
// analysed, and are defined here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "import/builder/graph_typer.h"

namespace axle {

// Defines the opaque value `open` as `value`. False, and nothing changes, where `open` is none or not opaque, and where
// the types differ, which is reported.
bool defineOpaque(GraphTyper& typer, TypedId open, TypedId value, const std::string& name, Span at,
                  const std::string& subject);

// A state of a loop: `start` before it, the opaque `state` in an iteration, and what the iteration makes of it.
struct LoopValue {
  TypedId start, state, next;
};
// The values of the states when `condition` no longer holds. Empty where the language has no such loop: a state has no
// value, or its shape differs between iterations.
std::vector<TypedId> defineLoop(GraphTyper& typer, const std::string& name, TypedId condition,
                                std::span<const LoopValue> values, Span at);

// Whether a value can select a case: a scalar of a known element type.
bool canSelect(GraphTyper& typer, TypedId selector);
// The case with the number `selector`: the first for false or 0, the last for a number without a case. `selected` is
// the number, where it is known. None where a case has no value, or the shapes of the cases differ.
TypedId selectCase(GraphTyper& typer, const std::string& name, TypedId selector, std::optional<std::size_t> selected,
                   std::span<const TypedId> cases, Span at);

}  // namespace axle
