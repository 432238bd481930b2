#include "driver/run/stream_pushes.h"

#include <algorithm>
#include <utility>

#include "driver/run/draw.h"
#include "io/joined.h"

namespace axle::run {
namespace {

using runtime::Shape;

// Returns the shape of an input with this number of frames, if it streams. `sizes` are those of the option --set.
Outcome<Shape> shapeOf(const runtime::StreamInputInfo& input, const std::vector<Shape>& set, std::size_t index,
                       std::int64_t frames) {
  Shape shape;
  for (std::size_t axis = 0; axis < input.port.sizes->size(); ++axis) {
    const std::optional<std::int64_t> size = (*input.port.sizes)[axis];
    if (static_cast<int>(axis) == input.axis) {
      shape.push(frames);
    } else if (size) {
      shape.push(*size);
    } else if (!set.empty()) {
      shape.push(set[index][static_cast<int>(axis)]);
    } else {
      auto failure =
          fail(exitUsage, joined({"input ", input.port.name, " : ", input.port.type, " has sizes that are not known"}));
      failure.value().help.push_back("--set NAME=SIZE gives them, one for each symbol of the entry");
      return failure;
    }
  }
  return shape;
}

}  // namespace

Outcome<StreamPushes> StreamPushes::make(const runtime::Session& session, const RunOptions& options,
                                         std::int64_t frames) {
  auto model = runtime::readStreamModel(session.bundle());
  if (!model) return fail(model.error());
  const runtime::StreamInfo info = runtime::describeStream(**model);
  StreamPushes pushes;
  pushes.frames_ = frames;
  pushes.outputs_ = info.outputs.size();
  std::vector<Shape> set;
  if (!options.sets.empty()) {
    const auto sizes = takeSizes(options.sets);
    if (!sizes) return tl::unexpected(sizes.error());
    auto shapes = session.inputShapes(*sizes);
    if (!shapes) return fail(shapes.error());
    set = std::move(*shapes);
  }
  if (!options.inputs.empty()) {
    RunOptions files = options;
    files.sets.clear();
    auto read = takeInputs(session, files);
    if (!read) return tl::unexpected(std::move(read.error()));
    pushes.values_ = std::move(*read);
  }
  for (const PortValue& value : pushes.values_)
    if (info.inputs[value.port].axis)
      return fail(exitUsage, joined({"-i ", info.inputs[value.port].port.name,
                                     ": with --push the frames of inputs that stream are drawn"}));
  for (std::size_t i = 0; i < info.inputs.size(); ++i) {
    const runtime::StreamInputInfo& input = info.inputs[i];
    if (std::any_of(pushes.values_.begin(), pushes.values_.end(), [&](const PortValue& v) { return v.port == i; }))
      continue;
    const auto most = input.axis ? (static_cast<std::uint64_t>(frames) * input.rate + input.per - 1) / input.per : 0;
    const auto shape = shapeOf(input, set, i, static_cast<std::int64_t>(most));
    if (!shape) return tl::unexpected(shape.error());
    auto made = runtime::Tensor::make(input.port.elem, *shape);
    if (!made) return fail(made.error());
    auto tensor = std::make_shared<runtime::Tensor>(std::move(*made));
    draw(input.port.elem, options.seed, i, tensor->bytes());
    const runtime::TensorView view = tensor->view();
    if (input.axis) {
      pushes.fed_.push_back({i, *input.axis, input.rate, input.per});
      pushes.given_.push_back({i, view});
    }
    pushes.values_.push_back({i, {}, view, std::move(tensor)});
  }
  std::vector<runtime::NamedTensor> opened;
  for (const PortValue& value : pushes.values_) opened.push_back({info.inputs[value.port].port.name, value.view});
  auto stream = runtime::Stream::open(std::move(*model), opened, {.maxFrames = frames});
  if (!stream) return fail(stream.error());
  pushes.stream_ = std::move(*stream);
  return pushes;
}

Outcome<void> StreamPushes::push() {
  const auto n = static_cast<std::uint64_t>(frames_);
  for (std::size_t i = 0; i < fed_.size(); ++i) {
    const Fed& fed = fed_[i];
    const auto until = [&](std::uint64_t pushed) { return static_cast<std::int64_t>(pushed * n * fed.rate / fed.per); };
    given_[i].frames.shape[fed.axis] = until(pushes_ + 1) - until(pushes_);
  }
  ++pushes_;
  if (auto pushed = stream_->push(given_); !pushed) return fail(pushed.error());
  for (std::size_t i = 0; i < outputs_; ++i) stream_->pull(i);
  return {};
}

}  // namespace axle::run
