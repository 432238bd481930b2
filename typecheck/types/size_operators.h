// Maps the AST's operators of sizes to those of `dims/`.
#pragma once

#include "dims/arithmetic.h"
#include "frontend/ast.h"

namespace axle {

constexpr DimOp dimOperator(ast::DimOp op) {
  constexpr DimOp operators[] = {DimOp::add, DimOp::sub, DimOp::mul, DimOp::div,
                                 DimOp::mod, DimOp::max, DimOp::min, DimOp::ceildiv};
  return operators[static_cast<int>(op)];
}
static_assert(dimOperator(ast::DimOp::mod) == DimOp::mod && dimOperator(ast::DimOp::ceildiv) == DimOp::ceildiv);

}  // namespace axle
