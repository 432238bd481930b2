#include "ir/lower/formula.h"

#include <algorithm>
#include <cmath>

#include "ir/ops/table.h"
#include "typecheck/types/literal_bytes.h"

namespace axle::ir::lowering {

namespace {

bool isHalf(Elem elem) { return elem == Elem::f16 || elem == Elem::bf16; }

}  // namespace

Operand Formula::fail(const char* what) {
  failed_ = true;
  reportBug(c_, "`" + c_.operators[a_.apply->op].name + "`: " + what, a_.span());
  return {this, {}};
}

Operand Formula::operator[](std::size_t argument) {
  if (argument < arguments_.size()) return {this, arguments_[argument]};
  return fail("it has fewer arguments");
}

Operand Formula::wide(const Operand& x) { return isHalf(elem(x)) ? cast(x, Elem::f32) : x; }
Operand Formula::wide(std::size_t argument) { return wide((*this)[argument]); }

Dim Formula::dim(std::string_view name) {
  auto value = dimAttribute(c_, a_, name);
  if (!value) failed_ = true;
  return value.value_or(dims.constant(0));
}

std::int64_t Formula::integer(std::string_view name) {
  auto value = dims.asConstant(dim(name));
  if (!value && !failed_) fail("an attribute is not known");
  return value.value_or(0);
}

bool Formula::flag(std::string_view name) { return boolAttribute(c_, a_, name); }

double Formula::real(std::string_view name) {
  auto index = requireAttribute(c_, a_, name);
  failed_ |= !index;
  if (!index) return 0;
  const StaticTerm& term = c_.solution.types[attributeAt(c_, a_, *index)];
  if (term.kind == StaticKind::real) return term.real;
  auto number = term.kind == StaticKind::dim ? dims.asConstant(term.dim) : std::nullopt;
  if (!number) fail("an attribute is not a number");
  return static_cast<double>(number.value_or(0));
}

std::vector<Dim> Formula::list(std::string_view name) {
  auto index = requireAttribute(c_, a_, name);
  failed_ |= !index;
  std::vector<Dim> out;
  if (!index) return out;
  const StaticTerm& term = c_.solution.types[attributeAt(c_, a_, *index)];
  for (StaticId item : term.items)
    if (const StaticTerm& value = c_.solution.types[c_.solution.resolve(item, a_.environment.substitution)];
        value.kind == StaticKind::dim)
      out.push_back(value.dim);
  if (out.size() != term.items.size()) fail("an attribute is not a list of numbers");
  return out;
}

std::size_t Formula::axis(std::size_t rank, std::string_view name) {
  return ragged_ ? ragged_->storedAxis(writtenAxis(ragged_->rank, name)) : writtenAxis(rank, name);
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
    if (std::size_t at = ragged_->storedAxis(axis); out.empty() || out.back() != at) out.push_back(at);
  return out;
}

std::vector<std::size_t> Formula::writtenAxes(std::size_t rank) {
  auto index = requireAttribute(c_, a_, "axis");
  failed_ |= !index;
  std::vector<std::size_t> out;
  if (!index) return out;
  const StaticTerm& term = c_.solution.types[attributeAt(c_, a_, *index)];
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

Operand Formula::apply(Op op, const std::vector<Operand>& inputs, Attributes attributes, std::optional<Fact> declared) {
  if (failed_) return {this, {}};
  std::vector<Tensor> tensors;
  std::vector<Fact> facts, wanted{declared.value_or(Fact{})};
  for (const Operand& input : inputs) {
    tensors.push_back(input.tensor);
    facts.push_back(fact(c_, input.tensor));
  }
  if (!declared && !facts.empty()) wanted[0] = {facts[0].elem, facts[0].shape, {}};
  Inferred inferred = row(op).rules->facts(InferContext{dims, facts, attributes, wanted, {}});
  if (!inferred || inferred->size() != 1)
    return fail(inferred ? "an operator has several results" : inferred.error().c_str());
  // A size `n` that is 1 or m, broadcast with m, is m.
  std::vector<Dim>& out = inferred->front().shape;
  for (Dim& d : out)
    if (auto v = dims.asVariable(d); v && c_.broadcastSizes.count(v->index))
      for (const Fact& fact : facts) {
        std::size_t behind = static_cast<std::size_t>(&out.back() - &d);
        bool isM =
            behind < fact.shape.size() && fact.shape[fact.shape.size() - 1 - behind] == c_.broadcastSizes[v->index];
        if (isM && !declared) d = c_.broadcastSizes[v->index];
      }
  auto made = emit(c_, op, tensors, std::move(attributes), std::move(inferred->front()));
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
  return {this, constantTensor(c_, c_.model.addConstant(elem, {}, std::move(*bytes)))};
}

Operand Formula::lowest(Elem elem) {
  if (elem == Elem::boolean) return number(0, elem);
  LiteralValue literal;
  literal.form = ast::NumberForm::lowest;
  auto bytes = encodeLiteral(literal, elem);
  if (!bytes || failed_) return fail("there is no lowest number");
  return {this, constantTensor(c_, c_.model.addConstant(elem, {}, std::move(*bytes)))};
}

Operand Formula::highest(Elem elem) {
  if (elem == Elem::boolean) return number(1, elem);
  if (info(elem).isFloat) return number(INFINITY, elem);
  const std::size_t bits = 8 * info(elem).bytes - (info(elem).isSigned ? 1 : 0);
  LiteralValue literal;
  literal.integer = ~std::uint64_t{0} >> (64 - bits);
  auto bytes = encodeLiteral(literal, elem);
  if (!bytes || failed_) return fail("there is no highest number");
  return {this, constantTensor(c_, c_.model.addConstant(elem, {}, std::move(*bytes)))};
}

Operand Formula::sizes(const std::vector<Dim>& values, std::vector<Dim> shape) {
  return apply(Op::dims, {}, DimsAttributes{values}, Fact{Elem::i64, std::move(shape), {}});
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
  return apply(Op::transpose, {x}, PermAttributes{perm});
}

Operand Formula::slice(const Operand& x, std::size_t axis, Dim start, Dim length, std::int64_t step) {
  std::vector<Dim> to = shape(x);
  if (axis >= to.size()) return failed_ ? x : fail("an axis is out of range");
  to[axis] = length;
  return apply(Op::slice, {x}, SliceAttributes{axis, start, size(step)}, Fact{elem(x), std::move(to), {}});
}

Operand Formula::concat(const std::vector<Operand>& parts, std::size_t axis) {
  return apply(Op::concat, parts, AxisAttributes{axis});
}

Operand Formula::gather(const Operand& x, const Operand& ids, std::size_t axis) {
  return apply(Op::gather, {x, ids}, AxisAttributes{axis});
}

Operand Formula::reverse(const Operand& x, std::size_t axis) { return apply(Op::reverse, {x}, AxisAttributes{axis}); }

Operand Formula::reduce(Op op, Operand x, const std::vector<std::size_t>& axes, bool keep, const Operand& start) {
  std::vector<Dim> kept = shape(x);
  std::vector<std::size_t> order = axes;
  std::sort(order.rbegin(), order.rend());  // trailing axes first, so that the other axes keep their numbers
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t axis = order[i];
    if (grouped(axis)) {
      x = reduceRows(op, x, start);
      kept[axis] = ragged_->segments;
      continue;
    }
    if (axis < kept.size()) kept[axis] = size(1);
    for (; i + 1 < order.size() && order[i + 1] + 1 == axis && !grouped(order[i + 1]); ++i) {
      x = mergeWithNext(x, --axis);
      if (axis < kept.size()) kept[axis] = size(1);
    }
    x = apply(op, {x, start}, AxisAttributes{axis});
  }
  return keep ? reshape(x, std::move(kept)) : x;
}

Operand Formula::mergeWithNext(const Operand& x, std::size_t axis) {
  std::vector<Dim> to = shape(x);
  if (axis + 1 >= to.size()) return x;
  to[axis] = dims.mul(to[axis], to[axis + 1]);
  to.erase(to.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  return reshape(x, std::move(to));
}

Operand Formula::reduceRows(Op op, const Operand& x, const Operand& start) {
  if (failed_) return {this, {}};
  const Elem given = elem(x), taken = given == Elem::boolean ? Elem::i32 : given;  // for bool the maximum is `or`
  Operand rows = cast(x, taken), first = cast(start, taken);
  std::vector<Dim> to = shape(rows);
  to[0] = ragged_->segments;
  first = broadcast(first, std::move(to));
  auto made = failed_ ? std::nullopt : reduceSegments(c_, op, first.tensor, rows.tensor, ragged_->segmentIds);
  if (!made) failed_ = true;
  return cast({this, made.value_or(Tensor{})}, given);
}

Operand Formula::repeatForRows(const Operand& reduced) {
  if (failed_ || !grouped(0)) return reduced;
  return gather(reduced, {this, ragged_->segmentIds}, 0);
}

Operand Formula::countAlong(const Operand& x, const std::vector<std::size_t>& axes, bool keep) {
  if (failed_) return {this, {}};
  const std::vector<Dim> sizes = shape(x);
  Dim behind = size(1);
  std::vector<Dim> to(keep ? sizes.size() : sizes.size() - axes.size(), size(1));
  bool groups = false;
  for (std::size_t axis : axes)
    if (grouped(axis))
      groups = true;
    else
      behind = dims.mul(behind, sizes[axis]);
  if (!groups) return cast(size(behind), elem(x));
  if (!keep) to.push_back(size(1));  // the segments
  to[0] = ragged_->segments;
  Operand rows = reduceRows(Op::reduceSum, broadcast(number(1, Elem::i64), {sizes[0]}), number(0, Elem::i64));
  return cast(reshape(rows * size(behind), std::move(to)), elem(x));
}

}  // namespace axle::ir::lowering
