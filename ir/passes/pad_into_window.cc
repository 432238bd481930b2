// Moves padding before a convolution or pool into its window, which skips taps outside of the image.
#include <cmath>

#include "ir/passes/attributes.h"
#include "ir/passes/match.h"

namespace axle::ir {

using namespace pattern;

namespace {

// Whether the number is the least value of a type, which changes no maximum.
bool isLeast(Elem elem, double number) {
  if (info(elem).isFloat) return std::isinf(number) && number < 0;
  if (!info(elem).isSigned) return number == 0;
  return info(elem).bytes < 8 && number == -std::ldexp(1.0, static_cast<int>(info(elem).bytes) * 8 - 1);
}

bool padsZeros(const Found& f) { return f.number(c) == 0; }

// Whether only axes of the image are padded, neither batch nor channels.
bool padsOnlyImages(const Found& f, const PadAttributes& pads) {
  for (std::size_t i : {std::size_t{0}, pads.before.size() - 1})
    if (f.dims().asConstant(pads.before[i]) != 0 || f.dims().asConstant(pads.after[i]) != 0) return false;
  return true;
}

// Adds the padding of the image's axes to the padding of a convolution or pool.
template <class Windows>
void addPads(DimStore& dims, Windows& windows, const PadAttributes& pads) {
  for (std::size_t i = 0; i < windows.before.size(); ++i) {
    windows.before[i] = dims.add(windows.before[i], pads.before[i + 1]);
    windows.after[i] = dims.add(windows.after[i], pads.after[i + 1]);
  }
}

// Moves zeros into a convolution: a padded zero adds nothing to a sum. Negative padding of the convolution removes
// padded elements first.
OutletId padConv(const Found& f, PatchBuilder& p) {
  const auto& pads = as<PadAttributes>(f.named(1));
  ConvAttributes conv = as<ConvAttributes>(f.rootNode());
  for (Dim spread : conv.spreads)
    if (f.dims().asConstant(spread) != 1) return {};
  if (!padsOnlyImages(f, pads)) return {};
  addPads(f.dims(), conv, pads);
  return p.wire(Op::conv, {f[x], f[y]}, std::move(conv), &f.resultFact());
}

OutletId padPool(const Found& f, PatchBuilder& p) {
  const auto& pads = as<PadAttributes>(f.named(1));
  PoolAttributes pool = as<PoolAttributes>(f.rootNode());
  if (!padsOnlyImages(f, pads)) return {};
  addPads(f.dims(), pool, pads);
  return p.wire(Op::maxPool, {f[x]}, std::move(pool), &f.resultFact());
}

bool padsLeast(const Found& f) {
  const std::optional<double> number = f.number(c);
  return number && isLeast(f.fact(x).elem, *number);
}

// Whether the operators that compute a tensor prove that no element is below +0.
bool isNonNegative(const Found& f, OutletId outlet, int depth = 0) {
  if (depth > 8) return false;
  const Node& node = f.inGraph().producer(outlet);
  auto all = [&] {
    for (OutletId input : node.inputs)
      if (!isNonNegative(f, input, depth + 1)) return false;
    return true;
  };
  switch (node.op) {
    case Op::relu:
    case Op::sigmoid:
    case Op::exp:
      return true;
    case Op::constant: {
      const std::optional<double> number = repeatedNumber(f.model[node.constant]);
      return number && !std::signbit(*number);
    }
    case Op::minimum:
    case Op::maximum:
    case Op::maxPool:
    case Op::reshape:
    case Op::transpose:
    case Op::concat:
      return all();
    default:
      return false;
  }
}

// Whether each window has an element of the image.
bool windowsTouchImage(const Found& f) {
  const auto& pads = as<PadAttributes>(f.named(1));
  const auto& pool = as<PoolAttributes>(f.rootNode());
  for (std::size_t i = 0; i < pool.sizes.size(); ++i) {
    auto number = [&](Dim a, Dim b) { return f.dims().asConstant(f.dims().add(a, b)); };
    const auto before = number(pool.before[i], pads.before[i + 1]), after = number(pool.after[i], pads.after[i + 1]);
    const auto size = f.dims().asConstant(pool.sizes[i]), image = f.dims().asConstant(f.fact(x).shape[i + 1]);
    if (!before || !after || !size || *before >= *size || *after >= *size) return false;
    if (image ? *image < 1 : *before + *after >= *size) return false;
    if (f.dims().asConstant(pool.before[i]).value_or(-1) < 0 || f.dims().asConstant(pool.after[i]).value_or(-1) < 0)
      return false;
  }
  return true;
}

// Whether zeros are padded to elements >= 0: then they do not change the maximum of a window that has an element.
bool padsZerosOfNonNegative(const Found& f) {
  return (f.named(1).inputs.size() == 1 || (f.number(c) == 0 && !std::signbit(*f.number(c)))) &&
         isNonNegative(f, f[x]) && windowsTouchImage(f);
}

}  // namespace

std::span<const Rule> padIntoWindowRules() {
  // clang-format off
  static const Rule rules[] = {
      {"pad into a convolution",      on(Op::conv, on(Op::pad, x).as(1), y),      padConv},
      {"pad into a convolution",      on(Op::conv, on(Op::pad, x, c).as(1), y),   padConv, padsZeros},
      {"pad into a pool",             on(Op::maxPool, on(Op::pad, x, c).as(1)),   padPool, padsLeast},
      {"zeros into a pool",           on(Op::maxPool, on(Op::pad, x).as(1)),      padPool, padsZerosOfNonNegative},
      {"zeros into a pool",           on(Op::maxPool, on(Op::pad, x, c).as(1)),   padPool, padsZerosOfNonNegative},
  };
  // clang-format on
  return rules;
}

}  // namespace axle::ir
