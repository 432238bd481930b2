#include "driver/operator_streams.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace axle::driver {

namespace {

constexpr std::string_view window =
    "in windows: a result waits for the frames that its window looks ahead. With padding=\"same\" and a stride, the "
    "window must pad "
    "alike for each length.";
constexpr std::string_view spread = "each frame gives as many frames as the stride.";
constexpr std::string_view running = "carries its state from frame to frame along `axis`; not with reverse=true.";
constexpr std::string_view made = "gives frames of a streamed size as they are needed.";
constexpr std::string_view padded =
    "padding in front comes first, padding behind with the end. mode=\"reflect\" and \"symmetric\" wait for the frames "
    "that they mirror; "
    "\"circular\" needs the whole.";

constexpr std::string_view reduced =
    "not along `axis`, of which it needs all; frame by frame along other dimensions. Over windows of frames (`frame`) "
    "it "
    "streams, as running values (`cumsum`, `cummax`) do.";
constexpr std::string_view resized =
    "along height or width by a whole factor, up or down, from neighbouring frames; not with "
    "coordinates=\"align_corners\", whose positions depend on the whole size.";
constexpr std::string_view transformed = "not along the dimension that is transformed; frame by frame along others.";
constexpr std::string_view counted = "not where its size would be streamed: it needs the whole size.";
constexpr std::string_view found = "not: how much it gives is known in a run of the whole only.";
constexpr std::string_view table =
    "index by index where the indices stream; the tensor that it reads from is needed at once along `n`.";

constexpr StreamRule rules[] = {
    {"sum", reduced},
    {"prod", reduced},
    {"mean", reduced},
    {"amax", reduced},
    {"amin", reduced},
    {"any", reduced},
    {"all", reduced},
    {"variance", reduced},
    {"std", reduced},
    {"l1_norm", reduced},
    {"l2_norm", reduced},
    {"count_nonzero", reduced},
    {"logsumexp", reduced},
    {"resize", resized},
    {"resize_nearest", resized},
    {"irfft", transformed},
    {"random_bits", counted},
    {"random_uniform", counted},
    {"random_normal", counted},
    {"random_bernoulli", counted},
    {"linspace", "a fixed number of elements, which are known at once."},
    {"eye", counted},
    {"to_dense", found},
    {"to_ragged", found},
    {"same_lengths", "not: it compares the lengths of rows, which are known in a run of the whole only."},
    {"arange_to", found},
    {"nonzero", found},
    {"unique", found},
    {"gather", table},
    {"take_along", table},
    {"slice",
     "from the begin: `x[2:]` leaves out frames, `x[::3]` takes each third. Up to the end: `x[:T - 2]` gives a frame "
     "once two more have come. A fixed number of frames, `x[:2]`, is known once and does not stream."},
    {"stack", "waits for the slowest operand."},
    {"tile", "along other dimensions than the repeated ones; a stream as a whole cannot be repeated."},
    {"flatten", "each frame gives its elements; nothing but dimensions of size 1 may stand in front of the stream."},
    {"einsum", "not along dimensions that are summed over; frame by frame along other dimensions."},
    {"outer", "frame by frame of one operand; the other one is needed at once."},
    {"one_hot", "id by id."},
    {"patches", window},
    {"space_to_depth", "`block` frames along height or width become one."},
    {"depth_to_space", "each frame along height or width gives `block` frames."},
    {"pad_with", "padding in front comes first, padding behind with the end."},
    {"reduce",
     "not along `axis`, of which it needs all: `loop` gives running results. Along other dimensions where the function "
     "computes each frame for itself, or a fixed number of at most 64 steps is unrolled."},
    {"while", "where condition and steps do not look at frames, and each step computes each frame for itself."},
    {"conv", "in windows: a result waits for the frames that its window looks ahead."},
    {"conv1d", window},
    {"conv2d", window},
    {"conv3d", window},
    {"depthwise_conv1d", window},
    {"depthwise_conv2d", window},
    {"depthwise_conv3d", window},
    {"max_pool", window},
    {"max_pool1d", window},
    {"max_pool3d", window},
    {"avg_pool", window},
    {"avg_pool1d", window},
    {"avg_pool3d", window},
    {"frame", "in windows of `length` frames, one for `step` frames."},
    {"conv_transpose1d", spread},
    {"conv_transpose2d", spread},
    {"conv_transpose3d", spread},
    {"overlap_add", "each frame gives `step` frames, once no later frame overlaps them."},
    {"repeat", "each frame gives `times` frames along `axis`; frame by frame along other dimensions."},
    {"upsample", "each frame gives as many frames as the scale."},
    {"reshape",
     "whole frames may be joined or divided, [~(2*T), 3] to [~T, 6] and back; else the streamed dimension must stay "
     "one."},
    {"pad", padded},
    {"pad_axis", "padding in front comes first, padding behind with the end."},
    {"concat",
     "across the stream it waits for the slowest operand; along it, one operand streams and the others stand in front "
     "or behind."},
    {"cumsum", running},
    {"cumprod", running},
    {"cummax", running},
    {"cummin", running},
    {"loop",
     "carries its state from element to element of the sequences; its last state does not stream. Along other "
     "dimensions where the function computes each frame for itself, or a fixed number of at most 64 steps is "
     "unrolled."},
    {"map",
     "element by element of its sequences. Along other dimensions as its function does, of any number of elements."},
    {"embedding", "id by id."},
    {"zeros", made},
    {"ones", made},
    {"full", made},
    {"arange", made},
};

bool isOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '\''; }

// Returns the dimensions that a signature marks with a word: `n : whole`.
std::vector<std::string> dimensionsMarked(std::string_view text, std::string_view word) {
  const std::string mark = " : " + std::string(word);
  std::vector<std::string> names;
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && isOfName(text[begin - 1])) --begin;
    names.emplace_back(text.substr(begin, at - begin));
  }
  return names;
}

}  // namespace

std::span<const StreamRule> streamRules() { return rules; }

std::string streamSentence(const CoreOp& op) {
  const auto rule =
      std::find_if(std::begin(rules), std::end(rules), [&](const StreamRule& r) { return r.name == op.name; });
  if (rule != std::end(rules)) return "Streams: " + std::string(rule->text);
  const std::vector<std::string> whole = dimensionsMarked(op.text, "whole");
  if (whole.empty()) return "Streams: frame by frame.";
  std::string names;
  for (std::size_t i = 0; i < whole.size(); ++i)
    names += (i == 0 ? "`" : i + 1 == whole.size() ? " and `" : ", `") + whole[i] + "`";
  return "Streams: not along " + names + ", which it needs at once; frame by frame along other dimensions.";
}

}  // namespace axle::driver
