// Errors of names that mean nothing here, with suggestions: close names, and what names of other libraries are called.
#pragma once

#include "typecheck/infer/foreign_names.h"
#include "typecheck/infer/inference.h"
#include "typecheck/infer/name_codes.h"

namespace axle {

// Reports the name, unless its error follows from one that was reported. Gives an error expression.
TypedId inferUnknownName(Inference& in, Span span, const std::string& name);
// Reports a new axis in an index, as in `x[:, None]`; `axis` is its place among the items.
void reportNewAxis(Inference& in, Span none, Span whole, const ast::ExprIndex& index, std::size_t axis);
bool isValueInScope(const Inference& in, const std::string& name);

// Adds our name for one of another library, and the call in our words as a fix to try. `place` is the call, or the name
// where it is not called; `receiver` is the `x` of `x.view(...)`.
void suggestForeign(Inference& in, Diagnostic& d, Span place, const ForeignName& foreign, const ast::ExprCall* call,
                    const std::string& receiver);

// Of the errors of names of a module that is not imported, keeps the first of each module.
void keepFirstOfMissingImports(const SourceMap& sources, Diagnostics& diagnostics);
// Says behind the last error how many errors are past `maxErrors`.
void noteErrorsLeftOut(Diagnostics& diagnostics, std::size_t count);

}  // namespace axle
