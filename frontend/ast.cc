#include "frontend/ast.h"

namespace axle::ast {

std::string_view spelling(Operator op) {
  static constexpr std::string_view spellings[] = {
      // in the order of Operator
      "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or", "-", "not",
  };
  return spellings[static_cast<std::size_t>(op)];
}

}  // namespace axle::ast
