// Imports: which file a module's name means, and the order in which modules are checked.
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
  // What stands for a file's text, unsaved or never to be saved, by its path as `fileIdentity` has it.
  std::map<std::string, std::string> texts;
};

// One spelling for all paths to a file, be it there or not.
std::string fileIdentity(const std::string& path);

// An item of a module, by their indices.
struct ProgramItem {
  std::size_t module = 0, item = 0;
};

// All modules of a program, every module after those it imports; the root is the last.
struct Modules {
  std::vector<ast::Module> modules;
  // For each module, what its imports' names mean: an index into `modules`.
  std::vector<std::map<std::string, std::size_t>> imports;
  // Where several modules, the root among them, are one program in one scope: its items in their order. Empty: the
  // root's.
  std::vector<ProgramItem> program;
  const ast::Module& root() const { return modules.back(); }
};

// Reads and parses the root file and what it imports; cycles and missing files are diagnostics.
// A root file that cannot be read is a diagnostic too (E0001), and there are then no modules.
Modules loadModules(SourceMap& sources, const std::string& path, const LoadOptions& options, Diagnostics& diagnostics);

// A module of the stdlib as the root, with what it imports of the stdlib; there must be one of that name.
Modules loadStdlibModule(SourceMap& sources, const std::string& name, Diagnostics& diagnostics);

// One declaration of `stdlib/core.ax` as the binary carries it: found by name without parsing the rest.
struct CoreOp {
  std::string_view name;  // as declared; two rows named "-" (two parameters, one parameter)
  std::string_view text;  // the declaration, from `op` to `;`
  std::string_view doc;   // the `///` text
  std::uint32_t line;     // in stdlib/core.ax, from 1
};
std::span<const CoreOp> coreOps();                     // in the order of the file
std::string_view stdlibModule(std::string_view name);  // text of nn.ax, ...; empty if there is none
std::span<const std::string_view> stdlibModuleNames();

}  // namespace axle
