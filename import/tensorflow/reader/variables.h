// Finds the variables: the nodes that stand for them, those that a run assigns, and the places of their values.
#pragma once

#include "import/tensorflow/graph.h"
#include "import/tensorflow/problems.h"
#include "import/tensorflow/reader/detect.h"
#include "import/tensorflow/reader/saver.h"

namespace axle::tensorflow {

bool isVariable(std::string_view op);

// Adds the variables of all nodes to the model. A variable that no run assigns is frozen (`tflite-fusion.txt`, variable
// mutability analysis).
void addVariables(Model& model, const SavedVariables& saved);

// Finds the values of the variables in the checkpoint at `prefix`, without reading their bytes. A frozen variable must
// have a value of its type and shape. A model without variables needs no checkpoint.
void bindVariables(Model& model, const SavedVariables& saved, const std::string& prefix, Problems& problems);

}  // namespace axle::tensorflow
