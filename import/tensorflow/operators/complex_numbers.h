// Formulas of complex numbers, for operators that have others for reals. The two parts of a complex number are a last
// axis. Each formula returns nothing if its inputs are reals.
#pragma once

#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow {

FormulaResults byPartsFormula(NodeFormula& f);
FormulaResults bilinearFormula(NodeFormula& f);
FormulaResults complexAddFormula(NodeFormula& f);
FormulaResults complexSubFormula(NodeFormula& f);
FormulaResults complexNegFormula(NodeFormula& f);
FormulaResults complexMulFormula(NodeFormula& f);
FormulaResults complexDivFormula(NodeFormula& f);
FormulaResults complexReciprocalFormula(NodeFormula& f);
FormulaResults complexSquareFormula(NodeFormula& f);
FormulaResults complexSqrtFormula(NodeFormula& f);
FormulaResults complexRsqrtFormula(NodeFormula& f);
FormulaResults complexLogFormula(NodeFormula& f);
FormulaResults complexExpFormula(NodeFormula& f);
FormulaResults complexCastFormula(NodeFormula& f);

}  // namespace axle::tensorflow
