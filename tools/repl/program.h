// The program of a session: what was typed, over a file that was loaded; checked as a whole after each definition.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/modules.h"
#include "typecheck/checked.h"
#include "typecheck/report/query.h"

namespace axle::repl {

inline constexpr const char* typedPath = "<repl>";
inline constexpr const char* tensorsPath = "<tensors>";

// A definition, without its `;`: offsets into what was typed.
struct Entry {
  std::size_t begin = 0, end = 0;
};

// What a program is read from.
struct Recipe {
  std::string file;                          // that was loaded; empty: none
  std::vector<std::string> includes;         // as -I
  std::map<std::string, std::string> texts;  // of files as they were read first, by identity
  std::string typed;                         // all lines of the session, with their ends
  std::vector<Entry> entries;                // in their order
  std::string tensors;                       // a declaration for each that is held, a line each
};

struct Program {
  SourceMap sources;
  Modules modules;
  CheckedPtr checked;
  Diagnostics diagnostics;
  std::optional<SourceId> typed;             // the source of what was typed
  std::vector<std::size_t> idle;             // entries that define nothing any more: later ones took their names
  std::map<std::string, std::string> types;  // as printed, by name
  std::vector<TopLevelName> told;            // names whose types were printed last, in program order
  std::vector<TopLevelName> open;            // those of whose types later definitions may tell more

  bool good() const { return checked && !hasErrors(diagnostics); }
  // Whether all that a definition defines is new, so that nothing else has to be checked with it.
  bool isExtendedBy(const ast::Module& definition) const;
  // Checks the last entry of a recipe too, of which this program is what stands before it. False, with diagnostics,
  // where it is wrong: the program is of no use then.
  bool extend(const Recipe& recipe, const CheckOptions& options, Diagnostics& found);
  // Prints the types of `told`.
  void printTypes();
  // A module whose names are the program's, for what is asked: read with its imports.
  void addModule(ast::Module module);
};

// Reads and checks. A name has its last definition; what uses it stands behind that.
std::unique_ptr<Program> makeProgram(const Recipe& recipe, const CheckOptions& options);

// A module that the program imports, or one of the standard library, as a program of its own. None where there is none
// of that name.
std::unique_ptr<Program> moduleProgram(const Program& program, const Recipe& recipe, const std::string& name,
                                       const CheckOptions& options);

Span spanOf(const ast::Module& module, const ast::Item& item);
// Names that an item defines: of a binding all of its pattern.
std::vector<std::string> namesOf(const ast::Module& module, const ast::Item& item);

// Adds `name = value` to a module.
void addBinding(ast::Module& module, const std::string& name, ast::ExprId value);

}  // namespace axle::repl
