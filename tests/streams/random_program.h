// Random programs over one stream x : f32 [b, ~T, c].
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace axle::test {

struct RandomProgram {
  std::string text;
  std::int64_t batch = 1, channels = 1;
};

RandomProgram randomProgram(unsigned seed);

}  // namespace axle::test
