// Why a run command ends early, and where results go.
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
  int exitCode = 0;                        // as CLI.md has them
  std::string message;                     // one line, lower case, no full stop
  std::optional<runtime::RunError> error;  // what the runtime said, if it was the runtime
  std::vector<std::string> help;

  std::string text() const;  // whole lines for stderr, without the last line's end
};

template <class T>
using Outcome = tl::expected<T, Failure>;

tl::unexpected<Failure> fail(int exitCode, std::string what);
tl::unexpected<Failure> fail(const runtime::RunError& error);

// Prints a failure and gives its exit code.
int report(const Failure& failure, std::FILE* err);

// The diagnostic object of CLI.md. What has no place of its own is about `model`, as the command line names it.
std::string diagnosticJson(const Failure& failure, const std::string& model);

// What `run` prints with --format=json where it has no results: the diagnostics, which are objects as text, tell why.
std::string failedRunJson(std::span<const std::string> diagnostics);

// Prints results; false, with a line on `err`, when they cannot be written.
bool print(const std::string& text, std::FILE* out, std::FILE* err);

// At the start of a program: standard streams that are closed stay so, whatever files are opened later.
void reserveStandardStreams();

// At its end: `exitCode`, but where a success could not be written to stdout an error and 2.
int finishOutput(int exitCode);

}  // namespace axle::run
