// Rules of elementwise operators, by file: elementwise_values.cc, elementwise_formulas.cc.
#pragma once

#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::elementwise {

std::optional<Known> castValue(const RuleNode& n);
std::optional<Known> truncateDivValue(const RuleNode& n);
std::optional<Known> addValue(const RuleNode& n);
std::optional<Known> subValue(const RuleNode& n);
std::optional<Known> mulValue(const RuleNode& n);
std::optional<Known> floorDivValue(const RuleNode& n);
std::optional<Known> floorModValue(const RuleNode& n);
std::optional<Known> realDivValue(const RuleNode& n);
std::optional<Known> maximumValue(const RuleNode& n);
std::optional<Known> minimumValue(const RuleNode& n);
std::optional<Known> lessValue(const RuleNode& n);
std::optional<Known> lessEqualValue(const RuleNode& n);
std::optional<Known> greaterValue(const RuleNode& n);
std::optional<Known> greaterEqualValue(const RuleNode& n);
std::optional<Known> equalValue(const RuleNode& n);
std::optional<Known> notEqualValue(const RuleNode& n);
std::optional<Known> logicalAndValue(const RuleNode& n);
std::optional<Known> logicalOrValue(const RuleNode& n);
std::optional<Known> negValue(const RuleNode& n);
std::optional<Known> logicalNotValue(const RuleNode& n);
std::optional<Known> floorValue(const RuleNode& n);
std::optional<Known> ceilValue(const RuleNode& n);
std::optional<Known> roundValue(const RuleNode& n);
std::optional<Known> sqrtValue(const RuleNode& n);
std::optional<Known> zerosLikeValue(const RuleNode& n);
std::optional<Known> onesLikeValue(const RuleNode& n);
std::optional<Known> selectValue(const RuleNode& n);
FormulaResults divNoNanFormula(NodeFormula& f);
FormulaResults mulNoNanFormula(NodeFormula& f);
FormulaResults xdivyFormula(NodeFormula& f);
FormulaResults xlog1pyFormula(NodeFormula& f);
FormulaResults approximateEqualFormula(NodeFormula& f);
FormulaResults truncateDivFormula(NodeFormula& f);
FormulaResults truncateModFormula(NodeFormula& f);
FormulaResults integerPowerFormula(NodeFormula& f);
FormulaResults floorModFormula(NodeFormula& f);
FormulaResults castFormula(NodeFormula& f);
FormulaResults itselfFormula(NodeFormula& f);
FormulaResults clipFormula(NodeFormula& f);
FormulaResults integerReluFormula(NodeFormula& f);
FormulaResults populationCountFormula(NodeFormula& f);
FormulaResults conflictingShapesFormula(NodeFormula& f);
FormulaResults compareAndBitpackFormula(NodeFormula& f);
FormulaResults nextAfterFormula(NodeFormula& f);
bool shapesConflict(const RuleNode& n);

}  // namespace axle::tensorflow::elementwise
