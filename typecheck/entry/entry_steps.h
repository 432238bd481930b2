// The steps of prepareEntry, in the order in which it takes them. Those that return bool return false after an error.
#pragma once

#include "typecheck/entry/entry_state.h"

namespace axle {

// ---- find_entry.cc
// Finds the top-level binding that the options name.
bool findEntry(EntryState& state);
// Instantiates its type for this entry; lists its parameters and the names that the options may set.
void instantiateEntry(EntryState& state);

// ---- specialise_entry.cc
// Gives sizes, shapes and ranks the values that the options set, and static parameters their defaults.
bool specialiseEntry(EntryState& state);
// Chooses f32 or i64 for each element type that is still open.
void defaultElements(EntryState& state);

// ---- entry_splits.cc
// Finishes one equation of shapes of which several splits are possible, where all of them mean the same; sets `moved`.
// Reports one where they do not.
bool settleSplits(EntryState& state, bool& moved);

// ---- entry_ports.cc
// The number of tensors of a tuple must be known.
bool checkTupleSizes(EntryState& state);
bool addInputs(EntryState& state);
// Each weight that the entry uses must have a known type.
bool checkWeights(EntryState& state);
bool addOutputs(EntryState& state);

// ---- entry_symbols.cc
// Makes a symbol, with a name of its own, for each open size of the inputs.
void nameSymbols(EntryState& state);
// Each size of a result must follow from the inputs' sizes, or be made in the run.
bool checkOutputSizes(EntryState& state);

// ---- entry_guards.cc
// A named size that inference made a number gets a symbol and the guard that it has this value.
void guardRefinedNames(EntryState& state);
// Facts that the solver does not prove are guards.
void collectGuards(EntryState& state);

}  // namespace axle
