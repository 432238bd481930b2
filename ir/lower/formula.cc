#include "ir/lower/formula.h"

#include <algorithm>
#include <cmath>

#include "typecheck/types/literal_bytes.h"

namespace axle::ir {

namespace {

bool isHalf(Elem elem) { return elem == Elem::f16 || elem == Elem::bf16; }

}  // namespace

Operand Formula::fail(const char* what) {
  failed_ = true;
  l_.unexpected("`" + l_.operators_[a_.apply->op].name + "`: " + what, a_.expr->span);
  return {this, {}};
}

Operand Formula::operator[](std::size_t argument) {
  if (argument < arguments_.size()) return {this, arguments_[argument]};
  return fail("it has fewer arguments");
}

Operand Formula::wide(const Operand& x) { return isHalf(elem(x)) ? cast(x, Elem::f32) : x; }
Operand Formula::wide(std::size_t argument) { return wide((*this)[argument]); }

Dim Formula::dim(std::string_view name) {
  auto value = l_.dimAttribute(a_, name);
  if (!value) failed_ = true;
  return value.value_or(dims.constant(0));
}

std::int64_t Formula::integer(std::string_view name) {
  auto value = dims.asConstant(dim(name));
  if (!value && !failed_) fail("an attribute is not known");
  return value.value_or(0);
}

bool Formula::flag(std::string_view name) { return l_.boolAttribute(a_, name); }

double Formula::real(std::string_view name) {
  auto index = l_.attributeNamed(a_, name);
  failed_ |= !index;
  if (!index) return 0;
  const StaticTerm& term = l_.solution_.types[l_.attribute(a_, *index)];
  if (term.kind == StaticKind::real) return term.real;
  auto number = term.kind == StaticKind::dim ? dims.asConstant(term.dim) : std::nullopt;
  if (!number) fail("an attribute is no number");
  return static_cast<double>(number.value_or(0));
}

std::vector<Dim> Formula::list(std::string_view name) {
  auto index = l_.attributeNamed(a_, name);
  failed_ |= !index;
  std::vector<Dim> out;
  if (!index) return out;
  const StaticTerm& term = l_.solution_.types[l_.attribute(a_, *index)];
  for (StaticId item : term.items)
    if (const StaticTerm& value = l_.solution_.types[l_.solution_.resolve(item, a_.with)];
        value.kind == StaticKind::dim)
      out.push_back(value.dim);
  if (out.size() != term.items.size()) fail("an attribute is no list of numbers");
  return out;
}

std::size_t Formula::axis(std::size_t rank, std::string_view name) {
  return ragged_ ? ragged_->ofRows(writtenAxis(ragged_->rank, name)) : writtenAxis(rank, name);
}

std::size_t Formula::writtenAxis(std::size_t rank, std::string_view name) {
  std::int64_t value = integer(name);
  if (value < 0) value += static_cast<std::int64_t>(rank);
  if (value >= 0 && value < static_cast<std::int64_t>(rank)) return static_cast<std::size_t>(value);
  if (!failed_) fail("an axis is out of range");
  return 0;
}

std::vector<std::size_t> Formula::axes(std::size_t rank) {
  if (!ragged_) return writtenAxes(rank);
  std::vector<std::size_t> out;
  for (std::size_t axis : writtenAxes(ragged_->rank))
    if (std::size_t at = ragged_->ofRows(axis); out.empty() || out.back() != at) out.push_back(at);
  return out;
}

std::vector<std::size_t> Formula::writtenAxes(std::size_t rank) {
  auto index = l_.attributeNamed(a_, "axis");
  failed_ |= !index;
  std::vector<std::size_t> out;
  if (!index) return out;
  const StaticTerm& term = l_.solution_.types[l_.attribute(a_, *index)];
  if (term.kind == StaticKind::all)
    for (std::size_t i = 0; i < rank; ++i) out.push_back(i);
  else if (term.kind == StaticKind::dim)
    out.push_back(writtenAxis(rank));
  else
    for (Dim item : list("axis")) {
      std::int64_t value = dims.asConstant(item).value_or(INT64_MAX);
      if (value < 0) value += static_cast<std::int64_t>(rank);
      if (value < 0 || value >= static_cast<std::int64_t>(rank)) fail("an axis is out of range");
      out.push_back(static_cast<std::size_t>(value));
    }
  std::sort(out.rbegin(), out.rend());
  return out;
}

Operand Formula::apply(Op op, const std::vector<Operand>& inputs, std::vector<Dim> ints, std::optional<Fact> declared) {
  if (failed_) return {this, {}};
  std::vector<Tensor> tensors;
  std::vector<Fact> facts, wanted{declared.value_or(Fact{})};
  for (const Operand& input : inputs) {
    tensors.push_back(input.tensor);
    facts.push_back(l_.fact(input.tensor));
  }
  if (!declared && !facts.empty()) wanted[0] = {facts[0].elem, facts[0].shape, {}};
  Inferred inferred = row(op).infer(InferContext{dims, facts, ints, wanted, {}});
  if (!inferred || inferred->size() != 1)
    return fail(inferred ? "an operator has several results" : inferred.error().c_str());
  // `n : 1 or m` beside m
  std::vector<Dim>& out = inferred->front().shape;
  for (Dim& d : out)
    if (auto v = dims.asVariable(d); v && l_.stretches_.count(v->index))
      for (const Fact& fact : facts) {
        std::size_t behind = static_cast<std::size_t>(&out.back() - &d);
        bool isM = behind < fact.shape.size() && fact.shape[fact.shape.size() - 1 - behind] == l_.stretches_[v->index];
        if (isM && !declared) d = l_.stretches_[v->index];
      }
  auto made = l_.emit(op, tensors, std::move(ints), std::move(inferred->front()));
  if (!made) failed_ = true;
  return {this, made.value_or(Tensor{})};
}

Operand Formula::number(double value, Elem elem) {
  if (failed_) return {this, {}};
  LiteralValue literal;
  literal.negative = std::signbit(value);
  literal.isBool = elem == Elem::boolean;
  literal.boolean = value != 0;
  if (std::isnan(value) || std::isinf(value)) {
    literal.form = std::isnan(value) ? ast::NumberForm::nan : ast::NumberForm::inf;
  } else if (info(elem).isInt) {
    literal.integer = static_cast<std::uint64_t>(std::fabs(value));
  } else {
    literal.form = ast::NumberForm::real;
    literal.real = std::fabs(value);
  }
  auto bytes = encodeLiteral(literal, elem);
  if (!bytes) return fail("a number is out of range");
  return {this, l_.constantHere(l_.model_.addConstant(elem, {}, std::move(*bytes)))};
}

Operand Formula::lowest(Elem elem) {
  if (elem == Elem::boolean) return number(0, elem);
  LiteralValue literal;
  literal.form = ast::NumberForm::lowest;
  auto bytes = encodeLiteral(literal, elem);
  if (!bytes || failed_) return fail("there is no lowest number");
  return {this, l_.constantHere(l_.model_.addConstant(elem, {}, std::move(*bytes)))};
}

Operand Formula::highest(Elem elem) {
  if (elem == Elem::boolean) return number(1, elem);
  if (info(elem).isFloat) return number(INFINITY, elem);
  const std::size_t bits = 8 * info(elem).bytes - (info(elem).isSigned ? 1 : 0);
  LiteralValue literal;
  literal.integer = ~std::uint64_t{0} >> (64 - bits);
  auto bytes = encodeLiteral(literal, elem);
  if (!bytes || failed_) return fail("there is no highest number");
  return {this, l_.constantHere(l_.model_.addConstant(elem, {}, std::move(*bytes)))};
}

Operand Formula::sizes(const std::vector<Dim>& values, std::vector<Dim> shape) {
  return apply(Op::dims, {}, values, Fact{Elem::i64, std::move(shape), {}});
}

Operand Formula::cast(const Operand& x, Elem to) {
  if (elem(x) == to) return x;
  return apply(Op::cast, {x}, {}, Fact{to, shape(x), {}});
}

Operand Formula::reshape(const Operand& x, std::vector<Dim> to) {
  if (!failed_ && shape(x) == to) return x;
  return apply(Op::reshape, {x}, {}, Fact{elem(x), std::move(to), {}});
}

Operand Formula::broadcast(const Operand& x, std::vector<Dim> to) {
  if (!failed_ && shape(x) == to) return x;
  return apply(Op::broadcast, {x}, {}, Fact{elem(x), std::move(to), {}});
}

Operand Formula::expand(const Operand& x, std::size_t axis) {
  std::vector<Dim> to = shape(x);
  to.insert(to.begin() + static_cast<std::ptrdiff_t>(std::min(axis, to.size())), size(1));
  return reshape(x, std::move(to));
}

Operand Formula::transpose(const Operand& x, const std::vector<std::size_t>& perm) {
  std::vector<Dim> ints;
  for (std::size_t axis : perm) ints.push_back(size(static_cast<std::int64_t>(axis)));
  return apply(Op::transpose, {x}, std::move(ints));
}

Operand Formula::slice(const Operand& x, std::size_t axis, Dim start, Dim length, std::int64_t step) {
  std::vector<Dim> to = shape(x);
  if (axis >= to.size()) return failed_ ? x : fail("an axis is out of range");
  to[axis] = length;
  return apply(Op::slice, {x}, {size(static_cast<std::int64_t>(axis)), start, size(step)},
               Fact{elem(x), std::move(to), {}});
}

Operand Formula::concat(const std::vector<Operand>& parts, std::size_t axis) {
  return apply(Op::concat, parts, {size(static_cast<std::int64_t>(axis))});
}

Operand Formula::gather(const Operand& x, const Operand& ids, std::size_t axis) {
  return apply(Op::gather, {x, ids}, {size(static_cast<std::int64_t>(axis))});
}

Operand Formula::reverse(const Operand& x, std::size_t axis) {
  return apply(Op::reverse, {x}, {size(static_cast<std::int64_t>(axis))});
}

Operand Formula::reduce(Op op, Operand x, const std::vector<std::size_t>& axes, bool keep, const Operand& start) {
  std::vector<Dim> kept = shape(x);
  std::vector<std::size_t> order = axes;
  std::sort(order.rbegin(), order.rend());  // an axis keeps its number until its turn
  for (std::size_t axis : order) {
    if (grouped(axis)) {
      x = reduceGroups(op, x, start);
      kept[axis] = ragged_->count;
      continue;
    }
    x = apply(op, {x, start}, {size(static_cast<std::int64_t>(axis))});
    if (axis < kept.size()) kept[axis] = size(1);
  }
  return keep ? reshape(x, std::move(kept)) : x;
}

// A computed tensor whose shape lacks what only literals stand for: they are all equal along it.
std::optional<Value> Lowerer::stretched(Tensor computed, Fact result, Span span) {
  DimStore& dims = *model_.dims;
  const std::vector<Dim>& shape = fact(computed).shape;
  if (shape.size() > result.shape.size()) return unexpected("its shape differs from its operands'", span);
  std::size_t lead = result.shape.size() - shape.size();
  bool complete = lead == 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    bool one = dims.asConstant(shape[i]) == 1 && dims.asConstant(result.shape[lead + i]) != 1;
    if (!one && surelyDiffer(dims, shape[i], result.shape[lead + i]))
      return unexpected("its shape differs from its type's", span);
    complete = complete && !one;
  }
  if (!complete) computed.splat = std::move(result.shape);
  return Value{std::move(computed)};
}

std::optional<Value> Lowerer::lowerElementwise(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, false);
  return inputs ? elementwise(a, core, std::move(*inputs)) : std::nullopt;
}

std::optional<Value> Lowerer::elementwise(const Application& a, const CoreOperator& core, std::vector<Tensor> inputs) {
  std::optional<Fact> result = factOf(a.type, a.expr->span);
  if (!result) return std::nullopt;
  for (Tensor& input : inputs) input.splat.reset();
  Elem elem = result->elem;
  Formula formula(*this, a, std::move(inputs), {*result});
  Operand made = core.formula(formula).all.front();
  if (formula.failed()) return std::nullopt;
  if (formula.elem(made) != elem && info(elem).isFloat && info(formula.elem(made)).isFloat)
    made = formula.cast(made, elem);
  if (formula.elem(made) != elem) made = formula.fail("its element type differs from its type's");
  if (formula.failed()) return std::nullopt;
  return stretched(made.tensor, std::move(*result), a.expr->span);
}

std::optional<Value> Lowerer::lowerFormula(const Application& a, const CoreOperator& core) {
  auto inputs = arguments(a, true);
  std::vector<Fact> results;
  if (inputs) willFindSizes(a, *inputs);
  if (!inputs || !factsOf(a.type, results, a.expr->span, "a result")) return std::nullopt;
  auto ragged = anyRagged_ && !inputs->empty() ? raggedShape(argumentType(a, 0)) : std::nullopt;
  RaggedAxes axes;
  if (ragged) axes.axis = ragged->axis, axes.rank = solution_.types[argumentType(a, 0)].shape.size();
  Formula formula(*this, a, std::move(*inputs), results, ragged ? &axes : nullptr);
  Results made = core.formula(formula);
  if (!formula.failed() && made.all.size() != results.size()) formula.fail("its results differ from its type's");
  std::vector<Tensor> flat;
  for (std::size_t i = 0; i < made.all.size() && !formula.failed(); ++i) {
    Operand& one = made.all[i];
    if (info(results[i].elem).isFloat && info(formula.elem(one)).isFloat) one = formula.cast(one, results[i].elem);
    if (formula.elem(one) != results[i].elem || surelyDiffer(*model_.dims, formula.shape(one), results[i].shape))
      formula.fail("its result differs from its type's");
    flat.push_back(one.tensor);
  }
  if (formula.failed()) return std::nullopt;
  std::size_t next = 0;
  return rebuild(a.type, flat, next);
}

}  // namespace axle::ir
