// Reads the facts of `where`.
#include <algorithm>
#include <utility>

#include "typecheck/infer/annotation_mistakes.h"
#include "typecheck/infer/inference.h"
#include "typecheck/infer/marked_dims.h"
#include "typecheck/solver/constraints.h"
#include "typecheck/solver/unify.h"

namespace axle {

namespace codes {
const DiagnosticCode unknownClass{"E0313", Severity::error, "unknown class of elements"};
}

namespace {

constexpr Message<arg::Name> notAClass{codes::unknownClass, "{} is no class of elements", "here"};

DimFact statedFact(Dim left, FactRelation relation, Dim right, Span place) {
  DimFact fact;
  fact.left = left;
  fact.relation = relation;
  fact.right = right;
  fact.places = {place};
  fact.stated = true;
  return fact;
}

DimFact readRelation(TypeReader& reader, const ast::FactRelation& relation, const ast::Fact& fact) {
  reader.inFact = true;
  const Dim left = readDim(reader, relation.left), right = readDim(reader, relation.right);
  reader.inFact = false;
  rejectRaggedFact(reader, fact, {left, right});
  return statedFact(left, static_cast<FactRelation>(relation.relation), right, fact.span);
}

// Adds an equation of shapes as a constraint at once. It may name sizes and shapes that the parameters leave unnamed.
void readShapes(TypeReader& reader, const ast::FactShapes& equation, Span span) {
  reader.inShapeFact = true;
  const Shape left = readShape(reader, equation.left), right = readShape(reader, equation.right);
  reader.inShapeFact = false;
  const ReasonId stated = addReason(reader.provenance, ReasonKind::where, span, "`where`");
  if (!reader.failed) addConstraint(reader.solver, stated, constraint::ShapeEqual{left, right});
}

// Reads `n : 1 or m`: (n - 1)*(n - m) is 0.
DimFact readStretch(TypeReader& reader, const ast::FactStretch& stretch, const ast::Fact& fact) {
  DimStore& dims = reader.solution.dims;
  reader.inFact = true;
  const Dim n = readDimName(reader, stretch.dim, fact.span), m = readDim(reader, stretch.other);
  reader.inFact = false;
  rejectRaggedFact(reader, fact, {n, m});
  if (auto v = dims.asVariable(n)) reader.solution.dimVars.edit(v->index).stretchesTo = m;
  const Dim product = dims.mul(dims.sub(n, dims.constant(1)), dims.sub(n, m));
  DimFact stated = statedFact(product, FactRelation::eq, dims.constant(0), fact.span);
  stated.stretch = {n, m};
  return stated;
}

void reportUnknownClass(TypeReader& reader, const ast::FactClass& fact, Span span) {
  Diagnostic& d = report(reader, notAClass, span, arg::Name{fact.className});
  static constexpr std::string_view names[] = {"eq", "num", "float", "int"};
  for (const std::string& near : closestNames(fact.className, names)) d.addHelp("did you mean {}?", arg::Name{near});
  d.addHelp("the classes are `eq`, `num`, `float` and `int`");
}

// Reads `t : num`.
void narrowVariable(TypeReader& reader, const std::string& name, ElemClass elemClass, Span span) {
  Solution& solution = reader.solution;
  if (reader.use && reader.use->packElems.count(name)) {
    for (ElemVar v : reader.use->packElems[name])
      narrowElem(reader.solver, ElemTerm::of(v), elemClass, {}, {}, reader.reason);
    return;
  }
  const bool isKnown = reader.use || std::any_of(reader.scopes.begin(), reader.scopes.end(), [&](const Scope* scope) {
                         return scope->names.elems.count(name) > 0;
                       });
  if (!isKnown) return reportUnknownInFact(reader, name, span, /*isElem=*/true);
  ast::TypeTensor tensor;
  tensor.elem = name;
  const ElemTerm variable = readElem(reader, tensor);
  OriginId asked = writtenOrigin(reader, span);
  if (!asked.index) {
    Origin application;
    application.span = reader.provenance[reader.reason].span;
    asked = reader.provenance.add(std::move(application));
  }
  OriginId given;
  for (ElemTerm e = variable; e.isVar && solution.elemVars[e.var.index].binding;) {
    given = solution.elemVars[e.var.index].boundBy;
    e = *solution.elemVars[e.var.index].binding;
  }
  narrowElem(reader.solver, variable, elemClass, asked, given, reader.reason);
}

void readClass(TypeReader& reader, const ast::FactClass& fact, Span span) {
  const std::string& wanted = fact.className;
  if (reader.use && (wanted == "whole" || wanted == "leading" || wanted == "forward"))
    return readWholeFact(reader, fact);
  if (reader.use && wanted == "ragged") return readRaggedFact(reader, fact);
  static constexpr ElemClass classes[] = {ElemClass::eq, ElemClass::num, ElemClass::floating, ElemClass::integer};
  auto found = std::find_if(std::begin(classes), std::end(classes), [&](ElemClass c) { return wanted == name(c); });
  if (found == std::end(classes)) return reportUnknownClass(reader, fact, span);
  narrowVariable(reader, fact.variable, *found, span);
}

}  // namespace

void readFact(TypeReader& reader, const ast::Fact& fact, std::vector<DimFact>& facts) {
  if (const auto* relation = std::get_if<ast::FactRelation>(&fact.node))
    facts.push_back(readRelation(reader, *relation, fact));
  else if (const auto* stretch = std::get_if<ast::FactStretch>(&fact.node))
    facts.push_back(readStretch(reader, *stretch, fact));
  else if (const auto* equation = std::get_if<ast::FactShapes>(&fact.node))
    readShapes(reader, *equation, fact.span);
  else
    readClass(reader, std::get<ast::FactClass>(fact.node), fact.span);
}

}  // namespace axle
