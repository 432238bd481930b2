// axc lsp: the language server on stdin and stdout.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>

#include "tools/axc/commands.h"
#include "tools/axc/options.h"
#include "tools/lsp/server.h"

namespace axle::axc {

Action addLsp(CLI::App& app) {
  auto load = std::make_shared<LoadOptions>();
  auto stdio = std::make_shared<bool>(true);  // editors pass --stdio; it changes nothing
  addIncludeOption(app, load->includePaths);
  app.add_flag("--stdio", *stdio, "talk over stdin and stdout, as it does in any case");
  return [load, stdio] {
    std::signal(SIGPIPE, SIG_IGN);
    lsp::Transport transport(STDIN_FILENO, STDOUT_FILENO);
    return lsp::serve(transport, AXLE_VERSION, *load);
  };
}

}  // namespace axle::axc
