// Prints diagnostics and reports, to a terminal or elsewhere.
#pragma once

#include <cstdint>
#include <cstdio>

#include "frontend/diagnostic.h"

namespace axle::driver {
class Compilation;
class StreamCheck;
}  // namespace axle::driver

namespace axle::axc {

// `--color`: automatic follows the terminal and the environment.
enum class Colour : std::uint8_t { automatic, always, never };
void setColour(Colour colour);

// Returns colour and width if the stream is a terminal, and no colour if the environment has NO_COLOR. `setColour`
// overrides the colour.
RenderOptions terminalOptions(std::FILE* stream);

// Prints diagnostics with an empty line between them, coloured and wrapped for the terminal.
void printDiagnostics(std::FILE* stream, const Diagnostics& diagnostics, const SourceMap& sources);

// Prints a compilation's errors on stderr and returns its exit code. Throws a bug of the compiler.
int report(const driver::Compilation& compilation);

// Prints the result of a check of a stream and returns its exit code.
int printStream(const driver::StreamCheck& check, bool asJson);

}  // namespace axle::axc
