// What nodes compute whose rules give types only: compositions of core operators, written down once the analysis knows
// all that it will know. Sizes are numbers here, or there is no formula; where a formula can do with open ones, they
// are dimensions (`Dims`).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {

class Formula;
using Sizes = std::vector<std::int64_t>;
using Dims = std::vector<Dim>;

// A value in the making. Of one that cannot be made `id` is none, and so is all that is made of it.
struct Ex {
  Formula* formula = nullptr;
  TypedId id;
  explicit operator bool() const { return static_cast<bool>(id); }
};

class Formula {
 public:
  using MakeConstant = std::function<TypedId(std::shared_ptr<const Tensor>)>;
  // `outlets` is what the analysis knows of what the node gives.
  // `inputSizes` are the sizes that the inputs bring.
  Formula(RuleNode node, const std::vector<OutletFact>& outlets, const std::vector<DimVar>& inputSizes,
          MakeConstant makeConstant)
      : n(std::move(node)), outlets_(outlets), inputSizes_(inputSizes), makeConstant_(std::move(makeConstant)) {}
  Formula(const Formula&) = delete;

  RuleNode n;

  std::size_t count() const { return n.count(); }
  // Of complex tensors the parts are a last axis.
  Ex in(std::size_t i) { return {this, i < n.count() ? n.fact(i).value : TypedId()}; }
  // Of a list or an array: its elements along a first axis.
  Ex content(std::size_t i) { return {this, i < n.count() ? n.fact(i).content : TypedId()}; }
  std::optional<Sizes> contentSizes(std::size_t port);
  std::vector<Ex> ins(std::size_t from, std::size_t to);
  // None where a size is open; then there is no formula.
  std::optional<Sizes> sizes(Ex value);
  std::optional<Sizes> sizes(std::size_t input) { return sizes(in(input)); }
  // Of what the node gives.
  std::optional<Sizes> outletSizes(std::size_t port);
  Elem elem(Ex value);
  Elem elemOf(Type type) { return elementOf(type).value_or(Elem::f32); }

  // ---- values
  Ex op(std::string_view name, const std::vector<Ex>& arguments, Statics statics = {});
  // Of an operator whose element type comes from its use.
  Ex as(std::string_view name, const std::vector<Ex>& arguments, Statics statics, Elem to);
  std::vector<Ex> parts(std::string_view name, const std::vector<Ex>& arguments, Statics statics = {});
  Ex number(double value, Elem elem);
  Ex like(double value, Ex other) { return number(value, elem(other)); }
  Ex integers(Type type, const Sizes& shape, const std::vector<std::int64_t>& values);
  Ex reals(Elem elem, const Sizes& shape, const std::vector<double>& values);
  Ex cast(Ex value, Elem to);
  // As Cast does: what is out of range, infinite or not a number is the lowest number.
  Ex converted(Ex value, Elem to);
  Ex bitcast(Ex value, Elem to);
  Ex reshape(Ex value, const Sizes& shape);
  Ex transpose(Ex value, const Sizes& perm);
  Ex expand(Ex value, std::int64_t axis);
  Ex squeeze(Ex value, std::int64_t axis);
  Ex slice(Ex value, std::int64_t axis, std::int64_t start, std::int64_t stop, std::int64_t step = 1);
  Ex at(Ex value, std::int64_t axis, std::int64_t index);  // without the axis
  Ex concat(const std::vector<Ex>& values, std::int64_t axis);
  Ex stack(const std::vector<Ex>& values, std::int64_t axis);
  Ex pad(Ex value, const Sizes& pairs);  // with zeros: before and after of each axis
  Ex padWith(Ex value, Ex with, const Sizes& pairs);
  Ex gather(Ex value, Ex places, std::int64_t axis);
  Ex reduce(std::string_view name, Ex value, const Sizes& axes, bool keep = false);
  Ex full(const Sizes& shape, Ex value);
  // One slice, without the axis gone, at a place known when it runs.
  Ex sliceAt(Ex value, std::int64_t axis, Ex place);
  Ex takeAlong(Ex value, Ex places, std::int64_t axis);
  Ex swapped(Ex matrices);                    // their last two axes
  Ex count(std::int64_t size);                // 0, 1, ... of i64
  Ex identity(std::int64_t size, Elem elem);  // a matrix
  // The states stepped as long as the condition holds.
  using States = std::vector<Ex>;
  States loop(const States& starts, const std::function<Ex(const States&)>& condition,
              const std::function<States(const States&)>& next);
  // So many steps: the first state counts them.
  States steps(std::int64_t count, States starts, const std::function<States(Ex, const States&)>& next);
  Ex stretch(Ex value, const Sizes& shape);

  // ---- complex numbers by their parts
  Ex re(Ex z) { return at(z, -1, 0); }
  Ex im(Ex z) { return at(z, -1, 1); }
  Ex complexOf(Ex a, Ex b) { return stack({a, b}, -1); }

  // ---- sizes that need not be numbers
  std::optional<Dims> dims(Ex value);  // none where the rank is open
  std::optional<Dims> dims(std::size_t input) { return dims(in(input)); }
  std::optional<Dims> outletDims(std::size_t port);
  std::optional<Dims> contentDims(std::size_t port);
  std::optional<std::int64_t> number(Dim size) { return n.t.solution().dims.asConstant(n.t.solution().resolve(size)); }
  Dim dim(std::int64_t size) { return n.t.constant(size); }
  Dim plus(Dim a, Dim b) { return n.t.solution().dims.add(a, b); }
  Dim times(Dim a, Dim b) { return n.t.solution().dims.mul(a, b); }
  Dim productOf(const Dims& dims, std::size_t from = 0, std::optional<std::size_t> to = {});
  Ex shaped(Ex value, const Dims& dims) { return op("reshape", {value}, {{"dims", n.t.list(dims)}}); }
  Ex filled(const Dims& dims, Ex value) { return op("full", {value}, {{"dims", n.t.list(dims)}}); }
  Ex stretched(Ex value, const Dims& dims) { return op("broadcast_to", {value}, {{"dims", n.t.list(dims)}}); }
  Ex countTo(Dim stop);  // 0, 1, ... of i64
  Ex sliced(Ex value, std::int64_t axis, Dim start, Dim stop, std::int64_t step = 1);
  Ex padEnd(Ex value, std::int64_t axis, Dim after);  // with zeros
  // Of a size, a scalar; and a size of the run, which that number is: none where it is computed by nobody.
  Ex numberOf(Dim size);
  std::optional<Dim> found(Ex number, Dim most);
  // Of an outlet; those that only an input's numbers say are found in the run. `axis` is the first that they say.
  std::optional<Dims> sizesBy(std::size_t port, std::size_t input, std::size_t axis = 0);
  // Whether nothing says yet what an outlet's size is.
  bool isOpen(Dim size);
  // How large a size is at most that a number says; by how many there are of one tensor.
  static std::int64_t mostFound(std::size_t count) { return count < 2 ? 1 << 16 : count == 2 ? 1 << 12 : 1 << 8; }

  bool isTypesOnly() const { return n.isTypesOnly(); }

 private:
  std::optional<TypedId> made(std::string_view name, const std::vector<Ex>& arguments, Statics statics);
  StaticId list(const Sizes& sizes) { return n.t.list(sizes); }
  Ex constant(std::shared_ptr<Tensor> tensor) { return {this, makeConstant_(std::move(tensor))}; }

  const std::vector<OutletFact>& outlets_;
  const std::vector<DimVar>& inputSizes_;
  MakeConstant makeConstant_;
};

Ex operator+(Ex a, Ex b);
Ex operator-(Ex a, Ex b);
Ex operator*(Ex a, Ex b);
Ex operator/(Ex a, Ex b);
Ex operator-(Ex a);
Ex operator<(Ex a, Ex b);
Ex operator<=(Ex a, Ex b);
Ex operator>(Ex a, Ex b);
Ex operator>=(Ex a, Ex b);
Ex operator==(Ex a, Ex b);
Ex operator!=(Ex a, Ex b);
Ex operator&&(Ex a, Ex b);
Ex operator||(Ex a, Ex b);
// With a number of the other's element type.
Ex operator+(Ex a, double b);
Ex operator-(Ex a, double b);
Ex operator-(double a, Ex b);
Ex operator*(Ex a, double b);
Ex operator*(double a, Ex b);
Ex operator/(Ex a, double b);
Ex operator/(double a, Ex b);
Ex operator<(Ex a, double b);
Ex operator<=(Ex a, double b);
Ex operator>(Ex a, double b);
Ex operator>=(Ex a, double b);
Ex operator==(Ex a, double b);
Ex operator!=(Ex a, double b);
Ex choose(Ex condition, Ex yes, Ex no);
Ex choose(Ex condition, double yes, Ex no);
Ex choose(Ex condition, Ex yes, double no);
Ex apply(std::string_view name, Ex a);
Ex apply(std::string_view name, Ex a, Ex b);

// What each outlet gives, from the first, of a list its content; one that has no value, or is left out, stays a type.
using FormulaResults = std::vector<Ex>;

struct FormulaRow {
  std::string_view op;
  FormulaResults (*make)(Formula&);
};
// In the order in which they are tried: the first that makes something counts. Those of complex numbers are first.
std::span<const FormulaRow* const> formulasNamed(std::string_view op);

std::span<const FormulaRow> elementwiseFormulas();
std::span<const FormulaRow> boxFormulas();
std::span<const FormulaRow> decompositionFormulas();
std::span<const FormulaRow> arrayFormulas();
std::span<const FormulaRow> complexFormulas();
std::span<const FormulaRow> blockFormulas();
std::span<const FormulaRow> groupFormulas();
std::span<const FormulaRow> imageFormulas();
std::span<const FormulaRow> listFormulas();
std::span<const FormulaRow> matrixFormulas();
std::span<const FormulaRow> normalisingFormulas();
std::span<const FormulaRow> quantizedFormulas();
std::span<const FormulaRow> raggedFormulas();
std::span<const FormulaRow> randomFormulas();
std::span<const FormulaRow> recurrentFormulas();
std::span<const FormulaRow> signalFormulas();
std::span<const FormulaRow> slicingFormulas();
std::span<const FormulaRow> specialFormulas();

}  // namespace axle::tensorflow
