#include "driver/reference.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "driver/check_program.h"
#include "driver/diagnostic_table.h"
#include "driver/operator_streams.h"
#include "driver/reference_parts.h"
#include "frontend/families.h"
#include "frontend/lower_case.h"
#include "typecheck/report/query.h"

namespace axle::driver {

namespace {

// Returns the module of the library that a name ends in, or that a word of its last part names; empty if there is none.
std::string moduleWithin(std::string_view name) {
  name.remove_prefix(name.rfind('.') + 1);
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    const std::string word(name.substr(0, end));
    if (!stdlibModule(word).empty()) return word;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return {};
}

// `list` is the command that lists the known names; empty: there is none.
std::string unknownName(const std::string& kind, const std::string& name, const std::vector<std::string_view>& known,
                        const std::string& list) {
  const auto close = closestNames(name, known);
  std::string text = "there is no " + kind + " `" + name + "`";
  if (!close.empty()) return text + "; did you mean `" + close[0] + "`?";
  if (const std::string module = moduleWithin(name); !module.empty())
    return text + "; `" + module + "` is a module: `axc ops " + module + "` lists its functions";
  return list.empty() ? text : text + "; `" + list + "` lists them";
}

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += "  " + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string modulesPage() {
  std::string page = "\n---- modules\n";
  for (std::string_view module : stdlibModuleNames())
    page += "\nimport " + std::string(module) + ";\n  " + oneLine(headComment(stdlibModule(module))) + "\n";
  return page;
}

// Returns the `///` text of each name that a module binds.
std::map<std::string, std::string> documentation(const ast::Module& module) {
  std::map<std::string, std::string> docs;
  for (const ast::Binding& binding : module.bindings)
    if (const auto* function = std::get_if<ast::PatternName>(&module[binding.pattern].node))
      docs[function->name] = binding.doc;
  return docs;
}

// Returns the `///` text of each function of a module of the standard library.
std::map<std::string, std::string> documentation(std::string_view module) {
  SourceMap sources;
  Diagnostics diagnostics;
  return documentation(loadStdlibModule(sources, std::string(module), diagnostics).root());
}

std::string operatorsNamed(std::string_view name) {
  std::string page;
  for (const CoreOp& op : coreOps())
    if (op.name == name)
      page +=
          (page.empty() ? "" : "\n") + std::string(op.text) + "\n" + indented(op.doc) + indented(streamSentence(op));
  return page;
}

// Returns the functions of a module, `nn`, or one of them, `nn.dense`. None if there is no such module.
std::optional<Page> modulePage(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string module = name.substr(0, dot);
  if (stdlibModule(module).empty()) return std::nullopt;
  const std::vector<LibraryFunction> functions = functionsOf(module);
  std::string page;
  std::vector<std::string_view> names;
  for (const LibraryFunction& function : functions) {
    names.push_back(function.name);
    if (dot != std::string::npos && function.name != name) continue;
    page += (page.empty() ? "" : "\n") + function.name + " : " + function.type + "\n" + indented(function.doc);
  }
  if (!page.empty()) return page;
  // `nn.conv2d` is the core operator, also in programs.
  const std::string member = name.substr(dot + 1);
  if (std::string page = operatorsNamed(member); module == "nn" && !page.empty()) return page;
  if (const auto others = stdlibModulesWith(member); !others.empty())
    return tl::unexpected("there is no function `" + name + "`; did you mean `" + std::string(others.front()) + "." +
                          member + "`?");
  return tl::unexpected(unknownName("function", name, names, "axc ops " + module));
}

bool contains(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return lowerCase(a) == lowerCase(b); };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

std::string firstSentence(std::string_view doc) {
  const std::string line = oneLine(doc);
  const std::size_t end = line.find(". ");
  return end == line.npos ? line : line.substr(0, end + 1);
}

// Returns a line for each operator and function whose name or documentation contains the word, names first; empty if
// there is none.
std::string searchOperators(const std::string& word) {
  struct Found {
    std::string name, doc;
  };
  std::vector<Found> byName, byText;
  const auto add = [&](std::string name, std::string_view doc) {
    if (contains(name.substr(name.find('.') + 1), word))
      byName.push_back({std::move(name), firstSentence(doc)});
    else if (contains(doc, word))
      byText.push_back({std::move(name), firstSentence(doc)});
  };
  for (const CoreOp& op : coreOps()) add(std::string(op.name), op.doc);
  for (std::string_view module : stdlibModuleNames())
    for (const auto& [name, doc] : documentation(module)) add(std::string(module) + "." + name, doc);
  byName.insert(byName.end(), byText.begin(), byText.end());
  std::size_t width = 0;
  for (const Found& found : byName) width = std::max(width, found.name.size());
  std::string text;
  for (const Found& found : byName)
    text += found.name + std::string(width + 2 - found.name.size(), ' ') + found.doc + "\n";
  return text;
}

// Returns the section of a code in docs/errors.md, without its heading; empty if there is none.
std::string_view sectionOf(const CodeRow& row) {
  const std::string heading = "\n## " + std::string(row.code) + ": " + std::string(row.title) + "\n\n";
  std::string_view page = errorsPage();
  const std::size_t start = page.find(heading);
  if (start == page.npos) return {};
  page.remove_prefix(start + heading.size());
  page = page.substr(0, page.find("\n## "));
  while (page.ends_with('\n')) page.remove_suffix(1);
  return page;
}

// Formats Markdown for a terminal: code blocks are indented, without their fences.
std::string plainText(std::string_view markdown) {
  std::string text;
  bool inBlock = false;
  while (!markdown.empty()) {
    const std::string_view line = markdown.substr(0, markdown.find('\n'));
    markdown.remove_prefix(std::min(line.size() + 1, markdown.size()));
    if (line.starts_with("```")) {
      inBlock = !inBlock;
      continue;
    }
    text += (inBlock && !line.empty() ? "    " : "") + std::string(line) + "\n";
  }
  return text;
}

// A word of signatures, after the `:` of a fact.
struct SignatureWord {
  std::string_view name, meaning;
};
constexpr SignatureWord signatureWords[] = {
    {"whole",
     "`n : whole` says that the function needs all of n, a size or a shape, at once: n cannot be streamed (`~n`)"},
    {"leading",
     "`n : leading` says that all of a list of arguments but the last are needed at once: n cannot be streamed there"},
    {"forward", "`n : forward` says that n can be streamed (`~n`), unless `reverse` is true, which begins at its end"},
    {"ragged",
     "`s : ragged` says that s, a size or a shape, may be ragged: a length `*l` that differs from row to row"},
    {"num", "`t : num` says that the element type t is one of numbers: of floats or integers"},
    {"float", "`t : float` says that the element type t is one of floats: f16, bf16, f32 or f64"},
    {"int", "`t : int` says that the element type t is one of integers, signed or not"},
    {"eq", "`t : eq` says that elements of type t can be compared by `==`: numbers and bools"},
};

// Completes a code: `302` and `e302` become E0302.
std::string wholeCode(std::string_view given) {
  const std::string code(given.substr(std::min(given.find_first_not_of("Ee"), given.size())));
  const bool isNumber = !code.empty() && code.find_first_not_of("0123456789") == code.npos;
  return isNumber && code.size() <= 4 ? "E" + std::string(4 - code.size(), '0') + code : std::string(given);
}

}  // namespace

std::vector<LibraryFunction> functionsOf(const std::string& module) {
  SourceMap sources;
  Diagnostics diagnostics;
  Modules modules;
  const CheckedPtr checked = checkStdlibModule(module, {}, sources, modules, diagnostics);
  std::map<std::string, std::string> docs = documentation(modules.root());
  std::vector<LibraryFunction> functions;
  for (const BindingType& binding : bindingTypes(*checked, printSignature))
    functions.push_back({module + "." + binding.name, binding.type, docs[binding.name]});
  return functions;
}

bool mentions(std::string_view name, std::string_view text, std::string_view word) {
  return contains(name.substr(name.rfind('.') + 1), word) || contains(text, word);
}

std::string oneLine(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool isBlank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!isBlank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

Page operatorPage(const std::string& name) {
  std::string page;
  std::string_view family;
  std::vector<std::string_view> names;
  for (const CoreOp& op : coreOps()) {
    names.push_back(op.name);
    const std::string_view its = familyOf(op);
    if (!name.empty() && op.name != name && its != name) continue;
    if (!page.empty()) page += "\n";
    if (name.empty() && its != family) page += "---- " + std::string(its) + "\n\n";
    family = its;
    page += std::string(op.text) + "\n" + indented(op.doc);
    if (!name.empty()) page += indented(streamSentence(op));
  }
  if (name.empty()) return page + modulesPage();
  if (auto module = modulePage(name)) {
    if (!*module) return *module;
    return page + (page.empty() ? "" : "\n") + **module;
  }
  for (std::string_view module : stdlibModulesWith(name))
    page += (page.empty() ? "" : "\n") + **modulePage(std::string(module) + "." + name);
  if (!page.empty()) return page;
  if (std::string found = searchOperators(name); !found.empty()) return found;
  names.insert(names.end(), stdlibModuleNames().begin(), stdlibModuleNames().end());
  if (const std::string_view ours = ourName(name); !ours.empty())
    return tl::unexpected("there is no operator `" + name + "`; here it is `" + std::string(ours) + "`");
  return tl::unexpected(unknownName("operator", name, names, "axc ops"));
}

std::vector<std::string> operatorNames() {
  std::vector<std::string> names;
  for (const CoreOp& op : coreOps())
    if (std::isalpha(static_cast<unsigned char>(op.name.front()))) names.emplace_back(op.name);
  for (std::string_view module : stdlibModuleNames()) {
    names.emplace_back(module);
    for (const auto& [name, doc] : documentation(module))
      if (name.find('\'') == name.npos) names.push_back(std::string(module) + "." + name);
  }
  return names;
}

std::vector<std::string> codeNames() {
  std::vector<std::string> names;
  for (const CodeRow& row : allCodes()) names.emplace_back(row.code);
  return names;
}

std::string codeList() {
  std::string list;
  for (const CodeRow& row : allCodes()) list += std::string(row.code) + "  " + std::string(row.title) + "\n";
  return list;
}

Page explanation(const std::string& given) {
  for (const SignatureWord& word : signatureWords)
    if (word.name == given) return std::string(word.name) + ": " + std::string(word.meaning) + "\n";
  const std::string code = wholeCode(given);
  for (const CodeRow& row : allCodes())
    if (row.code == code)
      return std::string(row.code) + ": " + std::string(row.title) + "\n\n" + plainText(sectionOf(row));
  return tl::unexpected(unknownName("code", given, {}, "axc explain"));
}

}  // namespace axle::driver
