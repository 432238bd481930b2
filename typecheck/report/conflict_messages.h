// The message and label of each kind of conflict, and their codes, which the checker reports itself too.
#pragma once

#include "frontend/diagnostic.h"
#include "typecheck/solver/conflicts.h"
#include "typecheck/types/provenance.h"

namespace axle::codes {

inline const DiagnosticCode typeMismatch{"E0301", Severity::error, "types do not fit"};
inline const DiagnosticCode dimMismatch{"E0302", Severity::error, "sizes differ"};
inline const DiagnosticCode rankMismatch{"E0303", Severity::error, "ranks differ"};
inline const DiagnosticCode elemMismatch{"E0304", Severity::error, "element types differ"};
inline const DiagnosticCode elemClass{"E0305", Severity::error, "element type of the wrong class"};
inline const DiagnosticCode infiniteType{"E0306", Severity::error, "a type that contains itself"};
inline const DiagnosticCode factRefuted{"E0307", Severity::error, "a fact that does not hold"};
inline const DiagnosticCode reshapeTotal{"E0308", Severity::error, "a reshape that changes the number of elements"};
inline const DiagnosticCode badAttribute{"E0309", Severity::error, "a static argument of the wrong form"};
inline const DiagnosticCode overflow{"E0312", Severity::error, "a size out of range"};
inline const DiagnosticCode typesTooLarge{"E0315", Severity::error, "types grow too large"};
inline const DiagnosticCode runtimeEscape{"E0316", Severity::error, "a size known only at run time"};
inline const DiagnosticCode raggedMismatch{"E0317", Severity::error, "ragged lengths"};
inline const DiagnosticCode streamMismatch{"E0318", Severity::error, "a streamed dimension"};

}  // namespace axle::codes

namespace axle {

// A conflict's diagnostic with its message and primary label, at `why.span`; notes, help and other places are
// `explain`'s. Where the program is an imported graph, it does not mention signatures.
Diagnostic conflictMessage(const Conflict& conflict, const Reason& why, bool isGraph);

// Whether the text of a signature has a size of this name, within brackets: other names are of parameters, or a
// callee's.
bool isSizeOf(std::string_view signature, std::string_view name);

// Whether an operator takes bool where another element type was given.
bool wantsBool(const Conflict& conflict, const Reason& why);

}  // namespace axle
