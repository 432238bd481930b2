#include "driver/run/stream_feed.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "io/joined.h"
#include "io/wav.h"
#include "runtime/bind.h"
#include "runtime/named_inputs.h"
#include "runtime/stream/model.h"

namespace axle::run {
namespace {

using runtime::Shape;
using runtime::TensorView;

constexpr std::int64_t mostFramesAtOnce = 1 << 20, fewestFramesAtOnce = 64;
constexpr std::int64_t mostDrawnFrames = 16;
constexpr std::uint32_t pushesPerSecond = 100;  // for samples from stdin without a given chunk

// Returns `NAME` for the word `NAME=-`; none for other words.
std::optional<std::string> nameOfStdin(const std::string& word) {
  if (!word.ends_with("=-")) return std::nullopt;
  return word.substr(0, word.size() - 2);
}

// Returns the type of one frame of samples. All sizes except the stream's must be known.
Outcome<Shape> shapeOfPcm(const runtime::StreamInputInfo& input) {
  const auto refuse = [&](const char* why) {
    return fail(exitUsage, joined({"input ", input.port.name, " : ", input.port.type, " takes no samples: ", why}));
  };
  if (input.port.elem != Elem::f32 && input.port.elem != Elem::i16)
    return refuse("its elements are neither f32 nor i16");
  Shape shape;
  for (std::size_t axis = 0; axis < input.port.sizes->size(); ++axis) {
    const std::optional<std::int64_t> size = (*input.port.sizes)[axis];
    if (static_cast<int>(axis) == *input.axis) {
      shape.push(1);
      continue;
    }
    if (!size) return refuse("a size is open");
    if (static_cast<int>(axis) < *input.axis && *size != 1) return refuse("there is more than one sequence");
    shape.push(*size);
  }
  return shape;
}

// Returns the frames of this push, in place or as a copy.
TensorView sliceOf(FedInput& fed, std::int64_t count) {
  const TensorView& whole = fed.whole;
  TensorView view{whole.elem, whole.shape, nullptr};
  view.shape[fed.axis] = count;
  std::int64_t outer = 1;
  for (int i = 0; i < fed.axis; ++i) outer *= whole.shape[i];
  auto inner = static_cast<std::int64_t>(info(whole.elem).bytes);
  for (int i = fed.axis + 1; i < whole.shape.rank(); ++i) inner *= whole.shape[i];
  if (outer == 1) {
    view.data = whole.as<std::byte>() + fed.given * inner;
  } else {
    fed.frames.resize(static_cast<std::size_t>(outer * inner * count));
    for (std::int64_t row = 0; row < outer; ++row)
      if (!fed.frames.empty())
        std::memcpy(fed.frames.data() + row * count * inner,
                    whole.as<std::byte>() + (row * fed.frameCount() + fed.given) * inner,
                    static_cast<std::size_t>(count * inner));
    view.data = fed.frames.data();
  }
  fed.given += count;
  return view;
}

// Reads samples from stdin as frames: as many as there are, at most `count`.
Outcome<TensorView> readPcm(FedInput& fed, std::int64_t count, std::FILE* in, const InterruptEndsInput& interrupt) {
  constexpr std::size_t sampleBytes = 2;
  TensorView view{fed.whole.elem, fed.whole.shape, nullptr};
  const auto width = static_cast<std::size_t>(fed.whole.shape.elements());
  fed.samples.resize(static_cast<std::size_t>(count) * width * sampleBytes);
  errno = 0;
  std::size_t got = interrupt.isInterrupted() ? 0 : std::fread(fed.samples.data(), 1, fed.samples.size(), in);
  const bool isInterrupted = interrupt.isInterrupted();
  if (std::ferror(in) != 0 && !isInterrupted)
    return fail(exitErrors, joined({"cannot read standard input: ", std::strerror(errno)}));
  const std::size_t frameBytes = width * sampleBytes, left = frameBytes == 0 ? 0 : got % frameBytes;
  if (left != 0 && !isInterrupted)
    return fail(exitRun,
                joined({"standard input ends inside of a frame, behind ", left, " of its ", frameBytes, " bytes"}));
  got -= left;
  const auto frames = static_cast<std::int64_t>(frameBytes == 0 ? 0 : got / frameBytes);
  view.shape[fed.axis] = frames;
  const std::size_t elementBytes = info(view.elem).bytes;
  fed.frames.resize(fed.samples.size() / sampleBytes * elementBytes);
  for (std::size_t i = 0; i < got / sampleBytes; ++i) {
    const auto sample = static_cast<std::int16_t>(fed.samples[2 * i] | fed.samples[2 * i + 1] << 8);
    const float real = static_cast<float>(sample) / 32768;
    std::memcpy(fed.frames.data() + i * elementBytes,
                view.elem == Elem::f32 ? static_cast<const void*>(&real) : &sample, elementBytes);
  }
  view.data = fed.frames.data();
  fed.given += frames;
  return view;
}

// Returns the input that stdin supplies, if the options name one.
Outcome<std::optional<std::size_t>> inputOfStdin(const runtime::Session& session, const runtime::StreamInfo& info,
                                                 const StreamRunOptions& options, RunOptions& files) {
  std::optional<std::size_t> pcm;
  for (const std::string& word : options.run.inputs) {
    const auto name = nameOfStdin(word);
    if (!name) continue;
    if (pcm) return fail(exitUsage, joined({"-i ", word, ": standard input is that of one input only"}));
    pcm = session.inputNamed(*name);
    if (!pcm) return fail(exitUsage, joined({"input ", *name, " is unknown"}));
    if (!info.inputs[*pcm].axis)
      return fail(exitUsage,
                  joined({"-i ", word, ": input ", *name, " : ", info.inputs[*pcm].port.type, " does not stream"}));
    if (!options.pcmRate) return fail(exitUsage, joined({"-i ", word, " needs the format of stdin: --raw s16le:RATE"}));
    std::erase(files.inputs, word);
  }
  if (options.pcmRate && !pcm)
    return fail(exitUsage, "--raw is the format of standard input, which no input takes: -i NAME=-");
  return pcm;
}

}  // namespace

Outcome<std::optional<double>> frameRate(const std::vector<PortValue>& inputs, const runtime::StreamInfo& info,
                                         const std::optional<StatedRate>& ofStdin) {
  std::vector<StatedRate> stated;
  if (ofStdin) stated.push_back(*ofStdin);
  for (const PortValue& value : inputs) {
    if (!value.file.ends_with(".wav") || !info.inputs[value.port].axis) continue;
    const auto wav = readWav(value.file);
    if (!wav) return fail(exitErrors, describe(wav.error()));
    stated.push_back({value.file, wav->rate, value.port});
  }
  const auto perFrame = [&](const StatedRate& one) {
    const runtime::StreamInputInfo& input = info.inputs[one.port];
    return static_cast<double>(one.samples) * static_cast<double>(input.per) / static_cast<double>(input.rate);
  };
  if (stated.empty()) return std::nullopt;
  const double frames = perFrame(stated.front());
  for (const StatedRate& one : stated)
    if (perFrame(one) != frames)
      return fail(exitUsage, joined({one.source, " has ", one.samples, " samples in a second, and ",
                                     stated.front().source, " has ", stated.front().samples}));
  // If there are several inputs, any of them may be the one with samples.
  const auto hasModelRate = [&](const runtime::StreamInputInfo& input) {
    const double rate = frames * static_cast<double>(input.rate) / static_cast<double>(input.per);
    return input.axis && std::abs(rate - *info.sampleRate) <= 1e-6 * rate;
  };
  if (info.sampleRate && std::none_of(info.inputs.begin(), info.inputs.end(), hasModelRate)) {
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.10g", *info.sampleRate);
    auto failure = fail(exitUsage, joined({stated.front().source, " has ", stated.front().samples,
                                           " samples in a second, and the model computes with ", rate}));
    failure.value().help.push_back(joined({"resample the sound: `sox IN.wav -r ", rate, " OUT.wav`"}));
    return failure;
  }
  return frames;
}

Outcome<void> checkLengths(const runtime::StreamModel& model, const Feed& feed) {
  const auto ordered = runtime::inputsInOrder(model.batch().inputs, feed.opened);
  if (!ordered) return {};  // opening the stream reports it
  std::vector<TensorView> views(ordered->begin(), ordered->end());
  for (const FedInput& fed : feed.inputs)
    if (fed.isPcm) views[fed.input].shape[fed.axis] = fed.given;
  const auto sizes = runtime::bindSizes(model.batch().manifest, views);
  return sizes ? Outcome<void>() : fail(sizes.error());
}

Outcome<Feed> takeFeed(const runtime::Session& session, const runtime::StreamInfo& info,
                       const StreamRunOptions& options, std::FILE* in) {
  Feed feed;
  feed.in = in;
  RunOptions files = options.run;
  const auto stdinInput = inputOfStdin(session, info, options, files);
  if (!stdinInput) return tl::unexpected(stdinInput.error());
  const std::optional<std::size_t> pcm = *stdinInput;
  // Without any files, draws the inputs, unless stdin supplies one.
  if (!pcm || !files.inputs.empty()) {
    auto values = takeInputs(session, files);
    if (!values) return tl::unexpected(std::move(values.error()));
    feed.values = std::move(*values);
  }
  std::optional<StatedRate> ofStdin;
  if (pcm) {
    ofStdin = StatedRate{"--raw", *options.pcmRate, *pcm};
    feed.interrupt = std::make_unique<InterruptEndsInput>();
  }
  auto rate = frameRate(feed.values, info, ofStdin);
  if (!rate) return tl::unexpected(std::move(rate.error()));
  feed.rate = *rate;
  for (const PortValue& value : feed.values) feed.opened.push_back({session.inputs()[value.port].name, value.view});
  for (std::size_t i = 0; i < info.inputs.size(); ++i) {
    const runtime::StreamInputInfo& input = info.inputs[i];
    if (!input.axis) continue;
    FedInput fed{i, *input.axis, input.rate, input.per, {}, 0, {}, pcm == i, {}};
    if (fed.isPcm) {
      const auto shape = shapeOfPcm(input);
      if (!shape) return tl::unexpected(shape.error());
      fed.whole = {input.port.elem, *shape, nullptr};
      feed.opened.push_back({input.port.name, fed.whole});
    }
    for (const PortValue& value : feed.values)
      if (value.port == i) fed.whole = value.view;
    if (i == info.firstStreamed && !fed.isPcm && fed.whole.shape.rank() > fed.axis) feed.length = fed.frameCount();
    feed.inputs.push_back(std::move(fed));
  }
  return feed;
}

Outcome<std::vector<runtime::InputFrames>> nextFrames(Feed& feed, std::int64_t count, bool isLast) {
  std::vector<runtime::InputFrames> all;
  std::int64_t first = -1;  // frames of the first input after this push
  for (FedInput& fed : feed.inputs) {
    const bool isFirst = first < 0;
    std::int64_t wanted = count;
    if (!isFirst)
      wanted = static_cast<std::int64_t>(static_cast<std::uint64_t>(first) * fed.rate / fed.per) - fed.given;
    if (!fed.isPcm) {
      const std::int64_t left = fed.frameCount() - fed.given;
      wanted = isLast ? left : std::clamp<std::int64_t>(wanted, 0, left);
    }
    auto frames = fed.isPcm ? readPcm(fed, wanted, feed.in, *feed.interrupt) : sliceOf(fed, wanted);
    if (!frames) return tl::unexpected(std::move(frames.error()));
    all.push_back({fed.input, *frames});
    if (isFirst) first = fed.given;
  }
  return all;
}

Chunks::Chunks(const Chunking& chunking, std::int64_t ofBundle, std::optional<std::int64_t> length,
               std::optional<double> rate)
    : chunking_(chunking), random_(chunking.seed.value_or(0)) {
  if (chunking_.seed) {
    most_ = mostDrawnFrames;
    return;
  }
  isChosenHere_ = chunking_.sizes.empty() && ofBundle == 0;
  if (chunking_.sizes.empty())
    chunking_.sizes.push_back(
        ofBundle > 0 ? ofBundle
        : length     ? std::clamp<std::int64_t>(*length, 1, mostFramesAtOnce)
                     : std::max<std::int64_t>(1, static_cast<std::int64_t>(rate.value_or(1)) / pushesPerSecond));
  most_ = *std::max_element(chunking_.sizes.begin(), chunking_.sizes.end());
}

bool Chunks::halve() {
  if (most_ <= fewestFramesAtOnce) return false;
  most_ /= 2;
  chunking_.sizes = {most_};
  return true;
}

std::int64_t Chunks::next() {
  if (!chunking_.seed) return chunking_.sizes[at_++ % chunking_.sizes.size()];
  return 1 + static_cast<std::int64_t>(random_.next() % static_cast<std::uint64_t>(mostDrawnFrames));
}

}  // namespace axle::run
