// What variables mean: bindings found by unification. Asking never changes an inference.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dims/dim.h"
#include "typecheck/types/provenance.h"
#include "typecheck/types/trailed.h"
#include "typecheck/types/type.h"

namespace axle {

struct Instantiation;

// What to put for quantified variables; used when a polymorphic body is read for one of its instances.
struct Substitution {
  std::unordered_map<std::uint32_t, TypeId> types;
  std::unordered_map<std::uint32_t, ElemTerm> elems;
  std::unordered_map<std::uint32_t, Shape> shapes;
  std::unordered_map<std::uint32_t, Dim> dims;
  std::unordered_map<std::uint32_t, StaticId> statics;
};

// Levels are those of let-generalisation: a variable of a deeper level than the scope's may be quantified.
struct TypeVarInfo {
  std::uint32_t level = 0;
  std::optional<TypeId> binding;
  OriginId boundBy;
};
struct ElemVarInfo {
  std::uint32_t level = 0;
  ElemClass elemClass = ElemClass::any;
  std::optional<ElemTerm> binding;
  std::string name;  // the user's, or empty
  OriginId origin;   // what made it, or narrowed its class
  OriginId boundBy;
};
struct ShapeVarInfo {
  std::uint32_t level = 0;
  std::optional<Shape> binding;
  std::optional<Shape> flat;  // of a binding that has bound variables: without them, as far as it was followed
  bool literal = false;       // of a literal
  bool metLiteral = false;    // equal to a literal's: `[]` if it meets only `#` and no parameter
  bool named = false;         // by the user
  bool runtime = false;       // `?s`: a rank known only at run time; never bound
  std::string name;
  OriginId boundBy;
  ReasonId boundWhy;
  ReasonId whole;     // what needs all of the tensor at once: none of its dimensions is streamed
  ReasonId unragged;  // what takes no ragged dimensions here
};

// What a variable stands for, besides a size that is known when the inputs are (docs/shapes.md).
enum class DimKind : std::uint8_t {
  plain,
  runtime,   // `?k`: computed during the run; every call makes another
  ragged,    // `*l`: a length for each element of the dimensions before it; inside of a `map` over those, one length
  streamed,  // `~T`: arrives over time
};

struct DimVarInfo {
  std::uint32_t level = 0;
  std::optional<Dim> binding;
  bool named = false;  // by the user
  bool isSize = true;  // >= 0; a static argument may be any whole number
  DimKind kind = DimKind::plain;
  bool rigid = false;              // stands for itself only and is never bound
  bool universal = false;          // rigid, of a parameter's annotation: each use puts its own
  bool promised = false;           // any size, by the user's word: what would give it a value is a conflict
  bool closed = false;             // runtime, of a function that is not called yet: there is no such size so far
  bool regular = false;            // one size, by the user's word: never a ragged length
  std::optional<Dim> stretchesTo;  // declared `n : 1 or m`
  std::string maker;               // of a runtime size: the operator, "`nonzero`"
  Shape over;                      // of a ragged length: the dimensions before it, whose function it is
  std::optional<DimVar> lengthOf;  // of an element's length, or its own ragged one: the tensor's ragged length
  ReasonId element;                // and the application of `map` or `loop` that takes the elements
  OriginId origin;                 // of what is not plain: where it is made or written
  OriginId boundBy;
  OriginId boundVia;  // what handed it over, where that is not what wrote it
  ReasonId boundWhy;
  std::optional<std::pair<Dim, Dim>> solvedFrom;  // the sides of the equation that gave it a number, if it is computed
  ReasonId whole;                                 // what needs all of the dimension at once: it is not streamed
  ReasonId unragged;                              // what needs one size: it is not ragged
};
struct StaticVarInfo {
  std::uint32_t level = 0;
  std::optional<StaticId> binding;
  std::string name;
  bool isReal = false;  // a parameter whose default is a decimal number
};

class Solution {
 public:
  DimStore dims;
  TypeStore types;
  Trailed<TypeVarInfo> typeVars;
  Trailed<ElemVarInfo> elemVars;
  Trailed<ShapeVarInfo> shapeVars;
  Trailed<DimVarInfo> dimVars;  // one for each variable of `dims`
  Trailed<StaticVarInfo> staticVars;
  bool streamsAreSizes = false;  // CheckOptions::streamsAreSizes

  // What is made or changed after a mark can be rolled back; what was counted stays counted.
  struct Mark {
    DimStore::Mark dims;
    TypeStore::Mark types;
    Trailed<TypeVarInfo>::Mark typeVars;
    Trailed<ElemVarInfo>::Mark elemVars;
    Trailed<ShapeVarInfo>::Mark shapeVars;
    Trailed<DimVarInfo>::Mark dimVars;
    Trailed<StaticVarInfo>::Mark staticVars;
  };
  Mark mark();
  void rollback(const Mark& to) noexcept;
  void release() noexcept;

  // Follows bindings, and `with` for what stays open, to the end: no bound variable is left, shapes are flat.
  // Counts a visited term of a type; throws TypesTooLarge past the budget. `restartSteps` begins a new expression.
  void step() {
    if (++steps_ > maxTypeSteps) throw TypesTooLarge();
  }
  void restartSteps() { steps_ = 0; }
  // Counts what the solver and the printer look at, parts of shapes above all; throws TooMuchWork past the budget, and
  // Interrupted as the arithmetic of `dims` does.
  void work(std::size_t amount) {
    work_ += amount;
    if (work_ > workLimit_) throw TooMuchWork();
    dims.checkInterrupt();
  }
  void restartWork(std::uint64_t limit = maxWork) {
    work_ = 0;
    workLimit_ = limit;
  }

  Dim resolve(Dim d, const Substitution* with = nullptr);
  Shape resolve(const Shape& shape, const Substitution* with = nullptr);
  ShapePart resolve(const ShapePart& size, const Substitution* with = nullptr);  // of a size, no variable of shapes
  // Follows shape variables only: dimensions stay as they are, with what bound them.
  Shape flatten(const Shape& shape);
  ElemTerm resolve(ElemTerm elem, const Substitution* with = nullptr) const;
  StaticId resolve(StaticId value, const Substitution* with = nullptr);
  TypeId resolve(TypeId type, const Substitution* with = nullptr);
  // The type's outermost term: what a bound variable is, its parts as they stand.
  const TypeTerm& head(TypeId type) const;

  // The kind of what a size depends on: streamed, ragged or runtime where one of its variables is, else plain.
  DimKind kindOf(Dim d);
  // As it stands in a shape: `n + 1`, `?k`, `*l`, `~T`, `~((T - 8) / 2)`. Facts have no `~`.
  std::string printSize(Dim d, const std::function<std::string(DimVar)>& nameOf);
  std::string printSize(Dim d);
  // The variable's own name, marked `?` or `*`.
  std::string markedName(DimVar v, const std::string& name) const;

  // The substitution for the body of a polymorphic binding used with `use` in a scope that is read with `outer`.
  Substitution compose(const Substitution& outer, const Instantiation& use);

 private:
  const Shape& boundTo(ShapeVar v);
  bool isReplaced(const ShapePart& part, const Substitution* with) const;

  std::size_t steps_ = 0;
  std::uint64_t work_ = 0, workLimit_ = maxWork;
  Shape longShape_;  // what `boundTo` found last and does not keep
};

}  // namespace axle
