// Formulas of operators on images: other sizes, colours, windows.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

// ---- other sizes: each axis by a matrix [out, in] of how much of each pixel there is

struct Axis {
  std::int64_t in = 0, out = 0;
  bool corners = false, halfPixel = false;

  // TensorFlow computes both in single precision.
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

// Keys' kernel with a = -1/2 for half pixels, where taps outside count as nothing and the rest is scaled up; else with
// a = -3/4, the border repeated.
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

// The mean of what lies between two places, parts of pixels counted as such.
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

std::optional<Resizing> resizing(Formula& f) {
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

// [n, h, w, c] along h, then along w: products of matrices [1, out, in] from the left.
Ex mixed(Formula& f, Ex image, const Dims& from, const Dims& to, Ex rows, Ex columns) {
  Ex down = f.op("batch_matmul", {rows, f.shaped(image, {from[0], from[1], f.times(from[2], from[3])})});
  down = f.shaped(down, {f.times(from[0], to[1]), from[2], from[3]});
  return f.shaped(f.op("batch_matmul", {columns, down}), to);
}

// Of sizes that are open: for each pixel the places along an axis that it is made of, computed in the run in single
// precision, too.
struct Places {
  Ex low, high, part;
};

Places placesAlong(Formula& f, Dim in, Dim out, bool isNearest) {
  const bool corners = f.n.flag("align_corners"), half = f.n.flag("half_pixel_centers");
  Ex from = f.cast(f.numberOf(in), Elem::f32), to = f.cast(f.numberOf(out), Elem::f32), scale = from / to;
  if (corners) scale = choose(to > 1.0, (from - 1.0) / apply("maximum", to - 1.0, f.like(1, to)), scale);
  Ex at = f.cast(f.countTo(out), Elem::f32);
  at = half ? (at + 0.5) * scale : at * scale;
  if (isNearest && corners) at = at + 0.5;
  if (!isNearest && half) at = at - 0.5;
  auto within = [&](Ex place) {
    return f.cast(apply("minimum", apply("maximum", place, f.like(0, place)), from - 1.0), Elem::i64);
  };
  Ex floor = apply("floor", at);
  return {within(floor), within(apply("ceil", at)), at - floor};
}

FormulaResults resizeOpen(Formula& f, bool isNearest) {
  auto image = f.dims(0), made = f.sizesBy(0, 1, 1);
  if (!image || !made || image->size() != 4 || made->size() != 4) return {};
  Ex value = isNearest ? f.in(0) : f.cast(f.in(0), Elem::f32);
  for (std::size_t axis : {1, 2}) {
    const Dim out = (*made)[axis];
    const Places places = placesAlong(f, (*image)[axis], out, isNearest);
    const auto along = static_cast<std::int64_t>(axis);
    Ex low = f.gather(value, places.low, along);
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
FormulaResults resize(Formula& f) {
  auto r = resizing(f);
  if (!r) return weights == bilinear ? resizeOpen(f, false) : FormulaResults();
  auto matrix = [&](const Axis& axis) { return f.reals(Elem::f32, {1, axis.out, axis.in}, weights(axis)); };
  return {mixed(f, f.cast(f.in(0), Elem::f32), *f.dims(0), *f.outletDims(0), matrix(r->rows), matrix(r->columns))};
}

FormulaResults resizeNearest(Formula& f) {
  auto r = resizing(f);
  if (!r) return resizeOpen(f, true);
  Ex image = f.in(0);
  for (std::int64_t axis : {1, 2}) {
    const Axis& along = axis == 1 ? r->rows : r->columns;
    Sizes places;
    for (std::int64_t i = 0; i < along.out; ++i) {
      // Half pixels are not moved back by half of one here.
      float place = (static_cast<float>(i) + (along.halfPixel ? 0.5F : 0.0F)) * along.scale();
      float at = along.corners ? std::round(place) : std::floor(place);
      places.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(at), 0, along.in - 1));
    }
    image = f.gather(image, f.integers(Type::i64, {along.out}, places), axis);
  }
  return {image};
}

// ---- other sizes by a kernel, whose scale and shift the run computes

struct Kernel {
  std::string_view name;
  double radius;
  Ex (*weight)(Ex);  // at a distance within the radius
};

template <int radius>
Ex lanczos(Ex x) {
  Ex y = choose(x <= 1e-3, 1, x * std::numbers::pi);
  return choose(x <= 1e-3, 1, apply("sin", y) * apply("sin", y / static_cast<double>(radius)) * radius / (y * y));
}
Ex gaussian(Ex x) { return apply("exp", x * x * -2.0); }
Ex box(Ex x) { return choose(x < 0.5, 1, choose(x == 0.5, 0.5, x * 0.0)); }
Ex triangle(Ex x) { return 1.0 - x; }
Ex cubic(Ex x, double a, double b, double c, double d) { return ((x * a + b) * x + c) * x + d; }
Ex keysCubic(Ex x) { return choose(x < 1.0, cubic(x, 1.5, -2.5, 0, 1), cubic(x, -0.5, 2.5, -4, 2)); }
Ex mitchellCubic(Ex x) {
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

// How much of each pixel along an axis there is, [1, out, in]: nothing where the place is outside of the image.
Ex sampled(Formula& f, const Kernel& kernel, Dim in, Dim out, Ex scale, Ex shift) {
  Ex inverse = 1.0 / scale, wide = apply("maximum", inverse, f.like(1, inverse));
  if (!f.n.flag("antialias")) wide = inverse * 0.0 + 1.0;
  Ex place = f.expand((f.cast(f.countTo(out), Elem::f32) + 0.5) * inverse - inverse * shift, -1);
  Ex distance = apply("abs", f.cast(f.countTo(in), Elem::f32) + 0.5 - place) * (1.0 / wide);
  Ex weight = choose(distance < kernel.radius, kernel.weight(distance), 0);
  weight = choose(place >= 0.0 && place <= f.cast(f.numberOf(in), Elem::f32), weight, 0);
  Ex total = f.reduce("sum", weight, {1}, true);
  return f.expand(weight / choose(apply("abs", total) < 1e-35, 1, total), 0);
}

FormulaResults scaleAndTranslate(Formula& f) {
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

// ---- colours

FormulaResults adjustContrast(Formula& f) {
  Ex x = f.in(0), factor = f.in(1);
  Elem elem = f.elem(x);
  Ex wide = f.cast(x, Elem::f32);
  Ex mean = f.reduce("mean", wide, {-3, -2}, true);
  return {f.cast((wide - mean) * f.cast(factor, Elem::f32) + mean, elem)};
}

struct Colour {
  Ex a, b, c;
};

Colour channels(Formula& f, Ex image) { return {f.at(image, -1, 0), f.at(image, -1, 1), f.at(image, -1, 2)}; }
Ex image(Formula& f, const Colour& colour) { return f.stack({colour.a, colour.b, colour.c}, -1); }

// Hue in [0, 1), saturation, value.
Colour toHsv(const Colour& rgb) {
  Ex value = apply("maximum", rgb.a, apply("maximum", rgb.b, rgb.c));
  Ex range = value - apply("minimum", rgb.a, apply("minimum", rgb.b, rgb.c));
  Ex saturation = choose(value > 0.0, range / value, 0);
  Ex norm = 1.0 / 6.0 / range;
  Ex hue = choose(rgb.a == value, norm * (rgb.b - rgb.c),
                  choose(rgb.b == value, norm * (rgb.c - rgb.a) + 2.0 / 6.0, norm * (rgb.a - rgb.b) + 4.0 / 6.0));
  hue = choose(range > 0.0, hue, 0);
  return {choose(hue < 0.0, hue + 1.0, hue), saturation, value};
}

Colour toRgb(const Colour& hsv) {
  Ex h = hsv.a * 6.0, chroma = hsv.b * hsv.c, least = hsv.c - chroma;
  auto clipped = [](Ex x) {
    return apply("minimum", apply("maximum", x, x.formula->like(0, x)), x.formula->like(1, x));
  };
  Ex r = clipped(apply("abs", h - 3.0) - 1.0), g = clipped(2.0 - apply("abs", h - 2.0)),
     b = clipped(2.0 - apply("abs", h - 4.0));
  return {r * chroma + least, g * chroma + least, b * chroma + least};
}

FormulaResults rgbToHsv(Formula& f) { return {image(f, toHsv(channels(f, f.in(0))))}; }
FormulaResults hsvToRgb(Formula& f) { return {image(f, toRgb(channels(f, f.in(0))))}; }

FormulaResults adjustHue(Formula& f) {
  Ex x = f.in(0);
  Elem elem = f.elem(x);
  Colour hsv = toHsv(channels(f, f.cast(x, Elem::f64)));
  Ex hue = hsv.a + f.cast(f.in(1), Elem::f64);
  hsv.a = hue - apply("floor", hue);
  return {f.cast(image(f, toRgb(hsv)), elem)};
}

FormulaResults adjustSaturation(Formula& f) {
  Ex x = f.in(0);
  Elem elem = f.elem(x);
  Colour hsv = toHsv(channels(f, f.cast(x, Elem::f64)));
  Ex saturation = hsv.b * f.cast(f.in(1), Elem::f64);
  hsv.b = apply("minimum", apply("maximum", saturation, f.like(0, saturation)), f.like(1, saturation));
  return {f.cast(image(f, toRgb(hsv)), elem)};
}

// ---- windows

struct Windows {
  std::int64_t height = 0, width = 0;  // of the image
  std::int64_t rows = 0, columns = 0;  // of the window
  Sizes top, left;                     // where windows begin, perhaps outside of the image
  std::int64_t rowRate = 1, columnRate = 1;

  Dim along(Formula& f, std::size_t axis) const { return f.dim(std::ssize(axis == 1 ? top : left)); }
};

// Where windows along one axis begin; none where its padding is not known.
std::optional<Sizes> starts(Formula& f, std::size_t axis, std::int64_t size, std::int64_t window, std::int64_t stride) {
  const std::string padding = f.n.text("padding");
  std::int64_t before = 0, after = 0;
  if (padding == "SAME") {
    const std::int64_t count = (size + stride - 1) / stride;
    const std::int64_t beyond = std::max<std::int64_t>((count - 1) * stride + window - size, 0);
    before = beyond / 2;
    after = beyond - before;
  } else if (padding == "EXPLICIT") {
    const Sizes pads = f.n.integers("explicit_paddings");
    if (pads.size() != 8) return std::nullopt;
    before = pads[2 * axis];
    after = pads[2 * axis + 1];
  } else if (padding != "VALID") {
    return std::nullopt;
  }
  Sizes out;
  for (std::int64_t at = -before; at + window <= size + after; at += stride) out.push_back(at);
  return out;
}

// Of images [n, h, w, c], of which the run may say how many there are.
std::optional<Windows> windowsOf(Formula& f, const Dims& image, const Sizes& size, const Sizes& stride,
                                 const Sizes& rates) {
  if (image.size() != 4 || size.size() != 4 || stride.size() != 4 || rates.size() != 4) return std::nullopt;
  auto height = f.number(image[1]), width = f.number(image[2]);
  if (!height || !width || stride[1] < 1 || stride[2] < 1 || size[1] < 1 || size[2] < 1) return std::nullopt;
  auto top = starts(f, 1, *height, (size[1] - 1) * rates[1] + 1, stride[1]);
  auto left = starts(f, 2, *width, (size[2] - 1) * rates[2] + 1, stride[2]);
  if (!top || !left) return std::nullopt;
  return Windows{*height, *width, size[1], size[2], std::move(*top), std::move(*left), rates[1], rates[2]};
}

// For each place of a window the pixels there of all windows, [n, oh, ow, c]; outside of the image `outside`.
std::vector<Ex> places(Formula& f, Ex image, const Windows& w, Ex outside) {
  Ex padded = f.padWith(image, outside, {0, 0, 0, 1, 0, 1, 0, 0});
  auto along = [&](const Sizes& begins, std::int64_t step, std::int64_t size) {
    Sizes out;
    for (std::int64_t begin : begins) out.push_back(begin + step >= 0 && begin + step < size ? begin + step : size);
    return f.integers(Type::i64, {static_cast<std::int64_t>(out.size())}, out);
  };
  std::vector<Ex> all;
  for (std::int64_t r = 0; r < w.rows; ++r) {
    Ex row = f.gather(padded, along(w.top, r * w.rowRate, w.height), 1);
    for (std::int64_t c = 0; c < w.columns; ++c)
      all.push_back(f.gather(row, along(w.left, c * w.columnRate, w.width), 2));
  }
  return all;
}

FormulaResults imagePatches(Formula& f) {
  auto image = f.dims(0);
  if (!image) return {};
  auto w = windowsOf(f, *image, f.n.integers("ksizes"), f.n.integers("strides"), f.n.integers("rates"));
  if (!w) return {};
  return {f.concat(places(f, f.in(0), *w, f.like(0, f.in(0))), 3)};
}

FormulaResults dilation(Formula& f) {
  auto image = f.dims(0);
  auto filter = f.sizes(1);
  if (!image || !filter || filter->size() != 3) return {};
  Sizes size{1, (*filter)[0], (*filter)[1], 1};
  auto w = windowsOf(f, *image, size, f.n.integers("strides"), f.n.integers("rates"));
  if (!w || !info(f.elem(f.in(0))).isFloat) return {};
  std::vector<Ex> pixels = places(f, f.in(0), *w, f.like(-INFINITY, f.in(0)));
  Ex best;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    auto at = static_cast<std::int64_t>(i);
    Ex sum = pixels[i] + f.at(f.at(f.in(1), 0, at / w->columns), 0, at % w->columns);
    best = i ? apply("maximum", best, sum) : sum;
  }
  return {best};
}

double leastOf(Elem elem) {
  const ElemInfo& its = info(elem);
  if (its.isFloat) return -INFINITY;
  return its.isSigned ? -std::ldexp(1, static_cast<int>(8 * its.bytes) - 1) : 0;
}

// The first of the largest of each window, and its place in the image, or in the batch of images.
struct Largest {
  Ex value, place;
};

std::optional<Largest> largestOf(Formula& f, const Dims& image, bool isOfBatch) {
  auto w = windowsOf(f, image, f.n.integers("ksize"), f.n.integers("strides"), {1, 1, 1, 1});
  if (!w) return std::nullopt;
  const Dim each = f.productOf(image, 1);
  const Dims made{image[0], w->along(f, 1), w->along(f, 2), image[3]};
  Ex number = f.shaped(f.countTo(each), {f.dim(1), image[1], image[2], image[3]});
  std::vector<Ex> pixels = places(f, f.in(0), *w, f.like(leastOf(f.elem(f.in(0))), f.in(0)));
  std::vector<Ex> at = places(f, number, *w, f.number(-1, Elem::i64));
  Ex best = pixels[0], place = f.stretched(at[0], made);
  for (std::size_t i = 1; i < pixels.size(); ++i) {
    Ex larger = pixels[i] > best || (place < 0.0 && at[i] >= 0.0);
    place = choose(larger, at[i], place);
    best = choose(larger, pixels[i], best);
  }
  if (isOfBatch)
    place = place + f.shaped(f.countTo(image[0]) * f.numberOf(each), {image[0], f.dim(1), f.dim(1), f.dim(1)});
  return Largest{best, place};
}

FormulaResults poolWithPlaces(Formula& f) {
  auto image = f.dims(0);
  auto found = image ? largestOf(f, *image, f.n.flag("include_batch_in_index")) : std::nullopt;
  if (!found) return {};
  return {found->value, f.cast(found->place, f.elemOf(f.n.type("Targmax").value_or(Type::i64)))};
}

// What comes back to each pixel from the windows in which it is the largest.
FormulaResults poolGradient(Formula& f) {
  auto image = f.dims(0), made = f.dims(2);
  if (!image || !made || f.n.text("data_format") == "NCHW") return {};
  auto found = largestOf(f, *image, true);
  if (!found) return {};
  const Dims flat{f.productOf(*made)};
  Ex back = f.op("segment_sum", {f.shaped(f.in(2), flat), f.shaped(found->place, flat)},
                 {{"count", f.n.t.integer(f.productOf(*image))}});
  return {f.shaped(back, *image)};
}

// Patches of all images, each times what comes back to its window.
FormulaResults filterGradient(Formula& f) {
  auto image = f.dims(0), back = f.dims(2);
  auto filter = f.outletSizes(0);
  if (!image || !back || !filter || filter->size() != 4 || back->size() != 4 || f.n.text("data_format") == "NCHW")
    return {};
  auto w = windowsOf(f, *image, {1, (*filter)[0], (*filter)[1], 1}, f.n.integers("strides"), f.n.integers("dilations"));
  if (!w || f.number((*image)[3]) != (*filter)[2]) return {};
  const Dim windows = f.productOf(*back, 0, 3), size = f.dim((*filter)[0] * (*filter)[1] * (*filter)[2]);
  Ex patches = f.shaped(f.concat(places(f, f.in(0), *w, f.like(0, f.in(0))), 3), {windows, size});
  return {f.reshape(f.op("matmul_tn", {patches, f.shaped(f.in(2), {windows, (*back)[3]})}), *filter)};
}

// ---- a projection of the plane

// Where a place outside of an axis is taken from; as it is where what lies outside has a value of its own.
Ex mapped(Ex place, double size, const std::string& mode) {
  Formula& f = *place.formula;
  auto whole = [](Ex x) { return apply("trunc", x); };
  const double last = size - 1;
  if (mode == "CONSTANT") return place;
  if (mode == "REFLECT") {
    Ex below = 2 * size * whole(-place / (2 * size)) + place;
    below = choose(below < -size, below + 2 * size, -below - 1.0);
    Ex above = place - 2 * size * whole(place / (2 * size));
    above = choose(above >= size, 2 * size - above - 1.0, above);
    place = choose(place < 0.0, below, choose(place > last, above, place));
  }
  if (mode == "WRAP" && size > 1) {
    Ex below = place + size * (whole(-place / last) + 1.0), above = place - size * whole(place / last);
    place = choose(place < 0.0, below, choose(place > last, above, place));
  }
  return apply("minimum", apply("maximum", place, f.like(0, place)), f.like(last, place));
}

// Pixels of [n, h, w, c] at whole places [n, oh, ow]; outside of the image `outside`.
Ex pixels(Formula& f, const Dims& image, Ex y, Ex x, Ex outside) {
  const Dim rows = image[1], columns = image[2], all = f.productOf(image, 0, 3);
  Ex height = f.cast(f.numberOf(rows), Elem::f32), width = f.cast(f.numberOf(columns), Elem::f32);
  Ex isInside = y >= 0.0 && y < height && x >= 0.0 && x < width;
  auto within = [&](Ex place) { return f.cast(choose(isInside, place, 0), Elem::i64); };
  Ex first = f.shaped(f.countTo(image[0]) * f.numberOf(f.times(rows, columns)), {image[0], f.dim(1), f.dim(1)});
  Ex found = f.gather(f.shaped(f.in(0), {all, image[3]}), first + within(y) * f.numberOf(columns) + within(x), 0);
  return choose(f.expand(isInside, -1), found, outside);
}

FormulaResults projected(Formula& f) {
  auto image = f.dims(0), made = f.outletDims(0), transforms = f.dims(1);
  auto isOne = [&](std::size_t i) { return f.number((*image)[i]).has_value() && f.number((*made)[i]).has_value(); };
  if (!image || !made || !transforms || image->size() != 4 || made->size() != 4 || !isOne(1) || !isOne(2)) return {};
  const std::string mode = f.n.text("fill_mode").empty() ? "CONSTANT" : f.n.text("fill_mode");
  const bool isNearest = f.n.text("interpolation") == "NEAREST";
  const Elem elem = f.elem(f.in(0));
  if (!isNearest && !info(elem).isFloat) return {};
  auto part = [&](std::int64_t i) { return f.shaped(f.at(f.in(1), -1, i), {transforms->front(), f.dim(1), f.dim(1)}); };
  Ex row = f.expand(f.cast(f.countTo((*made)[1]), Elem::f32), -1), column = f.cast(f.countTo((*made)[2]), Elem::f32);
  Ex below = part(6) * column + part(7) * row + 1.0;
  auto place = [&](std::int64_t from, std::size_t axis) {
    Ex its = (part(from) * column + part(from + 1) * row + part(from + 2)) / below;
    return mapped(its, static_cast<double>(*f.number((*image)[axis])), mode);
  };
  Ex x = place(0, 2), y = place(3, 1);
  Ex outside = f.count() > 3 ? f.cast(f.in(3), elem) : f.number(0, elem), found;
  if (isNearest) {
    auto rounded = [](Ex at) {  // halves away from 0
      return choose(at < 0.0, -apply("floor", 0.5 - at), apply("floor", at + 0.5));
    };
    found = pixels(f, *image, rounded(y), rounded(x), outside);
  } else {
    Ex top = apply("floor", y), left = apply("floor", x);
    auto mixed = [&](Ex part, Ex a, Ex b) {
      Ex its = f.cast(f.expand(part, -1), elem);
      return (1.0 - its) * a + its * b;
    };
    auto line = [&](Ex at) {
      return mixed(x - left, pixels(f, *image, at, left, outside), pixels(f, *image, at, left + 1.0, outside));
    };
    found = mixed(y - top, line(top), line(top + 1.0));
  }
  return {choose(f.expand(below == 0.0, -1), outside, found)};
}

constexpr FormulaRow rows[] = {
    {"ImageProjectiveTransformV2", projected},
    {"ImageProjectiveTransformV3", projected},
    {"ResizeBilinear", resize<bilinear>},
    {"ResizeBicubic", resize<bicubic>},
    {"ResizeArea", resize<area>},
    {"ResizeNearestNeighbor", resizeNearest},
    {"ScaleAndTranslate", scaleAndTranslate},
    {"AdjustContrastv2", adjustContrast},
    {"RGBToHSV", rgbToHsv},
    {"HSVToRGB", hsvToRgb},
    {"AdjustHue", adjustHue},
    {"AdjustSaturation", adjustSaturation},
    {"ExtractImagePatches", imagePatches},
    {"Dilation2D", dilation},
    {"MaxPoolWithArgmax", poolWithPlaces},
    {"MaxPoolGrad", poolGradient},
    {"Conv2DBackpropFilter", filterGradient},
};

}  // namespace

std::span<const FormulaRow> imageFormulas() { return rows; }

}  // namespace axle::tensorflow
