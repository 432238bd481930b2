// Commands that list operators and functions and print their documentation.
#include "driver/reference.h"

#include <cstdio>

#include "tools/repl/handlers.h"
#include "typecheck/report/query.h"

namespace axle::repl {

namespace {

// Prints the type and the `///` text of a definition of the session.
bool showOwnDoc(Session& session, const std::string& name) {
  Program& program = session.program();
  for (const ProgramItem& at : program.modules.program) {
    const ast::Module& module = program.modules.modules[at.module];
    const ast::Item& item = module.items[at.item];
    for (const std::string& defined : namesOf(module, item)) {
      if (defined != name) continue;
      const auto* binding = std::get_if<std::uint32_t>(&item);
      const auto* param = std::get_if<ast::Param>(&item);
      const std::string doc = binding ? module.bindings[*binding].doc : param ? param->doc : "";
      const auto bound = rootBinding(*program.checked, name);
      const std::string type = bound ? printSignature(*program.checked, *bound) : program.types[name];
      std::printf("%s : %s\n", name.c_str(), type.c_str());
      std::printf("  %s\n", doc.empty() ? "no `///` text stands before it" : driver::oneLine(doc).c_str());
      return true;
    }
  }
  return false;
}

bool printPage(const std::string& name) {
  const driver::Page page = driver::operatorPage(name);
  if (!page) return printError(page.error());
  std::fputs(page->c_str(), stdout);
  return true;
}

}  // namespace

bool listOps(Session&, const InputText& typed) { return printPage(std::string(typed.text)); }

bool showDoc(Session& session, const InputText& typed) {
  const std::string name(typed.text);
  if (name.empty()) return printError("`:doc` takes a name, as in `:doc matmul` or `:doc nn.dense`");
  return showOwnDoc(session, name) || printPage(name);
}

}  // namespace axle::repl
