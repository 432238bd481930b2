// The state and the results of one check, shared by the inference, the printer and entries.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "frontend/modules.h"
#include "typecheck/check.h"
#include "typecheck/solver/solver.h"
#include "typecheck/types/operator_signatures.h"
#include "typecheck/types/provenance.h"

namespace axle {

// A level that marks quantified variables: deeper than any scope.
inline constexpr std::uint32_t genericLevel = 0xffffffffu;

// The variables that a polymorphic binding quantifies over, and the constraints of each instance.
struct Scheme {
  std::vector<TypeVar> types;
  std::vector<ElemVar> elems;
  std::vector<ShapeVar> shapes;
  std::vector<DimVar> dims;
  std::vector<StaticVar> statics;
  std::vector<Constraint> constraints;
  std::vector<Constraint> delays;  // facts that streams satisfy after a delay: required of uses, not printed (solver.h)
  std::vector<DimFact> stated;     // the user's `where`: assumed inside, to be proved at each use
};

// The kind of declaration that names a size. Whoever runs the program feeds the latter two, so there the name is a
// promise.
enum class NamedBy : std::uint8_t { signature, entryParameter, weight };

// A name that the user gave a size or a shape in a signature or a `param`.
struct WrittenName {
  Span span;
  ShapePart is;
  NamedBy by = NamedBy::signature;
};

// Names that annotations introduce, by kind.
struct AnnotationNames {
  std::map<std::string, DimVar> dims;
  std::map<std::string, ShapeVar> shapes;
  std::map<std::string, ElemVar> elems;
  std::map<std::string, TypeId> types;
  std::vector<WrittenName> written;  // in the order of the text
};

struct Scope {
  std::map<std::string, BindingId> values;
  std::map<std::string, StaticId> statics;
  std::map<std::string, StaticId> defaults;  // of the static parameters
  AnnotationNames names;
};

struct TopLevelName {
  std::string name;
  BindingId binding;
};

class Checked {
 public:
  Checked(const Modules& m, const SourceMap& s, std::span<const CoreOp> declared)
      : modules(m), sources(s), solver(solution, provenance), operators(declared) {}
  Checked(const Checked&) = delete;

  const Modules& modules;
  const SourceMap& sources;
  Solution solution;
  Provenance provenance;
  Solver solver;
  OperatorTable operators;
  TypedProgram program;
  std::map<std::uint32_t, Scheme> schemes;                    // by BindingId::index
  std::vector<Scope> moduleScopes;                            // one for each of modules.modules
  std::size_t programScope = 0;                               // index of the root program's scope
  std::size_t programBegin = 0;                               // its first binding
  std::vector<TopLevelName> rootNames;                        // in program order
  std::map<std::uint32_t, std::vector<WrittenName>> written;  // names in the signatures of lambdas, by TypedId::index
  std::deque<ast::OpAttribute> scalars;                       // attributes that check static numbers and bools, by name
  std::vector<FactProof> proofs;                              // proofs of functions, if they are kept
  bool isGraph = false;                                       // a graph, not text: messages omit names of signatures
  bool gaveUp = false;                                        // past the budget: there are no usable types
  std::map<std::uint32_t, bool> failed;                       // bindings with errors
};

// Null for a binding that is not polymorphic.
inline const Scheme* schemeOf(const Checked& checked, BindingId binding) {
  auto found = checked.schemes.find(binding.index);
  return found == checked.schemes.end() ? nullptr : &found->second;
}

// Prints types on one line: every variable gets one name, and shape functions are printed in place of their results.
std::string printScheme(Checked& checked, TypeId type, const Scheme* scheme,
                        const std::vector<std::string>& parameters = {});
std::string printType(Checked& checked, TypeId type, const std::vector<DimFact>& facts = {},
                      const std::vector<std::string>& parameters = {});
// Prints the type of a `param`, with `_` for each size that the user did not name and that it has once: a name would be
// that of another `param`, too.
std::string printWithHoles(Checked& checked, TypeId weight);
std::string printShape(Checked& checked, const Shape& shape);
std::vector<std::string> printTypes(Checked& checked, const std::vector<TypeId>& types,
                                    const std::vector<std::string>& parameters = {});  // in the same names
// Prints types inside a binding, in the names of its type's line.
std::vector<std::string> printWithin(Checked& checked, TypeId owner, const Scheme* scheme,
                                     const std::vector<TypeId>& types);

// Prints facts in the names of the type's line.
std::vector<std::string> printFacts(Checked& checked, TypeId type, const Scheme* scheme,
                                    const std::vector<DimFact>& facts);

// Returns a suspended fact or equation between sizes, with its origin and place.
DimFact factOf(Checked& checked, const Constraint& constraint);
// Notes it in `fact` if the solver just gave up on this fact.
void noteGivenUp(const Solver& solver, DimFact& fact);

Diagnostic explain(Checked& checked, const Conflict& conflict);
// Returns the name whose declaration or value contains the origin; empty if there is none.
std::string ownerOf(const Checked& checked, const Origin& origin);
// The main place that gave a size its value, and its owner; none if no text has such a place.
struct Source {
  Span span;
  std::string owner;
};
std::optional<Source> sourceOf(Checked& checked, const ShapePart& size);

}  // namespace axle
