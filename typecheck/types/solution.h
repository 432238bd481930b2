// The values of variables: bindings found by unification. Reading them never changes an inference.
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

// Values for quantified variables; used to read a polymorphic body for one of its instances.
struct Substitution {
  std::unordered_map<std::uint32_t, TypeId> types;
  std::unordered_map<std::uint32_t, ElemTerm> elems;
  std::unordered_map<std::uint32_t, Shape> shapes;
  std::unordered_map<std::uint32_t, Dim> dims;
  std::unordered_map<std::uint32_t, StaticId> statics;
};

// Levels are those of let-generalisation: a variable of a deeper level than the scope may be quantified.
struct TypeVarInfo {
  std::uint32_t level = 0;
  std::optional<TypeId> binding;
  OriginId boundBy;
};
struct ElemVarInfo {
  std::uint32_t level = 0;
  ElemClass elemClass = ElemClass::any;
  std::optional<ElemTerm> binding;
  std::string name;  // given by the user, or empty
  OriginId origin;   // the place that made it or narrowed its class
  OriginId boundBy;
};
struct ShapeVarInfo {
  std::uint32_t level = 0;
  std::optional<Shape> binding;
  std::optional<Shape> flat;  // cache: the binding with its bound variables replaced, as far as they were followed
  bool literal = false;       // the shape of a literal
  bool metLiteral = false;    // equal to a literal's shape: `[]` if it meets only `#` and no parameter
  bool named = false;         // by the user
  bool runtime = false;       // `?s`: a rank known only at run time; never bound
  std::string name;
  OriginId boundBy;
  ReasonId boundWhy;
  std::optional<Dim> cancelled;  // the sizes that both sides of that equation shared, taken not to be 0
  ReasonId whole;     // the operation that needs the whole tensor at once: none of its dimensions is streamed
  ReasonId unragged;  // the operation that accepts no ragged dimensions here
};

// The kind of a size variable; plain: a size that is known when the inputs are (docs/shapes.md).
enum class DimKind : std::uint8_t {
  plain,
  runtime,   // `?k`: computed during the run; every call makes a new one
  ragged,    // `*l`: a length for each element of the dimensions before it; inside a `map` over those, one length
  streamed,  // `~T`: arrives over time
};

struct DimVarInfo {
  std::uint32_t level = 0;
  std::optional<Dim> binding;
  bool named = false;  // by the user
  bool isSize = true;  // >= 0; a static argument may be any integer
  DimKind kind = DimKind::plain;
  bool rigid = false;              // never bound
  bool universal = false;          // rigid, of a parameter's annotation: each use substitutes its own
  bool promised = false;           // arbitrary, since a signature names it (set by replays): binding it is a conflict
  bool closed = false;             // runtime, of a function that is not called yet: the size does not exist yet
  bool regular = false;            // declared by the user to be one size: never a ragged length
  std::optional<Dim> stretchesTo;  // declared `n : 1 or m`
  std::string maker;               // of a runtime size: the operator, "`nonzero`"
  Shape over;                      // of a ragged length: the dimensions before it, of which it is a function
  std::optional<DimVar> lengthOf;  // of an element's length, plain or ragged: the tensor's ragged length
  ReasonId element;                // the application of `map` or `loop` that takes the elements
  OriginId origin;                 // of a size that is not plain: where it is made or written
  OriginId boundBy;
  OriginId boundVia;  // the origin that passed the value on, if it is not the one that wrote it
  ReasonId boundWhy;
  std::optional<std::pair<Dim, Dim>> solvedFrom;  // the sides of the equation from which its number was computed
  std::optional<Dim> cancelled;  // the sizes that both sides of that equation shared, taken not to be 0
  ReasonId whole;                // the operation that needs the whole dimension at once: it is not streamed
  ReasonId unragged;             // the operation that needs one size: it is not ragged
};
struct StaticVarInfo {
  std::uint32_t level = 0;
  std::optional<StaticId> binding;
  std::string name;
  StaticKind scalar = StaticKind::hole;  // a parameter whose default is a decimal number or a bool: `real`, `boolean`
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

  // Changes after a mark can be rolled back; counted work stays counted.
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

  // Counts a visited term of a type; throws TypesTooLarge past the budget. `restartSteps` begins a new expression.
  void step() {
    if (++steps_ > maxTypeSteps) throw TypesTooLarge();
  }
  void restartSteps() { steps_ = 0; }
  // Counts the work of the solver and the printer, above all parts of shapes; throws TooMuchWork past the budget, and
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

  // `resolve` follows bindings, and `with` for variables that stay open, to the end: no bound variable is left, and
  // shapes are flat.
  Dim resolve(Dim d, const Substitution* with = nullptr);
  Shape resolve(const Shape& shape, const Substitution* with = nullptr);
  ShapePart resolve(const ShapePart& size, const Substitution* with = nullptr);  // of a size, not of a shape variable
  // Follows shape variables only: dimensions stay unresolved, so their bindings remain visible.
  Shape flatten(const Shape& shape);
  ElemTerm resolve(ElemTerm elem, const Substitution* with = nullptr) const;
  StaticId resolve(StaticId value, const Substitution* with = nullptr);
  TypeId resolve(TypeId type, const Substitution* with = nullptr);
  // Returns the type's outermost term: a bound variable is followed, parts are left unresolved.
  const TypeTerm& head(TypeId type) const;

  // Returns the kind of a size: streamed, ragged or runtime if one of its variables is, otherwise plain.
  DimKind kindOf(Dim d);
  // Prints a size as in a shape: `n + 1`, `?k`, `*l`, `~T`, `~((T - 8) / 2)`. Facts have no `~`.
  std::string printSize(Dim d, const std::function<std::string(DimVar)>& nameOf);
  std::string printSize(Dim d);
  // Returns the name of a variable, marked `?` or `*`.
  std::string markedName(DimVar v, const std::string& name) const;

  // Returns the substitution for the body of a polymorphic binding used with `use` in a scope that is read with
  // `outer`.
  Substitution compose(const Substitution& outer, const Instantiation& use);

 private:
  const Shape& boundTo(ShapeVar v);
  bool isReplaced(const ShapePart& part, const Substitution* with) const;

  std::size_t steps_ = 0;
  std::uint64_t work_ = 0, workLimit_ = maxWork;
  Shape longShape_;  // the last result of `boundTo` that is too long to cache
};

}  // namespace axle
