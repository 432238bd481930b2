// Reads static arguments: values known when the program is compiled. The functions return none after an error.
#pragma once

#include "typecheck/infer/inference.h"
#include "typecheck/infer/type_reader.h"

namespace axle::codes {
inline const DiagnosticCode notStatic{"E0314", Severity::error, "not a static value"};
}

namespace axle {

// Reads a number, string, list, or arithmetic over the names of sizes.
std::optional<StaticId> readStatic(Inference& in, ast::ExprId id);
// The same for a value that must be an integer.
std::optional<Dim> readStaticDim(Inference& in, ast::ExprId id);
// Reads `size(s)` or `rank(s)` of a shape that an annotation names; none, without an error, for any other call.
std::optional<Dim> readSizeOfShape(Inference& in, Span span, const ast::ExprCall& call);

// Returns the places within a span where a name is part of an index, a list or a named argument: there it is static.
std::vector<Span> staticUses(const ast::Module& module, const std::string& name, Span within);

// Reads the default of an attribute in `core.ax`: a literal, another attribute, a dimension of the signature,
// `reversed`, `all`.
std::optional<StaticId> readDefault(Solution& solution, const ast::Module& core, ast::ExprId id,
                                    const SignatureUse& signature, TypeReader& reader);
// Checks that a value given for an attribute of the operator `op` has the form of its sort. A static parameter that is
// still open gets that form.
bool checkAttribute(Inference& in, const ast::OpAttribute& attribute, StaticId value, Span span, const std::string& op,
                    ReasonId why);

StaticId staticDim(Solution& solution, Dim dim);

}  // namespace axle
