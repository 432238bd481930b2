// The state of preparing one entry (prepareEntry), which its steps (entry_steps.h) read and change.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/checked.h"
#include "typecheck/entry/entry_codes.h"
#include "typecheck/entry/open_ranks.h"

namespace axle {

// A size that the user named in the signature and that inference found to be a number.
struct RefinedName {
  std::size_t parameter;  // the parameter whose input gives the size
  Shape before;           // the parts of its shape before that size
  std::string name;
  Dim value;
  Span span;                     // of the name
  std::optional<Source> source;  // of the number
};

struct EntryState {
  EntryState(Checked& c, const EntryOptions& o, Diagnostics& d) : checked(c), options(o), diagnostics(d) {}

  Checked& checked;
  const EntryOptions& options;
  Diagnostics& diagnostics;
  bool failed = false;  // an error was reported

  Entry entry;  // the result

  // The binding named by the options, and its instance for this entry.
  BindingId binding;
  Span span;
  TypedId function;
  TypeId type;
  std::vector<std::string> parameterNames;
  std::vector<Span> parameterSpans;

  // The names that EntryOptions may set.
  std::map<std::string, Shape> shapeNames;
  std::map<std::string, Dim> dimNames;

  std::vector<DimFact> stated;  // the function's `where`
  std::vector<RefinedName> refinedNames;
  std::vector<Dim> streams;
  std::map<std::size_t, std::size_t> firstInput;  // the first input of each parameter that has one
};

// Adds an error. The reference is valid until the next one.
template <class... Args>
Diagnostic& report(EntryState& state, const Message<Args...>& message, Span span,
                   const std::type_identity_t<Args>&... arguments) {
  state.failed = true;
  return report(state.diagnostics, message, span, arguments...);
}
// Returns the place of errors about the whole program: the start of its text; for a graph, which has no text, the start
// of its listing.
Span startOf(const Checked& checked);
// Solves the pending constraints and reports the first conflict. True if there was one.
bool reportConflict(Checked& checked, Diagnostics& diagnostics);

// Returns the place of the parameter that an input is part of; of the binding if the parameter has none.
inline Span spanOf(const EntryState& state, const InputLeaf& input) {
  return input.parameter < state.parameterSpans.size() ? state.parameterSpans[input.parameter] : state.span;
}

// Whether a size is computed during a run: a run-time size, or a ragged length.
bool isMadeInRun(const Solution& solution, DimVar size);

}  // namespace axle
