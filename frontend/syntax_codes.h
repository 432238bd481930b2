// Codes of syntax errors that several files report, and the messages that consequent_errors.cc recognises.
#pragma once

#include "frontend/message.h"

namespace axle::codes {

inline const DiagnosticCode syntax{"E0101", Severity::error, "syntax error"};
inline const DiagnosticCode unbalanced{"E0102", Severity::error, "unbalanced bracket"};
inline const DiagnosticCode nestedTooDeeply{"E0103", Severity::error, "nested too deeply"};
inline const DiagnosticCode unknownCharacter{"E0104", Severity::error, "unknown character"};
inline const DiagnosticCode unterminatedString{"E0105", Severity::error, "unterminated string"};
inline const DiagnosticCode badNumber{"E0107", Severity::error, "malformed number"};
inline const DiagnosticCode unusedValue{"E0109", Severity::error, "a value that nothing uses"};
inline const DiagnosticCode noResult{"E0110", Severity::error, "a block without a value"};
inline const DiagnosticCode badElse{"E0111", Severity::error, "`if` and `else` do not match"};
inline const DiagnosticCode chainedComparison{"E0112", Severity::error, "comparisons do not chain"};
inline const DiagnosticCode onlyInOp{"E0113", Severity::error, "only in `op` declarations"};
inline const DiagnosticCode misplacedAnnotation{"E0116", Severity::error, "an annotation without a binding"};
inline const DiagnosticCode badFact{"E0118", Severity::error, "malformed fact"};
inline const DiagnosticCode badOp{"E0119", Severity::error, "malformed operator declaration"};

}  // namespace axle::codes

namespace axle {

// What was expected, and what was found.
inline constexpr Message<Phrase, Phrase> expectedBefore{codes::syntax, "expected {} before {}"};
inline constexpr Message<arg::Code> unmatchedBracket{codes::unbalanced, "unmatched {}",
                                                     "there is no opening bracket for it"};
// The opening bracket, and its closing one.
inline constexpr Message<arg::Code, arg::Code> unclosedBracket{codes::unbalanced, "unclosed {}",
                                                               "expected {1} before this"};

}  // namespace axle
