// Reports unknown names, with suggestions: close names, and our names for those of other libraries.
#pragma once

#include "typecheck/infer/foreign_names.h"
#include "typecheck/infer/inference.h"
#include "typecheck/infer/name_codes.h"

namespace axle {

// Reports the name, unless its error follows from one already reported. Returns an error expression.
TypedId inferUnknownName(Inference& in, Span span, const std::string& name);
// Reports a new axis in an index, as in `x[:, None]`; `axis` is its index among the items.
void reportNewAxis(Inference& in, Span none, Span whole, const ast::ExprIndex& index, std::size_t axis);
bool isValueInScope(const Inference& in, const std::string& name);

// Adds our name for another library's name, and the call as written in Axle as a fix to try. `place` is the call, or
// the name if it is not called; `receiver` is the `x` of `x.view(...)`.
void suggestForeign(Inference& in, Diagnostic& d, Span place, const ForeignName& foreign, const ast::ExprCall* call,
                    const std::string& receiver);

// The module of the standard library whose import the error is about; none for other errors.
std::optional<std::string> missingImport(const Diagnostic& diagnostic);
// Keeps the first error for each module that is not imported, and drops later errors about its names.
void keepFirstOfMissingImports(const SourceMap& sources, Diagnostics& diagnostics);
// Notes at the last error how many errors exceed `maxErrors`.
void noteErrorsLeftOut(Diagnostics& diagnostics, std::size_t count);

}  // namespace axle
