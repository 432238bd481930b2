// The commands of axc. Each adds its options to a subcommand and returns the action to run once they are parsed. The
// action returns the exit code.
#pragma once

#include <functional>

#include "driver/run/exit_codes.h"

namespace CLI {
class App;
}

namespace axle::axc {

using Action = std::function<int()>;

Action addCheck(CLI::App& app);
Action addBuild(CLI::App& app);
Action addRun(CLI::App& app);
Action addImport(CLI::App& app);
Action addProve(CLI::App& app);
Action addOps(CLI::App& app);
Action addExplain(CLI::App& app);
Action addFmt(CLI::App& app);
Action addCompare(CLI::App& app);
Action addRepl(CLI::App& app);
Action addLsp(CLI::App& app);
Action addDump(CLI::App& app);
Action addCompletion(CLI::App& app);
Action addMan(CLI::App& app);

struct CommandRow {
  const char* name;
  const char* help;
  Action (*add)(CLI::App&);
  bool printsDiagnostics = true;  // takes --color
};

inline constexpr CommandRow commands[] = {
    {"check", "print every top-level binding with its inferred type", addCheck},
    {"build", "compile an entry to a bundle", addBuild},
    {"run", "compile an entry and run it, or run a bundle", addRun},
    {"import", "read a TensorFlow graph and report its facts", addImport},
    {"prove", "decide whether a fact about sizes holds", addProve},
    {"ops", "list the core operators, or one with its documentation", addOps, false},
    {"explain", "explain an error code", addExplain, false},
    {"compare", "find where a run first differs from a recorded one", addCompare},
    {"fmt", "format sources", addFmt},
    {"repl", "define and evaluate as you type, and ask about types and shapes", addRepl},
    {"lsp", "serve editors over the Language Server Protocol", addLsp, false},
    {"dump", "print an entry's graph (for development)", addDump},
    {"completion", "print what a shell reads to complete command lines", addCompletion, false},
    {"man", "print a manual page", addMan, false},
};

}  // namespace axle::axc
