// Prints the syntax tree as text, one S-expression per item, for comparisons.
#pragma once

#include <string>

#include "frontend/ast.h"

namespace axle::test {

std::string dump(const ast::Module& module);
std::string dump(const ast::Module& module, ast::ExprId id);
std::string dump(const ast::Module& module, ast::TypeId id);

}  // namespace axle::test
