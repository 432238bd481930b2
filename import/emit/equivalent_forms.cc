#include "import/emit/equivalent_forms.h"

namespace axle::emit {

std::string_view equivalentForms() {
  return R"ax(
@implements("nn.dense")
dense_of_rows = fn (x : t [n, d], w : t [d, k], b : t [k]) { matmul(x, w) + b };

@implements("nn.dense")
dense_of_many = fn (x : t s @ [n, d], w : t [d, k], b : t [k]) { batch_matmul(x, w) + b };

@implements("nn.rms_norm")
rms_norm = fn (x : t s @ [d], g : t [d]; eps = 0.000001) {
  x * rsqrt(mean(square(x), axis=-1, keep=true) + eps) * g
};

@implements("nn.layer_norm_affine")
layer_norm = fn (x : t s @ [d], g : t [d], b : t [d]; eps = 0.001) {
  m = mean(x, axis=-1, keep=true);
  factor = rsqrt(mean(squared_difference(x, m), axis=-1, keep=true) + eps) * g;
  x * factor + (-m * factor + b)
};

@implements("nn.global_avg_pool")
global_avg_pool = fn (x : t [n, h, w, c]) { mean(x, axis=[1, 2]) };

@implements("nn.global_max_pool")
global_max_pool = fn (x : t [n, h, w, c]) { amax(x, axis=[1, 2]) };
)ax";
}

}  // namespace axle::emit
