#include "driver/run/profile.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "io/whole_file.h"
#include "runtime/program.h"

namespace axle::run {
namespace {

std::uint64_t now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

// Returns the bytes of the operands and results in memory, without those between steps that run together.
std::uint64_t bytesOf(const runtime::Step& step) {
  const runtime::BoundGraph& graph = *step.graph;
  std::uint64_t bytes = 0;
  for (std::uint32_t k = 0; k <= step.following; ++k) {
    const runtime::Step& each = (&step)[k];
    for (const auto* values : {&each.node->inputs, &each.node->outputs})
      for (const std::uint32_t value : *values)
        if (!graph.isInRows[graph.storage[value].root]) bytes += graph.values[value].bytes();
  }
  return bytes;
}

template <class... Values>
std::string formatted(const char* format, Values... values) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

// Shortens a name at its start, because its end is more informative.
std::string cut(const std::string& name, std::size_t most) {
  return name.size() <= most ? name : "..." + name.substr(name.size() - most + 3);
}

class Profile final : public RunProfile, public runtime::StepObserver {
 public:
  explicit Profile(runtime::Session& session);
  ~Profile() override;
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  void beginRun() override;
  void endRun() override;
  bool run(runtime::Step& step, runtime::Fault& fault) override;
  std::string table() const override;
  void writeJson(JsonWriter& json) const override;
  Outcome<void> writeTrace(const std::string& path) const override;

 private:
  struct Call {
    std::string name, primitive;
    int depth = 0;  // the number of bodies around it
    int parts = 1;
    std::uint64_t count = 0, nanoseconds = 0, bytes = 0;  // of all runs
    std::optional<std::uint64_t> macs = 0;
  };
  struct Event {
    std::size_t call;  // `wholeRun`: the whole run
    std::uint64_t start, nanoseconds;
  };
  static constexpr std::size_t wholeRun = SIZE_MAX, mostEvents = 1u << 20;

  std::size_t indexOf(const runtime::Step& step);
  void addEvent(std::size_t call, std::uint64_t start, std::uint64_t nanoseconds);
  double microseconds(const Call& call) const;  // per run
  std::optional<double> gigaflops(const Call& call) const;

  runtime::Session& session_;
  std::map<const runtime::Step*, std::size_t> indices_;
  std::vector<Call> calls_;
  std::vector<Event> events_;
  std::uint64_t begin_, runBegin_ = 0, runs_ = 0, nanoseconds_ = 0;  // of all runs
  int depth_ = 0;
};

Profile::Profile(runtime::Session& session) : session_(session), begin_(now()) { session_.observe(this); }
Profile::~Profile() { session_.observe(nullptr); }

void Profile::beginRun() { runBegin_ = now(); }

void Profile::endRun() {
  const std::uint64_t took = now() - runBegin_;
  ++runs_;
  nanoseconds_ += took;
  addEvent(wholeRun, runBegin_, took);
}

bool Profile::run(runtime::Step& step, runtime::Fault& fault) {
  const std::size_t index = indexOf(step);
  ++depth_;
  const std::uint64_t start = now();
  const bool succeeded = step.kernel(step, fault);
  const std::uint64_t took = now() - start;
  --depth_;
  Call& call = calls_[index];
  ++call.count;
  call.nanoseconds += took;
  call.bytes += bytesOf(step);
  call.macs = call.macs && step.macs ? std::optional(*call.macs + *step.macs) : std::nullopt;
  addEvent(index, start, took);
  return succeeded;
}

std::size_t Profile::indexOf(const runtime::Step& step) {
  const auto [found, isNew] = indices_.try_emplace(&step, calls_.size());
  if (!isNew) return found->second;
  Call& call = calls_.emplace_back();
  call.name = session_.nameOf(step);
  call.primitive = step.following == 0 ? step.row->name : std::to_string(step.following + 1) + " BY ROWS";
  call.depth = depth_;
  call.parts = step.parts;
  return found->second;
}

void Profile::addEvent(std::size_t call, std::uint64_t start, std::uint64_t nanoseconds) {
  if (events_.size() < mostEvents) events_.push_back({call, start - begin_, nanoseconds});
}

double Profile::microseconds(const Call& call) const {
  return static_cast<double>(call.nanoseconds) / 1e3 / static_cast<double>(std::max<std::uint64_t>(runs_, 1));
}

std::optional<double> Profile::gigaflops(const Call& call) const {
  if (!call.macs || *call.macs == 0 || call.nanoseconds == 0) return std::nullopt;
  return 2 * static_cast<double>(*call.macs) / static_cast<double>(call.nanoseconds);
}

std::string Profile::table() const {
  constexpr std::size_t mostName = 40;
  std::size_t width = 4;
  for (const Call& call : calls_)
    width = std::max(width, std::min(mostName, call.name.size()) + static_cast<std::size_t>(2 * call.depth));
  const auto column = static_cast<int>(width);
  std::string text = formatted("%-*s  %-16s %6s %10s %7s %8s %12s\n", column, "call", "primitive", "count", "time us",
                               "share", "GFLOP/s", "bytes");
  const double runs = static_cast<double>(std::max<std::uint64_t>(runs_, 1));
  const double all = std::max(1.0, static_cast<double>(nanoseconds_));
  for (const Call& call : calls_) {
    const auto speed = gigaflops(call);
    const std::string name = std::string(static_cast<std::size_t>(2 * call.depth), ' ') + cut(call.name, mostName);
    text += formatted("%-*s  %-16s %6.4g %10.2f %6.2f%% %8s %12.0f\n", column, name.c_str(), call.primitive.c_str(),
                      static_cast<double>(call.count) / runs, microseconds(call),
                      100 * static_cast<double>(call.nanoseconds) / all,
                      speed ? formatted("%.2f", *speed).c_str() : "-", static_cast<double>(call.bytes) / runs);
  }
  return text + formatted("%-*s  %-16s %6s %10.2f  over %llu %s, %d %s\n", column, "run", "", "", all / 1e3 / runs,
                          static_cast<unsigned long long>(runs_), runs_ == 1 ? "run" : "runs", session_.threads(),
                          session_.threads() == 1 ? "thread" : "threads");
}

void Profile::writeJson(JsonWriter& json) const {
  const double runs = static_cast<double>(std::max<std::uint64_t>(runs_, 1));
  json.openObject();
  json.add("runs", runs_);
  json.add("threads", session_.threads());
  json.add("time_us", static_cast<double>(nanoseconds_) / 1e3 / runs);
  json.key("calls");
  json.openList();
  for (const Call& call : calls_) {
    json.openObject();
    json.add("name", call.name);
    json.add("primitive", call.primitive);
    json.add("depth", call.depth);
    json.add("count", static_cast<double>(call.count) / runs);
    json.add("time_us", microseconds(call));
    json.add("share", static_cast<double>(call.nanoseconds) / std::max(1.0, static_cast<double>(nanoseconds_)));
    json.add("gflops", gigaflops(call));
    json.add("bytes", call.bytes / std::max<std::uint64_t>(runs_, 1));
    json.close();
  }
  json.close();
  json.close();
}

// The format is documented as "Trace Event Format"; a complete event (`X`) lies within those that contain its time.
Outcome<void> Profile::writeTrace(const std::string& path) const {
  JsonWriter json;
  json.openObject();
  json.add("displayTimeUnit", "ns");
  json.key("traceEvents");
  json.openList();
  for (const Event& event : events_) {
    const Call* const call = event.call == wholeRun ? nullptr : &calls_[event.call];
    json.openObject();
    json.add("ph", "X");
    json.add("pid", 1);
    json.add("tid", 1);
    json.add("name", call == nullptr ? std::string("run") : call->name.empty() ? call->primitive : call->name);
    json.add("cat", call == nullptr ? "run" : "call");
    json.key("ts");
    json.addJson(formatted("%.3f", static_cast<double>(event.start) / 1e3));
    json.key("dur");
    json.addJson(formatted("%.3f", static_cast<double>(event.nanoseconds) / 1e3));
    if (call != nullptr) {
      json.key("args");
      json.openObject();
      json.add("primitive", call->primitive);
      json.add("threads", call->parts);
      if (call->macs) json.add("macs", *call->macs / call->count);
      json.add("bytes", call->bytes / call->count);
      json.close();
    }
    json.close();
  }
  json.close();
  json.close();
  const std::string text = json.text() + "\n";
  const std::array<std::span<const std::byte>, 1> pieces{std::as_bytes(std::span(text))};
  if (const auto written = writeWholeFile(path, pieces); !written)
    return fail(exitUsage, written.error().path + ": " + written.error().what);
  return {};
}

}  // namespace

Option profileOptionOf(RunOptions& options) {
  const auto profile = [&options](const std::string& text) -> std::string {
    options.profile = true;
    if (text != noTrace) options.traceFile = text;
    return text == noTrace || isTraceFile(text) ? "" : "takes a FILE.json, or nothing, not " + text;
  };
  return {std::string(profileOption), "[FILE.json]",
          "print the time of each call; with FILE.json write a trace for Perfetto", false, profile};
}

std::unique_ptr<RunProfile> profileOf(runtime::Session& session) { return std::make_unique<Profile>(session); }

}  // namespace axle::run
