// Types: element x shape, tuples, functions, variables. Terms are immutable and append-only; the values of variables
// are in `Solution`.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "dims/dim.h"
#include "io/elem.h"

namespace axle {

struct TypeId {
  std::uint32_t index = 0;
  friend auto operator<=>(TypeId, TypeId) = default;
};

struct ShapeVar {
  std::uint32_t index = 0;
  friend auto operator<=>(ShapeVar, ShapeVar) = default;
};

struct ElemVar {
  std::uint32_t index = 0;
  friend auto operator<=>(ElemVar, ElemVar) = default;
};

struct TypeVar {
  std::uint32_t index = 0;
  friend auto operator<=>(TypeVar, TypeVar) = default;
};

struct StaticVar {
  std::uint32_t index = 0;
  friend auto operator<=>(StaticVar, StaticVar) = default;
};

// The place where a part of a type was written or made: an index into the origins of `Provenance`; 0 is nowhere.
struct OriginId {
  std::uint32_t index = 0;
  friend auto operator<=>(OriginId, OriginId) = default;
};

// Why a constraint must hold: an index into the reasons of `Provenance`; 0 is no reason.
struct ReasonId {
  std::uint32_t index = 0;
};

// Classes of element variables. any contains eq; eq is bool or num; num is float or int.
enum class ElemClass : std::uint8_t { any, eq, num, floating, integer };
const char* name(ElemClass c);
bool contains(ElemClass c, Elem elem);
// Returns the narrower of two classes; none for float with int.
std::optional<ElemClass> meet(ElemClass a, ElemClass b);

struct ElemTerm {
  bool isVar = false;
  Elem elem = Elem::f32;
  ElemVar var;
  static ElemTerm of(Elem e) { return {false, e, {}}; }
  static ElemTerm of(ElemVar v) { return {true, Elem::f32, v}; }
  friend bool operator==(const ElemTerm&, const ElemTerm&) = default;
};

// One part of a shape: a dimension or a shape variable.
struct ShapePart {
  bool isVar = false;
  Dim dim;
  ShapeVar var;
  OriginId origin;
  static ShapePart of(Dim d, OriginId o = {}) { return {false, d, {}, o}; }
  static ShapePart of(ShapeVar v, OriginId o = {}) { return {true, {}, v, o}; }
  friend bool operator==(const ShapePart&, const ShapePart&) = default;
};

// Parts appended from the leading to the trailing end; empty is the scalar's shape.
using Shape = std::vector<ShapePart>;

// A value known when the program is compiled: a static argument or attribute.
struct StaticId {
  std::uint32_t index = 0;
  friend auto operator<=>(StaticId, StaticId) = default;
};

enum class StaticKind : std::uint8_t { var, dim, boolean, text, list, hole, reversed, all, real };

struct StaticTerm {
  StaticKind kind = StaticKind::hole;
  StaticVar var;
  Dim dim;
  bool boolean = false;
  double real = 0;
  std::string text;
  std::vector<StaticId> items;
};

enum class TypeKind : std::uint8_t { var, tensor, tuple, function, error };

struct StaticField {
  std::string name;
  StaticId value;  // the parameter's value: a variable inside the function
  StaticId defaultValue;
};

struct TypeTerm {
  TypeKind kind = TypeKind::error;
  OriginId origin;
  TypeVar var;                       // var
  ElemTerm elem;                     // tensor
  Shape shape;                       // tensor
  std::vector<TypeId> parts;         // tuple: parts; function: parameters
  TypeId result;                     // function
  std::vector<StaticField> statics;  // function
};

// Types can grow exponentially with a program (a function that doubles its argument, applied n times). A check gives up
// past this many terms in total, or this many visited for one expression.
inline constexpr std::size_t maxTypeTerms = 4'000'000;
inline constexpr std::size_t maxTypeSteps = 4'000'000;
inline constexpr std::uint64_t maxDimWork = 40'000'000;  // of the arithmetic of sizes (DimStore::limitWork)
inline constexpr std::uint64_t maxWork = 40'000'000;     // of a check, and of printing its results (Solution::work)
// Thrown inside the checker; `check` and `prepareEntry` catch it.
struct TypesTooLarge : std::exception {
  const char* what() const noexcept override { return "the types of a program grow too large to check"; }
};
struct TooMuchWork : TypesTooLarge {
  const char* what() const noexcept override { return "a program takes too many steps to check"; }
};

// Append-only: ids and references stay valid until terms made after a mark are dropped.
class TypeStore {
 public:
  struct Mark {
    std::size_t types, statics;
  };
  Mark mark() const { return {types_.size(), statics_.size()}; }
  void rollback(const Mark& to) noexcept {
    types_.erase(types_.begin() + static_cast<std::ptrdiff_t>(to.types), types_.end());
    statics_.erase(statics_.begin() + static_cast<std::ptrdiff_t>(to.statics), statics_.end());
  }

  TypeId add(TypeTerm term) {
    if (types_.size() >= maxTypeTerms) throw TypesTooLarge();
    types_.push_back(std::move(term));
    return TypeId{static_cast<std::uint32_t>(types_.size() - 1)};
  }
  StaticId add(StaticTerm term) {
    statics_.push_back(std::move(term));
    return StaticId{static_cast<std::uint32_t>(statics_.size() - 1)};
  }
  const TypeTerm& operator[](TypeId id) const { return types_[id.index]; }
  const StaticTerm& operator[](StaticId id) const { return statics_[id.index]; }

 private:
  std::deque<TypeTerm> types_;
  std::deque<StaticTerm> statics_;
};

}  // namespace axle
