#include "driver/run/run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <span>

#include "driver/run/bundle_help.h"
#include "driver/run/exit_codes.h"
#include "driver/run/inputs.h"
#include "driver/run/json.h"
#include "driver/run/measuring.h"
#include "driver/run/report.h"
#include "driver/run/streaming.h"
#include "io/joined.h"

namespace axle::run {
namespace {

using runtime::Session;

struct Expected {
  PortValue value;
  Comparison comparison;
};

struct Results {
  std::vector<NamedView> outputs;  // the requested ones
  std::vector<Expected> expected;
  std::vector<double> milliseconds;
  std::unique_ptr<RunProfile> profile;
  std::string folder;  // the folder of the written outputs; empty: none were written
  std::size_t dumped = 0;
};

// Inputs, expected outputs and requested outputs, read from the command line before the run.
struct Request {
  std::vector<PortValue> inputs, expectations;
  std::vector<std::size_t> outputs;
};

Outcome<Request> takeRequest(const Session& session, const RunOptions& options) {
  Request request;
  auto outputs = takeOutputs(session, options);
  if (!outputs) return tl::unexpected(std::move(outputs.error()));
  auto expectations = takeExpectations(session, options);
  if (!expectations) return tl::unexpected(std::move(expectations.error()));
  auto inputs = takeInputs(session, options);
  if (!inputs) return tl::unexpected(std::move(inputs.error()));
  return Request{std::move(*inputs), std::move(*expectations), std::move(*outputs)};
}

Outcome<void> timedRuns(Session& session, const RunOptions& options, Results& results) {
  for (unsigned i = 0; i < options.warmup; ++i)
    if (const auto ran = session.run(); !ran) return fail(ran.error());
  if (options.profile) results.profile = linkedMeasuring->profile(session);
  for (unsigned i = 0; i < std::max(1u, options.repeat); ++i) {
    if (results.profile) results.profile->beginRun();
    const auto start = std::chrono::steady_clock::now();
    const auto ran = session.run();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (!ran) return fail(ran.error());
    if (results.profile) results.profile->endRun();
    results.milliseconds.push_back(took.count());
  }
  if (!options.traceFile.empty()) return results.profile->writeTrace(options.traceFile);
  return {};
}

// Checks `--set`, which may name a size that is fixed, but must not change it.
Outcome<void> checkSizes(const Session& session, const RunOptions& options) {
  const auto asked = takeSizes(options.sets);
  if (!asked) return tl::unexpected(asked.error());
  for (const runtime::NamedSize& size : *asked)
    for (const runtime::NamedSize& bound : session.boundSizes())
      if (bound.name == size.name && bound.size != size.size)
        return fail(exitRun, joined({"--set ", size.name, "=", size.size, ": `", size.name, "` is ", bound.size,
                                     " in every run"}));
  return {};
}

// Writes all inputs and outputs except strings; returns their number.
Outcome<std::size_t> dumpAll(const Session& session, const Request& request, const std::string& folder) {
  std::vector<NamedView> all;
  for (const PortValue& input : request.inputs) all.push_back({session.inputs()[input.port].name, input.view});
  for (std::size_t port = 0; port < session.outputs().size(); ++port)
    all.push_back({session.outputs()[port].name, session.output(port)});
  std::erase_if(all, [](const NamedView& tensor) { return tensor.view.elem == Elem::string; });
  if (auto wrote = writeOutputs(folder, all); !wrote) return tl::unexpected(std::move(wrote.error()));
  return all.size();
}

Outcome<Results> carryOut(Session& session, const RunOptions& options, Request& request) {
  std::vector<runtime::NamedTensor> tensors;
  for (const PortValue& input : request.inputs) tensors.push_back({session.inputs()[input.port].name, input.view});
  if (const auto bound = session.bind(tensors); !bound) {
    auto failure = fail(bound.error());
    if (bound.error().code == runtime::ErrorCode::missingInput)
      failure.value().help.push_back("each input has its file: `-i NAME=FILE.npy`; without any -i all are drawn");
    return failure;
  }
  if (auto kept = checkSizes(session, options); !kept) return tl::unexpected(std::move(kept.error()));
  Results results;
  if (auto ran = timedRuns(session, options, results); !ran) return tl::unexpected(std::move(ran.error()));
  for (const std::size_t port : request.outputs)
    results.outputs.push_back({session.outputs()[port].name, session.output(port)});
  for (PortValue& value : request.expectations) {
    Comparison comparison = compare(session.output(value.port), value.view, options.tolerance);
    results.expected.push_back({std::move(value), std::move(comparison)});
  }
  if (!options.folder.empty()) {
    if (auto wrote = writeOutputs(options.folder, results.outputs); !wrote)
      return tl::unexpected(std::move(wrote.error()));
    results.folder = options.folder;
  }
  if (!options.dumpFolder.empty()) {
    auto dumped = dumpAll(session, request, options.dumpFolder);
    if (!dumped) return tl::unexpected(std::move(dumped.error()));
    results.dumped = *dumped;
  }
  return results;
}

std::string resultsText(const Session& session, const Results& results, const RunOptions& options) {
  std::string text;
  for (const Expected& expected : results.expected)
    text += comparisonText(session.outputs()[expected.value.port].name, expected.comparison,
                           session.output(expected.value.port), expected.value.view) +
            "\n";
  for (const NamedView& output : results.outputs) {
    if (!results.folder.empty())
      text += joined({output.name, " : ", runtime::typeText(output.view.elem, output.view.shape), ", written to ",
                      outputPath(results.folder, output.name), "\n"});
    else if (results.expected.empty())
      text += outputText(output.name, output.view);
  }
  if (!options.dumpFolder.empty()) text += joined({results.dumped, " tensors written to ", options.dumpFolder, "\n"});
  if (options.repeat > 0) text += timesText(results.milliseconds);
  if (results.profile) text += results.profile->table();
  return text;
}

std::string resultsJson(const Session& session, const Results& results) {
  JsonWriter json;
  json.openObject();
  json.key("outputs");
  json.openObject();
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const runtime::TensorView& view) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    names.push_back(name);
    json.key(name);
    json.openObject();
    json.add("elem", info(view.elem).name);
    json.add("shape", std::span<const std::int64_t>(view.shape.begin(), view.shape.end()));
    for (const Expected& expected : results.expected)  // an infinite error is null
      if (session.outputs()[expected.value.port].name == name) {
        json.add("error", expected.comparison.largest);
        break;
      }
    json.close();
  };
  for (const NamedView& output : results.outputs) add(output.name, output.view);
  for (const Expected& expected : results.expected)
    add(session.outputs()[expected.value.port].name, session.output(expected.value.port));
  json.close();
  json.add("times_ms", results.milliseconds);
  if (results.profile) {
    json.key("profile");
    results.profile->writeJson(json);
  }
  json.close();
  return json.text() + "\n";
}

// Prints a line on stderr for each output that differs. Returns false if there is one.
bool checkExpectations(const Session& session, const Results& results, const RunOptions& options, std::FILE* err) {
  bool met = true;
  for (const Expected& expected : results.expected) {
    if (expected.comparison.met()) continue;
    met = false;
    const char* name = session.outputs()[expected.value.port].name.c_str();
    if (!expected.comparison.shapesMatch)
      std::fprintf(err, "error: expectation not met: %s has another shape than %s\n", name,
                   expected.value.file.c_str());
    else
      std::fprintf(err, "error: expectation not met: %s differs from %s beyond rtol %g, atol %g\n", name,
                   expected.value.file.c_str(), options.tolerance.relative, options.tolerance.absolute);
  }
  return met;
}

// Notes on stderr each output that contains NaN, with the command that finds where the first one arises.
void noteNans(const Session& session, const RunOptions& options, const std::vector<std::size_t>& outputs,
              std::FILE* err) {
  std::string where;
  for (const std::size_t port : outputs) {
    const std::size_t nans = nanCount(session.output(port));
    if (nans == 0) continue;
    where += (where.empty() ? "" : ", ") + nanText(session.outputs()[port].name, nans,
                                                   static_cast<std::uint64_t>(session.output(port).shape.elements()));
  }
  if (where.empty()) return;
  const std::string way = options.dumpFolder.empty()
                              ? "run the source with `--dump-all DIR`, then `axc compare` it `--against DIR`"
                              : joined({"`axc compare ", options.model, " --against ", options.dumpFolder, "`"});
  std::fprintf(err, "note: %s\n  = help: to find where the first comes from: %s, with the same --weights and --entry\n",
               where.c_str(), way.c_str());
}

}  // namespace

Outcome<void> useThreads(Session& session, unsigned threads) {
  if (threads == 0) return {};
  if (const auto set = session.setThreads({threads}); !set) return fail(set.error());
  return {};
}

Outcome<Session> openBundle(const std::string& path) {
  auto session = Session::fromFile(path);
  if (session) return std::move(*session);
  auto failure = fail(session.error());
  if (::access(path.c_str(), F_OK) != 0) failure.value().exitCode = exitUsage;
  if (session.error().code == runtime::ErrorCode::notABundle && linkedBundleHelp != nullptr)
    linkedBundleHelp(path, failure.value().help);
  return failure;
}

int reportFailedRun(const Failure& failure, const RunOptions& options, std::FILE* out, std::FILE* err) {
  const std::string diagnostic = diagnosticJson(failure, options.model);
  if (options.json) print(failedRunJson({&diagnostic, 1}), out, err);
  return report(failure, err);
}

int runSession(Session& session, const RunOptions& options, std::FILE* out, std::FILE* err) {
  if (const auto set = useThreads(session, options.threads); !set)
    return reportFailedRun(set.error(), options, out, err);
  auto request = takeRequest(session, options);
  if (!request) return reportFailedRun(request.error(), options, out, err);
  if (linkedStreaming != nullptr)
    if (const auto checked = linkedStreaming->checkRates(session, request->inputs); !checked)
      return reportFailedRun(checked.error(), options, out, err);
  printNotes(request->inputs, err);
  const auto results = carryOut(session, options, *request);
  if (!results) return reportFailedRun(results.error(), options, out, err);
  const std::string text = options.json ? resultsJson(session, *results) : resultsText(session, *results, options);
  if (!print(text, out, err)) return exitUsage;
  const bool isMet = checkExpectations(session, *results, options, err);
  if (results->expected.empty() || !isMet) noteNans(session, options, request->outputs, err);
  return isMet ? exitDone : exitRun;
}

}  // namespace axle::run
