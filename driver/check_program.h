// The first stage of the pipeline: from a file, a module of the standard library, or a text to a checked program.
// `modules` and `sources` must outlive the result, which is there also where the program has errors.
#pragma once

#include <string>

#include "typecheck/check.h"

namespace axle::driver {

// Reads, parses and checks a source file with all that it imports; null where the file cannot be read. With
// `offersFixes` errors come with fixes that were tried.
CheckedPtr checkFile(const std::string& path, const LoadOptions& load, const CheckOptions& options, bool offersFixes,
                     SourceMap& sources, Modules& modules, Diagnostics& diagnostics);

// Checks a module of the standard library with all that it imports. There must be one of that name.
CheckedPtr checkStdlibModule(const std::string& name, const CheckOptions& options, SourceMap& sources, Modules& modules,
                             Diagnostics& diagnostics);

// Checks modules that were parsed.
CheckedPtr checkModules(const Modules& modules, const CheckOptions& options, bool offersFixes, SourceMap& sources,
                        Diagnostics& diagnostics);

// The diagnostics of a text that imports only modules of the standard library; it is source 0. Reads no files.
Diagnostics checkText(const std::string& name, const std::string& text);

}  // namespace axle::driver
