// Codes of source files and syntax: E00 and E01.
#pragma once

#include "frontend/diagnostic.h"

namespace axle::codes {

inline const DiagnosticCode cannotRead{"E0001", Severity::error, "a source file cannot be read"};
inline const DiagnosticCode tooLarge{"E0002", Severity::error, "a source file is too large"};
inline const DiagnosticCode notText{"E0003", Severity::error, "a source is not UTF-8 text"};
inline const DiagnosticCode syntax{"E0101", Severity::error, "syntax error"};
inline const DiagnosticCode unbalanced{"E0102", Severity::error, "unbalanced bracket"};
inline const DiagnosticCode nestedTooDeeply{"E0103", Severity::error, "nested too deeply"};
inline const DiagnosticCode unknownCharacter{"E0104", Severity::error, "unknown character"};
inline const DiagnosticCode unterminatedString{"E0105", Severity::error, "unterminated string"};
inline const DiagnosticCode badEscape{"E0106", Severity::error, "unknown escape in a string"};
inline const DiagnosticCode badNumber{"E0107", Severity::error, "malformed number"};
inline const DiagnosticCode notATarget{"E0108", Severity::error, "`=` needs a name on its left"};
inline const DiagnosticCode unusedValue{"E0109", Severity::error, "a value that nothing uses"};
inline const DiagnosticCode noResult{"E0110", Severity::error, "a block without a value"};
inline const DiagnosticCode badElse{"E0111", Severity::error, "`if` and `else` do not match"};
inline const DiagnosticCode chainedComparison{"E0112", Severity::error, "comparisons do not chain"};
inline const DiagnosticCode onlyInOp{"E0113", Severity::error, "only in `op` declarations"};
inline const DiagnosticCode misplacedFn{"E0114", Severity::error, "a named function inside an expression"};
inline const DiagnosticCode badArgument{"E0115", Severity::error, "malformed argument list"};
inline const DiagnosticCode misplacedAnnotation{"E0116", Severity::error, "an annotation without a binding"};
inline const DiagnosticCode misplacedWhere{"E0117", Severity::error, "`where` at a type that has none"};
inline const DiagnosticCode badFact{"E0118", Severity::error, "malformed fact"};
inline const DiagnosticCode badOp{"E0119", Severity::error, "malformed operator declaration"};
inline const DiagnosticCode unknownAnnotation{"E0120", Severity::error, "unknown annotation"};
inline const DiagnosticCode duplicateName{"E0202", Severity::error, "duplicate name"};
inline const DiagnosticCode unknownModule{"E0204", Severity::error, "unknown module"};
inline const DiagnosticCode importCycle{"E0206", Severity::error, "modules import each other"};

}  // namespace axle::codes
