// Diagnostics of reading graphs: E09.
#pragma once

#include <span>

#include "frontend/diagnostic.h"

namespace axle::codes {

extern const DiagnosticCode graphFile;
extern const DiagnosticCode graphText;
extern const DiagnosticCode graphChoice;
extern const DiagnosticCode noSuchTensor;
extern const DiagnosticCode danglingInput;
extern const DiagnosticCode noSuchPort;
extern const DiagnosticCode duplicateNode;
extern const DiagnosticCode cycle;
extern const DiagnosticCode inputCount;
extern const DiagnosticCode nodeAttribute;
extern const DiagnosticCode nodeConstant;
extern const DiagnosticCode missingFunction;
extern const DiagnosticCode badFunction;
extern const DiagnosticCode checkpointFile;
extern const DiagnosticCode variableValue;
extern const DiagnosticCode nodeMisfit;
extern const DiagnosticCode callsNotFollowed;
extern const DiagnosticCode notComputed;

}  // namespace axle::codes

namespace axle {

std::span<const DiagnosticCode* const> tensorflowCodes();

}  // namespace axle
