// The first stage of the pipeline: checks a file, a module of the standard library, or a text. `modules` and `sources`
// must outlive the checked program, which exists even if it has errors.
#pragma once

#include <string>

#include "typecheck/check.h"

namespace axle::driver {

// Reads, parses and checks a source file with all its imports; null if the file cannot be read. With `offersFixes`,
// errors come with fixes that were tried.
CheckedPtr checkFile(const std::string& path, const LoadOptions& load, const CheckOptions& options, bool offersFixes,
                     SourceMap& sources, Modules& modules, Diagnostics& diagnostics);

// Checks a module of the standard library with all its imports. The module must exist.
CheckedPtr checkStdlibModule(const std::string& name, const CheckOptions& options, SourceMap& sources, Modules& modules,
                             Diagnostics& diagnostics);

// Checks parsed modules.
CheckedPtr checkModules(const Modules& modules, const CheckOptions& options, bool offersFixes, SourceMap& sources,
                        Diagnostics& diagnostics);

// Returns the diagnostics of a text that imports only modules of the standard library; the text is source 0. Reads no
// files.
Diagnostics checkText(const std::string& name, const std::string& text);

}  // namespace axle::driver
