// Types as written -> types: annotations, and signatures of operators with their packs, attributes and shape functions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/checked.h"

namespace axle {

// The values that one application of an operator gives to the names of its signature.
struct SignatureUse {
  std::map<std::string, StaticId> attributes;
  std::size_t packSize = 0;  // arguments of the variadic parameter
  std::string count;         // what the signature calls their number; may be empty
  // Pack variables, one for each argument.
  std::map<std::string, std::vector<Dim>> packDims;
  std::map<std::string, std::vector<ShapeVar>> packShapes;
  std::map<std::string, std::vector<ElemVar>> packElems;
  struct {
    std::vector<ShapeVar> shapes;
    std::vector<Dim> dims;
  } mayBeRagged;
};

class TypeReader {
 public:
  // `scopes` are searched from the last to the first; new names go into the last one. `use` is for signatures only.
  TypeReader(Checked& checked, const ast::Module& module, std::vector<Scope*> scopes, Diagnostics& diagnostics,
             SignatureUse* use = nullptr, ReasonId reason = {})
      : c_(checked),
        module_(module),
        scopes_(std::move(scopes)),
        diagnostics_(diagnostics),
        use_(use),
        reason_(reason) {}

  TypeId type(ast::TypeId id);
  Shape shape(ast::ShapeId id);
  Dim dim(ast::DimId id);
  // Reads a fact: a relation is appended to `facts`, a class narrows its variable.
  void fact(const ast::Fact& fact, std::vector<DimFact>& facts);
  bool failed() const { return failed_; }
  // What `*l`, `?k` and `?s` mean in what is read next: of a generalised function's parameters, whatever a caller
  // gives, which the function cannot choose; else whatever is found to stand there.
  void setUniversal(bool universal) { universal_ = universal; }
  // What is read next is a `match`'s, which names sizes of the run without a mark.
  void setMatch() { isMatch_ = true; }
  // Which argument of the variadic parameter is read now.
  void setPackIndex(std::size_t index) { packIndex_ = index; }
  bool mentionsPack(ast::TypeId id) const;
  // The dimension that a name means here; a new one where it means none yet.
  Dim dimName(const std::string& name, Span span = {});
  std::optional<ShapeVar> shapeNamed(const std::string& name) const;

 private:
  ElemTerm elem(const ast::TypeTensor& tensor);
  void refuseSlip(const std::string& name, Span span);
  void refuseSize(const std::string& name, Span span);
  void unknownInFact(const std::string& name, Span span, const std::string& what);
  DimFact relationFact(const ast::FactRelation& relation, const ast::Fact& fact);
  DimFact stretchFact(const ast::FactStretch& stretch, const ast::Fact& fact);
  void classFact(const ast::FactClass& cls, Span span);
  void unknownClass(const ast::FactClass& cls, Span span);
  Dim dimOf(ast::DimId id);
  Dim namedValue(const std::string& name, Dim value);
  TypeId typeVariable(const std::string& name, Span span);
  TypeId function(const ast::TypeFunction& f, OriginId origin);
  TypeId typeCall(const ast::TypeCall& call, Span span);
  Shape shapeCall(const ast::ShapeCall& call, Span span);
  Shape runtimeShape(const std::string& name, Span span);
  Dim marked(const std::string& name, DimKind kind, Span span);
  Dim streamed(ast::DimId inner, Span span);
  void regular(ast::DimId id, Dim dim);
  void placeLengths(const Shape& shape);
  // A name means one kind of dimension wherever it stands.
  void sameKind(const std::string& name, DimVar known, DimKind kind, Span span);
  void plainName(ast::DimId id, Dim dim);
  void refuseLengths(const ast::Fact& fact, const std::vector<Dim>& sides);
  void noPlaceFor(const ShapePart& length, bool again);
  void wholeFact(const ast::FactClass& fact);
  void mayBeRagged(const ast::FactClass& fact);
  Dim dimCall(const ast::DimCall& call, Span span);
  Dim width(const std::string& elemName);
  Dim windowCall(const ast::DimCall& call, Span span);
  std::optional<StaticId> attribute(const std::string& name) const;
  Shape broadcast(const Shape& a, const Shape& b);
  void unsupported(Span span, const std::string& what);
  bool mentionsPack(ast::ShapeId id) const;
  bool mentionsPack(ast::DimId id) const;

  // An origin for what is written here; none in signatures, whose parts get their place from the application.
  OriginId originAt(Span span);

  Checked& c_;
  const ast::Module& module_;
  std::vector<Scope*> scopes_;
  Diagnostics& diagnostics_;
  SignatureUse* use_;
  bool isMatch_ = false;
  ReasonId reason_;
  std::size_t packIndex_ = 0;
  bool universal_ = false;
  bool failed_ = false;
  bool inFact_ = false;
  bool inAppend_ = false;
};

}  // namespace axle
