#include "driver/chunk_curve.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "driver/run/stream_pushes.h"
#include "runtime/bundle.h"

namespace axle::driver {
namespace {

constexpr std::int64_t largestChunk = 4096;
constexpr int rounds = 5;                          // of which the fastest counts
constexpr double roundMicroseconds = 4'000;        // that a round takes at least
constexpr double longestMicroseconds = 1'000'000;  // of a push
constexpr double tolerance = 1.10;                 // of chooseChunk

// The time of one of so many pushes.
run::Outcome<double> timePushes(run::StreamPushes& pushes, std::int64_t count) {
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < count; ++i)
    if (auto pushed = pushes.push(); !pushed) return tl::unexpected(std::move(pushed.error()));
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(count);
}

run::Outcome<ChunkCost> measureChunk(run::StreamPushes& pushes, std::int64_t frames) {
  ChunkCost cost;
  cost.frames = frames;
  cost.arenaBytes = pushes.stream().arenaBytes(), cost.stateBytes = pushes.stream().stateBytes();
  if (const auto first = timePushes(pushes, 1); !first) return tl::unexpected(first.error());
  const auto single = timePushes(pushes, 1);  // the first one reads weights from the file
  if (!single) return tl::unexpected(single.error());
  const auto count = static_cast<std::int64_t>(roundMicroseconds / std::max(*single, 0.01)) + 1;
  const int repeated = *single > longestMicroseconds / rounds ? 1 : rounds;
  if (repeated > 1)
    if (const auto untimed = timePushes(pushes, count); !untimed) return tl::unexpected(untimed.error());
  const auto before = pushes.stream().counts().multiplyAdds;
  for (int round = 0; round < repeated; ++round) {
    const auto took = timePushes(pushes, count);
    if (!took) return tl::unexpected(took.error());
    cost.pushMicroseconds = round == 0 ? *took : std::min(cost.pushMicroseconds, *took);
  }
  if (const auto after = pushes.stream().counts().multiplyAdds; before && after)
    cost.multiplyAdds =
        static_cast<double>(*after - *before) / static_cast<double>(repeated * count) / static_cast<double>(frames);
  return cost;
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

run::Outcome<std::vector<ChunkCost>> measureChunks(const Bundle& bundle) {
  const auto session = openSession(bundle);
  if (!session) return tl::unexpected(session.error());
  std::vector<ChunkCost> curve;
  for (std::int64_t frames = 1; frames <= largestChunk; frames *= 2) {
    auto pushes = run::StreamPushes::make(*session, {}, frames);
    if (!pushes && curve.empty()) return tl::unexpected(std::move(pushes.error()));
    if (!pushes) break;  // the memory of this chunk is not there
    auto cost = measureChunk(*pushes, frames);
    if (!cost) return tl::unexpected(std::move(cost.error()));
    curve.push_back(*cost);
    if (cost->pushMicroseconds > longestMicroseconds) break;
  }
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
  std::string text = "chunk     push us    frame us   MACs of a frame   arena bytes   state bytes\n";
  std::array<char, 128> line;
  for (const ChunkCost& cost : curve) {
    std::array<char, 32> work{"-"};
    if (cost.multiplyAdds) std::snprintf(work.data(), work.size(), "%.1f", *cost.multiplyAdds);
    std::snprintf(line.data(), line.size(), "%5lld %11.3f %11.4f %17s %13llu %13llu\n",
                  static_cast<long long>(cost.frames), cost.pushMicroseconds, cost.frameMicroseconds(), work.data(),
                  static_cast<unsigned long long>(cost.arenaBytes), static_cast<unsigned long long>(cost.stateBytes));
    text += line.data();
  }
  return text;
}

}  // namespace axle::driver
