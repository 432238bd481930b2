// Diagnostics of entries and lowering: E05.
#pragma once

#include <span>

#include "frontend/diagnostic.h"

namespace axle::codes {

extern const DiagnosticCode functionAsValue;
extern const DiagnosticCode inliningTooDeep;
extern const DiagnosticCode modelTooLarge;
extern const DiagnosticCode openSize;
extern const DiagnosticCode raggedOperator;
extern const DiagnosticCode noSuchElements;
extern const DiagnosticCode rankOfMatch;

}  // namespace axle::codes

namespace axle {

std::span<const DiagnosticCode* const> irCodes();

}  // namespace axle
