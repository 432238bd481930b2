// What `where` states.
#include <algorithm>

#include <fmt/format.h>

#include "typecheck/codes.h"
#include "typecheck/solver/unify.h"
#include "typecheck/types/overloaded.h"
#include "typecheck/infer/type_reader.h"

namespace axle {

// A fact is about what the signature names.
void TypeReader::unknownInFact(const std::string& name, Span span, const std::string& what) {
  if (failed_) return;
  failed_ = true;
  Diagnostic d;
  d.code = &codes::unknownName;
  d.message = fmt::format("`{}` is {} in this signature", name, what);
  d.primary = {span, "not named by a parameter or the result"};
  diagnostics_.push_back(std::move(d));
}

void TypeReader::fact(const ast::Fact& fact, std::vector<DimFact>& facts) {
  std::visit(Overloaded{
                 [&](const ast::FactRelation& relation) { facts.push_back(relationFact(relation, fact)); },
                 [&](const ast::FactClass& of) { classFact(of, fact.span); },
                 [&](const ast::FactStretch& stretch) { facts.push_back(stretchFact(stretch, fact)); },
             },
             fact.node);
}

DimFact TypeReader::relationFact(const ast::FactRelation& relation, const ast::Fact& fact) {
  DimFact f;
  inFact_ = true;
  f.left = dim(relation.left);
  f.right = dim(relation.right);
  inFact_ = false;
  refuseLengths(fact, {f.left, f.right});
  f.relation = static_cast<FactRelation>(relation.relation);
  f.places = {fact.span};
  f.stated = true;
  return f;
}

// n is 1 or m where (n - 1)*(n - m) is 0.
DimFact TypeReader::stretchFact(const ast::FactStretch& stretch, const ast::Fact& fact) {
  DimStore& dims = c_.solution.dims;
  inFact_ = true;
  Dim n = dimName(stretch.dim, fact.span), m = dim(stretch.other), one = dims.constant(1);
  inFact_ = false;
  refuseLengths(fact, {n, m});
  if (auto v = dims.asVariable(n)) c_.solution.dimVars[v->index].stretchesTo = m;
  DimFact f;
  f.left = dims.mul(dims.sub(n, one), dims.sub(n, m));
  f.right = dims.constant(0);
  f.relation = FactRelation::eq;
  f.places = {fact.span};
  f.stated = true;
  f.stretch = {n, m};
  return f;
}

void TypeReader::classFact(const ast::FactClass& cls, Span span) {
  if (use_ && (cls.className == "whole" || cls.className == "leading" || cls.className == "forward"))
    return wholeFact(cls);
  if (use_ && cls.className == "ragged") return mayBeRagged(cls);
  static constexpr ElemClass classes[] = {ElemClass::eq, ElemClass::num, ElemClass::floating, ElemClass::integer};
  auto found =
      std::find_if(std::begin(classes), std::end(classes), [&](ElemClass c) { return cls.className == name(c); });
  if (found == std::end(classes)) return unknownClass(cls, span);
  if (use_ && use_->packElems.count(cls.variable)) {
    for (ElemVar v : use_->packElems[cls.variable]) narrowElem(c_.solver, ElemTerm::of(v), *found, {}, {}, reason_);
    return;
  }
  bool known = use_ || std::any_of(scopes_.begin(), scopes_.end(),
                                   [&](const Scope* scope) { return scope->names.elems.count(cls.variable) > 0; });
  if (!known) return unknownInFact(cls.variable, span, "no element type");
  ast::TypeTensor tensor;
  tensor.elem = cls.variable;
  ElemTerm variable = elem(tensor);
  OriginId asked = originAt(span);
  if (!asked.index) {
    Origin here;
    here.span = c_.provenance[reason_].span;
    asked = c_.provenance.add(std::move(here));
  }
  OriginId given;
  for (ElemTerm e = variable; e.isVar && c_.solution.elemVars[e.var.index].binding;) {
    given = c_.solution.elemVars[e.var.index].boundBy;
    e = *c_.solution.elemVars[e.var.index].binding;
  }
  narrowElem(c_.solver, variable, *found, asked, given, reason_);
}

void TypeReader::unknownClass(const ast::FactClass& cls, Span span) {
  failed_ = true;
  Diagnostic d;
  d.code = &codes::unknownClass;
  d.message = fmt::format("`{}` is no class of elements", cls.className);
  d.primary = {span, "here"};
  static constexpr std::string_view names[] = {"eq", "num", "float", "int"};
  for (const std::string& near : closestNames(cls.className, names))
    d.help.push_back(fmt::format("did you mean `{}`?", near));
  d.help.push_back("the classes are `eq`, `num`, `float` and `int`");
  diagnostics_.push_back(std::move(d));
}

}  // namespace axle
