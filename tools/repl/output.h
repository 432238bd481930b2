// Prints a session's output on a terminal: in colour, and long answers in a pager.
#pragma once

#include <functional>
#include <string>

namespace axle::repl {

// Call once, before the session prints. `isTerminal`: a person reads the answers.
void beginOutput(bool isTerminal);

// Colours a type, and says whether prompts are coloured, by `--color`, NO_COLOR and the terminal
// (tools/axc/terminal.h).
std::string typeText(const std::string& type);
bool promptsHaveColour();

// Runs `command` and returns its result. On a terminal its output on stdout is shown when it ends, in a pager
// ($AXLE_PAGER, $PAGER or `less -FRX`) if it is longer than the screen.
bool withPager(const std::function<bool()>& command);

}  // namespace axle::repl
