// Reports what an annotation cannot mean. Each does nothing after an earlier error of the same reader.
#pragma once

#include <string>

#include "typecheck/infer/type_reader.h"

namespace axle::codes {
inline const DiagnosticCode unsupported{"E0311", Severity::error, "a form that cannot stand here"};
}

namespace axle {

// Reports a part of the language that the checker does not support where it stands.
void reportUnsupported(TypeReader& reader, Span span, const Phrase& what);
// Reports a name in `where` that the signature does not introduce as a size, or as an element type.
void reportUnknownInFact(TypeReader& reader, const std::string& name, Span span, bool isElem);
// Reports an element type's name of another framework, or one of ours mistyped, as in `float32`. Without this it would
// be a variable, which any element type fits.
void rejectMistakenElem(TypeReader& reader, const std::string& name, Span span);
// Reports the name of an element type, or of nothing (`None`), as a size. Without this it would be a variable, equal
// wherever it stands.
void rejectMistakenSize(TypeReader& reader, const std::string& name, Span span);

}  // namespace axle
