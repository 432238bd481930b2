#include "import/tensorflow/operators/formula.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <unordered_map>

namespace axle::tensorflow {
namespace {

template <class Number>
void append(std::string& bytes, Number value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

}  // namespace

std::vector<Ex> Formula::ins(std::size_t from, std::size_t to) {
  std::vector<Ex> values;
  for (std::size_t i = from; i < to; ++i) values.push_back(in(i));
  return values;
}

std::optional<Sizes> Formula::sizes(Ex value) {
  if (!value) return std::nullopt;
  const TypeTerm& type = n.t.solution().types[n.t.typeOf(value.id)];
  if (type.kind != TypeKind::tensor) return std::nullopt;
  Sizes sizes;
  for (const ShapePart& part : type.shape) {
    auto size = part.isVar ? std::nullopt : n.t.solution().dims.asConstant(n.t.solution().resolve(part.dim));
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

std::optional<Dims> Formula::contentDims(std::size_t port) {
  return port < outlets_.size() ? dims(Ex{this, outlets_[port].content}) : std::nullopt;
}

std::optional<Sizes> Formula::outletSizes(std::size_t port) {
  return port < outlets_.size() ? sizes(Ex{this, outlets_[port].value}) : std::nullopt;
}

std::optional<Sizes> Formula::contentSizes(std::size_t port) {
  return port < outlets_.size() ? sizes(Ex{this, outlets_[port].content}) : std::nullopt;
}

Elem Formula::elem(Ex value) {
  if (!value) return Elem::f32;
  const TypeTerm& type = n.t.solution().types[n.t.typeOf(value.id)];
  ElemTerm elem = n.t.solution().resolve(type.elem);
  return elem.isVar ? Elem::f32 : elem.elem;
}

std::optional<TypedId> Formula::made(std::string_view name, const std::vector<Ex>& arguments, Statics statics) {
  std::vector<TypedId> ids;
  for (const Ex& argument : arguments) {
    if (!argument) return std::nullopt;
    ids.push_back(argument.id);
  }
  return n.op(name, std::move(ids), std::move(statics));
}

// Each has a name, so that what is used twice is computed once.
std::vector<Ex> Formula::parts(std::string_view name, const std::vector<Ex>& arguments, Statics statics) {
  std::vector<Ex> parts;
  if (auto value = made(name, arguments, std::move(statics)))
    for (TypedId part : n.t.bind(n.node.name, *value, n.places.op)) parts.push_back({this, part});
  return parts;
}

Ex Formula::op(std::string_view name, const std::vector<Ex>& arguments, Statics statics) {
  std::vector<Ex> all = parts(name, arguments, std::move(statics));
  return all.size() == 1 ? all[0] : Ex{this, {}};
}

Ex Formula::number(double value, Elem elem) { return {this, n.t.literal(value, elem, n.places.op)}; }

Ex Formula::integers(Type type, const Sizes& shape, const std::vector<std::int64_t>& values) {
  auto tensor = integerTensor(type, shape, values);
  return tensor ? constant(std::move(tensor)) : Ex{this, {}};
}

Ex Formula::reals(Elem elem, const Sizes& shape, const std::vector<double>& values) {
  const bool isDouble = elem == Elem::f64;
  auto tensor = std::make_shared<Tensor>();
  tensor->type = isDouble ? Type::f64 : Type::f32;
  tensor->shape = shape;
  tensor->count = static_cast<std::int64_t>(values.size());
  for (double value : values) {
    if (isDouble)
      append(tensor->bytes, value);
    else
      append(tensor->bytes, static_cast<float>(value));
  }
  Ex made = constant(std::move(tensor));
  return isDouble || elem == Elem::f32 ? made : cast(made, elem);
}

Ex Formula::as(std::string_view name, const std::vector<Ex>& arguments, Statics statics, Elem to) {
  auto id = made(name, arguments, std::move(statics));
  if (!id) return {this, {}};
  TypeId wanted = n.t.tensor(ElemTerm::of(to), n.t.unknownShape("s"), n.places.op);
  if (!n.t.unify(n.t.typeOf(*id), wanted, n.places.op, "`" + n.node.op + "`")) return {this, {}};
  return {this, n.t.bind(n.node.name, *id, n.places.op).front()};
}

Ex Formula::cast(Ex value, Elem to) { return elem(value) == to ? value : as("cast", {value}, {}, to); }

Ex Formula::converted(Ex value, Elem to) {
  const std::size_t bytes = info(to).bytes;
  if (!info(elem(value)).isFloat || !info(to).isInt || to == Elem::u64) return cast(value, to);
  // Narrow integers are cut out of a 32-bit one.
  Elem wide = bytes == 8 || to == Elem::u32 ? Elem::i64 : Elem::i32;
  const double limit = wide == Elem::i64 ? 0x1p63 : 0x1p31;
  Ex x = info(elem(value)).bytes < 4 ? cast(value, Elem::f32) : value;
  return cast(choose(x >= -limit && x < limit, cast(x, wide), number(-limit, wide)), to);
}

Ex Formula::bitcast(Ex value, Elem to) { return elem(value) == to ? value : as("bitcast", {value}, {}, to); }

Ex Formula::reshape(Ex value, const Sizes& shape) { return op("reshape", {value}, {{"dims", list(shape)}}); }

Ex Formula::transpose(Ex value, const Sizes& perm) { return op("transpose", {value}, {{"perm", list(perm)}}); }

Ex Formula::expand(Ex value, std::int64_t axis) { return op("expand", {value}, {{"axis", n.t.integer(axis)}}); }

Ex Formula::squeeze(Ex value, std::int64_t axis) { return op("squeeze", {value}, {{"axis", n.t.integer(axis)}}); }

Ex Formula::slice(Ex value, std::int64_t axis, std::int64_t start, std::int64_t stop, std::int64_t step) {
  return op("slice", {value},
            {{"axis", n.t.integer(axis)},
             {"start", n.t.integer(start)},
             {"stop", n.t.integer(stop)},
             {"step", n.t.integer(step)}});
}

Ex Formula::at(Ex value, std::int64_t axis, std::int64_t index) {
  return squeeze(slice(value, axis, index, index + 1), axis);
}

Ex Formula::concat(const std::vector<Ex>& values, std::int64_t axis) {
  return op("concat", values, {{"axis", n.t.integer(axis)}});
}

Ex Formula::stack(const std::vector<Ex>& values, std::int64_t axis) {
  return op("stack", values, {{"axis", n.t.integer(axis)}});
}

namespace {

StaticId pairsOf(GraphTyper& t, const Sizes& pairs) {
  std::vector<StaticId> items;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) items.push_back(t.list(Sizes{pairs[i], pairs[i + 1]}));
  return t.list(std::move(items));
}

}  // namespace

Ex Formula::pad(Ex value, const Sizes& pairs) { return op("pad", {value}, {{"pads", pairsOf(n.t, pairs)}}); }

Ex Formula::padWith(Ex value, Ex with, const Sizes& pairs) {
  return op("pad_with", {value, with}, {{"pads", pairsOf(n.t, pairs)}});
}

Ex Formula::gather(Ex value, Ex places, std::int64_t axis) {
  return op("gather", {value, places}, {{"axis", n.t.integer(axis)}});
}

Ex Formula::reduce(std::string_view name, Ex value, const Sizes& axes, bool keep) {
  return op(name, {value}, {{"axis", list(axes)}, {"keep", n.t.boolean(keep)}});
}

Ex Formula::full(const Sizes& shape, Ex value) { return op("full", {value}, {{"dims", list(shape)}}); }

Ex Formula::padEnd(Ex value, std::int64_t axis, Dim after) {
  return op("pad_axis", {value}, {{"axis", n.t.integer(axis)}, {"after", n.t.integer(after)}});
}

Ex Formula::sliceAt(Ex value, std::int64_t axis, Ex place) {
  return op("dynamic_slice", {value, place}, {{"axis", n.t.integer(axis)}, {"size", n.t.integer(1)}});
}

Ex Formula::takeAlong(Ex value, Ex places, std::int64_t axis) {
  return op("take_along", {value, places}, {{"axis", n.t.integer(axis)}});
}

Ex Formula::swapped(Ex matrices) {
  return op("swap_axes", {matrices}, {{"a", n.t.integer(-1)}, {"b", n.t.integer(-2)}});
}

Ex Formula::count(std::int64_t size) {
  Sizes all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return integers(Type::i64, {size}, all);
}

Ex Formula::identity(std::int64_t size, Elem elem) {
  Ex all = count(size);
  return cast(expand(all, 1) == all, elem);
}

Formula::States Formula::loop(const States& starts, const std::function<Ex(const States&)>& condition,
                              const std::function<States(const States&)>& next) {
  States states;
  std::vector<TypedId> from, begin, then;
  for (const Ex& start : starts) {
    if (!start) return States(starts.size(), Ex{this, {}});
    begin.push_back(start.id);
    from.push_back(n.t.opaque(n.node.name, n.t.typeOf(start.id), n.places.op));
    states.push_back({this, from.back()});
  }
  Ex holds = condition(states);
  for (const Ex& value : next(states)) {
    if (!value) return States(starts.size(), Ex{this, {}});
    then.push_back(value.id);
  }
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!n.t.unify(n.t.typeOf(from[i]), n.t.typeOf(then[i]), n.places.op, "`" + n.node.op + "`"))
      return States(starts.size(), Ex{this, {}});
  States ends;
  for (TypedId end : n.t.loop(n.node.name, from, holds.id, std::move(then), std::move(begin), n.places.op))
    ends.push_back({this, end});
  return ends;
}

Formula::States Formula::steps(std::int64_t count, States starts,
                               const std::function<States(Ex, const States&)>& next) {
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

Ex Formula::stretch(Ex value, const Sizes& shape) { return op("broadcast_to", {value}, {{"dims", list(shape)}}); }

std::optional<Dims> Formula::dims(Ex value) {
  if (!value) return std::nullopt;
  const TypeTerm& type = n.t.solution().types[n.t.typeOf(value.id)];
  if (type.kind != TypeKind::tensor) return std::nullopt;
  Dims dims;
  for (const ShapePart& part : type.shape) {
    if (part.isVar) return std::nullopt;
    dims.push_back(n.t.solution().resolve(part.dim));
  }
  return dims;
}

std::optional<Dims> Formula::outletDims(std::size_t port) {
  return port < outlets_.size() ? dims(Ex{this, outlets_[port].value}) : std::nullopt;
}

Dim Formula::productOf(const Dims& dims, std::size_t from, std::optional<std::size_t> to) {
  Dim product = dim(1);
  for (std::size_t i = from; i < to.value_or(dims.size()); ++i) product = times(product, dims[i]);
  return product;
}

Ex Formula::countTo(Dim stop) { return as("arange", {}, {{"stop", n.t.integer(stop)}}, Elem::i64); }

Ex Formula::sliced(Ex value, std::int64_t axis, Dim start, Dim stop, std::int64_t step) {
  return op("slice", {value},
            {{"axis", n.t.integer(axis)},
             {"start", n.t.integer(start)},
             {"stop", n.t.integer(stop)},
             {"step", n.t.integer(step)}});
}

Ex Formula::numberOf(Dim size) {
  if (auto known = n.t.solution().dims.asConstant(n.t.solution().resolve(size)))
    return integers(Type::i64, {}, {*known});
  return op("size", {filled({size}, number(0, Elem::boolean))});
}

std::optional<Dim> Formula::found(Ex number, Dim most) {
  auto its = dims(op("arange_to", {number}, {{"most", n.t.integer(most)}}));
  return its && its->size() == 1 ? std::optional(its->front()) : std::nullopt;
}

bool Formula::isOpen(Dim size) {
  const Solution& solution = n.t.solution();
  auto v = solution.dims.asVariable(size);
  if (!v || solution.dimVars[v->index].rigid || solution.dimVars[v->index].kind != DimKind::plain) return false;
  return std::none_of(inputSizes_.begin(), inputSizes_.end(), [&](DimVar input) {
    return n.t.solution().resolve(n.t.solution().dims.variable(input)) == size;
  });
}

std::optional<Dims> Formula::sizesBy(std::size_t port, std::size_t input, std::size_t axis) {
  auto sizes = outletDims(port);
  if (!sizes) return std::nullopt;
  auto known = n.known(input);
  auto isFound = [&](std::size_t i) {
    const bool isSaid = known && i - axis < known->elements.size() && known->elements[i - axis] == (*sizes)[i];
    return i >= axis && !isSaid && isOpen((*sizes)[i]);
  };
  std::size_t open = 0;
  for (std::size_t i = 0; i < sizes->size(); ++i) open += isFound(i);
  if (open == 0) return sizes;
  auto shape = this->sizes(input);
  if (!shape || shape->size() > 1) return std::nullopt;
  for (std::size_t i = axis; i < sizes->size(); ++i) {
    const std::size_t at = i - axis;
    if (!isFound(i)) continue;
    if (at >= (shape->empty() ? 1 : static_cast<std::size_t>(shape->front()))) return std::nullopt;
    Ex number = shape->empty() ? in(input) : this->at(in(input), 0, static_cast<std::int64_t>(at));
    auto size = found(number, dim(mostFound(open)));
    if (!size) return std::nullopt;
    (*sizes)[i] = *size;
  }
  return sizes;
}

Ex apply(std::string_view name, Ex a) { return a.formula->op(name, {a}); }
Ex apply(std::string_view name, Ex a, Ex b) { return a.formula->op(name, {a, b}); }

Ex operator+(Ex a, Ex b) { return apply("+", a, b); }
Ex operator-(Ex a, Ex b) { return apply("-", a, b); }
Ex operator*(Ex a, Ex b) { return apply("*", a, b); }
Ex operator/(Ex a, Ex b) { return apply("/", a, b); }
Ex operator-(Ex a) { return apply("-", a); }
Ex operator<(Ex a, Ex b) { return apply("<", a, b); }
Ex operator<=(Ex a, Ex b) { return apply("<=", a, b); }
Ex operator>(Ex a, Ex b) { return apply(">", a, b); }
Ex operator>=(Ex a, Ex b) { return apply(">=", a, b); }
Ex operator==(Ex a, Ex b) { return apply("==", a, b); }
Ex operator!=(Ex a, Ex b) { return apply("!=", a, b); }
Ex operator&&(Ex a, Ex b) { return apply("and", a, b); }
Ex operator||(Ex a, Ex b) { return apply("or", a, b); }
Ex operator+(Ex a, double b) { return a + a.formula->like(b, a); }
Ex operator-(Ex a, double b) { return a - a.formula->like(b, a); }
Ex operator-(double a, Ex b) { return b.formula->like(a, b) - b; }
Ex operator*(Ex a, double b) { return a * a.formula->like(b, a); }
Ex operator*(double a, Ex b) { return b.formula->like(a, b) * b; }
Ex operator/(Ex a, double b) { return a / a.formula->like(b, a); }
Ex operator/(double a, Ex b) { return b.formula->like(a, b) / b; }
Ex operator<(Ex a, double b) { return a < a.formula->like(b, a); }
Ex operator<=(Ex a, double b) { return a <= a.formula->like(b, a); }
Ex operator>(Ex a, double b) { return a > a.formula->like(b, a); }
Ex operator>=(Ex a, double b) { return a >= a.formula->like(b, a); }
Ex operator==(Ex a, double b) { return a == a.formula->like(b, a); }
Ex operator!=(Ex a, double b) { return a != a.formula->like(b, a); }
Ex choose(Ex condition, Ex yes, Ex no) { return condition.formula->op("select", {condition, yes, no}); }
Ex choose(Ex condition, double yes, Ex no) { return choose(condition, no.formula->like(yes, no), no); }
Ex choose(Ex condition, Ex yes, double no) { return choose(condition, yes, yes.formula->like(no, yes)); }

std::span<const FormulaRow* const> formulasNamed(std::string_view op) {
  static const auto index = [] {
    std::unordered_map<std::string_view, std::vector<const FormulaRow*>> made;
    for (std::span<const FormulaRow> family :
         {complexFormulas(), boxFormulas(), decompositionFormulas(), elementwiseFormulas(), arrayFormulas(),
          blockFormulas(), groupFormulas(), imageFormulas(), listFormulas(), normalisingFormulas(), quantizedFormulas(),
          raggedFormulas(), randomFormulas(), recurrentFormulas(), signalFormulas(), slicingFormulas(),
          specialFormulas(), matrixFormulas()})
      for (const FormulaRow& row : family) made[row.op].push_back(&row);
    return made;
  }();
  auto found = index.find(op);
  return found == index.end() ? std::span<const FormulaRow* const>() : found->second;
}

}  // namespace axle::tensorflow
