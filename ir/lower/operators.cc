#include "ir/lower/operators.h"

#include "ir/lower/formula_rules.h"
#include "ir/lower/pointwise.h"
#include "ir/lower/ragged.h"

namespace axle::ir::lowering {

const std::vector<CoreOperator>& coreOperators() {
  static const std::vector<CoreOperator> all = [] {
    std::vector<CoreOperator> rows;
    for (std::span<const CoreOperator> family :
         {pointwiseOperators(), structureOperators(), windowOperators(), contractionOperators(), paddingOperators(),
          signalOperators(), reductionOperators(), loopOperators(), runSizeOperators(), raggedConversionOperators()})
      rows.insert(rows.end(), family.begin(), family.end());
    for (const FormulaRow& row : elementwiseFormulas())
      rows.push_back({row.name, Op::none, lowerPointwise, lowerRaggedPointwise, row.formula});
    for (std::span<const FormulaRow> family : {reductionFormulas(), structureFormulas(), indexingFormulas()})
      for (const FormulaRow& row : family) rows.push_back({row.name, Op::none, lowerFormula, row.ragged, row.formula});
    return rows;
  }();
  return all;
}

const CoreOperator* findCoreOperator(std::string_view name, std::size_t parameters) {
  for (const CoreOperator& core : coreOperators())
    if (core.name == name && (core.arity == 0 || core.arity == parameters)) return &core;
  return nullptr;
}

}  // namespace axle::ir::lowering

namespace axle::ir {

std::vector<std::string_view> loweredOperators() {
  std::vector<std::string_view> names;
  for (const lowering::CoreOperator& core : lowering::coreOperators()) names.push_back(core.name);
  return names;
}

}  // namespace axle::ir
