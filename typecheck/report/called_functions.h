// Finds the function that a call names, in the syntax tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/modules.h"

namespace axle {

struct CalledFunction {
  const ast::Module* caller;  // whose text has the call
  const ast::ExprCall* call;
  const ast::Module* module;  // that defines the function
  const ast::ExprFn* function;
  Span span;         // of the function
  std::string name;  // as the call has it: `nn.dense`
};

// Nothing where no call is at the place, and for operators and functions inside of others.
std::optional<CalledFunction> calledFunctionAt(const Modules& modules, Span call);

// The function that a name means in a module: its own, or `nn.dense` of an import. Has no caller and no call.
std::optional<CalledFunction> functionNamed(const Modules& modules, std::size_t module, const std::string& name);

// The sizes that a type, or that of a parameter, has as a list; none where it has another shape or there is no type.
std::vector<const ast::Dim*> declaredSizesOf(const ast::Module& module, ast::TypeId declared);
std::vector<const ast::Dim*> declaredSizesOf(const ast::Module& module, const ast::Parameter& parameter);

}  // namespace axle
