// Makes bundles with streams for tests.
#pragma once

#include <string>
#include <vector>

#include "runtime/stream.h"
#include "runtime/stream/messages.h"
#include "tests/runtime/bundle_maker.h"

namespace axle::runtime::test {

// A bundle to whose batch program and network tests add.
struct StreamMaker {
  Maker batch;
  manifest::Stream stream;

  // Adds the program of `maker`, and returns its index.
  std::uint32_t program(const Maker& maker);
  std::vector<std::byte> bundle() const;
};

// Returns a schedule with the values `first`, then `step` more for each n.
manifest::Schedule growing(std::vector<std::uint64_t> first, std::uint64_t step = 1);
manifest::Source windowOf(std::uint32_t buffer, std::int64_t first, std::int64_t last, std::int64_t stride = 1,
                          std::int64_t spread = 1);
manifest::Source sourceOf(manifest::SourceKind kind, std::uint32_t index = 0, std::int64_t first = 0,
                          std::int64_t last = 0);
manifest::Sink sinkOf(manifest::SinkKind kind, std::uint32_t index);

// x : f32 [n, 2] along axis 0: out[t] = x[t - 1] + x[t] + x[t + 1], with 0 for frames outside. A guard refuses n = 1.
StreamMaker neighbours();

// The same with sums instead of frames: one stage adds each frame to the results before and after it, another one to
// the result at its place.
StreamMaker neighboursAsSums();

// Returns a network with everything that networks can have, along axis 1 of f32 [2, n, 3]; stream_maker.cc describes
// it.
StreamMaker everything();

// Returns the model of a bundle, and keeps a copy of the bytes.
Result<std::shared_ptr<const StreamModel>> streamModel(const std::vector<std::byte>& bundle);

}  // namespace axle::runtime::test
