// Instantiation: each use of a polymorphic binding gets its own variables and constraints.
#include "typecheck/infer/scheme.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/variables.h"

namespace axle {

Substitution asSubstitution(const Instantiation& instantiation) {
  Substitution out;
  for (const auto& [var, type] : instantiation.types) out.types[var.index] = type;
  for (const auto& [var, elem] : instantiation.elems) out.elems[var.index] = elem;
  for (const auto& [var, shape] : instantiation.shapes) out.shapes[var.index] = shape;
  for (const auto& [var, dim] : instantiation.dims) out.dims[var.index] = dim;
  for (const auto& [var, value] : instantiation.statics) out.statics[var.index] = value;
  return out;
}

namespace {

// Copies a reason of the function for this use.
ReasonId reasonWithin(Checked& c, ReasonId why, ReasonId use) {
  Reason reason = c.provenance[why];
  reason.within = use;
  return c.provenance.add(std::move(reason));
}

// Makes the origin of the sizes that a use makes.
OriginId originOf(Checked& c, ReasonId use) {
  Origin origin;
  origin.span = c.provenance[use].span;
  origin.makes = true;
  return c.provenance.add(std::move(origin));
}

// What a function of another module makes comes from its use: the user has not written the place in the function.
// What its parameters declare stays where it is.
class OriginsOfUse {
 public:
  OriginsOfUse(Checked& c, ReasonId use) : c_(c), use_(use) {}

  void moveTo(ShapePart& part, bool isResult = false) { part.origin = moved(part.origin, isResult); }
  void moveTo(Shape& shape) {
    for (ShapePart& part : shape) moveTo(part);
  }
  template <class Operand>
  void moveTo(Operand&) {}  // others have no origins of their own

  TypeId movedType(TypeId id, bool isResult) {
    TypeTerm type = c_.solution.types[id];
    if (type.kind == TypeKind::var || type.kind == TypeKind::error) return id;
    if (isResult || type.kind == TypeKind::tensor) type.origin = moved(type.origin, isResult);
    for (ShapePart& part : type.shape) moveTo(part, isResult);
    for (TypeId& part : type.parts) part = movedType(part, isResult);
    if (type.kind == TypeKind::function) type.result = movedType(type.result, true);
    return c_.solution.types.add(std::move(type));
  }

 private:
  OriginId moved(OriginId id, bool isResult) {
    const Origin& origin = c_.provenance[id];
    const Span use = c_.provenance[use_].span;
    const bool stays = !id.index || !origin.file.empty() || origin.span.source == use.source;
    if (stays || (origin.written && !isResult)) return id;
    if (!made_.index) {
      Origin made;
      made.span = use;
      made_ = c_.provenance.add(std::move(made));
    }
    return made_;
  }

  Checked& c_;
  const ReasonId use_;
  OriginId made_;
};

void addConstraints(Checked& c, const Scheme& scheme, ReasonId use, const Substitution& with) {
  OriginsOfUse origins(c, use);
  auto add = [&](Constraint constraint) {
    forEachOperand(constraint, [&](auto& operand) {
      operand = c.solution.resolve(operand, &with);
      origins.moveTo(operand);
    });
    addConstraint(c.solver, std::move(constraint));
  };
  for (const DimFact& fact : scheme.stated) {
    Reason reason;
    reason.kind = ReasonKind::where;
    reason.span = fact.places.empty() ? c.provenance[use].span : fact.places.front();
    reason.subject = c.provenance[use].subject;
    reason.within = use;
    add({c.provenance.add(std::move(reason)), constraint::Fact{static_cast<const DimComparison&>(fact), fact.stretch}});
  }
  for (const std::vector<Constraint>* constraints : {&scheme.constraints, &scheme.delays})
    for (Constraint constraint : *constraints) {
      constraint.reason = reasonWithin(c, constraint.reason, use);
      add(std::move(constraint));
    }
}

}  // namespace

Instantiation instantiate(Checked& c, const Scheme& scheme, ReasonId use) {
  Instantiation inst;
  Solution& s = c.solution;
  for (TypeVar v : scheme.types) inst.types.emplace_back(v, freshType(c.solver));
  for (ElemVar v : scheme.elems) {
    ElemVar fresh = freshElem(c.solver, s.elemVars[v.index].name, s.elemVars[v.index].elemClass);
    s.elemVars.edit(fresh.index).origin = s.elemVars[v.index].origin;
    inst.elems.emplace_back(v, ElemTerm::of(fresh));
  }
  auto asked = [&](ReasonId why) { return why.index ? reasonWithin(c, why, use) : why; };
  for (ShapeVar v : scheme.shapes) {
    ShapeVar fresh = freshShape(c.solver, s.shapeVars[v.index].name);
    s.shapeVars.edit(fresh.index).whole = asked(s.shapeVars[v.index].whole);
    s.shapeVars.edit(fresh.index).unragged = asked(s.shapeVars[v.index].unragged);
    inst.shapes.emplace_back(v, Shape{ShapePart::of(fresh)});
  }
  for (DimVar v : scheme.dims) {
    DimVar fresh = freshDim(c.solver, s.dims.name(v));
    const DimVarInfo& of = s.dimVars[v.index];
    DimVarInfo& info = s.dimVars.edit(fresh.index);
    info.isSize = of.isSize;
    info.regular = of.regular;
    info.whole = asked(of.whole);
    info.unragged = asked(of.unragged);
    // `?k` or `*l` of a parameter's annotation is given by this use; a size that the function makes is made anew.
    bool made = of.rigid && !of.universal;
    if (of.kind == DimKind::ragged || made) {
      info.kind = of.kind;
      info.rigid = made;
      info.closed = made;
      info.maker = of.maker;
      info.origin = made ? originOf(c, use) : of.origin;
    }
    inst.dims.emplace_back(v, s.dims.variable(fresh));
  }
  for (StaticVar v : scheme.statics) {
    StaticTerm term;
    term.kind = StaticKind::var;
    term.var = freshStatic(c.solver, s.staticVars[v.index].name);
    inst.statics.emplace_back(v, s.types.add(std::move(term)));
  }
  Substitution with = asSubstitution(inst);
  for (const auto& [of, dim] : inst.dims)
    if (auto fresh = s.dims.asVariable(dim); !s.dimVars[of.index].over.empty())
      s.dimVars.edit(fresh->index).over = s.resolve(s.dimVars[of.index].over, &with);
  addConstraints(c, scheme, use, with);
  return inst;
}

TypeId instantiatedType(Checked& c, TypeId type, const Instantiation& instantiation, ReasonId use) {
  const Substitution with = asSubstitution(instantiation);
  const TypeId own = c.solution.resolve(type, &with);
  const bool isFunction = c.solution.types[own].kind == TypeKind::function;
  return isFunction ? OriginsOfUse(c, use).movedType(own, false) : own;
}

}  // namespace axle
