// Operators on images: decoding, resizing, colours, projections.
#include <algorithm>
#include <cmath>

#include "import/tensorflow/operators/images.h"
#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::images {
namespace {

// 0 channels mean those of the file.
Outcome decodedImageType(RuleNode& n, std::string_view) {
  std::int64_t channels = n.integer("channels");
  auto open = [&](const char* name) { return n.t.unknownSize(name); };
  Dim depth = channels > 0 ? n.t.constant(channels) : open("c");
  if (n.node.op == "DecodeAndCropJpeg") {
    auto window = n.sizes(1);  // y, x, height, width
    bool known = window && window->size() == 4;
    return n.giveShape(n.t.shape({known ? (*window)[2] : open("h"), known ? (*window)[3] : open("w"), depth}));
  }
  if (n.node.op == "DecodeGif") return n.giveShape(n.t.shape({open("f"), open("h"), open("w"), n.t.constant(3)}));
  if (n.node.op == "DecodeImage" && n.flag("expand_animations")) return n.giveShape(n.t.unknownShape("s"));
  return n.giveShape(n.t.shape({open("h"), open("w"), depth}));
}

constexpr std::string_view glimpse = "(f [n, h, w, c], f [n, 2]; size : ints(2)) -> f [n, size[0], size[1], c]";
constexpr std::string_view resized = "(t [n, h, w, c]; size : ints(2)) -> u [n, size[0], size[1], c]";
constexpr std::string_view coloured = "(t s @ [3], u []) -> t s @ [3]";

// ---- colours

FormulaResults adjustContrastFormula(NodeFormula& f) {
  Expr x = f.in(0), factor = f.in(1);
  Elem elem = f.elem(x);
  Expr wide = f.cast(x, Elem::f32);
  Expr mean = f.reduce("mean", wide, {-3, -2}, true);
  return {f.cast((wide - mean) * f.cast(factor, Elem::f32) + mean, elem)};
}

struct Colour {
  Expr a, b, c;
};

Colour channels(NodeFormula& f, Expr image) { return {f.at(image, -1, 0), f.at(image, -1, 1), f.at(image, -1, 2)}; }
Expr image(NodeFormula& f, const Colour& colour) { return f.stack({colour.a, colour.b, colour.c}, -1); }

// Hue in [0, 1), saturation, value.
Colour toHsv(const Colour& rgb) {
  Expr value = apply("maximum", rgb.a, apply("maximum", rgb.b, rgb.c));
  Expr range = value - apply("minimum", rgb.a, apply("minimum", rgb.b, rgb.c));
  Expr saturation = choose(value > 0.0, range / value, 0);
  Expr norm = 1.0 / 6.0 / range;
  Expr hue = choose(rgb.a == value, norm * (rgb.b - rgb.c),
                    choose(rgb.b == value, norm * (rgb.c - rgb.a) + 2.0 / 6.0, norm * (rgb.a - rgb.b) + 4.0 / 6.0));
  hue = choose(range > 0.0, hue, 0);
  return {choose(hue < 0.0, hue + 1.0, hue), saturation, value};
}

Colour toRgb(const Colour& hsv) {
  Expr h = hsv.a * 6.0, chroma = hsv.b * hsv.c, least = hsv.c - chroma;
  Expr r = clamped(apply("abs", h - 3.0) - 1.0, 0, 1), g = clamped(2.0 - apply("abs", h - 2.0), 0, 1),
       b = clamped(2.0 - apply("abs", h - 4.0), 0, 1);
  return {r * chroma + least, g * chroma + least, b * chroma + least};
}

FormulaResults rgbToHsvFormula(NodeFormula& f) { return {image(f, toHsv(channels(f, f.in(0))))}; }
FormulaResults hsvToRgbFormula(NodeFormula& f) { return {image(f, toRgb(channels(f, f.in(0))))}; }

FormulaResults adjustHueFormula(NodeFormula& f) {
  Expr x = f.in(0);
  Elem elem = f.elem(x);
  Colour hsv = toHsv(channels(f, f.cast(x, Elem::f64)));
  Expr hue = hsv.a + f.cast(f.in(1), Elem::f64);
  hsv.a = hue - apply("floor", hue);
  return {f.cast(image(f, toRgb(hsv)), elem)};
}

FormulaResults adjustSaturationFormula(NodeFormula& f) {
  Expr x = f.in(0);
  Elem elem = f.elem(x);
  Colour hsv = toHsv(channels(f, f.cast(x, Elem::f64)));
  Expr saturation = hsv.b * f.cast(f.in(1), Elem::f64);
  hsv.b = clamped(saturation, 0, 1);
  return {f.cast(image(f, toRgb(hsv)), elem)};
}

// ---- a projection of the plane

// Maps a coordinate outside of an axis into it by `mode`; CONSTANT leaves it as it is.
Expr mapped(Expr place, double size, const std::string& mode) {
  auto whole = [](Expr x) { return apply("trunc", x); };
  const double last = size - 1;
  if (mode == "CONSTANT") return place;
  if (mode == "REFLECT") {
    Expr below = 2 * size * whole(-place / (2 * size)) + place;
    below = choose(below < -size, below + 2 * size, -below - 1.0);
    Expr above = place - 2 * size * whole(place / (2 * size));
    above = choose(above >= size, 2 * size - above - 1.0, above);
    place = choose(place < 0.0, below, choose(place > last, above, place));
  }
  if (mode == "WRAP" && size > 1) {
    Expr below = place + size * (whole(-place / last) + 1.0), above = place - size * whole(place / last);
    place = choose(place < 0.0, below, choose(place > last, above, place));
  }
  return clamped(place, 0, last);
}

// Returns the pixels of [n, h, w, c] at integer coordinates [n, oh, ow]; `outside` for coordinates outside of the
// image.
Expr pixels(NodeFormula& f, const Dims& image, Expr y, Expr x, Expr outside) {
  const Dim rows = image[1], columns = image[2], all = f.productOf(image, 0, 3);
  Expr height = f.cast(f.numberOf(rows), Elem::f32), width = f.cast(f.numberOf(columns), Elem::f32);
  Expr isInside = y >= 0.0 && y < height && x >= 0.0 && x < width;
  auto within = [&](Expr place) { return f.cast(choose(isInside, place, 0), Elem::i64); };
  Expr first = f.shaped(f.countTo(image[0]) * f.numberOf(f.times(rows, columns)), {image[0], f.dim(1), f.dim(1)});
  Expr found = f.gather(f.shaped(f.in(0), {all, image[3]}), first + within(y) * f.numberOf(columns) + within(x), 0);
  return choose(f.expand(isInside, -1), found, outside);
}

FormulaResults projectiveTransformFormula(NodeFormula& f) {
  auto image = f.dims(0), made = f.outletDims(0), transforms = f.dims(1);
  auto isOne = [&](std::size_t i) { return f.number((*image)[i]).has_value() && f.number((*made)[i]).has_value(); };
  if (!image || !made || !transforms || image->size() != 4 || made->size() != 4 || !isOne(1) || !isOne(2)) return {};
  const std::string mode = f.n.text("fill_mode").empty() ? "CONSTANT" : f.n.text("fill_mode");
  const bool isNearest = f.n.text("interpolation") == "NEAREST";
  const Elem elem = f.elem(f.in(0));
  if (!isNearest && !info(elem).isFloat) return {};
  auto part = [&](std::int64_t i) { return f.shaped(f.at(f.in(1), -1, i), {transforms->front(), f.dim(1), f.dim(1)}); };
  Expr row = f.expand(f.cast(f.countTo((*made)[1]), Elem::f32), -1), column = f.cast(f.countTo((*made)[2]), Elem::f32);
  Expr below = part(6) * column + part(7) * row + 1.0;
  auto place = [&](std::int64_t from, std::size_t axis) {
    Expr its = (part(from) * column + part(from + 1) * row + part(from + 2)) / below;
    return mapped(its, static_cast<double>(*f.number((*image)[axis])), mode);
  };
  Expr x = place(0, 2), y = place(3, 1);
  Expr outside = f.count() > 3 ? f.cast(f.in(3), elem) : f.number(0, elem), found;
  if (isNearest) {
    auto rounded = [](Expr at) {  // halves away from 0
      return choose(at < 0.0, -apply("floor", 0.5 - at), apply("floor", at + 0.5));
    };
    found = pixels(f, *image, rounded(y), rounded(x), outside);
  } else {
    Expr top = apply("floor", y), left = apply("floor", x);
    auto mixed = [&](Expr part, Expr a, Expr b) {
      Expr its = f.cast(f.expand(part, -1), elem);
      return (1.0 - its) * a + its * b;
    };
    auto line = [&](Expr at) {
      return mixed(x - left, pixels(f, *image, at, left, outside), pixels(f, *image, at, left + 1.0, outside));
    };
    found = mixed(y - top, line(top), line(top + 1.0));
  }
  return {choose(f.expand(below == 0.0, -1), outside, found)};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                         type                                           value  formula
    {"DecodeJpeg",                  decodedImageType},
    {"DecodeAndCropJpeg",           decodedImageType},
    {"DecodePng",                   decodedImageType},
    {"DecodeBmp",                   decodedImageType},
    {"DecodeGif",                   decodedImageType},
    {"DecodeImage",                 decodedImageType},
    {"EncodeJpeg",                  "(t [h, w, c]) -> string []"},
    {"EncodePng",                   "(t s @ [h, w, c]) -> string s"},
    {"ResizeBilinear",              resized,                                       {},    resizeBilinearFormula},
    {"ResizeBicubic",               resized,                                       {},    resizeBicubicFormula},
    {"ResizeArea",                  resized,                                       {},    resizeAreaFormula},
    {"ResizeNearestNeighbor",       resized,                                       {},    resizeNearestFormula},
    {"ScaleAndTranslate",           "(t [n, h, w, c], f [2], f [2]; size : ints(2)) -> f [n, size[0], size[1], c]",
                                                                                   {},    scaleAndTranslateFormula},
    {"ImageProjectiveTransformV2",  "(t [n, h, w, c], f [k, 8]; output_shape : ints(2)) -> t [n, output_shape[0], "
                                    "output_shape[1], c]",
                                                                                   {},    projectiveTransformFormula},
    {"ImageProjectiveTransformV3",  "(t [n, h, w, c], f [k, 8], f []; output_shape : ints(2)) -> t [n, "
                                    "output_shape[0], output_shape[1], c]",
                                                                                   {},    projectiveTransformFormula},
    {"ExtractGlimpse",              glimpse},
    {"ExtractGlimpseV2",            glimpse},
    {"ExtractJpegShape",            "(t []) -> i [3]"},
    {"EncodeJpegVariableQuality",   "(t [h, w, c], i []) -> string []"},
    {"RGBToHSV",                    "(t s @ [3]) -> t s @ [3]",                    {},    rgbToHsvFormula},
    {"HSVToRGB",                    "(t s @ [3]) -> t s @ [3]",                    {},    hsvToRgbFormula},
    {"AdjustHue",                   coloured,                                      {},    adjustHueFormula},
    {"AdjustSaturation",            coloured,                                      {},    adjustSaturationFormula},
    {"AdjustContrast",              "(t s @ [h, w, c], u [], v [], x []) -> y s @ [h, w, c]"},
    {"AdjustContrastv2",            "(t s @ [h, w, c], u []) -> t s @ [h, w, c]",  {},    adjustContrastFormula},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::images
