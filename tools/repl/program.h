// The program of a session: the definitions of a loaded file, followed by the typed ones.
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

// A definition without its `;`, as offsets into the typed text.
struct Entry {
  std::size_t begin = 0, end = 0;
};

// The texts that a program is made from.
struct Recipe {
  std::string file;                          // the loaded file; empty if there is none
  std::vector<std::string> includes;         // as -I
  std::map<std::string, std::string> texts;  // of files as they were first read, by identity
  std::string typed;                         // all lines of the session, with their ends
  std::vector<Entry> entries;                // in the order in which they were typed
  std::string tensors;                       // declarations of the session's tensors, one a line
};

struct Program {
  SourceMap sources;
  Modules modules;
  CheckedPtr checked;
  Diagnostics diagnostics;
  std::optional<SourceId> typed;             // the source with the typed text
  std::vector<std::size_t> superseded;       // entries whose names are all redefined by later entries
  std::map<std::string, std::string> types;  // as printed, by name
  std::vector<TopLevelName> updated;         // names whose `types` were written last, in program order
  std::vector<TopLevelName> open;            // names whose types later definitions may determine further

  bool good() const { return checked && !hasErrors(diagnostics); }
  // Whether all names of a definition are new, so that it can be checked alone.
  bool isExtendedBy(const ast::Module& definition) const;
  // Checks the last entry of a recipe whose other entries are in this program. Returns false, with diagnostics, if it
  // has errors. Then, and after an exception, the program is unchanged.
  bool extend(const Recipe& recipe, const CheckOptions& options, Diagnostics& found);
  // Makes `names` the `updated` ones: writes their types, and finds which are `open`.
  void printTypes(std::vector<TopLevelName> names);
  // Adds a module in the scope of the program, with its imports.
  void addModule(ast::Module module);
};

// Parses and checks a recipe. A name means its last definition, even in an earlier definition that uses it; items are
// ordered so that definitions come before their uses.
std::unique_ptr<Program> makeProgram(const Recipe& recipe, const CheckOptions& options);

// Returns a module that the program imports, or one of the standard library, as a separate program; null if there is no
// module of that name.
std::unique_ptr<Program> moduleProgram(const Program& program, const Recipe& recipe, const std::string& name,
                                       const CheckOptions& options);

Span spanOf(const ast::Module& module, const ast::Item& item);
// Returns the names that an item defines. A binding defines all names of its pattern.
std::vector<std::string> namesOf(const ast::Module& module, const ast::Item& item);

// Adds `name = value` to a module.
void addBinding(ast::Module& module, const std::string& name, ast::ExprId value);

}  // namespace axle::repl
