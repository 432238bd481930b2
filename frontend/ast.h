// The syntax tree of `.ax`: values with byte spans; children are 32-bit ids into one store per module. It has no types
// and does not resolve names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frontend/id.h"
#include "frontend/source.h"
#include "io/elem.h"

namespace axle::ast {

using ExprId = Id<struct ExprTag>;
using PatternId = Id<struct PatternTag>;
using TypeId = Id<struct TypeTag>;
using ShapeId = Id<struct ShapeTag>;
using DimId = Id<struct DimTag>;

struct Name {
  std::string text;  // dotted names are one name: "stem.kernel", "nn.relu", "s0'"
  Span span;
};

// One node per line.
// clang-format off

// ---- dimensions -------------------------------------------------------------------------------------------------

enum class DimOp : std::uint8_t { add, sub, mul, div, mod, max, min, ceildiv };  // div and mod round down

struct DimInt { std::uint64_t value; };              // larger literals are a parse error
struct DimName { std::string name; };
struct DimHole {};                                   // _
struct DimNegate { DimId operand; };
struct DimBinary { DimOp op; DimId left, right; };   // infix, prefix `(+ a b)`, and max(a, b), min(a, b), ceildiv(a, b)
struct DimOfShape { bool isRank; ShapeId shape; };   // rank(s), size(s)
struct DimRagged { std::string name; };              // *l; empty for a bare *
struct DimRuntime { std::string name; };             // ?k
struct DimStreamed { DimId inner; };                 // ~T, ~(expr)
struct DimAttribute { std::string name; DimId index; };  // stride[0], of a static parameter or an attribute
struct DimCall {                                         // conv_out(h, r, ...); in `op` declarations sum(n), width(t)
  std::string function;
  std::vector<DimId> arguments;
};
// Only as arguments of a DimCall:
struct DimText { std::string value; };               // "same"
struct DimList { ShapeId list; };                    // [1, 1]
// Only in `op` declarations:
struct DimPack { std::string name; };                // ..n : one for each argument of a variadic parameter

struct Dim {
  Span span;
  std::variant<DimInt, DimName, DimHole, DimNegate, DimBinary, DimOfShape, DimRagged, DimRuntime, DimStreamed,
               DimAttribute, DimCall, DimText, DimList, DimPack>
      node;
};

// ---- shapes -----------------------------------------------------------------------------------------------------

struct ShapeDims { std::vector<DimId> dims; };          // [a, b, c]; [] is the scalar's shape
struct ShapeName { std::string name; };                 // s
struct ShapeRuntime { std::string name; };              // ?s : a runtime rank
struct ShapeAppend { std::vector<ShapeId> parts; };     // p @ q @ r, at least two
struct ShapeBroadcast { std::vector<ShapeId> parts; };  // a # b, at least two
struct ShapeCall {                                      // permute(s, [1, 0]), reduce(s, axis, true), ...
  std::string function;
  std::vector<ShapeId> arguments;  // a list of values is ShapeDims, a name ShapeName
};
// Only as arguments of a ShapeCall:
struct ShapeValue { std::variant<DimId, bool, std::string> value; };  // -1, true, "reflect"
struct ShapePairs { std::vector<ShapeId> pairs; };                    // [[1, 1], [0, 2]]
struct ShapePack { std::string name; };                  // ..s: only in `op` declarations

struct Shape {
  Span span;
  std::variant<ShapeDims, ShapeName, ShapeRuntime, ShapeAppend, ShapeBroadcast, ShapeCall, ShapeValue, ShapePairs, ShapePack>
      node;
};

// ---- facts after `where` ----------------------------------------------------------------------------------------

enum class Relation : std::uint8_t { eq, ne, lt, le, gt, ge };

struct FactRelation { Relation relation; DimId left, right; };      // h >= r, n % 2 == 0
struct FactShapes { ShapeId left, right; };                          // s # r == s
struct FactClass { std::string variable; std::string className; };  // t : float
struct FactStretch { std::string dim; DimId other; };               // n : 1 or m

struct Fact {
  Span span;
  std::variant<FactRelation, FactShapes, FactClass, FactStretch> node;
};

// ---- types ------------------------------------------------------------------------------------------------------

// A bare built-in element (`f32`, `bool`) is a TypeTensor without a shape: a scalar. Any other bare name is a TypeName.
struct TypeTensor {
  std::string elem;  // built-in or a variable's name
  Span elemSpan;
  ShapeId shape;     // none: a bare built-in element, a scalar
  bool elemIsPack = false;  // ..t, only in `op` declarations
};
struct TypeName { std::string name; };  // a type variable
struct TypeHole {};                     // `_` as a whole type
struct TypeTuple { std::vector<TypeId> parts; };  // () is unit
struct TypeFunction {
  std::vector<TypeId> parameters;
  TypeId result;
  std::vector<Fact> where;  // only for a type in parentheses: `((t s) -> t s where t : float)`
};
// Only in `op` declarations: collect(u, n), repeat(parts, type)
struct TypeCall { std::string function; std::vector<TypeId> types; std::vector<DimId> dims; };

struct Type {
  Span span;
  std::variant<TypeTensor, TypeName, TypeHole, TypeTuple, TypeFunction, TypeCall> node;
};

// ---- expressions ------------------------------------------------------------------------------------------------

enum class Operator : std::uint8_t {
  add, sub, mul, div, mod, eq, ne, lt, le, gt, ge, logicalAnd, logicalOr, negate, logicalNot
};
// "+", "-", "and", "not", ...; negate is "-".
std::string_view spelling(Operator op);

enum class NumberForm : std::uint8_t { integer, real, inf, nan, lowest };

struct ExprName { std::string name; };
struct ExprNumber {
  NumberForm form;
  bool negative = false;        // a `-` directly before the literal is part of it
  std::uint64_t integer = 0;    // the magnitude, for NumberForm::integer
  double real = 0;              // the magnitude, for NumberForm::real; for an integer its rounded value
  std::optional<Elem> suffix;   // 3i64, 0.5f32
  bool isFloat = false;         // real, inf, nan, `0f`, or an integer form with a float suffix
};
struct ExprBool { bool value; };
struct ExprString { std::string value; };
struct ExprList { std::vector<ExprId> items; };  // [1, 2], [[1, 1], [0, 2]]: a static list
struct ExprHole {};                              // `_`, in the list of a reshape
struct ExprSection { Operator op; };             // +, max is an ExprName
struct ExprUnary { Operator op; Span opSpan; ExprId operand; };
struct ExprBinary { Operator op; Span opSpan; ExprId left, right; };
struct NamedArgument { Name name; ExprId value; Span span; };  // the span covers `stride=[2, 2]`
struct ExprCall {
  ExprId callee;
  std::vector<ExprId> arguments;
  std::vector<NamedArgument> named;
};
struct IndexAt { ExprId index; };
struct IndexRange { ExprId start, stop, step; };  // each may be none
struct IndexEllipsis {};
struct IndexItem { Span span; std::variant<IndexAt, IndexRange, IndexEllipsis> node; };
struct ExprIndex { ExprId base; std::vector<IndexItem> items; };
struct ExprTuple { std::vector<ExprId> parts; };  // () is unit
struct ExprGroup { ExprId inner; };               // (a): parentheses without other effect
struct Binding;
struct ExprBlock {
  std::vector<std::uint32_t> bindings;  // indices into Module::bindings
  ExprId result;                        // none only after a syntax error
};
struct Parameter { Name name; TypeId type; Span span; };  // the span covers `x : f32 [n]`; the type may be none
struct StaticParameter { Name name; ExprId defaultValue; Span span; };
struct ExprFn {
  std::vector<Parameter> parameters;
  std::vector<StaticParameter> statics;
  TypeId resultType;  // may be none
  std::vector<Fact> where;
  ExprId body;        // an ExprBlock
  Span signature;     // from `fn` to the body's brace
};
struct ExprIf { ExprId condition, thenBlock, elseBlock; };  // `else if`: the else is an ExprIf
struct ExprMatch { ExprId scrutinee; TypeId type; ExprId body; };
struct ExprError {};  // in place of text that could not be parsed

struct Expr {
  Span span;
  std::variant<ExprName, ExprNumber, ExprBool, ExprString, ExprList, ExprHole, ExprSection, ExprUnary, ExprBinary,
               ExprCall, ExprIndex, ExprTuple, ExprGroup, ExprBlock, ExprFn, ExprIf, ExprMatch, ExprError>
      node;
};

// ---- patterns and bindings --------------------------------------------------------------------------------------

struct PatternName { std::string name; };
struct PatternWildcard {};
struct PatternTuple { std::vector<PatternId> parts; };
struct Pattern { Span span; std::variant<PatternName, PatternWildcard, PatternTuple> node; };

struct Annotation { Name name; std::vector<std::string> arguments; Span span; };  // @implements("lstm"), @inline(never)

struct Binding {
  Span span;
  PatternId pattern;
  ExprId value;
  std::string doc;  // the text of the `///` lines before it, without the slashes
  std::vector<Annotation> annotations;
};

struct Param {
  Span span;
  Name name;
  TypeId type;             // may be none
  std::vector<Fact> where;
  std::string tensorName;  // the whole dotted name unless given
  std::string doc;
};

struct Import {
  Span span;
  Name name;  // the module's name; its file is NAME.ax
};

// Attribute sorts of `op` declarations.
enum class Sort : std::uint8_t {
  integer, ints, pairs, axis, axes, perm, padding, boolean, elem, shape, real,
  sizes,     // a fixed number of sizes, each may be `_`
  word,      // one of the words that are its arguments
  equation,  // of an einsum
};

struct OpParameter {  // `x : t s@[m, k]`, or a static parameter given by position: `dims : shape`
  Span span;
  TypeId type;        // none for a static parameter
  std::string name;   // may be empty, but not of a static parameter
  std::string count;  // `t s ...k`: k arguments (one or more) of one type; empty: one argument
};
struct OpAttribute {
  Span span;
  Name name;
  Sort sort;
  std::vector<std::string> sortArguments;  // axis(p, s): the shapes before and after the axis; word(a, b)
  std::optional<std::uint64_t> length;     // ints(2), sizes(2), padding(1)
  ExprId defaultValue;  // may be none; may name a dimension of the signature or an attribute, or be `reversed` or `all`
};
// The words that Sort::padding accepts besides lists of pairs.
inline constexpr std::string_view validPadding = "valid", samePadding = "same";
inline constexpr std::string_view paddingWords[] = {validPadding, samePadding};
// The words that an attribute accepts; empty if it accepts none.
std::vector<std::string> wordsOf(const OpAttribute& attribute);

struct OpDecl {
  Span span;
  Name name;  // a name or an operator's spelling; prefix minus is `-` with one parameter
  std::vector<OpParameter> parameters;
  std::vector<OpAttribute> attributes;  // by name; those given by position come first, in their order
  TypeId result;
  std::vector<Fact> where;
  std::string doc;
};

using Item = std::variant<Import, Param, OpDecl, std::uint32_t>;  // the last: an index into Module::bindings

// One parsed file. Ids are indices into its vectors.
struct Module {
  SourceId source;
  std::string name;
  std::vector<Expr> exprs;
  std::vector<Pattern> patterns;
  std::vector<Type> types;
  std::vector<Shape> shapes;
  std::vector<Dim> dims;
  std::vector<Binding> bindings;
  std::vector<Item> items;  // in program order

  const Expr& operator[](ExprId id) const { return exprs[id.index]; }
  const Pattern& operator[](PatternId id) const { return patterns[id.index]; }
  const Type& operator[](TypeId id) const { return types[id.index]; }
  const Shape& operator[](ShapeId id) const { return shapes[id.index]; }
  const Dim& operator[](DimId id) const { return dims[id.index]; }
};

// Returns the names that a pattern binds, in their order.
std::vector<Name> namesOf(const Module& module, PatternId pattern);

// clang-format on

}  // namespace axle::ast
