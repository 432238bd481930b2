// axc ops and axc explain.
#include "driver/reference.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "frontend/families.h"
#include "driver/diagnostic_table.h"
#include "tools/axc/commands.h"
#include "driver/compile.h"
#include "typecheck/check.h"

namespace axle::axc {

std::string oneLine(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

namespace {

int unknown(const char* what, const std::string& name, const std::vector<std::string_view>& known, const char* list) {
  auto close = closestNames(name, known);
  std::string hint = close.empty() ? "" : "; did you mean `" + close[0] + "`?";
  if (close.empty() && list) hint = std::string("; `") + list + "` lists them";
  std::fprintf(stderr, "error: there is no %s `%s`%s\n", what, name.c_str(), hint.c_str());
  return exitUsage;
}

void printIndented(std::string_view text) {
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::printf("  %.*s\n", static_cast<int>(end), text.data());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void listModules() {
  std::printf("\n---- modules\n");
  for (std::string_view module : stdlibModuleNames())
    std::printf("\nimport %s;\n  %s\n", std::string(module).c_str(), oneLine(headComment(stdlibModule(module))).c_str());
}

// The functions of a module, `nn`, or one of them, `nn.dense`: their types and documentation. None where there is no
// such module.
std::optional<int> listModule(const std::string& name, bool isFirst) {
  const std::size_t dot = name.find('.');
  const std::string module = name.substr(0, dot);
  if (stdlibModule(module).empty()) return std::nullopt;
  SourceMap sources;
  Diagnostics diagnostics;
  const Modules modules = loadStdlibModule(sources, module, diagnostics);
  CheckedPtr checked = check(modules, sources, {}, diagnostics);
  std::map<std::string, std::string> documentation;
  for (const ast::Binding& binding : modules.root().bindings)
    if (const auto* function = std::get_if<ast::PatternName>(&modules.root()[binding.pattern].node))
      documentation[function->name] = binding.doc;
  bool found = false;
  std::vector<std::string> names;
  for (const BindingType& binding : bindingTypes(*checked)) {
    names.push_back(module + "." + binding.name);
    if (dot != std::string::npos && names.back() != name) continue;
    if (!isFirst || found) std::printf("\n");
    found = true;
    std::printf("%s : %s\n", names.back().c_str(), binding.type.c_str());
    printIndented(documentation[binding.name]);
  }
  if (found) return exitDone;
  return unknown("function", name, {names.begin(), names.end()}, ("axc ops " + module).c_str());
}

}  // namespace

int opsCommand(const std::string& name) {
  std::string_view family;
  bool found = false;
  std::vector<std::string_view> names;
  for (const CoreOp& op : coreOps()) {
    names.push_back(op.name);
    std::string_view its = familyOf(op);
    if (!name.empty() && op.name != name && its != name) continue;
    if (found) std::printf("\n");
    found = true;
    if (name.empty() && its != family) std::printf("---- %s\n\n", std::string(its).c_str());
    family = its;
    std::printf("%.*s\n", static_cast<int>(op.text.size()), op.text.data());
    printIndented(op.doc);
  }
  if (name.empty()) listModules();
  if (auto listed = listModule(name, !found)) return *listed;
  names.insert(names.end(), stdlibModuleNames().begin(), stdlibModuleNames().end());
  return found ? exitDone : unknown("operator", name, names, "axc ops");
}

namespace {

int listCodes() {
  for (const CodeRow& row : allCodes())
    std::printf("%s  %s\n", std::string(row.code).c_str(), std::string(row.title).c_str());
  return exitDone;
}

// The section of a code in docs/errors.md, without its heading; empty if there is none.
std::string_view sectionOf(const CodeRow& row) {
  const std::string heading = "\n## " + std::string(row.code) + ": " + std::string(row.title) + "\n\n";
  std::string_view page = errorsPage();
  std::size_t start = page.find(heading);
  if (start == page.npos) return {};
  page.remove_prefix(start + heading.size());
  page = page.substr(0, page.find("\n## "));
  while (page.ends_with('\n')) page.remove_suffix(1);
  return page;
}

// Blocks are indented, their fences gone.
void printPage(std::string_view text) {
  bool inBlock = false;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("```")) {
      inBlock = !inBlock;
      continue;
    }
    const char* indent = inBlock && !line.empty() ? "    " : "";
    std::printf("%s%.*s\n", indent, static_cast<int>(line.size()), line.data());
  }
}

// "302" and "e302" are E0302.
std::string wholeCode(std::string_view given) {
  std::string code(given.substr(std::min(given.find_first_not_of("Ee"), given.size())));
  bool isNumber = !code.empty() && code.find_first_not_of("0123456789") == code.npos;
  return isNumber && code.size() <= 4 ? "E" + std::string(4 - code.size(), '0') + code : std::string(given);
}

int explainCommand(const std::string& given) {
  if (given.empty()) return listCodes();
  const std::string code = wholeCode(given);
  for (const CodeRow& row : allCodes()) {
    if (row.code != code) continue;
    std::printf("%s: %s\n\n", std::string(row.code).c_str(), std::string(row.title).c_str());
    printPage(sectionOf(row));
    return exitDone;
  }
  return unknown("code", given, {}, "axc explain");
}

}  // namespace

Action addOps(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  app.add_option("NAME", *name,
                 "an operator, as `matmul` or `+`, a family, as `reductions`, a module, as `nn`, or its function, as "
                 "`nn.dense`")
      ->type_name("");
  return [name] { return opsCommand(*name); };
}

Action addExplain(CLI::App& app) {
  auto code = std::make_shared<std::string>();
  app.add_option("CODE", *code, "as in error[E0302]; without it all are listed")->type_name("");
  return [code] { return explainCommand(*code); };
}

}  // namespace axle::axc
