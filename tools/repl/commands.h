// The commands of a session: the rows of commands.def.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/repl/session.h"

namespace axle::repl {

struct Command {
  std::string_view name;       // without its colon
  std::string_view arguments;  // as help shows them
  std::string_view help;       // one line
  std::string_view details;    // more help, with an example
  bool (*run)(Session& session, const InputText& arguments);
};

std::span<const Command> commands();

// Whether a line begins with a known command.
bool isCommandLine(std::string_view line);
// Returns the command that a word without a colon may mean, such as `:quit` for `exit`; empty if there is none.
std::string commandFor(std::string_view entry);
// Runs `:name arguments`. The name may be abbreviated if no other command begins with the same letters.
bool runCommand(Session& session, const InputText& typed);

}  // namespace axle::repl
