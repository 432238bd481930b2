// axc check
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "driver/compile.h"
#include "driver/run/options.h"
#include "driver/run/places.h"
#include "driver/run/run.h"

namespace axle::axc {

namespace {

using Json = nlohmann::ordered_json;

struct CheckArguments {
  SourceOptions source;
  bool statistics = false;
  bool json = false;
};

// What became of a fact.
enum class Fate : std::uint8_t { provedIn, assumedIn, leftBy, leftToRun, delayOf, provedFor, guardOf };
struct FateInfo {
  const char* text;  // "proved in NAME: FACT"
  const char* list;  // of the JSON object
  const char* of;    // whose fact it is
};
constexpr FateInfo fates[] = {{"proved in", "proved", "function"},      {"assumed in", "assumed", "function"},
                              {"left to users of", "left", "function"}, {"left to the run of", "left", "function"},
                              {"delay of", "delays", "function"},       {"proved for the entry", "proved", "entry"},
                              {"guard of", "guards", "entry"}};

// What check has to say of a source or of a bundle.
struct ListedFact {
  Fate fate = Fate::guardOf;
  std::string of;  // the function or the entry
  std::string text, reason;
  Json sources;                      // places, as CLI.md has them
  std::optional<decide::Tier> tier;  // of a proof
  std::optional<Proposal> proposal;  // of what is left
};
struct Findings {
  std::vector<BindingType> bindings;
  std::vector<ListedFact> facts;         // guards always, the others with --residual
  std::vector<std::string> diagnostics;  // as JSON
};

Json placeOf(const SourceMap& sources, Span span, const std::string& label) {
  Position begin = sources.position(span.source, span.begin), end = sources.position(span.source, span.end);
  return {{"file", sources.path(span.source)}, {"line", begin.line}, {"column", begin.column}, {"end_line", end.line},
          {"end_column", end.column},          {"label", label}};
}

std::string jsonOf(const Findings& findings, bool residual) {
  Json all = {{"bindings", Json::array()}, {"guards", Json::array()}};
  for (const FateInfo& fate : fates)
    if (residual) all[fate.list] = Json::array();
  all["diagnostics"] = Json::array();
  for (const BindingType& binding : findings.bindings)
    all["bindings"].push_back({{"name", binding.name}, {"type", binding.type}});
  for (const ListedFact& fact : findings.facts) {
    const FateInfo& fate = fates[static_cast<int>(fact.fate)];
    Json entry = {{"text", fact.text}, {fate.of, fact.of}, {"sources", fact.sources}};
    if (residual && !fact.reason.empty()) entry["reason"] = fact.reason;
    if (fact.tier) entry["tier"] = spelling(*fact.tier);
    if (fact.proposal) entry["where"] = fact.proposal->where;
    all[fate.list].push_back(std::move(entry));
  }
  for (const std::string& d : findings.diagnostics) all["diagnostics"].push_back(Json::parse(d, nullptr, false));
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string textOf(const Findings& findings, bool residual) {
  std::string text;
  for (const BindingType& binding : findings.bindings) text += binding.name + " : " + binding.type + "\n";
  if (!residual) return text;
  for (const ListedFact& fact : findings.facts) {
    text += std::string(fates[static_cast<int>(fact.fate)].text) + " " + fact.of + ": " + fact.text;
    text += (fact.tier ? std::string(" (") + spelling(*fact.tier) + ")" : "") + "\n";
    if (!fact.reason.empty()) text += "  " + fact.reason + "\n";
    for (const Json& at : fact.sources) {
      text += "  at " + at["file"].get<std::string>();
      if (at.contains("line"))
        text += ":" + at["line"].dump() + ":" + at["column"].dump() + "\n";
      else
        text += " " + at["node"].get<std::string>() + "\n";
    }
    if (fact.proposal && fact.proposal->where != fact.text)
      text += "  " + fact.of + " may state it: where " + fact.proposal->where +
              (fact.proposal->isNeeded ? "\n" : " (more than is needed)\n");
  }
  return text;
}

void show(const CheckArguments& arguments, const Findings& findings) {
  const bool residual = arguments.source.keepProofs;
  std::fputs((arguments.json ? jsonOf(findings, residual) : textOf(findings, residual)).c_str(), stdout);
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
  Findings findings{{{info.entry, info.entryType}}, {}, {}};
  for (const runtime::GuardInfo& guard : session->guards())
    findings.facts.push_back(
        {Fate::guardOf, info.entry, guard.text, guard.reason, run::placesJson(guard.places), {}, {}});
  return findings;
}

int checkBundle(const CheckArguments& arguments) {
  auto findings = findingsOfBundle(arguments);
  if (!findings) {
    if (arguments.json) show(arguments, {{}, {}, {run::diagnosticJson(findings.error(), arguments.source.path)}});
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

class Lister {
 public:
  explicit Lister(Compilation& compilation) : compilation_(compilation) {}

  void functions() {
    for (const FunctionFacts& f : functionFacts(compilation_.checked())) {
      for (const auto& [text, proved] : f.proved) add(Fate::provedIn, f.name, text, proved.fact, proved.tier);
      for (const auto& [text, fact] : f.assumed) add(Fate::assumedIn, f.name, text, fact);
      for (const auto& [text, fact, proposal] : f.left) add(Fate::leftBy, f.name, text, fact, {}, proposal);
      for (const auto& [text, fact] : f.leftToRun) add(Fate::leftToRun, f.name, text, fact);
      for (const auto& [text, fact] : f.delays) add(Fate::delayOf, f.name, text, fact);
    }
  }

  void entry(const Entry& entry, bool withAll) {
    for (const ProvedFact& proved : entry.proved)
      if (withAll) add(Fate::provedFor, entry.name, print(proved.fact), proved.fact, proved.tier);
    std::vector<std::optional<Proposal>> offered(entry.guards.size());
    if (withAll) offered = proposals(compilation_.checked(), entry);
    for (std::size_t i = 0; i < entry.guards.size(); ++i)
      add(Fate::guardOf, entry.name, print(entry.guards[i]), entry.guards[i], {}, offered[i]);
  }

  std::vector<ListedFact> facts;

 private:
  std::string print(const DimFact& fact) { return printFact(compilation_.checked(), fact); }

  void add(Fate fate, const std::string& of, std::string text, const DimFact& fact,
           std::optional<decide::Tier> tier = {}, std::optional<Proposal> proposal = {}) {
    Json sources = Json::array();
    for (Span span : fact.places)
      sources.push_back(placeOf(compilation_.sources(), span, sources.empty() ? fact.reason : std::string()));
    facts.push_back({fate, of, std::move(text), fact.reason, std::move(sources), tier, std::move(proposal)});
  }

  Compilation& compilation_;
};

int checkCommand(const CheckArguments& arguments) {
  if (isBundle(arguments.source.path)) return checkBundle(arguments);
  const bool residual = arguments.source.keepProofs;
  if (isGraph(arguments.source.path)) {
    std::error_code unknown;
    const bool isFolder = std::filesystem::is_directory(arguments.source.path, unknown);
    auto failure = run::fail(
        exitUsage, arguments.source.path +
                       (isFolder ? " is a folder: `axc check` takes a source file, `axc import` a SavedModel's folder"
                                 : " is a TensorFlow graph: `axc import` checks it"));
    return run::report(failure.value(), stderr);
  }
  Compilation compilation(arguments.source);
  bool good = compilation.check();
  Lister lister(compilation);
  if (residual && compilation.hasChecked()) lister.functions();
  std::optional<Entry> found;
  const Entry* entry = nullptr;
  if (good && !arguments.source.entry.empty()) {
    good = compilation.prepare();
    entry = compilation.entry();
  } else if (good && (residual || arguments.json)) {
    found = compilation.entryIfAny();
    entry = found ? &*found : nullptr;
  }
  Findings findings;
  if (compilation.hasChecked()) findings.bindings = bindingTypes(compilation.checked());
  if (entry) lister.entry(*entry, residual);
  findings.facts = std::move(lister.facts);
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
  app.add_flag("--residual", arguments->source.keepProofs,
               "list what is proved, what is assumed, and what is left to be checked when sizes are known");
  app.add_flag("--statistics", arguments->statistics, "say which tier of the solver decided how much");
  addOptions(app, {run::formatOption(arguments->json)});
  return [arguments] { return checkCommand(*arguments); };
}

}  // namespace axle::axc
