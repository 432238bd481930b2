// The checked network of a bundle's stream. Streams share it, and with it the bundle's weights.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/bundle.h"
#include "runtime/stream.h"
#include "runtime/stream/messages.h"

namespace axle::runtime {

// A stage, or a buffer that is concatenated from pieces.
struct Actor {
  bool isStage = false;
  std::uint32_t index = 0;
};

struct StreamModel {
  // The element type and rank of a buffer, slot or state.
  struct Kind {
    Elem elem = Elem::f32;
    int rank = 0;

    friend bool operator==(const Kind&, const Kind&) = default;
  };

  std::shared_ptr<const Bundle> bundle;
  manifest::Stream stream;
  std::vector<Kind> buffers, slots, states;
  std::vector<std::vector<std::uint32_t>> adders;  // for each buffer: the stages that add to its sums
  std::vector<Actor> actors;                       // each after those that it reads from
  std::uint64_t identity = 0;                      // a hash of the bundle's header, which has checksums of the contents

  const Variant& batch() const { return bundle->variants.all.front(); }
  std::size_t firstStreamed() const;  // the input whose frames are counted
};

// Limits of one stream; larger numbers are refused: frames in total, in a push, and that a window advances.
inline constexpr std::uint64_t maxStreamFrames = std::uint64_t{1} << 44;
inline constexpr std::int64_t maxPushFrames = std::int64_t{1} << 31;
inline constexpr std::int64_t maxStreamStride = 1 << 17;
inline constexpr std::int64_t maxStreamOffset = std::int64_t{1} << 40;

// Checks every index, kind, element type and rank, and finds the order of actors; sets all but `bundle` and `identity`.
Result<void> checkStream(StreamModel& model);

}  // namespace axle::runtime
