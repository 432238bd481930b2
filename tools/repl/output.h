// What a session prints on stdout, where that is a terminal: in colour, and long answers by a pager.
#pragma once

#include <functional>
#include <string>

namespace axle::repl {

// Called once, before the session prints. `isTerminal`: a person reads the answers.
void beginOutput(bool isTerminal);

// A type, and a prompt, coloured as `--color`, NO_COLOR and the terminal say (tools/axc/terminal.h).
std::string typeText(const std::string& type);
bool promptsHaveColour();

// The result of `command`. On a terminal what it prints on stdout is shown when it ends: by a pager ($AXLE_PAGER,
// $PAGER or `less -FRX`) if that is longer than the screen.
bool withPager(const std::function<bool()>& command);

}  // namespace axle::repl
