#include "import/emit/library.h"

#include <algorithm>

#include "frontend/modules.h"
#include "frontend/parser.h"
#include "import/emit/equivalent_forms.h"

namespace axle::emit {

namespace {

constexpr std::size_t minApplications = 2;  // a function with fewer is not worth recognizing

bool takesFunctions(const ast::Module& module, const ast::ExprFn& function) {
  return std::any_of(function.parameters.begin(), function.parameters.end(), [&](const ast::Parameter& parameter) {
    return parameter.type && std::holds_alternative<ast::TypeFunction>(module[parameter.type].node);
  });
}

}  // namespace

Library::Library() {
  for (std::string_view name : stdlibModuleNames()) add(std::string(name), std::string(stdlibModule(name)), false);
  add("forms", std::string(equivalentForms()), true);
  for (LibraryFunction& function : functions_) function.size = sizeOf(function.module, function.value, 0);
  std::erase_if(functions_, [](const LibraryFunction& function) {
    return !function.isEquivalentForm && function.size < minApplications;
  });
  std::stable_sort(functions_.begin(), functions_.end(),
                   [](const LibraryFunction& a, const LibraryFunction& b) { return a.size > b.size; });
}

void Library::add(const std::string& name, std::string text, bool areEquivalentForms) {
  Diagnostics diagnostics;
  const std::size_t index = modules_.size();
  modules_.push_back(parseModule(sources_, sources_.add(name + ".ax", std::move(text)), name, diagnostics));
  byName_[name] = index;
  topLevels_.emplace_back();
  const ast::Module& module = modules_.back();
  for (const ast::Item& item : module.items) {
    const auto* at = std::get_if<std::uint32_t>(&item);
    if (!at) continue;
    const ast::Binding& binding = module.bindings[*at];
    const auto* its = std::get_if<ast::PatternName>(&module[binding.pattern].node);
    if (!its) continue;
    topLevels_.back()[its->name] = binding.value;
    const auto* function = std::get_if<ast::ExprFn>(&module[binding.value].node);
    if (!function || function->parameters.empty() || takesFunctions(module, *function)) continue;
    std::string full = name + "." + its->name;
    for (const ast::Annotation& annotation : binding.annotations)
      if (areEquivalentForms && !annotation.arguments.empty()) full = annotation.arguments.front();
    functions_.push_back({std::move(full), index, binding.value, 0, areEquivalentForms});
  }
}

const ast::ExprFn& Library::functionOf(const LibraryFunction& its) const {
  return std::get<ast::ExprFn>(modules_[its.module][its.value].node);
}

// Returns the number of applications, including those of called functions.
std::size_t Library::sizeOf(std::size_t module, ast::ExprId id, int depth) const {
  if (!id || depth > 12) return 0;
  const ast::Module& m = modules_[module];
  const auto& node = m[id].node;
  auto all = [&](const std::vector<ast::ExprId>& ids) {
    std::size_t sum = 0;
    for (ast::ExprId each : ids) sum += sizeOf(module, each, depth);
    return sum;
  };
  if (const auto* call = std::get_if<ast::ExprCall>(&node)) {
    const auto* name = std::get_if<ast::ExprName>(&m[call->callee].node);
    auto function = name ? topLevel(module, name->name) : std::nullopt;
    return all(call->arguments) + (function ? sizeOf(function->first, function->second, depth + 1) : 1);
  }
  if (const auto* binary = std::get_if<ast::ExprBinary>(&node)) return 1 + all({binary->left, binary->right});
  if (const auto* unary = std::get_if<ast::ExprUnary>(&node)) return 1 + all({unary->operand});
  if (const auto* group = std::get_if<ast::ExprGroup>(&node)) return all({group->inner});
  if (const auto* tuple = std::get_if<ast::ExprTuple>(&node)) return all(tuple->parts);
  if (const auto* index = std::get_if<ast::ExprIndex>(&node)) return 1 + all({index->base});
  if (const auto* function = std::get_if<ast::ExprFn>(&node)) return all({function->body});
  if (const auto* block = std::get_if<ast::ExprBlock>(&node)) {
    std::size_t sum = all({block->result});
    for (std::uint32_t binding : block->bindings) sum += all({m.bindings[binding].value});
    return sum;
  }
  return 0;
}

std::optional<std::pair<std::size_t, ast::ExprId>> Library::topLevel(std::size_t module,
                                                                     const std::string& name) const {
  std::string own = name;
  if (const std::size_t dot = name.find('.'); dot != name.npos) {
    auto other = byName_.find(name.substr(0, dot));
    if (other == byName_.end()) return std::nullopt;
    module = other->second;
    own = name.substr(dot + 1);
  }
  auto its = topLevels_[module].find(own);
  if (its == topLevels_[module].end()) return std::nullopt;
  return std::pair(module, its->second);
}

Scope* Library::innerScope(Scope* outer, const ast::ExprFn* function) {
  scopes_.push_back(std::make_unique<Scope>());
  scopes_.back()->module = outer->module;
  scopes_.back()->outer = outer;
  scopes_.back()->function = function;
  return scopes_.back().get();
}

ScopedExpr Library::open(const LibraryFunction& its) {
  scopes_.clear();
  opened_.clear();
  scopes_.push_back(std::make_unique<Scope>());
  Scope* scope = scopes_.back().get();
  const ast::ExprFn& function = functionOf(its);
  scope->module = its.module;
  scope->function = &function;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const std::string& name = function.parameters[i].name.text;
    scope->names[name] = {Meaning::Kind::variable, {}, {}, name, i};
  }
  for (const ast::StaticParameter& parameter : function.statics)
    scope->names[parameter.name.text] = {Meaning::Kind::number, {}, {}, parameter.name.text, {}};
  return {function.body, scope};
}

const Meaning* Library::meaning(ScopedExpr at, Scope** where) const {
  const auto* name = std::get_if<ast::ExprName>(&(*this)[at].node);
  if (!name) return nullptr;
  for (Scope* scope = at.scope; scope; scope = scope->outer)
    if (auto its = scope->names.find(name->name); its != scope->names.end()) {
      if (where) *where = scope;
      return &its->second;
    }
  return nullptr;
}

Library::Callee Library::callee(ScopedExpr call) {
  const auto& its = std::get<ast::ExprCall>((*this)[call].node);
  const ScopedExpr name{its.callee, call.scope};
  if (meaning(name)) {
    Head function = head(name);
    return {function.at, function.kind == Head::Kind::function};
  }
  const auto* text = std::get_if<ast::ExprName>(&(*this)[name].node);
  auto found = text ? topLevel(call.scope->module, text->name) : std::nullopt;
  if (!found || !std::holds_alternative<ast::ExprFn>(modules_[found->first][found->second].node)) return {};
  auto [known, isNew] = opened_.try_emplace({nullptr, static_cast<std::uint32_t>(found->first)}, nullptr);
  if (isNew) {  // the scope of the module
    scopes_.push_back(std::make_unique<Scope>());
    scopes_.back()->module = found->first;
    known->second = scopes_.back().get();
  }
  return {{found->second, known->second}, true};
}

// Returns the body of the function, with its parameters bound to the arguments.
ScopedExpr Library::inlined(ScopedExpr call, ScopedExpr function) {
  const auto& its = std::get<ast::ExprCall>((*this)[call].node);
  const auto& callee = std::get<ast::ExprFn>((*this)[function].node);
  auto [known, isNew] = opened_.try_emplace({call.scope, call.expr.index}, nullptr);
  if (isNew) {
    Scope* scope = innerScope(function.scope, &callee);
    opened_[{call.scope, call.expr.index}] = scope;
    for (std::size_t i = 0; i < callee.parameters.size() && i < its.arguments.size(); ++i)
      scope->names[callee.parameters[i].name.text] = {
          Meaning::Kind::expression, {its.arguments[i], call.scope}, {}, {}, i};
    for (const ast::StaticParameter& parameter : callee.statics) {
      ScopedExpr value{parameter.defaultValue, scope};
      for (const ast::NamedArgument& given : its.named)
        if (given.name.text == parameter.name.text) value = {given.value, call.scope};
      scope->names[parameter.name.text] = {Meaning::Kind::expression, value, {}, {}, {}};
    }
  }
  return {callee.body, opened_[{call.scope, call.expr.index}]};
}

ScopedExpr Library::block(ScopedExpr at) {
  const auto& its = std::get<ast::ExprBlock>((*this)[at].node);
  auto [known, isNew] = opened_.try_emplace({at.scope, at.expr.index}, nullptr);
  if (isNew) {
    Scope* scope = innerScope(at.scope, nullptr);
    opened_[{at.scope, at.expr.index}] = scope;
    const ast::Module& m = modules_[scope->module];
    for (std::uint32_t index : its.bindings) {
      const ast::Binding& binding = m.bindings[index];
      bindParts(m, binding.pattern, scope, {Meaning::Kind::expression, {binding.value, scope}, {}, {}, {}});
    }
  }
  return {its.result, opened_[{at.scope, at.expr.index}]};
}

void Library::bindParts(const ast::Module& module, ast::PatternId pattern, Scope* scope, const Meaning& meaning) {
  const auto& node = module[pattern].node;
  if (const auto* name = std::get_if<ast::PatternName>(&node)) scope->names[name->name] = meaning;
  const auto* tuple = std::get_if<ast::PatternTuple>(&node);
  for (std::size_t i = 0; tuple && i < tuple->parts.size(); ++i) {
    Meaning part = meaning;
    part.kind = Meaning::Kind::part;
    part.path.push_back(i);
    bindParts(module, tuple->parts[i], scope, part);
  }
}

Head Library::partOf(ScopedExpr source, const std::vector<std::size_t>& path) {
  Head of = head(source);
  for (std::size_t part : path) {
    if (of.kind == Head::Kind::unknown) return of;
    if (of.kind == Head::Kind::tuple) {
      of = part < of.parts.size() ? head(of.parts[part]) : Head{};
    } else if (of.kind == Head::Kind::variable) {
      of.name += "." + std::to_string(part);
    } else {
      Head made;
      made.kind = Head::Kind::part;
      made.part = part;
      made.at = source;
      made.of = std::make_shared<const Head>(std::move(of));
      of = std::move(made);
    }
  }
  return of;
}

Head Library::head(ScopedExpr at) {
  while (true) {
    const auto& node = (*this)[at].node;
    if (const auto* group = std::get_if<ast::ExprGroup>(&node)) {
      at.expr = group->inner;
      continue;
    }
    if (std::holds_alternative<ast::ExprBlock>(node)) {
      at = block(at);
      continue;
    }
    if (std::holds_alternative<ast::ExprName>(node)) {
      const Meaning* its = meaning(at);
      if (!its) return {};
      if (its->kind == Meaning::Kind::part) return partOf(its->closed, its->path);
      if (its->kind == Meaning::Kind::expression) {
        at = its->closed;
        continue;
      }
      Head made;
      made.kind = its->kind == Meaning::Kind::variable ? Head::Kind::variable
                  : its->kind == Meaning::Kind::number ? Head::Kind::number
                                                       : Head::Kind::symbol;
      made.name = its->name;
      made.at = at;
      return made;
    }
    Head made;
    made.at = at;
    made.kind = Head::Kind::other;
    if (const auto* call = std::get_if<ast::ExprCall>(&node)) {
      if (Callee its = callee(at); its.isFound) {
        at = inlined(at, its.function);
        continue;
      }
      const auto* name = std::get_if<ast::ExprName>(&(*this)[{call->callee, at.scope}].node);
      if (!name || meaning({call->callee, at.scope})) return {};
      made.kind = Head::Kind::op;
      made.name = name->name;
      for (ast::ExprId argument : call->arguments) made.parts.push_back({argument, at.scope});
    } else if (const auto* binary = std::get_if<ast::ExprBinary>(&node)) {
      made.kind = Head::Kind::op;
      made.name = spelling(binary->op);
      made.parts = {{binary->left, at.scope}, {binary->right, at.scope}};
    } else if (const auto* unary = std::get_if<ast::ExprUnary>(&node)) {
      made.kind = Head::Kind::op;
      made.name = spelling(unary->op);
      made.parts = {{unary->operand, at.scope}};
    } else if (const auto* tuple = std::get_if<ast::ExprTuple>(&node)) {
      made.kind = Head::Kind::tuple;
      for (ast::ExprId part : tuple->parts) made.parts.push_back({part, at.scope});
    } else if (std::holds_alternative<ast::ExprFn>(node)) {
      made.kind = Head::Kind::function;
    }
    return made;
  }
}

}  // namespace axle::emit
