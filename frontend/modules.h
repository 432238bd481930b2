// Imports: finds the file of a module's name, and the order in which modules are checked.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"
#include "frontend/diagnostic.h"

namespace axle::codes {
inline const DiagnosticCode cannotRead{"E0001", Severity::error, "a source file cannot be read"};
inline const DiagnosticCode duplicateName{"E0202", Severity::error, "duplicate name"};
}  // namespace axle::codes

namespace axle {

struct LoadOptions {
  std::vector<std::string> includePaths;  // -I, searched after the folder of the importing file, before the stdlib
  // Texts that replace files, such as unsaved texts of an editor, by `fileIdentity` of the path.
  std::map<std::string, std::string> texts;
};

// Returns the same text for all paths to one file. The file need not exist.
std::string fileIdentity(const std::string& path);

// An item of a module; both members are indices.
struct ProgramItem {
  std::size_t module = 0, item = 0;
};

// All modules of a program, each after those it imports; the root is the last.
struct Modules {
  std::vector<ast::Module> modules;
  // For each module, its imports: name -> index into `modules`.
  std::vector<std::map<std::string, std::size_t>> imports;
  // If several modules, including the root, form one program in one scope: the items of this program in order.
  // Otherwise empty, and the program is the root's items.
  std::vector<ProgramItem> program;
  const ast::Module& root() const { return modules.back(); }
};

// Reads and parses the root file and everything it imports, and reports cycles and missing files. If the root file
// cannot be read, reports E0001 and returns no modules.
Modules loadModules(SourceMap& sources, const std::string& path, const LoadOptions& options, Diagnostics& diagnostics);

// Loads a module of the stdlib, which must exist, as the root, with its imports.
Modules loadStdlibModule(SourceMap& sources, const std::string& name, Diagnostics& diagnostics);

// Loads a text as the root, with its imports, which can only be modules of the stdlib: reads no files.
Modules loadText(SourceMap& sources, const std::string& name, const std::string& text, Diagnostics& diagnostics);

// One declaration of `stdlib/core.ax`. The binary contains them in a table, so that each is found without parsing the
// others.
struct CoreOp {
  std::string_view name;  // as declared; two rows named "-" (two parameters, one parameter)
  std::string_view text;  // the declaration, from `op` to `;`
  std::string_view doc;   // the `///` text
  std::uint32_t line;     // in stdlib/core.ax, from 1
};
std::span<const CoreOp> coreOps();                     // in the order of the file
std::string_view stdlibModule(std::string_view name);  // text of nn.ax, ...; empty if there is none
std::span<const std::string_view> stdlibModuleNames();
// Returns the modules of the stdlib that define a function of this name.
std::vector<std::string_view> stdlibModulesWith(std::string_view function);

}  // namespace axle
