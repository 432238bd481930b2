// Bundles with streams, made by hand.
#pragma once

#include <string>
#include <vector>

#include "runtime/stream.h"
#include "runtime/stream/messages.h"
#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {

// A bundle whose batch program and network are added to.
struct StreamMaker {
  Maker batch;
  manifest::Stream stream;

  // Adds the program of `maker`; gives its index.
  std::uint32_t program(const Maker& maker);
  std::vector<std::byte> bundle() const;
};

// Values of a schedule: `first`, then `step` more for each n.
manifest::Schedule growing(std::vector<std::uint64_t> first, std::uint64_t step = 1);
manifest::Source windowOf(std::uint32_t buffer, std::int64_t first, std::int64_t last, std::int64_t stride = 1,
                          std::int64_t spread = 1);
manifest::Source sourceOf(manifest::SourceKind kind, std::uint32_t index = 0, std::int64_t first = 0,
                          std::int64_t last = 0);
manifest::Sink sinkOf(manifest::SinkKind kind, std::uint32_t index);

// x : f32 [n, 2] along axis 0: out[t] = x[t - 1] + x[t] + x[t + 1], where frames outside are 0. Where n is 1, a guard
// refuses.
StreamMaker neighbours();

// The same with sums in place of frames: a stage adds each frame to the results before and behind it, another one to
// its own.
StreamMaker neighboursAsSums();

// Everything that a network can have, along axis 1 of f32 [2, n, 3]: see the function.
StreamMaker everything();

// The model of a bundle; a copy of the bytes is kept.
Result<std::shared_ptr<const StreamModel>> streamModel(const std::vector<std::byte>& bundle);

}  // namespace axle::runtime::test
