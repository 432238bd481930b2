// The network of a stream in memory: one struct for each message of `bundle.proto`. Decoding checks nothing;
// `check.h` does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/error.h"
#include "runtime/manifest.h"

namespace axle::runtime::manifest {

inline constexpr std::size_t maxStreamPrograms = 1u << 12;
inline constexpr std::size_t maxStreamItems = 1u << 16;  // stages, buffers, states, sources of a stage

struct Schedule {
  std::vector<std::uint64_t> first;
  std::uint64_t period = 0, step = 0;

  // Returns the value for n frames. Saturates.
  std::uint64_t at(std::uint64_t n) const;
};

enum class SourceKind : std::uint32_t { port, slot, state, window, begin, end, count, inside };
inline constexpr std::uint32_t sourceKinds = 8;

struct Source {
  std::uint32_t kind = 0, index = 0;
  std::int64_t stride = 0, spread = 0, first = 0, last = 0;

  bool is(SourceKind k) const { return kind == static_cast<std::uint32_t>(k); }
  bool isWindow() const { return is(SourceKind::window) || is(SourceKind::inside); }
  // Whether it reads the elements of frames.
  bool readsBuffer() const { return is(SourceKind::window) || is(SourceKind::begin) || is(SourceKind::end); }
};

enum class SinkKind : std::uint32_t { append, fillSlot, setState, add };

struct Sink {
  std::uint32_t kind = 0, index = 0;
  std::int64_t step = 0, per = 0, shift = 0, count = 0, spacing = 0, run = 0;  // for `add`
  std::uint32_t along = 0;

  bool is(SinkKind k) const { return kind == static_cast<std::uint32_t>(k); }
};

struct Stage {
  std::uint32_t program = 0;
  std::vector<Source> sources;
  std::vector<Sink> sinks;
  std::uint64_t scale = 0;
  std::int64_t shift = 0;

  // Whether it makes frames, or shares of them; if not, it runs once.
  bool makesFrames() const;
};

struct Buffer {
  std::uint32_t axis = 0;
  std::vector<std::byte> fill;
  std::uint64_t history = 0;
  Schedule sure, length;
  std::vector<Source> pieces;
  std::uint32_t input = 0;
};

struct CarriedState {
  Source initial;
  std::vector<std::byte> fill;
};

struct StreamInput {
  bool streams = false;
  std::uint32_t axis = 0;
  std::uint64_t rate = 0, per = 0;
};

struct StreamOutput {
  std::uint32_t buffer = 0;
  std::uint64_t delay = 0, stride = 0, frames = 0;
};

struct Stream {
  std::vector<Manifest> programs;  // without the fields that they share with the batch program
  std::vector<StreamInput> inputs;
  std::vector<StreamOutput> outputs;
  std::vector<Buffer> buffers;
  std::vector<Stage> stages;
  std::vector<CarriedState> states;
  std::uint32_t slots = 0;
  std::uint64_t chunk = 0;
  double sampleRate = 0;
};

// `debug` is the bundle's section, in which the stream's programs follow `programsBefore` others. Both must outlive the
// result.
Result<Stream> readStream(std::span<const std::byte> bytes, std::span<const std::byte> debug,
                          std::size_t programsBefore);

}  // namespace axle::runtime::manifest
