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
  std::string_view details;    // more of it, with an example
  bool (*run)(Session& session, const InputText& arguments);
};

std::span<const Command> commands();

// Whether a line begins with a known command.
bool isCommandLine(std::string_view line);
// The command that a word without a colon may stand for: `:quit` for `exit`. Empty where there is none.
std::string commandFor(std::string_view entry);
// Runs `:name arguments`; the name may be cut short as long as no other begins so.
bool runCommand(Session& session, const InputText& typed);

}  // namespace axle::repl
