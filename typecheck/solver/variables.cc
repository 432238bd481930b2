#include "typecheck/solver/variables.h"

#include <algorithm>

namespace axle {

DimVar freshDim(Solver& solver, std::string name, bool named) {
  Solution& solution = solver.solution;
  DimVar v = solution.dims.newVariable(std::move(name));
  DimVarInfo info;
  info.level = solver.level;
  info.named = named;
  solution.dimVars.push_back(std::move(info));
  solver.dimWatch.addList();
  return v;
}

ShapeVar freshShape(Solver& solver, std::string name, bool literal) {
  Solution& solution = solver.solution;
  ShapeVarInfo info;
  info.level = solver.level;
  info.literal = info.metLiteral = literal;
  info.name = std::move(name);
  solution.shapeVars.push_back(std::move(info));
  solver.shapeWatch.addList();
  return ShapeVar{static_cast<std::uint32_t>(solution.shapeVars.size() - 1)};
}

ElemVar freshElem(Solver& solver, std::string name, ElemClass elemClass) {
  Solution& solution = solver.solution;
  ElemVarInfo info;
  info.level = solver.level;
  info.elemClass = elemClass;
  info.name = std::move(name);
  solution.elemVars.push_back(std::move(info));
  solver.elemWatch.addList();
  return ElemVar{static_cast<std::uint32_t>(solution.elemVars.size() - 1)};
}

TypeId freshType(Solver& solver) {
  Solution& solution = solver.solution;
  solution.typeVars.push_back({solver.level, {}, {}});
  solver.typeWatch.addList();
  TypeTerm term;
  term.kind = TypeKind::var;
  term.var = TypeVar{static_cast<std::uint32_t>(solution.typeVars.size() - 1)};
  return solution.types.add(std::move(term));
}

StaticVar freshStatic(Solver& solver, std::string name) {
  Solution& solution = solver.solution;
  solution.staticVars.push_back({solver.level, {}, std::move(name)});
  solver.staticWatch.addList();
  return StaticVar{static_cast<std::uint32_t>(solution.staticVars.size() - 1)};
}

Dim freshDimTerm(Solver& solver, std::string name) {
  return solver.solution.dims.variable(freshDim(solver, std::move(name)));
}

Dim freshInteger(Solver& solver, std::string name) {
  DimVar v = freshDim(solver, std::move(name));
  solver.solution.dimVars.edit(v.index).isSize = false;
  return solver.solution.dims.variable(v);
}

DimVar freshRigid(Solver& solver, std::string name, DimKind kind, OriginId origin, std::string maker) {
  DimVar v = freshDim(solver, std::move(name));
  DimVarInfo& info = solver.solution.dimVars.edit(v.index);
  info.kind = kind;
  info.rigid = true;
  info.origin = origin;
  info.maker = std::move(maker);
  return v;
}

void collectVariables(Solver& solver, const Constraint& constraint, OpenVariables& into) {
  forEachOperand(constraint, [&](const auto& operand) { collectVariables(solver, operand, into); });
}

void collectVariables(Solver& solver, Dim dim, OpenVariables& into) {
  Solution& solution = solver.solution;
  for (DimVar v : solution.dims.variables(solution.resolve(dim))) into.dims.push_back(v);
}

void collectVariables(Solver& solver, const ShapePart& size, OpenVariables& into) {
  collectVariables(solver, size.dim, into);
}

void collectVariables(Solver& solver, const Shape& shape, OpenVariables& into) {
  Solution& solution = solver.solution;
  const auto isBound = [&](const ShapePart& part) { return part.isVar && solution.shapeVars[part.var.index].binding; };
  Shape flat;
  const bool isFlat = std::none_of(shape.begin(), shape.end(), isBound);
  if (!isFlat) flat = solution.flatten(shape);
  for (const ShapePart& part : isFlat ? shape : flat)
    if (part.isVar)
      into.shapes.push_back(part.var);
    else
      collectVariables(solver, part.dim, into);
}

void collectVariables(Solver& solver, StaticId value, OpenVariables& into) {
  Solution& solution = solver.solution;
  value = solution.resolve(value);
  const StaticTerm& term = solution.types[value];
  if (term.kind == StaticKind::var) into.statics.push_back(term.var);
  if (term.kind == StaticKind::dim) collectVariables(solver, term.dim, into);
  if (term.kind == StaticKind::list)
    for (StaticId item : term.items) collectVariables(solver, item, into);
}

void collectVariables(Solver& solver, TypeId type, OpenVariables& into) {
  Solution& solution = solver.solution;
  solution.step();
  const TypeTerm& term = solution.types[type];
  switch (term.kind) {
    case TypeKind::error:
      break;
    case TypeKind::var:
      if (const auto binding = solution.typeVars[term.var.index].binding)
        collectVariables(solver, *binding, into);
      else
        into.types.push_back(term.var);
      break;
    case TypeKind::tensor: {
      ElemTerm elem = solution.resolve(term.elem);
      if (elem.isVar) into.elems.push_back(elem.var);
      collectVariables(solver, term.shape, into);
      break;
    }
    case TypeKind::tuple:
    case TypeKind::function:
      for (TypeId part : term.parts) collectVariables(solver, part, into);
      if (term.kind == TypeKind::function) collectVariables(solver, term.result, into);
      for (const StaticField& field : term.statics) collectVariables(solver, field.value, into);
      break;
  }
}

void lowerLevels(Solver& solver, const OpenVariables& variables, std::uint32_t to) {
  auto lower = [to](auto& infos, const auto& of) {
    for (auto v : of)
      if (infos[v.index].level > to) infos.edit(v.index).level = to;
  };
  lower(solver.solution.typeVars, variables.types);
  lower(solver.solution.elemVars, variables.elems);
  lower(solver.solution.shapeVars, variables.shapes);
  lower(solver.solution.dimVars, variables.dims);
  lower(solver.solution.staticVars, variables.statics);
}

}  // namespace axle
