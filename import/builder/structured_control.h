// Loops and branches of a graph as expressions of the typed program: what the graph's nodes give is opaque while the
// graph is analysed, and gets its value here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "import/builder/graph_typer.h"

namespace axle {

// Gives the opaque value `open` the value `value`. False, and nothing changes, where `open` is none or is not opaque, or
// the types differ (an error has been reported then).
bool defineOpaque(GraphTyper& typer, TypedId open, TypedId value, const std::string& name, Span at,
                  const std::string& subject);

// A state of a loop: `start` before it, the opaque `state` in an iteration, and what the iteration makes of it.
struct LoopValue {
  TypedId start, state, next;
};
// What the states are when `condition` no longer holds, in their order. Empty where the language has no such loop: a
// state has no value, or its shape is not the same in every iteration.
std::vector<TypedId> defineLoop(GraphTyper& typer, const std::string& name, TypedId condition,
                                std::span<const LoopValue> values, Span at);

// Whether a value can select a case: a scalar of a known element type.
bool canSelect(GraphTyper& typer, TypedId selector);
// The case whose number `selector` is: the first for false or 0, the last for all numbers that have none. `selected` is
// the case where it is known. None where a case has no value or their shapes differ.
TypedId selectCase(GraphTyper& typer, const std::string& name, TypedId selector, std::optional<std::size_t> selected,
                   std::span<const TypedId> cases, Span at);

}  // namespace axle
