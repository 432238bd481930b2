// axc repl
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "tools/axc/commands.h"
#include "tools/axc/options.h"
#include "tools/repl/commands.h"
#include "tools/repl/interruptible.h"
#include "tools/repl/lines.h"
#include "tools/repl/session.h"
#include "tools/repl/statements.h"

namespace axle::axc {

namespace {

struct ReplArguments {
  repl::SessionOptions session;
  bool echo = false;
};

// One line after the other until an entry is whole: nothing of it is open, or a blank line gives it up. Within brackets
// that takes two, so that a function may have one; a paste has as many as it likes.
bool readAll(repl::Session& session, repl::Lines& lines) {
  repl::EntryText entry;
  std::string line;
  bool good = true;
  std::size_t blanks = 0;  // lines, one behind the other
  const auto enter = [&] { good &= session.enter(std::exchange(entry, {}).text()); };
  while (!session.hasEnded()) {
    const bool isMore = !entry.text().empty();
    const repl::LineKind read = lines.next(line, isMore);
    if (read == repl::LineKind::interrupted) entry = {};
    if (read == repl::LineKind::interrupted) continue;
    if (read == repl::LineKind::end) break;
    // A command begins a line where no entry goes on: what is open is given up.
    if (isMore && (repl::isCommandLine(line) || entry.endsBefore(line))) enter();
    entry.add(line + "\n");
    blanks = repl::trimmed(line).empty() ? blanks + 1 : 0;
    const std::size_t most = read == repl::LineKind::pasted ? SIZE_MAX : entry.hasOpenBracket() ? 2 : 1;
    if (blanks >= most || !entry.isOpen()) enter();
    if (entry.text().empty()) blanks = 0;
  }
  if (!entry.text().empty()) enter();
  return good;
}

int replCommand(const ReplArguments& arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // in turn with stderr
  const bool isTerminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  repl::catchInterrupts(isTerminal);
  repl::Session session(arguments.session);
  bool good = arguments.session.file.empty() || session.load(arguments.session.file, arguments.session.weights);
  const auto lines = isTerminal ? repl::terminalLines(session) : repl::plainLines(arguments.echo);
  if (isTerminal) std::printf("axc %s; `:help` lists what there is, Ctrl-D ends it\n", AXLE_VERSION);
  good &= readAll(session, *lines);
  return good || isTerminal ? exitDone : exitErrors;
}

}  // namespace

Action addRepl(CLI::App& app) {
  auto arguments = std::make_shared<ReplArguments>();
  app.add_option("FILE", arguments->session.file, "a source file (.ax), as `:load` takes it")->type_name("");
  app.add_option("--weights", arguments->session.weights, "its weights (safetensors, npz), or random[:SEED]")
      ->type_name("W");
  app.add_option("--seed", arguments->session.seed, "of parameters that no file gives (0)")->type_name("N");
  addIncludeOption(app, arguments->session.includes);
  app.add_flag("--echo", arguments->echo, "print each line that is read behind its prompt, as a terminal shows it");
  return [arguments] { return replCommand(*arguments); };
}

}  // namespace axle::axc
