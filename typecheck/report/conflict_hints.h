// Help for kinds of conflicts that says what the language offers, where no change of the text is known.
#pragma once

#include "frontend/diagnostic.h"
#include "typecheck/solver/conflicts.h"
#include "typecheck/types/provenance.h"

namespace axle {

void addHints(const Conflict& conflict, const Reason& reason, bool isGraph, Diagnostic& d);
// Names the facts of a signature that cannot hold together.
void addContradiction(const SourceMap& sources, const Conflict& conflict, const Reason& reason, Diagnostic& d);

}  // namespace axle
