// axc fmt: formats sources.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "driver/foreign_file.h"
#include "frontend/format.h"
#include "io/whole_file.h"
#include "tools/axc/commands.h"
#include "tools/axc/line_diff.h"
#include "tools/axc/terminal.h"

namespace axle::axc {

namespace {

constexpr std::string_view standardInput = "-";

struct FmtArguments {
  std::vector<std::string> files;
  bool check = false;
  bool diff = false;
};

int unreadable(const std::string& path, const char* why) {
  std::fprintf(stderr, "error: cannot read %s: %s\n", path.c_str(), why);
  return exitUsage;
}

// The result for one file.
struct Outcome {
  int exitCode = exitDone;
  bool differs = false;  // from its formatted text
};

int readSource(const std::string& path, std::string& text) {
  bool isInput = path == standardInput;
  std::error_code ignored;
  if (!isInput && std::filesystem::is_directory(path, ignored)) return unreadable(path, "it is a folder");
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      isInput ? stdin : std::fopen(path.c_str(), "rb"),
      isInput ? [](std::FILE*) { return 0; } : [](std::FILE* opened) { return std::fclose(opened); });
  if (!file) return unreadable(path, std::strerror(errno));
  char chunk[1 << 16];
  while (std::size_t got = std::fread(chunk, 1, sizeof chunk, file.get())) text.append(chunk, got);
  return std::ferror(file.get()) ? unreadable(path, std::strerror(errno)) : exitDone;
}

Outcome formatFile(const std::string& path, const FmtArguments& arguments) {
  if (path != standardInput)
    if (const auto foreign = driver::refuseForeignFile(path)) return {run::report(*foreign, stderr)};
  std::string text;
  if (int code = readSource(path, text)) return {code};
  SourceMap sources;
  SourceId source = sources.add(path == standardInput ? "<stdin>" : path, std::move(text));
  auto formatted = format(sources, source);
  if (!formatted) {
    printDiagnostics(stderr, formatted.error(), sources);
    return {exitErrors};
  }
  bool differs = *formatted != sources.text(source);
  if (arguments.diff || arguments.check) {
    std::string shown = differs ? path + "\n" : "";
    if (arguments.diff) shown = unifiedDiff(sources.text(source), *formatted, path, terminalOptions(stdout).colour);
    if (!run::print(shown, stdout, stderr)) return {exitUsage};
    return {differs ? exitErrors : exitDone, differs};
  }
  if (path == standardInput) {
    if (!run::print(*formatted, stdout, stderr)) return {exitUsage};
  } else if (differs) {
    std::span<const std::byte> bytes = std::as_bytes(std::span(*formatted));
    if (auto written = writeWholeFile(path, {&bytes, 1}); !written) {
      std::fprintf(stderr, "error: %s\n", describe(written.error()).c_str());
      return {exitUsage};
    }
  }
  return {};
}

int fmtCommand(const FmtArguments& arguments) {
  int code = exitDone;
  std::size_t differing = 0;
  for (const std::string& path : arguments.files) {
    Outcome outcome = formatFile(path, arguments);
    code = std::max(code, outcome.exitCode);
    differing += outcome.differs;
  }
  if (differing > 0)
    std::fprintf(stderr, "error: %zu of %zu files are not formatted as `axc fmt` does\n", differing,
                 arguments.files.size());
  return code;
}

}  // namespace

Action addFmt(CLI::App& app) {
  auto arguments = std::make_shared<FmtArguments>();
  app.add_option("FILE", arguments->files, "sources to format in place; `-` formats stdin to stdout")
      ->type_name(".ax")
      ->required();
  app.add_flag("--check", arguments->check,
               "rewrite nothing; print the files that would change, and exit 1 if any does");
  app.add_flag("--diff", arguments->diff,
               "rewrite nothing; print what would change as a diff, and exit 1 if anything does");
  return [arguments] { return fmtCommand(*arguments); };
}

}  // namespace axle::axc
