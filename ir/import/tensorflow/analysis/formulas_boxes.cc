// Formulas of operators on boxes: which to keep, what they cut out of images.
#include <algorithm>
#include <numeric>

#include "ir/import/tensorflow/analysis/formula.h"

namespace axle::tensorflow {
namespace {

constexpr std::int64_t mostBoxes = 128;  // that are compared one after the other

std::optional<double> realAt(const Formula& f, std::size_t input) {
  if (input >= f.n.count()) return std::nullopt;
  const Tensor* tensor = f.n.fact(input).constant.get();
  return tensor && tensor->count == 1 ? tensor->real(0) : std::nullopt;
}

Ex numbers(Formula& f, std::int64_t count) {
  Sizes all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return f.integers(Type::i64, {count}, all);
}

// How much of each two boxes [n, 4] is common to both: [n, n]. Corners may be given either way round.
Ex overlaps(Formula& f, Ex boxes) {
  auto side = [&](std::int64_t i, std::string_view which) {
    return apply(which, f.at(boxes, 1, i), f.at(boxes, 1, i + 2));
  };
  Ex top = side(0, "minimum"), left = side(1, "minimum"), bottom = side(0, "maximum"), right = side(1, "maximum");
  Ex area = (bottom - top) * (right - left);
  auto both = [&](Ex low, Ex high) {
    Ex from = apply("maximum", f.expand(low, 1), f.expand(low, 0));
    Ex to = apply("minimum", f.expand(high, 1), f.expand(high, 0));
    return apply("maximum", to - from, f.like(0, to));
  };
  Ex common = both(top, bottom) * both(left, right);
  Ex all = f.expand(area, 1) + f.expand(area, 0) - common;
  Ex real = f.expand(area > 0.0, 1) && f.expand(area > 0.0, 0);
  return choose(real, common / all, 0);
}

// From the best box to the worst, each that no kept one covers too much of.
FormulaResults suppression(Formula& f) {
  const std::string& op = f.n.node.op;
  const int version = op.back() >= '2' && op.back() <= '5' ? op.back() - '0' : 1;
  auto sizes = f.sizes(0);
  if (!sizes || sizes->size() != 2 || (*sizes)[0] > mostBoxes) return {};
  if (version == 5 && realAt(f, 5) != 0.0) return {};  // softly: by lower scores
  const std::int64_t n = (*sizes)[0];
  Ex boxes = f.cast(f.in(0), Elem::f32), scores = f.cast(f.in(1), Elem::f32);
  Ex most = f.cast(f.in(2), Elem::i64);
  Ex limit = version == 1 ? f.number(static_cast<double>(f.n.real("iou_threshold", 0.5F)), Elem::f32)
                          : f.cast(f.in(3), Elem::f32);
  Ex order = f.op("argsort", {scores}, {{"descending", f.n.t.boolean(true)}});
  Ex ranked = f.gather(scores, order, 0);
  Ex covers = overlaps(f, f.gather(boxes, order, 0)) > limit;
  Ex possible = version >= 3 ? ranked > f.cast(f.in(4), Elem::f32) : ranked == ranked;
  std::vector<Ex> kept;
  for (std::int64_t i = 0; i < n; ++i) {
    Ex keep = f.at(possible, 0, i);
    if (i > 0) {
      Ex covered = f.slice(f.at(covers, 0, i), 0, 0, i) && f.stack(kept, 0);
      keep = choose(f.reduce("any", covered, {0}), f.number(0, Elem::boolean), keep);
    }
    kept.push_back(keep);
  }
  Ex all = n > 0 ? f.stack(kept, 0) : possible;
  Ex place = f.op("cumsum", {f.cast(all, Elem::i64)}, {{"axis", f.n.t.integer(0)}});  // from 1
  Ex chosen = all && place <= most;
  Ex count = f.cast(f.reduce("count_nonzero", chosen, {0}), Elem::i32);
  const bool padded = f.n.flag("pad_to_max_output_size");
  Ex indices, values;
  if (padded) {
    auto length = f.n.number(2);
    if (!length || *length < 0) return {};
    Ex to = choose(chosen, place - 1.0, static_cast<double>(*length));
    auto put = [&](Ex what) {
      return f.slice(f.op("segment_sum", {what, to}, {{"count", f.n.t.integer(*length + 1)}}), 0, 0, *length);
    };
    indices = put(choose(chosen, order, 0));
    values = put(choose(chosen, ranked, 0));
  } else {
    Ex found = f.squeeze(f.op("nonzero", {chosen}), 1);
    indices = f.gather(order, found, 0);
    values = f.gather(ranked, found, 0);
  }
  indices = f.cast(indices, Elem::i32);
  if (version == 4) return {indices, count};
  if (version == 5) return {indices, f.cast(values, f.elem(f.in(1))), count};
  return {indices};
}

// Boxes [k, 4] in shares of the image, each sampled at as many places; outside of the image there is one value.
FormulaResults cropAndResize(Formula& f) {
  auto image = f.sizes(0), boxes = f.sizes(1), made = f.outletSizes(0);
  if (!image || !boxes || !made || made->size() != 4 || (*made)[1] < 1 || (*made)[2] < 1) return {};
  const bool nearest = f.n.text("method") == "nearest";
  const std::int64_t k = (*boxes)[0], height = (*image)[1], width = (*image)[2], channels = (*image)[3];
  // Where samples lie along an axis: [k, count].
  auto places = [&](std::int64_t side, std::int64_t size, std::int64_t count) {
    Ex from = f.slice(f.in(1), 1, side, side + 1), to = f.slice(f.in(1), 1, side + 2, side + 3);
    auto last = static_cast<double>(size - 1);
    if (count == 1) return (from + to) * (0.5 * last);
    return from * last + f.cast(numbers(f, count), Elem::f32) * ((to - from) * (last / static_cast<double>(count - 1)));
  };
  Ex y = places(0, height, (*made)[1]), x = places(1, width, (*made)[2]);
  auto inside = [](Ex at, std::int64_t size) { return at >= 0.0 && at <= static_cast<double>(size - 1); };
  Ex known = f.expand(inside(y, height), 2) && f.expand(inside(x, width), 1);  // [k, ch, cw]
  auto bounded = [&](Ex at, std::int64_t size) {
    Ex low = apply("maximum", at, f.like(0, at));
    return f.cast(apply("minimum", low, f.like(static_cast<double>(size - 1), at)), Elem::i64);
  };
  Ex pixels = f.reshape(f.cast(f.in(0), Elem::f32), {(*image)[0] * height * width, channels});
  Ex start = f.reshape(f.cast(f.in(2), Elem::i64) * static_cast<double>(height * width), {k, 1, 1});
  auto pixel = [&](Ex row, Ex column) {
    Ex at = start + f.expand(row, 2) * static_cast<double>(width) + f.expand(column, 1);
    return f.gather(pixels, at, 0);
  };
  Ex value;
  if (nearest) {
    value = pixel(bounded(apply("round", y), height), bounded(apply("round", x), width));
  } else {
    Ex top = apply("floor", y), left = apply("floor", x);
    Ex down = f.expand(f.expand(y - top, 2), 3), right = f.expand(f.expand(x - left, 1), 3);
    Ex y0 = bounded(top, height), y1 = bounded(apply("ceil", y), height);
    Ex x0 = bounded(left, width), x1 = bounded(apply("ceil", x), width);
    Ex above = pixel(y0, x0) + (pixel(y0, x1) - pixel(y0, x0)) * right;
    Ex below = pixel(y1, x0) + (pixel(y1, x1) - pixel(y1, x0)) * right;
    value = above + (below - above) * down;
  }
  return {choose(f.expand(known, 3), value, static_cast<double>(f.n.real("extrapolation_value", 0)))};
}

constexpr FormulaRow rows[] = {
    {"NonMaxSuppression", suppression},   {"NonMaxSuppressionV2", suppression}, {"NonMaxSuppressionV3", suppression},
    {"NonMaxSuppressionV4", suppression}, {"NonMaxSuppressionV5", suppression}, {"CropAndResize", cropAndResize},
};

}  // namespace

std::span<const FormulaRow> boxFormulas() { return rows; }

}  // namespace axle::tensorflow
