#include "driver/check_program.h"

#include "typecheck/report/fixes.h"

namespace axle::driver {

namespace {

// Follows a name to the function that it stands for: `f` for `main` if `main = f;`.
std::string functionNamedBy(const ast::Module& module, std::string name) {
  for (std::size_t aliases = 0; aliases < module.bindings.size(); ++aliases) {
    const ast::ExprName* other = nullptr;
    for (const ast::Binding& binding : module.bindings)
      if (auto* bound = std::get_if<ast::PatternName>(&module[binding.pattern].node); bound && bound->name == name)
        other = std::get_if<ast::ExprName>(&module[binding.value].node);
    if (!other) break;
    name = other->name;
  }
  return name;
}

}  // namespace

CheckedPtr checkFile(const std::string& path, const LoadOptions& load, const CheckOptions& options, bool offersFixes,
                     SourceMap& sources, Modules& modules, Diagnostics& diagnostics) {
  modules = loadModules(sources, path, load, diagnostics);
  if (modules.modules.empty()) return nullptr;
  return checkModules(modules, options, offersFixes, sources, diagnostics);
}

CheckedPtr checkStdlibModule(const std::string& name, const CheckOptions& options, SourceMap& sources, Modules& modules,
                             Diagnostics& diagnostics) {
  modules = loadStdlibModule(sources, name, diagnostics);
  return checkModules(modules, options, false, sources, diagnostics);
}

CheckedPtr checkModules(const Modules& modules, const CheckOptions& options, bool offersFixes, SourceMap& sources,
                        Diagnostics& diagnostics) {
  CheckOptions ofFunction = options;
  if (!modules.modules.empty()) ofFunction.entry = functionNamedBy(modules.root(), options.entry);
  CheckedPtr checked = check(modules, sources, ofFunction, diagnostics);
  if (offersFixes) offerFixes(*checked, ofFunction, diagnostics);
  return checked;
}

Diagnostics checkText(const std::string& name, const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  const Modules modules = loadText(sources, name, text, diagnostics);
  if (!hasErrors(diagnostics)) check(modules, sources, {}, diagnostics);
  return diagnostics;
}

}  // namespace axle::driver
