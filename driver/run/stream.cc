#include "driver/run/stream.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include "driver/run/report.h"
#include "driver/run/stream_feed.h"
#include "driver/run/stream_print.h"
#include "driver/run/stream_results.h"
#include "io/joined.h"
#include "runtime/stream.h"

namespace axle::run {
namespace {

using runtime::StreamInfo;
using runtime::StreamOutputInfo;
using runtime::TensorView;

// ---- options

bool readWhole(std::string_view text, std::uint64_t least, std::uint64_t most, std::uint64_t& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && number >= least && number <= most;
}

constexpr std::uint64_t mostFrames = 1u << 30;

std::string takeChunks(const std::string& text, Chunking& chunking) {
  constexpr std::string_view drawn = "random:";
  std::uint64_t number = 0;
  chunking = {};
  if (std::string_view(text).starts_with(drawn)) {
    if (!readWhole(std::string_view(text).substr(drawn.size()), 0, UINT64_MAX, number))
      return joined({"takes random:SEED with a whole number, not ", text});
    chunking.seed = number;
    return "";
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (!readWhole(std::string_view(text).substr(at, comma - at), 1, mostFrames, number))
      return joined({"takes N, N,N,... or random:SEED with numbers of frames from 1 to ", mostFrames, ", not ", text});
    chunking.sizes.push_back(static_cast<std::int64_t>(number));
    at = comma + 1;
  }
  return "";
}

std::string takeFormat(const std::string& text, std::optional<std::uint32_t>& rate) {
  constexpr std::string_view format = "s16le:";
  std::uint64_t number = 0;
  if (!std::string_view(text).starts_with(format) ||
      !readWhole(std::string_view(text).substr(format.size()), 1, 1u << 24, number))
    return joined({"takes s16le:RATE, samples of 16 bits at RATE in a second, not ", text});
  rate = static_cast<std::uint32_t>(number);
  return "";
}

// ---- the run

// For a stream whose push size is chosen here.
constexpr std::uint64_t largestArena = std::uint64_t{4} << 20;

// Takes the results of the last call. `newest`: the number of frames of the first input so far; none at the end.
Outcome<void> takeOutputs(runtime::Stream& stream, const StreamInfo& info, const StreamRunOptions& options,
                          std::optional<std::uint64_t> newest, FramePrinter& printer, StreamResults& seen) {
  for (std::size_t i = 0; i < info.outputs.size(); ++i) {
    const StreamOutputInfo& output = info.outputs[i];
    const TensorView view = stream.pull(i);
    OutputResults& results = seen.outputs[i];
    const auto count = static_cast<std::uint64_t>(view.shape[output.axis]);
    // The first frame has waited longest.
    if (newest && count > 0) {
      const std::uint64_t own = results.frames * output.stride / output.frames;
      if (*newest > own + 1) results.delay = std::max(results.delay, *newest - 1 - own);
    }
    if (i == 0)
      if (auto printed = printer.print(view, results.frames); !printed) return printed;
    results.frames += count;
    results.elements += static_cast<std::uint64_t>(view.shape.elements());
    results.nans += nanCount(view);
    if (!options.run.folder.empty()) results.collected.add(view, output.axis);
  }
  return {};
}

Outcome<void> pushAll(runtime::Stream& stream, const StreamInfo& info, const StreamRunOptions& options, Feed& feed,
                      Chunks& chunks, FramePrinter& printer, StreamResults& seen) {
  if (auto taken = takeOutputs(stream, info, options, 0, printer, seen); !taken) return taken;
  for (bool isLast = false; !isLast;) {
    std::int64_t count = chunks.next();
    if (feed.length) {
      count = std::min(count, *feed.length - feed.inputs.front().given);
      isLast = feed.inputs.front().given + count == *feed.length;
    }
    const auto read = nextFrames(feed, count, isLast);
    if (!read) return tl::unexpected(read.error());
    const std::vector<runtime::InputFrames>& frames = *read;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) all += frames[i].frames.shape[feed.inputs[i].axis];
    const std::int64_t ofFirst = frames.front().frames.shape[feed.inputs.front().axis];
    if (!feed.length && ofFirst < count) isLast = true;
    if (all == 0) continue;
    const auto start = std::chrono::steady_clock::now();
    auto pushed = stream.push(frames);
    const std::chrono::duration<float, std::micro> took = std::chrono::steady_clock::now() - start;
    if (!pushed) return fail(pushed.error());
    seen.times.add(took.count());
    seen.framesIn += static_cast<std::uint64_t>(ofFirst);
    ++seen.pushes;
    if (auto taken = takeOutputs(stream, info, options, seen.framesIn, printer, seen); !taken) return taken;
  }
  // Files may have more frames than belong to the samples of stdin.
  if (!feed.length)
    if (auto checked = checkLengths(stream.model(), feed); !checked) return checked;
  if (auto flushed = stream.flush(); !flushed) return fail(flushed.error());
  return takeOutputs(stream, info, options, std::nullopt, printer, seen);
}

// Opens the stream, with smaller pushes if the arena is too large and the push size is chosen here.
runtime::Result<runtime::Stream> openStream(const std::shared_ptr<const runtime::StreamModel>& model, const Feed& feed,
                                            Chunks& chunks) {
  for (;;) {
    auto stream = runtime::Stream::open(model, feed.opened, {chunks.most(), false});
    if (!stream || !chunks.isChosenHere() || stream->arenaBytes() <= largestArena || !chunks.halve()) return stream;
  }
}

Outcome<StreamResults> carryOutStream(const runtime::Session& session, const StreamInfo& info,
                                      std::shared_ptr<const runtime::StreamModel> model,
                                      const StreamRunOptions& options, std::FILE* in, std::FILE* out, std::FILE* err) {
  if (options.print && options.run.json) return fail(exitUsage, "--print prints lines, and --format=json one object");
  if (!options.print && (options.every || !options.labels.empty()))
    return fail(exitUsage,
                joined({options.every ? "--every" : "--labels", " says how --print prints, which is not given"}));
  auto feed = takeFeed(session, info, options, in);
  if (!feed) return tl::unexpected(std::move(feed.error()));
  printNotes(feed->values, err);
  if (feed->length && feed->inputs.size() > 1)
    if (auto checked = checkLengths(*model, *feed); !checked) return tl::unexpected(std::move(checked.error()));
  Chunks chunks(options.chunking, info.chunk, feed->length, feed->rate);
  auto stream = openStream(model, *feed, chunks);
  if (!stream) {
    auto failure = fail(stream.error());
    if (stream.error().code == runtime::ErrorCode::missingInput)
      failure.value().help.push_back("each input has its file: `-i NAME=FILE.npy`; without any -i all are drawn");
    return failure;
  }
  auto printer = FramePrinter::make(options, info.outputs.front(), stream->pull(0), feed->rate, out);
  if (!printer) return tl::unexpected(std::move(printer.error()));
  StreamResults results;
  results.outputs.resize(info.outputs.size());
  if (auto pushed = pushAll(*stream, info, options, *feed, chunks, *printer, results); !pushed)
    return tl::unexpected(std::move(pushed.error()));
  results.stateBytes = stream->stateBytes(), results.arenaBytes = stream->arenaBytes();
  results.counts = stream->counts();
  const double busy = results.times.sum() * 1e-6;
  if (feed->rate && busy > 0) results.realTime = static_cast<double>(results.framesIn) / *feed->rate / busy;
  if (options.run.folder.empty()) return results;
  std::vector<NamedView> views;
  std::vector<std::vector<std::byte>> bytes;
  for (std::size_t i = 0; i < info.outputs.size(); ++i) {
    const Collected& output = results.outputs[i].collected;
    bytes.push_back(output.whole(info.outputs[i].axis));
    views.push_back({info.outputs[i].port.name, {output.elem, output.shape, bytes.back().data()}});
  }
  if (auto wrote = writeOutputs(options.run.folder, views); !wrote) return tl::unexpected(std::move(wrote.error()));
  return results;
}

}  // namespace

std::vector<Option> streamOptions(StreamRunOptions& options) {
  std::vector<Option> all;
  for (Option& option : runOptions(options.run))
    for (const std::string_view name : {"-i,--input", "-o", "--seed", "--set", "--format"})
      if (option.names == name) {
        all.push_back(std::move(option));
        break;
      }
  all.front().value = "NAME=FILE";
  all.front().help = "an input's values, from .npy or .wav; `-` takes samples from stdin";
  all.push_back({"--chunk", "N|N,N,...|random:SEED",
                 "frames of the first streamed input in each push (the bundle's, or all at once if few)", false,
                 [&options](const std::string& text) { return takeChunks(text, options.chunking); }});
  all.push_back({"--raw", "s16le:RATE", "the format of stdin, and the samples of one second", false,
                 [&options](const std::string& text) { return takeFormat(text, options.pcmRate); }});
  all.push_back({"--print", "", "print the first output's frames as they are computed", false,
                 [&options](const std::string&) -> std::string {
                   options.print = true;
                   return "";
                 },
                 true});
  all.push_back({"--every", "N", "print at most one line for N frames (1)", false,
                 [&options](const std::string& text) -> std::string {
                   std::uint64_t frames = 0;
                   if (!readWhole(text, 1, mostFrames, frames))
                     return joined({"takes a whole number of 1 or more, not ", text});
                   options.every = frames;
                   return "";
                 }});
  all.push_back({"--labels", "FILE",
                 "print the label of the largest element where it changes; FILE has a line for each element", false,
                 [&options](const std::string& text) -> std::string {
                   options.labels = text;
                   return text.empty() ? "takes a file" : "";
                 }});
  return all;
}

int runStream(const runtime::Session& session, const StreamRunOptions& options, std::FILE* in, std::FILE* out,
              std::FILE* err) {
  const auto results = [&]() -> Outcome<std::pair<StreamResults, StreamInfo>> {
    auto model = runtime::readStreamModel(session.bundle());
    if (!model) {
      auto failure = fail(model.error());
      if (model.error().code == runtime::ErrorCode::noStream)
        failure.value().help.push_back("mark the size that arrives over time where the entry takes it, `f32 [~T, 40]`");
      return failure;
    }
    StreamInfo info = runtime::describeStream(**model);
    auto carried = carryOutStream(session, info, std::move(*model), options, in, out, err);
    if (!carried) return tl::unexpected(std::move(carried.error()));
    return std::pair(std::move(*carried), std::move(info));
  }();
  if (!results) {
    if (options.run.json)
      print(joined({"{\"diagnostics\":[", diagnosticJson(results.error(), options.run.model), "]}\n"}), out, err);
    return report(results.error(), err);
  }
  const auto& [done, info] = *results;
  if (!print(options.run.json ? streamJson(done, info) : streamText(done, info, options), out, err)) return exitUsage;
  if (const std::string nans = nansText(done, info); !nans.empty()) std::fprintf(err, "note: %s\n", nans.c_str());
  return exitDone;
}

Outcome<std::string> describeStream(const runtime::Session& session) {
  const auto model = runtime::readStreamModel(session.bundle());
  if (!model) return fail(model.error());
  const StreamInfo info = runtime::describeStream(**model);
  std::string text = info.chunk > 0 ? joined({"  streams    ", info.chunk, " frames in a push\n"}) : std::string();
  for (const runtime::StreamInputInfo& input : info.inputs)
    if (input.axis)
      text += joined({"  streams    ", input.port.name, " along axis ", *input.axis,
                      input.rate == input.per ? "" : joined({", ", input.rate, " frames for ", input.per}), "\n"});
  for (const StreamOutputInfo& output : info.outputs)
    text += joined({"  streams    ", output.port.name, " along axis ", output.axis, ", delay ", output.delay,
                    output.stride == output.frames ? "" : joined({", ", output.frames, " frames for ", output.stride}),
                    "\n"});
  return text;
}

Outcome<void> checkRates(const runtime::Session& session, const std::vector<PortValue>& inputs) {
  const bool hasSound =
      std::ranges::any_of(inputs, [](const PortValue& value) { return value.file.ends_with(".wav"); });
  if (!hasSound) return {};
  const auto model = runtime::readStreamModel(session.bundle());
  if (!model) return {};  // a batch run needs no stream
  const auto rate = frameRate(inputs, runtime::describeStream(**model), {});
  return rate ? Outcome<void>() : tl::unexpected(rate.error());
}

Outcome<void> writeStreamJson(const runtime::Session& session, JsonWriter& json) {
  const auto model = runtime::readStreamModel(session.bundle());
  if (!model) return fail(model.error());
  const StreamInfo info = runtime::describeStream(**model);
  json.openObject();
  if (info.chunk > 0) json.add("chunk", info.chunk);
  json.key("inputs");
  json.openList();
  for (const runtime::StreamInputInfo& input : info.inputs) {
    if (!input.axis) continue;
    json.openObject();
    json.add("name", input.port.name);
    json.add("dimension", *input.axis);
    json.add("rate", std::vector<std::uint64_t>{input.rate, input.per});
    json.close();
  }
  json.close();
  json.key("outputs");
  json.openList();
  for (const StreamOutputInfo& output : info.outputs) {
    json.openObject();
    json.add("name", output.port.name);
    json.add("dimension", output.axis);
    json.add("delay", output.delay);
    json.add("stride", std::vector<std::uint64_t>{output.stride, output.frames});
    json.close();
  }
  json.close();
  json.close();
  return {};
}

}  // namespace axle::run
