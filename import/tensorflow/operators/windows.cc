// Convolutions and pooling.
#include "import/tensorflow/operators/windows.h"

#include <algorithm>

#include "dims/windows.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow::windows {
namespace {

constexpr std::int64_t mostAsked = 1 << 30;  // larger sizes and paddings are not computed with

// Core operators take images with the channels last; other images are permuted there and back.
bool channelsFirst(const RuleNode& n) {
  std::string format = n.text("data_format");
  return format.starts_with("NC") || format == "CHANNELS_FIRST";
}

std::optional<TypedId> toLast(RuleNode& n, TypedId value, std::size_t axes) {
  if (!channelsFirst(n)) return value;
  std::vector<std::int64_t> perm{0};
  for (std::size_t i = 0; i < axes; ++i) perm.push_back(static_cast<std::int64_t>(i) + 2);
  perm.push_back(1);
  return n.op("transpose", {value}, {{"perm", n.t.list(perm)}});
}

std::optional<TypedId> fromLast(RuleNode& n, std::optional<TypedId> value, std::size_t axes) {
  if (!value || !channelsFirst(n)) return value;
  std::vector<std::int64_t> perm{0, static_cast<std::int64_t>(axes) + 1};
  for (std::size_t i = 0; i < axes; ++i) perm.push_back(static_cast<std::int64_t>(i) + 1);
  return n.op("transpose", {*value}, {{"perm", n.t.list(perm)}});
}

// Returns the entries for the image axes, from a list with one entry for each axis of the tensor.
std::optional<std::vector<std::int64_t>> spatial(const RuleNode& n, const std::vector<std::int64_t>& all,
                                                 std::size_t axes) {
  if (all.size() == 1) return std::vector(axes, all[0]);
  if (all.size() == axes) return all;
  std::size_t first = channelsFirst(n) ? 2 : 1;
  if (all.size() != axes + 2) return std::nullopt;
  return std::vector(all.begin() + static_cast<std::ptrdiff_t>(first),
                     all.begin() + static_cast<std::ptrdiff_t>(first + axes));
}

std::optional<StaticId> spatial(RuleNode& n, std::string_view name, std::size_t axes) {
  std::vector<std::int64_t> all = n.integers(name);
  if (all.empty()) all = {1};
  auto found = spatial(n, all, axes);
  return found ? std::optional(n.t.list(*found)) : std::nullopt;
}

std::optional<StaticId> padding(RuleNode& n, std::size_t axes) {
  std::string word = n.text("padding");
  if (word == "SAME") return n.t.word("same");
  if (word == "VALID") return n.t.word("valid");
  std::vector<std::int64_t> pads = n.integers("explicit_paddings");
  std::size_t first = channelsFirst(n) ? 4 : 2;
  if (word != "EXPLICIT" || pads.size() < first + 2 * axes) return std::nullopt;
  std::vector<StaticId> pairs;
  for (std::size_t i = 0; i < axes; ++i)
    pairs.push_back(n.t.list(std::vector<std::int64_t>{pads[first + 2 * i], pads[first + 2 * i + 1]}));
  return n.t.list(std::move(pairs));
}

constexpr Message<arg::Name, arg::Number, arg::Name, arg::Number, arg::Number> windowAttributeCount{
    codes::nodeMisfit, "{} has {} numbers as its {}, but needs {}", "there are {4} axes"};

// Returns the stride, dilation and padding of a window. None after an error.
std::optional<Statics> window(RuleNode& n, std::size_t axes) {
  const std::size_t rank = axes + 2;
  auto refuse = [&](std::string_view attribute, std::size_t has, std::size_t needs) {
    n.fail(windowAttributeCount, n.opName(), arg::Number{has}, arg::Name{attribute}, arg::Number{needs},
           arg::Number{rank});
    return std::nullopt;
  };
  for (std::string_view attribute : {"ksize", "strides", "dilations"}) {
    std::vector<std::int64_t> all = n.integers(attribute);
    if (!all.empty() && !spatial(n, all, axes)) return refuse(attribute, all.size(), rank);
  }
  if (std::size_t pads = n.integers("explicit_paddings").size(); n.text("padding") == "EXPLICIT" && pads != 2 * rank)
    return refuse("explicit_paddings", pads, 2 * rank);
  auto stride = spatial(n, "strides", axes), dilation = spatial(n, "dilations", axes), pad = padding(n, axes);
  if (!stride || !dilation || !pad) return std::nullopt;
  return Statics{{"stride", *stride}, {"dilation", *dilation}, {"padding", *pad}};
}

// Returns the number of image axes of conv2d, max_pool3d, ...
std::size_t axesOf(std::string_view core) { return core.ends_with("3d") ? 3 : 2; }

Outcome convolutionType(RuleNode& n, std::string_view core) {
  std::size_t axes = axesOf(core);
  auto statics = window(n, axes);
  if (!statics) return Outcome::unknown;
  auto image = toLast(n, n.in(0), axes);
  if (!image) return Outcome::failed;
  if (core.starts_with("conv")) {
    // A filter with fewer channels than the image is grouped.
    auto dims = n.dims(0), filter = n.dims(1);
    if (dims && filter && dims->size() == axes + 2 && filter->size() == axes + 2) {
      DimStore& store = n.t.solution().dims;
      auto channels = store.asConstant((*dims)[channelsFirst(n) ? 1 : axes + 1]);
      auto each = store.asConstant((*filter)[axes]);
      if (channels && each && *each > 0 && *channels > *each && *channels % *each == 0)
        (*statics)["groups"] = n.t.integer(*channels / *each);
    }
  }
  return n.give(fromLast(n, n.op(core, {*image, n.in(1)}, std::move(*statics)), axes));
}

constexpr Message<arg::Name, arg::Number, arg::Number, arg::Number, arg::Number, arg::Number> enlargedToOtherSize{
    codes::nodeMisfit,
    "{} is asked for a size of {} along axis {}, of which stride {} makes {}, but the tensor that it enlarges has {}",
    "{5} cannot become {1}"};

// Reports a result size whose windows do not give the small image. Returns true after an error.
bool asksForOther(RuleNode& n, const std::vector<Dim>& sizes, std::size_t axes) {
  auto small = n.dims(2), filter = n.dims(1);
  auto strides = n.integers("strides"), dilations = n.integers("dilations");
  if (!small || !filter || small->size() != axes + 2 || filter->size() != axes + 2 || sizes.size() != axes + 2 ||
      strides.size() != axes + 2)
    return false;
  DimStore& store = n.t.solution().dims;
  auto number = [&](Dim d) { return store.asConstant(n.t.solution().resolve(d)); };
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t at = i + (channelsFirst(n) ? 2 : 1);
    auto asked = number(sizes[at]), has = number((*small)[at]), reach = number((*filter)[i]);
    if (!asked || !has || !reach || *asked > mostAsked || *reach > mostAsked) continue;
    const std::int64_t dilation = dilations.size() == axes + 2 ? dilations[at] : 1;
    if (dilation < 1 || dilation > mostAsked) continue;
    auto makes = windowsAlong(n, at, *asked, windowExtent(PlainSizes{}, *reach, dilation), strides[at]);
    if (!makes || makes->count == 0 || makes->count == *has) continue;
    n.fail(enlargedToOtherSize, n.opName(), arg::Number{*asked}, arg::Number{at}, arg::Number{strides[at]},
           arg::Number{makes->count}, arg::Number{*has});
    return true;
  }
  return false;
}

constexpr Message<arg::Name, arg::Number, arg::Number> sizesOfOtherRank{
    codes::nodeMisfit, "{} needs {} sizes of its result, but is given {}", "these sizes"};

// Types the gradient of a convolution by its input, also called a transposed convolution. The first input is the sizes
// of the result.
Outcome transposedConvolutionType(RuleNode& n, std::string_view core) {
  std::size_t axes = axesOf(core);
  auto statics = window(n, axes);
  if (!statics) return Outcome::unknown;
  auto sizes = n.sizes(0);
  if (sizes && sizes->size() != axes + 2 && sizes->size() != axes)
    return n.fail(sizesOfOtherRank, n.opName(), arg::Number{axes + 2}, arg::Number{sizes->size()});
  if (sizes && asksForOther(n, *sizes, axes)) return Outcome::failed;
  auto small = toLast(n, n.in(2), axes);
  if (!small) return Outcome::failed;
  if (sizes) {
    bool whole = sizes->size() == axes + 2;
    std::size_t first = whole ? (channelsFirst(n) ? 2 : 1) : 0;
    std::vector<Dim> along(sizes->begin() + static_cast<std::ptrdiff_t>(first),
                           sizes->begin() + static_cast<std::ptrdiff_t>(first + axes));
    (*statics)["size"] = n.t.list(along);
  } else {
    std::vector<StaticId> open;
    for (std::size_t i = 0; i < axes; ++i) open.push_back(n.t.integer(n.t.unknownSize("h")));
    (*statics)["size"] = n.t.list(std::move(open));
  }
  auto large = fromLast(n, n.op(core, {*small, n.in(1)}, std::move(*statics)), axes);
  if (!large) return Outcome::failed;
  if (sizes && sizes->size() == axes + 2) {
    TypeId wanted = n.t.tensor(n.t.unknownElem(), n.t.shape(*sizes), n.places.inputs[0]);
    if (!n.equate(wanted, n.t.typeOf(*large))) return Outcome::failed;
  }
  n.give(large);
  return sizes ? Outcome::done : Outcome::waits;
}

// Types the gradient by the filter, whose sizes are the second input.
Outcome filterGradientType(RuleNode& n, std::string_view) {
  if (auto sizes = n.sizes(1)) return giveDims(n, *sizes);
  giveDims(n, unknownSizes(n, n.node.op.starts_with("Conv3D") ? 5 : 4));
  return Outcome::waits;
}

// A convolution, then a bias for each channel or a normalisation, then an activation.
Outcome fusedConvolutionType(RuleNode& n, std::string_view core) {
  n.giveTypesOnly();
  if (Outcome outcome = convolutionType(n, core); outcome != Outcome::done) return outcome;
  const Value* list = n.attribute("fused_ops");
  const auto* fused = list ? std::get_if<Values>(list) : nullptr;
  const auto* first = fused && !fused->empty() ? std::get_if<std::string>(&fused->front()) : nullptr;
  if (!first || (*first != "BiasAdd" && *first != "FusedBatchNorm")) return Outcome::done;
  const TypeTerm image = n.t.solution().types[n.t.typeOf(n.results[0])];
  if (image.kind != TypeKind::tensor || image.shape.size() != 4) return Outcome::done;
  ShapePart channels = image.shape[channelsFirst(n) ? 1 : 3];
  for (std::size_t i = 2; i < (*first == "BiasAdd" ? 3U : 6U); ++i) {
    if (n.isTensor(i) && !requireShape(n, i, {channels}, n.places.inputs[i])) return Outcome::failed;
  }
  return Outcome::done;
}

// Types a convolution of codes, followed by the range of the results, for each channel if the ranges are.
Outcome quantizedConvolutionType(RuleNode& n, std::string_view core) {
  n.giveTypesOnly();
  if (Outcome outcome = convolutionType(n, core); outcome != Outcome::done) return outcome;
  for (std::size_t port = 1; port < 3; ++port) n.giveShape(n.t.unknownShape("s"), port);
  return Outcome::done;
}

// Conv is for images and volumes: the filter's rank decides which.
Outcome anyConvolutionType(RuleNode& n, std::string_view) {
  auto filter = n.rank(1);
  if (!filter) return Outcome::waits;
  if (n.integer("batch_dims", 1) != 1 || (*filter != 4 && *filter != 5)) return Outcome::unknown;
  return convolutionType(n, *filter == 4 ? "conv2d" : "conv3d");
}

// Pads the image before the convolution.
Outcome paddedConvolutionType(RuleNode& n, std::string_view) {
  auto rank4 = [&] { return n.t.tensor(n.t.unknownElem(), n.t.shape(unknownSizes(n, 4)), n.places.op); };
  std::size_t pads = n.count() - 2;
  TypedId image = n.in(0);
  if (n.node.op == "FusedResizeAndPadConv2D") {
    auto size = n.sizes(1);
    Dims sizes = unknownSizes(n, 4);
    if (!requireDims(n, 0, sizes)) return Outcome::failed;
    for (std::size_t i = 0; i < 2; ++i) sizes[i + 1] = size && size->size() == 2 ? (*size)[i] : n.t.unknownSize("d");
    image = n.t.opaque(n.node.name, n.t.tensor(n.t.unknownElem(), n.t.shape(sizes), n.places.op), n.places.op);
    n.equate(n.t.typeOf(image), n.t.tensor(ElemTerm::of(Elem::f32), n.t.unknownShape("s"), n.places.op));
  }
  auto edges = n.numbers(pads);
  std::optional<TypedId> padded = n.t.opaque(n.node.name, rank4(), n.places.op);
  if (edges && edges->size() == 8) {
    std::vector<StaticId> pairs;
    for (std::size_t i = 0; i < 8; i += 2)
      pairs.push_back(n.t.list(std::vector<std::int64_t>{(*edges)[i], (*edges)[i + 1]}));
    padded = n.op("pad", {image}, {{"pads", n.t.list(std::move(pairs))}});
  }
  auto statics = window(n, 2);
  if (!padded || !statics) return padded ? Outcome::unknown : Outcome::failed;
  n.giveTypesOnly();
  n.give(n.op("conv2d", {*padded, n.in(pads + 1)}, std::move(*statics)));
  return edges ? Outcome::done : Outcome::waits;
}

constexpr Message<arg::Name> fractionalPoolRank{codes::nodeMisfit, "{} needs an image of 4 axes and a ratio for each",
                                                "here"};

// Divides each axis by its ratio, and gives the positions where rows and columns are cut.
Outcome fractionalPoolType(RuleNode& n, std::string_view) {
  auto dims = n.dims(0);
  if (!dims) return Outcome::waits;
  const Value* list = n.attribute("pooling_ratio");
  const auto* ratios = list ? std::get_if<Values>(list) : nullptr;
  if (!ratios || ratios->size() != 4 || dims->size() != 4) return n.fail(fractionalPoolRank, n.opName());
  DimStore& store = n.t.solution().dims;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto* ratio = std::get_if<float>(&(*ratios)[i]);
    auto size = store.asConstant((*dims)[i]);
    if (ratio && *ratio == 1) continue;
    (*dims)[i] = ratio && size
                     ? n.t.constant(static_cast<std::int64_t>(static_cast<double>(*size) / static_cast<double>(*ratio)))
                     : n.t.unknownSize("d");
  }
  giveDims(n, *dims);
  giveDims(n, {store.add((*dims)[1], n.t.constant(1))}, 1);
  return giveDims(n, {store.add((*dims)[2], n.t.constant(1))}, 2);
}

// Whether the window has size 1 along the batch and the channels, as core operators require.
bool alongImage(const RuleNode& n, const std::vector<std::int64_t>& all, std::size_t axes) {
  if (all.size() != axes + 2) return true;
  return all[0] == 1 && all[channelsFirst(n) ? 1 : axes + 1] == 1;
}

// Gives only the sizes, for windows along the channels. TensorFlow ignores the window along the batch and, for volumes,
// along the channels.
Outcome poolEverywhere(RuleNode& n, const std::vector<std::int64_t>& size, const std::vector<std::int64_t>& stride) {
  auto dims = n.dims(0);
  if (!dims) {
    giveDims(n, unknownSizes(n, size.size()));
    return Outcome::waits;
  }
  bool same = n.text("padding") == "SAME";
  if (dims->size() != size.size() || dims->size() != stride.size() || (!same && n.text("padding") != "VALID"))
    return Outcome::unknown;
  DimStore& store = n.t.solution().dims;
  std::size_t ignored = dims->size() == 5 ? (channelsFirst(n) ? 1 : 4) : 0;
  for (std::size_t i = 1; i < dims->size(); ++i) {
    bool channel = i == (channelsFirst(n) ? 1U : dims->size() - 1);
    if (channel && (i == ignored || size[i] == 1)) continue;
    if (size[i] < 1 || stride[i] < 1) return Outcome::unknown;
    const Dim step = n.t.constant(stride[i]);
    (*dims)[i] = same ? samePaddedPositions(store, (*dims)[i], step)
                      : windowPositions(store, (*dims)[i], n.t.constant(0), n.t.constant(size[i]), step);
  }
  return giveDims(n, *dims);
}

Outcome poolType(RuleNode& n, std::string_view core) {
  std::size_t axes = axesOf(core);
  auto list = [&](const char* name, std::size_t input) -> std::optional<std::vector<std::int64_t>> {
    return n.count() > 1 ? n.numbers(input) : std::optional(n.integers(name));
  };
  auto size = list("ksize", 1), stride = list("strides", 2);
  if (!size || !stride) return Outcome::waits;
  auto pad = padding(n, axes);
  auto sizeAlong = spatial(n, *size, axes), strideAlong = spatial(n, *stride, axes);
  if (!pad || !sizeAlong || !strideAlong) return Outcome::unknown;
  if (!alongImage(n, *size, axes) || !alongImage(n, *stride, axes)) return poolEverywhere(n, *size, *stride);
  auto image = toLast(n, n.in(0), axes);
  if (!image) return Outcome::failed;
  Statics statics{{"size", n.t.list(*sizeAlong)}, {"stride", n.t.list(*strideAlong)}, {"padding", *pad}};
  return n.give(fromLast(n, n.op(core, {*image}, std::move(statics)), axes));
}

// Gives the largest elements and their indices.
Outcome poolWithPlacesType(RuleNode& n, std::string_view core) {
  Outcome outcome = poolType(n, core);
  if (outcome != Outcome::done) return outcome;
  const TypeTerm type = n.t.solution().types[n.t.typeOf(n.results[0])];
  return n.giveShape(type.kind == TypeKind::tensor ? type.shape : n.t.unknownShape("s"), 1);
}

constexpr std::string_view patches =
    "(t [n, h, w, c]; ksizes : ints(4), strides : ints(4), rates : ints(4), padding : padding)"
    " -> t [n, conv_out(h, ksizes[1], strides[1], padding[0], rates[1]),"
    " conv_out(w, ksizes[2], strides[2], padding[1], rates[2]), ksizes[1]*ksizes[2]*c]";

constexpr std::string_view volumePatches =
    "(t [n, d, h, w, c]; ksizes : ints(5), strides : ints(5), padding : padding(3))"
    " -> t [n, conv_out(d, ksizes[1], strides[1], padding[0], 1), conv_out(h, ksizes[2], strides[2], padding[1], 1),"
    " conv_out(w, ksizes[3], strides[3], padding[2], 1), ksizes[1]*ksizes[2]*ksizes[3]*c]";

constexpr std::string_view dilation =
    "(t [n, h, w, c], t [r, s, c]; strides : ints(4), rates : ints(4), padding : padding)"
    " -> t [n, conv_out(h, r, strides[1], padding[0], rates[1]), conv_out(w, s, strides[2], padding[1], rates[2]), c]";

}  // namespace

std::optional<AxisWindows> windowsAlong(const RuleNode& n, std::size_t axis, std::int64_t size, std::int64_t extent,
                                        std::int64_t stride) {
  constexpr PlainSizes sizes;
  if (stride < 1 || size < 0) return std::nullopt;
  const std::string padding = n.text("padding");
  if (padding == "SAME") {
    const std::int64_t count = samePaddedPositions(sizes, size, stride);
    return AxisWindows{count, samePaddingOf(sizes, size, count, extent, stride).first};
  }
  std::int64_t before = 0, after = 0;
  if (padding == "EXPLICIT") {
    const std::vector<std::int64_t> pads = n.integers("explicit_paddings");
    if (pads.size() < 2 * axis + 2) return std::nullopt;
    before = pads[2 * axis];
    after = pads[2 * axis + 1];
    if (std::min(before, after) < 0 || std::max(before, after) > mostAsked) return std::nullopt;
  } else if (padding != "VALID") {
    return std::nullopt;
  }
  return AxisWindows{sizeAtLeast(sizes, windowPositions(sizes, size, before + after, extent, stride), 0), before};
}

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name                                                   type                 value  formula
    {"Conv2D",                                                {convolutionType, "conv2d"}},
    {"Conv3D",                                                {convolutionType, "conv3d"}},
    {"DepthwiseConv2dNative",                                 {convolutionType, "depthwise_conv2d"}},
    {"Conv2DBackpropInput",                                   {transposedConvolutionType, "conv_transpose2d"}},
    {"Conv3DBackpropInputV2",                                 {transposedConvolutionType, "conv_transpose3d"}},
    {"Conv2DBackpropFilter",                                  filterGradientType,  {},    convolutionFilterGradFormula},
    {"Conv3DBackpropFilterV2",                                filterGradientType},
    {"DepthwiseConv2dNativeBackpropFilter",                   filterGradientType},
    {"MaxPool",                                               {poolType, "max_pool"}},
    {"MaxPoolV2",                                             {poolType, "max_pool"}},
    {"AvgPool",                                               {poolType, "avg_pool"}},
    {"MaxPool3D",                                             {poolType, "max_pool3d"}},
    {"AvgPool3D",                                             {poolType, "avg_pool3d"}},
    {"MaxPoolWithArgmax",                                     {poolWithPlacesType, "max_pool"},
                                                                                   {},    poolWithPlacesFormula},
    {"ExtractImagePatches",                                   patches,             {},    imagePatchesFormula},
    {"ExtractVolumePatches",                                  volumePatches},
    {"Dilation2D",                                            dilation,            {},    dilationFormula},
    {"Conv",                                                  anyConvolutionType},
    {"_FusedConv2D",                                          {fusedConvolutionType, "conv2d"}},
    {"_FusedDepthwiseConv2dNative",                           {fusedConvolutionType, "depthwise_conv2d"}},
    {"FusedPadConv2D",                                        paddedConvolutionType},
    {"FusedResizeAndPadConv2D",                               paddedConvolutionType},
    {"FractionalMaxPool",                                     fractionalPoolType},
    {"FractionalAvgPool",                                     fractionalPoolType},
    {"QuantizedConv2DAndRelu",                                {quantizedConvolutionType, "conv2d"}},
    {"QuantizedConv2DAndReluAndRequantize",                   {quantizedConvolutionType, "conv2d"}},
    {"QuantizedConv2DAndRequantize",                          {quantizedConvolutionType, "conv2d"}},
    {"QuantizedConv2DPerChannel",                             {quantizedConvolutionType, "conv2d"}},
    {"QuantizedConv2DWithBias",                               {quantizedConvolutionType, "conv2d"}},
    {"QuantizedConv2DWithBiasAndRelu",                        {quantizedConvolutionType, "conv2d"}},
    {"QuantizedConv2DWithBiasAndReluAndRequantize",           {quantizedConvolutionType, "conv2d"}},
    {"QuantizedConv2DWithBiasAndRequantize",                  {quantizedConvolutionType, "conv2d"}},
    {"QuantizedConv2DWithBiasSignedSumAndReluAndRequantize",  {quantizedConvolutionType, "conv2d"}},
    {"QuantizedConv2DWithBiasSumAndRelu",                     {quantizedConvolutionType, "conv2d"}},
    {"QuantizedConv2DWithBiasSumAndReluAndRequantize",        {quantizedConvolutionType, "conv2d"}},
    {"QuantizedDepthwiseConv2D",                              {quantizedConvolutionType, "depthwise_conv2d"}},
    {"QuantizedDepthwiseConv2DWithBias",                      {quantizedConvolutionType, "depthwise_conv2d"}},
    {"QuantizedDepthwiseConv2DWithBiasAndRelu",               {quantizedConvolutionType, "depthwise_conv2d"}},
    {"QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",  {quantizedConvolutionType, "depthwise_conv2d"}},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::windows
