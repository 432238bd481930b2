// Conflicts: constraints that cannot hold, recorded with the data that an explanation needs. Except for `originsOf`,
// the functions below are for the solver's own files.
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
  escape,        // a run-time size would be a size that is known earlier
  undetermined,  // a run-time size does not determine the requested size
  unopened,      // a size that each call of a function creates would be one size for all its calls
  ragged,        // a ragged length would be a plain size, or another length
  unragged,      // a ragged length where an operator accepts none
  stream,        // a streamed dimension would be a fixed size, or is needed as a whole
  split,         // no ranks of appended shapes add up to the known rank
};

// A constraint that cannot hold, and the data that an explanation needs.
struct Conflict {
  ConflictKind kind = ConflictKind::type;
  ReasonId reason;
  std::string left, right;  // the two values as printed: "784", "f32", "(a, b)"
  std::string sizeName;     // of a dimension: its name in a signature
  std::string text;  // for fact, attribute: the text of what does not hold; for a reshape, the given shape (the wanted
                     // one is in sizeName)
  bool isReshape = false;
  std::string dividend, divisor;                          // of a reshape whose open size cannot be a whole number
  std::vector<std::pair<std::size_t, std::string>> fits;  // of a reshape: index of a number, and the value that fits
  // Of a reshape whose shapes differ in one size: that size of the given shape, and of the wanted one.
  std::pair<std::string, std::string> unlike;
  std::vector<OriginId> origins;
  std::size_t leftOrigins = 0;  // how many of `origins`, from the first, belong to the left side
  // The divisions that sizes contain: of a dim, the quotients in both; of a fact, those that must leave no remainder.
  std::vector<std::pair<Dim, Dim>> divisions;
  std::vector<std::pair<std::string, std::string>> values;  // of a fact's variables: name, value
  std::string needed;                            // of a fact: the value that one of these sizes would need, "h >= 17"
  std::pair<std::string, std::string> neededOf;  // the name and the value of that size
  std::vector<std::pair<Span, Phrase>> because;  // assumed facts, with their labels
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
// Records a conflict for a constraint that is a fact or an equation between sizes.
void failComparison(Solver& solver, const Constraint& constraint);
// Records that the sizes `a` and `b` cannot be equal.
Progress failSizes(Solver& solver, ConflictKind kind, const ShapePart& a, const ShapePart& b, ReasonId reason);

// Returns the places that gave a size its value, and those that passed it on; the most informative first.
std::vector<OriginId> originsOf(Solver& solver, const ShapePart& size);

// Print sizes, shapes and lists of static values for messages: resolved, with the variables' own names.
std::string show(Solver& solver, Dim size);
std::string show(Solver& solver, const Shape& shape);
std::string show(Solver& solver, StaticId list);
// With `_` for sizes that are not known yet and that the program does not name, if there are others. A shape of unknown
// sizes alone is that of an operator's signature: `[n, h, w, c]`. Sizes of graphs have names (`nameOf`).
std::string showKnown(Solver& solver, const Shape& shape);

}  // namespace axle
