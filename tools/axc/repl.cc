// axc repl
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "driver/foreign_file.h"
#include "tools/axc/commands.h"
#include "tools/axc/options.h"
#include "tools/repl/commands.h"
#include "tools/repl/interruptible.h"
#include "tools/repl/lines.h"
#include "tools/repl/output.h"
#include "tools/repl/session.h"
#include "tools/repl/statements.h"

namespace axle::axc {

namespace {

struct ReplArguments {
  repl::SessionOptions session;
  bool echo = false;
};

// Reads and runs entries. Adds lines to an entry until it is complete or a blank line ends it. Within brackets only two
// blank lines in a row end it, since a function may contain one. A paste may contain any number.
bool readAll(repl::Session& session, repl::Lines& lines) {
  repl::EntryText entry;
  std::string line;
  bool good = true;
  std::size_t blanks = 0;  // blank lines in a row
  const auto enter = [&] {
    lines.remember(entry.text());
    good &= session.enter(std::exchange(entry, {}).text());
  };
  while (!session.hasEnded()) {
    const bool isMore = !entry.text().empty();
    const repl::LineKind read = lines.next(line, isMore);
    if (read == repl::LineKind::interrupted) {
      lines.remember(std::exchange(entry, {}).text());
      continue;
    }
    if (read == repl::LineKind::end) break;
    // A command at the beginning of a line ends an open entry.
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

// Whether the files of the command line exist and are not models of another system.
bool canBeLoaded(const repl::SessionOptions& options) {
  const auto isMissing = [](const std::string& path) { return ::access(path.c_str(), F_OK) != 0; };
  const bool lacksWeights =
      !options.weights.empty() && isMissing(options.weights) && !driver::Weights::open(options.weights);
  return !isMissing(options.file) && !lacksWeights && !driver::refuseForeignFile(options.file);
}

int replCommand(const ReplArguments& arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that it keeps its order with stderr
  const bool isTerminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
  repl::catchInterrupts(isTerminal);
  repl::beginOutput(isTerminal);
  repl::Session session(arguments.session);
  bool good = arguments.session.file.empty() || session.load(arguments.session.file, arguments.session.weights);
  if (!good && !canBeLoaded(arguments.session)) return exitUsage;
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
