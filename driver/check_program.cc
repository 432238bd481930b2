#include "driver/check_program.h"

#include "typecheck/report/fixes.h"

namespace axle::driver {

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
  CheckedPtr checked = check(modules, sources, options, diagnostics);
  if (offersFixes) offerFixes(*checked, options, diagnostics);
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
