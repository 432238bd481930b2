// axc check
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "tools/axc/compile.h"
#include "tools/run/options.h"
#include "tools/run/places.h"
#include "tools/run/run.h"

namespace axle::axc {

namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
  SourceOptions source;
  bool residual = false;
  bool statistics = false;
  bool json = false;
};

// What check has to say of a source or of a bundle.
struct Guard {
  std::string text, reason;
  Json sources;  // places, as CLI.md has them
};
struct Findings {
  std::vector<BindingType> bindings;
  std::string entry;
  std::vector<Guard> guards;             // of `entry`
  std::vector<std::string> diagnostics;  // as JSON
};

Json placeOf(const SourceMap& sources, Span span) {
  Position begin = sources.position(span.source, span.begin), end = sources.position(span.source, span.end);
  return {{"file", sources.path(span.source)}, {"line", begin.line}, {"column", begin.column}, {"end_line", end.line},
          {"end_column", end.column},          {"label", ""}};
}

std::string jsonOf(const Findings& findings) {
  Json all = {{"bindings", Json::array()}, {"guards", Json::array()}, {"diagnostics", Json::array()}};
  for (const BindingType& binding : findings.bindings)
    all["bindings"].push_back({{"name", binding.name}, {"type", binding.type}});
  for (const Guard& guard : findings.guards)
    all["guards"].push_back({{"text", guard.text}, {"entry", findings.entry}, {"sources", guard.sources}});
  for (const std::string& d : findings.diagnostics) all["diagnostics"].push_back(Json::parse(d, nullptr, false));
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string textOf(const Findings& findings, bool residual) {
  std::string text;
  for (const BindingType& binding : findings.bindings) text += binding.name + " : " + binding.type + "\n";
  if (!residual) return text;
  for (const Guard& guard : findings.guards) {
    text += "guard of " + findings.entry + ": " + guard.text + "\n";
    if (!guard.reason.empty()) text += "  " + guard.reason + "\n";
    for (const Json& at : guard.sources) {
      text += "  at " + at["file"].get<std::string>();
      if (at.contains("line"))
        text += ":" + at["line"].dump() + ":" + at["column"].dump() + "\n";
      else
        text += " " + at["node"].get<std::string>() + "\n";
    }
  }
  return text;
}

void show(const CheckArguments& arguments, const Findings& findings) {
  std::fputs((arguments.json ? jsonOf(findings) : textOf(findings, arguments.residual)).c_str(), stdout);
}

// ---- a bundle: what it was compiled from is not in it, its entry's type and guards are

run::Outcome<Findings> findingsOfBundle(const CheckArguments& arguments) {
  if (!arguments.source.weights.empty())
    return run::fail(exitUsage, "a bundle has its weights already: --weights is for sources");
  auto session = run::openBundle(arguments.source.path);
  if (!session) return tl::unexpected(session.error());
  const runtime::SessionInfo info = session->info();
  if (!arguments.source.entry.empty() && arguments.source.entry != info.entry)
    return run::fail(exitUsage, "the bundle's one entry is `" + info.entry + "`, not `" + arguments.source.entry + "`");
  Findings findings{{{info.entry, info.entryType}}, info.entry, {}, {}};
  for (const runtime::GuardInfo& guard : session->guards())
    findings.guards.push_back({guard.text, guard.reason, run::placesJson(guard.places)});
  return findings;
}

int checkBundle(const CheckArguments& arguments) {
  auto findings = findingsOfBundle(arguments);
  if (!findings) {
    if (arguments.json) show(arguments, {{}, {}, {}, {run::diagnosticJson(findings.error(), arguments.source.path)}});
    return run::report(findings.error(), stderr);
  }
  show(arguments, *findings);
  return exitDone;
}

// ---- a source

void printStatistics(const Checked& checked) {
  const decide::Statistics all = solverStatistics(checked);
  std::printf("solver: %llu facts and equations", static_cast<unsigned long long>(all.total()));
  for (decide::Tier tier : {decide::Tier::normalForm, decide::Tier::facts, decide::Tier::z3})
    std::printf(", %s %llu", spelling(tier), static_cast<unsigned long long>(all.decided[static_cast<int>(tier)]));
  std::printf(", left open %llu; asked Z3 %llu\n", static_cast<unsigned long long>(all.open),
              static_cast<unsigned long long>(all.askedZ3));
}

int checkCommand(const CheckArguments& arguments) {
  if (isBundle(arguments.source.path)) return checkBundle(arguments);
  Compilation compilation(arguments.source);
  bool good = compilation.check();
  std::optional<Entry> found;
  const Entry* entry = nullptr;
  if (good && !arguments.source.entry.empty()) {
    good = compilation.prepare();
    entry = compilation.entry();
  } else if (good && (arguments.residual || arguments.json)) {
    found = compilation.entryIfAny();
    entry = found ? &*found : nullptr;
  }
  Findings findings;
  if (compilation.hasChecked()) findings.bindings = bindingTypes(compilation.checked());
  if (entry) {
    findings.entry = entry->name;
    for (const DimFact& fact : entry->guards) {
      Guard guard{printFact(compilation.checked(), fact), fact.reason, Json::array()};
      for (Span span : fact.places) guard.sources.push_back(placeOf(compilation.sources(), span));
      findings.guards.push_back(std::move(guard));
    }
  }
  findings.diagnostics = compilation.diagnosticsJson();
  show(arguments, findings);
  if (arguments.statistics && !arguments.json && compilation.hasChecked()) printStatistics(compilation.checked());
  compilation.report();
  return compilation.exitCode();
}

}  // namespace

Action addCheck(CLI::App& app) {
  auto arguments = std::make_shared<CheckArguments>();
  addSourceOptions(app, arguments->source, "a source file (.ax), or a bundle (.axb)");
  app.add_flag("--residual", arguments->residual, "list what the entry leaves to be checked when sizes are known");
  app.add_flag("--statistics", arguments->statistics, "say which tier of the solver decided how much");
  addOptions(app, {run::formatOption(arguments->json)});
  return [arguments] { return checkCommand(*arguments); };
}

}  // namespace axle::axc
