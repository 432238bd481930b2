// Core operators without functions as arguments.
#include <algorithm>

#include "ir/codes.h"
#include "ir/lower/lowerer.h"

namespace axle::ir {

const std::vector<CoreOperator>& coreOperators() {
  using L = Lowerer;
  static constexpr CoreOperator rows[] = {
      // name          arity  operator             rule
      {"+", 0, Op::add, &L::lowerPointwise},
      {"-", 2, Op::sub, &L::lowerPointwise},
      {"*", 0, Op::mul, &L::lowerPointwise},
      {"/", 0, Op::div, &L::lowerPointwise},
      {"%", 0, Op::mod, &L::lowerPointwise},
      {"-", 1, Op::neg, &L::lowerPointwise},
      {"<", 0, Op::less, &L::lowerPointwise},
      {"<=", 0, Op::lessEqual, &L::lowerPointwise},
      {">", 0, Op::greater, &L::lowerPointwise},
      {">=", 0, Op::greaterEqual, &L::lowerPointwise},
      {"==", 0, Op::equal, &L::lowerPointwise},
      {"!=", 0, Op::notEqual, &L::lowerPointwise},
      {"and", 0, Op::logicalAnd, &L::lowerPointwise},
      {"or", 0, Op::logicalOr, &L::lowerPointwise},
      {"not", 0, Op::logicalNot, &L::lowerPointwise},
      {"maximum", 0, Op::maximum, &L::lowerPointwise},
      {"minimum", 0, Op::minimum, &L::lowerPointwise},
      {"max", 0, Op::maximum, &L::lowerPointwise},
      {"min", 0, Op::minimum, &L::lowerPointwise},
      {"pow", 0, Op::pow, &L::lowerPointwise},
      {"select", 0, Op::select, &L::lowerPointwise},
      {"exp", 0, Op::exp, &L::lowerPointwise},
      {"log", 0, Op::log, &L::lowerPointwise},
      {"sqrt", 0, Op::sqrt, &L::lowerPointwise},
      {"rsqrt", 0, Op::rsqrt, &L::lowerPointwise},
      {"tanh", 0, Op::tanh, &L::lowerPointwise},
      {"sigmoid", 0, Op::sigmoid, &L::lowerPointwise},
      {"erf", 0, Op::erf, &L::lowerPointwise},
      {"sin", 0, Op::sin, &L::lowerPointwise},
      {"cos", 0, Op::cos, &L::lowerPointwise},
      {"floor", 0, Op::floor, &L::lowerPointwise},
      {"ceil", 0, Op::ceil, &L::lowerPointwise},
      {"round", 0, Op::round, &L::lowerPointwise},
      {"abs", 0, Op::abs, &L::lowerPointwise},
      {"sign", 0, Op::sign, &L::lowerPointwise},
      {"relu", 0, Op::relu, &L::lowerPointwise},
      {"asin", 0, Op::asin, &L::lowerPointwise},
      {"acos", 0, Op::acos, &L::lowerPointwise},
      {"atan", 0, Op::atan, &L::lowerPointwise},
      {"tan", 0, Op::tan, &L::lowerPointwise},
      {"sinh", 0, Op::sinh, &L::lowerPointwise},
      {"cosh", 0, Op::cosh, &L::lowerPointwise},
      {"asinh", 0, Op::asinh, &L::lowerPointwise},
      {"acosh", 0, Op::acosh, &L::lowerPointwise},
      {"atanh", 0, Op::atanh, &L::lowerPointwise},
      {"log1p", 0, Op::log1p, &L::lowerPointwise},
      {"expm1", 0, Op::expm1, &L::lowerPointwise},
      {"log2", 0, Op::log2, &L::lowerPointwise},
      {"exp2", 0, Op::exp2, &L::lowerPointwise},
      {"cbrt", 0, Op::cbrt, &L::lowerPointwise},
      {"trunc", 0, Op::trunc, &L::lowerPointwise},
      {"atan2", 0, Op::atan2, &L::lowerPointwise},
      {"bit_not", 0, Op::bitNot, &L::lowerPointwise},
      {"bit_and", 0, Op::bitAnd, &L::lowerPointwise},
      {"bit_or", 0, Op::bitOr, &L::lowerPointwise},
      {"bit_xor", 0, Op::bitXor, &L::lowerPointwise},
      {"shift_left", 0, Op::shiftLeft, &L::lowerPointwise},
      {"shift_right", 0, Op::shiftRight, &L::lowerPointwise},
      {"cast", 0, Op::cast, &L::lowerCast},
      {"bitcast", 0, Op::bitcast, &L::lowerCast},
      {"matmul", 0, Op::matmul, &L::lowerDirect},
      {"batch_matmul", 0, Op::none, &L::lowerEinsum},
      {"matmul_nt", 0, Op::none, &L::lowerEinsum},
      {"matmul_tn", 0, Op::none, &L::lowerEinsum},
      {"matvec", 0, Op::none, &L::lowerEinsum},
      {"dot", 0, Op::none, &L::lowerEinsum},
      {"inner", 0, Op::none, &L::lowerInner},
      {"outer", 0, Op::none, &L::lowerInner},
      {"einsum", 0, Op::none, &L::lowerEinsum},
      {"transpose", 0, Op::transpose, &L::lowerTranspose},
      {"conv", 0, Op::convNchw, &L::lowerDirect},
      {"conv1d", 0, Op::conv, &L::lowerConv},
      {"conv2d", 0, Op::conv, &L::lowerConv},
      {"conv3d", 0, Op::conv, &L::lowerConv},
      {"depthwise_conv1d", 0, Op::conv, &L::lowerDepthwise},
      {"depthwise_conv2d", 0, Op::conv, &L::lowerDepthwise},
      {"depthwise_conv3d", 0, Op::conv, &L::lowerDepthwise},
      {"conv_transpose1d", 0, Op::conv, &L::lowerConvTranspose},
      {"conv_transpose2d", 0, Op::conv, &L::lowerConvTranspose},
      {"conv_transpose3d", 0, Op::conv, &L::lowerConvTranspose},
      {"max_pool1d", 0, Op::maxPool, &L::lowerPool},
      {"max_pool", 0, Op::maxPool, &L::lowerPool},
      {"max_pool3d", 0, Op::maxPool, &L::lowerPool},
      {"avg_pool1d", 0, Op::avgPool, &L::lowerPool},
      {"avg_pool", 0, Op::avgPool, &L::lowerPool},
      {"avg_pool3d", 0, Op::avgPool, &L::lowerPool},
      {"concat", 0, Op::concat, &L::lowerConcat},
      {"split", 0, Op::slice, &L::lowerSplit},
      {"reshape", 0, Op::reshape, &L::lowerReshape},
      {"expand", 0, Op::reshape, &L::lowerReshape},
      {"squeeze", 0, Op::reshape, &L::lowerReshape},
      {"reverse", 0, Op::reverse, &L::lowerAlongAxis},
      {"pad", 0, Op::pad, &L::lowerPad},
      {"pad_with", 0, Op::pad, &L::lowerPad},
      {"pad_axis", 0, Op::pad, &L::lowerPadAxis},
      {"slice", 0, Op::slice, &L::lowerSlice},
      {"upsample", 0, Op::upsample, &L::lowerUpsample},
      {"resize", 0, Op::resize, &L::lowerResize},
      {"resize_nearest", 0, Op::resize, &L::lowerResize},
      {"patches", 0, Op::frame, &L::lowerPatches},
      {"frame", 0, Op::frame, &L::lowerFrame},
      {"overlap_add", 0, Op::overlapAdd, &L::lowerOverlapAdd},
      {"fft", 0, Op::fourier, &L::lowerFourier},
      {"ifft", 0, Op::fourier, &L::lowerFourier},
      {"rfft", 0, Op::fourier, &L::lowerFourier},
      {"irfft", 0, Op::fourier, &L::lowerFourier},
      {"dct", 0, Op::fourier, &L::lowerFourier},
      {"idct", 0, Op::fourier, &L::lowerFourier},
      {"gather", 0, Op::gather, &L::lowerAlongAxis},
      {"embedding", 0, Op::gather, &L::lowerEmbedding},
      {"nonzero", 0, Op::nonzero, &L::lowerNonzero},
      {"arange_to", 0, Op::none, &L::lowerArangeTo},
      {"shape", 0, Op::dims, &L::lowerShape},
      {"size", 0, Op::dims, &L::lowerSize},
      {"reduce", 0, Op::reduce, &L::lowerReduce},
      {"to_dense", 0, Op::none, &L::lowerToDense},
      {"to_ragged", 0, Op::none, &L::lowerToRagged},
      {"same_lengths", 0, Op::none, &L::lowerSameLengths},
      {"map", 0, Op::map, &L::lowerMap},
      {"loop", 0, Op::loop, &L::lowerLoop},
      {"while", 0, Op::whileLoop, &L::lowerWhile},
  };
  static const std::vector<CoreOperator> all = [] {
    std::vector<CoreOperator> made(std::begin(rows), std::end(rows));
    for (std::span<const CoreOperator> family :
         {elementwiseFormulas(), reductionFormulas(), structureFormulas(), indexingFormulas()})
      made.insert(made.end(), family.begin(), family.end());
    return made;
  }();
  return all;
}

std::vector<std::string_view> loweredOperators() {
  std::vector<std::string_view> names;
  for (const CoreOperator& core : coreOperators()) names.push_back(core.name);
  return names;
}

std::optional<Value> Lowerer::tensor(std::optional<Tensor> t) {
  if (!t) return std::nullopt;
  return Value{std::move(*t)};
}

std::optional<std::vector<Tensor>> Lowerer::arguments(const Application& a, bool wholes) {
  std::vector<Tensor> tensors;
  for (TypedId id : a.apply->arguments) {
    std::optional<Value> value = eval(id, a.frame, a.with);
    if (!value) return std::nullopt;
    const Tensor* t = std::get_if<Tensor>(&value->node);
    if (!t) return unexpected("an argument is no tensor", a.expr->span);
    std::optional<Tensor> given = wholes ? whole(*t) : *t;
    if (!given) return std::nullopt;
    tensors.push_back(std::move(*given));
  }
  return tensors;
}

// Literals stay scalars where others give the result its shape; the result is stretched where none does.
std::optional<Value> Lowerer::lowerPointwise(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, false);
  return inputs ? pointwise(a, core, std::move(*inputs)) : std::nullopt;
}

std::optional<Value> Lowerer::pointwise(const Application& a, const CoreOperator& core, std::vector<Tensor> inputs) {
  if (core.formula) return elementwise(a, core, std::move(inputs));
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!result) return std::nullopt;
  DimStore& dims = *model_.dims;
  std::vector<Dim> shape(result->shape.size(), dims.constant(1));
  std::size_t rank = 0;
  for (Tensor& input : inputs) {
    input.splat.reset();
    const std::vector<Dim>& in = fact(input).shape;
    rank = std::max(rank, in.size());
    if (in.size() > shape.size()) return unexpected("its shape differs from its operands'", a.expr->span);
    for (std::size_t i = 0; i < in.size(); ++i)
      if (Dim& out = shape[shape.size() - in.size() + i]; dims.asConstant(out) == 1) out = in[i];
  }
  bool complete = rank == shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i)
    complete = complete && (dims.asConstant(shape[i]) != 1 || dims.asConstant(result->shape[i]) == 1);
  if (complete) return tensor(emit(core.op, inputs, {}, std::move(*result)));
  Fact narrow{result->elem, std::vector<Dim>(shape.end() - static_cast<std::ptrdiff_t>(rank), shape.end()), {}};
  std::optional<Tensor> computed = emit(core.op, inputs, {}, std::move(narrow));
  if (!computed) return std::nullopt;
  computed->splat = std::move(result->shape);
  return Value{*computed};
}

std::optional<Value> Lowerer::lowerCast(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, false);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  Tensor input = inputs->front();
  if (fact(input).elem == result->elem) return Value{input};
  std::optional<std::vector<Dim>> splat = std::exchange(input.splat, std::nullopt);
  std::optional<Tensor> cast = emit(core.op, {input}, {}, Fact{result->elem, fact(input).shape, {}});
  if (cast) cast->splat = std::move(splat);
  return tensor(std::move(cast));
}

std::optional<Value> Lowerer::lowerDirect(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  return tensor(emit(core.op, *inputs, {}, std::move(*result)));
}

std::optional<Value> Lowerer::lowerReshape(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, false);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  Tensor& input = inputs->front();
  if (input.splat) {  // all elements are equal: only the shape that is stood for changes
    input.splat = std::move(result->shape);
    return Value{input};
  }
  return tensor(emit(core.op, {input}, {}, std::move(*result)));
}

std::optional<Value> Lowerer::lowerTranspose(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  std::optional<std::size_t> index = attributeNamed(a, "perm");
  if (!inputs || !result || !index) return std::nullopt;
  std::size_t rank = result->shape.size();
  if (solution_.types[attribute(a, *index)].kind != StaticKind::reversed) {
    auto perm = dimList(a, "perm", rank);
    if (!perm) return std::nullopt;
    return tensor(emit(core.op, *inputs, std::move(*perm), std::move(*result)));
  }
  std::vector<Dim> perm;
  for (std::size_t i = 0; i < rank; ++i) perm.push_back(model_.dims->constant(static_cast<std::int64_t>(rank - 1 - i)));
  return tensor(emit(core.op, *inputs, std::move(perm), std::move(*result)));
}

std::optional<Value> Lowerer::lowerConcat(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  auto axis = axisAttribute(a, result->shape.size());
  if (!axis) return std::nullopt;
  return tensor(emit(core.op, *inputs, {model_.dims->constant(static_cast<std::int64_t>(*axis))}, std::move(*result)));
}

std::optional<Value> Lowerer::lowerSplit(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  if (!inputs) return std::nullopt;
  auto axis = flatAxis(a, inputs->front());
  if (!axis) return std::nullopt;
  std::vector<TypeId> types{a.type};
  if (solution_.types[a.type].kind == TypeKind::tuple) types = solution_.types[a.type].parts;
  DimStore& dims = *model_.dims;
  std::vector<Value> parts;
  Dim start = dims.constant(0);
  for (TypeId type : types) {
    std::optional<Fact> part = factOf(type, a.expr->span);
    if (!part) return std::nullopt;
    Dim next = dims.add(start, part->shape[*axis]);
    auto slice = emit(core.op, *inputs, {dims.constant(static_cast<std::int64_t>(*axis)), start, dims.constant(1)},
                      std::move(*part));
    if (!slice) return std::nullopt;
    parts.push_back({*slice});
    start = next;
  }
  if (solution_.types[a.type].kind != TypeKind::tuple) return parts.front();
  return Value{std::make_shared<const std::vector<Value>>(std::move(parts))};
}

std::optional<Value> Lowerer::lowerAlongAxis(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  auto axis = flatAxis(a, inputs->front());
  if (!axis) return std::nullopt;
  return tensor(emit(core.op, *inputs, {model_.dims->constant(static_cast<std::int64_t>(*axis))}, std::move(*result)));
}

std::optional<Value> Lowerer::lowerEmbedding(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  return tensor(emit(core.op, *inputs, {model_.dims->constant(0)}, std::move(*result)));
}

std::optional<Value> Lowerer::lowerSlice(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  auto axis = flatAxis(a, inputs->front());
  std::optional<Dim> start = dimAttribute(a, "start"), step = dimAttribute(a, "step");
  if (!axis || !start || !step) return std::nullopt;
  return tensor(emit(core.op, *inputs, {model_.dims->constant(static_cast<std::int64_t>(*axis)), *start, *step},
                     std::move(*result)));
}

std::optional<Value> Lowerer::lowerUpsample(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!inputs || !result) return std::nullopt;
  auto scale = dimList(a, "scale", 2);
  if (!scale) return std::nullopt;
  return tensor(emit(core.op, *inputs, std::move(*scale), std::move(*result)));
}

// Sizes are read off the type, a literal's too.
std::optional<Value> Lowerer::lowerShape(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, false);
  if (!inputs) return std::nullopt;
  const Tensor& input = inputs->front();
  std::vector<Dim> sizes = input.splat ? *input.splat : fact(input).shape;
  Dim rank = model_.dims->constant(static_cast<std::int64_t>(sizes.size()));
  return tensor(emit(core.op, {}, sizes, Fact{Elem::i64, {rank}, sizes}));
}

std::optional<Value> Lowerer::lowerSize(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, false);
  if (!inputs) return std::nullopt;
  const Tensor& input = inputs->front();
  Dim count = elementCount(*model_.dims, input.splat ? *input.splat : fact(input).shape);
  return tensor(emit(core.op, {}, {count}, Fact{Elem::i64, {}, std::vector<Dim>{count}}));
}

}  // namespace axle::ir
