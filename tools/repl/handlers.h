// The handlers of commands. Their argument is the text after the command's name.
#pragma once

#include <string>

#include "tools/repl/session.h"
#include "typecheck/report/derivation.h"

namespace axle::repl {

// Prints an error on stderr and returns false.
bool printError(const std::string& what);

// Adds a source that contains only one fact, at the place where it was typed.
SourceId factSource(SourceMap& sources, const InputText& fact, const std::string& typed);  // facts.cc

// Prints a step of a derivation, with the tier that decided it.
std::string textOf(const DerivationStep& step);  // facts.cc

// On an error, each prints it and returns false.
#define COMMAND(name, arguments, help, details, handler) bool handler(Session& session, const InputText& typed);
#include "tools/repl/commands.def"
#undef COMMAND

}  // namespace axle::repl
