#include "driver/chunk_curve.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <numeric>

#include "driver/run/stream_pushes.h"
#include "runtime/bundle.h"

namespace axle::driver {
namespace {

constexpr std::int64_t largestChunk = 4096;
constexpr int rounds = 7;                        // the fastest one counts
constexpr double roundMicroseconds = 2'000;      // the least time of a round
constexpr double longestMicroseconds = 100'000;  // of a push; larger chunks are not measured
constexpr double tolerance = 1.10;               // of chooseChunk

// Returns the processor time of this thread only, so that other programs on the machine do not matter.
double processorMicroseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// Returns the mean time of `count` pushes.
run::Outcome<double> timePushes(run::StreamPushes& pushes, std::int64_t count) {
  const double start = processorMicroseconds();
  for (std::int64_t i = 0; i < count; ++i)
    if (auto pushed = pushes.push(); !pushed) return tl::unexpected(std::move(pushed.error()));
  return (processorMicroseconds() - start) / static_cast<double>(count);
}

// Pushes of one chunk, and the number of them in a round.
struct MeasuredChunk {
  run::StreamPushes pushes;
  std::int64_t count = 1;
  ChunkCost cost;

  std::optional<std::uint64_t> multiplyAdds() const { return pushes.stream().counts().multiplyAdds; }
};

// Opens a stream for pushes of one chunk. Measures after a round, when the stream has left its first frames behind.
run::Outcome<MeasuredChunk> openChunk(const runtime::Session& session, const runtime::StreamInfo& info,
                                      std::int64_t frames) {
  auto pushes = run::StreamPushes::make(session, {}, frames);
  if (!pushes) return tl::unexpected(std::move(pushes.error()));
  MeasuredChunk chunk{std::move(*pushes), 1, {}};
  chunk.cost.frames = frames;
  chunk.cost.delay = delayOfChunk(info.outputs, frames);
  chunk.cost.arenaBytes = chunk.pushes.stream().arenaBytes();
  chunk.cost.stateBytes = chunk.pushes.stream().stateBytes();
  for (int i = 0; i < 2; ++i) {  // the first push reads weights from the file
    const auto took = timePushes(chunk.pushes, 1);
    if (!took) return tl::unexpected(took.error());
    chunk.cost.pushMicroseconds = *took;
  }
  chunk.count = static_cast<std::int64_t>(roundMicroseconds / std::max(chunk.cost.pushMicroseconds, 0.01)) + 1;
  const auto round = timePushes(chunk.pushes, chunk.count);
  if (!round) return tl::unexpected(round.error());
  const auto before = chunk.multiplyAdds();
  const auto last = timePushes(chunk.pushes, chunk.count);
  if (!last) return tl::unexpected(last.error());
  chunk.cost.pushMicroseconds = std::min(*round, *last);
  if (const auto after = chunk.multiplyAdds(); before && after)
    chunk.cost.multiplyAdds =
        static_cast<double>(*after - *before) / static_cast<double>(chunk.count) / static_cast<double>(frames);
  return chunk;
}

run::Outcome<runtime::Session> openSession(const Bundle& bundle) {
  const TensorBytes bytes = bundle.inMemory();
  auto session = runtime::Session::fromMemory(bytes.bytes, bytes.owner);
  if (!session) return run::fail(session.error());
  return std::move(*session);
}

}  // namespace

run::Outcome<bool> hasStream(const Bundle& bundle) {
  const auto session = openSession(bundle);
  if (!session) return tl::unexpected(session.error());
  return runtime::readStreamModel(session->bundle()).has_value();
}

std::int64_t framesPerResult(std::span<const runtime::StreamOutputInfo> outputs) {
  std::uint64_t frames = 1;
  for (const runtime::StreamOutputInfo& output : outputs) {
    if (output.stride > static_cast<std::uint64_t>(largestChunk)) return 1;
    frames = std::lcm(frames, output.stride);
    if (frames > static_cast<std::uint64_t>(largestChunk)) return 1;
  }
  return static_cast<std::int64_t>(frames);
}

std::uint64_t delayOfChunk(std::span<const runtime::StreamOutputInfo> outputs, std::int64_t frames) {
  const auto chunk = static_cast<std::uint64_t>(frames);
  std::uint64_t latest = 0;
  for (const runtime::StreamOutputInfo& output : outputs) {
    // A result of the frames from k*stride on is known `delay` frames later. Its place in a push is `delay`, but for
    // multiples of the common divisor; the frames after the earliest place are waited for.
    const std::uint64_t steps = output.frames == 1 ? std::gcd(output.stride, chunk) : 1;
    latest = std::max(latest, output.delay + chunk - 1 - output.delay % steps);
  }
  return latest;
}

run::Outcome<std::vector<ChunkCost>> measureChunks(const Bundle& bundle) {
  const auto session = openSession(bundle);
  if (!session) return tl::unexpected(session.error());
  const auto model = runtime::readStreamModel(session->bundle());
  if (!model) return run::fail(model.error());
  const runtime::StreamInfo info = runtime::describeStream(**model);
  std::vector<MeasuredChunk> chunks;
  for (std::int64_t frames = framesPerResult(info.outputs); frames <= largestChunk; frames *= 2) {
    auto chunk = openChunk(*session, info, frames);
    if (!chunk && chunks.empty()) return tl::unexpected(std::move(chunk.error()));
    if (!chunk) break;  // there is not enough memory for this chunk
    chunks.push_back(std::move(*chunk));
    if (chunks.back().cost.pushMicroseconds > longestMicroseconds) break;
  }
  // Measures the chunks in turns, because the machine's speed varies.
  for (int round = 0; round < rounds; ++round)
    for (MeasuredChunk& chunk : chunks) {
      const auto took = timePushes(chunk.pushes, chunk.count);
      if (!took) return tl::unexpected(took.error());
      chunk.cost.pushMicroseconds = std::min(chunk.cost.pushMicroseconds, *took);
    }
  std::vector<ChunkCost> curve;
  for (const MeasuredChunk& chunk : chunks) curve.push_back(chunk.cost);
  return curve;
}

std::int64_t chooseChunk(std::span<const ChunkCost> curve) {
  double least = curve.front().frameMicroseconds();
  for (const ChunkCost& cost : curve) least = std::min(least, cost.frameMicroseconds());
  for (const ChunkCost& cost : curve)
    if (cost.frameMicroseconds() <= tolerance * least) return cost.frames;
  return curve.back().frames;
}

std::string chunkTable(std::span<const ChunkCost> curve) {
  std::string text = "chunk   delay     push us    frame us   MACs of a frame   arena bytes   state bytes\n";
  std::array<char, 128> line;
  for (const ChunkCost& cost : curve) {
    std::array<char, 32> work{"-"};
    if (cost.multiplyAdds) std::snprintf(work.data(), work.size(), "%.1f", *cost.multiplyAdds);
    std::snprintf(line.data(), line.size(), "%5lld %7llu %11.3f %11.4f %17s %13llu %13llu\n",
                  static_cast<long long>(cost.frames), static_cast<unsigned long long>(cost.delay),
                  cost.pushMicroseconds, cost.frameMicroseconds(), work.data(),
                  static_cast<unsigned long long>(cost.arenaBytes), static_cast<unsigned long long>(cost.stateBytes));
    text += line.data();
  }
  return text;
}

}  // namespace axle::driver
