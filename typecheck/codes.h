// Codes of names, types, shapes, weights and entries: E02 to E05.
#pragma once

#include "typecheck/report/conflict_messages.h"

namespace axle::codes {

inline const DiagnosticCode unknownName{"E0201", Severity::error, "unknown name"};
inline const DiagnosticCode recursive{"E0203", Severity::error, "recursive binding"};
inline const DiagnosticCode unknownMember{"E0205", Severity::error, "a module has no such member"};
inline const DiagnosticCode moduleNameTaken{"E0207", Severity::error, "a name starts with a module's name"};
inline const DiagnosticCode nameRefined{"N0301", Severity::note, "a name is inferred to be something"};
inline const DiagnosticCode elementDefaulted{"N0501", Severity::note, "an open element type"};
inline const DiagnosticCode arity{"E0310", Severity::error, "wrong arguments"};
inline const DiagnosticCode unsupported{"E0311", Severity::error, "a form that cannot stand here"};
inline const DiagnosticCode unknownClass{"E0313", Severity::error, "unknown class of elements"};
inline const DiagnosticCode notStatic{"E0314", Severity::error, "not a static value"};
inline const DiagnosticCode unknownElem{"E0319", Severity::error, "an unknown element type"};
inline const DiagnosticCode weightMissing{"E0401", Severity::error, "a tensor is missing in the weights"};
inline const DiagnosticCode weightType{"E0402", Severity::error, "a tensor of another type"};
inline const DiagnosticCode weightsNeeded{"E0403", Severity::error, "weights are needed"};
inline const DiagnosticCode weightUnreadable{"E0404", Severity::error, "a tensor that cannot be read"};
inline const DiagnosticCode paramType{"E0405", Severity::error, "a parameter that is no tensor"};
inline const DiagnosticCode noEntry{"E0501", Severity::error, "no such entry"};
inline const DiagnosticCode entryType{"E0502", Severity::error, "not an entry"};
inline const DiagnosticCode entryRank{"E0503", Severity::error, "the rank of an input is open"};
inline const DiagnosticCode openEntry{"E0504", Severity::error, "a result of open shape"};
inline const DiagnosticCode unknownSet{"E0505", Severity::error, "nothing to set"};
inline const DiagnosticCode entryText{"E0506", Severity::error, "text cannot be compiled"};
inline const DiagnosticCode literalOutOfRange{"E0512", Severity::error, "a number that its element type cannot hold"};

}  // namespace axle::codes
