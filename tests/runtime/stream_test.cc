// Checks that streams give the results of a batch run for any chunks, without allocations.
#include "runtime/stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/runtime/allocations.h"
#include "tests/runtime/stream_frames.h"
#include "tests/runtime/stream_maker.h"

namespace axle::runtime::test {
namespace {

using Inputs = std::vector<Tensor>;

// Returns whole numbers, so that the order of sums does not matter.
Tensor wholeNumbers(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> elements(static_cast<std::size_t>(shape.elements()));
  for (float& element : elements) element = static_cast<float>(static_cast<int>(random() % 7) - 3);
  return tensorOf<float>(Elem::f32, shape, elements);
}

Inputs inputsOfNeighbours(std::int64_t n) {
  Inputs inputs;
  inputs.push_back(wholeNumbers({n, 2}, 1));
  return inputs;
}

Inputs inputsOfEverything(std::int64_t n) {
  Inputs inputs;
  inputs.push_back(wholeNumbers({2, n, 3}, 1));
  inputs.push_back(wholeNumbers({2, 2 * n, 3}, 2));
  inputs.push_back(wholeNumbers({3}, 3));
  return inputs;
}

std::vector<NamedTensor> named(const StreamInfo& info, const Inputs& inputs) {
  std::vector<NamedTensor> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) all.push_back({info.inputs[i].port.name, inputs[i].view()});
  return all;
}

struct Streamed {
  std::string error;
  std::vector<std::vector<float>> outputs;
};

Streamed batch(const std::vector<std::byte>& bundle, const Inputs& inputs) {
  auto session = load(bundle);
  if (!session) return {session.error().text(), {}};
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors.push_back({session->inputs()[i].name, inputs[i].view()});
  if (auto bound = session->bind(tensors); !bound) return {bound.error().text(), {}};
  if (auto ran = session->run(); !ran) return {ran.error().text(), {}};
  Streamed result;
  for (std::size_t i = 0; i < session->outputs().size(); ++i)
    result.outputs.push_back(elementsOf<float>(session->output(i)));
  return result;
}

// Returns the frames of inputs that correspond to frames [first, last) of the first one.
std::vector<Tensor> pushOf(const StreamInfo& info, const Inputs& inputs, std::int64_t first, std::int64_t last) {
  std::vector<Tensor> frames;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const StreamInputInfo& input = info.inputs[i];
    frames.push_back(input.axis ? framesOf(inputs[i].view(), *input.axis, framesAt(input, first), framesAt(input, last))
                                : Tensor());
  }
  return frames;
}

// Pushes frames [first, last), with `apart` in one call for each input. Returns the error's text; empty: none.
std::string push(Stream& stream, const StreamInfo& info, const Inputs& inputs, std::int64_t first, std::int64_t last,
                 bool apart = false) {
  const std::vector<Tensor> frames = pushOf(info, inputs, first, last);
  std::vector<InputFrames> together;
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (info.inputs[i].axis) together.push_back({i, frames[i].view()});
  if (!apart) {
    auto pushed = stream.push(together);
    return pushed ? "" : pushed.error().text();
  }
  for (const InputFrames& one : together)
    if (auto pushed = stream.push({&one, 1}); !pushed) return pushed.error().text();
  return "";
}

void pullAll(Stream& stream, const StreamInfo& info, std::vector<JoinedFrames>& joined) {
  if (joined.empty())
    for (const StreamOutputInfo& output : info.outputs) joined.push_back({output.axis, {}});
  for (std::size_t i = 0; i < joined.size(); ++i) joined[i].add(stream.pull(i));
}

Streamed streamed(Stream& stream, const StreamInfo& info, const Inputs& inputs, const std::vector<std::int64_t>& sizes,
                  bool apart = false) {
  const std::int64_t n = inputs[0].shape()[*info.inputs[0].axis];
  std::vector<JoinedFrames> joined;
  std::size_t at = 0;
  for (std::int64_t first = 0; first < n;) {
    const std::int64_t last = std::min(n, first + sizes[at++ % sizes.size()]);
    if (std::string error = push(stream, info, inputs, first, last, apart); !error.empty()) return {error, {}};
    pullAll(stream, info, joined);
    first = last;
  }
  if (auto flushed = stream.flush(); !flushed) return {flushed.error().text(), {}};
  pullAll(stream, info, joined);
  Streamed result;
  for (const JoinedFrames& output : joined) result.outputs.push_back(elementsOf<float>(output.whole().view()));
  return result;
}

struct Case {
  const char* name;
  StreamMaker (*make)();
  Inputs (*inputs)(std::int64_t n);
};
constexpr Case cases[] = {{"neighbours", neighbours, inputsOfNeighbours},
                          {"neighbours as sums", neighboursAsSums, inputsOfNeighbours},
                          {"everything", everything, inputsOfEverything}};

std::int64_t mostOf(const std::vector<std::int64_t>& sizes) { return *std::max_element(sizes.begin(), sizes.end()); }

TEST(Stream, EveryChunkingIsTheBatchResult) {
  for (const Case& c : cases) {
    const std::vector<std::byte> bundle = c.make().bundle();
    auto model = streamModel(bundle);
    ASSERT_TRUE(model) << c.name << ": " << model.error().text();
    const StreamInfo info = describeStream(**model);
    std::mt19937 random(1);
    for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 9, 40}) {
      const Inputs inputs = c.inputs(n);
      const Streamed expected = batch(bundle, inputs);
      std::vector<std::vector<std::int64_t>> chunkings = {{1}, {2}, {3}, {1, 4, 2}, {std::max<std::int64_t>(n, 1)},
                                                          {64}};
      for (int i = 0; i < 4; ++i) {
        chunkings.emplace_back();
        for (int k = 0; k < 9; ++k) chunkings.back().push_back(1 + static_cast<std::int64_t>(random() % 9));
      }
      for (const std::vector<std::int64_t>& sizes : chunkings)
        for (const bool poison : {true, false}) {
          auto stream = Stream::open(*model, named(info, inputs), {mostOf(sizes), poison});
          ASSERT_TRUE(stream) << c.name << ": " << stream.error().text();
          for (int round = 0; round < 2; ++round) {
            const Streamed result = streamed(*stream, info, inputs, sizes, round == 1);
            ASSERT_EQ(result.error, expected.error) << c.name << " n " << n << " chunk " << sizes[0];
            if (expected.error.empty()) {
              ASSERT_EQ(result.outputs, expected.outputs) << c.name << " n " << n << " chunk " << sizes[0];
            }
            ASSERT_TRUE(stream->reset());
          }
        }
    }
  }
}

TEST(Stream, ItsStateIsPrintedBesideTheLeast) {
  for (const StreamMaker& maker : {neighbours(), neighboursAsSums()}) {
    const auto model = streamModel(maker.bundle());
    ASSERT_TRUE(model) << model.error().text();
    const auto stream = Stream::open(*model, named(describeStream(**model), inputsOfNeighbours(0)), {1, true});
    ASSERT_TRUE(stream) << stream.error().text();
    EXPECT_EQ(stream->stateBytes(), 16u);
    EXPECT_EQ(stream->counts().leastStateBytes, 16u);
  }
}

// Broken rules of stages that add are found before anything runs.
TEST(Stream, DamagedSumsAreRefused) {
  using manifest::Stream;
  using Damage = void (*)(Stream&);
  constexpr Damage damages[] = {
      [](Stream& s) { s.stages[0].sinks[0].index = 7; },
      [](Stream& s) { s.stages[0].sinks[0].index = 0; },
      [](Stream& s) { s.stages[0].sinks[0].step = 0; },
      [](Stream& s) { s.stages[0].sinks[0].per = 0; },
      [](Stream& s) { s.stages[0].sinks[0].count = 0; },
      [](Stream& s) { s.stages[0].sinks[0].count = 3; },  // the output has two
      [](Stream& s) { s.stages[0].sinks[0].spacing = 0; },
      [](Stream& s) { s.stages[0].sinks[0].spacing = std::int64_t{1} << 40; },
      [](Stream& s) { s.stages[0].sinks[0].shift = std::int64_t{1} << 60; },
      [](Stream& s) { s.stages[0].sinks[0].along = 2; },
      [](Stream& s) { s.stages[0].sinks[0].along = 0; },
      [](Stream& s) { s.stages[0].sinks[0].run = 0; },
      [](Stream& s) { s.stages[0].sinks[0].run = 4; },
      [](Stream& s) { s.stages[0].sources[0].stride = 0; },
      [](Stream& s) { s.stages[0].sources[0].index = 1; },  // the sums themselves
      [](Stream& s) { s.stages[0].scale = 2; },
      [](Stream& s) { s.stages[1].sinks[0].kind = static_cast<std::uint32_t>(manifest::SinkKind::append); },
      [](Stream& s) { s.stages[0].sinks[0].kind = static_cast<std::uint32_t>(manifest::SinkKind::append); },
      [](Stream& s) { s.buffers[1].input = 1; },
  };
  for (std::size_t i = 0; i < std::size(damages); ++i) {
    StreamMaker maker = neighboursAsSums();
    damages[i](maker.stream);
    const auto model = streamModel(maker.bundle());
    if (!model) continue;
    const auto stream = runtime::Stream::open(*model, named(describeStream(**model), inputsOfNeighbours(0)), {4, true});
    EXPECT_FALSE(stream) << "damage " << i;
  }
}

// A network with any numbers is refused, stopped or run, and touches nothing outside its memory.
TEST(Stream, MutantsAreRefusedOrRun) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  std::size_t refused = 0, stopped = 0, ran = 0;
  for (int round = 0; round < 3000; ++round) {
    StreamMaker maker = neighboursAsSums();
    constexpr std::int64_t numbers[] = {0, 1, 2, 3, 5, -1, -2, -7, 1 << 10};
    for (std::size_t changes = 1 + below(3); changes-- > 0;) {
      manifest::Stage& stage = maker.stream.stages[below(2)];
      manifest::Sink& sink = stage.sinks[0];
      manifest::Source& source = stage.sources[0];
      manifest::Buffer& buffer = maker.stream.buffers[below(2)];
      std::int64_t* const signedFields[] = {&sink.step, &sink.per,      &sink.shift,   &sink.count,  &sink.spacing,
                                            &sink.run,  &source.stride, &source.first, &source.last, &source.spread};
      const std::int64_t number = numbers[below(std::size(numbers))];
      if (below(4) == 0)
        buffer.history = below(4);
      else if (below(4) == 0)
        (below(2) == 0 ? buffer.sure : buffer.length).first = {below(3), 2 + below(2)};
      else
        *signedFields[below(std::size(signedFields))] = number;
    }
    const auto model = streamModel(maker.bundle());
    if (!model) {
      ++refused;
      continue;
    }
    const StreamInfo info = describeStream(**model);
    const Inputs inputs = inputsOfNeighbours(9);
    auto stream = runtime::Stream::open(*model, named(info, inputs), {4, true});
    if (!stream)
      ++refused;
    else if (!streamed(*stream, info, inputs, {1, 4, 2}).error.empty())
      ++stopped;
    else
      ++ran;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(stopped, 0u);
  EXPECT_GT(ran, 0u);
}

TEST(Stream, RefusesWhatItCannotTake) {
  Maker plain;
  plain.output("out", "f32 [3]", plain.input("x", "f32 [3]", Elem::f32, {plain.constantDim(3)}));
  const auto none = streamModel(plain.bundle());
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().text().starts_with("error[E0813]: ")) << none.error().text();

  const Inputs inputs = inputsOfNeighbours(9);
  const auto model = streamModel(neighbours().bundle());
  ASSERT_TRUE(model);
  auto stream = Stream::open(*model, named(describeStream(**model), inputs), {4, true});
  ASSERT_TRUE(stream);
  const auto refused = stream->push(0, framesOf(inputs[0].view(), 0, 0, 5).view());
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().text().starts_with("error[E0814]: 5 frames of input ")) << refused.error().text();
  EXPECT_TRUE(stream->push(0, framesOf(inputs[0].view(), 0, 0, 4).view())) << "a refused push changes nothing";

  std::vector<std::byte> saved = stream->save();
  EXPECT_TRUE(stream->restore(saved));
  saved.resize(saved.size() - 1);
  const auto damaged = stream->restore(saved);
  ASSERT_FALSE(damaged);
  EXPECT_TRUE(damaged.error().text().starts_with("error[E0815]: ")) << damaged.error().text();
  EXPECT_TRUE(stream->flush());
  EXPECT_FALSE(stream->push(0, framesOf(inputs[0].view(), 0, 4, 5).view()));
}

}  // namespace
}  // namespace axle::runtime::test
