// Operators on boxes: suppression, and crops of images.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"

namespace axle::tensorflow::boxes {
namespace {

// Gives as many boxes as are found; with pad_to_max_output_size, as many as requested.
Outcome suppressionType(RuleNode& n, std::string_view signature) {
  auto most = n.flag("pad_to_max_output_size") ? n.sizes(2) : std::nullopt;
  if (!most || most->size() != 1) return bySignature(n, signature);
  n.giveShape(n.t.shape({most->front()}));
  std::size_t port = 1;
  if (n.node.op == "NonMaxSuppressionV5") n.giveShape(n.t.shape({most->front()}), port++);
  return n.giveShape({}, port);
}

// Gives the best boxes of all classes, up to a total number, or up to a number for each class; pads the results.
Outcome combinedSuppressionType(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  Dim images = t.unknownSize("n"), boxes = t.unknownSize("k"), classes = t.unknownSize("c");
  if (!requireDims(n, 0, {images, boxes, t.unknownSize("q"), t.constant(4)}) ||
      !requireDims(n, 1, {images, boxes, classes}))
    return Outcome::failed;
  auto each = n.sizes(2), total = n.sizes(3);
  auto single = [&](const auto& value) { return value && value->size() == 1; };
  bool known = single(each) && single(total);
  Dim found = single(total) ? total->front() : t.unknownSize("k");
  if (n.flag("pad_per_class")) {
    DimStore& dims = t.solution().dims;
    found = known ? dims.min(found, dims.mul(each->front(), t.solution().resolve(classes))) : t.unknownSize("k");
  }
  n.giveShape(t.shape({images, found, t.constant(4)}));
  n.giveShape(t.shape({images, found}), 1);
  n.giveShape(t.shape({images, found}), 2);
  n.giveShape(t.shape({images}), 3);
  return known ? Outcome::done : Outcome::waits;
}

// ---- formulas

Expr numbers(NodeFormula& f, std::int64_t count) {
  Sizes all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return f.integers(Elem::i64, {count}, all);
}

// The intersection over the union of each box [.., n, 4] with another box [.., 1, 4]: [.., n]. A box may name its
// corners in either order.
Expr overlaps(NodeFormula& f, Expr boxes, Expr other) {
  struct Sides {
    Expr top, left, bottom, right, area;
  };
  auto sidesOf = [&](Expr box) {
    auto side = [&](std::int64_t i, std::string_view which) {
      return apply(which, f.at(box, -1, i), f.at(box, -1, i + 2));
    };
    Sides s{side(0, "minimum"), side(1, "minimum"), side(0, "maximum"), side(1, "maximum"), {}};
    s.area = (s.bottom - s.top) * (s.right - s.left);
    return s;
  };
  Sides a = sidesOf(boxes), b = sidesOf(other);
  auto both = [&](Expr low, Expr its, Expr high, Expr end) {
    Expr length = apply("minimum", high, end) - apply("maximum", low, its);
    return apply("maximum", length, f.like(0, length));
  };
  Expr common = both(a.top, b.top, a.bottom, b.bottom) * both(a.left, b.left, a.right, b.right);
  return choose(a.area > 0.0 && b.area > 0.0, common / (a.area + b.area - common), 0);
}

// Repeatedly picks the best of the remaining boxes. Each pick removes the boxes that overlap it too much or, with soft
// suppression, lowers their scores.
FormulaResults suppressionFormula(NodeFormula& f) {
  const std::string& op = f.n.node.op;
  const int version = op.back() >= '2' && op.back() <= '5' ? op.back() - '0' : 1;
  auto sizes = f.dims(std::size_t{0});
  if (!sizes || sizes->size() != 2) return {};
  const Dim n = sizes->front();
  auto length = f.n.number(2);
  const bool padded = f.n.flag("pad_to_max_output_size");
  if (padded && (!length || *length < 0)) return {};
  const Dim room = length && *length >= 0 ? f.n.t.solution().dims.min(f.dim(*length), n) : n;
  Expr boxes = f.cast(f.in(0), Elem::f32), scores = f.cast(f.in(1), Elem::f32);
  Expr most = f.cast(f.in(2), Elem::i64);
  Expr limit = version == 1 ? f.number(static_cast<double>(f.n.real("iou_threshold", 0.5F)), Elem::f32)
                            : f.cast(f.in(3), Elem::f32);
  Expr least = version >= 3 ? f.cast(f.in(4), Elem::f32) : f.number(-INFINITY, Elem::f32);
  Expr sigma = version == 5 ? f.cast(f.in(5), Elem::f32) : f.number(0, Elem::f32);
  Expr isSoft = sigma > 0.0, decay = -0.5 / choose(isSoft, sigma, 1);
  Expr row = f.countTo(n), slot = f.countTo(room);
  Expr none = f.filled({room}, f.number(0, Elem::i64)), nothing = f.filled({room}, f.number(0, Elem::f32));
  States ends{f.number(0, Elem::i64), {}, none, nothing};
  if (f.number(room) != 0) {
    Expr bound = apply("minimum", most, f.numberOf(room));
    auto condition = [&](const States& now) { return now[0] < bound && f.op("any", {now[1] > least}); };
    auto step = [&](const States& now) -> States {
      // Appends one element, so that the argmax of no boxes is defined.
      Expr best = f.op("argmax", {f.concat({now[1], f.full({1}, f.like(-INFINITY, now[1]))}, 0)});
      Expr score = f.gather(now[1], best, 0), covered = overlaps(f, boxes, f.gather(boxes, f.expand(best, 0), 0));
      Expr hard = choose(covered > limit, -INFINITY, now[1]), soft = now[1] * apply("exp", decay * covered * covered);
      Expr left = choose(row == best, -INFINITY, choose(isSoft, soft, hard));
      Expr isSlot = slot == now[0];
      return {now[0] + 1.0, left, choose(isSlot, best, now[2]), choose(isSlot, score, now[3])};
    };
    ends = f.loop({ends[0], scores, none, nothing}, condition, step);
  }
  Expr count = f.cast(ends[0], Elem::i32), indices = ends[2], values = ends[3];
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

// Takes boxes [b, n, q, 4] and scores [b, n, c]; q is 1 if all classes share the boxes. Suppresses within each class,
// then picks the best of all classes. Fills the remaining entries with 0.
FormulaResults combinedSuppressionFormula(NodeFormula& f) {
  auto boxes = f.dims(0), scores = f.dims(1), made = f.outletDims(0);
  auto each = f.n.number(2);
  if (!boxes || !scores || !made || boxes->size() != 4 || scores->size() != 3 || made->size() != 3) return {};
  const Dim images = boxes->front();
  auto n = f.number((*scores)[1]), classes = f.number((*scores)[2]), total = f.number((*made)[1]);
  if (!n || !classes || !total || !each || *n < 1 || *classes < 1 || *each < 1) return {};
  const std::int64_t room = std::min(*each, *n), all = *classes * room, most = std::min(*total, all);
  const Dims byClass{images, f.dim(*classes), f.dim(room)}, inRow{images, f.dim(all)};
  Dims corners{images, f.dim(*classes), f.dim(*n), f.dim(4)};
  Expr places = f.stretched(f.transpose(f.in(0), {0, 2, 1, 3}), corners), left = f.transpose(f.in(1), {0, 2, 1});
  left = choose(left > f.in(5), left, -INFINITY);
  Expr row = numbers(f, *n), slot = numbers(f, room);
  Expr none = f.filled(byClass, f.like(-INFINITY, left));
  corners[2] = f.dim(room);
  States ends = f.steps(room, {left, none, f.filled(corners, f.like(0, places))}, [&](Expr step, const States& now) {
    Expr best = f.op("argmax", {now[0]}, {{"axis", f.n.t.integer(2)}, {"keep", f.n.t.boolean(true)}});
    Expr score = f.reduce("amax", now[0], {2}, true);
    Expr box = f.takeAlong(places, f.stretched(f.expand(best, -1), {images, f.dim(*classes), f.dim(1), f.dim(4)}), 2);
    Expr isGone = overlaps(f, places, box) > f.in(4) || row == best, isSlot = slot == step;
    Expr isFound = isSlot && score > -INFINITY;
    return States{choose(isGone, -INFINITY, now[0]), choose(isSlot, score, now[1]),
                  choose(f.expand(isFound, -1), box, now[2])};
  });
  std::vector<Expr> best = f.parts("top_k", {f.shaped(ends[1], inRow)}, {{"k", f.n.t.integer(most)}});
  if (best.size() != 2) return {};
  Expr isFound = best[0] > -INFINITY;
  Expr box = f.takeAlong(f.shaped(ends[2], {images, f.dim(all), f.dim(4)}),
                         f.stretched(f.expand(best[1], -1), {images, f.dim(most), f.dim(4)}), 1);
  if (f.n.flag("clip_boxes")) box = clamped(box, 0, 1);
  Expr kind = f.cast(apply("floor_div", best[1], f.like(static_cast<double>(room), best[1])), Elem::f32);
  auto whole = [&](Expr value, const Sizes& pads) { return most < *total ? f.pad(value, pads) : value; };
  const std::int64_t rest = *total - most;
  return {whole(choose(f.expand(isFound, -1), box, 0), {0, 0, 0, rest, 0, 0}),
          whole(choose(isFound, best[0], 0), {0, 0, 0, rest}), whole(choose(isFound, kind, 0), {0, 0, 0, rest}),
          f.cast(f.reduce("count_nonzero", isFound, {1}), Elem::i32)};
}

// Samples each box [k, 4], given in fractions of the image, at a grid of points. Points outside of the image get a
// constant value.
FormulaResults cropAndResizeFormula(NodeFormula& f) {
  auto image = f.dims(0), boxes = f.dims(1), made = f.outletDims(0);
  if (!image || !boxes || !made || image->size() != 4 || boxes->size() != 2 || made->size() != 4) return {};
  const bool nearest = f.n.text("method") == "nearest";
  auto rows = f.number((*image)[1]), columns = f.number((*image)[2]);
  auto high = f.number((*made)[1]), wide = f.number((*made)[2]);
  if (!rows || !columns || !high || !wide || *high < 1 || *wide < 1) return {};
  const std::int64_t height = *rows, width = *columns;
  // Returns the coordinates of the samples along an axis: [k, count].
  auto places = [&](std::int64_t side, std::int64_t size, std::int64_t count) {
    Expr from = f.slice(f.in(1), 1, side, side + 1), to = f.slice(f.in(1), 1, side + 2, side + 3);
    auto last = static_cast<double>(size - 1);
    if (count == 1) return (from + to) * (0.5 * last);
    return from * last + f.cast(numbers(f, count), Elem::f32) * ((to - from) * (last / static_cast<double>(count - 1)));
  };
  Expr y = places(0, height, *high), x = places(1, width, *wide);
  auto inside = [](Expr at, std::int64_t size) { return at >= 0.0 && at <= static_cast<double>(size - 1); };
  Expr known = f.expand(inside(y, height), 2) && f.expand(inside(x, width), 1);  // [k, ch, cw]
  auto bounded = [&](Expr at, std::int64_t size) {
    Expr low = apply("maximum", at, f.like(0, at));
    return f.cast(apply("minimum", low, f.like(static_cast<double>(size - 1), at)), Elem::i64);
  };
  Expr pixels = f.shaped(f.cast(f.in(0), Elem::f32), {f.productOf(*image, 0, 3), (*image)[3]});
  Expr start = f.cast(f.in(2), Elem::i64) * static_cast<double>(height * width);
  start = f.shaped(start, {boxes->front(), f.dim(1), f.dim(1)});
  auto pixel = [&](Expr row, Expr column) {
    Expr at = start + f.expand(row, 2) * static_cast<double>(width) + f.expand(column, 1);
    return f.gather(pixels, at, 0);
  };
  Expr value;
  if (nearest) {
    value = pixel(bounded(apply("round", y), height), bounded(apply("round", x), width));
  } else {
    Expr top = apply("floor", y), left = apply("floor", x);
    Expr down = f.expand(f.expand(y - top, 2), 3), right = f.expand(f.expand(x - left, 1), 3);
    Expr y0 = bounded(top, height), y1 = bounded(apply("ceil", y), height);
    Expr x0 = bounded(left, width), x1 = bounded(apply("ceil", x), width);
    Expr above = pixel(y0, x0) + (pixel(y0, x1) - pixel(y0, x0)) * right;
    Expr below = pixel(y1, x0) + (pixel(y1, x1) - pixel(y1, x0)) * right;
    value = above + (below - above) * down;
  }
  return {choose(f.expand(known, 3), value, static_cast<double>(f.n.real("extrapolation_value", 0)))};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                            type                                             value  formula
    {"NonMaxSuppression",              "(t [n, 4], t [n], m []) -> i [k]",              {},    suppressionFormula},
    {"NonMaxSuppressionV2",            "(t [n, 4], t [n], m [], u []) -> i [k]",        {},    suppressionFormula},
    {"NonMaxSuppressionV3",            "(t [n, 4], t [n], m [], u [], u []) -> i [k]",  {},    suppressionFormula},
    {"NonMaxSuppressionV4",            {suppressionType, "(t [n, 4], t [n], m [], u [], u []) -> (i [k], i [])"},
                                                                                        {},    suppressionFormula},
    {"NonMaxSuppressionV5",            {suppressionType, "(t [n, 4], t [n], m [], t [], t [], t []) -> (i [k], t [k], "
                                                         "i [])"},
                                                                                        {},    suppressionFormula},
    {"NonMaxSuppressionWithOverlaps",  "(t [n, n], t [n], i [], u [], u []) -> i [k]"},
    {"CombinedNonMaxSuppression",      combinedSuppressionType,
                                                                                     {},    combinedSuppressionFormula},
    {"GenerateBoundingBoxProposals",   "(t [n, h, w, a], t [n, h, w, d], t [n, e], t x, t [], i [], t []; "
                                       "post_nms_topn : int) -> (t [n, post_nms_topn, 4], t [n, post_nms_topn])"},
    {"DrawBoundingBoxes",              "(t [n, h, w, c], f [n, k, 4]) -> t [n, h, w, c]"},
    {"DrawBoundingBoxesV2",            "(t [n, h, w, c], f [n, k, 4], f [m, d]) -> t [n, h, w, c]"},
    {"CropAndResize",                  "(t [n, h, w, c], f [k, 4], i [k]; crop_size : ints(2)) -> u [k, crop_size[0], "
                                       "crop_size[1], c]",
                                                                                        {},    cropAndResizeFormula},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::boxes
