// axc compare: where a run and what another one wrote down part, and where the first NaN came from.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/session.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"
#include "driver/compile.h"
#include "driver/recorded.h"
#include "driver/run/compare.h"
#include "driver/run/inputs.h"
#include "driver/run/numbers.h"
#include "driver/run/run.h"

namespace axle::axc {

namespace {

using Json = nlohmann::ordered_json;
using runtime::Session;
using runtime::TensorView;

constexpr std::size_t mostListed = 5;  // names in a line

struct CompareArguments {
  SourceOptions source;
  GraphArguments graph;
  run::RunOptions run;
  std::string against;
};

// The first element that is no finite number, and the first NaN, by their row-major places.
struct NotFinite {
  std::optional<std::size_t> any, nan;
};

NotFinite lookedThrough(const TensorView& tensor) {
  NotFinite found;
  const ElemInfo& elem = info(tensor.elem);
  if (!elem.isFloat) return found;
  const auto count = static_cast<std::size_t>(tensor.shape.elements());
  for (std::size_t i = 0; i < count && !found.nan; ++i) {
    const double value = run::numberAt(tensor.elem, tensor.as<std::byte>() + i * elem.bytes).real;
    if (!std::isfinite(value) && !found.any) found.any = i;
    if (std::isnan(value)) found.nan = i;
  }
  return found;
}

// What has been run, with all that it computes.
struct Traced {
  Session session;
  ir::Trace trace;
  std::vector<run::PortValue> inputs;

  TensorView view(const ir::TracePort& port) const {
    if (!port.isInput) return session.output(port.index);
    for (const run::PortValue& input : inputs)
      if (input.port == port.index) return input.view;
    return {};
  }
  const std::string& name(const ir::TracePort& port) const {
    return (port.isInput ? session.inputs() : session.outputs())[port.index].name;
  }
};

struct Difference {
  std::size_t output = 0;
  run::PortValue expected;
  run::Comparison comparison;
};

struct NanSource {
  std::size_t first = 0;  // the output that has the first NaN
  std::size_t firstAt = 0;
  ir::TracePort from;  // what is not finite though all that it is computed from is, or an input
  std::size_t fromAt = 0;
};

struct Findings {
  std::size_t compared = 0;
  std::vector<Difference> differing;  // in the graph's order
  std::vector<std::string> unmatched, unreadable;
  std::optional<NanSource> nan;
};

// ---- the run

run::Outcome<std::vector<run::PortValue>> inputsOf(const Session& session, const CompareArguments& arguments,
                                                   const Recorded& recorded) {
  std::vector<run::PortValue> inputs;
  if (!arguments.run.inputs.empty()) {
    auto given = run::takeInputs(session, arguments.run);
    if (!given) return given;
    inputs = std::move(*given);
  }
  for (std::size_t port = 0; port < session.inputs().size(); ++port) {
    if (std::any_of(inputs.begin(), inputs.end(), [&](const auto& input) { return input.port == port; })) continue;
    const auto name = recorded.find(session.inputs()[port].name);
    if (!name) continue;
    auto value = recorded.read(*name, port);
    if (!value) return tl::unexpected(std::move(value.error()));
    if (*value) inputs.push_back(std::move(**value));
  }
  if (inputs.empty()) return run::takeInputs(session, arguments.run);
  if (!arguments.run.sets.empty())
    return run::fail(exitUsage, "--set " + arguments.run.sets.front() + " is for drawn inputs; here " +
                                    recorded.path() + " has them");
  return inputs;
}

run::Outcome<Traced> carryOut(const TensorBytes& bundle, ir::Trace trace, const CompareArguments& arguments,
                              const Recorded& recorded) {
  auto session = Session::fromMemory(bundle.bytes, bundle.owner);
  if (!session) return run::fail(session.error());
  if (auto outputs = run::takeOutputs(*session, arguments.run); !outputs) return tl::unexpected(outputs.error());
  auto inputs = inputsOf(*session, arguments, recorded);
  if (!inputs) return tl::unexpected(std::move(inputs.error()));
  std::vector<runtime::NamedTensor> tensors;
  for (const run::PortValue& input : *inputs) tensors.push_back({session->inputs()[input.port].name, input.view});
  if (const auto bound = session->bind(tensors); !bound) return run::fail(bound.error());
  if (const auto ran = session->run(); !ran) return run::fail(ran.error());
  return Traced{std::move(*session), std::move(trace), std::move(*inputs)};
}

// ---- what there is to say

std::optional<NanSource> nanSource(const Traced& traced) {
  for (std::size_t output : traced.trace.order) {
    const NotFinite found = lookedThrough(traced.session.output(output));
    if (!found.nan) continue;
    NanSource source{output, *found.nan, {false, output}, *found.nan};
    for (bool goesOn = true; goesOn && !source.from.isInput;) {
      goesOn = false;
      for (const ir::TracePort& port : traced.trace.from[source.from.index]) {
        const NotFinite before = lookedThrough(traced.view(port));
        if (!before.any) continue;
        source.from = port;
        source.fromAt = *before.any;
        goesOn = true;
        break;
      }
    }
    return source;
  }
  return std::nullopt;
}

run::Outcome<Findings> findingsOf(const Traced& traced, const Recorded& recorded, const run::Tolerance& tolerance) {
  Findings findings;
  std::set<std::string> used;
  for (const runtime::PortInfo& input : traced.session.inputs())
    if (auto name = recorded.find(input.name)) used.insert(*name);
  for (std::size_t output : traced.trace.order) {
    const auto name = recorded.find(traced.session.outputs()[output].name);
    if (!name) continue;
    const bool isNew = used.insert(*name).second;
    auto expected = recorded.read(*name, output);
    if (!expected) return tl::unexpected(std::move(expected.error()));
    if (!*expected && isNew) findings.unreadable.push_back(*name);
    if (!*expected) continue;
    ++findings.compared;
    run::Comparison comparison = run::compare(traced.session.output(output), (*expected)->view, tolerance);
    if (!comparison.met()) findings.differing.push_back({output, std::move(**expected), std::move(comparison)});
  }
  std::set_difference(recorded.names().begin(), recorded.names().end(), used.begin(), used.end(),
                      std::back_inserter(findings.unmatched));
  if (findings.compared == 0) {
    auto failure = run::fail(exitUsage, "nothing in " + recorded.path() + " has the name of what the model computes");
    std::string names;
    for (std::size_t i = 0; i < std::min(mostListed, traced.trace.order.size()); ++i)
      names += (i > 0 ? ", " : "") + traced.session.outputs()[traced.trace.order[i]].name;
    failure.value().help.push_back("names are like " + names);
    return failure;
  }
  findings.nan = nanSource(traced);
  return findings;
}

std::string listText(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(mostListed, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > mostListed) text += " and " + std::to_string(names.size() - mostListed) + " more";
  return text;
}

std::vector<std::string> readBy(const Traced& traced, std::size_t output) {
  std::vector<std::string> names;
  for (const ir::TracePort& port : traced.trace.from[output]) names.push_back(traced.name(port));
  return names;
}

std::vector<std::string> differingNames(const Traced& traced, const Findings& findings) {
  std::vector<std::string> names;
  for (const Difference& d : findings.differing) names.push_back(traced.session.outputs()[d.output].name);
  return names;
}

std::string placeText(const TensorView& tensor, std::size_t at) {
  return runtime::toText(run::indexAt(tensor.shape, at));
}

std::string nanText(const Traced& traced, const NanSource& nan) {
  std::string text = "first NaN: " + traced.session.outputs()[nan.first].name + " at " +
                     placeText(traced.session.output(nan.first), nan.firstAt) + "\n";
  const TensorView view = traced.view(nan.from);
  const run::Number value = run::numberAt(view.elem, view.as<std::byte>() + nan.fromAt * info(view.elem).bytes);
  const std::string what =
      traced.name(nan.from) + " is " + run::numberText(view.elem, value) + " at " + placeText(view, nan.fromAt);
  if (nan.from.isInput) return text + "  it came in: the input " + what + "\n";
  const std::vector<std::string> reads = readBy(traced, nan.from.index);
  return text + "  it came from here: " + what + ", while all that it is computed from is finite" +
         (reads.empty() ? "" : ": " + listText(reads)) + "\n";
}

std::string textOf(const Traced& traced, const Findings& findings, const CompareArguments& arguments) {
  const run::Tolerance& tolerance = arguments.run.tolerance;
  char within[80];
  std::snprintf(within, sizeof within, "rtol %g, atol %g", tolerance.relative, tolerance.absolute);
  std::string text =
      "compared " + std::to_string(findings.compared) + " of " + std::to_string(traced.trace.order.size()) +
      " tensors with " + arguments.against + ", " + within + ": " +
      (findings.differing.empty()
           ? "all agree"
           : std::to_string(findings.differing.size()) + (findings.differing.size() == 1 ? " differs" : " differ")) +
      "\n";
  if (!findings.differing.empty()) {
    const Difference& first = findings.differing.front();
    text += "first difference: " +
            run::comparisonText(traced.session.outputs()[first.output].name, first.comparison,
                                traced.session.output(first.output), first.expected.view) +
            "\n";
    if (const auto reads = readBy(traced, first.output); !reads.empty())
      text += "  computed from " + listText(reads) + "\n";
    if (findings.differing.size() > 1) {
      std::vector<std::string> others = differingNames(traced, findings);
      others.erase(others.begin());
      text += "  then " + listText(others) + "\n";
    }
  }
  if (findings.nan) text += nanText(traced, *findings.nan);
  return text;
}

Json placeJson(const TensorView& tensor, std::size_t at) {
  const runtime::Shape index = run::indexAt(tensor.shape, at);
  return std::vector<std::int64_t>(index.begin(), index.end());
}

Json firstJson(const Traced& traced, const Difference& first) {
  const TensorView actual = traced.session.output(first.output);
  Json json{{"name", traced.session.outputs()[first.output].name},
            {"elem", info(actual.elem).name},
            {"shape", std::vector<std::int64_t>(actual.shape.begin(), actual.shape.end())},
            {"computed_from", readBy(traced, first.output)}};
  if (!first.comparison.shapesMatch) {
    const runtime::Shape& shape = first.expected.view.shape;
    json["expected_shape"] = std::vector<std::int64_t>(shape.begin(), shape.end());
    return json;
  }
  // JSON has no infinity: an error without bound is left out.
  if (std::isfinite(first.comparison.largest)) json["error"] = first.comparison.largest;
  json["beyond"] = first.comparison.beyond;
  json["at"] = placeJson(actual, first.comparison.worstAt);
  json["text"] = first.comparison.worst;
  return json;
}

std::string jsonOf(const Traced& traced, const Findings& findings) {
  Json json{{"compared", findings.compared},
            {"tensors", traced.trace.order.size()},
            {"first", nullptr},
            {"differing", differingNames(traced, findings)},
            {"unmatched", findings.unmatched},
            {"unreadable", findings.unreadable},
            {"nan", nullptr}};
  if (!findings.differing.empty()) json["first"] = firstJson(traced, findings.differing.front());
  if (const auto& nan = findings.nan) {
    Json from{{"name", traced.name(nan->from)},
              {"at", placeJson(traced.view(nan->from), nan->fromAt)},
              {"is_input", nan->from.isInput}};
    if (!nan->from.isInput) from["computed_from"] = readBy(traced, nan->from.index);
    json["nan"] = {{"name", traced.session.outputs()[nan->first].name},
                   {"at", placeJson(traced.session.output(nan->first), nan->firstAt)},
                   {"from", std::move(from)}};
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// What source that was written of a graph says of its own names: /// output `out`: dense/Softmax
void addNamesOf(const std::string& source, Recorded& recorded) {
  static constexpr std::string_view heads[] = {"/// input `", "/// output `"}, behind = "`: ";
  std::ifstream file(source);
  for (std::string line; std::getline(file, line);)
    for (std::string_view head : heads) {
      const std::size_t end = line.find(behind, head.size());
      if (!line.starts_with(head) || end == line.npos) continue;
      recorded.alsoCalled(line.substr(head.size(), end - head.size()), line.substr(end + behind.size()));
    }
}

// ---- the command

// With --format=json; the diagnostics are objects as text.
void showRefused(const CompareArguments& arguments, const std::vector<std::string>& diagnostics) {
  if (!arguments.run.json) return;
  std::string list;
  for (const std::string& diagnostic : diagnostics) list += (list.empty() ? "" : ",") + diagnostic;
  std::printf("{\"diagnostics\":[%s]}\n", list.c_str());
}

int refuse(const run::Failure& failure, const CompareArguments& arguments) {
  showRefused(arguments, {run::diagnosticJson(failure, arguments.source.path)});
  return run::report(failure, stderr);
}

void note(const char* what, const std::vector<std::string>& names, const std::string& path) {
  if (!names.empty())
    std::fprintf(stderr, "note: %zu of the tensors of %s %s: %s\n", names.size(), path.c_str(), what,
                 listText(names).c_str());
}

int compareCommand(CompareArguments arguments) {
  if (isBundle(arguments.source.path))
    return refuse(run::fail(exitUsage, "a bundle shows what goes in and comes out only; compare its source").value(),
                  arguments);
  if (auto there = run::checkFiles(arguments.run); !there) return refuse(there.error(), arguments);
  auto recorded = Recorded::open(arguments.against);
  if (!recorded) return refuse(recorded.error(), arguments);
  if (isGraph(arguments.source.path)) {
    arguments.source.graph = requestOf(arguments.graph, arguments.run);
    arguments.source.graph->recorded = &*recorded;
  } else {
    addNamesOf(arguments.source.path, *recorded);
  }
  arguments.source.sets = std::exchange(arguments.run.sets, {});
  arguments.source.inputRanks = ranksOf(arguments.run.inputs);
  arguments.source.trace = true;
  TensorBytes bytes;
  ir::Trace trace;
  {
    Compilation compilation(arguments.source);
    std::optional<Bundle> bundle = compile(compilation, &arguments.run.sets);
    if (!bundle) {
      showRefused(arguments, compilation.diagnosticsJson());
      return compilation.exitCode();
    }
    if (arguments.source.graph) namePorts(compilation.graph(), arguments.run);
    trace = compilation.trace();
    bytes = bundle->inMemory();
  }
  auto traced = carryOut(bytes, std::move(trace), arguments, *recorded);
  if (!traced) return refuse(traced.error(), arguments);
  auto findings = findingsOf(*traced, *recorded, arguments.run.tolerance);
  if (!findings) return refuse(findings.error(), arguments);
  std::fputs((arguments.run.json ? jsonOf(*traced, *findings) : textOf(*traced, *findings, arguments)).c_str(), stdout);
  note("are none that the model computes", findings->unmatched, arguments.against);
  note("have elements that are not compared", findings->unreadable, arguments.against);
  if (findings->differing.empty()) return exitDone;
  std::fprintf(stderr, "error: %s differs from %s, first in %s\n", arguments.source.path.c_str(),
               arguments.against.c_str(), differingNames(*traced, *findings).front().c_str());
  return run::exitRun;
}

}  // namespace

Action addCompare(CLI::App& app) {
  auto arguments = std::make_shared<CompareArguments>();
  addSourceOptions(app, arguments->source, "a source file (.ax), or a TensorFlow graph");
  app.add_option(
         "--against", arguments->against,
         "what another run wrote down: a folder of NAME.npy (`run --dump-all` makes one), or an npz; inputs too")
      ->required()
      ->type_name("DIR|NPZ");
  static constexpr std::string_view taken[] = {"-i,--input", "--output", "--rtol",    "--atol",
                                               "--seed",     "--set",    "--threads", "--format"};
  std::vector<run::Option> options = run::runOptions(arguments->run);
  std::erase_if(options, [](const run::Option& option) {
    return std::find(std::begin(taken), std::end(taken), option.names) == std::end(taken);
  });
  for (run::Option& option : options)
    if (option.names == "--output") option.help = "of a graph, look at what this output needs; may be given again";
  addOptions(app, options);
  addGraphChoice(app, arguments->graph);
  addLevelOptions(app, arguments->source);
  return [arguments] { return compareCommand(*arguments); };
}

}  // namespace axle::axc
