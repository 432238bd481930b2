#include "driver/stream_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "driver/run/exit_codes.h"
#include "driver/stream_helps.h"
#include "frontend/lower_case.h"
#include "ir/ops/table.h"
#include "typecheck/check.h"
#include "typecheck/entry/entry_codes.h"

namespace axle {

namespace codes {
const DiagnosticCode notStreamable{"E0526", Severity::error, "a model that does not stream"};
}

namespace driver {

namespace {

constexpr Message<arg::Name, arg::Cause> blocked{codes::notStreamable, "{} does not stream: {}", "here"};
constexpr Message<> noStream{codes::notStreamable, "no input of the model is streamed", "this entry"};

Span entrySpan(const Compilation& compilation) {
  return program(compilation.checked())[compilation.entry()->function].span;
}

// Returns the spans in the user's own source, innermost first; for a graph those of its nodes. None for an input.
std::vector<Span> ownSpans(const Compilation& compilation, const ir::Node& node) {
  const SourceMap& sources = compilation.sources();
  std::vector<Span> own, others;
  for (Span span : node.spans) {
    if (span.source.index >= sources.size()) continue;
    const bool isOwn = sources.isListing(span.source) || compilation.modules().modules.empty() ||
                       span.source == compilation.modules().root().source;
    (isOwn ? own : others).push_back(span);
  }
  if (own.empty() && !others.empty()) own.push_back(others.back());
  return own;
}

// Returns `nn.dense` for `nn.dense(x, w)`; the operator's name if the text is not a call.
std::string operatorText(std::string_view text, const ir::Node& node) {
  const auto isOfName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  const std::size_t end = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isOfName) - text.begin());
  if (end > 0 && end < text.size() && text[end] == '(') return std::string(text.substr(0, end));
  return lowerCase(std::string(ir::row(node.op).name));
}

StreamReport::Blocker describedInput(const Compilation& compilation, const ir::Node& node) {
  const SourceMap& sources = compilation.sources();
  const ir::Model& model = compilation.model();
  StreamReport::Blocker blocker;
  blocker.span = entrySpan(compilation);
  const auto isIts = [&](ir::OutletId id) { return &model.main().producer(id) == &node; };
  const auto& inputs = model.main().inputs;
  const auto at = std::find_if(inputs.begin(), inputs.end(), isIts);
  blocker.op = at == inputs.end() ? std::string(ir::row(node.op).name)
                                  : model.inputNames[static_cast<std::size_t>(at - inputs.begin())];
  if (sources.isListing(blocker.span.source))
    blocker.node = blocker.op;
  else
    blocker.line = sources.position(blocker.span.source, blocker.span.begin).line;
  return blocker;
}

StreamReport::Blocker describedAt(const Compilation& compilation, const ir::Node& node, Span span) {
  const SourceMap& sources = compilation.sources();
  StreamReport::Blocker blocker;
  blocker.span = span;
  if (sources.isListing(span.source)) {
    blocker.node = std::string(sources.node(span.source, span.begin));
    const std::string_view line = sources.text(span);
    blocker.op = std::string(line.substr(0, line.find('(')));
  } else {
    blocker.line = sources.position(span.source, span.begin).line;
    blocker.op = operatorText(sources.text(span), node);
  }
  return blocker;
}

// Describes each place of an obstacle. Equal operators are one node with the spans of all, and each is blamed. Spans of
// other operators belong to the calls that lead there.
std::vector<StreamReport::Blocker> described(const Compilation& compilation, const ir::Node& node,
                                             const ir::Obstacle& obstacle) {
  std::vector<StreamReport::Blocker> all;
  const std::vector<Span> own = ownSpans(compilation, node);
  if (node.op == ir::Op::input || own.empty()) all.push_back(describedInput(compilation, node));
  for (std::size_t i = 0; i < own.size() && node.op != ir::Op::input; ++i) {
    StreamReport::Blocker at = describedAt(compilation, node, own[i]);
    if (i == 0 || at.op == all.front().op) all.push_back(std::move(at));
  }
  for (StreamReport::Blocker& blocker : all) {
    blocker.kind = obstacle.kind;
    blocker.why = obstacle.why;
    blocker.help = streamHelp(obstacle.kind, node.op);
  }
  return all;
}

}  // namespace

std::optional<StreamReport> streamReport(Compilation& compilation) {
  if (!compilation.reach(Stage::optimise)) return std::nullopt;
  const auto analysis = compilation.analyseStream();
  if (!analysis) return std::nullopt;
  return describeStream(compilation, *analysis);
}

StreamReport describeStream(Compilation& compilation, const ir::StreamAnalysis& analysis) {
  const ir::Model& model = compilation.model();
  StreamReport report;
  for (const ir::StreamedInput& input : analysis.inputs)
    report.inputs.push_back({model.inputNames[input.input], input.axis});
  for (const ir::Blocker& blocker : analysis.blockers) {
    for (StreamReport::Blocker& told : described(compilation, model.main()[blocker.node], blocker.obstacle)) {
      const auto isSame = [&](const StreamReport::Blocker& b) { return b.span == told.span && b.node == told.node; };
      if (std::none_of(report.blockers.begin(), report.blockers.end(), isSame))
        report.blockers.push_back(std::move(told));
    }
  }
  if (report.blockers.empty())
    for (std::size_t i = 0; i < analysis.outputs.size(); ++i)
      report.outputs.push_back({model.outputNames[i], analysis.outputs[i]});
  for (const DimFact& guard : compilation.entry()->guards)
    report.guards.push_back(printFact(compilation.checked(), guard));
  return report;
}

void reportBlockers(const StreamReport& report, Diagnostics& diagnostics) {
  for (const StreamReport::Blocker& blocker : report.blockers) {
    Diagnostic& error =
        axle::report(diagnostics, blocked, blocker.span, arg::Name{blocker.op}, arg::Cause{blocker.why});
    error.addHelp("{}", arg::Cause{std::string(blocker.help)});
  }
}

StreamCheck::StreamCheck(CompileOptions options) {
  options.streamsAreSizes = true;
  compilation_ = std::make_unique<Compilation>(options);
  report_ = streamReport(*compilation_);
  diagnostics_ = compilation_->diagnostics();
  if (report_) {
    reportBlockers(*report_, diagnostics_);
    return;
  }
  if (!compilation_->hasModel() || hasErrors(diagnostics_)) return;
  axle::report(diagnostics_, noStream, entrySpan(*compilation_))
      .addHelp("mark the size that arrives over time: `f32 [~T, 40]`");
}

int StreamCheck::exitCode() const {
  if (const int code = compilation_->exitCode(); code != 0) return code;
  return hasErrors(diagnostics_) ? exitErrors : exitDone;
}

std::string streamText(const StreamReport& report) {
  std::string text;
  for (const StreamReport::Input& input : report.inputs)
    text += fmt::format("input {}: frames along dimension {}\n", input.name, input.dimension);
  for (const StreamReport::Output& output : report.outputs)
    text += fmt::format("output {}: frames along dimension {}, {} for {} that come in, delay {}\n", output.name,
                        output.stream.axis, output.stream.frames, output.stream.stride, output.stream.delay);
  for (const std::string& guard : report.guards) text += fmt::format("guard {}\n", guard);
  for (const StreamReport::Blocker& blocker : report.blockers)
    text += fmt::format("does not stream: {} ({})\n", blocker.op,
                        blocker.node.empty() ? fmt::format("line {}", blocker.line) : blocker.node);
  return text;
}

std::string streamJson(const StreamCheck& check) {
  using Json = nlohmann::ordered_json;
  Json json{{"stream",
             {{"streamable", false},
              {"inputs", Json::array()},
              {"outputs", Json::array()},
              {"guards", Json::array()},
              {"blockers", Json::array()}}},
            {"diagnostics", Json::array()}};
  Json& stream = json["stream"];
  if (const auto& report = check.report()) {
    stream["streamable"] = report->isStreamable();
    for (const auto& input : report->inputs)
      stream["inputs"].push_back({{"name", input.name}, {"dimension", input.dimension}});
    for (const auto& output : report->outputs)
      stream["outputs"].push_back({{"name", output.name},
                                   {"dimension", output.stream.axis},
                                   {"delay", output.stream.delay},
                                   {"stride", {output.stream.stride, output.stream.frames}}});
    stream["guards"] = report->guards;
    for (const auto& blocker : report->blockers) {
      Json at;
      if (blocker.node.empty())
        at["line"] = blocker.line;
      else
        at["node"] = blocker.node;
      at["op"] = blocker.op;
      at["why"] = blocker.why;
      stream["blockers"].push_back(std::move(at));
    }
  }
  for (const Diagnostic& d : check.diagnostics())
    json["diagnostics"].push_back(Json::parse(renderJson(d, check.compilation().sources())));
  return json.dump() + "\n";
}

}  // namespace driver
}  // namespace axle
