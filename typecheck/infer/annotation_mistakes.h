// Reports annotations that mean nothing. Each function does nothing after an earlier error of the same reader.
#pragma once

#include <string>

#include "typecheck/infer/type_reader.h"

namespace axle::codes {
inline const DiagnosticCode unsupported{"E0311", Severity::error, "a form that cannot stand here"};
}

namespace axle {

// Reports a part of the language that the checker does not support in this position.
void reportUnsupported(TypeReader& reader, Span span, const Phrase& what);
// Reports a name in `where` that the signature does not introduce as a size, or as an element type.
void reportUnknownInFact(TypeReader& reader, const std::string& name, Span span, bool isElem);
// Reports another framework's name of an element type, or a mistyped one of ours, as in `float32`. Otherwise it would
// be read as a variable, which any element type fits.
void rejectMistakenElem(TypeReader& reader, const std::string& name, Span span);
// Reports a size that is the name of an element type, or a word such as `None`. Otherwise it would be read as a
// variable, equal in all its places.
void rejectMistakenSize(TypeReader& reader, const std::string& name, Span span);

}  // namespace axle
