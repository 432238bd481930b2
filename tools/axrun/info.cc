#include "tools/axrun/info.h"

#include "driver/run/inputs.h"
#include "driver/run/json.h"
#include "driver/run/places.h"
#include "io/joined.h"

namespace axle::run {
namespace {

using runtime::Session;
using runtime::SessionInfo;

// Binds inputs by their sizes alone, so that the arena and the work of a run are known. Without `sets`, unknown sizes
// are not an error.
Outcome<void> bindSizes(Session& session, const std::vector<std::string>& sets) {
  if (sets.empty() && !session.coveredRanks().empty())
    return {};  // the bundle covers several ranks, and none is chosen
  const auto sizes = takeSizes(sets);
  if (!sizes) return tl::unexpected(sizes.error());
  const auto shapes = session.inputShapes(*sizes);
  if (!shapes) {
    if (sets.empty()) return {};
    return fail(shapes.error());
  }
  std::vector<runtime::NamedTensor> tensors;
  for (std::size_t i = 0; i < shapes->size(); ++i)
    tensors.push_back({session.inputs()[i].name, {session.inputs()[i].elem, (*shapes)[i], nullptr}});
  if (const auto bound = session.bind(tensors); !bound) return fail(bound.error());
  return {};
}

std::string countText(const std::optional<std::uint64_t>& count, const char* unit, const Session& session) {
  if (count) return joined({*count, unit});
  if (session.bound()) return "not known before a run";
  std::string text = session.coveredRanks().empty() ? "depends on" : "depends on the ranks";
  for (std::size_t i = 0; i < session.symbols().size(); ++i)
    text += (i > 0 || !session.coveredRanks().empty() ? ", " : " ") + session.symbols()[i];
  return text + " (--set NAME=SIZE gives a size)";
}

// Removes the `_` that ends some names in the schema, where it distinguishes them from dimension operators.
std::string operatorText(std::string_view name) {
  while (name.ends_with('_')) name.remove_suffix(1);
  return std::string(name);
}

std::string placeText(const runtime::Place& place) {
  std::string text = place.file;
  if (place.line > 0) text += joined({":", place.line, ":", place.column});
  if (!place.node.empty()) text += (text.empty() ? "" : " ") + place.node;
  return text;
}

using Ranks = std::vector<std::size_t>;

// Whether each rank of `next` equals that of `last` or is one more. `steps`, once known, says which inputs grow by one;
// they must be the same each time.
bool follows(const Ranks& last, const Ranks& next, std::optional<Ranks>& steps) {
  Ranks by;
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (next[i] != last[i] && next[i] != last[i] + 1) return false;
    by.push_back(next[i] - last[i]);
  }
  if (steps && *steps != by) return false;
  steps = std::move(by);
  return true;
}

// Prints a line for each sequence of ranks that grow together: `x : 1 to 8, g : 1`.
std::string ranksText(const Session& session) {
  const std::vector<Ranks> covered = session.coveredRanks();
  std::string text;
  for (std::size_t first = 0; first < covered.size();) {
    std::size_t last = first;
    std::optional<Ranks> steps;
    while (last + 1 < covered.size() && follows(covered[last], covered[last + 1], steps)) ++last;
    text += "  ranks      ";
    for (std::size_t i = 0; i < session.inputs().size(); ++i) {
      text += joined({i > 0 ? ", " : "", session.inputs()[i].name, " : ", covered[first][i]});
      if (covered[last][i] != covered[first][i]) text += joined({" to ", covered[last][i]});
    }
    text += "\n";
    first = last + 1;
  }
  return text;
}

void addRanks(JsonWriter& json, const Session& session) {
  json.key("ranks");
  json.openList();
  for (const Ranks& ranks : session.coveredRanks()) {
    json.openObject();
    for (std::size_t i = 0; i < ranks.size(); ++i) json.add(session.inputs()[i].name, ranks[i]);
    json.close();
  }
  json.close();
}

// Returns the number of calls of one run, once the session is bound.
std::optional<std::uint64_t> callsOf(const SessionInfo& info) {
  if (!info.arenaBytes) return std::nullopt;
  std::uint64_t calls = 0;
  for (const auto& op : info.calls) calls += op.count;
  return calls;
}

std::string infoText(const Session& session, const std::string& path, const SessionInfo& info) {
  std::string text =
      joined({path, "\n  entry      ", info.entry, " : ", info.entryType, "\n  producer   ", info.producer, "\n"});
  for (const auto& port : session.inputs()) text += joined({"  input      ", port.name, " : ", port.type, "\n"});
  for (const auto& port : session.outputs()) text += joined({"  output     ", port.name, " : ", port.type, "\n"});
  text += ranksText(session);
  for (const auto& symbol : session.symbols()) text += joined({"  symbol     ", symbol, "\n"});
  for (const auto& size : session.boundSizes()) text += joined({"  size       ", size.name, " = ", size.size, "\n"});
  for (const auto& guard : session.guards()) {
    text += joined({"  guard      ", guard.text, guard.reason.empty() ? "" : joined({"  (", guard.reason, ")"}), "\n"});
    for (const auto& place : guard.places) text += joined({"               at ", placeText(place), "\n"});
  }
  for (const auto& op : info.operators)
    text += joined({"  operator   ", operatorText(op.name), " x ", op.count,
                    op.most > op.count ? joined({" to ", op.most}) : "", "\n"});
  text += joined({"  bundle     ", info.bundleBytes, " bytes\n"});
  text += joined({"  weights    ", info.weightBytes, " bytes\n"});
  text += joined({"  arena      ", countText(info.arenaBytes, " bytes", session), "\n"});
  text += joined({"  calls      ", countText(callsOf(info), "", session), "\n"});
  text += joined({"  MACs       ", countText(info.macs, "", session), "\n"});
  return text;
}

void addPorts(JsonWriter& json, const char* name, std::span<const runtime::PortInfo> ports) {
  json.key(name);
  json.openList();
  for (const auto& port : ports) {
    json.openObject();
    json.add("name", port.name);
    json.add("elem", info(port.elem).name);
    json.add("type", port.type);
    json.add("sizes", port.sizes);
    json.close();
  }
  json.close();
}

void addGuards(JsonWriter& json, const Session& session, const std::string& entry) {
  json.key("guards");
  json.openList();
  for (const auto& guard : session.guards()) {
    json.openObject();
    json.add("text", guard.text);
    json.add("entry", entry);
    json.add("reason", guard.reason);
    json.key("sources");
    json.openList();
    for (const std::string& place : placesJson(guard.places)) json.addJson(place);
    json.close();
    json.close();
  }
  json.close();
}

void addCounts(JsonWriter& json, const char* name, std::span<const runtime::OperatorCount> counts) {
  json.key(name);
  json.openObject();
  for (const auto& op : counts) json.add(operatorText(op.name), op.most);
  json.close();
}

std::string infoJson(const Session& session, const SessionInfo& info) {
  JsonWriter json(2);
  json.openObject();
  json.add("entry", info.entry);
  json.add("type", info.entryType);
  json.add("producer", info.producer);
  addPorts(json, "inputs", session.inputs());
  addPorts(json, "outputs", session.outputs());
  addRanks(json, session);
  json.add("symbols", session.symbols());
  json.key("sizes");
  json.openObject();
  for (const auto& size : session.boundSizes()) json.add(size.name, size.size);
  json.close();
  addGuards(json, session, info.entry);
  addCounts(json, "operators", info.operators);
  json.add("bundle_bytes", info.bundleBytes);
  json.add("weight_bytes", info.weightBytes);
  json.add("arena_bytes", info.arenaBytes);
  json.add("live_bytes", info.liveBytes);
  json.add("calls", callsOf(info));
  addCounts(json, "calls_by_operator", info.calls);
  json.add("macs", info.macs);
  json.close();
  return json.text() + "\n";
}

}  // namespace

int showInfo(Outcome<Session>& session, const std::string& path, const InfoOptions& options, std::FILE* out,
             std::FILE* err) {
  const auto bound = session.and_then([&](Session& loaded) { return bindSizes(loaded, options.sets); });
  if (!bound) {
    if (options.json) print(joined({"{\"diagnostics\":[", diagnosticJson(bound.error(), path), "]}\n"}), out, err);
    return report(bound.error(), err);
  }
  const SessionInfo info = session->info();
  return print(options.json ? infoJson(*session, info) : infoText(*session, path, info), out, err) ? 0 : exitUsage;
}

}  // namespace axle::run
