// Conflicts: constraints that cannot hold, recorded with what an explanation needs. The functions below are for the
// solver's own files, but for `originsOf`.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "frontend/message.h"
#include "frontend/source.h"
#include "typecheck/solver/constraint.h"

namespace axle {

struct Solver;

enum class ConflictKind : std::uint8_t {
  type,
  tupleArity,
  functionArity,
  rank,
  dim,
  elem,
  elemClass,
  occurs,
  fact,
  attribute,
  overflow,
  escape,        // a run-time size would be one that is known before
  undetermined,  // a run-time size does not tell the one that is asked of it
  unopened,      // a size that each call of a function makes would be one for all its calls
  ragged,        // a ragged length would be a size, or another length
  unragged,      // a ragged length stands where an operator takes none
  stream,        // a streamed dimension would be a fixed size, or is needed whole
  split,         // a shape of known rank would be appended ones, but no ranks of them fit
};

// A constraint that cannot hold, with what an explanation needs.
struct Conflict {
  ConflictKind kind = ConflictKind::type;
  ReasonId reason;
  std::string left, right;  // the two values as printed: "784", "f32", "(a, b)"
  std::string sizeName;     // of a dimension: what a signature calls it
  std::string text;  // for fact, attribute: what does not hold; of a reshape, the shape it is given (and in sizeName
                     // the one wanted)
  bool isReshape = false;
  std::string dividend, divisor;                          // of a reshape whose open size cannot be whole
  std::vector<std::pair<std::size_t, std::string>> fits;  // of a reshape: the place of a number, and what fits there
  std::vector<OriginId> origins;
  std::size_t leftOrigins = 0;                              // how many of them, from the first, are of the left side
  std::vector<std::pair<std::string, std::string>> values;  // of a fact's variables: name, value
  std::string needed;                                       // of a fact: what one of these would have to be, "h >= 17"
  std::pair<std::string, std::string> neededOf;             // and which one
  std::vector<std::pair<Span, Phrase>> because;             // facts that were assumed, with their labels
  std::vector<Phrase> notes;
};

// Records the conflict. Returns false.
bool fail(Solver& solver, Conflict conflict);
Conflict conflictOf(ConflictKind kind, ReasonId reason, std::string left, std::string right,
                    std::vector<OriginId> origins);
// Records a conflict of an attribute: `text` says what it must be.
Progress failAttribute(Solver& solver, ReasonId reason, std::string text);
// Records that a fact does not hold.
Progress failFact(Solver& solver, const constraint::Fact& fact, ReasonId reason);
// The same of a constraint that is a fact or an equation between sizes.
void failComparison(Solver& solver, const Constraint& constraint);
// Records that the sizes `a` and `b` cannot be equal.
Progress failSizes(Solver& solver, ConflictKind kind, const ShapePart& a, const ShapePart& b, ReasonId reason);

// The places that gave a size its value, and those that handed it over; the most telling first.
std::vector<OriginId> originsOf(Solver& solver, const ShapePart& size);

// Sizes, shapes and lists of static values as messages print them: resolved, with the variables' own names.
std::string show(Solver& solver, Dim size);
std::string show(Solver& solver, const Shape& shape);
std::string show(Solver& solver, StaticId list);

}  // namespace axle
