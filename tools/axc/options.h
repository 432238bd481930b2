// Options that several commands share. The variables that they store into must live as long as `app`.
#pragma once

#include <string>
#include <vector>

#include "driver/compile.h"

namespace CLI {
class App;
}

namespace axle::axc {

// MODEL, described in the help as `model`, --weights, --entry and -I.
void addSourceOptions(CLI::App& app, driver::CompileOptions& options, const std::string& model);
// --weights, --entry and -I
void addProgramOptions(CLI::App& app, driver::CompileOptions& options);
// -I
void addIncludeOption(CLI::App& app, std::vector<std::string>& folders);
// --allow-narrowing
void addNarrowingOption(CLI::App& app, driver::CompileOptions& options);
// --color
void addColourOption(CLI::App& app);
// --threads of `build`
void addThreadsOption(CLI::App& app, driver::CompileOptions& options);
// -O0, -O1, -O2
void addLevelOption(CLI::App& app, driver::CompileOptions& options);
// --set
void addSetOption(CLI::App& app, driver::CompileOptions& options);
// --tag and --signature
void addGraphChoice(CLI::App& app, tensorflow::Choice& choice);
// --tag, --signature, --input and --output
void addGraphOptions(CLI::App& app, tensorflow::Choice& choice);

}  // namespace axle::axc
