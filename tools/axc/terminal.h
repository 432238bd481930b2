// Printing to a terminal or to anything else.
#pragma once

#include <cstdint>
#include <cstdio>

#include "frontend/diagnostic.h"

namespace axle::driver {
class Compilation;
class StreamCheck;
}  // namespace axle::driver

namespace axle::axc {

// `--color`: as the terminal and the environment say, or in any case.
enum class Colour : std::uint8_t { automatic, always, never };
void setColour(Colour colour);

// Colour and width where the stream is a terminal; no colour where the environment has NO_COLOR. `setColour` overrides
// both.
RenderOptions terminalOptions(std::FILE* stream);

// Prints diagnostics with an empty line between them, coloured and wrapped as the terminal wants it.
void printDiagnostics(std::FILE* stream, const Diagnostics& diagnostics, const SourceMap& sources);

// Prints on stderr what went wrong in a compilation; gives its exit code. A bug of the compiler is thrown.
int report(const driver::Compilation& compilation);

// Prints what a check of a stream found, and gives its exit code.
int printStream(const driver::StreamCheck& check, bool asJson);

}  // namespace axle::axc
