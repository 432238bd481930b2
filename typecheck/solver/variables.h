// Makes variables of types, elements, shapes, sizes and static values at the solver's level, and collects those that
// are open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "typecheck/solver/solver.h"

namespace axle {

DimVar freshDim(Solver& solver, std::string name, bool named = false);
// A size that is never bound: `?k` (from `maker`), `*l`.
DimVar freshRigid(Solver& solver, std::string name, DimKind kind, OriginId origin, std::string maker = {});
ShapeVar freshShape(Solver& solver, std::string name, bool literal = false);
ElemVar freshElem(Solver& solver, std::string name, ElemClass elemClass = ElemClass::any);
TypeId freshType(Solver& solver);
StaticVar freshStatic(Solver& solver, std::string name);
Dim freshDimTerm(Solver& solver, std::string name);
// A static argument: an integer of any sign.
Dim freshInteger(Solver& solver, std::string name);

// Variables that are not bound, by kind; one may be listed more than once.
struct OpenVariables {
  std::vector<TypeVar> types;
  std::vector<ElemVar> elems;
  std::vector<ShapeVar> shapes;
  std::vector<DimVar> dims;
  std::vector<StaticVar> statics;
};
void collectVariables(Solver& solver, const Constraint& constraint, OpenVariables& into);
void collectVariables(Solver& solver, TypeId type, OpenVariables& into);
void collectVariables(Solver& solver, const Shape& shape, OpenVariables& into);
void collectVariables(Solver& solver, const ShapePart& size, OpenVariables& into);
void collectVariables(Solver& solver, Dim dim, OpenVariables& into);
void collectVariables(Solver& solver, StaticId value, OpenVariables& into);
// Moves variables of deeper scopes to the outer level `to`.
void lowerLevels(Solver& solver, const OpenVariables& variables, std::uint32_t to);

}  // namespace axle
