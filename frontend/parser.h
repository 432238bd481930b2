// Text -> AST. The grammar in `grammar/` is the only description of the syntax.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/ast.h"
#include "frontend/diagnostic.h"

namespace axle {

// Parses a whole file. Never throws. Adds all syntax errors to `diagnostics`; the module then holds what could be
// parsed, with ExprError in place of the rest.
ast::Module parseModule(const SourceMap& sources, SourceId source, std::string name, Diagnostics& diagnostics);

// Parses a part of a source, as if everything outside it were blank.
ast::Module parseModule(const SourceMap& sources, Span part, std::string name, Diagnostics& diagnostics);

// Parses an expression, a type or a shape that consists of parts of the module's source, in order, and adds it to the
// module. Returns nothing, and adds diagnostics, if the text is something else.
using Parts = std::vector<Span>;
std::optional<ast::ExprId> parseValue(const SourceMap& sources, const Parts& parts, ast::Module& into,
                                      Diagnostics& diagnostics);
std::optional<ast::TypeId> parseType(const SourceMap& sources, const Parts& parts, ast::Module& into,
                                     Diagnostics& diagnostics);
std::optional<ast::ShapeId> parseShape(const SourceMap& sources, const Parts& parts, ast::Module& into,
                                       Diagnostics& diagnostics);

// One fact, as written after `where`; its dimensions are in the module.
struct ParsedFact {
  ast::Module module;
  ast::Fact fact;
};
// Returns nothing, and adds diagnostics, if the source is not one fact.
std::optional<ParsedFact> parseFact(const SourceMap& sources, SourceId source, Diagnostics& diagnostics);

}  // namespace axle
