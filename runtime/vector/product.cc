#include "runtime/vector/product.h"

namespace axle::runtime {

void packPanels(const float* from, std::int64_t pitch, std::int64_t k, std::int64_t columns, float* panels) {
  AXLE_KERNELS_IN_USE(products).pack(from, pitch, k, columns, panels);
}

}  // namespace axle::runtime
