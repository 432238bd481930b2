#include "typecheck/report/called_functions.h"

namespace axle {
namespace {

// The function that a top-level statement of the module names.
std::optional<CalledFunction> definedIn(const ast::Module& module, const std::string& name) {
  for (const ast::Item& item : module.items) {
    const auto* index = std::get_if<std::uint32_t>(&item);
    if (!index) continue;
    const ast::Binding& binding = module.bindings[*index];
    const auto* named = std::get_if<ast::PatternName>(&module[binding.pattern].node);
    const auto* function = std::get_if<ast::ExprFn>(&module[binding.value].node);
    if (named && function && named->name == name)
      return CalledFunction{nullptr, nullptr, &module, function, module[binding.value].span, name};
  }
  return std::nullopt;
}

}  // namespace

std::optional<CalledFunction> functionNamed(const Modules& modules, std::size_t module, const std::string& name) {
  std::optional<CalledFunction> found = definedIn(modules.modules[module], name);
  const std::size_t dot = name.find('.');
  if (!found && dot != std::string::npos) {
    const auto import = modules.imports[module].find(name.substr(0, dot));
    if (import != modules.imports[module].end())
      found = definedIn(modules.modules[import->second], name.substr(dot + 1));
  }
  if (found) found->name = name;
  return found;
}

std::optional<CalledFunction> calledFunctionAt(const Modules& modules, Span place) {
  for (std::size_t i = 0; i < modules.modules.size(); ++i) {
    const ast::Module& module = modules.modules[i];
    if (!(module.source == place.source)) continue;
    for (const ast::Expr& e : module.exprs) {
      const auto* call = e.span == place ? std::get_if<ast::ExprCall>(&e.node) : nullptr;
      const auto* callee = call ? std::get_if<ast::ExprName>(&module[call->callee].node) : nullptr;
      if (!callee) continue;
      std::optional<CalledFunction> found = functionNamed(modules, i, callee->name);
      if (!found) continue;
      found->caller = &module;
      found->call = call;
      return found;
    }
  }
  return std::nullopt;
}

std::vector<const ast::Dim*> declaredSizesOf(const ast::Module& module, ast::TypeId declared) {
  const auto* type = declared ? std::get_if<ast::TypeTensor>(&module[declared].node) : nullptr;
  const auto* list = type && type->shape ? std::get_if<ast::ShapeDims>(&module[type->shape].node) : nullptr;
  std::vector<const ast::Dim*> sizes;
  if (list)
    for (const ast::DimId dim : list->dims) sizes.push_back(&module[dim]);
  return sizes;
}

std::vector<const ast::Dim*> declaredSizesOf(const ast::Module& module, const ast::Parameter& parameter) {
  return declaredSizesOf(module, parameter.type);
}

}  // namespace axle
