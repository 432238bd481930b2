// Core operators of ragged tensors: what works on each element works on the rows as they are; reductions, products and
// joins along a ragged dimension, and padding, are made of ordinary operators on rows and row splits.
#include <algorithm>

#include "ir/codes.h"
#include "ir/lower/formula.h"

namespace axle::ir {

TypeId Lowerer::argumentType(const Application& a, std::size_t index) {
  return solution_.resolve(program_[a.apply->arguments[index]].type, a.with);
}

bool Lowerer::isRagged(const Application& a) {
  auto ragged = [&](auto& self, TypeId type) -> bool {
    const TypeTerm& term = solution_.types[type];
    if (term.kind == TypeKind::tuple)
      return std::any_of(term.parts.begin(), term.parts.end(), [&](TypeId part) { return self(self, part); });
    return !raggedLengths(type).empty();
  };
  if (ragged(ragged, a.type)) return true;
  for (std::size_t i = 0; i < a.apply->arguments.size(); ++i)
    if (ragged(ragged, argumentType(a, i))) return true;
  return false;
}

const Lowerer::RaggedRule* Lowerer::raggedRule(const CoreOperator& core) {
  using L = Lowerer;
  static constexpr RaggedRule rows[] = {
      {"reduce", &L::lowerRaggedReduce},
      {"matmul", &L::lowerRaggedMatmul},
      {"concat", &L::lowerRaggedConcat},
      {"einsum", &L::lowerRaggedEinsum},
      {"to_dense", &L::lowerToDense},
      {"to_ragged", &L::lowerToRagged},
      {"same_lengths", &L::lowerSameLengths},
      {"expand", &L::lowerRaggedTail},
      {"squeeze", &L::lowerRaggedTail},
      {"reshape", &L::lowerRaggedTail},
      {"sum", &L::lowerRaggedFormula},
      {"prod", &L::lowerRaggedFormula},
      {"amax", &L::lowerRaggedFormula},
      {"amin", &L::lowerRaggedFormula},
      {"any", &L::lowerRaggedFormula},
      {"all", &L::lowerRaggedFormula},
      {"mean", &L::lowerRaggedFormula},
      {"variance", &L::lowerRaggedFormula},
      {"std", &L::lowerRaggedFormula},
      {"l1_norm", &L::lowerRaggedFormula},
      {"l2_norm", &L::lowerRaggedFormula},
      {"count_nonzero", &L::lowerRaggedFormula},
      {"logsumexp", &L::lowerRaggedFormula},
      {"softmax", &L::lowerRaggedFormula},
      {"log_softmax", &L::lowerRaggedFormula},
      {"l2_normalize", &L::lowerRaggedFormula},
      {"size", nullptr},
      {"embedding", nullptr},
      {"gather", nullptr},
      {"slice", nullptr},
      {"reverse", nullptr},
      {"split", nullptr},
      {"pad_axis", nullptr},
      {"sort", nullptr},
      {"argsort", nullptr},
      {"argmax", nullptr},
      {"argmin", nullptr},
      {"cumsum", nullptr},
      {"cumprod", nullptr},
      {"cummax", nullptr},
      {"cummin", nullptr},
      {"top_k", nullptr},
      {"roll", nullptr},
      {"repeat", nullptr},
      {"map", nullptr},
      {"loop", nullptr},
      {"while", nullptr},
      {"zeros_like", nullptr},
      {"ones_like", nullptr},
      {"full_like", nullptr},
  };
  static constexpr RaggedRule pointwise{"", &L::lowerRaggedPointwise};
  if (core.lower == &L::lowerPointwise || core.lower == &L::lowerElementwise) return &pointwise;
  static constexpr RaggedRule asItIs{"", nullptr};
  if (core.lower == &L::lowerCast) return &asItIs;
  for (const RaggedRule& rule : rows)
    if (rule.name == core.name) return &rule;
  return nullptr;
}

std::nullopt_t Lowerer::notForRagged(const Application& a, const CoreOperator& core, const char* what) {
  return fail(
      codes::raggedOperator,
      "`" + std::string(core.name) + "` of ragged tensors cannot be compiled" + (*what ? std::string(": ") + what : ""),
      a.expr->span, "this application",
      "inside of a `map` over the dimensions before it a ragged one is one size, and every operator takes it");
}

std::optional<Lowerer::RaggedShape> Lowerer::raggedShape(TypeId type) {
  const Shape& shape = solution_.types[type].shape;
  RaggedShape out;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (auto length = shape[i].isVar ? std::nullopt : raggedLength(solution_, shape[i].dim)) {
      out.length = *length;
      out.axis = i;
    }
  if (out.axis == 0) return std::nullopt;
  return out;
}

// ---- operators ----------------------------------------------------------------------------------------------------

// An operand that reaches over the ragged dimension, where it is 1, is spread over the rows.
std::optional<Tensor> Lowerer::spread(const Tensor& operand, TypeId type, TypeId resultType,
                                      const RaggedShape& result) {
  DimStore& dims = *model_.dims;
  Shape of = solution_.types[type].shape;
  std::erase_if(of, [](const ShapePart& part) { return part.isVar; });  // of a literal
  const Shape to = solution_.types[resultType].shape;
  const std::size_t tail = to.size() - result.axis - 1, lead = to.size() - of.size();
  if (of.size() <= tail || raggedLength(solution_, of[result.axis - lead].dim)) return operand;
  std::vector<std::size_t> gone;
  for (std::size_t i = 0; i <= result.axis; ++i)
    if (i < lead || i == result.axis || (dims.asConstant(of[i - lead].dim) == 1 && dims.asConstant(to[i].dim) != 1))
      gone.push_back(i);
  auto groups = groupsOver(resultType, result, gone);
  std::vector<Dim> flat = fact(operand).shape;
  flat.erase(flat.begin(), flat.end() - static_cast<std::ptrdiff_t>(tail));
  if (!groups || failed_) return std::nullopt;
  flat.insert(flat.begin(), groups->grouped ? groups->count : dims.constant(1));
  Tensor all = shapedAs(operand, std::move(flat));
  if (failed_) return std::nullopt;
  return groups->grouped ? rowsAt(all, groups->groups) : all;
}

std::optional<Value> Lowerer::lowerRaggedPointwise(const Application& a, const CoreOperator& core) {
  auto result = raggedShape(a.type);
  if (!result) return notForRagged(a, core, "its result is none");
  std::vector<Tensor> operands;
  for (std::size_t i = 0; i < a.apply->arguments.size(); ++i) {
    auto value = eval(a.apply->arguments[i], a.frame, a.with);
    const Tensor* t = value ? std::get_if<Tensor>(&value->node) : nullptr;
    if (!t) return std::nullopt;
    auto operand = t->splat ? *t : spread(*t, argumentType(a, i), a.type, *result);
    if (!operand) return notForRagged(a, core, "an operand stretches before the ragged one, too");
    operands.push_back(*operand);
  }
  return pointwise(a, core, std::move(operands));
}

// Dimensions behind the ragged one change.
std::optional<Value> Lowerer::lowerRaggedTail(const Application& a, const CoreOperator& core) {
  auto from = raggedShape(argumentType(a, 0)), to = raggedShape(a.type);
  if (!from || !to || from->length != to->length || from->axis != to->axis)
    return notForRagged(a, core, "only dimensions behind the ragged one may change");
  return lowerReshape(a, core);
}

std::optional<Value> Lowerer::lowerRaggedReduce(const Application& a, const CoreOperator& core) {
  TypeId type = argumentType(a, 2);
  auto ragged = raggedShape(type);
  if (!ragged) return notForRagged(a, core, "its operand is none");
  auto axis = axisAttribute(a, solution_.types[type].shape.size());
  if (!axis) return std::nullopt;
  if (*axis > ragged->axis) return reduceAlong(a, core, *axis - ragged->axis);
  if (*axis < ragged->axis) return notForRagged(a, core, "a dimension before the ragged one");
  std::optional<Closure> combine = function(a, 0);
  std::optional<Value> start = combine ? eval(a.apply->arguments[1], a.frame, a.with) : std::nullopt;
  std::optional<std::vector<Tensor>> sequence = start ? evalSequences(a, 2) : std::nullopt;
  std::optional<Fact> result = sequence ? factOf(a.type, a.expr->span) : std::nullopt;
  const Tensor* init = result ? std::get_if<Tensor>(&start->node) : nullptr;
  if (!init) return std::nullopt;
  const Ragged lengths = lengthsOf(ragged->length);
  std::vector<Dim> shape = tailOf(type, *ragged);
  shape.insert(shape.begin(), placesOf(lengths));
  Tensor begin = *init;
  begin.splat = begin.splat || fact(begin).shape.empty() ? std::optional(shape) : std::nullopt;
  std::optional<Tensor> base = whole(begin);
  if (!base) return std::nullopt;
  Tensor first = shapedAs(*base, shape);
  if (failed_) return std::nullopt;
  std::optional<Op> direct = reductionOf(*combine);
  TypeId sliceType = solution_.resolve(program_[combine->lambda].type, combine->with);
  std::optional<Fact> slice = factOf(solution_.types[sliceType].result, a.expr->span);
  if (!slice) return std::nullopt;
  if (fact(first).elem == Elem::boolean) direct.reset();
  auto reduced = direct ? scatterReduce(*direct, first, sequence->front(), placesOfRows(lengths))
                        : foldRows(*combine, first, sequence->front(), lengths, *slice, a.expr->span);
  if (!reduced) return std::nullopt;
  return Value{shapedAs(*reduced, result->shape)};
}

std::optional<Tensor> Lowerer::scatterReduce(Op op, const Tensor& start, const Tensor& rows, const Tensor& places) {
  static constexpr std::pair<Op, std::int64_t> modes[] = {
      {Op::reduceSum, 1}, {Op::reduceProd, 2}, {Op::reduceMax, 3}, {Op::reduceMin, 4}};
  const auto* mode = std::find_if(std::begin(modes), std::end(modes), [&](const auto& m) { return m.first == op; });
  DimStore& dims = *model_.dims;
  Elem elem = fact(rows).elem, wide = elem == Elem::f16 || elem == Elem::bf16 ? Elem::f32 : elem;
  auto widened = [&](const Tensor& x) {
    return wide == elem ? std::optional(x) : emit(Op::cast, {x}, {}, Fact{wide, fact(x).shape, {}});
  };
  auto base = widened(start), updates = widened(rows);
  if (!base || !updates || failed_) return std::nullopt;
  Tensor ids = shapedAs(places, {fact(places).shape[0], dims.constant(1)});
  auto made =
      emit(Op::scatterNd, {*base, ids, *updates}, {dims.constant(mode->second)}, Fact{wide, fact(*base).shape, {}});
  if (!made || wide == elem) return made;
  return emit(Op::cast, {*made}, {}, Fact{elem, fact(*made).shape, {}});
}

// The function takes the elements of all places at once, as its type says: a loop as long as the longest, in which the
// places that have no element any more keep what they have.
std::optional<Tensor> Lowerer::foldRows(const Closure& combine, const Tensor& start, const Tensor& rows,
                                        const Ragged& lengths, const Fact& slice, Span span) {
  DimStore& dims = *model_.dims;
  Dim zero = dims.constant(0), one = dims.constant(1), places = placesOf(lengths);
  Fact ends{Elem::i64, {places}, {}};
  auto begin = emit(Op::slice, {lengths.splits}, {zero, zero, one}, ends);
  auto end = begin ? emit(Op::slice, {lengths.splits}, {zero, one, one}, ends) : std::nullopt;
  if (!end) return std::nullopt;
  Tensor length = integers(Op::sub, *end, *begin), none = number(zero);
  auto longest = failed_ ? std::nullopt : emit(Op::reduceMax, {length, none}, {zero}, Fact{Elem::i64, {}, {}});
  if (!longest) return std::nullopt;
  DimVar count = newSize("longest");
  findSize(count, *longest, lengths.rows);
  Tensor steps = failed_ ? Tensor{} : countUp(dims.variable(count));
  if (failed_) return std::nullopt;
  Fact state{slice.elem, slice.shape, {}};
  std::vector<Dim> line(slice.shape.size(), one), flat = fact(start).shape;
  Tensor first = shapedAs(start, slice.shape);
  auto round = [&](const std::vector<Tensor>& fed) -> std::optional<Value> {
    Tensor last = number(dims.sub(lengths.rows, one));
    Tensor place = failed_ ? Tensor{} : integers(Op::minimum, integers(Op::add, *begin, fed[1]), last);
    Tensor element = failed_ ? Tensor{} : shapedAs(rowsAt(rows, place), slice.shape);
    if (failed_) return std::nullopt;
    auto next = apply(combine, {{fed[0]}, {element}}, span);
    const Tensor* made = next ? std::get_if<Tensor>(&next->node) : nullptr;
    auto all = made ? whole(*made) : std::nullopt;
    auto within = all ? emit(Op::less, {fed[1], length}, {}, Fact{Elem::boolean, {places}, {}}) : std::nullopt;
    if (!within) return std::nullopt;
    std::vector<Dim> spread = flat;
    for (std::size_t i = 1; i < spread.size(); ++i) spread[i] = one;
    Tensor mask = shapedAs(*within, spread), fresh = shapedAs(*all, flat), old = shapedAs(fed[0], flat);
    auto kept = failed_ ? std::nullopt : emit(Op::select, {mask, fresh, old}, {}, Fact{slice.elem, flat, {}});
    return kept ? tensor(shapedAs(*kept, slice.shape)) : std::nullopt;
  };
  auto body =
      failed_ ? std::nullopt : buildBody({state, Fact{Elem::i64, {}, {}}}, span, "what a `reduce` combines", round);
  if (!body) return std::nullopt;
  Node node;
  node.op = Op::loop;
  node.ints = {one, one};
  node.bodies = {scopes_[body->scope].graph};
  std::vector<Tensor> inputs{first, steps}, captures = closeBodies({&*body});
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  auto outputs = emitNode(std::move(node), inputs, {state});
  if (!outputs) return std::nullopt;
  return outputs->front();
}

std::optional<Value> Lowerer::lowerRaggedMatmul(const Application& a, const CoreOperator& core) {
  auto left = raggedShape(argumentType(a, 0)), right = raggedShape(argumentType(a, 1));
  std::size_t rank = solution_.types[a.type].shape.size();
  if (left && right && left->axis + 2 < rank && right->axis + 2 < rank) return lowerDirect(a, core);
  if (!left || right || left->axis + 2 != rank) return notForRagged(a, core, "its trailing dimension is ragged");
  // Each element by the matrix of its place.
  auto inputs = arguments(a, true);
  std::optional<Fact> result = inputs ? factOf(a.type, a.expr->span) : std::nullopt;
  if (!result) return std::nullopt;
  DimStore& dims = *model_.dims;
  const Ragged lengths = lengthsOf(left->length);
  const Tensor x = (*inputs)[0];
  std::vector<Dim> matrix(fact((*inputs)[1]).shape.end() - 2, fact((*inputs)[1]).shape.end()), stack = matrix;
  stack.insert(stack.begin(), placesOf(lengths));
  Tensor y = shapedAs((*inputs)[1], stack), index = failed_ ? Tensor{} : countUp(placesOf(lengths));
  if (failed_) return std::nullopt;
  Fact each{fact(y).elem, matrix, {}};
  auto body = buildBody(
      {each, Fact{Elem::i64, {}, {}}}, a.expr->span, "a product", [&](const auto& fed) -> std::optional<Value> {
        Tensor ends = rowsAt(lengths.splits, integers(Op::add, fed[1], numbers({dims.constant(0), dims.constant(1)})));
        if (failed_) return std::nullopt;
        DimVar count = newSize("rows");
        findSize(count, integers(Op::sub, numberAt(ends, dims.constant(1)), numberAt(ends, dims.constant(0))),
                 lengths.rows);
        Dim rows = dims.variable(count);
        auto part = failed_ ? std::nullopt : emit(Op::segment, {x, ends}, {}, Fact{each.elem, {rows, matrix[0]}, {}});
        if (!part) return std::nullopt;
        return tensor(emit(Op::matmul, {*part, fed[0]}, {}, Fact{each.elem, {rows, matrix[1]}, {}}));
      });
  if (!body) return std::nullopt;
  Node node;
  node.op = Op::map;
  node.ints = {dims.constant(2)};
  node.bodies = {scopes_[body->scope].graph};
  std::vector<Tensor> given{y, index}, captures = closeBodies({&*body});
  given.insert(given.end(), captures.begin(), captures.end());
  auto outputs = emitNode(std::move(node), given, {*result});
  if (!outputs) return std::nullopt;
  return Value{outputs->front()};
}

std::optional<Value> Lowerer::lowerRaggedConcat(const Application& a, const CoreOperator& core) {
  auto result = raggedShape(a.type);
  auto axis = result ? axisAttribute(a, solution_.types[a.type].shape.size()) : std::nullopt;
  if (!axis || *axis < result->axis) return notForRagged(a, core, "along a dimension before the ragged one");
  auto inputs = arguments(a, true);
  if (!inputs) return std::nullopt;
  DimStore& dims = *model_.dims;
  Dim zero = dims.constant(0);
  if (*axis > result->axis) {
    std::optional<Fact> joined = factOf(a.type, a.expr->span);
    if (!joined) return std::nullopt;
    return tensor(emit(Op::concat, *inputs, {dims.constant(static_cast<std::int64_t>(*axis - result->axis))},
                       std::move(*joined)));
  }
  // Rows of all, in the order of the places that they belong to; the sums of lengths add up.
  std::vector<Tensor> ids;
  std::optional<Tensor> splits;
  Dim rows = zero;
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    auto part = raggedShape(argumentType(a, i));
    if (!part || part->axis != result->axis) return notForRagged(a, core, "with tensors that are not");
    const Ragged lengths = lengthsOf(part->length);
    ids.push_back(placesOfRows(lengths));
    if (failed_) return std::nullopt;
    splits = splits ? integers(Op::add, *splits, lengths.splits) : lengths.splits;
    rows = dims.add(rows, lengths.rows);
  }
  std::vector<Dim> shape = fact(inputs->front()).shape;
  shape[0] = rows;
  auto all = emit(Op::concat, *inputs, {zero}, Fact{fact(inputs->front()).elem, shape, {}});
  auto places = all ? emit(Op::concat, ids, {zero}, Fact{Elem::i64, {rows}, {}}) : std::nullopt;
  auto order = places ? emit(Op::argsort, {*places}, {zero, zero}, Fact{Elem::i64, {rows}, {}}) : std::nullopt;
  if (!order) return std::nullopt;
  ragged_[result->length.index] = {scope_, *splits, rows};
  return Value{rowsAt(*all, *order)};
}

// Rows of one more than there are, the last one filled: places past a length read that.
std::optional<Value> Lowerer::lowerToDense(const Application& a, const CoreOperator& core) {
  TypeId type = argumentType(a, 0);
  auto ragged = raggedShape(type);
  auto count = ragged ? model_.dims->asVariable(solution_.types[a.type].shape[ragged->axis].dim) : std::nullopt;
  auto inputs = count ? arguments(a, true) : std::nullopt;
  if (!inputs) return notForRagged(a, core, "there is one ragged dimension at most");
  DimStore& dims = *model_.dims;
  const Ragged lengths = lengthsOf(ragged->length);
  Dim one = dims.constant(1), zero = dims.constant(0), places = placesOf(lengths), k = dims.variable(*count);
  auto part = [&](Dim from) {
    return emit(Op::slice, {lengths.splits}, {zero, from, one}, Fact{Elem::i64, {places}, {}}).value_or(Tensor{});
  };
  Tensor begin = part(zero), end = failed_ ? Tensor{} : part(one);
  if (failed_) return std::nullopt;
  Tensor length = integers(Op::sub, end, begin), none = number(zero);
  auto longest = failed_ ? std::nullopt : emit(Op::reduceMax, {length, none}, {zero}, Fact{Elem::i64, {}, {}});
  if (!longest) return std::nullopt;
  findSize(*count, *longest, lengths.rows);
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!result) return std::nullopt;
  Tensor step = countUp(k), from = shapedAs(begin, {places, one}), until = shapedAs(length, {places, one});
  if (failed_) return std::nullopt;
  std::vector<Dim> grid{places, k};
  auto within = emit(Op::less, {step, until}, {}, Fact{Elem::boolean, grid, {}});
  auto at = within ? emit(Op::add, {step, from}, {}, Fact{Elem::i64, grid, {}}) : std::nullopt;
  Tensor past = at ? number(lengths.rows) : Tensor{};
  auto ids = at && !failed_ ? emit(Op::select, {*within, *at, past}, {}, Fact{Elem::i64, grid, {}}) : std::nullopt;
  std::vector<Dim> row = fact((*inputs)[0]).shape;
  row[0] = one;
  auto fill = ids ? emit(Op::broadcast, {(*inputs)[1]}, {}, Fact{result->elem, row, {}}) : std::nullopt;
  row[0] = dims.add(lengths.rows, one);
  auto rows = fill ? emit(Op::concat, {(*inputs)[0], *fill}, {zero}, Fact{result->elem, row, {}}) : std::nullopt;
  if (!rows) return std::nullopt;
  Tensor dense = rowsAt(*rows, *ids);
  return failed_ ? std::nullopt : std::optional(Value{shapedAs(dense, result->shape)});
}

std::optional<Value> Lowerer::lowerToRagged(const Application& a, const CoreOperator& core) {
  auto ragged = raggedShape(a.type);
  auto inputs = ragged && ragged->axis == 1 ? arguments(a, true) : std::nullopt;
  if (!inputs) return notForRagged(a, core, "its result has one dimension before the ragged one");
  DimStore& dims = *model_.dims;
  const Tensor x = (*inputs)[0];
  std::vector<Dim> shape = fact(x).shape;
  Dim places = shape[0], n = shape[1];
  Tensor width = number(n);
  auto widths = failed_ ? std::nullopt : emit(Op::broadcast, {width}, {}, Fact{Elem::i64, {places}, {}});
  if (!widths) return std::nullopt;
  auto lengths =
      emit(Op::require, {(*inputs)[1], *widths, (*inputs)[1]}, {dims.constant(1)}, Fact{Elem::i64, {places}, {}});
  Tensor splits = lengths ? splitsOf(*lengths) : Tensor{};
  if (!lengths || failed_) return std::nullopt;
  DimVar rows = newSize(dims.name(ragged->length));
  findSize(rows, numberAt(splits, places), dims.mul(places, n));
  Ragged made{scope_, splits, dims.variable(rows)};
  ragged_[ragged->length.index] = made;
  Tensor of = placesOfRows(made);
  if (failed_) return std::nullopt;
  Tensor ids =
      integers(Op::add, integers(Op::mul, of, width), integers(Op::sub, countUp(made.rows), rowsAt(splits, of)));
  shape.erase(shape.begin());
  shape[0] = dims.mul(places, n);
  Tensor flat = failed_ ? Tensor{} : shapedAs(x, shape);
  return failed_ ? std::nullopt : std::optional(Value{rowsAt(flat, ids)});
}

std::optional<Value> Lowerer::lowerSameLengths(const Application& a, const CoreOperator& core) {
  auto like = raggedShape(argumentType(a, 0)), of = raggedShape(argumentType(a, 1));
  auto inputs = like && of ? arguments(a, true) : std::nullopt;
  std::optional<Fact> result = inputs ? factOf(a.type, a.expr->span) : std::nullopt;
  if (!result) return notForRagged(a, core, "both tensors are");
  Tensor x = lengthsOf(like->length).splits, y = lengthsOf(of->length).splits;
  return tensor(emit(Op::require, {x, y, (*inputs)[1]}, {model_.dims->constant(0)}, std::move(*result)));
}

}  // namespace axle::ir
