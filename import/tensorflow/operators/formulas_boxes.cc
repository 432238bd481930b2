// Formulas of operators on boxes: which to keep, what they cut out of images.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "import/tensorflow/operators/formula.h"

namespace axle::tensorflow {
namespace {

Ex numbers(Formula& f, std::int64_t count) {
  Sizes all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return f.integers(Type::i64, {count}, all);
}

// How much of each box [.., n, 4] and another [.., 1, 4] is common to both: [.., n]. Corners may be given either way
// round.
Ex overlaps(Formula& f, Ex boxes, Ex other) {
  struct Sides {
    Ex top, left, bottom, right, area;
  };
  auto sidesOf = [&](Ex box) {
    auto side = [&](std::int64_t i, std::string_view which) {
      return apply(which, f.at(box, -1, i), f.at(box, -1, i + 2));
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
  auto sizes = f.dims(std::size_t{0});
  if (!sizes || sizes->size() != 2) return {};
  const Dim n = sizes->front();
  auto length = f.n.number(2);
  const bool padded = f.n.flag("pad_to_max_output_size");
  if (padded && (!length || *length < 0)) return {};
  const Dim room = length && *length >= 0 ? f.n.t.solution().dims.min(f.dim(*length), n) : n;
  Ex boxes = f.cast(f.in(0), Elem::f32), scores = f.cast(f.in(1), Elem::f32);
  Ex most = f.cast(f.in(2), Elem::i64);
  Ex limit = version == 1 ? f.number(static_cast<double>(f.n.real("iou_threshold", 0.5F)), Elem::f32)
                          : f.cast(f.in(3), Elem::f32);
  Ex least = version >= 3 ? f.cast(f.in(4), Elem::f32) : f.number(-INFINITY, Elem::f32);
  Ex sigma = version == 5 ? f.cast(f.in(5), Elem::f32) : f.number(0, Elem::f32);
  Ex isSoft = sigma > 0.0, decay = -0.5 / choose(isSoft, sigma, 1);
  Ex row = f.countTo(n), slot = f.countTo(room);
  Ex none = f.filled({room}, f.number(0, Elem::i64)), nothing = f.filled({room}, f.number(0, Elem::f32));
  Formula::States ends{f.number(0, Elem::i64), {}, none, nothing};
  if (f.number(room) != 0) {
    Ex bound = apply("minimum", most, f.numberOf(room));
    auto condition = [&](const Formula::States& now) { return now[0] < bound && f.op("any", {now[1] > least}); };
    auto step = [&](const Formula::States& now) -> Formula::States {
      // With a place more there is one to ask for where there are no boxes.
      Ex best = f.op("argmax", {f.concat({now[1], f.full({1}, f.like(-INFINITY, now[1]))}, 0)});
      Ex score = f.gather(now[1], best, 0), covered = overlaps(f, boxes, f.gather(boxes, f.expand(best, 0), 0));
      Ex hard = choose(covered > limit, -INFINITY, now[1]), soft = now[1] * apply("exp", decay * covered * covered);
      Ex left = choose(row == best, -INFINITY, choose(isSoft, soft, hard));
      Ex isSlot = slot == now[0];
      return {now[0] + 1.0, left, choose(isSlot, best, now[2]), choose(isSlot, score, now[3])};
    };
    ends = f.loop({ends[0], scores, none, nothing}, condition, step);
  }
  Ex count = f.cast(ends[0], Elem::i32), indices = ends[2], values = ends[3];
  if (padded) {
    const Dim rest = f.n.t.solution().dims.sub(f.dim(*length), room);
    indices = f.padEnd(indices, 0, rest);
    values = f.padEnd(values, 0, rest);
  } else {
    auto found = f.found(ends[0], room);
    if (!found) return {};
    indices = f.sliced(indices, 0, f.dim(0), *found);
    values = f.sliced(values, 0, f.dim(0), *found);
  }
  indices = f.cast(indices, Elem::i32);
  if (version == 4) return {indices, count};
  if (version == 5) return {indices, f.cast(values, f.elem(f.in(1))), count};
  return {indices};
}

// Of images [b, n, q, 4], where the boxes of a class are its own or those of all, and scores [b, n, c]: each class by
// itself, then the best of all classes. Places that are left over are 0.
FormulaResults combined(Formula& f) {
  auto boxes = f.dims(0), scores = f.dims(1), made = f.outletDims(0);
  auto each = f.n.number(2);
  if (!boxes || !scores || !made || boxes->size() != 4 || scores->size() != 3 || made->size() != 3) return {};
  const Dim images = boxes->front();
  auto n = f.number((*scores)[1]), classes = f.number((*scores)[2]), total = f.number((*made)[1]);
  if (!n || !classes || !total || !each || *n < 1 || *classes < 1 || *each < 1) return {};
  const std::int64_t room = std::min(*each, *n), all = *classes * room, most = std::min(*total, all);
  const Dims byClass{images, f.dim(*classes), f.dim(room)}, inRow{images, f.dim(all)};
  Dims corners{images, f.dim(*classes), f.dim(*n), f.dim(4)};
  Ex places = f.stretched(f.transpose(f.in(0), {0, 2, 1, 3}), corners), left = f.transpose(f.in(1), {0, 2, 1});
  left = choose(left > f.in(5), left, -INFINITY);
  Ex row = numbers(f, *n), slot = numbers(f, room);
  Ex none = f.filled(byClass, f.like(-INFINITY, left));
  corners[2] = f.dim(room);
  Formula::States ends =
      f.steps(room, {left, none, f.filled(corners, f.like(0, places))}, [&](Ex step, const Formula::States& now) {
        Ex best = f.op("argmax", {now[0]}, {{"axis", f.n.t.integer(2)}, {"keep", f.n.t.boolean(true)}});
        Ex score = f.reduce("amax", now[0], {2}, true);
        Ex box = f.takeAlong(places, f.stretched(f.expand(best, -1), {images, f.dim(*classes), f.dim(1), f.dim(4)}), 2);
        Ex isGone = overlaps(f, places, box) > f.in(4) || row == best, isSlot = slot == step;
        Ex isFound = isSlot && score > -INFINITY;
        return Formula::States{choose(isGone, -INFINITY, now[0]), choose(isSlot, score, now[1]),
                               choose(f.expand(isFound, -1), box, now[2])};
      });
  std::vector<Ex> best = f.parts("top_k", {f.shaped(ends[1], inRow)}, {{"k", f.n.t.integer(most)}});
  if (best.size() != 2) return {};
  Ex isFound = best[0] > -INFINITY;
  Ex box = f.takeAlong(f.shaped(ends[2], {images, f.dim(all), f.dim(4)}),
                       f.stretched(f.expand(best[1], -1), {images, f.dim(most), f.dim(4)}), 1);
  if (f.n.flag("clip_boxes")) box = apply("minimum", apply("maximum", box, f.like(0, box)), f.like(1, box));
  Ex kind = f.cast(apply("floor_div", best[1], f.like(static_cast<double>(room), best[1])), Elem::f32);
  auto whole = [&](Ex value, Sizes pads) { return most < *total ? f.pad(value, pads) : value; };
  const std::int64_t rest = *total - most;
  return {whole(choose(f.expand(isFound, -1), box, 0), {0, 0, 0, rest, 0, 0}),
          whole(choose(isFound, best[0], 0), {0, 0, 0, rest}), whole(choose(isFound, kind, 0), {0, 0, 0, rest}),
          f.cast(f.reduce("count_nonzero", isFound, {1}), Elem::i32)};
}

// Boxes [k, 4] in shares of the image, each sampled at as many places; outside of the image there is one value.
FormulaResults cropAndResize(Formula& f) {
  auto image = f.dims(0), boxes = f.dims(1), made = f.outletDims(0);
  if (!image || !boxes || !made || image->size() != 4 || boxes->size() != 2 || made->size() != 4) return {};
  const bool nearest = f.n.text("method") == "nearest";
  auto rows = f.number((*image)[1]), columns = f.number((*image)[2]);
  auto high = f.number((*made)[1]), wide = f.number((*made)[2]);
  if (!rows || !columns || !high || !wide || *high < 1 || *wide < 1) return {};
  const std::int64_t height = *rows, width = *columns;
  // Where samples lie along an axis: [k, count].
  auto places = [&](std::int64_t side, std::int64_t size, std::int64_t count) {
    Ex from = f.slice(f.in(1), 1, side, side + 1), to = f.slice(f.in(1), 1, side + 2, side + 3);
    auto last = static_cast<double>(size - 1);
    if (count == 1) return (from + to) * (0.5 * last);
    return from * last + f.cast(numbers(f, count), Elem::f32) * ((to - from) * (last / static_cast<double>(count - 1)));
  };
  Ex y = places(0, height, *high), x = places(1, width, *wide);
  auto inside = [](Ex at, std::int64_t size) { return at >= 0.0 && at <= static_cast<double>(size - 1); };
  Ex known = f.expand(inside(y, height), 2) && f.expand(inside(x, width), 1);  // [k, ch, cw]
  auto bounded = [&](Ex at, std::int64_t size) {
    Ex low = apply("maximum", at, f.like(0, at));
    return f.cast(apply("minimum", low, f.like(static_cast<double>(size - 1), at)), Elem::i64);
  };
  Ex pixels = f.shaped(f.cast(f.in(0), Elem::f32), {f.productOf(*image, 0, 3), (*image)[3]});
  Ex start = f.cast(f.in(2), Elem::i64) * static_cast<double>(height * width);
  start = f.shaped(start, {boxes->front(), f.dim(1), f.dim(1)});
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
    {"NonMaxSuppression", suppression},      {"NonMaxSuppressionV2", suppression}, {"NonMaxSuppressionV3", suppression},
    {"NonMaxSuppressionV4", suppression},    {"NonMaxSuppressionV5", suppression}, {"CropAndResize", cropAndResize},
    {"CombinedNonMaxSuppression", combined},
};

}  // namespace

std::span<const FormulaRow> boxFormulas() { return rows; }

}  // namespace axle::tensorflow
