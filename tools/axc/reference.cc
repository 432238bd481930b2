// axc ops and axc explain: what the binary carries as documentation.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "frontend/families.h"
#include "tools/axc/codes.h"
#include "tools/axc/commands.h"
#include "tools/axc/compile.h"

namespace axle::axc {

namespace {

// On one line, single blanks.
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

int unknown(const char* what, const std::string& name, const std::vector<std::string_view>& known, const char* list) {
  auto close = closestNames(name, known);
  std::string hint = close.empty() ? "" : "; did you mean `" + close[0] + "`?";
  if (close.empty() && list) hint = std::string("; `") + list + "` lists them";
  std::fprintf(stderr, "error: there is no %s `%s`%s\n", what, name.c_str(), hint.c_str());
  return exitUsage;
}

// All operators by family, or those of one family, or of one name.
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
    std::printf("%s\n", oneLine(op.text).c_str());
    for (std::string_view doc = op.doc; !doc.empty();) {
      std::size_t end = std::min(doc.find('\n'), doc.size());
      std::printf("  %.*s\n", static_cast<int>(end), doc.data());
      doc.remove_prefix(std::min(end + 1, doc.size()));
    }
  }
  return found ? exitDone : unknown("operator", name, names, "axc ops");
}

int explainCommand(const std::string& code) {
  std::vector<std::string_view> names;
  std::vector<Explanation> all = allCodes();
  for (const Explanation& row : all) {
    names.push_back(row.code);
    if (row.code != code) continue;
    std::string text(row.text);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    std::printf("%s: %s\n\n%s\n", std::string(row.code).c_str(), std::string(row.title).c_str(), text.c_str());
    return exitDone;
  }
  return unknown("code", code, names, nullptr);
}

}  // namespace

Action addOps(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  app.add_option("NAME", *name, "an operator, as `matmul` or `+`, or a family, as `reductions`")->type_name("");
  return [name] { return opsCommand(*name); };
}

Action addExplain(CLI::App& app) {
  auto code = std::make_shared<std::string>();
  app.add_option("CODE", *code, "as in error[E0302]")->required()->type_name("");
  return [code] { return explainCommand(*code); };
}

}  // namespace axle::axc
