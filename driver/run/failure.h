// Why a command ends early, and the streams that results and errors are printed to.
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

  std::string text() const;  // whole lines for stderr, without the last line's end
};

template <class T>
using Outcome = tl::expected<T, Failure>;

tl::unexpected<Failure> fail(int exitCode, std::string what);
tl::unexpected<Failure> fail(const runtime::RunError& error);

// Prints a failure and gives its exit code.
int report(const Failure& failure, std::FILE* err);

// The failure as the JSON object of a diagnostic. Without a place it is placed in `model`, the path on the command
// line.
std::string diagnosticJson(const Failure& failure, const std::string& model);

// What `run --format=json` prints if there are no results. `diagnostics` are JSON objects as text.
std::string failedRunJson(std::span<const std::string> diagnostics);

// Prints results; false, with a line on `err`, when they cannot be written.
bool print(const std::string& text, std::FILE* out, std::FILE* err);

// Called at the start of a program. Opens closed standard streams, so that no file that is opened later gets their
// descriptors.
void reserveStandardStreams();

// Called at the end of a program: gives `exitCode`, or 2 with an error on stderr if stdout could not be written.
int finishOutput(int exitCode);

// The same, and ends the program without destroying anything.
[[noreturn]] void endProcess(int exitCode);

}  // namespace axle::run
