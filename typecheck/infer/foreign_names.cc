#include "typecheck/infer/foreign_names.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "frontend/lower_case.h"

namespace axle {

namespace {

constexpr Format<> sizeByName =
    "a size has a name where it is written first: in `fn (x : f32 [n, 10])`, `n` is a number";
constexpr Format<> valuesOnly = "tensors are values, and have no device or copy to ask for: leave this out";
constexpr Format<> castHere = "`cast(x)` converts to the element type that its use needs";

constexpr ForeignName foreignNameRows[] = {
    {"cat", "concat", "concat($0.., axis=$1)", ""},
    {"concatenate", "concat", "concat($0.., axis=$1)", ""},
    {"vstack", "concat", "concat($0.., axis=0)", ""},
    {"hstack", "concat", "concat($0.., axis=1)", ""},
    {"columnstack", "concat", "concat($0.., axis=1)", ""},
    {"view", "reshape", "reshape($0, [$1..])", ""},
    {"permute", "transpose", "transpose($0, perm=[$1..])", ""},
    {"swapaxes", "swap_axes", "swap_axes($0, a=$1, b=$2)", ""},
    {"moveaxis", "move_axis", "move_axis($0, from=$1, to=$2)", ""},
    {"t", "transpose", "transpose($0)", ""},
    {"unsqueeze", "expand", "expand($0, axis=$1)", ""},
    {"expanddims", "expand", "expand($0, axis=$1)", ""},
    {"ravel", "flatten", "flatten($0)", ""},
    {"flip", "reverse", "reverse($0, axis=$1)", ""},
    {"fliplr", "reverse", "reverse($0, axis=1)", ""},
    {"flipud", "reverse", "reverse($0, axis=0)", ""},
    {"chunk", "split", "split($0, parts=$1, axis=$2)", ""},
    {"unbind", "unstack", "unstack($0, axis=$1)", ""},
    {"repeatinterleave", "repeat", "repeat($0, times=$1, axis=$2)", ""},
    {"take", "gather", "gather($0, $1, axis=$2)", ""},
    {"takealongaxis", "take_along", "take_along($0, $1, axis=$2)", ""},
    {"takealongdim", "take_along", "take_along($0, $1, axis=$2)", ""},
    {"gatherelements", "take_along", "take_along($0, $1, axis=$2)", ""},
    {"gathernd", "gather_nd", "gather_nd($0, $1)", ""},
    {"tensorscatterndupdate", "scatter_update", "scatter_update($0, $1, $2)", ""},
    {"tensorscatterndadd", "scatter_add", "scatter_add($0, $1, $2)", ""},
    {"unsortedsegmentsum", "segment_sum", "", ""},
    {"argwhere", "nonzero", "nonzero($0)", ""},
    {"bucketize", "searchsorted", "searchsorted($1, $0)", ""},
    {"indexselect", "gather", "gather($0, $2, axis=$1)", ""},
    {"mm", "matmul", "matmul($0, $1)", ""},
    {"bmm", "matmul", "matmul($0, $1)", ""},
    {"mv", "matvec", "matvec($0, $1)", ""},
    {"vdot", "dot", "dot($0, $1)", ""},
    {"addmm", "nn.dense", "nn.dense($1, $2, $0)", ""},
    {"biasadd", "+", "($0 + $1)", ""},
    {"tensordot", "einsum", "", ""},
    {"linear", "nn.dense", "nn.dense($0, $1, $2)", ""},
    {"fullyconnected", "nn.dense", "nn.dense($0, $1, $2)", ""},
    {"conv2dtranspose", "conv_transpose2d", "", ""},
    {"convtranspose2d", "conv_transpose2d", "", ""},
    {"conv1dtranspose", "conv_transpose1d", "", ""},
    {"convtranspose1d", "conv_transpose1d", "", ""},
    {"convolution", "conv2d", "", ""},
    {"convolution2d", "conv2d", "", ""},
    {"depthwiseconv2d", "depthwise_conv2d", "", ""},
    {"separableconv2d", "nn.separable_conv2d", "", ""},
    {"maxpool", "max_pool", "max_pool($0, size=[$1, $1])", ""},
    {"avgpool", "avg_pool", "avg_pool($0, size=[$1, $1])", ""},
    {"maxpool1d", "max_pool1d", "max_pool1d($0, size=[$1])", ""},
    {"maxpooling1d", "max_pool1d", "max_pool1d($0, size=[$1])", ""},
    {"avgpool1d", "avg_pool1d", "avg_pool1d($0, size=[$1])", ""},
    {"averagepooling1d", "avg_pool1d", "avg_pool1d($0, size=[$1])", ""},
    {"maxpool3d", "max_pool3d", "max_pool3d($0, size=[$1, $1, $1])", ""},
    {"avgpool3d", "avg_pool3d", "avg_pool3d($0, size=[$1, $1, $1])", ""},
    {"maxpool2d", "max_pool", "max_pool($0, size=[$1, $1])", ""},
    {"maxpooling2d", "max_pool", "max_pool($0, size=[$1, $1])", ""},
    {"avgpool2d", "avg_pool", "avg_pool($0, size=[$1, $1])", ""},
    {"averagepooling2d", "avg_pool", "avg_pool($0, size=[$1, $1])", ""},
    {"globalaveragepooling2d", "nn.global_avg_pool", "nn.global_avg_pool($0)", ""},
    {"adaptiveavgpool2d", "nn.global_avg_pool", "nn.global_avg_pool($0)", ""},
    {"globalmaxpooling2d", "nn.global_max_pool", "nn.global_max_pool($0)", ""},
    {"adaptivemaxpool2d", "nn.global_max_pool", "nn.global_max_pool($0)", ""},
    {"batchnorm", "nn.batch_norm", "", ""},
    {"batchnorm1d", "nn.batch_norm", "", ""},
    {"batchnorm2d", "nn.batch_norm", "", ""},
    {"batchnormalization", "nn.batch_norm", "", ""},
    {"layernormalization", "nn.layer_norm", "", ""},
    {"layernorm", "nn.layer_norm", "", ""},
    {"groupnorm", "nn.group_norm", "", ""},
    {"groupnormalization", "nn.group_norm", "", ""},
    {"instancenorm", "nn.instance_norm", "", ""},
    {"instancenorm2d", "nn.instance_norm", "", ""},
    {"rmsnorm", "nn.rms_norm", "", ""},
    {"rmsnormalization", "nn.rms_norm", "", ""},
    {"dropout", "nn.dropout", "nn.dropout($0)", ""},
    {"scaleddotproductattention", "attention.scaled_dot_product", "", ""},
    {"positionalencoding", "attention.add_positions", "attention.add_positions($0)", ""},
    {"rotaryembedding", "attention.rotary", "attention.rotary($0)", ""},
    {"transformerencoderlayer", "attention.encoder_block", "", ""},
    {"transformerdecoderlayer", "attention.decoder_block", "", ""},
    {"multiheadattention", "attention.multi_head", "", ""},
    {"upsampling2d", "upsample", "", ""},
    {"interpolate", "resize", "", ""},
    {"resizebilinear", "resize", "", ""},
    {"resizenearestneighbor", "resize_nearest", "", ""},
    {"zeropadding2d", "pad", "", ""},
    {"zeropad2d", "pad", "", ""},
    {"extractpatches", "patches", "", ""},
    {"extractimagepatches", "patches", "", ""},
    {"pixelshuffle", "depth_to_space", "", ""},
    {"pixelunshuffle", "space_to_depth", "", ""},
    {"where", "select", "select($0, $1, $2)", ""},
    {"maskedfill", "select", "select($1, $2, $0)", ""},
    {"clamp", "clip", "clip($0, $1, $2)", ""},
    {"clipbyvalue", "clip", "clip($0, $1, $2)", ""},
    {"power", "pow", "pow($0, $1)", ""},
    {"swish", "silu", "silu($0)", ""},
    {"ln", "log", "log($0)", ""},
    {"expit", "sigmoid", "sigmoid($0)", ""},
    {"absolute", "abs", "abs($0)", ""},
    {"fabs", "abs", "abs($0)", ""},
    {"sgn", "sign", "sign($0)", ""},
    {"rint", "round", "round($0)", ""},
    {"fix", "trunc", "trunc($0)", ""},
    {"truncate", "trunc", "trunc($0)", ""},
    {"arcsin", "asin", "asin($0)", ""},
    {"arccos", "acos", "acos($0)", ""},
    {"arctan", "atan", "atan($0)", ""},
    {"arctan2", "atan2", "atan2($0, $1)", ""},
    {"arcsinh", "asinh", "asinh($0)", ""},
    {"arccosh", "acosh", "acosh($0)", ""},
    {"arctanh", "atanh", "atanh($0)", ""},
    {"isnan", "is_nan", "is_nan($0)", ""},
    {"isinf", "is_inf", "is_inf($0)", ""},
    {"isfinite", "is_finite", "is_finite($0)", ""},
    {"leakyrelu", "leaky_relu", "", ""},
    {"hardswish", "hard_swish", "hard_swish($0)", ""},
    {"hardsigmoid", "hard_sigmoid", "hard_sigmoid($0)", ""},
    {"hardtanh", "hard_tanh", "hard_tanh($0)", ""},
    {"logsoftmax", "log_softmax", "log_softmax($0, axis=$1)", ""},
    {"var", "variance", "variance($0, axis=$1)", ""},
    {"norm", "l2_norm", "l2_norm($0, axis=$1)", ""},
    {"reducesum", "sum", "sum($0, axis=$1)", ""},
    {"reducemean", "mean", "mean($0, axis=$1)", ""},
    {"reducemax", "amax", "amax($0, axis=$1)", ""},
    {"reducemin", "amin", "amin($0, axis=$1)", ""},
    {"reduceprod", "prod", "prod($0, axis=$1)", ""},
    {"reduceany", "any", "any($0, axis=$1)", ""},
    {"reduceall", "all", "all($0, axis=$1)", ""},
    {"reducelogsumexp", "logsumexp", "logsumexp($0, axis=$1)", ""},
    {"reducevariance", "variance", "variance($0, axis=$1)", ""},
    {"reducestd", "std", "std($0, axis=$1)", ""},
    {"average", "mean", "mean($0, axis=$1)", ""},
    {"topk", "top_k", "top_k($0, k=$1)", ""},
    {"onehot", "one_hot", "one_hot($0, depth=$1)", ""},
    {"embeddinglookup", "embedding", "embedding($0, $1)", ""},
    {"identity", "eye", "", ""},
    {"iota", "arange", "arange($0)", ""},
    {"range", "arange", "", ""},
    {"fill", "full", "full($0, $1)", ""},
    {"diagflat", "diag", "diag($0)", ""},
    {"rand", "random_uniform", "", ""},
    {"randn", "random_normal", "", ""},
    {"bernoulli", "random_bernoulli", "", ""},
    {"sequencemask", "", "", "compare positions with the lengths: `arange(n) < expand(lengths, axis=-1)`"},
    {"scan", "loop", "", ""},
    {"foriloop", "loop", "", ""},
    {"whileloop", "while", "", ""},
    {"foldl", "reduce", "", ""},
    {"mapfn", "map", "", ""},
    {"vectorizedmap", "map", "", ""},
    {"vmap", "map", "", ""},
    {"numel", "size", "size($0)", ""},
    {"floordivide", "floor_div", "floor_div($0, $1)", ""},
    {"floordiv", "floor_div", "floor_div($0, $1)", ""},
    {"mod", "%", "($0 % $1)", ""},
    {"floormod", "%", "($0 % $1)", ""},
    {"remainder", "%", "($0 % $1)", ""},
    {"negative", "-", "(-$0)", ""},
    {"add", "+", "($0 + $1)", ""},
    {"sub", "-", "($0 - $1)", ""},
    {"subtract", "-", "($0 - $1)", ""},
    {"mul", "*", "($0 * $1)", ""},
    {"multiply", "*", "($0 * $1)", ""},
    {"div", "/", "($0 / $1)", ""},
    {"divide", "/", "($0 / $1)", ""},
    {"truediv", "/", "($0 / $1)", ""},
    {"equal", "==", "($0 == $1)", ""},
    {"notequal", "!=", "($0 != $1)", ""},
    {"greaterequal", ">=", "($0 >= $1)", ""},
    {"lessequal", "<=", "($0 <= $1)", ""},
    {"greater", ">", "($0 > $1)", ""},
    {"less", "<", "($0 < $1)", ""},
    {"logicaland", "and", "($0 and $1)", ""},
    {"logicalor", "or", "($0 or $1)", ""},
    {"logicalnot", "not", "(not $0)", ""},
    {"logicalxor", "xor", "xor($0, $1)", ""},
    {"bitwiseand", "bit_and", "bit_and($0, $1)", ""},
    {"bitwiseor", "bit_or", "bit_or($0, $1)", ""},
    {"bitwisexor", "bit_xor", "bit_xor($0, $1)", ""},
    {"bitwisenot", "bit_not", "bit_not($0)", ""},
    {"leftshift", "shift_left", "shift_left($0, $1)", ""},
    {"rightshift", "shift_right", "shift_right($0, $1)", ""},
    {"lstm", "rnn.lstm", "", ""},
    {"gru", "rnn.gru", "", ""},
    {"simplernn", "rnn.simple_rnn", "", ""},
    {"lstmcell", "rnn.lstm_cell", "", ""},
    {"grucell", "rnn.gru_cell", "", ""},
    {"astype", "cast", "cast($0)", castHere},
    {"float", "cast", "cast($0)", castHere},
    {"int", "cast", "cast($0)", castHere},
    {"double", "cast", "cast($0)", castHere},
    {"tofloat", "cast", "cast($0)", castHere},
    {"len", "", "", sizeByName},
    {"dim", "", "", sizeByName},
    {"ndim", "", "", "a tensor's type tells its rank: for `x : f32 s` it is `rank(s)`"},
    {"contiguous", "", "$0", valuesOnly},
    {"detach", "", "$0", valuesOnly},
    {"clone", "", "$0", valuesOnly},
    {"copy", "", "$0", valuesOnly},
    {"stopgradient", "", "$0", "nothing is trained here: leave this out"},
    {"cpu", "", "$0", valuesOnly},
    {"print", "", "", "programs print nothing: `axc repl` shows any value, and `axc run` the results"},
    {"none", "", "", "every name has a value: there is no `None`"},
};

constexpr ForeignName foreignUseRows[] = {
    {"concat", "concat", "concat($0.., axis=$1)", "pass each tensor as an argument of its own"},
    {"stack", "stack", "stack($0.., axis=$1)", "pass each tensor as an argument of its own"},
    {"max", "amax", "amax($0, axis=$1)", "`max` compares two tensors; `amax` reduces one along its axes"},
    {"min", "amin", "amin($0, axis=$1)", "`min` compares two tensors; `amin` reduces one along its axes"},
    {"transpose", "swap_axes", "swap_axes($0, a=$1, b=$2)",
     "`swap_axes` swaps two axes; `transpose` takes all axes as `perm`"},
    {"reshape", "reshape", "reshape($0, [$1..])", "`dims` is one list"},
    {"expand", "broadcast_to", "broadcast_to($0, [$1..])",
     "`expand` makes an axis of size 1; `broadcast_to` stretches such axes"},
    {"repeat", "tile", "tile($0, times=[$1..])", "`repeat` repeats along one axis; `tile` along all"},
    {"tile", "tile", "tile($0, times=[$1..])", "static arguments are given by name"},
    {"arange", "arange", "arange($1, start=$0, step=$2)", "static arguments are given by name"},
    {"split", "split", "split($0, parts=$1, axis=$2)",
     "`split` makes `parts` equal parts; for unequal ones take slices, as in `x[0:3]`"},
    {"max_pool", "max_pool", "max_pool($0, size=[$1, $1])", "static arguments are given by name"},
    {"avg_pool", "avg_pool", "avg_pool($0, size=[$1, $1])", "static arguments are given by name"},
};

struct ForeignAttribute {
  std::string_view theirs, ours;
};
constexpr ForeignAttribute foreignAttributeRows[] = {
    {"dim", "axis"},
    {"dims", "axis"},
    {"axes", "axis"},
    {"axes", "perm"},
    {"keepdim", "keep"},
    {"keepdims", "keep"},
    {"strides", "stride"},
    {"pads", "padding"},
    {"pad", "padding"},
    {"dilations", "dilation"},
    {"rate", "dilation"},
    {"kernel_size", "size"},
    {"ksize", "size"},
    {"pool_size", "size"},
    {"num_or_size_splits", "parts"},
    {"num_splits", "parts"},
    {"chunks", "parts"},
    {"dtype", "elem"},
    {"alpha", "slope"},
    {"negative_slope", "slope"},
};

const ForeignName* rowOf(std::span<const ForeignName> rows, std::string_view name) {
  auto row = std::find_if(rows.begin(), rows.end(), [&](const ForeignName& r) { return r.theirs == name; });
  return row == rows.end() ? nullptr : &*row;
}

// The arguments of a call, as texts.
struct CallText {
  const ast::Module& module;
  const SourceMap& sources;
  std::vector<std::string> given;
  std::vector<std::vector<std::string>> items;  // items of arguments that are lists or tuples
  std::vector<std::pair<std::string, std::string>> named;

  void add(ast::ExprId id) {
    const ast::Expr& e = module[id];
    const auto* list = std::get_if<ast::ExprList>(&e.node);
    const auto* tuple = std::get_if<ast::ExprTuple>(&e.node);
    given.emplace_back(sources.text(e.span));
    items.emplace_back();
    for (ast::ExprId item : list ? list->items : tuple ? tuple->parts : std::vector<ast::ExprId>())
      items.back().emplace_back(sources.text(module[item].span));
  }
  // Returns the items of an argument that is a list or a tuple; otherwise removes and returns that argument and all
  // after it.
  std::vector<std::string> from(std::size_t first) {
    if (first >= given.size()) return {};
    if (!items[first].empty()) return items[first];
    std::vector<std::string> all(given.begin() + static_cast<std::ptrdiff_t>(first), given.end());
    given.resize(first);
    return all;
  }
  // Removes and returns a named argument.
  std::optional<std::string> take(std::string_view name) {
    for (auto it = named.begin(); it != named.end(); ++it) {
      if (it->first != name) continue;
      std::string value = it->second;
      named.erase(it);
      return value;
    }
    return std::nullopt;
  }
};

// Replaces the `$` placeholders in a part of a call's form; none if an argument is missing.
std::optional<std::string> filled(std::string_view part, CallText& arguments, bool isReshape) {
  std::string out;
  for (std::size_t at = 0; at < part.size(); ++at) {
    if (part[at] != '$') {
      out += part[at];
      continue;
    }
    const auto index = static_cast<std::size_t>(part[++at] - '0');
    if (part.substr(at + 1).starts_with("..")) {
      at += 2;
      std::vector<std::string> all = arguments.from(index);
      if (all.empty()) return std::nullopt;
      for (std::string& item : all)
        if (isReshape && item == "-1") item = "_";
      out += fmt::format("{}", fmt::join(all, ", "));
    } else {
      if (index >= arguments.given.size()) return std::nullopt;
      out += arguments.given[index];
    }
  }
  return out;
}

std::vector<std::string_view> partsOf(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && (list[i] == '[' || list[i] == ']')) depth += list[i] == '[' ? 1 : -1;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    parts.push_back(list.substr(begin, i - begin));
    begin = i + 2;  // after ", "
  }
  return parts;
}

}  // namespace

std::span<const ForeignName> foreignNames() { return foreignNameRows; }
std::span<const ForeignName> foreignUses() { return foreignUseRows; }

const ForeignName* foreignName(std::string_view name) {
  std::string key;
  for (char c : name.substr(name.rfind('.') + 1))
    if (c != '_') key += lowerCase(c);
  return rowOf(foreignNameRows, key);
}

const ForeignName* foreignUse(std::string_view name) { return rowOf(foreignUseRows, name); }

std::string_view ourAttribute(std::string_view theirs, std::span<const std::string_view> known) {
  for (const ForeignAttribute& row : foreignAttributeRows)
    if (row.theirs == theirs && std::find(known.begin(), known.end(), row.ours) != known.end()) return row.ours;
  return {};
}

std::optional<CallAt> callAt(const ast::Module& module, const SourceMap& sources, Span place) {
  for (const ast::Expr& e : module.exprs) {
    const auto* call = std::get_if<ast::ExprCall>(&e.node);
    if (!call) continue;
    const Span callee = module[call->callee].span;
    if (e.span == place || callee == place ||
        std::any_of(call->arguments.begin(), call->arguments.end(),
                    [&](ast::ExprId argument) { return module[argument].span == place; }))
      return CallAt{e.span, std::string(sources.text(callee)), call};
  }
  return std::nullopt;
}

std::optional<std::string> inOurWords(const ForeignName& name, const ast::Module& module, const SourceMap& sources,
                                      const ast::ExprCall* call, const std::string& receiver,
                                      std::span<const std::string_view> attributes) {
  CallText arguments{module, sources, {}, {}, {}};
  if (!receiver.empty()) {
    arguments.given.push_back(receiver);
    arguments.items.emplace_back();
  }
  if (call) {
    for (ast::ExprId argument : call->arguments) arguments.add(argument);
    for (const ast::NamedArgument& named : call->named) {
      const std::string_view ours = ourAttribute(named.name.text, attributes);
      arguments.named.emplace_back(ours.empty() ? named.name.text : ours, sources.text(module[named.value].span));
    }
  }
  const std::string_view form = name.call;
  const std::size_t open = form.find('('), close = form.rfind(')');
  if (form.empty()) return std::nullopt;
  if (open == form.npos || open == 0) return filled(form, arguments, false);
  std::vector<std::string> parts;
  for (std::string_view part : partsOf(form.substr(open + 1, close - open - 1))) {
    const std::size_t equals = part.find('=');
    const std::string label(part.substr(0, equals == part.npos ? 0 : equals));
    auto value = label.empty() ? std::nullopt : arguments.take(label);
    if (value) {
      parts.push_back(label + "=" + *value);
    } else if (auto text = filled(part, arguments, name.ours == "reshape")) {
      parts.push_back(std::move(*text));
    } else if (label.empty()) {
      break;
    }
  }
  for (const auto& [label, value] : arguments.named) parts.push_back(label + "=" + value);
  return fmt::format("{}({})", form.substr(0, open), fmt::join(parts, ", "));
}

}  // namespace axle
