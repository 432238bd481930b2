// Checks the network of a stream before anything in it is used: the bytes are untrusted.
#include <optional>
#include <vector>

#include "io/joined.h"
#include "runtime/check.h"
#include "runtime/stream/model.h"

namespace axle::runtime {
namespace {

using manifest::SinkKind;
using manifest::Source;
using manifest::SourceKind;
using Kind = StreamModel::Kind;

constexpr int mostNestedPieces = 64;

bool between(std::int64_t value, std::int64_t least, std::int64_t most) { return least <= value && value <= most; }

Kind kindOf(const manifest::Manifest& program, std::uint32_t value) {
  const manifest::Value& of = program.graph.values[value];
  return {static_cast<Elem>(of.elem), static_cast<int>(of.shape.size())};
}

class StreamChecker {
 public:
  explicit StreamChecker(StreamModel& model) : model_(model), stream_(model.stream), batch_(model.batch().manifest) {}

  Result<void> check() {
    return checkInputs()
        .and_then([this] { return checkBuffers(); })
        .and_then([this] { return checkStages(); })
        .and_then([this] { return checkStates(); })
        .and_then([this] { return checkOutputs(); });
  }

 private:
  Result<void> checkInputs() {
    if (stream_.inputs.size() != batch_.inputs.size())
      return inconsistent("its stream has another number of inputs than its entry");
    std::size_t streamed = 0;
    for (std::size_t i = 0; i < stream_.inputs.size(); ++i) {
      const manifest::StreamInput& input = stream_.inputs[i];
      if (!input.streams) continue;
      const auto most = static_cast<std::uint64_t>(maxStreamStride);
      const bool fits = input.axis < static_cast<std::uint32_t>(kindOf(batch_, batch_.graph.inputs[i]).rank) &&
                        batch_.inputs[i].splitsOf == 0 && input.rate > 0 && input.rate <= most && input.per > 0 &&
                        input.per <= most && (streamed > 0 || input.rate == input.per);
      if (!fits) return inconsistent(joined({"input ", i, " has no such stream"}));
      ++streamed;
    }
    return streamed > 0 ? Result<void>{} : inconsistent("no input streams");
  }

  static bool isSchedule(const manifest::Schedule& schedule, bool grows) {
    const auto& first = schedule.first;
    if (schedule.period > first.size() || schedule.step > maxStreamFrames) return false;
    for (std::size_t i = 0; i < first.size(); ++i)
      if (first[i] > maxStreamFrames || (grows && i > 0 && first[i] < first[i - 1])) return false;
    return !grows || schedule.period == 0 || first.size() <= schedule.period ||
           first[first.size() - schedule.period] + schedule.step >= first.back();
  }

  Result<void> checkBuffers() {
    model_.buffers.resize(stream_.buffers.size());
    isMade_.resize(stream_.buffers.size());
    model_.adders.resize(stream_.buffers.size());
    if (stream_.slots > manifest::maxStreamItems) return inconsistent("its stream has too many slots");
    if (stream_.chunk > static_cast<std::uint64_t>(maxPushFrames))
      return inconsistent("its stream has too large a chunk");
    model_.slots.resize(stream_.slots);
    isFilled_.resize(stream_.slots);
    std::vector<std::size_t> buffersOf(stream_.inputs.size());
    for (std::size_t i = 0; i < stream_.buffers.size(); ++i) {
      const manifest::Buffer& buffer = stream_.buffers[i];
      if (!isSchedule(buffer.sure, true) || !isSchedule(buffer.length, false) || buffer.history > maxStreamFrames)
        return wrongBuffer(i, "has no such schedule");
      if (buffer.input == 0) continue;
      const std::size_t input = buffer.input - 1;
      if (input >= stream_.inputs.size() || !stream_.inputs[input].streams ||
          stream_.inputs[input].axis != buffer.axis || !buffer.pieces.empty() || buffersOf[input]++ > 0)
        return wrongBuffer(i, "has frames of no such input");
      if (auto made = make(i, kindOf(batch_, batch_.graph.inputs[input])); !made) return made;
    }
    return {};
  }

  tl::unexpected<RunError> wrongBuffer(std::size_t index, const char* what) const {
    return inconsistent(joined({"buffer ", index, " of its stream ", what}));
  }

  // Records the type of a buffer's frames. It is an error to do so twice.
  Result<void> make(std::size_t index, const Kind& kind) {
    const manifest::Buffer& buffer = stream_.buffers[index];
    if (isMade_[index]) return wrongBuffer(index, "is made twice");
    if (buffer.axis >= static_cast<std::uint32_t>(kind.rank) ||
        (!buffer.fill.empty() && buffer.fill.size() != info(kind.elem).bytes))
      return wrongBuffer(index, "has no such axis or value behind its ends");
    isMade_[index] = true;
    model_.buffers[index] = kind;
    return {};
  }

  // Checks that a buffer can be read. A buffer of pieces counts as made here.
  Result<void> readable(std::uint32_t index, int depth = 0) {
    if (index >= stream_.buffers.size()) return inconsistent("its stream reads a buffer that does not exist");
    if (isMade_[index]) return {};
    const manifest::Buffer& buffer = stream_.buffers[index];
    if (buffer.pieces.empty() || depth > mostNestedPieces) return wrongBuffer(index, "is read before it is made");
    std::optional<Kind> kind;
    std::size_t windows = 0;
    for (const Source& piece : buffer.pieces) {
      Kind own;
      if (piece.is(SourceKind::slot)) {
        if (piece.index >= isFilled_.size() || !isFilled_[piece.index])
          return wrongBuffer(index, "has a piece that is not made before");
        own = model_.slots[piece.index];
      } else if (piece.is(SourceKind::window) && windows++ == 0) {
        if (auto read = readable(piece.index, depth + 1); !read) return read;
        if (stream_.buffers[piece.index].axis != buffer.axis) return wrongBuffer(index, "has pieces of another axis");
        own = model_.buffers[piece.index];
      } else {
        return wrongBuffer(index, "has pieces of a wrong kind");
      }
      if (kind.value_or(own) != own) return wrongBuffer(index, "has pieces that differ in type");
      kind = own;
    }
    if (auto made = make(index, *kind); !made) return made;
    model_.actors.push_back({false, index});
    return {};
  }

  Result<void> checkStages() {
    model_.states.resize(stream_.states.size());
    ownerOf_.assign(stream_.states.size(), 0);
    setterOf_.assign(stream_.states.size(), 0);
    for (std::uint32_t i = 0; i < stream_.stages.size(); ++i)
      if (auto checked = checkStage(i); !checked) return checked;
    for (std::uint32_t i = 0; i < stream_.buffers.size(); ++i)
      if (auto read = readable(i); !read) return read;
    return {};
  }

  tl::unexpected<RunError> wrongStage(std::size_t index, const char* what) const {
    return inconsistent(joined({"stage ", index, " of its stream ", what}));
  }

  Result<void> checkStage(std::uint32_t index) {
    const manifest::Stage& stage = stream_.stages[index];
    if (stage.program >= stream_.programs.size()) return wrongStage(index, "has no program");
    const manifest::Manifest& program = stream_.programs[stage.program];
    if (stage.sources.size() != program.graph.inputs.size() || stage.sinks.size() != program.graph.outputs.size() ||
        stage.sinks.empty())
      return wrongStage(index, "has another number of inputs or outputs than its program");
    if (stage.scale > static_cast<std::uint64_t>(maxStreamStride) ||
        !between(stage.shift, -maxStreamOffset, maxStreamOffset))
      return wrongStage(index, "has no such scale");
    if (stage.scale != 0 && (stage.sources.empty() || !stage.sources[0].is(SourceKind::window)))
      return wrongStage(index, "has a scale, and no window");
    for (std::size_t i = 0; i < stage.sources.size(); ++i)
      if (auto checked = checkSource(index, i, kindOf(program, program.graph.inputs[i])); !checked) return checked;
    for (std::size_t i = 0; i < stage.sinks.size(); ++i)
      if (auto checked = checkSink(index, i, kindOf(program, program.graph.outputs[i])); !checked) return checked;
    model_.actors.push_back({true, index});
    return {};
  }

  Result<void> checkSource(std::uint32_t index, std::size_t position, const Kind& kind) {
    const manifest::Stage& stage = stream_.stages[index];
    const Source& source = stage.sources[position];
    const auto refuse = [&](const char* what) -> Result<void> { return wrongStage(index, what); };
    if (source.kind >= manifest::sourceKinds) return refuse("reads from an unknown source");
    const auto kindOfSource = static_cast<SourceKind>(source.kind);
    const bool isOfFrames = source.isWindow() || kindOfSource == SourceKind::count || kindOfSource == SourceKind::state;
    if (isOfFrames != stage.makesFrames() && kindOfSource != SourceKind::port && kindOfSource != SourceKind::slot)
      return refuse("runs at another time than its sources are there");
    if (stage.scale != 0 && position > 0 && isOfFrames) return refuse("has a scale, and sources beside its window");
    switch (kindOfSource) {
      case SourceKind::port:
      case SourceKind::slot:
        return checkWhole(source, kind, [&](const char* what) { return refuse(what); });
      case SourceKind::state:
        if (source.index >= stream_.states.size() || ownerOf_[source.index] != 0)
          return refuse("has a state that does not exist or that another one has");
        ownerOf_[source.index] = index + 1;
        model_.states[source.index] = kind;
        return {};
      case SourceKind::count:
        return kind == Kind{Elem::i64, 1} ? Result<void>{} : refuse("counts frames in no list of i64");
      default:
        break;
    }
    if (auto read = readable(source.index); !read) return read;
    if ((kindOfSource == SourceKind::inside ? Kind{Elem::boolean, 1} : model_.buffers[source.index]) != kind)
      return refuse("reads frames of another type");
    if (!source.isWindow())
      return between(source.first, 0, maxStreamOffset) && between(source.last, 0, maxStreamOffset)
                 ? Result<void>{}
                 : refuse("reads frames that do not exist");
    const bool fits = between(source.stride, stage.scale != 0 ? 1 : 0, maxStreamStride) &&
                      between(source.spread, 1, stage.scale != 0 ? maxStreamStride : 1) &&
                      between(source.first, -maxStreamOffset, maxStreamOffset) &&
                      between(source.last, source.first, maxStreamOffset);
    return fits ? Result<void>{} : refuse("reads no such window");
  }

  // Checks a source that is one tensor: an input that does not stream, or a slot.
  template <class Refuse>
  Result<void> checkWhole(const Source& source, const Kind& kind, Refuse refuse) const {
    if (source.is(SourceKind::port)) {
      if (source.index >= stream_.inputs.size() || stream_.inputs[source.index].streams)
        return refuse("reads an input that streams or does not exist");
      return kindOf(batch_, batch_.graph.inputs[source.index]) == kind ? Result<void>{}
                                                                       : refuse("reads an input of another type");
    }
    if (source.index >= isFilled_.size() || !isFilled_[source.index])
      return refuse("reads a slot that is not filled before");
    return model_.slots[source.index] == kind ? Result<void>{} : refuse("reads a slot of another type");
  }

  Result<void> checkSink(std::uint32_t index, std::size_t position, const Kind& kind) {
    const manifest::Stage& stage = stream_.stages[index];
    const manifest::Sink& sink = stage.sinks[position];
    if (sink.is(SinkKind::append)) {
      if (sink.index >= stream_.buffers.size() || !stream_.buffers[sink.index].pieces.empty())
        return wrongStage(index, "makes frames of no such buffer");
      return make(sink.index, kind);
    }
    if (sink.is(SinkKind::add)) return checkSums(index, kind);
    if (sink.is(SinkKind::fillSlot) && !stage.makesFrames() && sink.index < isFilled_.size() &&
        !isFilled_[sink.index]) {
      isFilled_[sink.index] = true;
      model_.slots[sink.index] = kind;
      return {};
    }
    if (sink.is(SinkKind::setState) && stage.makesFrames() && sink.index < stream_.states.size() &&
        ownerOf_[sink.index] == index + 1 && setterOf_[sink.index] == 0 && model_.states[sink.index] == kind) {
      setterOf_[sink.index] = index + 1;
      return {};
    }
    return wrongStage(index, "has an output that goes nowhere");
  }

  // Checks a stage that adds: it reads one window. Several such stages may add to one buffer.
  Result<void> checkSums(std::uint32_t index, const Kind& kind) {
    const manifest::Stage& stage = stream_.stages[index];
    const manifest::Sink& sink = stage.sinks[0];
    for (std::size_t i = 0; i < stage.sources.size(); ++i) {
      const Source& source = stage.sources[i];
      const bool fits = i == 0 ? source.is(SourceKind::window) && source.stride > 0 && source.index != sink.index
                               : source.is(SourceKind::port) || source.is(SourceKind::slot);
      if (!fits) return wrongStage(index, "adds to sums, and does not read one window alone");
    }
    if (stage.sinks.size() != 1 || stage.scale != 0 || sink.index >= stream_.buffers.size() ||
        stream_.buffers[sink.index].input != 0 || !stream_.buffers[sink.index].pieces.empty() ||
        (kind.elem != Elem::f32 && kind.elem != Elem::f64))
      return wrongStage(index, "adds to no such buffer");
    if (!between(sink.step, 1, maxStreamStride) || !between(sink.per, 1, maxStreamStride) ||
        !between(sink.shift, -maxStreamOffset, maxStreamOffset) || !between(sink.count, 1, maxStreamStride) ||
        !between(sink.spacing, 1, maxStreamStride) || !between(sink.run, 1, maxPushFrames) ||
        sink.along >= static_cast<std::uint32_t>(kind.rank) || sink.along < stream_.buffers[sink.index].axis ||
        (sink.along == stream_.buffers[sink.index].axis && sink.run != 1))
      return wrongStage(index, "has no such shares");
    std::vector<std::uint32_t>& adders = model_.adders[sink.index];
    adders.push_back(index);
    if (adders.size() == 1) return make(sink.index, kind);
    return model_.buffers[sink.index] == kind ? Result<void>{} : wrongStage(index, "adds to sums of another type");
  }

  // Checks that every state belongs to a stage, which sets it, and has its first value before that stage runs.
  Result<void> checkStates() {
    for (std::size_t i = 0; i < stream_.states.size(); ++i) {
      const auto refuse = [&](const char* what) -> Result<void> {
        return inconsistent(joined({"state ", i, " of its stream ", what}));
      };
      const Source& initial = stream_.states[i].initial;
      if (setterOf_[i] == 0) return refuse("is never set");
      if (const std::vector<std::byte>& fill = stream_.states[i].fill; !fill.empty()) {
        if (fill.size() != info(model_.states[i].elem).bytes) return refuse("has no such first value");
        continue;
      }
      if (!initial.is(SourceKind::port) && !initial.is(SourceKind::slot)) return refuse("has no first value");
      if (auto checked = checkWhole(initial, model_.states[i], refuse); !checked) return checked;
    }
    return {};
  }

  Result<void> checkOutputs() {
    if (stream_.outputs.size() != batch_.outputs.size())
      return inconsistent("its stream has another number of outputs than its entry");
    for (std::size_t i = 0; i < stream_.outputs.size(); ++i) {
      const manifest::StreamOutput& output = stream_.outputs[i];
      if (output.buffer >= stream_.buffers.size() || output.stride == 0 || output.stride > maxStreamFrames ||
          output.frames == 0 || output.frames > maxStreamFrames ||
          model_.buffers[output.buffer] != kindOf(batch_, batch_.graph.outputs[i]))
        return inconsistent(joined({"output ", i, " of its stream is not that of its entry"}));
    }
    return {};
  }

  StreamModel& model_;
  const manifest::Stream& stream_;
  const manifest::Manifest& batch_;
  Marks isMade_, isFilled_;                        // buffers and slots
  std::vector<std::uint32_t> ownerOf_, setterOf_;  // for each state: 1 + the stage; 0: none
};

}  // namespace

Result<void> checkStream(StreamModel& model) { return StreamChecker(model).check(); }

}  // namespace axle::runtime
