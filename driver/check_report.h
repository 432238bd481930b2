// The report of `axc check` about a source or a bundle: types, facts and their fates, diagnostics.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/run/failure.h"
#include "runtime/error.h"
#include "typecheck/check.h"

namespace axle::driver {

class Compilation;

// How a fact ended.
enum class Fate : std::uint8_t { provedIn, assumedIn, leftBy, leftToRun, delayOf, provedFor, guardOf };

struct ListedFact {
  Fate fate = Fate::guardOf;
  std::string of;  // the function or the entry
  std::string text, reason;
  std::vector<runtime::Place> places;
  std::string label;                 // of the first place
  std::optional<decide::Tier> tier;  // of a proof
  std::optional<Proposal> proposal;  // of a fact that is left to users or to the run
};

struct CheckReport {
  std::vector<BindingType> bindings;
  std::vector<ListedFact> facts;         // guards, and all others if requested
  std::vector<std::string> diagnostics;  // as JSON
};

struct FileReport {
  std::string file;
  CheckReport report;
};

struct CheckRequest {
  std::string entry;        // the entry whose guards are listed; empty: `main`, if it can be an entry
  bool guards = false;      // lists guards even if no entry is named
  bool all = false;         // lists also proved, assumed and left facts, of a compilation that keeps proofs
  bool signatures = false;  // types of functions have the names of parameters
};

// Checks a source as far as its errors allow.
CheckReport reportSource(Compilation& compilation, const CheckRequest& request);

// Returns the type and the guards of a bundle's entry, which must be `entry` unless that is empty.
run::Outcome<CheckReport> reportBundle(const std::string& path, const std::string& entry);

std::string reportText(const CheckReport& report, bool allFacts);
// One JSON object: the report of one file, or {"files": [...]} with the reports of several, each with its "file".
std::string reportJson(std::span<const FileReport> reports, bool allFacts);

// Returns a line with the number of facts that each tier of the solver decided.
std::string statisticsText(const Checked& checked);

}  // namespace axle::driver
