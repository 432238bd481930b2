// Guesses of windows that change the size of images: they may be far from where the sizes meet.
#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "typecheck/report/called_functions.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/guesses.h"
#include "typecheck/report/size_difference.h"

namespace axle::guess {

namespace {

constexpr std::size_t mostCalls = 12;  // of windows, in programs whose windows are all tried

std::string nameOf(Guesser& g, const Application& call) {
  const std::string text = g.text(call.span);
  return text.substr(0, text.find('('));
}

bool isWindow(const std::string& name) { return name.find("conv") != name.npos || name.find("pool") != name.npos; }

// Leaves a stride out where it is given: in a call of the function that hands it on, or here.
void withoutStride(Guesser& g, const Application& call, const ast::NamedArgument& stride) {
  for (const GivenStatic& given : givenStatic(g, call, stride))
    for (const ast::NamedArgument& named : given.call.named ? *given.call.named : std::vector<ast::NamedArgument>())
      if (g.module[named.value].span == given.value)
        g.guess(given.call, "without a stride, which makes the image smaller", {{withComma(given.call, named), ""}});
}

// Whether the operands of the operator that fails differ along the last axis, which windows keep.
bool differInLastAxis(Guesser& g) {
  const Span place = std::get<Span>(g.diagnostic.primary.place);
  for (const ast::Expr& e : g.module.exprs) {
    const auto* binary = e.span == place ? std::get_if<ast::ExprBinary>(&e.node) : nullptr;
    if (!binary) continue;
    const auto left = g.sizesOf(g.module[binary->left].span), right = g.sizesOf(g.module[binary->right].span);
    return !left.empty() && !right.empty() && left.back() != right.back();
  }
  return false;
}

// Whether the sizes that meet are multiples of one name, one of them of the other: no padding makes that.
bool areMultiples(const Guesser& g) {
  const SizeDifference difference = sizeDifference(g);
  return difference.isOfNames && difference.factor > 1;
}

bool isSamePadded(const Guesser& g, const Application& call) {
  const ast::NamedArgument* padding = namedOf(call, "padding");
  return padding && g.text(g.module[padding->value].span) != "\"valid\"";
}

// Pads the images of windows that are written not to: few are, also where a program has many windows.
void padWritten(Guesser& g, const std::vector<Application>& windows) {
  std::size_t found = 0;
  for (const Application& call : windows)
    if (const auto* padding = namedOf(call, "padding"); padding && g.text(padding->span) == "padding=\"valid\"")
      if (++found <= mostCalls) g.guess(call, "pad to keep its size", {{g.module[padding->value].span, "\"same\""}});
}

bool mayBePadded(Guesser& g, const Application& at) {
  return at.named && isWindow(nameOf(g, at)) && !namedOf(at, "padding") && g.hasStatic(nameOf(g, at), "padding");
}

// Pads the images of the windows that compute what fails, the nearest ones, in programs with many windows.
void padNearest(Guesser& g) {
  constexpr std::size_t most = 4;
  std::size_t found = 0;
  for (const Application& call : g.callsComputing())
    if (mayBePadded(g, call) && ++found <= most)
      g.guess(call, "pad to keep its size", {giveStatic(g, call, "padding", "\"same\"")});
}

}  // namespace

// Pads the image of a window that is wider than it, or that makes it smaller than another one.
void samePadding(Guesser& g, const Application& at) {
  if (g.diagnostic.code == &codes::dimMismatch && g.named(0).starts_with("conv")) return;  // of its channels
  if (!mayBePadded(g, at) || areMultiples(g)) return;
  g.guess(at, "pad to keep its size", {giveStatic(g, at, "padding", "\"same\"")});
}

// Changes each window and scale of the program once, if the diagnostic marks a function or operator that joins images.
void otherWindows(Guesser& g, const Application& at) {
  std::vector<Application> windows;
  for (const Application& call : g.calls())
    if (isWindow(nameOf(g, call)) || nameOf(g, call).ends_with("upsample")) windows.push_back(call);
  const std::string fails = g.named(0);
  const bool isOfChannels = fails.starts_with("conv") || fails == "matmul" || fails == "einsum";
  const bool joins = at.arguments.size() == 2 || (at.named && !parametersOf(g, nameOf(g, at)).empty());
  if (!joins || isOfChannels || differInLastAxis(g)) return;
  if (!areMultiples(g)) padWritten(g, windows);
  if (windows.size() > mostCalls) {
    if (!areMultiples(g)) padNearest(g);
    return;
  }
  const std::vector<std::int64_t> sizes = g.numbers();
  for (const Application& call : windows) {
    if (!namedOf(call, "padding") && !nameOf(g, call).ends_with("block")) samePadding(g, call);
    const auto* scale = namedOf(call, "scale");
    const auto* factors = scale ? std::get_if<ast::ExprList>(&g.module[scale->value].node) : nullptr;
    if (factors && factors->items.size() == 2 && sizes.size() == 2) {
      const std::string first = g.text(g.module[factors->items[0]].span);
      const std::int64_t factor = std::strtoll(first.c_str(), nullptr, 10);
      constexpr std::size_t mostDigits = 9;
      for (std::size_t i : {0, 1})
        if (first.size() <= mostDigits && sizes[i] > 0 && factor * sizes[1 - i] % sizes[i] == 0 &&
            factor * sizes[1 - i] / sizes[i] > 1)
          g.guess(call, "the scale that fits",
                  {{g.module[scale->value].span, fmt::format("[{0}, {0}]", factor * sizes[1 - i] / sizes[i])}});
    }
    if (const auto* stride = namedOf(call, "stride"); stride && nameOf(g, call).find("conv") != std::string::npos)
      withoutStride(g, call, *stride);
  }
}

namespace {

// Whether the shapes that meet are one of images and one of rows: `[n, h, w, c]` and `[n, c]`.
bool areImageAndRows(const Guesser& g) {
  std::multiset<std::ptrdiff_t> ranks;
  for (const std::string& shape : g.diagnostic.arguments)
    if (shape.starts_with('[')) ranks.insert(std::ranges::count(shape, ',') + 1);
  return ranks == std::multiset<std::ptrdiff_t>{2, 4};
}

// Whether a call gives a named value to a layer whose weight is a matrix.
bool isDense(const Guesser& g, const Application& call) {
  if (call.arguments.size() < 2 || !g.nodeAt<ast::ExprName>(call.arguments[0])) return false;
  return std::ranges::any_of(weightsAt(g, call.arguments[1]), [&](const ast::Param* weight) {
    return declaredSizesOf(g.module, weight->type).size() == 2;
  });
}

}  // namespace

// The mean of each channel, for a dense layer that is given images where no image is wanted; also in the functions that
// are given an image, the innermost first.
void pooledImage(Guesser& g, const Application& at) {
  if (g.diagnostic.arguments.empty() || !isFailing(g, at)) return;
  const Modules& modules = g.checked.modules;
  const bool isImported = functionNamed(modules, modules.modules.size() - 1, "nn.global_avg_pool").has_value();
  const std::string before = isImported ? "nn.global_avg_pool(" : "mean(", behind = isImported ? ")" : ", axis=[1, 2])";
  const bool areDense = areImageAndRows(g);
  std::size_t found = 0;
  for (const Application& call : g.calls()) {
    if (call.arguments.empty() || g.paramAt(call.arguments[0])) continue;
    const auto rank = g.rankOf(call.arguments[0]);
    const bool isOfImage = nameOf(g, call) == "nn.dense" && rank == 4;
    const bool mayBe = areDense && rank.value_or(4) == 4 && isDense(g, call);
    if ((isOfImage || mayBe) && ++found <= mostCalls)
      g.wrap(call, call.arguments[0], "take the mean of each channel of", before, behind);
  }
}

// Leaves out a pool, or gives a stride, where one of two images that are to be joined is a multiple of the other.
void otherRates(Guesser& g, const Application& at) {
  const std::vector<std::int64_t> sizes = g.numbers();
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place)) || at.arguments.size() != 2 || sizes.size() != 2) return;
  const std::string fails = g.named(0);
  if ((fails != "concat" && fails != "+") || differInLastAxis(g)) return;
  const std::int64_t least = std::min(sizes[0], sizes[1]), most = std::max(sizes[0], sizes[1]);
  std::vector<Application> windows;
  for (const Application& call : g.calls())
    if (isWindow(nameOf(g, call)) && !call.arguments.empty()) windows.push_back(call);
  if (least < 2 || windows.size() > mostCalls) return;
  const std::int64_t rate = (most + least / 2) / least;  // borders may add to a multiple
  for (const Application& call : g.calls()) {
    const auto* size = nameOf(g, call) == "resize" ? namedOf(call, "size") : nullptr;
    const auto* sides = size ? g.nodeAt<ast::ExprList>(g.module[size->value].span) : nullptr;
    std::string sizes;
    for (const ast::ExprId side : sides ? sides->items : std::vector<ast::ExprId>())
      sizes += fmt::format("{}{}*{}", sizes.empty() ? "" : ", ", rate, g.text(g.module[side].span));
    if (sides && rate > 1) g.guess(call, "the size that fits", {{g.module[size->value].span, "[" + sizes + "]"}});
  }
  for (const Application& call : windows) {
    const std::string name = nameOf(g, call);
    const auto* stride = namedOf(call, "stride");
    if (name.starts_with("conv_transpose2d") && !stride && rate > 1)
      g.guess(call, "the stride that fits", {giveStatic(g, call, "stride", fmt::format("[{0}, {0}]", rate))});
    if (name.find("pool") == std::string::npos) continue;
    const auto* size = namedOf(call, "size");
    if (stride && size && g.text(g.module[stride->value].span) != g.text(g.module[size->value].span))
      g.guess(call, "the stride of a pool is its size",
              {{g.module[stride->value].span, g.text(g.module[size->value].span)}});
    if (most % least == 0 && rate > 1)
      g.found.push_back({fmt::format("without this pool, which makes the image smaller: `{}` instead of `{}`",
                                     g.text(call.arguments[0]), g.text(call.span)),
                         {{call.span, g.text(call.arguments[0])}}});
  }
}

// Enlarges the smaller of two images that are to be joined, or computed with.
void upsampled(Guesser& g, const Application& at) {
  const bool isOperator = !at.named && at.arguments.size() == 2 && isFailing(g, at);
  const bool areImages = isOperator && g.rankOf(at.arguments[0]) == 4 && g.rankOf(at.arguments[1]) == 4;
  if (!areImages && !(at.named && nameOf(g, at) == "concat" && at.arguments.size() == 2)) return;
  const std::int64_t factor = sizeDifference(g).factor;
  if (factor < 2) return;
  const bool enlarges = std::ranges::any_of(g.calls(), [&](const Application& call) {
    return nameOf(g, call) == "upsample" || nameOf(g, call) == "resize" ||
           nameOf(g, call).starts_with("conv_transpose");
  });
  const std::string scale = fmt::format(", scale=[{0}, {0}])", factor);
  for (const Span argument : at.arguments) {
    g.wrap(at, argument, "enlarge", "upsample(", scale);
    g.found.back().isFallback = enlarges || isOperator;  // what makes the image smaller may be wrong
  }
}

// Gives a convolution a stride: its window's, as of patches, or the factor between two images that meet.
void missingStride(Guesser& g, const Application& at) {
  constexpr std::int64_t leastPatch = 4;  // and windows of two, which halve
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place)) || differInLastAxis(g)) return;
  const std::vector<std::int64_t> sizes = g.numbers();
  const bool haveFactor = sizes.size() == 2 && std::min(sizes[0], sizes[1]) > 0;
  const std::int64_t factor = haveFactor ? std::max(sizes[0], sizes[1]) / std::min(sizes[0], sizes[1]) : 0;
  const SizeDifference difference = sizeDifference(g);
  // In what computes an operand.
  auto isNear = [&](const Application& call) {
    return std::ranges::any_of(g.callsComputing(), [&](const Application& each) { return each.span == call.span; }) &&
           !g.isFar(call.span);
  };
  std::size_t calls = 0;
  for (const Application& call : g.callsNearestFirst()) {
    const std::string name = nameOf(g, call);
    const bool isConvolution = name == "conv2d" || name == "conv1d" || name.ends_with(".conv_block");
    if (!isConvolution || namedOf(call, "stride") || call.arguments.size() < 2 || ++calls > mostCalls) continue;
    if (isOfEnlarged(g, call)) continue;
    const std::size_t axes = name == "conv1d" ? 1 : 2;
    const std::vector<Dim> filter = g.sizesOf(call.arguments[1]);
    std::string window, by;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const auto width = axis < filter.size() ? g.checked.solution.dims.asConstant(filter[axis]) : std::nullopt;
      if (width.value_or(0) >= leastPatch || width == 2)
        window += fmt::format("{}{}", window.empty() ? "" : ", ", *width);
      by += fmt::format("{}{}", by.empty() ? "" : ", ", factor);
    }
    const bool isHere = haveFactor && factor > 1 && isWithin(call.span, at.span);
    if (isHere || (difference.factor > 1 && !difference.isOfNames && isNear(call)))
      g.guess(call, "the stride that fits", {giveStatic(g, call, "stride", "[" + by + "]")});
    if (!window.empty() && !namedOf(call, "padding") && !namedOf(call, "dilation") && !difference.isConstant) {
      g.guess(call, "the stride of patches is their size", {giveStatic(g, call, "stride", "[" + window + "]")});
      g.found.back().isSure = true;
    }
  }
}

namespace {

// By how much one image is larger than the other, also where borders are cut off; 1 where they are no multiples.
std::int64_t factorBetween(std::int64_t least, std::int64_t most) {
  constexpr std::int64_t greatest = 32, shareOfBorders = 8;
  if (least < 1) return 1;
  const std::int64_t factor = (most + least / 2) / least;
  return factor <= greatest && std::abs(most - factor * least) <= least / shareOfBorders ? factor : 1;
}

// A value that a function hands on as it is: the parameter that is its result, a part of a tuple that is there twice, a
// name that is another name's value.
std::vector<Span> handedOn(const Guesser& g) {
  std::vector<Span> values;
  for (const ast::Expr& e : g.module.exprs) {
    const auto* function = std::get_if<ast::ExprFn>(&e.node);
    const auto* body = function ? std::get_if<ast::ExprBlock>(&g.module[function->body].node) : nullptr;
    if (body && body->result && g.nodeAt<ast::ExprName>(g.module[body->result].span) && body->bindings.empty())
      values.push_back(g.module[body->result].span);
    if (const auto* tuple = std::get_if<ast::ExprTuple>(&e.node))
      for (std::size_t i = 1; i < tuple->parts.size(); ++i) {
        const Span part = g.module[tuple->parts[i]].span;
        if (g.nodeAt<ast::ExprName>(part) && g.text(part) == g.text(g.module[tuple->parts[i - 1]].span))
          values.push_back(part);
      }
  }
  return values;
}

}  // namespace

// Makes an image larger or smaller where a size that is too small or too large comes from, or where a function hands
// its image on as it is.
void resampled(Guesser& g, const Application& at) {
  const std::vector<std::int64_t> sizes = g.numbers();
  if (sizes.size() != 2 || differInLastAxis(g) || g.named(0).starts_with("conv")) return;
  const std::int64_t least = std::min(sizes[0], sizes[1]), most = std::max(sizes[0], sizes[1]);
  const std::int64_t factor = factorBetween(least, most);
  if (factor < 2) return;
  const std::string by = fmt::format("[{0}, {0}])", factor);
  auto offer = [&](const Application& shown, Span image, bool isTooSmall) {
    if (isTooSmall)
      g.wrap(shown, image, "enlarge", "upsample(", ", scale=" + by);
    else
      g.wrap(shown, image, "make smaller:", "max_pool(", ", size=" + by);
    g.found.back().isFallback = true;  // a rate may be wrong
  };
  if (isFailing(g, at))
    for (const Span value : handedOn(g))
      for (const bool isTooSmall : {false, true}) offer({value, {}, nullptr}, value, isTooSmall);
  if (!at.isOrigin || !at.named || at.arguments.empty() || g.paramAt(at.arguments[0])) return;
  for (const Label& label : g.diagnostic.secondary) {
    const Span* place = std::get_if<Span>(&label.place);
    const std::int64_t own = std::strtoll(label.text.c_str(), nullptr, 10);
    if (place && *place == at.span && (own == least || own == most)) offer(at, at.arguments[0], own == least);
  }
}

namespace {

// By which numbers the axes of a window are larger in one image than in another: `2, 2`; empty where they are not
// multiples, or all are equal.
std::string ratesOf(Guesser& g, const std::vector<Dim>& large, const std::vector<Dim>& small) {
  constexpr std::int64_t most = 16;
  DimStore& dims = g.checked.solution.dims;
  if (large.size() != small.size() || small.size() < 3) return {};
  std::string rates;
  bool differ = false;
  for (std::size_t axis = 1; axis + 1 < small.size(); ++axis) {
    std::int64_t rate = 1;
    while (rate <= most && dims.mul(small[axis], dims.constant(rate)) != large[axis]) ++rate;
    if (rate > most) return {};
    rates += fmt::format("{}{}", axis == 1 ? "" : ", ", rate);
    differ |= rate > 1;
  }
  return differ ? rates : std::string();
}

}  // namespace

// Gives a transposed convolution the stride that makes its image as large as the one that its result is joined with.
void enlargingStride(Guesser& g, const Application& at) {
  if (!(at.span == std::get<Span>(g.diagnostic.primary.place)) || at.arguments.size() != 2) return;
  std::size_t calls = 0;
  for (const Application& call : g.calls()) {
    if (!nameOf(g, call).starts_with("conv_transpose") || namedOf(call, "stride") || call.arguments.empty()) continue;
    if (++calls > mostCalls) return;
    const std::vector<Dim> image = g.sizesOf(call.arguments[0]);
    for (const Span argument : at.arguments)
      if (const std::string rates = ratesOf(g, g.sizesOf(argument), image); !rates.empty())
        g.guess(call, "the stride that fits", {giveStatic(g, call, "stride", "[" + rates + "]")});
  }
}

// Leaves out a call that makes an image larger or smaller, near what fails: `x3` for `max_pool(x3, size=[2, 2])`.
void withoutResampling(Guesser& g, const Application& at) {
  constexpr std::size_t most = 4;
  if (!isFailing(g, at)) return;
  std::size_t found = 0;
  for (const Application& call : g.callsComputing()) {
    if (call.arguments.size() != 1 || call.span == at.span) continue;
    const std::vector<Dim> before = g.sizesOf(call.arguments[0]), after = g.sizesOf(call.span);
    if (before.size() < 3 || before.size() != after.size()) continue;
    bool isOfImage = before.front() == after.front() && before.back() == after.back();
    for (std::size_t axis = 1; axis + 1 < before.size(); ++axis) isOfImage = isOfImage && before[axis] != after[axis];
    const std::string image = g.text(call.arguments[0]);
    const bool isOtherSide = std::ranges::any_of(at.arguments, [&](Span other) { return g.text(other) == image; });
    if (!isOfImage || isOtherSide || ++found > most) continue;
    g.guess(call, fmt::format("leave out `{}`", calleeOf(g, call)), {{call.span, image}});
    g.found.back().isFallback = !g.numbers().empty() || areMultiples(g);  // then a rate may be wrong
  }
}

// The stride of a convolution that cuts patches: their size, for another one, or for none.
void patchStride(Guesser& g, const Application& at) {
  constexpr std::int64_t leastPatch = 4;
  constexpr std::size_t most = 4;
  if (!isFailing(g, at) || sizeDifference(g).isConstant) return;
  std::size_t found = 0;
  for (const Application& call : g.calls()) {
    if (namedOf(call, "dilation")) continue;  // patches have none
    const ast::NamedArgument* stride = namedOf(call, "stride");
    const bool isOpen = stride && !g.nodeAt<ast::ExprList>(g.module[stride->value].span);
    if (calleeOf(g, call) != "conv2d" || isOpen || isSamePadded(g, call) || call.arguments.size() != 2) continue;
    const std::vector<Dim> filter = g.sizesOf(call.arguments[1]);
    if (filter.size() != 4 || ++found > most) continue;
    const auto height = g.checked.solution.dims.asConstant(filter[0]);
    const auto width = g.checked.solution.dims.asConstant(filter[1]);
    if (!height || !width || std::min(*height, *width) < leastPatch) continue;
    const std::string size = fmt::format("[{}, {}]", *height, *width);
    if (stride && size == g.text(g.module[stride->value].span)) continue;
    g.guess(call, "the stride of patches is their size",
            {stride ? Edit{g.module[stride->value].span, size} : giveStatic(g, call, "stride", size)});
    g.found.back().isSure = true;
  }
}

}  // namespace axle::guess
