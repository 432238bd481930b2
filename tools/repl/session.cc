#include "tools/repl/session.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "driver/foreign_file.h"
#include "frontend/parser.h"
#include "frontend/text_tokens.h"
#include "tools/axc/terminal.h"
#include "tools/repl/commands.h"
#include "tools/repl/evaluate.h"
#include "tools/repl/graph.h"
#include "tools/repl/handlers.h"
#include "tools/repl/interruptible.h"
#include "tools/repl/output.h"
#include "tools/repl/program_trial.h"
#include "tools/repl/statements.h"
#include "typecheck/infer/name_codes.h"
#include "typecheck/report/query.h"

namespace axle::repl {

void printDiagnostics(const Diagnostics& diagnostics, const SourceMap& sources) {
  axc::printDiagnostics(stderr, diagnostics, sources);
}

Session::Session(SessionOptions options) : options_(std::move(options)) {
  recipe_.includes = options_.includes;
  checkOptions_.keepProofs = true;
  checkOptions_.entry.clear();
  checkOptions_.interrupt = interruptFlag();
  program_ = makeProgram(recipe_, checkOptions_);
}

Session::~Session() = default;

void Session::inspect(std::unique_ptr<InspectedGraph> graph) { graph_ = std::move(graph); }

bool Session::enter(const std::string& text) {
  const auto statements = statementsOf(text);
  if (!statements) return refuse(text);
  const InputText all{text, recipe_.typed.size()};
  recipe_.typed += text;
  if (std::string_view whole = trimmed(text); whole.starts_with(':')) return runCommand(*this, all.part(whole));
  bool good = true;
  for (const Statement& statement : *statements) {
    InputText typed = all.part(all.text.substr(statement.begin, statement.end - statement.begin));
    good &= statement.isDefinition ? define(typed) : evaluateExpression(typed);
  }
  return good;
}

// Reports text that the lexer does not accept. Its lines keep their numbers, but do not become part of the program.
bool Session::refuse(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  std::string lines(std::count(recipe_.typed.begin(), recipe_.typed.end(), '\n'), '\n');
  parseModule(sources, sources.add(typedPath, lines + text), "", diagnostics);
  for (Diagnostic& d : diagnostics) d.help.clear();  // the help is about files
  printDiagnostics(diagnostics, sources);
  for (char c : text) recipe_.typed += c == '\n' ? c : ' ';
  return false;
}

bool Session::evaluateExpression(const InputText& typed) {
  const std::string meant = commandFor(typed.text);
  if (!meant.empty() && !program_->types.count(std::string(typed.text)))
    return printError("`" + std::string(typed.text) + "` is no name here; commands begin with a colon: `" + meant +
                      "`");
  return runInChild([&] { return evaluate(*this, typed); });
}

bool Session::define(const InputText& typed) {
  const Entry entry{typed.begin, typed.end()};
  SourceMap sources;
  Diagnostics diagnostics;
  const SourceId source = sources.add(typedPath, recipe_.typed);
  const auto from = static_cast<std::uint32_t>(entry.begin), to = static_cast<std::uint32_t>(entry.end);
  const ast::Module parsed = parseModule(sources, Span{source, from, to}, "", diagnostics);
  if (hasErrors(diagnostics)) return printDiagnostics(diagnostics, sources), false;
  if (parsed.items.size() == 1)
    if (const auto* import = std::get_if<ast::Import>(&parsed.items.front()))
      if (program_->modules.imports.back().count(import->name.text)) return true;  // already imported
  Recipe recipe = recipe_;
  recipe.entries.push_back(entry);
  if (!program_->isExtendedBy(parsed)) return replaceProgram(std::move(recipe), entry, Types(program_->types));
  Types before;
  for (const TopLevelName& name : program_->open) before[name.name] = program_->types[name.name];
  return replaceProgram(std::move(recipe), entry, before, true);
}

// Makes the program of a recipe and prints its diagnostics; null if it has errors.
std::unique_ptr<Program> Session::makeGoodProgram(const Recipe& recipe, const std::optional<Entry>& added) const {
  std::unique_ptr<Program> made = makeProgram(recipe, checkOptions_);
  std::erase_if(made->diagnostics, [&](const Diagnostic& d) {  // warnings of earlier entries were printed before
    const Span* span = std::get_if<Span>(&d.primary.place);
    return d.code->severity != Severity::error && added && span &&
           (span->source != made->typed || span->begin < added->begin);
  });
  for (Diagnostic& d : made->diagnostics) {
    const Span* span = std::get_if<Span>(&d.primary.place);
    if (d.code != &codes::recursive || !span || span->source != made->typed) continue;
    const std::string name(made->sources.text(*span));
    if (program_->types.count(name)) d.help = {"to make another value of `" + name + "`, give that another name"};
  }
  printDiagnostics(made->diagnostics, made->sources);
  return made->good() ? std::move(made) : nullptr;
}

bool Session::replaceProgram(Recipe recipe, const std::optional<Entry>& added, const Types& before, bool extends) {
  return runHere([&] {
    Diagnostics found;
    std::unique_ptr<Program> made;
    if (extends && program_->extend(recipe, checkOptions_, found)) {
      printDiagnostics(found, program_->sources);
    } else {
      made = makeGoodProgram(recipe, added);
      if (!made) return false;
    }
    useProgram(std::move(made), std::move(recipe), added, before);
    return true;
  });
}

void Session::useProgram(std::unique_ptr<Program> made, Recipe recipe, const std::optional<Entry>& added,
                         const Types& before) {
  if (made) program_.swap(made);  // `made` keeps the previous one until the end, since `before` may refer to it
  printChangedTypes(before, added);
  recipe_ = std::move(recipe);
  std::vector<std::size_t>& superseded = program_->superseded;
  for (; !superseded.empty(); superseded.pop_back())
    recipe_.entries.erase(recipe_.entries.begin() + static_cast<std::ptrdiff_t>(superseded.back()));
}

// Prints the types of added definitions, and of all names whose types have changed.
void Session::printChangedTypes(const Types& before, const std::optional<Entry>& added) const {
  const TypedProgram& program = axle::program(*program_->checked);
  for (const TopLevelName& name : program_->updated) {
    const Span at = program[name.binding].span;
    const bool isAdded = added && at.source == program_->typed && at.begin >= added->begin;
    const std::string& type = program_->types[name.name];
    const auto old = before.find(name.name);
    const bool isNew = old == before.end() || isAdded;
    if (!isNew && old->second == type) continue;
    std::printf("%s : %s", name.name.c_str(), typeText(type).c_str());
    if (!isNew) std::printf(" (was %s)", old->second.c_str());
    std::printf("\n");
  }
}

bool Session::load(const std::string& file, const std::string& weights) {
  if (const auto foreign = driver::refuseForeignFile(file)) return run::report(*foreign, stderr), false;
  Recipe recipe;
  recipe.includes = recipe_.includes;
  recipe.typed = recipe_.typed;
  recipe.file = file;
  auto held = std::exchange(tensors_, {});
  lastFailed_.reset();
  if (loadProgram(std::move(recipe), weights, {})) return true;
  lastFailed_ = {file, weights};
  tensors_ = std::move(held);
  return false;
}

bool Session::reload() {
  if (const auto failed = lastFailed_; failed && recipe_.file.empty()) return load(failed->first, failed->second);
  if (recipe_.file.empty()) return printError("nothing is loaded: `:load FILE.ax`");
  Recipe recipe = recipe_;
  recipe.texts.clear();
  return loadProgram(std::move(recipe), weightsWord_, program_->types);
}

bool Session::loadProgram(Recipe recipe, const std::string& word, const Types& before) {
  std::optional<driver::Weights> weights;
  if (!word.empty()) {
    auto opened = driver::Weights::open(word);
    if (!opened) return printError("the weights cannot be read: " + describe(opened.error()));
    weights = std::move(*opened);
  }
  std::swap(weights_, weights);
  useWeights();
  // The file is untrusted, so it is parsed and checked in a child process first.
  const bool isGood = runInChild([&] { return makeGoodProgram(recipe, std::nullopt) != nullptr; }) && runHere([&] {
                        std::unique_ptr<Program> made = makeProgram(recipe, checkOptions_);
                        const bool good = made->good();
                        if (good) useProgram(std::move(made), std::move(recipe), std::nullopt, before);
                        return good;
                      });
  if (!isGood) {
    std::swap(weights_, weights);
    useWeights();
    return false;
  }
  weightsWord_ = word;
  for (const ast::Module& module : program_->modules.modules) {
    const std::string path(program_->sources.path(module.source));
    if (path != typedPath && path != tensorsPath)
      recipe_.texts[fileIdentity(path)] = std::string(program_->sources.text(module.source));
  }
  return true;
}

// Gives the checker the weights file. Tensors of the session take precedence over those of the file.
void Session::useWeights() {
  const WeightSource* source = weights_ ? weights_->source() : nullptr;
  checkOptions_.weights = source ? &weightSource_ : nullptr;
  if (!source) return;
  weightSource_ = *source;
  weightSource_.find = [this, find = source->find](const std::string& name) -> std::optional<WeightType> {
    auto held = tensors_.find(name);
    return held == tensors_.end() ? find(name) : WeightType{held->second.elem, held->second.shape};
  };
}

// Removes the entry that defines a name. Returns nothing if there is no such entry, and false if the entry defines
// other names, too.
std::optional<bool> Session::forget(Recipe& recipe, const std::string& name) const {
  std::vector<std::vector<std::string>> names(recipe.entries.size());
  for (const ProgramItem& at : program_->modules.program) {
    const ast::Module& typed = program_->modules.modules[at.module];
    if (typed.source != program_->typed) continue;
    const Span span = spanOf(typed, typed.items[at.item]);
    for (std::size_t i = 0; i < recipe.entries.size(); ++i)
      if (recipe.entries[i].begin <= span.begin && span.begin < recipe.entries[i].end)
        for (std::string& defined : namesOf(typed, typed.items[at.item])) names[i].push_back(std::move(defined));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(names[i].begin(), names[i].end(), name) == names[i].end()) continue;
    if (names[i].size() > 1) return false;
    recipe.entries.erase(recipe.entries.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return std::nullopt;
}

bool Session::drop(const std::string& name) {
  Recipe recipe = recipe_;
  auto isForgotten = forget(recipe, name);
  if (!isForgotten) isForgotten = forget(recipe, "import " + name);
  if (isForgotten == false) return printError("`" + name + "` is defined together with other names");
  auto before = tensors_;
  if (!isForgotten && tensors_.erase(name) == 0)
    return printError("`" + name + "` was not defined here" +
                      (program_->types.count(name) ? ": it is of " + recipe.file : std::string()));
  recipe.tensors = declarations();
  const Entry none{recipe.typed.size(), recipe.typed.size()};  // diagnostics of entries are not printed again
  if (replaceProgram(std::move(recipe), none, Types(program_->types))) return true;
  tensors_ = std::move(before);
  return false;
}

std::string Session::declarations() const {
  std::string text;
  for (const auto& [name, of] : tensors_) {
    std::string sizes;
    for (std::int64_t size : of.shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    text += "param " + name + " : " + std::string(info(of.elem).name) + " [" + sizes + "];  // " + of.file + "\n";
  }
  return text;
}

bool Session::nameTensor(const std::string& name, NamedTensor tensor) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'";
  if (name.empty() || name.find_first_not_of(letters) != std::string::npos || (name[0] >= '0' && name[0] <= '9'))
    return printError("`" + name + "` is no name");
  Recipe recipe = recipe_;
  if (forget(recipe, name) == false)
    return printError("`" + name + "` is defined together with other names: choose another one");
  auto before = tensors_;
  tensors_[name] = std::move(tensor);
  recipe.tensors = declarations();
  auto types = program_->types;
  types.erase(name);
  const Entry none{recipe.typed.size(), recipe.typed.size()};  // diagnostics of entries are not printed again
  if (replaceProgram(std::move(recipe), none, types)) return true;
  tensors_ = std::move(before);
  return false;
}

WeightBytes Session::weightBytes() const {
  const TypedProgram& program = axle::program(*program_->checked);
  auto rest = weights_ ? *weights_ : driver::Weights::open("random:" + std::to_string(options_.seed)).value();
  return [&program, held = tensors_, others = rest.bytes(program)](
             std::uint32_t weight, const ir::Constant& constant) -> FileResult<TensorBytes> {
    auto found = held.find(program.weights[weight].parameter);
    return found == held.end() ? others(weight, constant) : found->second.bytes;
  };
}

std::optional<Session::Subject> Session::subject(const std::string& name) {
  if (program_->types.count(name)) return Subject{program_.get(), name};
  Subject found{nullptr, name};
  const std::size_t dot = name.find('.');
  if (dot != name.npos) found.module = moduleProgram(*program_, recipe_, name.substr(0, dot), checkOptions_);
  found.program = found.module ? found.module.get() : program_.get();
  if (found.module) found.name = name.substr(dot + 1);
  if (found.program->types.count(found.name)) return found;
  std::vector<std::string_view> known;
  for (const auto& [other, type] : found.program->types) known.push_back(other);
  const std::string module = found.module ? name.substr(0, dot + 1) : "";
  std::string text = "there is no `" + name + (found.module ? "`" : "` in this session");
  for (const std::string& near : closestNames(found.name, known)) text += "; did you mean `" + module + near + "`?";
  printError(text);
  return std::nullopt;
}

// Restores the program and the texts of a session at the end of a question.
class Session::QuestionScope {
 public:
  explicit QuestionScope(Session& session)
      : session_(session),
        typed_(session.recipe_.typed.size()),
        entries_(session.recipe_.entries.size()),
        trial_(*session.program_) {}
  ~QuestionScope() {
    session_.recipe_.typed.resize(typed_);
    session_.recipe_.entries.resize(entries_);
    if (session_.beforeImports_) session_.program_ = std::move(session_.beforeImports_);
  }
  QuestionScope(const QuestionScope&) = delete;
  QuestionScope& operator=(const QuestionScope&) = delete;

 private:
  Session& session_;
  std::size_t typed_, entries_;
  ProgramTrial trial_;
};

bool Session::answer(const std::function<bool()>& question) {
  return runHere([&] {
    const QuestionScope scope(*this);
    return question();
  });
}

void Session::importModulesOf(const InputText& typed) {
  std::set<std::string> missing;
  for (const TextToken& token : textTokens(typed.text).value_or(std::vector<TextToken>())) {
    const std::string module(token.text.substr(0, token.text.find('.')));
    if (module.size() == token.text.size() || program_->types.count(std::string(token.text))) continue;
    if (!program_->modules.imports.back().count(module) && !stdlibModule(module).empty()) missing.insert(module);
  }
  for (const std::string& module : missing) {
    const std::string import = "import " + module;
    recipe_.entries.push_back({recipe_.typed.size(), recipe_.typed.size() + import.size()});
    recipe_.typed += import + "\n";
  }
  if (missing.empty()) return;
  std::unique_ptr<Program> made = makeProgram(recipe_, checkOptions_);
  if (made->good()) beforeImports_ = std::exchange(program_, std::move(made));
}

Span Session::placeInSource(const InputText& typed) {
  const SourceId source = program_->sources.add(typedPath, recipe_.typed);
  return {source, static_cast<std::uint32_t>(typed.begin), static_cast<std::uint32_t>(typed.end())};
}

std::optional<BindingId> Session::defineValue(const std::string& name, Span expression) {
  Diagnostics diagnostics;
  ast::Module module;
  module.source = expression.source;
  if (auto value = parseValue(program_->sources, {expression}, module, diagnostics)) {
    addBinding(module, name, *value);
    program_->addModule(std::move(module));
    checkMore(*program_->checked, checkOptions_, diagnostics);
  }
  printDiagnostics(diagnostics, program_->sources);
  if (hasErrors(diagnostics)) return std::nullopt;
  return rootBinding(*program_->checked, name);
}

}  // namespace axle::repl
