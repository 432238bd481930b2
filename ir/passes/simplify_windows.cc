// Rules for convolutions: drops axes of size 1, uses dilation instead of blocks moved to the batch, and computes only
// the results that are read.
#include <numeric>

#include "dims/windows.h"
#include "ir/ops/rules.h"
#include "ir/passes/attributes.h"
#include "ir/passes/match.h"

namespace axle::ir {

using namespace pattern;

namespace {

// ---- an axis of size 1

// Returns the axis of a convolution, counted from the first after the batch, where image and window have size 1.
std::optional<std::size_t> unitAxis(const Found& f, const ConvAttributes& conv) {
  auto is = [&](Dim d, std::int64_t number) { return f.dims().asConstant(d) == number; };
  for (std::size_t i = 0; i < conv.strides.size() && conv.strides.size() > 1; ++i)
    if (is(f.factOf(1).shape[i + 1], 1) && is(f.fact(y).shape[i], 1) && is(conv.before[i], 0) && is(conv.after[i], 0))
      return i;
  return std::nullopt;
}

OutletId dropUnitAxis(const Found& f, PatchBuilder& p) {
  ConvAttributes conv = as<ConvAttributes>(f.rootNode());
  const std::optional<std::size_t> axis = unitAxis(f, conv);
  if (!axis) return {};
  for (Dims* each : {&conv.strides, &conv.before, &conv.after, &conv.dilations, &conv.spreads})
    each->erase(each->begin() + static_cast<std::ptrdiff_t>(*axis));
  const Fact narrow{f.resultFact().elem, without(f.resultFact().shape, *axis + 1), {}};
  const OutletId image = p.wireReshape(f[x], without(f.factOf(1).shape, *axis + 1));
  const OutletId filter = p.wireReshape(f[y], without(f.fact(y).shape, *axis));
  return p.wireReshape(p.wire(Op::conv, {image, filter}, conv, &narrow), f.resultFact().shape);
}

// ---- space to batch: x [n, (q b).., s.., c] -> [b.., n, q.., s.., c] -> one batch, and back after the convolution

// Returns the permutation that moves blocks to the batch: for `blocked` axes, each followed by its block, then
// `others`.
std::vector<std::size_t> toBatch(std::size_t blocked, std::size_t others) {
  std::vector<std::size_t> perm;
  for (std::size_t i = 0; i < blocked; ++i) perm.push_back(2 * i + 2);
  perm.push_back(0);
  for (std::size_t i = 0; i < blocked; ++i) perm.push_back(2 * i + 1);
  for (std::size_t i = 0; i <= others; ++i) perm.push_back(2 * blocked + 1 + i);
  return perm;
}

struct Blocks {
  std::vector<std::int64_t> sizes;  // of the first axes of the convolution
  std::size_t others = 0;           // axes without blocks
};

// Reads the blocks from the shapes between the first reshape and the last transpose. Returns nothing if they do not
// fit.
std::optional<Blocks> blocksOf(const Found& f, const ConvAttributes& conv) {
  const std::size_t axes = conv.strides.size(), rank = f.factOf(3).shape.size();
  if (rank < axes + 3 || rank > 2 * axes + 2) return std::nullopt;
  const std::size_t blocked = rank - axes - 2, others = axes - blocked;
  const std::vector<std::size_t> perm = toBatch(blocked, others);
  if (as<PermAttributes>(f.named(2)).perm != perm || as<PermAttributes>(f.rootNode()).perm != inversePermutation(perm))
    return std::nullopt;
  const std::vector<Dim>&split = f.factOf(3).shape, &joined = f.inGraph()[f.named(1).inputs[0]].fact.shape;
  const std::vector<Dim>&results = f.factOf(1).shape, &back = f.resultFact().shape;
  if (back.size() != rank || back[0] != split[0] || joined.back() != split.back() || back.back() != results.back())
    return std::nullopt;
  Blocks blocks{{}, others};
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t at = i < blocked ? 2 * i + 1 : blocked + i + 1;
    if (joined[i + 1] != split[at] || results[i + 1] != back[at]) return std::nullopt;
    if (i >= blocked) continue;
    const std::optional<std::int64_t> size = f.dims().asConstant(split[at + 1]);
    if (!size || *size < 1 || back[at + 1] != split[at + 1]) return std::nullopt;
    if (f.dims().asConstant(conv.strides[i]) != 1 || f.dims().asConstant(conv.spreads[i]) != 1) return std::nullopt;
    blocks.sizes.push_back(*size);
  }
  return blocks;
}

OutletId dilate(const Found& f, PatchBuilder& p) {
  DimStore& dims = f.dims();
  ConvAttributes conv = as<ConvAttributes>(f.named(1));
  const std::optional<Blocks> blocks = blocksOf(f, conv);
  if (!blocks) return {};
  const std::vector<Dim>&split = f.factOf(3).shape, &back = f.resultFact().shape;
  const std::vector<Dim> image = f.fact(x).shape;
  const bool isWhole = image.size() == conv.strides.size() + 2 && image[0] == split[0] && image.back() == split.back();
  std::vector<Dim> whole{split[0]}, results{split[0]};
  for (std::size_t i = 0; i < conv.strides.size(); ++i) {
    if (i >= blocks->sizes.size()) {
      const std::size_t at = blocks->sizes.size() + i + 1;
      whole.push_back(split[at]);
      results.push_back(back[at]);
      continue;
    }
    const Dim block = dims.constant(blocks->sizes[i]), size = dims.mul(block, split[2 * i + 1]);
    whole.push_back(isWhole ? image[i + 1] : size);
    p.declareEqual(size, whole.back());
    for (Dim* amount : {&conv.dilations[i], &conv.before[i], &conv.after[i]}) *amount = dims.mul(*amount, block);
    const Dim extent = windowExtent(dims, f.fact(y).shape[i], conv.dilations[i]);
    results.push_back(
        windowPositions(dims, whole.back(), dims.add(conv.before[i], conv.after[i]), extent, conv.strides[i]));
    p.declareEqual(dims.mul(block, back[2 * i + 1]), results.back());
  }
  whole.push_back(split.back());
  results.push_back(back.back());
  const Fact declared{f.resultFact().elem, results, {}};
  p.comeFrom(f.named(1).outputs[0]);
  const OutletId wide = p.wire(Op::conv, {p.wireReshape(f[x], whole), f[y]}, conv, &declared);
  return p.wireReshape(wide, back);
}

// ---- results that nothing reads

OutletId sliceWindows(const Found& f, PatchBuilder& p) {
  DimStore& dims = f.dims();
  const auto& slice = as<SliceAttributes>(f.rootNode());
  ConvAttributes conv = as<ConvAttributes>(f.named(1));
  if (slice.axis == 0 || slice.axis > conv.strides.size() || dims.asConstant(slice.step) != 1) return {};
  const std::size_t i = slice.axis - 1;
  const Dim all = f.factOf(1).shape[slice.axis], kept = f.resultFact().shape[slice.axis];
  const Dim behind = dims.sub(all, dims.add(slice.start, kept));
  conv.before[i] = dims.sub(conv.before[i], dims.mul(conv.strides[i], slice.start));
  conv.after[i] = dims.sub(conv.after[i], dims.mul(conv.strides[i], behind));
  return p.wire(Op::conv, {f[x], f[y]}, conv, &f.resultFact());
}

}  // namespace

std::span<const Rule> windowRules() {
  static const std::vector<Rule> all = [] {
    // clang-format off
    std::vector<Rule> rules{
        {"convolution without an axis of size 1", on(Op::conv, on(Op::reshape, x).as(1), y),               dropUnitAxis},
        {"space to batch is dilation",            on(Op::transpose, on(Op::reshape, on(Op::conv, on(Op::reshape,
                                                  on(Op::transpose, on(Op::reshape, x).as(3)).as(2)), y).as(1))), dilate},
        {"slice of a convolution",                on(Op::slice, once(on(Op::conv, x, y).as(1))),           sliceWindows},
    };
    // clang-format on
    const std::span<const Rule> structure = structureRules();
    rules.insert(rules.end(), structure.begin(), structure.end());
    return rules;
  }();
  return all;
}

}  // namespace axle::ir
