// Rows of operators that are formulas, and the rules that evaluate them.
#pragma once

#include "ir/lower/operators.h"

namespace axle::ir::lowering {

struct FormulaRow {
  std::string_view name;
  Results (*formula)(Formula&);
  Rule ragged = nullptr;  // as in CoreOperator
};

// Rows by family, a file each: formulas_elementwise.cc, formulas_reductions.cc, ...
std::span<const FormulaRow> elementwiseFormulas();
std::span<const FormulaRow> reductionFormulas();
std::span<const FormulaRow> structureFormulas();
std::span<const FormulaRow> indexingFormulas();

// Emits an elementwise formula, whose operands broadcast.
std::optional<Value> emitElementwiseFormula(Context& c, const Application& a, const CoreOperator& core,
                                            std::vector<Tensor> inputs);
// Lowers any other formula.
std::optional<Value> lowerFormula(Context& c, const Application& a, const CoreOperator& core);
// Lowers a reduction of a ragged tensor, or a normalisation that uses one.
std::optional<Value> lowerRaggedFormula(Context& c, const Application& a, const CoreOperator& core);

}  // namespace axle::ir::lowering
