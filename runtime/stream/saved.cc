#include "runtime/stream/saved.h"

#include <array>
#include <cstring>
#include <utility>

#include "runtime/bundle_format.h"

namespace axle::runtime {
namespace {

using manifest::Source;
using manifest::SourceKind;

constexpr std::uint64_t magicAndVersion = 0x1'31535841;  // "AXS1", version 1

struct Header {
  std::uint64_t magic = magicAndVersion, bundle = 0, sizes = 0, bytes = 0, crc = 0;
};

// Writes a network's state to bytes.
class Writer {
 public:
  static constexpr bool isReader = false;
  std::vector<std::byte> bytes;

  bool number(std::int64_t& value, std::int64_t, std::int64_t) { return raw(reinterpret_cast<std::byte*>(&value), 8); }
  bool raw(std::byte* data, std::uint64_t count) {
    if (count > 0) bytes.insert(bytes.end(), data, data + count);
    return true;
  }
};

// Reads a network's state from bytes. Returns false for values that do not fit.
class Reader {
 public:
  static constexpr bool isReader = true;
  std::span<const std::byte> left;

  bool number(std::int64_t& value, std::int64_t least, std::int64_t most) {
    return raw(reinterpret_cast<std::byte*>(&value), 8) && least <= value && value <= most;
  }
  bool raw(std::byte* data, std::uint64_t count) {
    if (count > left.size()) return false;
    if (count > 0) std::memcpy(data, left.data(), count);
    left = left.subspan(count);
    return true;
  }
};

constexpr auto most = static_cast<std::int64_t>(maxStreamFrames);

// Passes the whole state to an archive, a Writer or a Reader, in one order.
template <class Archive>
class Transfer {
 public:
  Transfer(Network& network, Archive& archive) : network_(network), archive_(archive) {}

  bool all() {
    bool fits = flag(network_.isFlushed) && flag(network_.isBroken);
    for (std::int64_t& frames : network_.framesIn) fits = fits && archive_.number(frames, 0, most);
    for (Frames& frames : network_.buffers) fits = fits && buffer(frames);
    for (StageRun& run : network_.stages) fits = fits && archive_.number(run.next, 0, most) && flag(run.isDone);
    for (Slot& slot : network_.slots) fits = fits && tensor(slot.value, slot.isSet);
    for (Carried& state : network_.states) fits = fits && tensor(state.value, state.isSet);
    for (std::size_t i = 0; i < network_.pieces.size(); ++i)
      if (!network_.model->actors[i].isStage) fits = fits && pieces(network_.pieces[i]);
    for (NetworkOutput& output : network_.outputs)
      fits = fits && archive_.number(output.pulled, 0, network_.buffers[output.buffer].made());
    return fits;
  }

 private:
  bool flag(bool& value) {
    std::int64_t number = value ? 1 : 0;
    const bool fits = archive_.number(number, 0, 1);
    value = number != 0;
    return fits;
  }

  bool tensor(Tensor& value, bool& isSet) {
    return flag(isSet) && (!isSet || archive_.raw(value.bytes().data(), value.bytes().size()));
  }

  bool buffer(Frames& frames) {
    Frames::Position position = frames.position();
    if (!archive_.number(position.begin, -maxStreamOffset, most) || !archive_.number(position.end, 0, most) ||
        !archive_.number(position.made, 0, most) || !flag(position.isComplete))
      return false;
    if (Archive::isReader && !frames.setPosition(position)) return false;
    const std::int64_t bytes = (position.end - position.begin) * frames.frameBytes();
    for (std::int64_t row = 0; row < frames.outer(); ++row)
      if (!archive_.raw(frames.at(position.begin) + row * frames.capacity() * frames.frameBytes(),
                        static_cast<std::uint64_t>(bytes)))
        return false;
    return true;
  }

  bool pieces(PiecesRun& run) {
    const std::vector<Source>& all = network_.model->stream.buffers[run.buffer].pieces;
    auto piece = static_cast<std::int64_t>(run.piece);
    if (!archive_.number(piece, 0, static_cast<std::int64_t>(all.size()))) return false;
    run.piece = static_cast<std::size_t>(piece);
    std::int64_t there = 0;
    if (run.piece < all.size())
      there = all[run.piece].is(SourceKind::slot)
                  ? network_.slots[all[run.piece].index]
                        .shape[static_cast<int>(network_.model->stream.buffers[run.buffer].axis)]
                  : network_.buffers[all[run.piece].index].made();
    return archive_.number(run.frame, 0, there);
  }

  Network& network_;
  Archive& archive_;
};

// Sets the positions of readers, which follow from the state that was read.
void placeReaders(Network& network) {
  for (const StageRun& run : network.stages)
    for (const StageSource& source : run.sources)
      if (source.source->readsBuffer()) {
        const bool waits = source.source->is(SourceKind::begin) && !run.isDone;
        network.buffers[source.buffer].advance(source.reader, source.source->is(SourceKind::window)
                                                                  ? source.firstOf(run.next)
                                                              : waits ? source.source->first
                                                                      : most);
      }
  for (std::size_t i = 0; i < network.pieces.size(); ++i) {
    if (network.model->actors[i].isStage) continue;
    const PiecesRun& run = network.pieces[i];
    const std::vector<Source>& all = network.model->stream.buffers[run.buffer].pieces;
    for (std::size_t piece = 0; piece < all.size(); ++piece)
      if (all[piece].is(SourceKind::window))
        network.buffers[all[piece].index].advance(run.reader, piece < run.piece    ? most
                                                              : piece == run.piece ? run.frame
                                                                                   : 0);
  }
  for (const NetworkOutput& output : network.outputs)
    network.buffers[output.buffer].advance(output.reader, output.pulled);
}

std::uint64_t hashOfSizes(const Network& network) {
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  const auto add = [&](std::int64_t number) { hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x100000001B3; };
  for (const Shape& shape : network.inputShapes) {
    add(shape.rank());
    for (const std::int64_t size : shape) add(size);
  }
  return hash;
}

Header headerOf(const Network& network, std::span<const std::byte> bytes) {
  return {magicAndVersion, network.model->identity, hashOfSizes(network), bytes.size(), crc32(bytes)};
}

bool read(Network& network, std::span<const std::byte> bytes) {
  Reader reader{bytes};
  const bool fits = Transfer(network, reader).all() && reader.left.empty();
  if (fits) placeReaders(network);
  return fits;
}

tl::unexpected<RunError> refuse(const char* why) {
  return failure(ErrorCode::wrongState, std::string("the saved state ") + why);
}

}  // namespace

std::vector<std::byte> saveNetwork(Network& network) {
  Writer writer;
  writer.bytes.resize(sizeof(Header));
  Transfer(network, writer).all();
  const Header header = headerOf(network, std::span(writer.bytes).subspan(sizeof(Header)));
  std::memcpy(writer.bytes.data(), &header, sizeof header);
  return std::move(writer.bytes);
}

Result<void> restoreNetwork(Network& network, std::span<const std::byte> saved) {
  Header header;
  if (saved.size() < sizeof header) return refuse("is damaged");
  std::memcpy(&header, saved.data(), sizeof header);
  const std::span<const std::byte> bytes = saved.subspan(sizeof header);
  const Header expected = headerOf(network, bytes);
  if (header.magic != expected.magic) return refuse("is none, or is of another version");
  if (header.bytes != expected.bytes || header.crc != expected.crc) return refuse("is damaged");
  if (header.bundle != expected.bundle) return refuse("is of another bundle");
  if (header.sizes != expected.sizes) return refuse("is of inputs with other sizes");
  const std::vector<std::byte> before = saveNetwork(network);
  if (read(network, bytes)) return {};
  read(network, std::span(before).subspan(sizeof header));
  return refuse("has more frames than this stream has room for");
}

}  // namespace axle::runtime
