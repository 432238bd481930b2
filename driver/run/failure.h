// The reason why a command ends early, and the streams for results and errors.
#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "driver/run/exit_codes.h"
#include "runtime/error.h"

namespace axle::run {

struct Failure {
  int exitCode = 0;                        // exit_codes.h
  std::string message;                     // one line, lower case, no full stop
  std::optional<runtime::RunError> error;  // of the runtime, if that failed
  std::vector<std::string> help;

  std::string text() const;  // whole lines for stderr, without the final line end
};

template <class T>
using Outcome = tl::expected<T, Failure>;

tl::unexpected<Failure> fail(int exitCode, std::string what);
tl::unexpected<Failure> fail(const runtime::RunError& error);

// Prints a failure and returns its exit code.
int report(const Failure& failure, std::FILE* err);

// Returns the failure as the JSON object of a diagnostic. If it has no place, uses `model`, the path on the command
// line.
std::string diagnosticJson(const Failure& failure, const std::string& model);

// Returns the output of `run --format=json` if there are no results. `diagnostics` are JSON objects as text.
std::string failedRunJson(std::span<const std::string> diagnostics);

// Prints results. Returns false, with a line on `err`, if they cannot be written.
bool print(const std::string& text, std::FILE* out, std::FILE* err);

// Opens closed standard streams, so that no file opened later gets their descriptors. Where stdout and stderr are one
// pipe or file, makes stdout write whole lines, so that they keep their order. Call it at the start of a program.
void prepareStandardStreams();

// Returns `exitCode`, or 2 with an error on stderr if stdout could not be written. Call it at the end of a program.
int finishOutput(int exitCode);

// Does the same and ends the program without running destructors.
[[noreturn]] void endProcess(int exitCode);

}  // namespace axle::run
