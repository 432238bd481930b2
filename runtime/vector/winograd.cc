#include "runtime/vector/winograd.h"

#include <algorithm>

namespace axle::runtime {
namespace {

// [winogradSize, 3]
constexpr double filterTransform[][3] = {{1, 0, 0},
                                         {1.0 / 3, 1.0 / 3, 1.0 / 3},
                                         {-1.0 / 3, 1.0 / 3, -1.0 / 3},
                                         {-16.0 / 15, -8.0 / 15, -4.0 / 15},
                                         {1.0 / 15, -2.0 / 15, 4.0 / 15},
                                         {0, 0, 1}};

}  // namespace

void transformFilter(const float* from, std::int64_t channels, std::int64_t columns, float* to) {
  const std::int64_t panels = panelsOf(columns), elementSize = panels * channels * panelWidth;
  std::fill_n(to, winogradElements * elementSize, 0.0f);
  for (std::int64_t channel = 0; channel < channels; ++channel)
    for (std::int64_t column = 0; column < columns; ++column) {
      const float* const taps = from + channel * columns + column;
      double half[winogradSize][3] = {};
      for (std::int64_t i = 0; i < winogradSize; ++i)
        for (std::int64_t b = 0; b < 3; ++b)
          for (std::int64_t a = 0; a < 3; ++a)
            half[i][b] += filterTransform[i][a] * static_cast<double>(taps[(a * 3 + b) * channels * columns]);
      float* place = to + (column / panelWidth * channels + channel) * panelWidth + column % panelWidth;
      for (std::int64_t i = 0; i < winogradSize; ++i)
        for (std::int64_t j = 0; j < winogradSize; ++j, place += elementSize) {
          double sum = 0;
          for (std::int64_t b = 0; b < 3; ++b) sum += half[i][b] * filterTransform[j][b];
          *place = static_cast<float>(sum);
        }
    }
}

}  // namespace axle::runtime
