// A loaded and checked bundle. Sessions and streams share it: its programs, and its weights, which are read in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/error.h"
#include "runtime/session.h"
#include "runtime/variants.h"

namespace axle::runtime {

struct Bundle {
  std::shared_ptr<const void> owner;  // of the bytes
  std::span<const std::byte> bytes, weights, debug;
  Variants variants;
  std::uint32_t threads = 0;          // as Manifest.threads
  std::span<const std::byte> stream;  // the message `Stream`, not decoded; empty: the entry has no streamed inputs
  std::uint64_t maxArenaBytes = 0;    // the most that a session or stream may use
};

// Load a bundle as Session::fromFile and Session::fromMemory do.
Result<std::shared_ptr<const Bundle>> loadBundle(const std::string& path, const LoadOptions& options);
Result<std::shared_ptr<const Bundle>> loadBundle(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                                 const LoadOptions& options);

}  // namespace axle::runtime
