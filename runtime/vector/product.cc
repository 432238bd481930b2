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
    for (std::int64_t row = 0; row < k; ++row, panels += panelWidth) {
      std::copy_n(from + row * pitch + first, width, panels);
      std::fill(panels + width, panels + panelWidth, 0.0f);
    }
  }
}

}  // namespace axle::runtime
