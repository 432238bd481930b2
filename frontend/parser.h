// Text -> AST. The grammar in `grammar/` is the only description of the syntax.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/ast.h"
#include "frontend/diagnostic.h"

namespace axle {

// Parses a whole file. Never throws. After syntax errors, which go to `diagnostics` (several of them), the module holds
// what could be recovered, with ExprError where nothing could.
ast::Module parseModule(const SourceMap& sources, SourceId source, std::string name, Diagnostics& diagnostics);

// Parses a part of a source, as if everything outside of it were blank.
ast::Module parseModule(const SourceMap& sources, Span part, std::string name, Diagnostics& diagnostics);

// Parses an expression, a type or a shape that is spread over parts of the module's source, in their order, and adds it
// to the module. Returns nothing, and adds diagnostics, where the text is something else.
using Parts = std::vector<Span>;
std::optional<ast::ExprId> parseValue(const SourceMap& sources, const Parts& parts, ast::Module& into,
                                      Diagnostics& diagnostics);
std::optional<ast::TypeId> parseType(const SourceMap& sources, const Parts& parts, ast::Module& into,
                                     Diagnostics& diagnostics);
std::optional<ast::ShapeId> parseShape(const SourceMap& sources, const Parts& parts, ast::Module& into,
                                       Diagnostics& diagnostics);

// One fact, as after `where`; its dimensions are in the module.
struct ParsedFact {
  ast::Module module;
  ast::Fact fact;
};
// Returns nothing, and adds diagnostics, where the source is not one fact.
std::optional<ParsedFact> parseFact(const SourceMap& sources, SourceId source, Diagnostics& diagnostics);

}  // namespace axle
