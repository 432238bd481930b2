// Diagnostics of types, shapes, weights and entries: E03, E04, E0501 to E0509 and E0512.
#pragma once

#include <span>

#include "frontend/diagnostic.h"

namespace axle::codes {

extern const DiagnosticCode typeMismatch, dimMismatch, rankMismatch, elemMismatch, elemClass, infiniteType, factRefuted,
    reshapeTotal, badAttribute, arity, unsupported, overflow, unknownClass, notStatic, typesTooLarge, runtimeEscape,
    raggedMismatch, streamMismatch, unknownElem;
extern const DiagnosticCode nameRefined, elementDefaulted;  // notes
extern const DiagnosticCode weightMissing, weightType, weightsNeeded, weightUnreadable, paramType;
extern const DiagnosticCode noEntry, entryType, entryRank, openEntry, unknownSet, entryText;
extern const DiagnosticCode literalOutOfRange;

}  // namespace axle::codes

namespace axle {
std::span<const DiagnosticCode* const> typecheckCodes();
}
