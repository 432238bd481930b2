// Convolutions and pools.
#include "ir/import/tensorflow/analysis/rule.h"

namespace axle::tensorflow {
namespace {

// Channels last is what the core operators take; the others are permuted there and back.
bool channelsFirst(const RuleNode& n) { return n.text("data_format").starts_with("NC"); }

std::optional<TypedId> permuted(RuleNode& n, std::optional<TypedId> value, const std::vector<std::int64_t>& perm) {
  return value ? n.op("transpose", {*value}, {{"perm", n.t.list(perm)}}) : value;
}
std::optional<TypedId> toLast(RuleNode& n, TypedId value) {
  return channelsFirst(n) ? permuted(n, value, {0, 2, 3, 1}) : value;
}
std::optional<TypedId> fromLast(RuleNode& n, std::optional<TypedId> value) {
  return channelsFirst(n) ? permuted(n, value, {0, 3, 1, 2}) : value;
}

// The two that run along the image, of a list with one for each axis.
std::optional<StaticId> spatial(RuleNode& n, std::string_view name) {
  std::vector<std::int64_t> all = n.integers(name);
  if (all.empty()) return n.t.list(std::vector<std::int64_t>{1, 1});
  std::size_t first = channelsFirst(n) ? 2 : 1;
  if (all.size() == 1) return n.t.list(std::vector<std::int64_t>{all[0], all[0]});
  if (all.size() < first + 2) return std::nullopt;
  return n.t.list(std::vector<std::int64_t>{all[first], all[first + 1]});
}

std::optional<StaticId> padding(RuleNode& n) {
  std::string word = n.text("padding");
  if (word == "SAME") return n.t.word("same");
  if (word == "VALID") return n.t.word("valid");
  std::vector<std::int64_t> pads = n.integers("explicit_paddings");
  std::size_t first = channelsFirst(n) ? 4 : 2;
  if (word != "EXPLICIT" || pads.size() < first + 4) return std::nullopt;
  auto pair = [&](std::size_t at) { return n.t.list(std::vector<std::int64_t>{pads[at], pads[at + 1]}); };
  return n.t.list(std::vector<StaticId>{pair(first), pair(first + 2)});
}

Outcome convolution(RuleNode& n, std::string_view core) {
  if (!n.isTensor(0) || !n.isTensor(1)) return Outcome::unknown;
  auto stride = spatial(n, "strides"), dilation = spatial(n, "dilations"), pad = padding(n);
  if (!stride || !dilation || !pad) return Outcome::unknown;
  Statics statics{{"stride", *stride}, {"dilation", *dilation}, {"padding", *pad}};
  auto image = toLast(n, n.in(0));
  if (!image) return Outcome::failed;
  if (core == "conv2d") {
    // A filter with fewer channels than the image is grouped.
    auto dims = n.dims(0), filter = n.dims(1);
    if (dims && filter && dims->size() == 4 && filter->size() == 4) {
      DimStore& store = n.t.solution().dims;
      auto channels = store.asConstant((*dims)[channelsFirst(n) ? 1 : 3]), each = store.asConstant((*filter)[2]);
      if (channels && each && *each > 0 && *channels > *each && *channels % *each == 0)
        statics["groups"] = n.t.integer(*channels / *each);
    }
  }
  return n.give(fromLast(n, n.op(core, {*image, n.in(1)}, std::move(statics))));
}

Outcome pool(RuleNode& n, std::string_view core) {
  if (!n.isTensor(0)) return Outcome::unknown;
  auto size = spatial(n, "ksize"), stride = spatial(n, "strides"), pad = padding(n);
  if (!size || !stride || !pad) return Outcome::unknown;
  auto image = toLast(n, n.in(0));
  if (!image) return Outcome::failed;
  return n.give(fromLast(n, n.op(core, {*image}, {{"size", *size}, {"stride", *stride}, {"padding", *pad}})));
}

constexpr Rule rows[] = {
    {"Conv2D", convolution, "conv2d"},
    {"DepthwiseConv2dNative", convolution, "depthwise_conv2d"},
    {"MaxPool", pool, "max_pool"},
    {"AvgPool", pool, "avg_pool"},
};

}  // namespace

std::span<const Rule> windowRules() { return rows; }

}  // namespace axle::tensorflow
