#include "tools/repl/complete.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "frontend/keywords.h"
#include "tools/lsp/call_context.h"
#include "tools/repl/commands.h"
#include "tools/repl/graph.h"
#include "tools/repl/statements.h"
#include "typecheck/types/operator_signatures.h"

namespace axle::repl {

namespace {

// Commands whose words are files.
constexpr std::array<std::string_view, 3> ofFiles{"load", "let", "import"};

void keep(std::vector<std::string>& words, std::string word, std::string_view typed) {
  if (word.starts_with(typed)) words.push_back(std::move(word));
}

void commandNames(std::vector<std::string>& words, std::string_view typed) {
  for (const Command& command : commands()) keep(words, ":" + std::string(command.name), typed);
}

void files(std::vector<std::string>& words, std::string_view typed) {
  const std::size_t slash = typed.rfind('/');
  const std::string folder(slash == std::string_view::npos ? "" : typed.substr(0, slash + 1));
  std::error_code failed;
  std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, failed), end;
  for (; !failed && entry != end; entry.increment(failed)) {
    std::error_code unknown;
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    keep(words, folder + name + (entry->is_directory(unknown) ? "/" : ""), typed);
  }
}

// Words between the arguments of a command.
struct Between {
  std::string_view command, word;
};
constexpr Between betweens[] = {{"shape", "with"}, {"unify", "with"}, {"prove", "assuming"}};

// Returns the declaration of an operator; null if there is none of that name.
const ast::OpDecl* declarationOf(std::string_view name) {
  static OperatorTable table;
  const auto found = table.find(name);
  return found ? table[*found].decl : nullptr;
}

void attributes(std::vector<std::string>& words, const lsp::OpenCall& call, std::string_view typed) {
  const ast::OpDecl* operation = call.named.empty() ? declarationOf(call.callee) : nullptr;
  if (!operation) return;
  for (const ast::OpAttribute& attribute : operation->attributes) keep(words, attribute.name.text + "=", typed);
}

// Adds the possible words of the attribute that a string is given to. Returns false if it is given to none.
bool attributeWords(std::vector<std::string>& words, std::string_view line, std::string_view typed) {
  const auto call = lsp::openCallAt(line.substr(0, line.rfind('"')));
  const ast::OpDecl* operation = call ? declarationOf(call->callee) : nullptr;
  if (!operation || call->named.empty()) return false;
  for (const ast::OpAttribute& attribute : operation->attributes)
    if (attribute.name.text == call->named)
      for (std::string& word : wordsOf(attribute)) keep(words, std::move(word), typed);
  return true;
}

// Adds names of modules that are not imported; queries import them automatically.
void stdlibNames(const Program& program, std::vector<std::string>& words, std::string_view typed) {
  const std::size_t dot = typed.find('.');
  for (std::string_view module : stdlibModuleNames()) {
    if (program.modules.imports.back().count(std::string(module))) continue;
    if (dot == std::string_view::npos) keep(words, std::string(module) + ".", typed);
    if (typed.substr(0, dot) != module || dot == std::string_view::npos) continue;
    SourceMap sources;
    Diagnostics diagnostics;
    const Modules read = loadStdlibModule(sources, std::string(module), diagnostics);
    for (const ast::Item& item : read.root().items)
      for (const std::string& name : namesOf(read.root(), item)) keep(words, std::string(module) + "." + name, typed);
  }
}

void names(const Session& session, std::vector<std::string>& words, std::string_view typed) {
  const Program& program = session.program();
  for (std::string_view keyword : keywords())
    if (keyword != lsp::operatorKeyword) keep(words, std::string(keyword), typed);
  for (const auto& [name, type] : program.types) keep(words, name, typed);
  for (const CoreOp& op : coreOps())
    if (isNamePart(op.name.front())) keep(words, std::string(op.name), typed);
  if (session.graph())
    for (std::string& node : session.graph()->nodeNames()) keep(words, std::move(node), typed);
  for (const auto& [import, index] : program.modules.imports.back()) {
    const ast::Module& module = program.modules.modules[index];
    for (const ast::Item& item : module.items)
      for (const std::string& name : namesOf(module, item)) keep(words, import + "." + name, typed);
  }
}

void offerNames(const Session& session, std::string_view command, std::string_view line, std::string_view typed,
                std::vector<std::string>& words) {
  if (const auto call = lsp::openCallAt(line.substr(0, line.size() - typed.size()))) attributes(words, *call, typed);
  for (const Between& between : betweens)
    if (between.command == command && line.find(' ') < line.size() - typed.size())
      keep(words, std::string(between.word), typed);
  if (!command.empty() || typed.find('.') != typed.npos) stdlibNames(session.program(), words, typed);
  names(session, words, typed);
}

}  // namespace

Completion completionOf(const Session& session, std::string_view line) {
  Completion found;
  const std::string_view whole = trimmed(line);
  const bool isCommand = whole.starts_with(':');
  const std::string_view command = isCommand ? firstWord(whole.substr(1)).first : std::string_view();
  const bool inCommand = isCommand && whole.size() == command.size() + 1 && !line.empty() && line.back() != ' ';
  const bool inString = std::count(line.begin(), line.end(), '"') % 2 == 1;
  const bool ofFile = inString || std::find(ofFiles.begin(), ofFiles.end(), command) != ofFiles.end();
  std::size_t begin = line.size();
  if (inCommand)
    begin = line.find(':');
  else if (ofFile)
    begin = line.find_last_of(" =\"") + 1;
  else
    while (begin > 0 && isNamePart(line[begin - 1])) --begin;
  found.begin = begin;
  const std::string_view typed = line.substr(begin);
  if (inCommand)
    commandNames(found.words, typed);
  else if (command == "help")
    for (const Command& row : commands()) keep(found.words, std::string(row.name), typed);
  else if (ofFile && !(inString && attributeWords(found.words, line, typed)))
    files(found.words, typed);
  else if (!ofFile)
    offerNames(session, isCommand ? command : std::string_view(), line, typed, found.words);
  if (inCommand) found.behind = " ";
  std::sort(found.words.begin(), found.words.end());
  found.words.erase(std::unique(found.words.begin(), found.words.end()), found.words.end());
  return found;
}

}  // namespace axle::repl
