#include "driver/check_report.h"

#include <nlohmann/json.hpp>

#include "driver/compile.h"
#include "driver/run/places.h"
#include "driver/run/run.h"
#include "runtime/session.h"
#include "typecheck/report/query.h"

namespace axle::driver {

namespace {

using Json = nlohmann::ordered_json;

struct FateRow {
  const char* text;   // "proved in NAME: FACT"
  const char* list;   // the name of the list in the JSON object
  const char* owner;  // the kind of thing that the fact belongs to
};
constexpr FateRow fates[] = {{"proved in", "proved", "function"},      {"assumed in", "assumed", "function"},
                             {"left to users of", "left", "function"}, {"left to the run of", "left", "function"},
                             {"delay of", "delays", "function"},       {"proved for the entry", "proved", "entry"},
                             {"guard of", "guards", "entry"}};

const FateRow& row(Fate fate) { return fates[static_cast<int>(fate)]; }

runtime::Place placeOf(const SourceMap& sources, Span span) {
  const Position begin = sources.position(span.source, span.begin), end = sources.position(span.source, span.end);
  return {std::string(sources.path(span.source)), begin.line, begin.column, end.line, end.column, {}};
}

// Collects the facts of a compilation.
struct FactList {
  Compilation& compilation;
  std::vector<ListedFact> facts;

  std::string print(const DimFact& fact) { return printFact(compilation.checked(), fact); }

  void add(Fate fate, const std::string& of, std::string text, const DimFact& fact,
           std::optional<decide::Tier> tier = {}, std::optional<Proposal> proposal = {}) {
    std::vector<runtime::Place> places;
    for (Span span : fact.places) places.push_back(placeOf(compilation.sources(), span));
    facts.push_back(
        {fate, of, std::move(text), fact.reason, std::move(places), fact.reason, tier, std::move(proposal)});
  }

  void addFunctions() {
    for (const FunctionFacts& f : functionFacts(compilation.checked())) {
      for (const auto& [text, proved] : f.proved) add(Fate::provedIn, f.name, text, proved.fact, proved.tier);
      for (const auto& [text, fact] : f.assumed) add(Fate::assumedIn, f.name, text, fact);
      for (const auto& [text, fact, proposal] : f.left) add(Fate::leftBy, f.name, text, fact, {}, proposal);
      for (const auto& [text, fact] : f.leftToRun) add(Fate::leftToRun, f.name, text, fact);
      for (const auto& [text, fact] : f.delays) add(Fate::delayOf, f.name, text, fact);
    }
  }

  void addEntry(const Entry& entry, bool all) {
    for (const ProvedFact& proved : entry.proved)
      if (all) add(Fate::provedFor, entry.name, print(proved.fact), proved.fact, proved.tier);
    std::vector<std::optional<Proposal>> offered(entry.guards.size());
    if (all) offered = proposals(compilation.checked(), entry);
    for (std::size_t i = 0; i < entry.guards.size(); ++i)
      add(Fate::guardOf, entry.name, print(entry.guards[i]), entry.guards[i], {}, offered[i]);
  }
};

}  // namespace

CheckReport reportSource(Compilation& compilation, const CheckRequest& request) {
  const bool isGood = compilation.reach(Stage::check);
  FactList list{compilation, {}};
  if (request.all && compilation.hasChecked()) list.addFunctions();
  std::optional<Entry> found;
  const Entry* entry = nullptr;
  if (isGood && !request.entry.empty()) {
    compilation.reach(Stage::prepare);
    entry = compilation.entry();
  } else if (isGood && (request.all || request.guards)) {
    found = compilation.entryIfAny();
    entry = found ? &*found : nullptr;
  }
  CheckReport report;
  if (compilation.hasChecked())
    report.bindings = bindingTypes(compilation.checked(), request.signatures ? printSignature : printBinding);
  if (entry) list.addEntry(*entry, request.all);
  report.facts = std::move(list.facts);
  report.diagnostics = compilation.diagnosticsJson();
  return report;
}

run::Outcome<CheckReport> reportBundle(const std::string& path, const std::string& entry) {
  auto session = run::openBundle(path);
  if (!session) return tl::unexpected(session.error());
  const runtime::SessionInfo info = session->info();
  if (!entry.empty() && entry != info.entry)
    return run::fail(exitUsage, "the bundle's one entry is `" + info.entry + "`, not `" + entry + "`");
  CheckReport report{{{info.entry, info.entryType}}, {}, {}};
  for (const runtime::GuardInfo& guard : session->guards())
    report.facts.push_back({Fate::guardOf, info.entry, guard.text, guard.reason, guard.places, {}, {}, {}});
  return report;
}

std::string reportText(const CheckReport& report, bool allFacts) {
  std::string text;
  for (const BindingType& binding : report.bindings) text += binding.name + " : " + binding.type + "\n";
  if (!allFacts) return text;
  for (const ListedFact& fact : report.facts) {
    text += std::string(row(fact.fate).text) + " " + fact.of + ": " + fact.text;
    text += (fact.tier ? std::string(" (") + spelling(*fact.tier) + ")" : "") + "\n";
    if (!fact.reason.empty()) text += "  " + fact.reason + "\n";
    for (const runtime::Place& at : fact.places) {
      if (at.node.empty() && at.line == 0) continue;
      text += "  at " + at.file;
      text += at.node.empty() ? ":" + std::to_string(at.line) + ":" + std::to_string(at.column) : " " + at.node;
      text += "\n";
    }
    if (fact.proposal && fact.proposal->where != fact.text)
      text += "  " + fact.of + " may state it: where " + fact.proposal->where +
              (fact.proposal->isNeeded ? "\n" : " (more than is needed)\n");
  }
  return text;
}

namespace {

// Adds the members of a report to an object.
void addReport(Json& all, const CheckReport& report, bool allFacts) {
  all["bindings"] = Json::array();
  all["guards"] = Json::array();
  for (const FateRow& fate : fates)
    if (allFacts) all[fate.list] = Json::array();
  all["diagnostics"] = Json::array();
  for (const BindingType& binding : report.bindings)
    all["bindings"].push_back({{"name", binding.name}, {"type", binding.type}});
  for (const ListedFact& fact : report.facts) {
    const FateRow& fate = row(fact.fate);
    Json entry = {{"text", fact.text}, {fate.owner, fact.of}, {"sources", Json::array()}};
    for (const std::string& place : run::placesJson(fact.places, fact.label))
      entry["sources"].push_back(Json::parse(place));
    if (allFacts && !fact.reason.empty()) entry["reason"] = fact.reason;
    if (fact.tier) entry["tier"] = spelling(*fact.tier);
    if (fact.proposal) entry["where"] = fact.proposal->where;
    all[fate.list].push_back(std::move(entry));
  }
  for (const std::string& d : report.diagnostics) all["diagnostics"].push_back(Json::parse(d, nullptr, false));
}

}  // namespace

std::string reportJson(std::span<const FileReport> reports, bool allFacts) {
  Json all = Json::object();
  if (reports.size() == 1) {
    addReport(all, reports.front().report, allFacts);
  } else {
    all["files"] = Json::array();
    for (const FileReport& file : reports) {
      Json& one = all["files"].emplace_back(Json{{"file", file.file}});
      addReport(one, file.report, allFacts);
    }
  }
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string statisticsText(const Checked& checked) {
  const decide::Statistics all = solverStatistics(checked);
  std::string text = "solver: " + std::to_string(all.total()) + " facts and equations";
  for (decide::Tier tier : {decide::Tier::normalForm, decide::Tier::facts, decide::Tier::z3})
    text += ", " + std::string(spelling(tier)) + " " + std::to_string(all.decided[static_cast<int>(tier)]);
  return text + ", left open " + std::to_string(all.open) + "; asked Z3 " + std::to_string(all.askedZ3) + "\n";
}

}  // namespace axle::driver
