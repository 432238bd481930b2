// The state of reading written types: annotations, and signatures of operators with their packs, attributes and shape
// functions. The functions below read each kind of syntax; they report each mistake once and set `failed`.
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
  std::string count;         // the signature's name for their number; may be empty
  // Variables of packs, one for each argument.
  std::map<std::string, std::vector<Dim>> packDims;
  std::map<std::string, std::vector<ShapeVar>> packShapes;
  std::map<std::string, std::vector<ElemVar>> packElems;
  struct {
    std::vector<ShapeVar> shapes;
    std::vector<Dim> dims;
  } mayBeRagged;
};

struct TypeReader {
  // `signature` is for signatures of operators only: null for an annotation.
  TypeReader(Checked& checked, const ast::Module& m, std::vector<Scope*> s, Diagnostics& d,
             SignatureUse* signature = nullptr, ReasonId why = {})
      : solution(checked.solution),
        solver(checked.solver),
        provenance(checked.provenance),
        module(m),
        scopes(std::move(s)),
        diagnostics(d),
        use(signature),
        reason(why) {}

  Solution& solution;
  Solver& solver;
  Provenance& provenance;
  const ast::Module& module;
  std::vector<Scope*> scopes;  // searched from the last to the first; new names go into the last one
  Diagnostics& diagnostics;
  bool failed = false;

  SignatureUse* use;
  ReasonId reason;            // the application of the operator
  std::size_t packIndex = 0;  // index of the variadic argument that is being read

  // Whether `*l`, `?k` and `?s` are chosen by the caller, not by the function; otherwise they stand for the sizes found
  // there. The parameters of a function that is generalised are universal.
  bool isUniversal = false;
  bool isMatch = false;  // the type of a `match`, which names run-time sizes without a mark
  // Called with each name before it is looked up: a static parameter is declared when a type first names it.
  std::function<void(const std::string& name)> onName;
  bool inFact = false, inShapeFact = false, inAppend = false;
};

// Adds an error. The reference is valid until the next one.
template <class... Args>
Diagnostic& report(TypeReader& reader, const Message<Args...>& message, Span span,
                   const std::type_identity_t<Args>&... arguments) {
  reader.failed = true;
  return report(reader.diagnostics, message, span, arguments...);
}

TypeId readType(TypeReader& reader, ast::TypeId id);
Shape readShape(TypeReader& reader, ast::ShapeId id);
Dim readDim(TypeReader& reader, ast::DimId id);
// Reads a fact: a relation is appended to `facts`, a class narrows its variable.
void readFact(TypeReader& reader, const ast::Fact& fact, std::vector<DimFact>& facts);

// Returns the element type, or the variable of its name.
ElemTerm readElem(TypeReader& reader, const ast::TypeTensor& tensor);
// Returns the dimension of this name; a new one if the name is unknown.
Dim readDimName(TypeReader& reader, const std::string& name, Span span = {});
std::optional<ShapeVar> findShape(const TypeReader& reader, const std::string& name);
struct StaticParameterValue {
  StaticId value, defaultValue;
};
// Finds a static parameter of an enclosing function.
std::optional<StaticParameterValue> findStatic(const TypeReader& reader, const std::string& name);
// Returns the value of an attribute of the signature.
std::optional<StaticId> findAttribute(const TypeReader& reader, const std::string& name);
// Whether the syntax mentions a pack of the signature, so that it is read once for each argument.
bool mentionsPack(const TypeReader& reader, ast::TypeId id);

// Makes an origin for this place; none in a signature, whose parts get their place from the application.
OriginId writtenOrigin(TypeReader& reader, Span span);
// Returns the reason for constraints of a shape function or `#`: the application of the operator, or this place in an
// annotation.
ReasonId reasonOf(TypeReader& reader, std::string_view function, Span span);

}  // namespace axle
