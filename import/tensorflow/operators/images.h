// Formulas that resize images (images_resizing.cc).
#pragma once

#include "import/tensorflow/operators/operator_row.h"

namespace axle::tensorflow::images {

FormulaResults resizeBilinearFormula(NodeFormula& f);
FormulaResults resizeBicubicFormula(NodeFormula& f);
FormulaResults resizeAreaFormula(NodeFormula& f);
FormulaResults resizeNearestFormula(NodeFormula& f);
FormulaResults scaleAndTranslateFormula(NodeFormula& f);

}  // namespace axle::tensorflow::images
