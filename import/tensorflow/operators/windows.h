// Formulas of windows that no core operator computes (windows_formulas.cc).
#pragma once

#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::windows {

FormulaResults imagePatchesFormula(NodeFormula& f);
FormulaResults dilationFormula(NodeFormula& f);
FormulaResults poolWithPlacesFormula(NodeFormula& f);
FormulaResults maxPoolGradFormula(NodeFormula& f);
FormulaResults convolutionFilterGradFormula(NodeFormula& f);

}  // namespace axle::tensorflow::windows
