// Formulas: operators composed of other operators. The rules of `ir/ops/` infer the facts of a formula's nodes, so a
// formula states only shapes that they cannot infer. The result is compared with the type of the signature.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/lower/graph_builder.h"
#include "ir/lower/operators.h"
#include "ir/lower/ragged.h"

namespace axle::ir::lowering {

// A tensor of a formula. After a failure it is empty, and so is everything computed from it.
struct Operand {
  Formula* formula = nullptr;
  Tensor tensor;
};

struct Results {
  std::vector<Operand> all;
  // NOLINTNEXTLINE(google-explicit-constructor): a formula of one result returns its operand
  Results(Operand one) : all{std::move(one)} {}
  Results(std::initializer_list<Operand> several) : all(several) {}
  explicit Results(std::vector<Operand> several) : all(std::move(several)) {}
};

class Formula {
 public:
  Formula(Context& context, const Application& application, std::vector<Tensor> arguments, std::vector<Fact> results,
          const RaggedReduction* ragged = nullptr)
      : dims(context.dims()),
        results(std::move(results)),
        c_(context),
        a_(application),
        arguments_(std::move(arguments)),
        ragged_(ragged) {}

  DimStore& dims;
  const std::vector<Fact> results;  // by the signature

  std::size_t count() const { return arguments_.size(); }
  Operand operator[](std::size_t argument);
  Operand wide(std::size_t argument);  // f16 and bf16 cast to f32
  Operand wide(const Operand& x);
  bool failed() const { return failed_; }

  Elem elem(const Operand& x) const { return failed_ ? Elem::f32 : fact(c_, x.tensor).elem; }
  std::vector<Dim> shape(const Operand& x) const { return failed_ ? std::vector<Dim>{} : fact(c_, x.tensor).shape; }
  Dim size(std::int64_t value) { return dims.constant(value); }

  // Attributes.
  Dim dim(std::string_view name);
  std::int64_t integer(std::string_view name);  // a constant
  bool flag(std::string_view name);
  double real(std::string_view name);
  std::vector<Dim> list(std::string_view name);
  std::size_t axis(std::size_t rank, std::string_view name = "axis");
  std::vector<std::size_t> axes(std::size_t rank);         // the attribute `axis`, last axis first
  std::vector<std::size_t> writtenAxes(std::size_t rank);  // as written, before ragged dimensions are stored as rows

  // Adds a node. `declared` is for operators whose result the inputs do not determine.
  Operand apply(Op op, const std::vector<Operand>& inputs, Attributes attributes = {},
                std::optional<Fact> declared = {});
  Operand number(double value, Elem elem);
  Operand number(double value, const Operand& like) { return number(value, elem(like)); }
  Operand lowest(Elem elem);                                              // the start value of a maximum
  Operand highest(Elem elem);                                             // the start value of a minimum
  Operand sizes(const std::vector<Dim>& values, std::vector<Dim> shape);  // as i64
  Operand size(Dim value) { return sizes({value}, {}); }

  Operand cast(const Operand& x, Elem to);
  Operand reshape(const Operand& x, std::vector<Dim> shape);
  Operand broadcast(const Operand& x, std::vector<Dim> shape);
  Operand expand(const Operand& x, std::size_t axis);
  Operand transpose(const Operand& x, const std::vector<std::size_t>& perm);
  Operand slice(const Operand& x, std::size_t axis, Dim start, Dim length, std::int64_t step = 1);
  Operand concat(const std::vector<Operand>& parts, std::size_t axis);
  Operand gather(const Operand& x, const Operand& ids, std::size_t axis);
  Operand reverse(const Operand& x, std::size_t axis);
  // Reduces axes, which are kept with size 1 or removed. Rows of a ragged tensor are reduced to its segments.
  Operand reduce(Op op, Operand x, const std::vector<std::size_t>& axes, bool keep, const Operand& start);
  // Prepares a result of `reduce` with `keep` for broadcasting with the tensor that was reduced: repeats each segment's
  // result for its rows.
  Operand repeatForRows(const Operand& reduced);
  // Returns the number of elements of `x` in each result of `reduce`.
  Operand countAlong(const Operand& x, const std::vector<std::size_t>& axes, bool keep);

  Operand fail(const char* what);

 private:
  Context& c_;
  const Application& a_;
  std::size_t writtenAxis(std::size_t rank, std::string_view name = "axis");
  bool grouped(std::size_t axis) const { return ragged_ && ragged_->grouped && axis == 0; }
  Operand mergeWithNext(const Operand& x, std::size_t axis);  // merges an axis with the one after it
  Operand reduceRows(Op op, const Operand& x, const Operand& start);

  std::vector<Tensor> arguments_;
  const RaggedReduction* ragged_;
  bool failed_ = false;
};

inline Operand unary(Op op, const Operand& x) { return x.formula->apply(op, {x}); }
inline Operand binary(Op op, const Operand& a, const Operand& b) { return a.formula->apply(op, {a, b}); }
inline Operand binary(Op op, const Operand& a, double b) { return binary(op, a, a.formula->number(b, a)); }
inline Operand binary(Op op, double a, const Operand& b) { return binary(op, b.formula->number(a, b), b); }

template <class T>
concept IsOperand = std::is_same_v<T, Operand>;
template <class A, class B>
concept OneIsOperand = IsOperand<A> || IsOperand<B>;

// clang-format off
template <class A, class B> requires OneIsOperand<A, B> Operand operator+(const A& a, const B& b) { return binary(Op::add, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand operator-(const A& a, const B& b) { return binary(Op::sub, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand operator*(const A& a, const B& b) { return binary(Op::mul, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand operator/(const A& a, const B& b) { return binary(Op::div, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand operator%(const A& a, const B& b) { return binary(Op::mod, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand operator<(const A& a, const B& b) { return binary(Op::less, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand operator<=(const A& a, const B& b) { return binary(Op::lessEqual, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand operator>(const A& a, const B& b) { return binary(Op::greater, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand operator>=(const A& a, const B& b) { return binary(Op::greaterEqual, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand equal(const A& a, const B& b) { return binary(Op::equal, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand differs(const A& a, const B& b) { return binary(Op::notEqual, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand maximum(const A& a, const B& b) { return binary(Op::maximum, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand minimum(const A& a, const B& b) { return binary(Op::minimum, a, b); }
template <class A, class B> requires OneIsOperand<A, B> Operand pow(const A& a, const B& b) { return binary(Op::pow, a, b); }
// clang-format on
inline Operand operator-(const Operand& x) { return unary(Op::neg, x); }
inline Operand both(const Operand& a, const Operand& b) { return binary(Op::logicalAnd, a, b); }
inline Operand either(const Operand& a, const Operand& b) { return binary(Op::logicalOr, a, b); }
inline Operand exp(const Operand& x) { return unary(Op::exp, x); }
inline Operand log(const Operand& x) { return unary(Op::log, x); }
inline Operand log1p(const Operand& x) { return unary(Op::log1p, x); }
inline Operand expm1(const Operand& x) { return unary(Op::expm1, x); }
inline Operand sqrt(const Operand& x) { return unary(Op::sqrt, x); }
inline Operand tanh(const Operand& x) { return unary(Op::tanh, x); }
inline Operand sigmoid(const Operand& x) { return unary(Op::sigmoid, x); }
inline Operand abs(const Operand& x) { return unary(Op::abs, x); }
inline Operand floor(const Operand& x) { return unary(Op::floor, x); }
inline Operand round(const Operand& x) { return unary(Op::round, x); }
inline Operand sign(const Operand& x) { return unary(Op::sign, x); }
inline Operand erf(const Operand& x) { return unary(Op::erf, x); }
inline Operand choose(const Operand& condition, const Operand& yes, const Operand& no) {
  return condition.formula->apply(Op::select, {condition, yes, no});
}
inline Operand choose(const Operand& condition, const Operand& yes, double no) {
  return choose(condition, yes, yes.formula->number(no, yes));
}
inline Operand choose(const Operand& condition, double yes, const Operand& no) {
  return choose(condition, no.formula->number(yes, no), no);
}

}  // namespace axle::ir::lowering
