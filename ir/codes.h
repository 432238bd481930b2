// Codes of lowering: E05.
#pragma once

#include "frontend/diagnostic.h"

namespace axle::codes {

inline const DiagnosticCode functionAsValue{"E0511", Severity::error, "a function where only tensors can flow"};
inline const DiagnosticCode inliningTooDeep{"E0513", Severity::error, "calls nest too deeply"};
inline const DiagnosticCode modelTooLarge{"E0514", Severity::error, "the inlined entry is too large"};
inline const DiagnosticCode openSize{"E0515", Severity::error, "a size that is known only in the middle of a run"};
inline const DiagnosticCode raggedOperator{"E0517", Severity::error,
                                           "an operator that ragged tensors cannot be compiled for"};
inline const DiagnosticCode noSuchElements{"E0516", Severity::error,
                                           "an operator that has no meaning for its elements"};
inline const DiagnosticCode rankOfMatch{"E0518", Severity::error, "a `match` that the rank does not fit"};

}  // namespace axle::codes
