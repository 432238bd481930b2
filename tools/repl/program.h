// The program of a session: the definitions of a loaded file, followed by what was typed.
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

// The texts that a program is made from.
struct Recipe {
  std::string file;                          // the loaded file; empty: none
  std::vector<std::string> includes;         // as -I
  std::map<std::string, std::string> texts;  // of files as they were first read, by identity
  std::string typed;                         // all lines of the session, with their ends
  std::vector<Entry> entries;                // in the order in which they were typed
  std::string tensors;                       // a declaration of each tensor of the session, a line each
};

struct Program {
  SourceMap sources;
  Modules modules;
  CheckedPtr checked;
  Diagnostics diagnostics;
  std::optional<SourceId> typed;             // the source of what was typed
  std::vector<std::size_t> superseded;       // entries whose names are all redefined by later entries
  std::map<std::string, std::string> types;  // as printed, by name
  std::vector<TopLevelName> updated;         // names whose `types` were written last, in program order
  std::vector<TopLevelName> open;            // those whose types later definitions may determine further

  bool good() const { return checked && !hasErrors(diagnostics); }
  // Whether all names of a definition are new: then it can be checked alone.
  bool isExtendedBy(const ast::Module& definition) const;
  // Checks the last entry of a recipe, whose other entries this program has. False, with diagnostics, if it has errors.
  // Then, and after an exception, the program is as it was.
  bool extend(const Recipe& recipe, const CheckOptions& options, Diagnostics& found);
  // Makes `names` the `updated` ones: writes their types, and finds which are `open`.
  void printTypes(std::vector<TopLevelName> names);
  // Adds a module in the scope of the program, with its imports.
  void addModule(ast::Module module);
};

// Parses and checks a recipe. A name means its last definition, also where an earlier definition uses it; items are
// ordered so that definitions come before their uses.
std::unique_ptr<Program> makeProgram(const Recipe& recipe, const CheckOptions& options);

// A module that the program imports, or one of the standard library, as a program of its own. Null if there is no
// module of that name.
std::unique_ptr<Program> moduleProgram(const Program& program, const Recipe& recipe, const std::string& name,
                                       const CheckOptions& options);

Span spanOf(const ast::Module& module, const ast::Item& item);
// The names that an item defines. A binding defines all names of its pattern.
std::vector<std::string> namesOf(const ast::Module& module, const ast::Item& item);

// Adds `name = value` to a module.
void addBinding(ast::Module& module, const std::string& name, ast::ExprId value);

}  // namespace axle::repl
