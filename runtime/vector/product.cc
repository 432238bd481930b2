#include "runtime/vector/product.h"

#include <algorithm>
#include <cstring>

namespace axle::runtime {

void packPanels(const float* from, std::int64_t pitch, std::int64_t k, std::int64_t columns, float* panels) {
  for (std::int64_t first = 0; first < columns; first += panelWidth) {
    const std::int64_t width = std::min(panelWidth, columns - first);
    if (width == panelWidth) {
      for (std::int64_t row = 0; row < k; ++row, panels += panelWidth)
        std::memcpy(panels, from + row * pitch + first, panelWidth * sizeof(float));
      continue;
    }
    const float* x = from + first;
    for (std::int64_t row = 0; row < k; ++row, panels += panelWidth, x += pitch) {
      std::memset(panels, 0, panelWidth * sizeof(float));
      std::int64_t column = 0;
      for (; column + 4 <= width; column += 4) std::memcpy(panels + column, x + column, 4 * sizeof(float));
      for (; column < width; ++column) panels[column] = x[column];
    }
  }
}

}  // namespace axle::runtime
