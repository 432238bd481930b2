// Builds compositions of core operators, written as arithmetic: `choose(x > 0.0, x, 0)`. Each operator is typed when it
// is applied, and each value gets a name, so that a value that is used twice is computed once.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/builder/graph_typer.h"

namespace axle {

class FormulaBuilder;

// A value of a formula. `id` is none after an error; every value computed from such a value has none either.
struct Expr {
  FormulaBuilder* formula = nullptr;
  TypedId id;
  explicit operator bool() const { return static_cast<bool>(id); }
};

// A constant. `bytes` are row-major and little-endian; a bool is 0 or 1.
struct ConstantData {
  Elem elem = Elem::f32;
  Sizes shape;
  std::string bytes;
};

class FormulaBuilder {
 public:
  using MakeConstant = std::function<TypedId(ConstantData)>;
  // Values are called `name` and have the span `at`; errors call the application `subject`. `inputSizes` are the sizes
  // that the program's inputs determine.
  FormulaBuilder(GraphTyper& typer, std::string name, Span at, std::string subject, std::vector<DimVar> inputSizes,
                 MakeConstant makeConstant)
      : t(typer),
        name_(std::move(name)),
        at_(at),
        subject_(std::move(subject)),
        inputSizes_(std::move(inputSizes)),
        makeConstant_(std::move(makeConstant)) {}
  FormulaBuilder(const FormulaBuilder&) = delete;

  GraphTyper& t;

  // Whether an operator was applied to elements that it does not accept, so that the formula has types but no values.
  bool isTypesOnly() const { return isTypesOnly_; }

  // ---- facts about a value
  std::optional<Sizes> sizes(Expr value);  // none if a size is open
  std::optional<Dims> dims(Expr value);    // none if the rank is open
  Elem elem(Expr value);                   // f32 if it is open

  // ---- applications of core operators
  Expr op(std::string_view name, const std::vector<Expr>& arguments, Statics statics = {});
  // Like `op`, but requires the element type `to` of the result, for operators whose arguments do not determine it.
  Expr as(std::string_view name, const std::vector<Expr>& arguments, Statics statics, Elem to);
  std::vector<Expr> parts(std::string_view name, const std::vector<Expr>& arguments, Statics statics = {});

  // ---- constants
  Expr number(double value, Elem elem);
  Expr like(double value, Expr other) { return number(value, elem(other)); }
  Expr integers(Elem elem, const Sizes& shape, const std::vector<std::int64_t>& values);
  Expr reals(Elem elem, const Sizes& shape, const std::vector<double>& values);
  Expr count(std::int64_t size);                // 0, 1, ... of i64
  Expr identity(std::int64_t size, Elem elem);  // a matrix
  Expr full(const Sizes& shape, Expr value);

  // ---- elements, shapes, parts
  Expr cast(Expr value, Elem to);
  Expr bitcast(Expr value, Elem to);
  Expr reshape(Expr value, const Sizes& shape);
  Expr stretch(Expr value, const Sizes& shape);
  Expr transpose(Expr value, const Sizes& perm);
  Expr expand(Expr value, std::int64_t axis);
  Expr squeeze(Expr value, std::int64_t axis);
  Expr slice(Expr value, std::int64_t axis, std::int64_t start, std::int64_t stop, std::int64_t step = 1);
  Expr at(Expr value, std::int64_t axis, std::int64_t index);  // without the axis
  Expr concat(const std::vector<Expr>& values, std::int64_t axis);
  Expr stack(const std::vector<Expr>& values, std::int64_t axis);
  Expr pad(Expr value, const Sizes& pairs);  // with zeros; for each axis the counts before and after
  Expr padWith(Expr value, Expr with, const Sizes& pairs);
  Expr gather(Expr value, Expr places, std::int64_t axis);
  Expr takeAlong(Expr value, Expr places, std::int64_t axis);
  Expr sliceAt(Expr value, std::int64_t axis, Expr place);  // a slice of size 1, at an index that the run computes
  Expr swapped(Expr matrices);                              // swaps their last two axes
  Expr reduce(std::string_view name, Expr value, const Sizes& axes, bool keep = false);

  // ---- loops
  using States = std::vector<Expr>;
  // Returns the states after a loop that begins with `starts` and computes `next` while the condition holds.
  States loop(const States& starts, const std::function<Expr(const States&)>& condition,
              const std::function<States(const States&)>& next);
  // The same with `count` iterations; the first argument of `next` is the number of the iteration.
  States steps(std::int64_t count, States starts, const std::function<States(Expr, const States&)>& next);

  // ---- sizes that need not be numbers
  std::optional<std::int64_t> number(Dim size) { return t.solution().dims.asConstant(t.solution().resolve(size)); }
  Dim dim(std::int64_t size) { return t.constant(size); }
  Dim plus(Dim a, Dim b) { return t.solution().dims.add(a, b); }
  Dim times(Dim a, Dim b) { return t.solution().dims.mul(a, b); }
  Dim productOf(const Dims& dims, std::size_t from = 0, std::optional<std::size_t> to = {});
  Expr shaped(Expr value, const Dims& dims) { return op("reshape", {value}, {{"dims", t.list(dims)}}); }
  Expr filled(const Dims& dims, Expr value) { return op("full", {value}, {{"dims", t.list(dims)}}); }
  Expr stretched(Expr value, const Dims& dims) { return op("broadcast_to", {value}, {{"dims", t.list(dims)}}); }
  Expr sliced(Expr value, std::int64_t axis, Dim start, Dim stop, std::int64_t step = 1);
  Expr padEnd(Expr value, std::int64_t axis, Dim after);  // with zeros
  Expr countTo(Dim stop);                                 // 0, 1, ... of i64
  Expr numberOf(Dim size);                                // a scalar of i64

  // ---- sizes that are computed by the run
  // Returns a size whose value is that of `number`, at most `most`. None if `number` is not computed.
  std::optional<Dim> found(Expr number, Dim most);
  // Whether a size is an unknown that no input determines.
  bool isOpen(Dim size);
  // Returns the limit for each size that is computed by the run, of a tensor with `count` such sizes.
  static std::int64_t mostFound(std::size_t count) { return count < 2 ? 1 << 16 : count == 2 ? 1 << 12 : 1 << 8; }

 private:
  std::optional<TypedId> apply(std::string_view name, const std::vector<Expr>& arguments, Statics statics);
  Expr constant(ConstantData data) { return {this, makeConstant_(std::move(data))}; }
  std::vector<Expr> bind(TypedId value);

  std::string name_;
  Span at_;
  std::string subject_;
  std::vector<DimVar> inputSizes_;
  MakeConstant makeConstant_;
  bool isTypesOnly_ = false;
};

using States = FormulaBuilder::States;

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr operator==(Expr a, Expr b);
Expr operator!=(Expr a, Expr b);
Expr operator&&(Expr a, Expr b);
Expr operator||(Expr a, Expr b);
// A `double` operand takes the element type of the other operand.
Expr operator+(Expr a, double b);
Expr operator-(Expr a, double b);
Expr operator-(double a, Expr b);
Expr operator*(Expr a, double b);
Expr operator*(double a, Expr b);
Expr operator/(Expr a, double b);
Expr operator/(double a, Expr b);
Expr operator<(Expr a, double b);
Expr operator<=(Expr a, double b);
Expr operator>(Expr a, double b);
Expr operator>=(Expr a, double b);
Expr operator==(Expr a, double b);
Expr operator!=(Expr a, double b);
Expr choose(Expr condition, Expr yes, Expr no);
Expr choose(Expr condition, double yes, Expr no);
Expr choose(Expr condition, Expr yes, double no);
Expr apply(std::string_view name, Expr a);
Expr apply(std::string_view name, Expr a, Expr b);
// Clamps the value between two numbers of its element type.
Expr clamped(Expr x, double least, double most);
// Returns the quotient, rounded towards 0 for integers. `count` is positive.
Expr quotientTowardsZero(Expr total, Expr count);
// Returns the number of steps from `start` until `limit` is reached: ceil((limit - start) / step), as i64.
Expr stepCount(Expr start, Expr limit, Expr step);

}  // namespace axle
