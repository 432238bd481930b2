// Errors of the runtime, as values. `axc explain` lists their codes beside the compiler's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace axle::runtime {

// The cause of an error; it determines the exit code of a command.
enum class ErrorKind : std::uint8_t {
  bundle,  // the file is not a bundle, is damaged or contradicts itself
  usage,   // an input is missing or unknown, or the session is used out of order
  input,   // an input of the wrong rank, size or element type
  guard,   // a fact about sizes that does not hold
  run,     // an integer division by zero, an index out of range
  limit,   // more memory or a larger size than this machine has
};

// Row numbers of `errorTable`.
enum class ErrorCode : std::uint8_t {
  cannotRead,
  notABundle,
  otherVersion,
  truncated,
  checksum,
  malformed,
  inconsistent,
  unknownOperator,
  tooLarge,
  missingInput,
  unknownInput,
  wrongInput,
  contradictingSizes,
  badSize,
  guardFails,
  divisionByZero,
  indexOutOfRange,
  outOfMemory,
  notBound,
  wrongSplits,
  threadCount,
  noStream,
  wrongFrames,
  wrongState,
};

struct ErrorRow {
  std::string_view code;  // "E0805"
  ErrorKind kind;
  std::string_view title;  // the heading of its section in docs/errors.md
};

// One row per ErrorCode: E07 bundles, E08 runs.
std::span<const ErrorRow> errorTable();

// The place in the source, or the node of an imported graph, that an error is about.
struct Place {
  std::string file;
  std::uint32_t line = 0, column = 0, endLine = 0, endColumn = 0;  // from 1, in code points, the end exclusive; 0: none
  std::string node;
};

struct RunError {
  ErrorCode code;
  std::string message;  // one line, lower case, no full stop
  std::vector<Place> places;
  std::vector<std::string> notes;  // the guard's reason, the sizes that were bound

  const ErrorRow& row() const;
  ErrorKind kind() const { return row().kind; }
  int exitCode() const;      // 1 for bundles and limits of the file, 2 for usage, 3 for the rest
  std::string text() const;  // `error[E0805]: message`, then places and notes, one line each
};

template <class T>
using Result = tl::expected<T, RunError>;

inline tl::unexpected<RunError> failure(ErrorCode code, std::string message) {
  return tl::unexpected<RunError>(RunError{code, std::move(message), {}, {}});
}

}  // namespace axle::runtime
