#include "tools/axc/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "driver/compile.h"
#include "driver/run/exit_codes.h"
#include "driver/stream_report.h"

namespace axle::axc {

namespace {

Colour chosenColour = Colour::automatic;

}  // namespace

void setColour(Colour colour) { chosenColour = colour; }

RenderOptions terminalOptions(std::FILE* stream) {
  RenderOptions options;
  options.colour = chosenColour == Colour::always;
  const int file = ::fileno(stream);
  if (::isatty(file) != 1) return options;
  const char* terminal = std::getenv("TERM");
  if (chosenColour == Colour::automatic)
    options.colour = !std::getenv("NO_COLOR") && !(terminal && std::string_view(terminal) == "dumb");
  winsize size{};
  if (::ioctl(file, TIOCGWINSZ, &size) == 0) options.width = size.ws_col;
  return options;
}

void printDiagnostics(std::FILE* stream, const Diagnostics& diagnostics, const SourceMap& sources) {
  const RenderOptions options = terminalOptions(stream);
  const char* between = "";
  for (const Diagnostic& d : diagnostics) {
    std::fprintf(stream, "%s%s", between, render(d, sources, options).c_str());
    between = "\n";
  }
}

int report(const driver::Compilation& compilation) {
  if (!compilation.usageError().empty()) std::fprintf(stderr, "error: %s\n", compilation.usageError().c_str());
  for (const std::string& size : compilation.equatedSizes())
    std::fprintf(stderr, "of sizes that broadcast %s: the graph takes 1 for either, too\n", size.c_str());
  printDiagnostics(stderr, compilation.diagnostics(), compilation.sources());
  if (!compilation.bug().empty()) throw std::logic_error(compilation.bug());
  return compilation.exitCode();
}

int printStream(const driver::StreamCheck& check, bool asJson) {
  if (asJson) std::fputs(driver::streamJson(check).c_str(), stdout);
  const driver::Compilation& compilation = check.compilation();
  if (compilation.exitCode() != exitDone) return report(compilation);
  if (asJson) return check.exitCode();
  if (check.report()) std::fputs(driver::streamText(*check.report()).c_str(), stdout);
  printDiagnostics(stderr, check.diagnostics(), compilation.sources());
  return check.exitCode();
}

}  // namespace axle::axc
