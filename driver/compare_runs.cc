#include "driver/compare_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "driver/run/exit_codes.h"
#include "driver/run/numbers.h"

namespace axle::driver {

namespace {

using Json = nlohmann::ordered_json;
using runtime::Session;
using runtime::TensorView;

constexpr std::size_t mostListed = 5;  // names in a line

// The row-major indices of the first element that is not finite, and of the first NaN.
struct NotFinite {
  std::optional<std::size_t> any, nan;
};

NotFinite firstNotFinite(const TensorView& tensor) {
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

run::Outcome<std::vector<run::PortValue>> inputsOf(const Session& session, const run::RunOptions& options,
                                                   const Recorded& recorded) {
  std::vector<run::PortValue> inputs;
  if (!options.inputs.empty()) {
    auto given = run::takeInputs(session, options);
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
  if (inputs.empty()) return run::takeInputs(session, options);
  if (!options.sets.empty())
    return run::fail(exitUsage,
                     "--set " + options.sets.front() + " is for drawn inputs; here " + recorded.path() + " has them");
  return inputs;
}

}  // namespace

TensorView TracedRun::view(const ir::TracePort& port) const {
  if (!port.isInput) return session.output(port.index);
  for (const run::PortValue& input : inputs)
    if (input.port == port.index) return input.view;
  return {};
}

const std::string& TracedRun::name(const ir::TracePort& port) const {
  return (port.isInput ? session.inputs() : session.outputs())[port.index].name;
}

run::Outcome<TracedRun> runTraced(const TensorBytes& bundle, ir::Trace trace, const run::RunOptions& options,
                                  const Recorded& recorded) {
  auto session = Session::fromMemory(bundle.bytes, bundle.owner);
  if (!session) return run::fail(session.error());
  if (auto outputs = run::takeOutputs(*session, options); !outputs) return tl::unexpected(outputs.error());
  auto inputs = inputsOf(*session, options, recorded);
  if (!inputs) return tl::unexpected(std::move(inputs.error()));
  std::vector<runtime::NamedTensor> tensors;
  for (const run::PortValue& input : *inputs) tensors.push_back({session->inputs()[input.port].name, input.view});
  if (const auto bound = session->bind(tensors); !bound) return run::fail(bound.error());
  if (const auto ran = session->run(); !ran) return run::fail(ran.error());
  return TracedRun{std::move(*session), std::move(trace), std::move(*inputs)};
}

// ---- comparing

namespace {

std::optional<NanOrigin> originOfNan(const TracedRun& traced) {
  for (std::size_t output : traced.trace.order) {
    const NotFinite found = firstNotFinite(traced.session.output(output));
    if (!found.nan) continue;
    NanOrigin source{output, *found.nan, {false, output}, *found.nan};
    for (bool goesOn = true; goesOn && !source.from.isInput;) {
      goesOn = false;
      for (const ir::TracePort& port : traced.trace.from[source.from.index]) {
        const NotFinite before = firstNotFinite(traced.view(port));
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

}  // namespace

run::Outcome<RunComparison> compareRun(const TracedRun& traced, const Recorded& recorded,
                                       const run::Tolerance& tolerance) {
  RunComparison findings;
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
  findings.nan = originOfNan(traced);
  return findings;
}

// ---- reporting

std::string listNames(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(mostListed, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > mostListed) text += " and " + std::to_string(names.size() - mostListed) + " more";
  return text;
}

std::vector<std::string> differingNames(const TracedRun& traced, const RunComparison& findings) {
  std::vector<std::string> names;
  for (const TracedDifference& d : findings.differing) names.push_back(traced.session.outputs()[d.output].name);
  return names;
}

namespace {

std::vector<std::string> readBy(const TracedRun& traced, std::size_t output) {
  std::vector<std::string> names;
  for (const ir::TracePort& port : traced.trace.from[output]) names.push_back(traced.name(port));
  return names;
}

std::string placeText(const TensorView& tensor, std::size_t at) {
  return runtime::toText(run::indexAt(tensor.shape, at));
}

std::string nanText(const TracedRun& traced, const NanOrigin& nan) {
  std::string text = "first NaN: " + traced.session.outputs()[nan.first].name + " at " +
                     placeText(traced.session.output(nan.first), nan.firstAt) + "\n";
  const TensorView view = traced.view(nan.from);
  const run::Number value = run::numberAt(view.elem, view.as<std::byte>() + nan.fromAt * info(view.elem).bytes);
  const std::string what =
      traced.name(nan.from) + " is " + run::numberText(view.elem, value) + " at " + placeText(view, nan.fromAt);
  if (nan.from.isInput) return text + "  it came in: the input " + what + "\n";
  const std::vector<std::string> reads = readBy(traced, nan.from.index);
  return text + "  it came from here: " + what + ", while all that it is computed from is finite" +
         (reads.empty() ? "" : ": " + listNames(reads)) + "\n";
}

}  // namespace

std::string comparisonReport(const TracedRun& traced, const RunComparison& findings, const run::Tolerance& tolerance,
                             const std::string& against) {
  char within[80];
  std::snprintf(within, sizeof within, "rtol %g, atol %g", tolerance.relative, tolerance.absolute);
  std::string text = "compared " + std::to_string(findings.compared) + " of " +
                     std::to_string(traced.trace.order.size()) + " tensors with " + against + ", " + within + ": " +
                     (findings.differing.empty() ? "all agree"
                                                 : std::to_string(findings.differing.size()) +
                                                       (findings.differing.size() == 1 ? " differs" : " differ")) +
                     "\n";
  if (!findings.differing.empty()) {
    const TracedDifference& first = findings.differing.front();
    text += "first difference: " +
            run::comparisonText(traced.session.outputs()[first.output].name, first.comparison,
                                traced.session.output(first.output), first.expected.view) +
            "\n";
    if (const auto reads = readBy(traced, first.output); !reads.empty())
      text += "  computed from " + listNames(reads) + "\n";
    if (findings.differing.size() > 1) {
      std::vector<std::string> others = differingNames(traced, findings);
      others.erase(others.begin());
      text += "  then " + listNames(others) + "\n";
    }
  }
  if (findings.nan) text += nanText(traced, *findings.nan);
  return text;
}

namespace {

Json placeJson(const TensorView& tensor, std::size_t at) {
  const runtime::Shape index = run::indexAt(tensor.shape, at);
  return std::vector<std::int64_t>(index.begin(), index.end());
}

Json firstJson(const TracedRun& traced, const TracedDifference& first) {
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
  // JSON has no infinity, so an infinite error is left out.
  if (std::isfinite(first.comparison.largest)) json["error"] = first.comparison.largest;
  json["beyond"] = first.comparison.beyond;
  json["at"] = placeJson(actual, first.comparison.worstAt);
  json["text"] = first.comparison.worst;
  return json;
}

}  // namespace

std::string comparisonJson(const TracedRun& traced, const RunComparison& findings) {
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

}  // namespace axle::driver
