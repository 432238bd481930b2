// The typed AST: the input of lowering. Names are resolved and syntactic sugar is removed; every expression has its
// type, every application its static attributes, and every use of a polymorphic binding its instantiation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dims/fact.h"
#include "frontend/ast.h"
#include "frontend/source.h"
#include "typecheck/types/type.h"

namespace axle {

struct TypedId {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t index = none;
  explicit operator bool() const { return index != none; }
  friend bool operator==(TypedId, TypedId) = default;
};

struct BindingId {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t index = none;
  explicit operator bool() const { return index != none; }
  friend bool operator==(BindingId, BindingId) = default;
};

// The values that one use of a polymorphic binding substitutes for its quantified variables. Pairs (quantified
// variable, value); the values are terms of the using expression's scope.
struct Instantiation {
  std::vector<std::pair<TypeVar, TypeId>> types;
  std::vector<std::pair<ElemVar, ElemTerm>> elems;
  std::vector<std::pair<ShapeVar, Shape>> shapes;
  std::vector<std::pair<DimVar, Dim>> dims;
  std::vector<std::pair<StaticVar, StaticId>> statics;
};

// A number or bool literal: one scalar of the type's element, repeated over the type's shape.
struct LiteralValue {
  ast::NumberForm form = ast::NumberForm::integer;
  bool negative = false;
  std::uint64_t integer = 0;  // magnitude, for integer
  double real = 0;            // magnitude, for real
  bool isBool = false;
  bool boolean = false;
};

struct TypedRef {
  BindingId binding;
  std::shared_ptr<const Instantiation> instantiation;  // null for a monomorphic binding
};
struct TypedLiteral {
  LiteralValue value;
};
struct TypedDim {
  Dim dim;
};  // a dimension as an i64 scalar
struct TypedStatic {
  StaticId value;
};  // a static parameter, a decimal number or a bool, as a scalar of the type's element
// An application of a core operator. `attributes` are in the order of the operator's declaration, with defaults filled
// in; axes are as given, possibly negative. A function-typed argument (map, reduce, loop, while) is an ordinary
// expression.
struct TypedApply {
  std::uint32_t op = 0;  // index into `OperatorTable` (typecheck/types/operator_signatures.h)
  std::vector<TypedId> arguments;
  std::vector<StaticId> attributes;
};
struct TypedCall {
  TypedId callee;
  std::vector<TypedId> arguments;
  std::vector<StaticId> statics;  // in the order of the function type's statics
};
struct TypedLambda {
  std::vector<BindingId> parameters;
  TypedId body;
};
struct TypedLet;
struct TypedBlock {
  std::vector<std::uint32_t> lets;  // indices into TypedProgram::lets, in order
  TypedId result;
};
struct TypedTuple {
  std::vector<TypedId> parts;
};
struct TypedIf {
  TypedId condition, thenValue, elseValue;
};
struct TypedMatch {  // names sizes of `scrutinee` inside `body`
  TypedId scrutinee;
  TypeId type;      // as written: its stated sizes are checked
  BindingId named;  // the scrutinee with that type, if it is a name; otherwise none
  TypedId body;
};

struct TypedExpr {
  TypeId type;
  Span span;
  std::variant<TypedRef, TypedLiteral, TypedDim, TypedStatic, TypedApply, TypedCall, TypedLambda, TypedBlock,
               TypedTuple, TypedIf, TypedMatch>
      node;
};

struct TypedPattern {  // a tree of tuples
  BindingId binding;   // none for `_` and for tuples
  bool isTuple = false;
  std::vector<TypedPattern> parts;
};

struct TypedLet {
  TypedPattern pattern;
  TypedId value;
  Span span;
};

enum class BindingKind : std::uint8_t { value, parameter, weight };

struct TypedBinding {
  std::string name;
  Span span;
  BindingKind kind = BindingKind::value;
  TypeId type;  // of a polymorphic binding: contains its quantified variables
  bool polymorphic = false;
  // Of a top-level or let-bound name that is the whole pattern, and of a parameter of a followed call: its argument.
  // None for parts of a tuple.
  TypedId value;
  std::uint32_t weight = 0;  // for weight: index into TypedProgram::weights
  std::string implements;    // of a function: the composite that it computes (`@implements`)
};

// The computation of a composite, given by its boundary: references to the inputs (none for an input without a value)
// and to the outputs.
struct TypedComposite {
  std::string implements;  // "embedding_lookup"
  std::string function;    // the function that computes it
  std::vector<TypedId> inputs, outputs;
  Span span;
};

struct TypedWeight {
  BindingId binding;
  std::string parameter;   // "stem.kernel"
  std::string tensorName;  // in the weights file
  Span span;
};

// A relation between dimensions and its origin.
struct DimFact : DimComparison {
  std::string reason;        // one sentence, lower case: "conv2d needs the image to be as large as its window"
  std::vector<Span> places;  // narrowest first
  bool stated = false;       // stated by the user: printed as written
  std::optional<std::pair<Dim, Dim>> stretch = std::nullopt;  // `n : 1 or m`; left = right states it
};

class Solution;       // typecheck/types/solution.h: what variables mean
class OperatorTable;  // typecheck/types/operator_signatures.h

struct TypedProgram {
  std::vector<TypedExpr> exprs;
  std::vector<TypedLet> lets;
  std::vector<TypedBinding> bindings;
  std::vector<TypedWeight> weights;
  std::vector<TypedComposite> composites;  // of a graph; those of sources are calls of functions that implement them
  std::vector<std::uint32_t>
      topLevel;  // lets of all modules, in order; those of the root module are the last `rootCount`

  const TypedExpr& operator[](TypedId id) const { return exprs[id.index]; }
  const TypedBinding& operator[](BindingId id) const { return bindings[id.index]; }
};

}  // namespace axle
