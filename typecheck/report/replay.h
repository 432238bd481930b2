// Finds the operator that fails by following the calls of a function of the program into their bodies, as a run would.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/diagnostic.h"
#include "typecheck/check.h"
#include "typecheck/infer/inference.h"
#include "typecheck/report/guesses.h"
#include "typecheck/report/marked_statements.h"

namespace axle {

// What a replay begins with: a definition of the program, and the names of sizes in its signature that may be anything.
struct ReplayPlan {
  std::string definition;
  bool areAllPromised = false;
  std::set<std::string> promised = {};
};

// Infers a definition in an inference that follows calls, and reports the first conflict.
void inferFollowing(Inference& in, const ast::Binding& definition, const ReplayPlan& plan);

struct Replayed {
  ReplayPlan plan;
  Diagnostic diagnostic;               // marks the operator, and the calls that lead to it
  std::vector<Span> calls;             // those calls, innermost first
  Span reached;                        // what was inferred last before it failed
  GuessesAtOperator guesses;           // of changes that may correct the error, likeliest first
  std::vector<MadeOperand> made = {};  // of the operator
  bool isElsewhere = true;             // the operator is not what the error marks, or a call leads there
};

// Whether a diagnostic is about sizes, shapes or element types that do not fit together.
bool isOfTypes(const DiagnosticCode* code);

// Where `error` is of types in the root module: the first operator that fails in a replay of the function that the
// program begins with, or else of the function that has the error. Of a size that is narrowed (E0320): the operator
// that first asks for its value. Nothing where the replay finds no failure that belongs to the error, or takes more
// work than such a report is worth. Leaves `checked` as it was.
std::optional<Replayed> replay(Checked& checked, const CheckOptions& options, const Diagnostic& error);

}  // namespace axle
