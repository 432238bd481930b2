// Rewrites images that are resized along the stream by a whole factor: each result is a mix of a few neighbouring
// frames.
#include <algorithm>
#include <cmath>

#include "ir/passes/attributes.h"
#include "ir/passes/patch_builder.h"
#include "ir/stream/prepare.h"
#include "ir/stream/state.h"

namespace axle::ir::stream {

namespace {

constexpr std::int64_t mostTimes = 64;

struct Tap {
  std::int64_t offset = 0;
  double weight = 1;
};

// Frame q*up + i of the result is mix i of the frames q*down + offset.
struct Mixes {
  std::int64_t up = 1, down = 1;
  std::vector<std::vector<Tap>> taps;  // `up` of them

  std::int64_t before() const { return std::max<std::int64_t>(0, -extreme(true)); }
  std::int64_t after() const { return std::max<std::int64_t>(0, extreme(false) - down + 1); }

 private:
  std::int64_t extreme(bool isLeast) const {
    std::int64_t found = 0;
    for (const auto& mix : taps)
      for (const Tap& tap : mix) found = isLeast ? std::min(found, tap.offset) : std::max(found, tap.offset);
    return found;
  }
};

// Keys' cubic with a = -1/2, as in the kernel of `resize`.
double cubic(double x) {
  x = std::fabs(x);
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

std::vector<Tap> mixAt(double position, ResizeMethod method) {
  const double base = std::floor(position);
  const auto first = static_cast<std::int64_t>(base);
  std::vector<Tap> taps;
  if (method == ResizeMethod::bilinear)
    taps = {{first, 1 - (position - base)}, {first + 1, position - base}};
  else
    for (std::int64_t tap = first - 1; tap <= first + 2; ++tap)
      taps.push_back({tap, cubic(position - static_cast<double>(tap))});
  std::erase_if(taps, [](const Tap& tap) { return tap.weight == 0; });
  return taps;
}

std::optional<Mixes> mixesOf(DimStore& dims, Dim from, Dim to, const ResizeAttributes& resize) {
  if (from == to) return Mixes{1, 1, {{Tap{}}}};
  if (resize.coordinates == ResizeCoordinates::alignedCorners) return std::nullopt;  // positions depend on the length
  Mixes mixes;
  for (std::int64_t times = 2; times <= mostTimes; ++times) {
    if (dims.mul(dims.constant(times), from) == to) mixes.up = times;
    if (dims.mul(dims.constant(times), to) == from) mixes.down = times;
  }
  if (mixes.up == mixes.down) return std::nullopt;
  const double scale = static_cast<double>(mixes.down) / static_cast<double>(mixes.up);
  const bool isHalf = resize.coordinates == ResizeCoordinates::halfPixel;
  for (std::int64_t i = 0; i < mixes.up; ++i) {
    const auto at = static_cast<double>(i);
    if (resize.method == ResizeMethod::nearest)
      mixes.taps.push_back({{static_cast<std::int64_t>(std::floor((isHalf ? at + 0.5 : at) * scale)), 1}});
    else
      mixes.taps.push_back(mixAt(isHalf ? (at + 0.5) * scale - 0.5 : at * scale, resize.method));
  }
  return mixes;
}

// Wires the nodes that make the result from frames [F, n, other, c].
struct Mixer {
  PatchBuilder& patch;
  const Mixes& mixes;
  Dim frames;  // of the result, for each `up`

  Dim number(std::int64_t value) const { return patch.dims().constant(value); }
  OutletId slice(OutletId x, Dim start, Dim length, std::int64_t step) const {
    Fact fact = withoutValue(patch.tap(x));
    fact.shape[0] = length;
    return patch.wire(Op::slice, {x}, SliceAttributes{0, start, number(step)}, &fact);
  }
  OutletId scaled(OutletId x, double by) const {
    const Elem elem = patch.tap(x).elem;
    const ConstantId weight = patch.model().addConstant(elem, {}, floatBytes(elem, by));
    return patch.wire(Op::mul, {x, patch.wireConstant(weight)});
  }
  // Repeats the first and the last frame outside.
  OutletId withBorders(OutletId x) const {
    DimStore& dims = patch.dims();
    const Dim last = dims.sub(patch.tap(x).shape[0], number(1));
    std::vector<OutletId> pieces(static_cast<std::size_t>(mixes.before()));
    for (OutletId& piece : pieces) piece = slice(x, number(0), number(1), 1);
    pieces.push_back(x);
    for (std::int64_t i = 0; i < mixes.after(); ++i) pieces.push_back(slice(x, last, number(1), 1));
    return pieces.size() == 1 ? x : patch.wire(Op::concat, std::move(pieces), AxisAttributes{0});
  }
  OutletId withZeros(OutletId x) const {
    PadAttributes pad{Dims(4, number(0)), Dims(4, number(0))};
    pad.before[0] = number(mixes.before()), pad.after[0] = number(mixes.after());
    return patch.wire(Op::pad, {x}, std::move(pad));
  }
  OutletId mixed(OutletId padded, const std::vector<Tap>& taps) const {
    OutletId sum;
    for (const Tap& tap : taps) {
      OutletId x = slice(padded, number(mixes.before() + tap.offset), frames, mixes.down);
      if (tap.weight != 1) x = scaled(x, tap.weight);
      sum = sum ? patch.wire(Op::add, {sum, x}) : x;
    }
    return sum;
  }
  // Wires the sum of a cubic mix's weights within the image; dividing by it scales them to 1.
  OutletId shares(OutletId x, const std::vector<Tap>& taps) const {
    const Fact all{patch.tap(x).elem, {patch.tap(x).shape[0], number(1), number(1), number(1)}, {}};
    const OutletId ones = patch.wire(Op::broadcast, {patch.wireScalar(all.elem, true)}, {}, &all);
    return mixed(withZeros(ones), taps);
  }
  OutletId result(OutletId x, ResizeMethod method) const {
    const bool isCubic = method == ResizeMethod::bicubic && mixes.before() + mixes.after() > 0;
    const OutletId padded = isCubic ? withZeros(x) : withBorders(x);
    Dims one = patch.tap(x).shape;
    one[0] = frames;
    one.insert(one.begin() + 1, number(1));
    std::vector<OutletId> all;
    for (const auto& taps : mixes.taps) {
      OutletId mix = mixed(padded, taps);
      if (isCubic) mix = patch.wire(Op::div, {mix, shares(x, taps)});
      all.push_back(mixes.up == 1 ? mix : patch.wireReshape(mix, one));
    }
    if (mixes.up == 1) return all[0];
    one.erase(one.begin() + 1);
    one[0] = patch.dims().mul(frames, number(mixes.up));
    return patch.wireReshape(patch.wire(Op::concat, std::move(all), AxisAttributes{1}), one);
  }
};

}  // namespace

std::optional<Patch> resizedFrames(Model& model, const StreamQuestion& question, const Uses&, GraphId g, NodeId id) {
  const Graph& graph = model.graphs[g.index];
  const Node& node = graph[id];
  if (node.op != Op::resize || g.index != 0) return std::nullopt;
  const Fact &x = graph[node.inputs[0]].fact, &y = graph[node.outputs[0]].fact;
  const bool isAlongHeight = mentionsStream(model, question, x.shape[1]),
             isAlongWidth = mentionsStream(model, question, x.shape[2]);
  if (isAlongHeight == isAlongWidth) return std::nullopt;
  const std::size_t axis = isAlongHeight ? 1 : 2, other = 3 - axis;
  const ResizeAttributes resize = as<ResizeAttributes>(node);
  const auto mixes = mixesOf(*model.dims, x.shape[axis], y.shape[axis], resize);
  if (!mixes) return std::nullopt;
  PatchBuilder patch(model, g, id);
  const Axes perm = isAlongHeight ? Axes{1, 0, 2, 3} : Axes{2, 0, 1, 3}, back = isAlongHeight ? perm : Axes{1, 2, 0, 3};
  OutletId at = patch.wire(Op::transpose, {node.inputs[0]}, PermAttributes{perm});
  if (x.shape[other] != y.shape[other]) {
    const Fact sized{x.elem, {x.shape[axis], x.shape[0], y.shape[other], x.shape[3]}, {}};
    at = patch.wire(Op::resize, {at}, resize, &sized);
  }
  const bool isWide = x.elem == Elem::f32 || x.elem == Elem::f64 || resize.method == ResizeMethod::nearest;
  const auto cast = [&](Elem elem) {
    const Fact fact{elem, patch.tap(at).shape, {}};
    at = patch.wire(Op::cast, {at}, {}, &fact);
  };
  if (!isWide) cast(Elem::f32);
  const Dim frames = mixes->up == 1 ? y.shape[axis] : x.shape[axis];
  at = Mixer{patch, *mixes, frames}.result(at, resize.method);
  if (!isWide) cast(x.elem);
  patch.shunt(node.outputs[0], patch.wire(Op::transpose, {at}, PermAttributes{back}));
  return patch.finish("resize frames by a whole factor");
}

}  // namespace axle::ir::stream
