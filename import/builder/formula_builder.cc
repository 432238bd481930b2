#include "import/builder/formula_builder.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "import/builder/control_shapes.h"
#include "import/builder/element_fitting.h"

namespace axle {
namespace {

template <class Number>
void append(std::string& bytes, Number value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

// Appends a value. Returns false if the element type cannot represent it.
bool appendInteger(std::string& bytes, Elem elem, std::int64_t value) {
  const std::size_t width = info(elem).bytes;
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, width);
  if (width == sizeof value) return true;
  const std::int64_t count = std::int64_t{1} << (8 * width);
  return info(elem).isSigned ? value >= -count / 2 && value < count / 2 : value >= 0 && value < count;
}

StaticId pairsOf(GraphTyper& t, const Sizes& pairs) {
  std::vector<StaticId> items;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) items.push_back(t.list(Sizes{pairs[i], pairs[i + 1]}));
  return t.list(std::move(items));
}

}  // namespace

std::optional<Sizes> FormulaBuilder::sizes(Expr value) {
  if (!value) return std::nullopt;
  const TypeTerm& type = t.solution().types[t.typeOf(value.id)];
  if (type.kind != TypeKind::tensor) return std::nullopt;
  Sizes sizes;
  for (const ShapePart& part : type.shape) {
    auto size = part.isVar ? std::nullopt : t.solution().dims.asConstant(t.solution().resolve(part.dim));
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

Elem FormulaBuilder::elem(Expr value) { return value ? elementOfValue(t, value.id).value_or(Elem::f32) : Elem::f32; }

std::optional<TypedId> FormulaBuilder::apply(std::string_view name, const std::vector<Expr>& arguments,
                                             Statics statics) {
  std::vector<TypedId> ids;
  for (const Expr& argument : arguments) {
    if (!argument) return std::nullopt;
    ids.push_back(argument.id);
  }
  isTypesOnly_ |= fitElements(t, name, ids, isTypesOnly_, name_, at_);
  return t.apply(name, at_, std::move(ids), std::move(statics), subject_);
}

std::vector<Expr> FormulaBuilder::bind(TypedId value) {
  std::vector<Expr> parts;
  for (TypedId part : t.bind(name_, value, at_)) parts.push_back({this, part});
  return parts;
}

std::vector<Expr> FormulaBuilder::parts(std::string_view name, const std::vector<Expr>& arguments, Statics statics) {
  auto value = apply(name, arguments, std::move(statics));
  return value ? bind(*value) : std::vector<Expr>();
}

Expr FormulaBuilder::op(std::string_view name, const std::vector<Expr>& arguments, Statics statics) {
  std::vector<Expr> all = parts(name, arguments, std::move(statics));
  return all.size() == 1 ? all[0] : Expr{this, {}};
}

Expr FormulaBuilder::number(double value, Elem elem) { return {this, t.literal(value, elem, at_)}; }

Expr FormulaBuilder::integers(Elem elem, const Sizes& shape, const std::vector<std::int64_t>& values) {
  ConstantData data{elem, shape, {}};
  for (std::int64_t value : values)
    if (!appendInteger(data.bytes, elem, value)) return {this, {}};
  return constant(std::move(data));
}

Expr FormulaBuilder::reals(Elem elem, const Sizes& shape, const std::vector<double>& values) {
  const bool isDouble = elem == Elem::f64;
  ConstantData data{isDouble ? Elem::f64 : Elem::f32, shape, {}};
  for (double value : values) {
    if (isDouble)
      append(data.bytes, value);
    else
      append(data.bytes, static_cast<float>(value));
  }
  Expr made = constant(std::move(data));
  return isDouble || elem == Elem::f32 ? made : cast(made, elem);
}

Expr FormulaBuilder::as(std::string_view name, const std::vector<Expr>& arguments, Statics statics, Elem to) {
  auto id = apply(name, arguments, std::move(statics));
  if (!id) return {this, {}};
  TypeId wanted = t.tensor(ElemTerm::of(to), t.unknownShape("s"), at_);
  if (!t.unify(t.typeOf(*id), wanted, at_, subject_)) return {this, {}};
  return bind(*id).front();
}

Expr FormulaBuilder::cast(Expr value, Elem to) { return elem(value) == to ? value : as("cast", {value}, {}, to); }

Expr FormulaBuilder::bitcast(Expr value, Elem to) { return elem(value) == to ? value : as("bitcast", {value}, {}, to); }

Expr FormulaBuilder::reshape(Expr value, const Sizes& shape) {
  return op("reshape", {value}, {{"dims", t.list(shape)}});
}

Expr FormulaBuilder::transpose(Expr value, const Sizes& perm) {
  return op("transpose", {value}, {{"perm", t.list(perm)}});
}

Expr FormulaBuilder::expand(Expr value, std::int64_t axis) {
  return op("expand", {value}, {{"axis", t.integer(axis)}});
}

Expr FormulaBuilder::squeeze(Expr value, std::int64_t axis) {
  return op("squeeze", {value}, {{"axis", t.integer(axis)}});
}

Expr FormulaBuilder::slice(Expr value, std::int64_t axis, std::int64_t start, std::int64_t stop, std::int64_t step) {
  return op(
      "slice", {value},
      {{"axis", t.integer(axis)}, {"start", t.integer(start)}, {"stop", t.integer(stop)}, {"step", t.integer(step)}});
}

Expr FormulaBuilder::at(Expr value, std::int64_t axis, std::int64_t index) {
  return squeeze(slice(value, axis, index, index + 1), axis);
}

Expr FormulaBuilder::concat(const std::vector<Expr>& values, std::int64_t axis) {
  return op("concat", values, {{"axis", t.integer(axis)}});
}

Expr FormulaBuilder::stack(const std::vector<Expr>& values, std::int64_t axis) {
  return op("stack", values, {{"axis", t.integer(axis)}});
}

Expr FormulaBuilder::pad(Expr value, const Sizes& pairs) { return op("pad", {value}, {{"pads", pairsOf(t, pairs)}}); }

Expr FormulaBuilder::padWith(Expr value, Expr with, const Sizes& pairs) {
  return op("pad_with", {value, with}, {{"pads", pairsOf(t, pairs)}});
}

Expr FormulaBuilder::gather(Expr value, Expr places, std::int64_t axis) {
  return op("gather", {value, places}, {{"axis", t.integer(axis)}});
}

Expr FormulaBuilder::reduce(std::string_view name, Expr value, const Sizes& axes, bool keep) {
  return op(name, {value}, {{"axis", t.list(axes)}, {"keep", t.boolean(keep)}});
}

Expr FormulaBuilder::full(const Sizes& shape, Expr value) { return op("full", {value}, {{"dims", t.list(shape)}}); }

Expr FormulaBuilder::padEnd(Expr value, std::int64_t axis, Dim after) {
  return op("pad_axis", {value}, {{"axis", t.integer(axis)}, {"after", t.integer(after)}});
}

Expr FormulaBuilder::sliceAt(Expr value, std::int64_t axis, Expr place) {
  return op("dynamic_slice", {value, place}, {{"axis", t.integer(axis)}, {"size", t.integer(1)}});
}

Expr FormulaBuilder::takeAlong(Expr value, Expr places, std::int64_t axis) {
  return op("take_along", {value, places}, {{"axis", t.integer(axis)}});
}

Expr FormulaBuilder::swapped(Expr matrices) {
  return op("swap_axes", {matrices}, {{"a", t.integer(-1)}, {"b", t.integer(-2)}});
}

Expr FormulaBuilder::count(std::int64_t size) {
  Sizes all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return integers(Elem::i64, {size}, all);
}

Expr FormulaBuilder::identity(std::int64_t size, Elem elem) {
  Expr all = count(size);
  return cast(expand(all, 1) == all, elem);
}

FormulaBuilder::States FormulaBuilder::loop(const States& starts, const std::function<Expr(const States&)>& condition,
                                            const std::function<States(const States&)>& next) {
  States states;
  std::vector<TypedId> from, begin, then;
  for (const Expr& start : starts) {
    if (!start) return States(starts.size(), Expr{this, {}});
    begin.push_back(start.id);
    from.push_back(t.opaque(name_, t.typeOf(start.id), at_));
    states.push_back({this, from.back()});
  }
  Expr holds = condition(states);
  for (const Expr& value : next(states)) {
    if (!value) return States(starts.size(), Expr{this, {}});
    then.push_back(value.id);
  }
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!t.unify(t.typeOf(from[i]), t.typeOf(then[i]), at_, subject_)) return States(starts.size(), Expr{this, {}});
  States ends;
  for (TypedId end : t.loop(name_, from, holds.id, std::move(then), std::move(begin), at_)) ends.push_back({this, end});
  return ends;
}

FormulaBuilder::States FormulaBuilder::steps(std::int64_t count, States starts,
                                             const std::function<States(Expr, const States&)>& next) {
  if (count == 0) return starts;
  starts.insert(starts.begin(), number(0, Elem::i64));
  States ends = loop(
      starts, [&](const States& all) { return all[0] < static_cast<double>(count); },
      [&](const States& all) {
        States made = next(all[0], States(all.begin() + 1, all.end()));
        made.insert(made.begin(), all[0] + 1.0);
        return made;
      });
  ends.erase(ends.begin());
  return ends;
}

Expr FormulaBuilder::stretch(Expr value, const Sizes& shape) {
  return op("broadcast_to", {value}, {{"dims", t.list(shape)}});
}

std::optional<Dims> FormulaBuilder::dims(Expr value) { return resolvedDims(t, value.id); }

Dim FormulaBuilder::productOf(const Dims& dims, std::size_t from, std::optional<std::size_t> to) {
  Dim product = dim(1);
  for (std::size_t i = from; i < to.value_or(dims.size()); ++i) product = times(product, dims[i]);
  return product;
}

Expr FormulaBuilder::countTo(Dim stop) { return as("arange", {}, {{"stop", t.integer(stop)}}, Elem::i64); }

Expr FormulaBuilder::sliced(Expr value, std::int64_t axis, Dim start, Dim stop, std::int64_t step) {
  return op(
      "slice", {value},
      {{"axis", t.integer(axis)}, {"start", t.integer(start)}, {"stop", t.integer(stop)}, {"step", t.integer(step)}});
}

Expr FormulaBuilder::numberOf(Dim size) {
  if (auto known = t.solution().dims.asConstant(t.solution().resolve(size))) return integers(Elem::i64, {}, {*known});
  return op("size", {filled({size}, number(0, Elem::boolean))});
}

std::optional<Dim> FormulaBuilder::found(Expr number, Dim most) {
  auto its = dims(op("arange_to", {number}, {{"most", t.integer(most)}}));
  return its && its->size() == 1 ? std::optional(its->front()) : std::nullopt;
}

bool FormulaBuilder::isOpen(Dim size) {
  const Solution& solution = t.solution();
  auto v = solution.dims.asVariable(size);
  if (!v || solution.dimVars[v->index].rigid || solution.dimVars[v->index].kind != DimKind::plain) return false;
  return std::none_of(inputSizes_.begin(), inputSizes_.end(),
                      [&](DimVar input) { return t.solution().resolve(t.solution().dims.variable(input)) == size; });
}

Expr apply(std::string_view name, Expr a) { return a.formula->op(name, {a}); }
Expr apply(std::string_view name, Expr a, Expr b) { return a.formula->op(name, {a, b}); }

Expr operator+(Expr a, Expr b) { return apply("+", a, b); }
Expr operator-(Expr a, Expr b) { return apply("-", a, b); }
Expr operator*(Expr a, Expr b) { return apply("*", a, b); }
Expr operator/(Expr a, Expr b) { return apply("/", a, b); }
Expr operator-(Expr a) { return apply("-", a); }
Expr operator<(Expr a, Expr b) { return apply("<", a, b); }
Expr operator<=(Expr a, Expr b) { return apply("<=", a, b); }
Expr operator>(Expr a, Expr b) { return apply(">", a, b); }
Expr operator>=(Expr a, Expr b) { return apply(">=", a, b); }
Expr operator==(Expr a, Expr b) { return apply("==", a, b); }
Expr operator!=(Expr a, Expr b) { return apply("!=", a, b); }
Expr operator&&(Expr a, Expr b) { return apply("and", a, b); }
Expr operator||(Expr a, Expr b) { return apply("or", a, b); }
Expr operator+(Expr a, double b) { return a + a.formula->like(b, a); }
Expr operator-(Expr a, double b) { return a - a.formula->like(b, a); }
Expr operator-(double a, Expr b) { return b.formula->like(a, b) - b; }
Expr operator*(Expr a, double b) { return a * a.formula->like(b, a); }
Expr operator*(double a, Expr b) { return b.formula->like(a, b) * b; }
Expr operator/(Expr a, double b) { return a / a.formula->like(b, a); }
Expr operator/(double a, Expr b) { return b.formula->like(a, b) / b; }
Expr operator<(Expr a, double b) { return a < a.formula->like(b, a); }
Expr operator<=(Expr a, double b) { return a <= a.formula->like(b, a); }
Expr operator>(Expr a, double b) { return a > a.formula->like(b, a); }
Expr operator>=(Expr a, double b) { return a >= a.formula->like(b, a); }
Expr operator==(Expr a, double b) { return a == a.formula->like(b, a); }
Expr operator!=(Expr a, double b) { return a != a.formula->like(b, a); }
Expr choose(Expr condition, Expr yes, Expr no) { return condition.formula->op("select", {condition, yes, no}); }
Expr choose(Expr condition, double yes, Expr no) { return choose(condition, no.formula->like(yes, no), no); }
Expr choose(Expr condition, Expr yes, double no) { return choose(condition, yes, yes.formula->like(no, yes)); }

Expr clamped(Expr x, double least, double most) {
  Expr raised = apply("maximum", x, x.formula->like(least, x));
  return apply("minimum", raised, x.formula->like(most, x));
}

Expr quotientTowardsZero(Expr total, Expr count) {
  const ElemInfo& its = info(total.formula->elem(total));
  if (its.isFloat || !its.isSigned) return total / count;
  Expr quotient = apply("abs", total) / count;
  return choose(total < 0.0, -quotient, quotient);
}

Expr stepCount(Expr start, Expr limit, Expr step) {
  FormulaBuilder& f = *start.formula;
  Expr way = limit - start;
  if (info(f.elem(start)).isFloat) return f.cast(apply("ceil", way / step), Elem::i64);
  return -apply("floor_div", -f.cast(way, Elem::i64), f.cast(step, Elem::i64));
}

}  // namespace axle
