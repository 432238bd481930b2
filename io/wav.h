// Reads RIFF/WAVE files: PCM of 8, 16, 24 or 32 bits, scaled to -1..1, or floats of 32 or 64 bits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/file_error.h"

namespace axle {

struct Wav {
  std::uint32_t rate = 0;    // samples per second of each channel
  std::uint64_t frames = 0;  // one sample of each channel
  std::uint64_t lost = 0;    // frames that the header states and a file that was cut off lacks
  std::uint64_t channels = 1;
  std::shared_ptr<std::vector<float>> samples;  // frame by frame
};

FileResult<Wav> readWav(const std::string& path);

}  // namespace axle
