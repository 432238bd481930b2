// The state of preparing one entry (prepareEntry): what its steps (entry_steps.h) read and leave for the next one.
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

// A size that the user named in the signature and that inference made a number.
struct RefinedName {
  std::size_t parameter;  // whose input gives the size
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

  // The binding of that name, and its instance for this entry.
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
// Where errors about the whole program are shown: the start of its text; of a graph, which has none, of its listing.
Span startOf(const Checked& checked);
// Solves what is pending and reports the first conflict. True if there was one.
bool reportConflict(Checked& checked, Diagnostics& diagnostics);

// The options that give these sizes values: `--set n=4`, `--set k=4`.
Phrase settingOptions(const Solution& solution, const std::vector<DimVar>& sizes);

// Whether a size comes into being during a run: a size of the run, or a length for each element.
bool isMadeInRun(const Solution& solution, DimVar size);

}  // namespace axle
