// axc ops and axc explain: print documentation that the binary contains.
#include "driver/reference.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "driver/run/failure.h"
#include "driver/run/options.h"
#include "tools/axc/command_line.h"
#include "tools/axc/commands.h"

namespace axle::axc {

namespace {

int printPage(const driver::Page& page) {
  if (page) return run::print(*page, stdout, stderr) ? exitDone : exitUsage;
  std::fprintf(stderr, "error: %s\n", page.error().c_str());
  return exitUsage;
}

}  // namespace

Action addOps(CLI::App& app) {
  struct Arguments {
    std::string name;
    bool primitives = false;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("NAME", arguments->name,
                 "an operator, as `matmul` or `+`, a family, as `reductions`, a module, as `nn`, its function, as "
                 "`nn.dense`, or a word to look for, as `pool`")
      ->type_name("");
  app.add_flag("--primitives", arguments->primitives, "the kernels that bundles have in place of the plain ones");
  addOptions(app, {run::formatOption(arguments->json)});
  return [arguments] {
    const std::string& name = arguments->name;
    if (arguments->primitives)
      return printPage(arguments->json ? driver::primitiveJson(name) : driver::primitivePage(name));
    return printPage(arguments->json ? driver::operatorJson(name) : driver::operatorPage(name));
  };
}

Action addExplain(CLI::App& app) {
  auto code = std::make_shared<std::string>();
  app.add_option("CODE", *code,
                 "as in error[E0302], or a word of signatures, as `whole`; without it all codes are listed")
      ->type_name("");
  return [code] { return printPage(code->empty() ? driver::Page(driver::codeList()) : driver::explanation(*code)); };
}

}  // namespace axle::axc
