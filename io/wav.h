// RIFF/WAVE files of PCM with 8, 16, 24 or 32 bits, as numbers from -1 to 1, or of floats with 32 or 64 bits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/file_error.h"

namespace axle {

struct Wav {
  std::uint32_t rate = 0;    // samples of each channel in a second
  std::uint64_t frames = 0;  // of one sample for each channel
  std::uint64_t channels = 1;
  std::shared_ptr<std::vector<float>> samples;  // frame by frame
};

FileResult<Wav> readWav(const std::string& path);

}  // namespace axle
