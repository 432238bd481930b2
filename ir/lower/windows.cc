// Lowers convolutions, transposed convolutions and pools: windows over the axes between batch and channels.
#include "ir/lower/windows.h"

#include <numeric>

#include "dims/windows.h"
#include "ir/lower/graph_builder.h"
#include "ir/lower/operators.h"

namespace axle::codes {

const DiagnosticCode noSuchElements{"E0516", Severity::error, "an operator that has no meaning for its elements"};

}  // namespace axle::codes

namespace axle::ir::lowering {

namespace {

constexpr Message<arg::ElementType> poolOfNoNumbers{codes::noSuchElements,
                                                    "a pool takes numbers, but its image is of {}", "this pool"};

void append(Dims& to, const Dims& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

std::optional<Dims> windowPadding(Context& c, const Application& a, const std::vector<Window>& windows) {
  DimStore& dims = c.dims();
  std::optional<std::size_t> index = requireAttribute(c, a, "padding");
  if (!index) return std::nullopt;
  StaticTerm term = c.solution.types[attributeAt(c, a, *index)];
  Dim zero = dims.constant(0);
  if (term.kind == StaticKind::text && term.text == ast::validPadding) return Dims(2 * windows.size(), zero);
  Dims pads;
  if (term.kind == StaticKind::text && term.text == ast::samePadding) {
    for (const Window& window : windows) {
      const auto [before, after] = samePaddingOf(dims, window.size, window.result, window.extent, window.stride);
      append(pads, {before, after});
    }
    return pads;
  }
  pads = pairsAttribute(c, term);
  if (pads.size() == 2 * windows.size()) return pads;
  return reportBug(c, "its padding is neither \"valid\", \"same\" nor a pair for each axis", a.span());
}

namespace {

// Emits the convolution of an image [n, ..sizes, c] by a filter [..window, c / groups, k].
std::optional<Tensor> emitConv(Context& c, const Application& a, Op op, const std::vector<Tensor>& inputs, Dim groups,
                               Fact result) {
  Dims image = fact(c, inputs[0]).shape, filter = fact(c, inputs[1]).shape;
  std::size_t rank = result.shape.size() - 2;
  auto stride = dimListAttribute(c, a, "stride", rank), dilation = dimListAttribute(c, a, "dilation", rank);
  if (!stride || !dilation) return std::nullopt;
  std::vector<Window> windows;
  for (std::size_t i = 0; i < rank; ++i) {
    const Dim extent = windowExtent(c.dims(), filter[i], (*dilation)[i]);
    windows.push_back({image[i + 1], extent, (*stride)[i], result.shape[i + 1]});
  }
  auto pads = windowPadding(c, a, windows);
  if (!pads) return std::nullopt;
  auto [before, after] = padsOf(*pads);
  const Dims spreads(rank, c.dims().constant(1));
  return emit(c, op, inputs, ConvAttributes{*stride, before, after, *dilation, spreads, groups}, std::move(result));
}

std::optional<Value> lowerConv(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  auto groups = dimAttribute(c, a, "groups");
  if (!groups) return std::nullopt;
  return toValue(emitConv(c, a, core.op, given->inputs, *groups, std::move(given->result)));
}

// Emits a convolution with a group for each channel; reshapes the filter [..window, c, m] to [..window, 1, c*m].
std::optional<Value> lowerDepthwise(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  Fact filter = withoutValue(fact(c, given->inputs[1]));
  filter.shape.end()[-2] = c.dims().constant(1);
  filter.shape.back() = given->result.shape.back();
  auto grouped = emit(c, Op::reshape, {given->inputs[1]}, {}, std::move(filter));
  if (!grouped) return std::nullopt;
  Dim channels = fact(c, given->inputs[0]).shape.back();
  return toValue(emitConv(c, a, core.op, {given->inputs[0], *grouped}, channels, std::move(given->result)));
}

// Emits a convolution of the image, with stride - 1 zeros between its elements, by the reversed filter [..window, k,
// c]. Its shapes are those of a convolution with this stride that maps `result` to `image`.
std::optional<Value> lowerConvTranspose(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  DimStore& dims = c.dims();
  Dims image = fact(c, given->inputs[0]).shape;
  std::size_t rank = image.size() - 2;
  auto stride = dimListAttribute(c, a, "stride", rank), dilation = dimListAttribute(c, a, "dilation", rank);
  if (!stride || !dilation) return std::nullopt;
  std::optional<Tensor> filter = given->inputs[1];
  for (std::size_t i = 0; i < rank && filter; ++i)
    filter = emit(c, Op::reverse, {*filter}, AxisAttributes{i}, withoutValue(fact(c, *filter)));
  if (!filter) return std::nullopt;
  Axes perm(rank + 2);
  std::iota(perm.begin(), perm.end(), 0U);
  std::swap(perm[rank], perm[rank + 1]);
  Fact turned = withoutValue(fact(c, *filter));
  std::swap(turned.shape[rank], turned.shape[rank + 1]);
  filter = emit(c, Op::transpose, {*filter}, PermAttributes{std::move(perm)}, std::move(turned));
  if (!filter) return std::nullopt;
  std::vector<Window> windows;
  for (std::size_t i = 0; i < rank; ++i) {
    const Dim extent = windowExtent(dims, fact(c, *filter).shape[i], (*dilation)[i]);
    windows.push_back({given->result.shape[i + 1], extent, (*stride)[i], image[i + 1]});
  }
  auto pads = windowPadding(c, a, windows);
  if (!pads) return std::nullopt;
  Dim one = dims.constant(1);
  ConvAttributes conv{Dims(rank, one), {}, {}, *dilation, *stride, one};
  for (std::size_t i = 0; i < rank; ++i) {
    const Window& window = windows[i];
    const auto [before, after] =
        transposedWindowPadding(dims, window.size, window.result, (*pads)[2 * i], window.extent, window.stride);
    conv.before.push_back(before);
    conv.after.push_back(after);
  }
  return toValue(emit(c, core.op, {given->inputs[0], *filter}, std::move(conv), std::move(given->result)));
}

std::optional<Value> lowerPool(Context& c, const Application& a, const CoreOperator& core) {
  auto given = operands(c, a);
  if (!given) return std::nullopt;
  if (!contains(ElemClass::num, given->result.elem))
    return fail(c, Diagnostic(poolOfNoNumbers, a.span(), arg::ElementType{info(given->result.elem).name})
                       .addHelp("`cast` the image to numbers before, and the result back"));
  Dims image = fact(c, given->inputs.front()).shape;
  std::size_t rank = image.size() - 2;
  auto size = dimListAttribute(c, a, "size", rank), stride = dimListAttribute(c, a, "stride", rank);
  if (!size || !stride) return std::nullopt;
  std::vector<Window> windows;
  for (std::size_t i = 0; i < rank; ++i)
    windows.push_back({image[i + 1], (*size)[i], (*stride)[i], given->result.shape[i + 1]});
  auto pads = windowPadding(c, a, windows);
  if (!pads) return std::nullopt;
  auto [before, after] = padsOf(*pads);
  return toValue(
      emit(c, core.op, given->inputs, PoolAttributes{*size, *stride, before, after}, std::move(given->result)));
}

}  // namespace

std::span<const CoreOperator> windowOperators() {
  static constexpr CoreOperator rows[] = {
      {"conv1d", Op::conv, lowerConv},
      {"conv2d", Op::conv, lowerConv},
      {"conv3d", Op::conv, lowerConv},
      {"depthwise_conv1d", Op::conv, lowerDepthwise},
      {"depthwise_conv2d", Op::conv, lowerDepthwise},
      {"depthwise_conv3d", Op::conv, lowerDepthwise},
      {"conv_transpose1d", Op::conv, lowerConvTranspose},
      {"conv_transpose2d", Op::conv, lowerConvTranspose},
      {"conv_transpose3d", Op::conv, lowerConvTranspose},
      {"max_pool1d", Op::maxPool, lowerPool},
      {"max_pool", Op::maxPool, lowerPool},
      {"max_pool3d", Op::maxPool, lowerPool},
      {"avg_pool1d", Op::avgPool, lowerPool},
      {"avg_pool", Op::avgPool, lowerPool},
      {"avg_pool3d", Op::avgPool, lowerPool},
  };
  return rows;
}

}  // namespace axle::ir::lowering
