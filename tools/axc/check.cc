// axc check
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "tools/axc/compile.h"
#include "tools/run/options.h"

namespace axle::axc {

namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
  SourceOptions source;
  bool residual = false;
  bool json = false;
};

Json placeOf(const SourceMap& sources, Span span) {
  Position begin = sources.position(span.source, span.begin), end = sources.position(span.source, span.end);
  return {{"file", sources.path(span.source)}, {"line", begin.line}, {"column", begin.column}, {"end_line", end.line},
          {"end_column", end.column},          {"label", ""}};
}

std::string jsonOf(const Compilation& compilation, const std::vector<BindingType>& bindings, const Entry* entry,
                   Checked* checked) {
  Json all = {{"bindings", Json::array()}, {"guards", Json::array()}, {"diagnostics", Json::array()}};
  for (const BindingType& binding : bindings)
    all["bindings"].push_back({{"name", binding.name}, {"type", binding.type}});
  if (entry)
    for (const DimFact& guard : entry->guards) {
      Json sources = Json::array();
      for (Span span : guard.places) sources.push_back(placeOf(compilation.sources(), span));
      all["guards"].push_back(
          {{"text", printFact(*checked, guard)}, {"entry", entry->name}, {"sources", std::move(sources)}});
    }
  for (const Diagnostic& d : compilation.diagnostics())
    all["diagnostics"].push_back(Json::parse(renderJson(d, compilation.sources()), nullptr, false));
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void printText(const CheckArguments& arguments, const Compilation& compilation,
               const std::vector<BindingType>& bindings, const Entry* entry, Checked& checked) {
  for (const BindingType& binding : bindings) std::printf("%s : %s\n", binding.name.c_str(), binding.type.c_str());
  if (!arguments.residual || !entry) return;
  for (const DimFact& guard : entry->guards) {
    std::printf("guard of %s: %s\n", entry->name.c_str(), printFact(checked, guard).c_str());
    if (!guard.reason.empty()) std::printf("  %s\n", guard.reason.c_str());
    for (Span span : guard.places) {
      Position at = compilation.sources().position(span.source, span.begin);
      std::printf("  at %s:%u:%u\n", std::string(compilation.sources().path(span.source)).c_str(), at.line, at.column);
    }
  }
}

int checkCommand(const CheckArguments& arguments) {
  Compilation compilation(arguments.source);
  bool good = compilation.check();
  std::vector<BindingType> bindings;
  std::optional<Entry> found;
  const Entry* entry = nullptr;
  if (good && !arguments.source.entry.empty()) {
    good = compilation.prepare();
    entry = compilation.entry();
  } else if (good && (arguments.residual || arguments.json)) {
    found = compilation.entryIfAny();
    entry = found ? &*found : nullptr;
  }
  Checked* checked = compilation.hasChecked() ? &compilation.checked() : nullptr;
  if (checked) bindings = bindingTypes(*checked);
  if (arguments.json) {
    if (!compilation.usageError().empty()) compilation.report();
    std::fputs(jsonOf(compilation, bindings, entry, checked).c_str(), stdout);
  } else {
    if (checked) printText(arguments, compilation, bindings, entry, *checked);
    compilation.report();
  }
  return compilation.exitCode();
}

}  // namespace

Action addCheck(CLI::App& app) {
  auto arguments = std::make_shared<CheckArguments>();
  addSourceOptions(app, arguments->source);
  app.add_flag("--residual", arguments->residual, "list what the entry leaves to be checked when sizes are known");
  addOptions(app, {run::formatOption(arguments->json)});
  return [arguments] { return checkCommand(*arguments); };
}

}  // namespace axle::axc
