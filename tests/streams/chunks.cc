#include "tests/streams/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "runtime/bundle.h"
#include "tests/runtime/stream_frames.h"

namespace axle::test {

using runtime::InputFrames;
using runtime::NamedTensor;
using runtime::Shape;
using runtime::Stream;
using runtime::StreamInputInfo;
using runtime::Tensor;
using runtime::TensorView;
using runtime::test::framesAt;
using runtime::test::framesOf;
using runtime::test::JoinedFrames;

namespace {

std::string rendered(const driver::Compilation& compilation) {
  std::string out = compilation.bug();
  for (const Diagnostic& d : compilation.diagnostics()) out += render(d, compilation.sources());
  return out;
}

template <class T>
std::vector<float> elementsAs(const TensorView& view) {
  std::vector<float> all;
  for (std::int64_t i = 0; i < view.shape.elements(); ++i) all.push_back(static_cast<float>(view.as<T>()[i]));
  return all;
}

std::vector<float> elementsOf(const TensorView& view) {
  switch (view.elem) {
    case Elem::f32:
      return elementsAs<float>(view);
    case Elem::i32:
      return elementsAs<std::int32_t>(view);
    case Elem::i64:
      return elementsAs<std::int64_t>(view);
    default:
      return elementsAs<std::uint8_t>(view);
  }
}

void addOutput(Outputs& out, const TensorView& view) {
  out.elements.push_back(elementsOf(view));
  out.shapes.emplace_back(view.shape.begin(), view.shape.end());
}

std::vector<NamedTensor> named(const StreamedProgram& program, const Inputs& inputs) {
  std::vector<NamedTensor> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) all.push_back({program.info.inputs[i].port.name, inputs[i].view()});
  return all;
}

// A stream that runs, and what came out of it.
struct Run {
  const StreamedProgram& program;
  const Inputs& inputs;
  std::int64_t most;
  std::optional<Stream> stream;
  std::vector<JoinedFrames> joined;
  Outputs out;

  bool open() {
    auto opened = Stream::open(program.model, named(program, inputs), {most, true});
    if (!opened) out.error = opened.error().text();
    if (opened) stream = std::move(*opened);
    for (const auto& output : program.info.outputs) joined.push_back({output.axis, {}});
    return out.error.empty();
  }

  void pull(std::int64_t fed) {
    for (std::size_t i = 0; i < joined.size(); ++i) joined[i].add(stream->pull(i));
    const auto& first = program.info.outputs.front();
    const std::int64_t came = joined[0].parts.back().shape()[first.axis];
    if (fed < 0 || came == 0) return;
    const auto frame = static_cast<std::int64_t>(stream->framesOut(0)) - came;
    const std::int64_t own = frame * static_cast<std::int64_t>(first.stride) / static_cast<std::int64_t>(first.frames);
    out.delay = std::max(out.delay, fed - 1 - own);
  }

  bool push(std::int64_t begin, std::int64_t end) {
    std::vector<Tensor> frames;
    std::vector<InputFrames> together;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const StreamInputInfo& input = program.info.inputs[i];
      frames.push_back(input.axis
                           ? framesOf(inputs[i].view(), *input.axis, framesAt(input, begin), framesAt(input, end))
                           : Tensor());
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (program.info.inputs[i].axis) together.push_back({i, frames[i].view()});
    if (auto pushed = stream->push(together); !pushed) out.error = pushed.error().text();
    return out.error.empty();
  }

  // Goes on from the saved state in a new stream, then in a copy of that.
  bool move() {
    const std::vector<std::byte> saved = stream->save();
    auto fresh = Stream::open(program.model, named(program, inputs), {most, true});
    if (auto restored = fresh->restore(saved); !restored) out.error = restored.error().text();
    auto copy = fresh->clone();
    if (!copy) out.error = copy.error().text();
    if (copy) stream = std::move(*copy);
    return out.error.empty();
  }
};

}  // namespace

StreamedProgram::StreamedProgram(const std::string& text) {
  driver::CompileOptions options;
  options.path = "stream.ax";
  options.load.texts[fileIdentity(options.path)] = text;
  options.weights = "random:7";
  options.offersFixes = false;
  options.streamsAreSizes = true;
  driver::CompileOptions withStream = options;
  withStream.withStream = true;
  driver::Compilation compilation(withStream);
  if (auto found = driver::streamReport(compilation)) report = std::move(*found);
  auto bundle = compilation.bundle();
  problem = rendered(compilation);
  if (!bundle) {
    if (problem.empty()) problem = "no bundle";
    return;
  }
  problem.clear();
  bytes = std::make_shared<TensorBytes>(bundle->inMemory());
  driver::Compilation alone(options);
  if (auto batch = alone.bundle()) plain = std::make_shared<TensorBytes>(batch->inMemory());
  auto loaded = runtime::loadBundle(bytes->bytes, bytes, {});
  if (!loaded) {
    problem = loaded.error().text();
    return;
  }
  auto read = runtime::readStreamModel(*loaded);
  if (!read) {
    problem = read.error().text();
    return;
  }
  model = *read;
  info = runtime::describeStream(*model);
}

Inputs StreamedProgram::draw(std::int64_t n, unsigned seed) const {
  Inputs inputs;
  std::mt19937 random(seed);
  for (const StreamInputInfo& input : info.inputs) {
    Shape shape;
    for (std::size_t i = 0; i < input.port.sizes->size(); ++i)
      shape.push(input.axis == static_cast<int>(i) ? framesAt(input, n) : (*input.port.sizes)[i].value_or(3));
    Tensor tensor = Tensor::make(input.port.elem, shape).value();
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      const int drawn = static_cast<int>(random() % 9);
      if (input.port.elem == Elem::f32)
        tensor.view().as<float>()[i] = static_cast<float>(drawn - 4) / 4;
      else if (input.port.elem == Elem::i32)
        tensor.view().as<std::int32_t>()[i] = drawn;
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

Costs costsOf(const StreamedProgram& program) {
  const Inputs inputs = program.draw(0, 1);
  const Stream stream = Stream::open(program.model, named(program, inputs), {1, true}).value();
  return {stream.stateBytes(), stream.counts().leastStateBytes};
}

namespace {

Outputs runBatch(const StreamedProgram& program, const TensorBytes& bundle, std::shared_ptr<void> owner,
                 const Inputs& inputs) {
  Outputs out;
  auto session = runtime::Session::fromMemory(bundle.bytes, std::move(owner));
  if (!session) return {session.error().text(), {}, {}, 0};
  if (auto bound = session->bind(named(program, inputs)); !bound) return {bound.error().text(), {}, {}, 0};
  if (auto ran = session->run(); !ran) return {ran.error().text(), {}, {}, 0};
  for (std::size_t i = 0; i < session->outputs().size(); ++i) addOutput(out, session->output(i));
  return out;
}

}  // namespace

Outputs runPlain(const StreamedProgram& program, const Inputs& inputs) {
  return runBatch(program, *program.plain, program.plain, inputs);
}

Outputs runWhole(const StreamedProgram& program, const Inputs& inputs) {
  return runBatch(program, *program.bytes, program.bytes, inputs);
}

Outputs runChunks(const StreamedProgram& program, const Inputs& inputs, const Chunking& chunking) {
  const std::int64_t most = *std::max_element(chunking.sizes.begin(), chunking.sizes.end());
  Run run{program, inputs, most, {}, {}, {}};
  if (!run.open()) return std::move(run.out);
  const std::size_t first = program.info.firstStreamed;
  const std::int64_t n = inputs[first].shape()[*program.info.inputs[first].axis];
  int pushes = 0;
  for (std::int64_t begin = 0; begin < n; ++pushes) {
    if (chunking.movedAfter == pushes && !run.move()) return std::move(run.out);
    const auto turn = static_cast<std::size_t>(pushes) % chunking.sizes.size();
    const std::int64_t end = std::min(n, begin + chunking.sizes[turn]);
    if (!run.push(begin, end)) return std::move(run.out);
    run.pull(end);
    begin = end;
  }
  if (auto flushed = run.stream->flush(); !flushed) {
    run.out.error = flushed.error().text();
    return std::move(run.out);
  }
  run.pull(-1);
  for (const JoinedFrames& output : run.joined) addOutput(run.out, output.whole().view());
  return std::move(run.out);
}

namespace {

// Running sums round at the size of their largest values, whatever is left of them.
float largestFinite(const std::vector<float>& elements) {
  float largest = 0;
  for (const float x : elements)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  return largest;
}

}  // namespace

std::string difference(const Outputs& expected, const Outputs& got) {
  if (expected.error.empty() != got.error.empty())
    return fmt::format("batch: {}, stream: {}", expected.error.empty() ? "runs" : expected.error,
                       got.error.empty() ? "runs" : got.error);
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    if (expected.shapes[i] != got.shapes[i]) {
      const auto text = [](const std::vector<std::int64_t>& shape) {
        return fmt::format("{}", fmt::join(shape, ", "));
      };
      return fmt::format("output {}: [{}], not [{}]", i, text(got.shapes[i]), text(expected.shapes[i]));
    }
    const float rounding = 1e-5f + 1e-6f * largestFinite(expected.elements[i]);
    for (std::size_t k = 0; k < expected.elements[i].size(); ++k) {
      const float a = expected.elements[i][k], b = got.elements[i][k];
      const bool isSame =
          a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= rounding + 1e-4f * std::abs(a);
      if (!isSame) return fmt::format("output {}, element {}: {}, not {}", i, k, b, a);
    }
  }
  return "";
}

}  // namespace axle::test
