// Formulas that resize images.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "import/tensorflow/operators/images.h"

namespace axle::tensorflow::images {

// ---- each axis by a matrix [out, in] of the weights of the pixels

namespace {

struct Axis {
  std::int64_t in = 0, out = 0;
  bool corners = false, halfPixel = false;

  // TensorFlow computes scales and coordinates in single precision.
  float scale() const {
    if (corners && out > 1) return static_cast<float>(in - 1) / static_cast<float>(out - 1);
    return static_cast<float>(in) / static_cast<float>(out);
  }
  float place(std::int64_t i) const {
    if (halfPixel) return (static_cast<float>(i) + 0.5F) * scale() - 0.5F;
    return static_cast<float>(i) * scale();
  }
};

using Matrix = std::vector<double>;

Matrix bilinear(const Axis& axis) {
  Matrix matrix(static_cast<std::size_t>(axis.in * axis.out));
  for (std::int64_t i = 0; i < axis.out; ++i) {
    float place = axis.place(i), floor = std::floor(place);
    auto low = std::clamp<std::int64_t>(static_cast<std::int64_t>(floor), 0, axis.in - 1);
    auto high = std::min(static_cast<std::int64_t>(std::ceil(place)), axis.in - 1);
    high = std::max<std::int64_t>(high, 0);
    double part = static_cast<double>(place - floor);
    matrix[static_cast<std::size_t>(i * axis.in + low)] += 1 - part;
    matrix[static_cast<std::size_t>(i * axis.in + high)] += part;
  }
  return matrix;
}

// Keys' cubic kernel. With half pixels a = -1/2, and taps outside of the image have no weight; otherwise a = -3/4, and
// the border is repeated.
Matrix bicubic(const Axis& axis) {
  Matrix matrix(static_cast<std::size_t>(axis.in * axis.out));
  const double a = axis.halfPixel ? -0.5 : -0.75;
  auto kernel = [a](double x) {
    x = std::abs(x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
  };
  for (std::int64_t i = 0; i < axis.out; ++i) {
    float place = axis.place(i), floor = std::floor(place);
    // The kernel is a table of 1024 steps.
    double part = std::nearbyint(static_cast<double>(place - floor) * 1024) / 1024, total = 0;
    double weights[4];
    for (int tap = 0; tap < 4; ++tap) {
      std::int64_t at = static_cast<std::int64_t>(floor) + tap - 1;
      weights[tap] = kernel(part - (tap - 1));
      if (axis.halfPixel && (at < 0 || at >= axis.in)) weights[tap] = 0;
      total += weights[tap];
    }
    for (int tap = 0; tap < 4; ++tap) {
      std::int64_t at = std::clamp<std::int64_t>(static_cast<std::int64_t>(floor) + tap - 1, 0, axis.in - 1);
      double weight = axis.halfPixel && std::abs(total) > 1e-6 ? weights[tap] / total : weights[tap];
      matrix[static_cast<std::size_t>(i * axis.in + at)] += weight;
    }
  }
  return matrix;
}

// Returns the mean over the area of an output pixel, with partial pixels weighted.
Matrix area(const Axis& axis) {
  Matrix matrix(static_cast<std::size_t>(axis.in * axis.out));
  const float scale = axis.scale();
  for (std::int64_t i = 0; i < axis.out; ++i) {
    float from = static_cast<float>(i) * scale, to = static_cast<float>(i + 1) * scale;
    auto first = static_cast<std::int64_t>(std::floor(from)), last = static_cast<std::int64_t>(std::ceil(to));
    for (std::int64_t at = first; at < last; ++at) {
      float left = std::max(static_cast<float>(at), from), right = std::min(static_cast<float>(at + 1), to);
      double weight = static_cast<double>(right - left) / static_cast<double>(scale);
      std::int64_t pixel = std::clamp<std::int64_t>(at, 0, axis.in - 1);
      matrix[static_cast<std::size_t>(i * axis.in + pixel)] += weight;
    }
  }
  return matrix;
}

struct Resizing {
  Axis rows, columns;
};

std::optional<Resizing> resizing(NodeFormula& f) {
  auto image = f.dims(0), made = f.outletDims(0);
  if (!image || !made || image->size() != 4 || made->size() != 4) return std::nullopt;
  bool corners = f.n.flag("align_corners"), half = f.n.flag("half_pixel_centers");
  auto axis = [&](std::size_t i) {
    return Axis{f.number((*image)[i]).value_or(0), f.number((*made)[i]).value_or(0), corners, half};
  };
  Resizing r{axis(1), axis(2)};
  if (r.rows.in < 1 || r.columns.in < 1 || r.rows.out < 1 || r.columns.out < 1) return std::nullopt;
  return r;
}

// Resizes [n, h, w, c] along h, then along w, by matrices [1, out, in] from the left.
Expr mixed(NodeFormula& f, Expr image, const Dims& from, const Dims& to, Expr rows, Expr columns) {
  Expr down = f.op("batch_matmul", {rows, f.shaped(image, {from[0], from[1], f.times(from[2], from[3])})});
  down = f.shaped(down, {f.times(from[0], to[1]), from[2], from[3]});
  return f.shaped(f.op("batch_matmul", {columns, down}), to);
}

// For sizes that the run computes: the two input positions along an axis for each pixel, and the weight of the second,
// computed in the run in single precision.
struct Places {
  Expr low, high, part;
};

Places placesAlong(NodeFormula& f, Dim in, Dim out, bool isNearest) {
  const bool corners = f.n.flag("align_corners"), half = f.n.flag("half_pixel_centers");
  Expr from = f.cast(f.numberOf(in), Elem::f32), to = f.cast(f.numberOf(out), Elem::f32), scale = from / to;
  if (corners) scale = choose(to > 1.0, (from - 1.0) / apply("maximum", to - 1.0, f.like(1, to)), scale);
  Expr at = f.cast(f.countTo(out), Elem::f32);
  at = half ? (at + 0.5) * scale : at * scale;
  if (isNearest && corners) at = at + 0.5;
  if (!isNearest && half) at = at - 0.5;
  auto within = [&](Expr place) {
    return f.cast(apply("minimum", apply("maximum", place, f.like(0, place)), from - 1.0), Elem::i64);
  };
  Expr floor = apply("floor", at);
  return {within(floor), within(apply("ceil", at)), at - floor};
}

// Resizes to sizes that follow from those of the inputs.
Expr resizedByCore(NodeFormula& f, const Dims& made, std::string_view method) {
  const char* coordinates = f.n.flag("align_corners")        ? "align_corners"
                            : f.n.flag("half_pixel_centers") ? "half_pixel"
                                                             : "asymmetric";
  Statics statics{{"size", f.n.t.list(Dims{made[1], made[2]})}, {"coordinates", f.n.t.word(coordinates)}};
  if (method == "nearest") return f.op("resize_nearest", {f.in(0)}, std::move(statics));
  statics.emplace("method", f.n.t.word(std::string(method)));
  return f.op("resize", {f.cast(f.in(0), Elem::f32)}, std::move(statics));
}

FormulaResults resizeOpen(NodeFormula& f, std::string_view method) {
  const bool isNearest = method == "nearest";
  auto known = f.outletDims(0), image = f.dims(0), made = f.sizesBy(0, 1, 1);
  if (!image || !made || image->size() != 4 || made->size() != 4) return {};
  // The core operator's cubic resizing uses half pixels.
  if (known == made && (method != "bicubic" || f.n.flag("half_pixel_centers")))
    return {resizedByCore(f, *made, method)};
  if (method == "bicubic") return {};
  Expr value = isNearest ? f.in(0) : f.cast(f.in(0), Elem::f32);
  for (std::size_t axis : {1, 2}) {
    const Dim out = (*made)[axis];
    const Places places = placesAlong(f, (*image)[axis], out, isNearest);
    const auto along = static_cast<std::int64_t>(axis);
    Expr low = f.gather(value, places.low, along);
    if (isNearest) {
      value = low;
      continue;
    }
    Dims shape{out, f.dim(1)};
    if (axis == 1) shape.push_back(f.dim(1));
    value = low + (f.gather(value, places.high, along) - low) * f.shaped(places.part, shape);
  }
  return {value};
}

template <Matrix (*weights)(const Axis&)>
FormulaResults resizeFormula(NodeFormula& f) {
  auto r = resizing(f);
  if (!r && weights == bilinear) return resizeOpen(f, "bilinear");
  if (!r) return weights == bicubic ? resizeOpen(f, "bicubic") : FormulaResults();
  auto matrix = [&](const Axis& axis) { return f.reals(Elem::f32, {1, axis.out, axis.in}, weights(axis)); };
  return {mixed(f, f.cast(f.in(0), Elem::f32), *f.dims(0), *f.outletDims(0), matrix(r->rows), matrix(r->columns))};
}

}  // namespace

FormulaResults resizeBilinearFormula(NodeFormula& f) { return resizeFormula<bilinear>(f); }
FormulaResults resizeBicubicFormula(NodeFormula& f) { return resizeFormula<bicubic>(f); }
FormulaResults resizeAreaFormula(NodeFormula& f) { return resizeFormula<area>(f); }

FormulaResults resizeNearestFormula(NodeFormula& f) {
  auto r = resizing(f);
  if (!r) return resizeOpen(f, "nearest");
  Expr image = f.in(0);
  for (std::int64_t axis : {1, 2}) {
    const Axis& along = axis == 1 ? r->rows : r->columns;
    Sizes places;
    for (std::int64_t i = 0; i < along.out; ++i) {
      // This operator adds a half pixel, but does not subtract it again.
      float place = (static_cast<float>(i) + (along.halfPixel ? 0.5F : 0.0F)) * along.scale();
      float at = along.corners ? std::round(place) : std::floor(place);
      places.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(at), 0, along.in - 1));
    }
    image = f.gather(image, f.integers(Elem::i64, {along.out}, places), axis);
  }
  return {image};
}

// ---- by a kernel, whose scale and shift the run computes

namespace {

struct Kernel {
  std::string_view name;
  double radius;
  Expr (*weight)(Expr);  // at a distance within the radius
};

template <int radius>
Expr lanczos(Expr x) {
  Expr y = choose(x <= 1e-3, 1, x * std::numbers::pi);
  return choose(x <= 1e-3, 1, apply("sin", y) * apply("sin", y / static_cast<double>(radius)) * radius / (y * y));
}

Expr gaussian(Expr x) { return apply("exp", x * x * -2.0); }
Expr box(Expr x) { return choose(x < 0.5, 1, choose(x == 0.5, 0.5, x * 0.0)); }
Expr triangle(Expr x) { return 1.0 - x; }
Expr cubic(Expr x, double a, double b, double c, double d) { return ((x * a + b) * x + c) * x + d; }
Expr keysCubic(Expr x) { return choose(x < 1.0, cubic(x, 1.5, -2.5, 0, 1), cubic(x, -0.5, 2.5, -4, 2)); }

Expr mitchellCubic(Expr x) {
  return choose(x < 1.0, cubic(x, 7.0 / 6, -2, 0, 8.0 / 9), cubic(x, -7.0 / 18, 2, -10.0 / 3, 16.0 / 9));
}

constexpr Kernel kernels[] = {
    {"lanczos1", 1, lanczos<1>},
    {"lanczos3", 3, lanczos<3>},
    {"lanczos5", 5, lanczos<5>},
    {"gaussian", 1.5, gaussian},
    {"box", 1, box},
    {"triangle", 1, triangle},
    {"keyscubic", 2, keysCubic},
    {"mitchellcubic", 2, mitchellCubic},
};

// Returns the weights [1, out, in] of the pixels along an axis; 0 for positions outside of the image.
Expr sampled(NodeFormula& f, const Kernel& kernel, Dim in, Dim out, Expr scale, Expr shift) {
  Expr inverse = 1.0 / scale, wide = apply("maximum", inverse, f.like(1, inverse));
  if (!f.n.flag("antialias")) wide = inverse * 0.0 + 1.0;
  Expr place = f.expand((f.cast(f.countTo(out), Elem::f32) + 0.5) * inverse - inverse * shift, -1);
  Expr distance = apply("abs", f.cast(f.countTo(in), Elem::f32) + 0.5 - place) * (1.0 / wide);
  Expr weight = choose(distance < kernel.radius, kernel.weight(distance), 0);
  weight = choose(place >= 0.0 && place <= f.cast(f.numberOf(in), Elem::f32), weight, 0);
  Expr total = f.reduce("sum", weight, {1}, true);
  return f.expand(weight / choose(apply("abs", total) < 1e-35, 1, total), 0);
}

}  // namespace

FormulaResults scaleAndTranslateFormula(NodeFormula& f) {
  auto image = f.dims(0), made = f.sizesBy(0, 3, 1);
  const std::string asked = f.n.text("kernel_type");
  const auto* kernel =
      std::find_if(std::begin(kernels), std::end(kernels), [&](const Kernel& k) { return k.name == asked; });
  if (!image || !made || image->size() != 4 || made->size() != 4 || kernel == std::end(kernels)) return {};
  auto matrix = [&](std::int64_t axis) {
    const auto at = static_cast<std::size_t>(axis + 1);
    return sampled(f, *kernel, (*image)[at], (*made)[at], f.at(f.in(2), 0, axis), f.at(f.in(3), 0, axis));
  };
  return {mixed(f, f.cast(f.in(0), Elem::f32), *image, *made, matrix(0), matrix(1))};
}

}  // namespace axle::tensorflow::images
