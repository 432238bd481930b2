#include "runtime/stream/open.h"

#include <algorithm>
#include <string>
#include <utility>

#include "io/joined.h"
#include "runtime/bind.h"
#include "runtime/bundle_format.h"
#include "runtime/check.h"
#include "runtime/plan.h"
#include "runtime/stream/advance.h"
#include "runtime/stream/frame_counts.h"
#include "runtime/stream/least_state.h"
#include "runtime/stream/partial_sums.h"

namespace axle::runtime {
namespace {

using manifest::SinkKind;
using manifest::Source;
using manifest::SourceKind;

class Opener {
 public:
  Opener(Network& network, std::span<const TensorView> inputs)
      : network_(network), model_(*network.model), stream_(model_.stream), inputs_(inputs) {}

  Result<void> open() {
    if (network_.options.maxFrames < 1 || network_.options.maxFrames > maxPushFrames)
      return failure(ErrorCode::wrongFrames, joined({"a stream for pushes of ", network_.options.maxFrames,
                                                     " frames: it takes 1 to ", maxPushFrames}));
    return takeInputs()
        .and_then([this] { return makeBuffers(); })
        .and_then([this] { return makeActors(); })
        .and_then([this] { return addReaders(); })
        .and_then([this] { return allocate(); })
        .and_then([this] { return beginSequence(network_); });
  }

 private:
  Result<void> takeInputs() {
    const Variant& batch = model_.batch();
    const auto frames = static_cast<std::uint64_t>(network_.options.maxFrames);
    network_.inputBuffer.resize(inputs_.size());
    network_.framesIn.resize(inputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const PortInfo& port = batch.inputs[i];
      const manifest::StreamInput& streamed = stream_.inputs[i];
      Shape shape = inputs_[i].shape;
      bool fits = inputs_[i].elem == port.elem && static_cast<std::size_t>(shape.rank()) == port.sizes->size();
      for (int axis = 0; fits && axis < shape.rank(); ++axis) {
        if (streamed.streams && static_cast<std::uint32_t>(axis) == streamed.axis) continue;
        fits = shape[axis] == (*port.sizes)[static_cast<std::size_t>(axis)].value_or(shape[axis]);
      }
      if (!fits)
        return failure(ErrorCode::wrongInput, joined({"input `", port.name, "` has type ",
                                                      typeText(inputs_[i].elem, shape), ", expected ", port.type}));
      if (streamed.streams) shape[static_cast<int>(streamed.axis)] = 0;
      network_.inputShapes.push_back(shape);
      network_.inputGrowth.push_back(
          streamed.streams ? static_cast<std::int64_t>((frames * streamed.rate + streamed.per - 1) / streamed.per) : 0);
      Tensor copy;
      if (!streamed.streams) {
        if (inputs_[i].data == nullptr && inputs_[i].bytes() > 0)
          return failure(ErrorCode::missingInput,
                         joined({"input `", port.name, "` does not stream: its elements come first"}));
        auto copied = Tensor::copyOf(inputs_[i]);
        if (!copied) return tl::unexpected(std::move(copied.error()));
        copy = std::move(*copied);
        network_.arenaBytes += copy.bytes().size();
      }
      network_.ports.push_back(std::move(copy));
    }
    return {};
  }

  Result<void> makeBuffers() {
    const std::size_t count = stream_.buffers.size();
    const auto frames = static_cast<std::uint64_t>(network_.options.maxFrames);
    network_.buffers.resize(count);
    network_.targets.resize(count);
    front_.resize(count), reach_.resize(count), width_.resize(count), behind_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const manifest::Buffer& buffer = stream_.buffers[i];
      if (buffer.input != 0) {
        const std::size_t input = buffer.input - 1;
        network_.inputBuffer[input] = i;
        network_.growth.push_back(network_.inputGrowth[input]);
        if (!network_.buffers[i].describe(inputs_[input].elem, inputs_[input].shape, buffer)) return tooLarge();
      } else {
        network_.growth.push_back(mostOf({&buffer.sure}, [&](std::uint64_t n) {
          return std::max(valueAt(buffer.sure, n + frames) - valueAt(buffer.sure, n), valueAt(buffer.sure, frames));
        }));
      }
    }
    return {};
  }

  Result<void> makeActors() {
    network_.stages.resize(stream_.stages.size());
    network_.pieces.resize(model_.actors.size());
    network_.slots.resize(stream_.slots);
    network_.states.resize(stream_.states.size());
    for (std::size_t i = 0; i < model_.actors.size(); ++i) {
      const Actor actor = model_.actors[i];
      auto made = actor.isStage ? makeStage(actor.index) : makePieces(network_.pieces[i], actor.index);
      if (!made) return made;
    }
    for (std::size_t i = 0; i < network_.states.size(); ++i)
      if (stream_.states[i].fill.empty() && network_.states[i].shape != initialShape(i))
        return inconsistent(joined({"state ", i, " changes its shape"}));
    return {};
  }

  const Shape& wholeShape(const Source& source) const {
    return source.is(SourceKind::port) ? inputs_[source.index].shape : network_.slots[source.index].shape;
  }
  const Shape& initialShape(std::size_t state) const { return wholeShape(stream_.states[state].initial); }

  Result<void> makePieces(PiecesRun& run, std::uint32_t buffer) {
    run.buffer = buffer;
    const manifest::Buffer& description = stream_.buffers[buffer];
    const int axis = static_cast<int>(description.axis);
    std::optional<Shape> shape;
    for (const Source& piece : description.pieces) {
      Shape own =
          piece.is(SourceKind::slot) ? network_.slots[piece.index].shape : network_.buffers[piece.index].shapeOf(1);
      own[axis] = 1;
      if (shape.value_or(own) != own) return inconsistent(joined({"the pieces of buffer ", buffer, " do not fit"}));
      shape = own;
    }
    return network_.buffers[buffer].describe(model_.buffers[buffer].elem, *shape, description) ? Result<void>{}
                                                                                               : tooLarge();
  }

  Result<void> makeStage(std::uint32_t index) {
    StageRun& run = network_.stages[index];
    run.stage = &stream_.stages[index];
    run.program = &stream_.programs[run.stage->program];
    run.makesFrames = run.stage->makesFrames();
    run.sources.resize(run.stage->sources.size());
    for (std::size_t i = 0; i < run.sources.size(); ++i) {
      const Source& source = run.stage->sources[i];
      run.sources[i].source = &source;
      if (source.readsBuffer() || source.isWindow()) run.sources[i].buffer = source.index;
      if (source.is(SourceKind::slot)) run.slots.push_back(source.index);
      if (!source.is(SourceKind::state)) continue;
      run.states.push_back(source.index);
      if (stream_.states[source.index].fill.empty()) network_.states[source.index].shape = initialShape(source.index);
    }
    if (run.makesFrames) run.most = maxPushFrames;
    for (const manifest::Sink& sink : run.stage->sinks)
      if (sink.is(SinkKind::append)) {
        run.appended.push_back(sink.index);
        run.most = std::min(run.most, std::max<std::int64_t>(1, network_.growth[sink.index]));
      } else if (sink.is(SinkKind::add)) {
        run.adds = &sink;
        const Source& window = run.stage->sources[0];
        run.most = std::max<std::int64_t>(1, (network_.growth[window.index] + window.stride - 1) / window.stride);
      }
    if (auto shaped = shapeStates(run, index); !shaped) return shaped;
    bool isFirst = true;
    for (const std::int64_t size : sizesOf(run)) {
      if (auto bound = bindStage(run, index, size, isFirst); !bound) return bound;
      isFirst = false;
    }
    return {};
  }

  // Computes the shapes of a stage's states that begin with one element everywhere, from the sizes of its other inputs.
  Result<void> shapeStates(const StageRun& run, std::uint32_t index) {
    const manifest::Manifest& program = *run.program;
    const auto isOpen = [&](std::size_t input) {
      const Source& source = run.stage->sources[input];
      return source.is(SourceKind::state) && !stream_.states[source.index].fill.empty();
    };
    std::vector<DimValue> symbols(program.symbols.size()), dims(program.dims.size());
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const manifest::Symbol& symbol = program.symbols[i];
      if (symbol.found || isOpen(symbol.input)) continue;
      evaluateDims(program.dims, symbols, dims);
      const Shape shape = inputView(run, symbol.input, sizesOf(run).front()).shape;
      const DimValue size{shape[static_cast<int>(symbol.axis)], DimState::known};
      symbols[i] = apply(DimOp::div, apply(DimOp::sub, size, dims[symbol.offset]), dims[symbol.coefficient]);
    }
    evaluateDims(program.dims, symbols, dims);
    for (std::size_t i = 0; i < run.sources.size(); ++i) {
      if (!isOpen(i)) continue;
      Shape shape;
      for (const std::uint32_t dim : program.graph.values[program.graph.inputs[i]].shape) {
        if (!dims[dim].known() || dims[dim].value < 0)
          return inconsistent(joined({"stage ", index, " of its stream has a state of unknown size"}));
        shape.push(dims[dim].value);
      }
      network_.states[run.stage->sources[i].index].shape = shape;
    }
    return {};
  }

  TensorView inputView(const StageRun& run, std::size_t input, std::int64_t size) const {
    const Source& source = run.stage->sources[input];
    const auto elem = static_cast<Elem>(run.program->graph.values[run.program->graph.inputs[input]].elem);
    switch (static_cast<SourceKind>(source.kind)) {
      case SourceKind::port:
      case SourceKind::slot:
        return {elem, wholeShape(source), nullptr};
      case SourceKind::state:
        return {elem, network_.states[source.index].shape, nullptr};
      case SourceKind::window:
        return {elem, network_.buffers[source.index].shapeOf(run.stage->scale != 0 ? size : widthOf(source, size)),
                nullptr};
      case SourceKind::count:
        return {elem, {size}, nullptr};
      case SourceKind::inside:
        return {elem, {widthOf(source, size)}, nullptr};
      default:
        return {elem, network_.buffers[source.index].shapeOf(source.last), nullptr};
    }
  }

  Result<void> bindStage(StageRun& run, std::uint32_t index, std::int64_t size, bool isFirst) {
    std::vector<TensorView> views;
    for (std::size_t i = 0; i < run.sources.size(); ++i) {
      views.push_back(inputView(run, i, size));
      if (!views.back().shape.checkedBytes(views.back().elem)) return tooLarge();
    }
    auto sizes = bindSizes(*run.program, views);
    if (!sizes) return tl::unexpected(std::move(sizes.error()));
    auto program = std::make_unique<StageProgram>();
    program->size = size;
    program->sizes = RunSizes(*run.program, std::move(*sizes));
    auto graph = bindGraph({*run.program, program->sizes, model_.bundle->weights, nullptr}, run.program->graph);
    if (!graph) return tl::unexpected(std::move(graph.error()));
    program->graph = std::move(*graph);
    programBytes_ = std::max(programBytes_, program->graph.arenaBytes);
    for (std::size_t i = 0; i < run.stage->sinks.size(); ++i) {
      const manifest::Sink& sink = run.stage->sinks[i];
      const int position = static_cast<int>(i);
      const TensorView& output = program->graph.output(position);
      bool fits = output.dense() && !program->graph.late[run.program->graph.outputs[i]];
      if (fits && sink.is(SinkKind::append)) {
        Frames& frames = network_.buffers[sink.index];
        const int axis = static_cast<int>(stream_.buffers[sink.index].axis);
        fits = run.stage->scale != 0 || output.shape[axis] == size;
        if (isFirst && !frames.describe(output.elem, output.shape, stream_.buffers[sink.index])) return tooLarge();
        fits = fits && frames.shapeOf(output.shape[axis]) == output.shape;
      } else if (fits && sink.is(SinkKind::add)) {
        Frames& sums = network_.buffers[sink.index];
        const auto shape = shapeOfSum(sink, static_cast<int>(stream_.buffers[sink.index].axis), output.shape, size);
        const bool isMade = !isFirst || model_.adders[sink.index].front() != index;
        if (shape && !isMade && !sums.describe(output.elem, *shape, stream_.buffers[sink.index])) return tooLarge();
        fits = shape && sums.shapeOf(1) == *shape;
      } else if (fits && sink.is(SinkKind::fillSlot)) {
        network_.slots[sink.index].shape = output.shape;
        network_.slots[sink.index].followsStream =
            std::any_of(run.stage->sources.begin(), run.stage->sources.end(), [&](const Source& source) {
              return source.readsBuffer() ||
                     (source.is(SourceKind::slot) && network_.slots[source.index].followsStream);
            });
      } else if (fits) {
        fits = network_.states[sink.index].shape == output.shape;
      }
      if (!fits)
        return inconsistent(joined(
            {"stage ", index, " of its stream makes ", typeText(output.elem, output.shape), " of ", size, " frames"}));
    }
    run.programs.push_back(std::move(program));
    return {};
  }

  Result<void> addReaders() {
    for (StageRun& run : network_.stages)
      for (StageSource& source : run.sources)
        if (source.source->readsBuffer()) {
          const std::uint32_t buffer = source.buffer;
          source.reader = network_.buffers[buffer].addReader();
          if (source.source->is(SourceKind::window)) {
            front_[buffer] = std::max(front_[buffer], -source.firstOf(0));
            // Other readers may still need the frames before the end when this one reads beyond it.
            const std::int64_t behind = framesBehindEnd(run, source);
            width_[buffer] = std::max(width_[buffer], widthOf(*source.source, run.most) + behind);
            behind_[buffer] = std::max(behind_[buffer], behind);
            if (run.adds) width_[run.adds->index] = std::max(width_[run.adds->index], mostSums(*run.adds, run.most));
          } else {
            width_[buffer] = std::max(width_[buffer], source.source->last);
            if (source.source->is(SourceKind::end)) {
              front_[buffer] = std::max(front_[buffer], source.source->first);
              reach_[buffer] = std::max(reach_[buffer], source.source->first);
            }
          }
        }
    for (std::size_t i = 0; i < model_.actors.size(); ++i)
      if (!model_.actors[i].isStage)
        for (const Source& piece : stream_.buffers[model_.actors[i].index].pieces)
          if (piece.is(SourceKind::window)) network_.pieces[i].reader = network_.buffers[piece.index].addReader();
    for (std::size_t i = 0; i < stream_.outputs.size(); ++i) {
      NetworkOutput& output = network_.outputs.emplace_back();
      output.buffer = stream_.outputs[i].buffer;
      output.reader = network_.buffers[output.buffer].addReader();
      const manifest::Buffer& buffer = stream_.buffers[output.buffer];
      if (buffer.input != 0) continue;
      // A flush appends the frames that the delay held back, and those that the end decides.
      const manifest::StreamOutput& rate = stream_.outputs[i];
      const auto share = [&](std::uint64_t n) {
        std::uint64_t product = 0;
        if (__builtin_mul_overflow(n, rate.frames, &product)) product = UINT64_MAX;
        return static_cast<std::int64_t>(std::min(product / std::max<std::uint64_t>(rate.stride, 1), maxStreamFrames));
      };
      const std::int64_t tail = mostOf({&buffer.sure, &buffer.length}, [&](std::uint64_t n) {
        return std::max(valueAt(buffer.length, n) - valueAt(buffer.sure, n), valueAt(buffer.length, n) - share(n));
      });
      width_[output.buffer] = std::max(width_[output.buffer], tail + share(rate.delay) + 1 + behind_[output.buffer]);
    }
    return {};
  }

  // Returns how many frames beyond the end a window reads.
  std::int64_t framesBehindEnd(const StageRun& run, const StageSource& source) const {
    std::int64_t most = run.adds ? source.source->last - source.source->first : 0;
    for (const manifest::Sink& sink : run.stage->sinks) {
      if (!sink.is(SinkKind::append)) continue;
      const manifest::Schedule &made = stream_.buffers[sink.index].length,
                               &read = stream_.buffers[source.source->index].length;
      most = std::max(most, mostOf({&made, &read}, [&](std::uint64_t n) {
                        const std::int64_t frames = valueAt(made, n);
                        return frames == 0 ? 0 : source.lastOf(frames - 1) + 1 - valueAt(read, n);
                      }));
    }
    return most;
  }

  static tl::unexpected<RunError> tooLarge() {
    return failure(ErrorCode::outOfMemory, "the buffers of this stream are too large to address");
  }

  // Adds allocated bytes to a total. Returns false if that exceeds the limit.
  bool add(std::uint64_t& total, std::uint64_t bytes) const {
    return !__builtin_add_overflow(total, alignUp(bytes), &total) && total <= model_.bundle->maxArenaBytes;
  }

  Result<Tensor> take(std::uint64_t bytes) {
    total_ += bytes;
    return Tensor::makeUnset(Elem::u8, {static_cast<std::int64_t>(bytes)});
  }

  Result<void> allocate() {
    std::uint64_t frameBytes = 0, copyBytes = 0, stateBytes = 0;
    const auto tooMuch = [&] {
      return failure(ErrorCode::outOfMemory,
                     joined({"this stream needs more memory than ", model_.bundle->maxArenaBytes, " bytes"}));
    };
    for (std::size_t i = 0; i < network_.buffers.size(); ++i) {
      Frames& frames = network_.buffers[i];
      const auto history = static_cast<std::int64_t>(stream_.buffers[i].history);
      const std::int64_t kept = std::max({history, front_[i], reach_[i]});
      const std::int64_t slack = kept == 0 ? 0 : std::max<std::int64_t>(kept, 8);
      const std::int64_t growth = std::max(network_.growth[i], width_[i]);
      if (!frames.reserve(front_[i], reach_[i], kept + growth + slack)) return tooLarge();
      if (!add(frameBytes, frames.bytes())) return tooMuch();
      const auto bytes = static_cast<std::uint64_t>(frames.outer() * frames.frameBytes() * history);
      stateBytes += bytes;
      network_.leastStateBytes += leastBytes(network_, i, bytes);
    }
    for (StageRun& run : network_.stages)
      for (StageSource& source : run.sources) {
        if (source.source->is(SourceKind::count))
          source.copyBytes = static_cast<std::uint64_t>(run.most) * sizeof(std::int64_t);
        else if (source.source->is(SourceKind::inside))
          source.copyBytes = static_cast<std::uint64_t>(widthOf(*source.source, run.most));
        else if (source.source->readsBuffer() && !network_.buffers[source.buffer].isDense())
          source.copyBytes = network_.buffers[source.buffer]
                                 .shapeOf(source.source->is(SourceKind::window) ? widthOf(*source.source, run.most)
                                                                                : source.source->last)
                                 .checkedBytes(network_.buffers[source.buffer].elem())
                                 .value_or(maxStreamBytes);
        if (!add(copyBytes, source.copyBytes)) return tooMuch();
      }
    std::uint64_t all = programBytes_;
    if (!add(all, frameBytes) || !add(all, copyBytes)) return tooMuch();
    return takeMemory(frameBytes, copyBytes).and_then([&]() -> Result<void> {
      network_.stateBytes += stateBytes;
      network_.arenaBytes += total_ - network_.stateBytes;
      return {};
    });
  }

  Result<void> takeMemory(std::uint64_t frameBytes, std::uint64_t copyBytes) {
    for (const auto& [tensor, bytes] : {std::pair(&network_.memory, frameBytes), std::pair(&network_.copies, copyBytes),
                                        std::pair(&network_.arena, programBytes_)}) {
      auto made = take(bytes);
      if (!made) return tl::unexpected(std::move(made.error()));
      *tensor = std::move(*made);
    }
    for (std::size_t i = 0; i < network_.slots.size(); ++i)
      if (auto made = takeTensor(network_.slots[i].value, model_.slots[i].elem, network_.slots[i].shape,
                                 network_.slots[i].followsStream);
          !made)
        return made;
    for (std::size_t i = 0; i < network_.states.size(); ++i)
      if (auto made = takeTensor(network_.states[i].value, model_.states[i].elem, network_.states[i].shape, true);
          !made)
        return made;
    for (NetworkOutput& output : network_.outputs) {
      const Frames& frames = network_.buffers[output.buffer];
      if (frames.isDense()) continue;
      if (auto made = takeTensor(output.copy, frames.elem(), frames.shapeOf(frames.capacity()), false); !made)
        return made;
    }
    place();
    return {};
  }

  Result<void> takeTensor(Tensor& tensor, Elem elem, const Shape& shape, bool isState) {
    if (!shape.checkedBytes(elem)) return tooLarge();
    auto made = Tensor::make(elem, shape);
    if (!made) return tl::unexpected(std::move(made.error()));
    tensor = std::move(*made);
    total_ += tensor.bytes().size();
    if (isState) network_.stateBytes += tensor.bytes().size(), network_.leastStateBytes += tensor.bytes().size();
    return {};
  }

  // Sets all addresses.
  void place() {
    std::byte* at = network_.memory.bytes().data();
    for (Frames& frames : network_.buffers) {
      frames.place(at, network_.options.poison);
      at += alignUp(frames.bytes());
    }
    at = network_.copies.bytes().data();
    for (StageRun& run : network_.stages) {
      for (StageSource& source : run.sources) {
        source.copy = at;
        at += alignUp(source.copyBytes);
        if (source.source->is(SourceKind::port)) source.data = network_.ports[source.source->index].bytes().data();
        if (source.source->is(SourceKind::slot))
          source.data = network_.slots[source.source->index].value.bytes().data();
        if (source.source->is(SourceKind::state))
          source.data = network_.states[source.source->index].value.bytes().data();
      }
      for (const auto& program : run.programs) {
        placeGraph(program->graph, network_.arena.bytes().data());
        for (std::size_t i = 0; i < run.sources.size(); ++i)
          program->graph.input(static_cast<int>(i)).data = run.sources[i].data;
      }
    }
  }

  Network& network_;
  const StreamModel& model_;
  const manifest::Stream& stream_;
  std::span<const TensorView> inputs_;
  std::vector<std::int64_t> front_, reach_, width_,
      behind_;  // for each buffer, frames before 0, before the end, read at once, and beyond the end
  std::uint64_t programBytes_ = 0, total_ = 0;
};

}  // namespace

Result<void> openNetwork(Network& network, std::shared_ptr<const StreamModel> model, std::span<const TensorView> inputs,
                         const StreamOptions& options) {
  network.model = std::move(model);
  network.options = options;
  return Opener(network, inputs).open();
}

}  // namespace axle::runtime
