#include "runtime/stream/advance.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "io/joined.h"
#include "runtime/check.h"
#include "runtime/fault.h"
#include "runtime/stream/partial_sums.h"

namespace axle::runtime {
namespace {

using manifest::SinkKind;
using manifest::Source;
using manifest::SourceKind;

constexpr const char* noSuchFrames = "reads frames that are gone, or more behind the end than there is room for";

std::int64_t floorQuotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The reason why an actor stopped the stream. The text is made only when it is shown.
struct Stop {
  Fault fault;
  const manifest::Manifest* program = nullptr;  // in which the fault occurred; null: the network contradicts itself
  const char* problem = "";
};

class Run {
 public:
  explicit Run(Network& network) : network_(network), stream_(network.model->stream) {}

  Result<void> run() {
    for (bool again = true; again;) {
      bool some = false, noRoom = false;
      const std::vector<Actor>& actors = network_.model->actors;
      for (std::size_t i = 0; i < actors.size(); ++i) {
        const Actor actor = actors[i];
        for (;;) {
          const Progress progress = actor.isStage ? advanceStage(network_.stages[actor.index]) : advancePieces(i);
          if (progress == Progress::stopped) return tl::unexpected(error(actor));
          noRoom = noRoom || progress == Progress::noRoom;
          some = some || progress == Progress::some;
          if (progress != Progress::some) break;
        }
      }
      again = some && noRoom;  // later actors may have made room
    }
    return {};
  }

 private:
  enum class Progress : std::uint8_t { none, some, noRoom, stopped };

  RunError error(Actor actor) {
    if (stop_.program != nullptr) return faultError(*stop_.program, stop_.fault);
    return inconsistent(joined({actor.isStage ? "stage " : "buffer ", actor.index, " of its stream ", stop_.problem}))
        .value();
  }
  Progress stop(const char* problem) {
    stop_.problem = problem;
    return Progress::stopped;
  }

  // ---- stages

  Progress advanceStage(StageRun& run) {
    if (run.isDone) return Progress::none;
    if (!run.appended.empty() && run.next >= target(run)) return Progress::none;
    for (const std::uint32_t slot : run.slots)
      if (!network_.slots[slot].isSet) return Progress::none;
    if (run.adds) return advanceSums(run);
    if (!run.makesFrames) return runOnce(run);
    for (const std::uint32_t state : run.states)
      if (!takeInitial(state)) return Progress::none;
    std::int64_t end = std::min(target(run), run.next + run.most);
    for (const StageSource& source : run.sources)
      if (source.source->isWindow()) end = std::min(end, readableEnd(source));
    if (end <= run.next) return Progress::none;
    return run.stage->scale == 0 ? runFrames(run, end) : runScaled(run, end);
  }

  std::int64_t target(const StageRun& run) const {
    std::int64_t least = static_cast<std::int64_t>(maxStreamFrames);
    for (const std::uint32_t buffer : run.appended) least = std::min(least, network_.targets[buffer]);
    return least;
  }

  // Returns the end of the stage's frames that this source allows: those before it read only frames that exist.
  std::int64_t readableEnd(const StageSource& source) const {
    const Frames& frames = network_.buffers[source.buffer];
    if (frames.isComplete()) return static_cast<std::int64_t>(maxStreamFrames);
    const Source& window = *source.source;
    const std::int64_t room = frames.made() * std::max<std::int64_t>(1, window.spread) - 1 - window.last;
    if (window.stride == 0) return room >= 0 ? static_cast<std::int64_t>(maxStreamFrames) : 0;
    return floorQuotient(room, window.stride) + 1;
  }

  bool takeInitial(std::uint32_t index) {
    Carried& state = network_.states[index];
    if (state.isSet) return true;
    if (const std::vector<std::byte>& fill = stream_.states[index].fill; !fill.empty()) {
      const std::span<std::byte> bytes = state.value.bytes();
      for (std::size_t at = 0; at < bytes.size(); at += fill.size())
        std::memcpy(bytes.data() + at, fill.data(), fill.size());
      return state.isSet = true;
    }
    const Source& initial = stream_.states[index].initial;
    const bool isPort = initial.is(SourceKind::port);
    if (!isPort && !network_.slots[initial.index].isSet) return false;
    const Tensor& value = isPort ? network_.ports[initial.index] : network_.slots[initial.index].value;
    copy(state.value.bytes().data(), value.bytes());
    return state.isSet = true;
  }

  static void copy(std::byte* to, std::span<const std::byte> from) {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
  }

  // Runs a stage that runs once, as soon as its sources are available.
  Progress runOnce(StageRun& run) {
    BoundGraph& graph = run.programs.front()->graph;
    for (const StageSource& source : run.sources)
      if (source.source->readsBuffer()) {
        const Frames& frames = network_.buffers[source.buffer];
        const bool isThere =
            source.source->is(SourceKind::begin) && frames.made() >= source.source->first + source.source->last;
        if (!isThere && !frames.isComplete()) return Progress::none;
      }
    const auto firstOf = [&](const StageSource& source) {
      return source.source->is(SourceKind::begin) ? source.source->first
                                                  : network_.buffers[source.buffer].made() - source.source->first;
    };
    for (const StageSource& source : run.sources)
      if (source.source->readsBuffer() &&
          !network_.buffers[source.buffer].hold(firstOf(source), firstOf(source) + source.source->last))
        return stop(noSuchFrames);
    for (std::size_t i = 0; i < run.sources.size(); ++i)
      if (const StageSource& source = run.sources[i]; source.source->readsBuffer())
        setWindow(source, graph.input(static_cast<int>(i)), firstOf(source), firstOf(source) + source.source->last);
    if (!runProgram(run, graph)) return Progress::stopped;
    keepOutputs(run, graph);
    for (const StageSource& source : run.sources)
      if (source.source->readsBuffer())
        network_.buffers[source.buffer].advance(source.reader, static_cast<std::int64_t>(maxStreamFrames));
    run.isDone = true;
    return Progress::some;
  }

  Progress runFrames(StageRun& run, std::int64_t end) {
    std::size_t chosen = run.programs.size();
    while (chosen-- > 0) {
      const std::int64_t size = run.programs[chosen]->size;
      if (size <= end - run.next && hasRoom(run, size)) break;
    }
    if (chosen >= run.programs.size()) return Progress::noRoom;
    StageProgram& program = *run.programs[chosen];
    const std::int64_t last = run.next + program.size - 1;
    for (const StageSource& source : run.sources)
      if (source.source->is(SourceKind::window) &&
          !network_.buffers[source.buffer].hold(source.firstOf(run.next), source.lastOf(last) + 1))
        return stop(noSuchFrames);
    for (std::size_t i = 0; i < run.sources.size(); ++i) {
      const StageSource& source = run.sources[i];
      TensorView& input = program.graph.input(static_cast<int>(i));
      if (source.source->is(SourceKind::count)) {
        auto* numbers = reinterpret_cast<std::int64_t*>(source.copy);
        for (std::int64_t frame = 0; frame < program.size; ++frame) numbers[frame] = run.next + frame;
        input.data = source.copy;
      } else if (source.source->is(SourceKind::inside)) {
        const std::int64_t first = source.firstOf(run.next), made = network_.buffers[source.buffer].made();
        for (std::int64_t frame = first; frame <= source.lastOf(last); ++frame)
          source.copy[frame - first] = static_cast<std::byte>(frame >= 0 && frame < made ? 1 : 0);
        input.data = source.copy;
      } else if (source.source->is(SourceKind::window)) {
        setWindow(source, input, source.firstOf(run.next), source.lastOf(last) + 1);
      }
    }
    if (!runProgram(run, program.graph)) return Progress::stopped;
    for (std::size_t i = 0; i < run.stage->sinks.size(); ++i)
      if (const manifest::Sink& sink = run.stage->sinks[i]; sink.is(SinkKind::append)) {
        Frames& frames = network_.buffers[sink.index];
        frames.append(program.graph.output(static_cast<int>(i)).as<std::byte>(), program.size,
                      program.size * frames.frameBytes());
      }
    keepOutputs(run, program.graph);
    moveOn(run, last + 1);
    return Progress::some;
  }

  // Makes the frames [run.next, end), or fewer, with a program that computes more than are wanted.
  Progress runScaled(StageRun& run, std::int64_t end) {
    const StageSource& source = run.sources[0];
    const Source& window = *source.source;
    const std::int64_t first = source.firstOf(run.next);
    const std::int64_t read = source.lastOf(end - 1) - first + 1;
    for (std::size_t chosen = run.programs.size(); chosen-- > 0;) {
      StageProgram& program = *run.programs[chosen];
      if (program.size > read) continue;
      const std::int64_t whole =
          floorQuotient((first + program.size) * window.spread - 1 - window.last, window.stride) + 1;
      const std::int64_t last = std::min(end, whole);
      if (last <= run.next) continue;
      if (!hasRoom(run, last - run.next)) continue;
      if (!network_.buffers[source.buffer].hold(first, first + program.size)) return stop(noSuchFrames);
      setWindow(source, program.graph.input(0), first, first + program.size);
      if (!runProgram(run, program.graph)) return Progress::stopped;
      const std::int64_t skipped = run.next - (first * static_cast<std::int64_t>(run.stage->scale) + run.stage->shift);
      for (std::size_t i = 0; i < run.stage->sinks.size(); ++i) {
        const manifest::Sink& sink = run.stage->sinks[i];
        if (!sink.is(SinkKind::append)) continue;
        Frames& frames = network_.buffers[sink.index];
        const TensorView& made = program.graph.output(static_cast<int>(i));
        const std::int64_t count = made.shape[static_cast<int>(stream_.buffers[sink.index].axis)];
        if (skipped < 0 || skipped + last - run.next > count) return stop("makes too few frames");
        frames.append(made.as<std::byte>() + skipped * frames.frameBytes(), last - run.next,
                      count * frames.frameBytes());
      }
      moveOn(run, last);
      return Progress::some;
    }
    return Progress::noRoom;
  }

  // ---- partial sums

  Progress advanceSums(StageRun& run) {
    const StageSource& source = run.sources[0];
    Frames &from = network_.buffers[source.buffer], &sums = network_.buffers[run.adds->index];
    if (sums.isComplete()) {  // later frames have no share in sums that are wanted
      from.advance(source.reader, static_cast<std::int64_t>(maxStreamFrames));
      return Progress::none;
    }
    const std::int64_t end = std::min(framesToAdd(source, from), run.next + run.most);
    const Progress added = end > run.next ? addFrames(run, end) : Progress::none;
    if (added == Progress::stopped) return added;
    const Progress settled = settle(run.adds->index);
    return added == Progress::none || settled == Progress::some ? settled : added;
  }

  Progress addFrames(StageRun& run, std::int64_t end) {
    const StageSource& source = run.sources[0];
    Frames &from = network_.buffers[source.buffer], &sums = network_.buffers[run.adds->index];
    for (std::size_t chosen = run.programs.size(); chosen-- > 0;) {
      StageProgram& program = *run.programs[chosen];
      if (program.size > end - run.next || !sums.extend(endOfSums(*run.adds, run.next + program.size))) continue;
      const std::int64_t first = source.firstOf(run.next), last = source.lastOf(run.next + program.size - 1) + 1;
      if (!from.hold(first, last)) return stop(noSuchFrames);
      setWindow(source, program.graph.input(0), first, last);
      if (!runProgram(run, program.graph)) return Progress::stopped;
      addShares(sums, *run.adds, static_cast<int>(stream_.buffers[run.adds->index].axis), program.graph.output(0),
                run.next, program.size);
      moveOn(run, run.next + program.size);
      return Progress::some;
    }
    return Progress::noRoom;
  }

  // Marks the sums as whole in which no later frame has a share.
  Progress settle(std::uint32_t buffer) {
    Frames& sums = network_.buffers[buffer];
    std::int64_t whole = network_.targets[buffer];
    for (const std::uint32_t stage : network_.model->adders[buffer]) {
      const StageRun& run = network_.stages[stage];
      const Frames& from = network_.buffers[run.sources[0].buffer];
      if (!from.isComplete() || run.next < framesToAdd(run.sources[0], from))
        whole = std::min(whole, firstSum(*run.adds, run.next));
    }
    const std::int64_t more = whole - sums.made();
    std::int64_t count = std::max<std::int64_t>(more, 0);
    while (count > 0 && !sums.extend(sums.made() + count)) count /= 2;
    sums.settle(sums.made() + count);
    if (network_.isFlushed) completeAtLength(buffer);
    return count > 0 ? Progress::some : more > 0 ? Progress::noRoom : Progress::none;
  }

  bool hasRoom(const StageRun& run, std::int64_t count) {
    for (const std::uint32_t buffer : run.appended)
      if (!network_.buffers[buffer].hasRoom(count)) return false;
    return true;
  }

  // Lets a program's input read frames [first, last), which must be in memory.
  void setWindow(const StageSource& source, TensorView& input, std::int64_t first, std::int64_t last) {
    const Frames& frames = network_.buffers[source.buffer];
    input.data = frames.at(first);
    if (frames.isDense()) return;
    frames.copy(first, last, source.copy);
    input.data = source.copy;
  }

  bool runProgram(StageRun& run, BoundGraph& graph) {
    if (graph.macs)
      network_.multiplyAdds += *graph.macs;
    else
      network_.countsAll = false;
    if (runGraph(graph, stop_.fault)) return true;
    stop_.program = run.program;
    return false;
  }

  // Copies the program's outputs to slots and states.
  void keepOutputs(const StageRun& run, const BoundGraph& graph) {
    for (std::size_t i = 0; i < run.stage->sinks.size(); ++i) {
      const manifest::Sink& sink = run.stage->sinks[i];
      if (sink.is(SinkKind::append)) continue;
      Tensor& value =
          sink.is(SinkKind::fillSlot) ? network_.slots[sink.index].value : network_.states[sink.index].value;
      copy(value.bytes().data(), {graph.output(static_cast<int>(i)).as<std::byte>(), value.bytes().size()});
      if (sink.is(SinkKind::fillSlot)) network_.slots[sink.index].isSet = true;
    }
  }

  void moveOn(StageRun& run, std::int64_t next) {
    run.next = next;
    for (const StageSource& source : run.sources)
      if (source.source->is(SourceKind::window))
        network_.buffers[source.buffer].advance(source.reader, source.firstOf(next));
    if (!network_.isFlushed) return;
    for (const std::uint32_t buffer : run.appended) completeAtLength(buffer);
  }

  void completeAtLength(std::uint32_t buffer) {
    if (Frames& frames = network_.buffers[buffer]; frames.made() == network_.targets[buffer]) frames.complete();
  }

  // ---- buffers of pieces

  Progress advancePieces(std::size_t actor) {
    PiecesRun& run = network_.pieces[actor];
    const std::vector<Source>& pieces = stream_.buffers[run.buffer].pieces;
    Frames& to = network_.buffers[run.buffer];
    if (run.piece == pieces.size() || to.made() >= network_.targets[run.buffer]) return Progress::none;
    const Source& piece = pieces[run.piece];
    const bool isSlot = piece.is(SourceKind::slot);
    std::int64_t there = 0;
    if (isSlot) {
      const Slot& slot = network_.slots[piece.index];
      if (!slot.isSet) return Progress::none;
      there = slot.shape[static_cast<int>(stream_.buffers[run.buffer].axis)];
    } else {
      there = network_.buffers[piece.index].made();
    }
    std::int64_t count = std::min(there - run.frame, network_.targets[run.buffer] - to.made());
    while (count > 1 && !to.hasRoom(count)) count /= 2;
    if (count > 0 && !to.hasRoom(count)) return Progress::noRoom;
    if (count > 0 && !copyPiece(run, piece, to, there, count)) return stop(noSuchFrames);
    run.frame += count;
    const bool isWhole = run.frame == there && (isSlot || network_.buffers[piece.index].isComplete());
    if (!isSlot) network_.buffers[piece.index].advance(run.reader, run.frame);
    if (isWhole) ++run.piece, run.frame = 0;
    if (network_.isFlushed) completeAtLength(run.buffer);
    return count > 0 || isWhole ? Progress::some : Progress::none;
  }

  bool copyPiece(const PiecesRun& run, const Source& piece, Frames& to, std::int64_t there, std::int64_t count) {
    if (piece.is(SourceKind::slot)) {
      to.append(network_.slots[piece.index].value.bytes().data() + run.frame * to.frameBytes(), count,
                there * to.frameBytes());
      return true;
    }
    Frames& from = network_.buffers[piece.index];
    if (!from.hold(run.frame, run.frame + count)) return false;
    to.append(from.at(run.frame), count, from.capacity() * from.frameBytes());
    return true;
  }

  Network& network_;
  const manifest::Stream& stream_;
  Stop stop_;
};

}  // namespace

Result<void> beginSequence(Network& network) {
  const manifest::Stream& stream = network.model->stream;
  network.isFlushed = network.isBroken = false;
  network.multiplyAdds = 0, network.countsAll = true;
  std::fill(network.framesIn.begin(), network.framesIn.end(), 0);
  std::fill(network.targets.begin(), network.targets.end(), 0);
  for (Frames& frames : network.buffers) frames.clear();
  for (Slot& slot : network.slots) slot.isSet = slot.isSet && !slot.followsStream;
  for (Carried& state : network.states) state.isSet = false;
  for (StageRun& run : network.stages) {
    run.next = 0;
    for (const manifest::Sink& sink : run.stage->sinks)
      if (sink.is(SinkKind::fillSlot)) run.isDone = network.slots[sink.index].isSet;
    for (const StageSource& source : run.sources)
      if (source.source->readsBuffer())
        network.buffers[source.buffer].advance(source.reader, source.source->is(SourceKind::window) ? source.firstOf(0)
                                                              : source.source->is(SourceKind::begin)
                                                                  ? source.source->first
                                                                  : static_cast<std::int64_t>(maxStreamFrames));
  }
  for (std::size_t i = 0; i < network.pieces.size(); ++i) {
    network.pieces[i].piece = 0, network.pieces[i].frame = 0;
    if (const Actor actor = network.model->actors[i]; !actor.isStage)
      for (const Source& piece : stream.buffers[actor.index].pieces)
        if (piece.is(SourceKind::window)) network.buffers[piece.index].advance(network.pieces[i].reader, 0);
  }
  for (NetworkOutput& output : network.outputs) {
    output.pulled = 0;
    network.buffers[output.buffer].advance(output.reader, 0);
  }
  return advance(network);
}

Result<void> advance(Network& network) {
  auto ran = Run(network).run();
  network.isBroken = !ran;
  return ran;
}

Result<void> advanceToNow(Network& network) {
  const manifest::Stream& stream = network.model->stream;
  const auto frames = static_cast<std::uint64_t>(network.framesIn[network.model->firstStreamed()]);
  for (std::size_t i = 0; i < network.buffers.size(); ++i) {
    const manifest::Buffer& buffer = stream.buffers[i];
    if (buffer.input != 0) {
      network.targets[i] = network.framesIn[buffer.input - 1];
      if (network.isFlushed) network.buffers[i].complete();
      continue;
    }
    const std::uint64_t target = (network.isFlushed ? buffer.length : buffer.sure).at(frames);
    network.targets[i] = static_cast<std::int64_t>(std::min(target, maxStreamFrames));
    if (network.isFlushed && network.buffers[i].made() == network.targets[i]) network.buffers[i].complete();
  }
  return advance(network);
}

}  // namespace axle::runtime
