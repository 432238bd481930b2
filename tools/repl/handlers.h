// The handlers of commands. Their argument is the text behind the command's name.
#pragma once

#include <string>

#include "tools/repl/session.h"
#include "typecheck/report/derivation.h"

namespace axle::repl {

// Prints an error on stderr; gives false.
bool printError(const std::string& what);

// A source that holds one fact where it was typed, and nothing else.
SourceId factSource(SourceMap& sources, const InputText& fact, const std::string& typed);  // facts.cc

// A step of a derivation, with the tier that took it.
std::string textOf(const DerivationStep& step);  // facts.cc

// Each gives false where something is wrong, and prints what.
#define COMMAND(name, arguments, help, details, handler) bool handler(Session& session, const InputText& typed);
#include "tools/repl/commands.def"
#undef COMMAND

}  // namespace axle::repl
