// axc check
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "driver/check_report.h"
#include "driver/compile.h"
#include "driver/foreign_file.h"
#include "driver/run/options.h"
#include "driver/stream_report.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "tools/axc/options.h"
#include "tools/axc/terminal.h"

namespace axle::axc {

namespace {

struct CheckArguments {
  driver::CompileOptions compile;  // keepProofs: --residual; its path is the path of the file being checked
  std::vector<std::string> files;
  bool statistics = false;
  bool json = false;
  bool stream = false;
};

// The result of checking one file.
struct FileCheck {
  driver::CheckReport report;
  int exitCode = exitDone;
  std::unique_ptr<driver::Compilation> compilation;  // of a source
};

FileCheck refuse(const CheckArguments& arguments, const run::Failure& failure) {
  return {{{}, {}, {run::diagnosticJson(failure, arguments.compile.path)}}, run::report(failure, stderr), nullptr};
}

FileCheck checkBundle(const CheckArguments& arguments) {
  if (!arguments.compile.weights.empty())
    return refuse(arguments,
                  run::fail(exitUsage, "a bundle has its weights already: --weights is for sources").value());
  auto report = driver::reportBundle(arguments.compile.path, arguments.compile.entry);
  if (!report) return refuse(arguments, report.error());
  return {std::move(*report), exitDone, nullptr};
}

FileCheck refuseGraph(const CheckArguments& arguments) {
  const std::string& path = arguments.compile.path;
  std::error_code ignored;
  const char* what = std::filesystem::is_directory(path, ignored)
                         ? " is a folder: `axc check` takes a source file, `axc import` a SavedModel's folder"
                         : " is a TensorFlow graph: `axc import` checks it";
  return refuse(arguments, run::fail(exitUsage, path + what).value());
}

// Checks one file. Prints bindings of a source before its diagnostics; the caller prints JSON.
FileCheck checkFile(const CheckArguments& arguments) {
  const driver::CompileOptions& options = arguments.compile;
  if (const auto foreign = driver::refuseForeignFile(options.path)) return refuse(arguments, *foreign);
  if (driver::isGraph(options.path)) return refuseGraph(arguments);
  const auto printText = [&](const driver::CheckReport& report) {
    if (!arguments.json) std::fputs(driver::reportText(report, options.keepProofs).c_str(), stdout);
  };
  if (driver::isBundle(options.path)) {
    FileCheck checked = checkBundle(arguments);
    printText(checked.report);
    return checked;
  }
  auto compilation = std::make_unique<driver::Compilation>(options);
  const driver::CheckRequest request{options.entry, arguments.json, options.keepProofs, !arguments.json};
  driver::CheckReport checked = driver::reportSource(*compilation, request);
  printText(checked);
  if (arguments.statistics && !arguments.json && compilation->hasChecked())
    std::fputs(driver::statisticsText(compilation->checked()).c_str(), stdout);
  const int exitCode = report(*compilation);
  return {std::move(checked), exitCode, std::move(compilation)};
}

// Carries out `check --stream` of one file.
int checkStream(const CheckArguments& arguments) {
  if (arguments.files.size() != 1) return run::report(run::fail(exitUsage, "--stream takes one file").value(), stderr);
  driver::CompileOptions options = arguments.compile;
  options.path = arguments.files.front();
  if (const auto foreign = driver::refuseForeignFile(options.path)) return run::report(*foreign, stderr);
  if (driver::isGraph(options.path))
    return run::report(
        run::fail(exitUsage, options.path + " is a TensorFlow graph: `axc import --stream` takes it").value(), stderr);
  if (driver::isBundle(options.path))
    return run::report(run::fail(exitUsage, options.path + " is a bundle: `axrun info` prints how it streams, and " +
                                                "--stream checks source files")
                           .value(),
                       stderr);
  return printStream(driver::StreamCheck(options), arguments.json);
}

// Checks files one by one and prints each under its name; the exit code is the worst one. Ends the process, because
// destroying the last program, with Z3's state, would take a tenth of a short check.
[[noreturn]] void checkCommand(CheckArguments& arguments) {
  std::vector<driver::FileReport> reports;
  std::unique_ptr<driver::Compilation> last;
  int exitCode = exitDone;
  for (const std::string& file : arguments.files) {
    if (arguments.files.size() > 1 && !arguments.json)
      std::printf("%s%s:\n", reports.empty() ? "" : "\n", file.c_str());
    arguments.compile.path = file;
    FileCheck checked = checkFile(arguments);
    exitCode = std::max(exitCode, checked.exitCode);
    reports.push_back({file, std::move(checked.report)});
    last = std::move(checked.compilation);
  }
  if (arguments.json) std::fputs(driver::reportJson(reports, arguments.compile.keepProofs).c_str(), stdout);
  run::endProcess(exitCode);
}

}  // namespace

Action addCheck(CLI::App& app) {
  auto arguments = std::make_shared<CheckArguments>();
  app.add_option("MODEL", arguments->files, "source files (.ax), or bundles (.axb)")->required()->type_name("FILE");
  addProgramOptions(app, arguments->compile);
  app.add_flag("--residual", arguments->compile.keepProofs,
               "list what is proved, what is assumed, and what is left to be checked when sizes are known");
  app.add_flag("--statistics", arguments->statistics, "say how many facts each tier of the solver decided");
  addOptions(app, {run::formatOption(arguments->json)});
  app.add_flag("--stream", arguments->stream,
               "say how the model works on a stream: rate and delay of each result, or every operator that cannot");
  return [arguments]() -> int {
    if (arguments->stream) return checkStream(*arguments);
    checkCommand(*arguments);
  };
}

}  // namespace axle::axc
