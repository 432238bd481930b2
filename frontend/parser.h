// Text -> AST. The grammar in `grammar/` is the only description of the syntax.
#pragma once

#include "frontend/ast.h"
#include "frontend/diagnostic.h"

namespace axle {

// Parses a whole file. Never throws; after syntax errors the module holds what could be recovered
// (ExprError where nothing could), and `diagnostics` says what was wrong, several errors a run.
ast::Module parseModule(const SourceMap& sources, SourceId source, std::string name, Diagnostics& diagnostics);

// One fact, as after `where`; its dimensions are in the module.
struct ParsedFact {
  ast::Module module;
  ast::Fact fact;
};
// None, with diagnostics, where the source is not one fact.
std::optional<ParsedFact> parseFact(const SourceMap& sources, SourceId source, Diagnostics& diagnostics);

}  // namespace axle
