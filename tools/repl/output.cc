#include "tools/repl/output.h"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tools/axc/terminal.h"
#include "tools/repl/interruptible.h"

namespace axle::repl {

namespace {

bool isRead = false, hasColour = false;

// Returns the lines that a text takes on a terminal with `columns` columns; escape sequences take no column.
std::size_t linesOnScreen(const std::string& text, std::size_t columns) {
  std::size_t lines = 0, column = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c == '\033') {
      at = std::min(text.find('m', at), text.size());
    } else if (c == '\n') {
      ++lines;
      column = 0;
    } else if ((c & 0xc0) != 0x80 && column++ == columns) {  // not within a code point
      ++lines;
      column = 1;
    }
  }
  return lines + (column > 0);
}

bool isLongerThanScreen(const std::string& text) {
  winsize screen{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &screen) != 0 || screen.ws_row == 0 || screen.ws_col == 0) return false;
  return linesOnScreen(text, screen.ws_col) >= screen.ws_row;  // the prompt takes a line
}

std::string pagerCommand() {
  for (const char* name : {"AXLE_PAGER", "PAGER"})
    if (const char* command = std::getenv(name)) return command;
  return "less -FRX";
}

// Runs the pager on a file. Returns false if no pager can be started.
bool page(std::FILE* file) {
  const std::string command = pagerCommand();
  if (command.empty()) return false;
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    std::signal(SIGINT, SIG_DFL);
    ::setenv("LESS", "FRX", 0);  // for a $PAGER without options: colours as they are
    ::lseek(::fileno(file), 0, SEEK_SET);
    ::dup2(::fileno(file), STDIN_FILENO);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  wasInterrupted();  // which was meant for the pager
  constexpr int notExecutable = 126, notFound = 127;
  return !WIFEXITED(status) || (WEXITSTATUS(status) != notExecutable && WEXITSTATUS(status) != notFound);
}

std::string contents(std::FILE* file) {
  std::string text;
  char buffer[4096];
  if (std::fseek(file, 0, SEEK_SET) != 0) return text;
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, count);
  return text;
}

}  // namespace

void beginOutput(bool isTerminal) {
  isRead = isTerminal;
  hasColour = axc::terminalOptions(stdout).colour;
}

std::string typeText(const std::string& type) { return hasColour ? "\033[36m" + type + "\033[0m" : type; }

bool promptsHaveColour() { return hasColour; }

bool withPager(const std::function<bool()>& command) {
  std::FILE* kept = isRead ? std::tmpfile() : nullptr;
  if (!kept) return command();
  std::fflush(stdout);
  const int terminal = ::dup(STDOUT_FILENO);
  ::dup2(::fileno(kept), STDOUT_FILENO);
  const bool good = command();
  std::fflush(stdout);
  ::dup2(terminal, STDOUT_FILENO);
  ::close(terminal);
  const std::string text = contents(kept);
  if (!isLongerThanScreen(text) || !page(kept)) std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  std::fclose(kept);
  return good;
}

}  // namespace axle::repl
