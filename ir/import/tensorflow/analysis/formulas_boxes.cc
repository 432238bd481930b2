// Formulas of operators on boxes: which to keep, what they cut out of images.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/import/tensorflow/analysis/formula.h"

namespace axle::tensorflow {
namespace {

Ex numbers(Formula& f, std::int64_t count) {
  Sizes all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return f.integers(Type::i64, {count}, all);
}

// How much of each box [n, 4] and another [1, 4] is common to both: [n]. Corners may be given either way round.
Ex overlaps(Formula& f, Ex boxes, Ex other) {
  struct Sides {
    Ex top, left, bottom, right, area;
  };
  auto sidesOf = [&](Ex box) {
    auto side = [&](std::int64_t i, std::string_view which) {
      return apply(which, f.at(box, 1, i), f.at(box, 1, i + 2));
    };
    Sides s{side(0, "minimum"), side(1, "minimum"), side(0, "maximum"), side(1, "maximum"), {}};
    s.area = (s.bottom - s.top) * (s.right - s.left);
    return s;
  };
  Sides a = sidesOf(boxes), b = sidesOf(other);
  auto both = [&](Ex low, Ex its, Ex high, Ex end) {
    Ex length = apply("minimum", high, end) - apply("maximum", low, its);
    return apply("maximum", length, f.like(0, length));
  };
  Ex common = both(a.top, b.top, a.bottom, b.bottom) * both(a.left, b.left, a.right, b.right);
  return choose(a.area > 0.0 && b.area > 0.0, common / (a.area + b.area - common), 0);
}

// The best box of those that are left, again and again; each takes away those that it covers too much of, or, softly,
// from their scores.
FormulaResults suppression(Formula& f) {
  const std::string& op = f.n.node.op;
  const int version = op.back() >= '2' && op.back() <= '5' ? op.back() - '0' : 1;
  auto sizes = f.sizes(0);
  if (!sizes || sizes->size() != 2) return {};
  const std::int64_t n = (*sizes)[0];
  auto length = f.n.number(2);
  const bool padded = f.n.flag("pad_to_max_output_size");
  if (padded && (!length || *length < 0)) return {};
  const std::int64_t room = length && *length >= 0 ? std::min(*length, n) : n;
  Ex boxes = f.cast(f.in(0), Elem::f32), scores = f.cast(f.in(1), Elem::f32);
  Ex most = f.cast(f.in(2), Elem::i64);
  Ex limit = version == 1 ? f.number(static_cast<double>(f.n.real("iou_threshold", 0.5F)), Elem::f32)
                          : f.cast(f.in(3), Elem::f32);
  Ex least = version >= 3 ? f.cast(f.in(4), Elem::f32) : f.number(-INFINITY, Elem::f32);
  Ex sigma = version == 5 ? f.cast(f.in(5), Elem::f32) : f.number(0, Elem::f32);
  Ex isSoft = sigma > 0.0, decay = -0.5 / choose(isSoft, sigma, 1);
  Ex row = numbers(f, n), slot = numbers(f, room);
  Ex none = f.full({room}, f.number(0, Elem::i64)), nothing = f.full({room}, f.number(0, Elem::f32));
  Formula::States ends{f.number(0, Elem::i64), {}, none, nothing};
  if (room > 0) {
    Ex bound = apply("minimum", most, f.number(static_cast<double>(room), Elem::i64));
    auto condition = [&](const Formula::States& now) { return now[0] < bound && f.op("any", {now[1] > least}); };
    auto step = [&](const Formula::States& now) -> Formula::States {
      Ex best = f.op("argmax", {now[1]}), score = f.squeeze(f.sliceAt(now[1], 0, best), 0);
      Ex covered = overlaps(f, boxes, f.sliceAt(boxes, 0, best));
      Ex hard = choose(covered > limit, -INFINITY, now[1]), soft = now[1] * apply("exp", decay * covered * covered);
      Ex left = choose(row == best, -INFINITY, choose(isSoft, soft, hard));
      Ex isSlot = slot == now[0];
      return {now[0] + 1.0, left, choose(isSlot, best, now[2]), choose(isSlot, score, now[3])};
    };
    ends = f.loop({ends[0], scores, none, nothing}, condition, step);
  }
  Ex count = f.cast(ends[0], Elem::i32), indices = ends[2], values = ends[3];
  if (padded) {
    indices = f.pad(indices, {0, *length - room});
    values = f.pad(values, {0, *length - room});
  } else {
    auto found = f.found(ends[0], f.dim(room));
    if (!found) return {};
    indices = f.sliced(indices, 0, f.dim(0), *found);
    values = f.sliced(values, 0, f.dim(0), *found);
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
