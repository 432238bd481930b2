// Types a graph that was not written as text, one application of a core operator at a time, with the inference and the
// solver of the language. Two things differ from text: no size is generalised, and an unknown size in a broadcast stays
// unknown, since it may be 1.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "typecheck/check.h"
#include "typecheck/checked.h"
#include "typecheck/infer/inference.h"
#include "typecheck/solver/variables.h"

namespace axle {

using Statics = std::map<std::string, StaticId>;
using Dims = std::vector<Dim>;
using Sizes = std::vector<std::int64_t>;

class GraphTyper {
 public:
  // `sources` and `operators` must outlive it; spans are of `sources`.
  GraphTyper(const SourceMap& sources, std::span<const CoreOp> operators, Diagnostics& diagnostics);

  Checked& checked() { return checked_; }
  const Checked& checked() const { return checked_; }
  Solution& solution() { return checked_.solution; }

  // ---- sizes and static arguments
  Dim constant(std::int64_t value) { return solution().dims.constant(value); }
  Dim unknownSize(std::string name) { return freshDimTerm(checked_.solver, std::move(name)); }
  Dim unknownInteger(std::string name) { return freshInteger(checked_.solver, std::move(name)); }
  StaticId integer(Dim value);
  StaticId integer(std::int64_t value) { return integer(constant(value)); }
  StaticId boolean(bool value);
  StaticId real(double value);
  StaticId word(std::string text);
  StaticId hole();
  StaticId list(std::vector<StaticId> items);
  StaticId list(const std::vector<std::int64_t>& items);
  StaticId list(const std::vector<Dim>& items);

  // ---- types; errors name `at` as the origin of the parts
  ElemTerm unknownElem() { return ElemTerm::of(freshElem(checked_.solver, "")); }
  Shape unknownShape(std::string name) { return {ShapePart::of(freshShape(checked_.solver, std::move(name)))}; }
  Shape shape(const std::vector<Dim>& dims);
  TypeId tensor(ElemTerm elem, Shape shape, Span at);
  TypeId tuple(std::vector<TypeId> parts);

  // ---- values
  TypedId input(const std::string& name, TypeId type, Span at);
  TypedId weight(const std::string& tensor, TypeId type, Span at);
  // A value that has a type, but is not computed.
  TypedId opaque(const std::string& name, TypeId type, Span at);
  // A scalar.
  TypedId literal(double value, Elem elem, Span at);
  // Applies a core operator. None after an error, which is reported; an application reports at most one. Messages call
  // the application `subject` ("`MatMul`"), or by the operator's own name if that is empty.
  std::optional<TypedId> apply(std::string_view op, Span at, std::vector<TypedId> arguments, Statics statics = {},
                               std::string subject = {});
  // Makes two types equal, as `subject` ("`Merge`") asks at `at`. False after an error.
  bool unify(TypeId a, TypeId b, Span at, std::string subject);
  bool equate(Dim a, Dim b, Span at, std::string subject);
  // Requires a relation to hold. False after an error.
  bool demand(const DimFact& fact, Span at, std::string subject);

  // Decides the remaining facts with all tiers of the solver. False after an error.
  bool settleFacts();
  void tell(Diagnostic diagnostic) { diagnostics_.push_back(std::move(diagnostic)); }

  // Returns the places that determined a size, in order.
  std::vector<Span> placesOf(const ShapePart& size);
  std::vector<Span> placesOf(Dim size) { return placesOf(ShapePart::of(size)); }
  // Returns the reason that last bound an open size or rank. Null if it is not bound.
  const Reason* whatFixed(const ShapePart& part);
  // Returns the reason that made two open sizes, or two open ranks, equal. Null if they are not equal.
  const Reason* whatJoined(const ShapePart& a, const ShapePart& b);

  TypeId typeOf(TypedId value) { return solution().resolve(checked_.program[value].type); }
  // Names a value, so that it is computed once. Returns a reference to it, or references to the parts of a tuple.
  std::vector<TypedId> bind(const std::string& name, TypedId value, Span at);

  // ---- the program
  // Makes the name that `reference` refers to stand for another value, about which more is known. Both are references.
  void redefine(TypedId reference, TypedId value);
  // Whether `reference` names an opaque value, directly or through other names.
  bool isOpaque(TypedId reference) const { return opaqueBehind(reference).has_value(); }
  // Returns that opaque value.
  std::optional<BindingId> opaqueBehind(TypedId reference) const;
  // Returns the states after a loop that starts with `starts` and continues with `next` while `condition` holds.
  // `condition` and `next` are computed from the opaque values `states`.
  std::vector<TypedId> loop(const std::string& name, const std::vector<TypedId>& states, TypedId condition,
                            std::vector<TypedId> next, std::vector<TypedId> starts, Span at);
  // Returns `yes` if the condition holds, and `no` otherwise.
  TypedId branch(const std::string& name, TypedId condition, TypedId yes, TypedId no, Span at);
  // Defines the function `main` with these inputs and results, for `prepareEntry`. Each value is computed in the
  // innermost function whose parameters it depends on. If results depend on opaque values, returns these, each once,
  // and defines nothing.
  std::vector<BindingId> define(const std::vector<TypedId>& inputs, std::vector<TypedId> results, Span at);

 private:
  using Lets = std::map<std::uint32_t, std::uint32_t>;  // the let of each binding
  // Returns the value that a binding names. None if it names no other value.
  std::optional<TypedId> valueOf(BindingId binding) const;
  bool ask(Span at, std::string subject, const std::function<void(ReasonId)>& what);
  // A bound variable through which a size or rank was resolved, with the reason that bound it.
  struct Link {
    ShapePart variable;
    ReasonId why;
  };
  std::vector<Link> chainOf(const ShapePart& part);
  const Reason* reasonOf(ReasonId id) const { return id.index ? &checked_.provenance[id] : nullptr; }

  // A function of a tuple of values. `define` fills in its body.
  struct Region {
    std::vector<BindingId> states;
    TypedId result;
    std::uint32_t unpack = 0;  // the let that names the states
  };
  friend class Placement;
  TypedId function(const std::vector<TypedId>& states, std::vector<TypedId> results, Span at);
  TypedId together(std::vector<TypedId> values, Span at);
  // Returns the values from which a run computes sizes that an expression's type or static arguments mention.
  std::vector<BindingId> findersOf(const TypedExpr& expr);
  // Returns the let that gives a name another value.
  std::uint32_t aliasOf(BindingId binding, TypedId value);
  std::uint32_t addLet(TypedPattern pattern, TypedId value, Span at);
  TypedId make(TypeId type, Span at, decltype(TypedExpr::node) node);

  static const Modules none;
  Diagnostics& diagnostics_;
  Checked checked_;
  CheckOptions options_;
  Inference inference_;
  Lets lets_;
  std::map<std::uint32_t, TypedId> redefined_;  // by binding
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> aliases_;
  std::map<std::uint32_t, Region> regions_;     // by the expression of the function
  std::map<std::uint32_t, BindingId> finders_;  // by size of the run: the value that determines it
};

}  // namespace axle
