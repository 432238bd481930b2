#include "tools/repl/program.h"

#include <algorithm>
#include <set>

#include "driver/check_program.h"
#include "frontend/parser.h"
#include "tools/repl/program_trial.h"
#include "typecheck/infer/name_codes.h"

namespace axle::repl {

namespace {

// Replaces a name in a pattern by `_`.
void removeName(ast::Module& module, ast::PatternId id, const std::string& name) {
  ast::Pattern& pattern = module.patterns[id.index];
  if (const auto* tuple = std::get_if<ast::PatternTuple>(&pattern.node))
    for (ast::PatternId part : std::vector<ast::PatternId>(tuple->parts)) removeName(module, part, name);
  if (const auto* own = std::get_if<ast::PatternName>(&pattern.node); own && own->name == name)
    pattern.node = ast::PatternWildcard{};
}

// Returns the typed text with everything except the entries blanked out and a `;` after each entry. Offsets stay the
// same.
std::string entriesText(const Recipe& recipe) {
  std::string text(recipe.typed.size(), ' ');
  for (const Entry& entry : recipe.entries) {
    recipe.typed.copy(text.data() + entry.begin, entry.end - entry.begin, entry.begin);
    text[entry.end] = ';';
  }
  return text;
}

// Appends the modules of `more` whose files are not in `modules` yet. The last one becomes the root.
void append(Modules& modules, Modules more, const SourceMap& sources) {
  std::vector<std::size_t> where;
  for (std::size_t i = 0; i < more.modules.size(); ++i) {
    std::string_view path = sources.path(more.modules[i].source);
    auto same = std::find_if(modules.modules.begin(), modules.modules.end(),
                             [&](const ast::Module& known) { return sources.path(known.source) == path; });
    where.push_back(static_cast<std::size_t>(same - modules.modules.begin()));
    if (same != modules.modules.end()) continue;
    std::map<std::string, std::size_t> imports;
    for (const auto& [name, index] : more.imports[i]) imports[name] = where[index];
    modules.modules.push_back(std::move(more.modules[i]));
    modules.imports.push_back(std::move(imports));
  }
}

// Chooses the items of the program, except redefined ones, and orders them so that definitions come before their uses.
class ItemOrder {
 public:
  ItemOrder(Modules& modules, const std::vector<std::size_t>& parts) : modules_(modules) {
    for (std::size_t part : parts)
      for (std::size_t i = 0; i < modules.modules[part].items.size(); ++i) add({part, i});
  }

  // If items use each other in a circle, `cycle` gets the items of one circle.
  std::vector<ProgramItem> items(std::vector<ProgramItem>& cycle) {
    std::vector<ProgramItem> out;
    collectUses();
    states_.assign(items_.size(), State::untouched);
    for (std::size_t i = 0; i < items_.size(); ++i) visit(i, out);
    for (std::size_t i : cycle_) cycle.push_back(items_[i].at);
    return out;
  }

 private:
  enum class State : std::uint8_t { untouched, open, done };
  struct Placed {
    ProgramItem at;
    std::vector<std::string> names;
    std::vector<std::size_t> needs;  // items that it uses and that may come after it in the text
    bool isSuperseded = false;
  };

  // Adds an item. Its names are removed from the items that defined them before.
  void add(ProgramItem at) {
    ast::Module& module = modules_.modules[at.module];
    Placed placed{at, namesOf(module, module.items[at.item]), {}, false};
    for (const std::string& name : placed.names) {
      auto known = definitions_.find(name);
      const bool isOther = known != definitions_.end() && known->second < items_.size();  // not twice in this item
      if (isOther && maySupersede(items_[known->second], at)) {
        supersede(items_[known->second], name);
        redefined_.insert(name);
      }
      definitions_[name] = items_.size();
    }
    items_.push_back(std::move(placed));
  }

  // Whether the item may redefine a name of `old`. A second definition in one file or one statement is an error.
  bool maySupersede(const Placed& old, ProgramItem at) const {
    const bool isTyped = at.module + 1 == modules_.modules.size();
    return old.at.module != at.module || (isTyped && old.at.item != at.item);
  }

  void supersede(Placed& old, const std::string& name) {
    ast::Module& module = modules_.modules[old.at.module];
    std::erase(old.names, name);
    if (const auto* binding = std::get_if<std::uint32_t>(&module.items[old.at.item]))
      removeName(module, module.bindings[*binding].pattern, name);
    old.isSuperseded = old.names.empty();
  }

  void collectUses() {
    for (Placed& placed : items_) {
      const ast::Module& module = modules_.modules[placed.at.module];
      Span whole = spanOf(module, module.items[placed.at.item]);
      auto inside = [&](Span span) { return whole.begin <= span.begin && span.end <= whole.end; };
      std::set<std::string> own;
      for (const ast::Pattern& pattern : module.patterns)
        if (const auto* name = std::get_if<ast::PatternName>(&pattern.node); name && inside(pattern.span))
          own.insert(name->name);
      for (const ast::Expr& expr : module.exprs) {
        const auto* fn = std::get_if<ast::ExprFn>(&expr.node);
        for (std::size_t i = 0; fn && inside(expr.span) && i < fn->parameters.size(); ++i)
          own.insert(fn->parameters[i].name.text);
      }
      for (const ast::Expr& expr : module.exprs) {
        const auto* name = std::get_if<ast::ExprName>(&expr.node);
        if (name && mayMove(name->name) && !own.count(name->name) && inside(expr.span))
          placed.needs.push_back(definitions_[name->name]);
      }
    }
  }

  // Whether the definition of a name may come after its use. Typed text was correct when it was entered, so a
  // definition after a use is a redefinition there. In a file it is an error and stays one.
  bool mayMove(const std::string& name) const {
    if (redefined_.count(name)) return true;
    auto definition = definitions_.find(name);
    return definition != definitions_.end() && items_[definition->second].at.module + 1 == modules_.modules.size();
  }

  void visit(std::size_t index, std::vector<ProgramItem>& out) {
    if (states_[index] == State::open && path_.back() != index && cycle_.empty())
      cycle_.assign(std::find(path_.begin(), path_.end(), index), path_.end());
    if (states_[index] != State::untouched) return;
    states_[index] = State::open;
    path_.push_back(index);
    for (std::size_t needed : items_[index].needs) visit(needed, out);
    path_.pop_back();
    states_[index] = State::done;
    if (!items_[index].isSuperseded) out.push_back(items_[index].at);
  }

  Modules& modules_;
  std::vector<Placed> items_;
  std::map<std::string, std::size_t> definitions_;
  std::set<std::string> redefined_;
  std::vector<State> states_;
  std::vector<std::size_t> path_, cycle_;  // items, each of which needs the next one
};

constexpr Message<arg::Name, arg::Name, Phrase> redefinedInCircle{codes::recursive, "{} is recursive: it uses {}{}",
                                                                  "this {} is the one that they use now"};

// The error for definitions that use each other in a circle; it begins with the definition that was typed last.
Diagnostic circleOf(const Modules& modules, std::vector<ProgramItem> cycle) {
  const auto place = [&](const ProgramItem& at) {
    return spanOf(modules.modules[at.module], modules.modules[at.module].items[at.item]);
  };
  const auto name = [&](const ProgramItem& at) {
    const ast::Module& module = modules.modules[at.module];
    return arg::Name{namesOf(module, module.items[at.item]).front()};
  };
  const auto isEarlier = [&](const ProgramItem& a, const ProgramItem& b) { return place(a).begin < place(b).begin; };
  std::rotate(cycle.begin(), std::max_element(cycle.begin(), cycle.end(), isEarlier), cycle.end());
  std::string uses;  // ", which uses `b`, which uses `a`"
  for (std::size_t i = 1; i < cycle.size(); ++i) uses += ", which uses " + name(cycle[(i + 1) % cycle.size()]).text;
  Diagnostic d(redefinedInCircle, place(cycle[0]), name(cycle[0]), name(cycle[1]), Phrase("{}", arg::Cause{uses}));
  for (std::size_t i = 1; i < cycle.size(); ++i)
    d.addLabel(place(cycle[i]), "{} uses {}", name(cycle[i]), name(cycle[(i + 1) % cycle.size()]));
  d.addHelp("there is no recursion; keep the older definition by another name");
  return d;
}

// Makes one program of the file, the tensors and the typed text, and finds the superseded entries. Returns a circle of
// definitions that use each other; empty if there is none.
std::vector<ProgramItem> orderItems(Program& program, std::optional<std::size_t> file,
                                    std::optional<std::size_t> tensors, const std::vector<Entry>& entries) {
  Modules& modules = program.modules;
  std::vector<std::size_t> parts;
  const std::size_t root = modules.modules.size() - 1;
  if (file) {
    parts.push_back(*file);
    modules.imports[root].insert(modules.imports[*file].begin(), modules.imports[*file].end());
    modules.imports[*file] = modules.imports[root];
  }
  if (tensors) parts.push_back(*tensors);
  parts.push_back(root);
  std::vector<ProgramItem> cycle;
  modules.program = ItemOrder(modules, parts).items(cycle);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    bool isUsed = std::any_of(modules.program.begin(), modules.program.end(), [&](const ProgramItem& item) {
      Span span = spanOf(modules.modules[item.module], modules.modules[item.module].items[item.item]);
      return item.module == root && entries[i].begin <= span.begin && span.begin < entries[i].end;
    });
    if (!isUsed) program.superseded.push_back(i);
  }
  return cycle;
}

}  // namespace

Span spanOf(const ast::Module& module, const ast::Item& item) {
  if (const auto* binding = std::get_if<std::uint32_t>(&item)) return module.bindings[*binding].span;
  if (const auto* param = std::get_if<ast::Param>(&item)) return param->span;
  if (const auto* import = std::get_if<ast::Import>(&item)) return import->span;
  return std::get<ast::OpDecl>(item).span;
}

std::vector<std::string> namesOf(const ast::Module& module, const ast::Item& item) {
  std::vector<std::string> names;
  if (const auto* binding = std::get_if<std::uint32_t>(&item))
    for (ast::Name& name : ast::namesOf(module, module.bindings[*binding].pattern))
      names.push_back(std::move(name.text));
  if (const auto* param = std::get_if<ast::Param>(&item)) names.push_back(param->name.text);
  if (const auto* import = std::get_if<ast::Import>(&item)) names.push_back("import " + import->name.text);
  return names;
}

void addBinding(ast::Module& module, const std::string& name, ast::ExprId value) {
  ast::Pattern& pattern = module.patterns.emplace_back();
  pattern.span = module[value].span;
  pattern.node = ast::PatternName{name};
  ast::Binding& binding = module.bindings.emplace_back();
  binding.span = pattern.span;
  binding.pattern = {static_cast<std::uint32_t>(module.patterns.size() - 1)};
  binding.value = value;
  module.items.emplace_back(static_cast<std::uint32_t>(module.bindings.size() - 1));
}

void Program::addModule(ast::Module module) {
  modules.imports.push_back(modules.imports.back());
  modules.modules.push_back(std::move(module));
}

void Program::printTypes(std::vector<TopLevelName> names) {
  std::map<std::string, std::string> printed;
  std::vector<TopLevelName> stillOpen;
  for (const TopLevelName& name : names) {
    printed[name.name] = printSignature(*checked, name.binding);
    if (isOpen(*checked, name.binding)) stillOpen.push_back(name);
  }
  printed.merge(types);  // keeps the new ones
  types = std::move(printed);
  open = std::move(stillOpen);
  updated = std::move(names);
}

bool Program::isExtendedBy(const ast::Module& definition) const {
  static const std::set<std::string_view> operators = [] {
    std::set<std::string_view> names;
    for (const CoreOp& op : coreOps()) names.insert(op.name);
    return names;
  }();
  return typed && good() && std::all_of(definition.items.begin(), definition.items.end(), [&](const ast::Item& item) {
           const bool defines = std::holds_alternative<std::uint32_t>(item) || std::holds_alternative<ast::Param>(item);
           const auto isNew = [&](const std::string& name) { return !types.count(name) && !operators.count(name); };
           const std::vector<std::string> names = namesOf(definition, item);
           return defines && std::all_of(names.begin(), names.end(), isNew);
         });
}

bool Program::extend(const Recipe& recipe, const CheckOptions& options, Diagnostics& found) {
  ProgramTrial trial(*this);
  sources.show(*typed, recipe.typed);
  const Entry& entry = recipe.entries.back();
  const Span span{*typed, static_cast<std::uint32_t>(entry.begin), static_cast<std::uint32_t>(entry.end)};
  ast::Module module = parseModule(sources, span, modules.root().name, found);
  for (std::size_t i = 0; i < module.items.size(); ++i) modules.program.push_back({modules.modules.size(), i});
  addModule(std::move(module));
  const std::size_t known = rootNames(*checked).size();
  checkDefinitions(*checked, options, found);
  if (hasErrors(found)) return false;
  std::vector<TopLevelName> changed = open;
  const std::vector<TopLevelName>& names = rootNames(*checked);
  changed.insert(changed.end(), names.begin() + static_cast<std::ptrdiff_t>(known), names.end());
  printTypes(std::move(changed));
  trial.commit();
  return true;
}

namespace {

void read(Program& program, const Recipe& recipe, const CheckOptions& options) {
  LoadOptions load{recipe.includes, recipe.texts};
  std::optional<std::size_t> file;
  if (!recipe.file.empty()) {
    program.modules = loadModules(program.sources, recipe.file, load, program.diagnostics);
    if (program.modules.modules.empty()) return;
    file = program.modules.modules.size() - 1;
  }
  std::optional<std::size_t> tensors;
  if (!recipe.tensors.empty()) {
    const SourceId source = program.sources.add(tensorsPath, recipe.tensors);
    tensors = program.modules.modules.size();
    program.modules.modules.push_back(parseModule(program.sources, source, "tensors", program.diagnostics));
    program.modules.imports.emplace_back();
  }
  load.texts[fileIdentity(typedPath)] = entriesText(recipe);
  append(program.modules, loadModules(program.sources, typedPath, load, program.diagnostics), program.sources);
  program.typed = program.modules.root().source;
  std::vector<ProgramItem> cycle = orderItems(program, file, tensors, recipe.entries);
  if (hasErrors(program.diagnostics)) return;
  program.checked = driver::checkModules(program.modules, options, cycle.empty(), program.sources, program.diagnostics);
  const bool isUnknown = std::any_of(program.diagnostics.begin(), program.diagnostics.end(),
                                     [](const Diagnostic& d) { return d.code == &codes::unknownName; });
  if (isUnknown && !cycle.empty())  // whatever their order, one of them is used before its definition
    program.diagnostics = {circleOf(program.modules, std::move(cycle))};
  if (hasErrors(program.diagnostics)) return;
  program.printTypes(rootNames(*program.checked));
}

}  // namespace

std::unique_ptr<Program> makeProgram(const Recipe& recipe, const CheckOptions& options) {
  auto program = std::make_unique<Program>();
  read(*program, recipe, options);
  if (program->typed) program->sources.show(*program->typed, recipe.typed);  // not the text with blanks
  return program;
}

std::unique_ptr<Program> moduleProgram(const Program& program, const Recipe& recipe, const std::string& name,
                                       const CheckOptions& options) {
  auto made = std::make_unique<Program>();
  const auto& imports = program.modules.imports.back();
  const auto import = imports.find(name);
  const std::string_view known = stdlibModule(name);
  const SourceId of = import != imports.end() ? program.modules.modules[import->second].source : SourceId{};
  if (import != imports.end() && program.sources.text(of) != known)
    made->checked = driver::checkFile(std::string(program.sources.path(of)), {recipe.includes, recipe.texts}, options,
                                      false, made->sources, made->modules, made->diagnostics);
  else if (!known.empty())
    made->checked = driver::checkStdlibModule(name, options, made->sources, made->modules, made->diagnostics);
  if (!made->checked) return nullptr;
  made->printTypes(rootNames(*made->checked));
  return made;
}

}  // namespace axle::repl
