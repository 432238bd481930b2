// axc check
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "driver/check_report.h"
#include "driver/compile.h"
#include "driver/run/options.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "tools/axc/options.h"
#include "tools/axc/terminal.h"

namespace axle::axc {

namespace {

struct CheckArguments {
  driver::CompileOptions compile;  // keepProofs: --residual
  bool statistics = false;
  bool json = false;
};

void print(const CheckArguments& arguments, const driver::CheckReport& report) {
  const bool all = arguments.compile.keepProofs;
  std::fputs((arguments.json ? driver::reportJson(report, all) : driver::reportText(report, all)).c_str(), stdout);
}

int refuse(const CheckArguments& arguments, const run::Failure& failure) {
  if (arguments.json) print(arguments, {{}, {}, {run::diagnosticJson(failure, arguments.compile.path)}});
  return run::report(failure, stderr);
}

int checkBundle(const CheckArguments& arguments) {
  if (!arguments.compile.weights.empty())
    return refuse(arguments,
                  run::fail(exitUsage, "a bundle has its weights already: --weights is for sources").value());
  auto report = driver::reportBundle(arguments.compile.path, arguments.compile.entry);
  if (!report) return refuse(arguments, report.error());
  print(arguments, *report);
  return exitDone;
}

int refuseGraph(const std::string& path) {
  std::error_code ignored;
  const char* what = std::filesystem::is_directory(path, ignored)
                         ? " is a folder: `axc check` takes a source file, `axc import` a SavedModel's folder"
                         : " is a TensorFlow graph: `axc import` checks it";
  return run::report(run::fail(exitUsage, path + what).value(), stderr);
}

int checkCommand(const CheckArguments& arguments) {
  if (driver::isBundle(arguments.compile.path)) return checkBundle(arguments);
  if (driver::isGraph(arguments.compile.path)) return refuseGraph(arguments.compile.path);
  driver::Compilation compilation(arguments.compile);
  const driver::CheckRequest request{arguments.compile.entry, arguments.json, arguments.compile.keepProofs};
  print(arguments, driver::reportSource(compilation, request));
  if (arguments.statistics && !arguments.json && compilation.hasChecked())
    std::fputs(driver::statisticsText(compilation.checked()).c_str(), stdout);
  return report(compilation);
}

}  // namespace

Action addCheck(CLI::App& app) {
  auto arguments = std::make_shared<CheckArguments>();
  addSourceOptions(app, arguments->compile, "a source file (.ax), or a bundle (.axb)");
  app.add_flag("--residual", arguments->compile.keepProofs,
               "list what is proved, what is assumed, and what is left to be checked when sizes are known");
  app.add_flag("--statistics", arguments->statistics, "say which tier of the solver decided how much");
  addOptions(app, {run::formatOption(arguments->json)});
  return [arguments] { return checkCommand(*arguments); };
}

}  // namespace axle::axc
