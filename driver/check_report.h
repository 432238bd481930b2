// What `axc check` reports of a source or of a bundle: types, facts and what became of them, diagnostics.
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

// What became of a fact.
enum class Fate : std::uint8_t { provedIn, assumedIn, leftBy, leftToRun, delayOf, provedFor, guardOf };

struct ListedFact {
  Fate fate = Fate::guardOf;
  std::string of;  // the function or the entry
  std::string text, reason;
  std::vector<runtime::Place> places;
  std::string label;                 // of the first place
  std::optional<decide::Tier> tier;  // of a proof
  std::optional<Proposal> proposal;  // of a fact that is left to others
};

struct CheckReport {
  std::vector<BindingType> bindings;
  std::vector<ListedFact> facts;         // guards always, the others where all facts are asked for
  std::vector<std::string> diagnostics;  // as JSON
};

struct FileReport {
  std::string file;
  CheckReport report;
};

struct CheckRequest {
  std::string entry;    // whose guards are listed; empty: those of `main`, if it can be an entry
  bool guards = false;  // without an entry guards are listed only where this asks for them
  bool all = false;     // also what was proved, assumed and left, of a compilation that keeps proofs
};

// Checks a source as far as its errors let it.
CheckReport reportSource(Compilation& compilation, const CheckRequest& request);

// The type and the guards of a bundle's entry, which must be `entry` unless that is empty.
run::Outcome<CheckReport> reportBundle(const std::string& path, const std::string& entry);

std::string reportText(const CheckReport& report, bool allFacts);
// One JSON object: the report of one file, or {"files": [...]} with the reports of several, each with its "file".
std::string reportJson(std::span<const FileReport> reports, bool allFacts);

// One line: how many facts each tier of the solver decided.
std::string statisticsText(const Checked& checked);

}  // namespace axle::driver
