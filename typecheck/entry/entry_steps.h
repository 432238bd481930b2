// The steps of prepareEntry, in their order. Those that return bool return false after an error.
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
// Decides one equation of shapes with several possible splits if all of them mean the same, and sets `moved`.
// Otherwise reports it.
bool settleSplits(EntryState& state, bool& moved);

// ---- entry_ports.cc
// Checks that the number of tensors of each tuple is known.
bool checkTupleSizes(EntryState& state);
bool addInputs(EntryState& state);
// Checks that each weight that the entry uses has a known type.
bool checkWeights(EntryState& state);
bool addOutputs(EntryState& state);

// ---- entry_symbols.cc
// Makes a uniquely named symbol for each open size of the inputs.
void nameSymbols(EntryState& state);
// Checks that each size of a result follows from the inputs' sizes or is computed in the run.
bool checkOutputSizes(EntryState& state);

// ---- entry_guards.cc
// Gives each named size that inference found to be a number a symbol, and the guard that it has this value.
void guardRefinedNames(EntryState& state);
// Makes guards of the facts that the solver does not prove.
void collectGuards(EntryState& state);

}  // namespace axle
