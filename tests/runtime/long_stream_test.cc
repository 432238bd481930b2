// Runs a stream for hours, and many streams: memory does not grow, results do not drift, and pushes make no system
// calls.
//
//   AXLE_STREAM_SECONDS=86400 build/release/bin/runtime_long_stream
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>

#include "runtime/stream.h"
#include "tests/runtime/allocations.h"
#include "tests/runtime/counted_calls.h"
#include "tests/runtime/stream_maker.h"
#include "tests/sanitized.h"

namespace axle::runtime::test {
namespace {

constexpr std::int64_t rate = 16000, samplesOfFrame = 400, samplesOfStep = 160, classes = 6;

// Returns sample `at` of a voice: tones that come and go, and noise. The same arguments give the same sample.
float sampleOf(std::int64_t at, std::uint64_t voice) {
  std::uint64_t z = static_cast<std::uint64_t>(at) * 0x9E3779B97F4A7C15 + voice * 0xD1B54A32D192ED03;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  const auto noise = static_cast<float>(static_cast<std::int32_t>((z ^ (z >> 31)) & 0xFFFF) - 0x8000) / 0x8000;
  const auto second = static_cast<float>(at % (rate * 10)) / rate;
  const float tone = std::sin(second * (700 + 300 * static_cast<float>(voice % 7)));
  return 0.2F * noise + (at / rate % 3 == 0 ? 0.5F * tone : 0.0F);
}

std::vector<float> samplesOf(std::int64_t first, std::int64_t count, std::uint64_t voice = 0) {
  std::vector<float> samples(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) samples[static_cast<std::size_t>(i)] = sampleOf(first + i, voice);
  return samples;
}

TensorView viewOf(const std::vector<float>& samples) {
  return constView(Elem::f32, {1, static_cast<std::int64_t>(samples.size()), 1}, samples.data());
}

std::vector<std::byte> bundleBytes() {
  std::ifstream file(AXLE_LONG_STREAM_BUNDLE, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
}

Stream openStream(const std::shared_ptr<const StreamModel>& model, std::int64_t frames) {
  const NamedTensor audio{"audio", constView(Elem::f32, {1, 0, 1}, nullptr)};
  return Stream::open(model, {&audio, 1}, {.maxFrames = frames}).value();
}

std::int64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

void append(std::vector<float>& to, const TensorView& view) {
  const auto* data = view.as<float>();
  to.insert(to.end(), data, data + view.shape.elements());
}

std::vector<float> batchOf(const std::vector<std::byte>& bundle, const std::vector<float>& samples) {
  auto session = load(bundle).value();
  EXPECT_TRUE(session.bind({{"audio", viewOf(samples)}}));
  EXPECT_TRUE(session.run());
  std::vector<float> result;
  append(result, session.output(0));
  return result;
}

std::int64_t secondsAsked() {
  const char* text = std::getenv("AXLE_STREAM_SECONDS");
  return text == nullptr ? (isSanitized ? 20 : 60) : std::max(20LL, std::atoll(text));
}

// The recurrent layer has forgotten its beginning long before the last 10 of these.
constexpr std::int64_t batchSeconds = 20;

TEST(LongStream, NeitherGrowsNorDrifts) {
  const std::vector<std::byte> bundle = bundleBytes();
  auto model = streamModel(bundle);
  ASSERT_TRUE(model) << model.error().text();
  Stream stream = openStream(*model, samplesOfStep);
  const std::int64_t samples = secondsAsked() * rate, last = samples - batchSeconds * rate;
  std::vector<float> newest;  // the results from sample `last` on
  newest.reserve(static_cast<std::size_t>(batchSeconds * rate / samplesOfStep * classes));
  std::vector<float> heard(samplesOfStep);
  std::chrono::steady_clock::duration busy{};
  const std::uint64_t arena = stream.arenaBytes(), state = stream.stateBytes();
  std::int64_t residentAtFirst = 0, results = 0;
  for (std::int64_t at = 0; at < samples; at += samplesOfStep) {
    for (std::int64_t i = 0; i < samplesOfStep; ++i) heard[static_cast<std::size_t>(i)] = sampleOf(at + i, 0);
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(stream.push(0, viewOf(heard)));
    const TensorView view = stream.pull(0);
    busy += std::chrono::steady_clock::now() - start;
    if (results * samplesOfStep >= last) append(newest, view);
    results += view.shape[1];
    if (at == 10 * rate) residentAtFirst = residentBytes();
  }
  EXPECT_EQ(results, (samples - samplesOfFrame) / samplesOfStep + 1);
  EXPECT_EQ(stream.arenaBytes(), arena);
  EXPECT_EQ(stream.stateBytes(), state);
  const std::int64_t grown = residentBytes() - residentAtFirst;
  EXPECT_LE(grown, 64 << 10);
  const double seconds = std::chrono::duration<double>(busy).count();
  EXPECT_LT(seconds, static_cast<double>(secondsAsked()));
  const std::vector<float> expected = batchOf(bundle, samplesOf(last, batchSeconds * rate));
  ASSERT_EQ(newest.size(), expected.size());
  float most = 0;
  for (std::size_t i = expected.size() / 2; i < expected.size(); ++i)
    most = std::max(most, std::abs(newest[i] - expected[i]));
  EXPECT_LE(most, 1e-5F);
  std::cout << secondsAsked() << " s of audio in " << seconds << " s, memory grew by " << grown
            << " bytes, largest difference from batch on the last 10 s " << most << "\n";
}

TEST(LongStream, AThousandStreamsShareOneSetOfWeights) {
  const std::vector<std::byte> bundle = bundleBytes();
  auto model = streamModel(bundle);
  ASSERT_TRUE(model) << model.error().text();
  constexpr std::uint64_t count = 1000;
  constexpr std::int64_t samples = rate / 10;
  const std::int64_t residentBefore = residentBytes();
  std::vector<Stream> streams;
  std::vector<std::vector<float>> results(count);
  for (std::uint64_t voice = 0; voice < count; ++voice) streams.push_back(openStream(*model, samplesOfStep));
  for (std::int64_t at = 0; at < samples; at += samplesOfStep)
    for (std::uint64_t voice = 0; voice < count; ++voice) {
      const std::vector<float> heard = samplesOf(at, samplesOfStep, voice);
      ASSERT_TRUE(streams[voice].push(0, viewOf(heard)));
      append(results[voice], streams[voice].pull(0));
    }
  const std::int64_t each = (residentBytes() - residentBefore) / static_cast<std::int64_t>(count);
  std::cout << "1000 streams take " << each << " bytes each: state " << streams[0].stateBytes() << ", arena "
            << streams[0].arenaBytes() << "\n";
  for (std::uint64_t voice = 0; voice < count; voice += 97) {
    const std::vector<float> expected = batchOf(bundle, samplesOf(0, samples, voice));
    ASSERT_EQ(results[voice].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(results[voice][i], expected[i], 1e-5F);
  }
}

TEST(QuietPush, TheCountsCount) {
  const std::size_t before = locks(), allocated = allocations();
  std::mutex mutex;
  {
    const std::lock_guard held(mutex);
  }
  if constexpr (!isSanitized) {
    EXPECT_EQ(locks(), before + 1);
  }
  delete new volatile int(1);
  EXPECT_EQ(allocations(), allocated + 1);
}

// Checks pushes of any size, and pushes that move frames in their buffers.
TEST(QuietPush, AsksNothingOfTheSystem) {
  auto model = streamModel(bundleBytes());
  ASSERT_TRUE(model) << model.error().text();
  for (const std::int64_t frames : {std::int64_t{1}, samplesOfStep, std::int64_t{999}, rate}) {
    Stream stream = openStream(*model, frames);
    const std::vector<float> heard = samplesOf(0, frames);
    const TensorView view = viewOf(heard);
    const auto push = [&](int times) {
      for (int i = 0; i < times; ++i) {
        if (!stream.push(0, view)) std::abort();
        stream.pull(0);
      }
    };
    push(3);
    const std::size_t locked = locks(), allocated = allocations();
    push(500);
    EXPECT_EQ(locks() - locked, 0U) << frames;
    EXPECT_EQ(allocations() - allocated, 0U) << frames;
  }
}

TEST(QuietPush, MakesNoSystemCall) {
  if (isSanitized) GTEST_SKIP() << "SYSTEM CALLS ARE NOT COUNTED: sanitizers make some of their own";
  if (const SystemCalls some = systemCallsOf([] { std::this_thread::yield(); }); some == SystemCalls::unknown)
    GTEST_SKIP() << "SYSTEM CALLS ARE NOT COUNTED: this kernel has no seccomp filters";
  else
    ASSERT_EQ(some, SystemCalls::some) << "a system call was not noticed";
  auto model = streamModel(bundleBytes());
  ASSERT_TRUE(model) << model.error().text();
  for (const std::int64_t frames : {std::int64_t{1}, samplesOfStep, rate}) {
    Stream stream = openStream(*model, frames);
    const std::vector<float> heard = samplesOf(0, frames);
    const SystemCalls made = systemCallsOf([&] {
      for (int i = 0; i < 500; ++i) {
        if (!stream.push(0, viewOf(heard))) __builtin_trap();
        stream.pull(0);
      }
    });
    EXPECT_EQ(made, SystemCalls::none) << frames;
  }
}

}  // namespace
}  // namespace axle::runtime::test
