// Variables: which nodes stand for them, which of them the call assigns, and where their values are.
#pragma once

#include "import/tensorflow/reader/detect.h"
#include "import/tensorflow/graph.h"
#include "import/tensorflow/problems.h"
#include "import/tensorflow/reader/saver.h"

namespace axle::tensorflow {

bool isVariable(std::string_view op);

// Gives the model its variables: what the call never assigns is frozen (`tflite-fusion.txt`, variable mutability
// analysis).
void addVariables(Model& model, const SavedVariables& saved);

// Finds their values in the checkpoint at `prefix`. What is frozen must have one, of its own type and shape; no bytes
// are read yet. A model without variables needs no checkpoint.
void bindVariables(Model& model, const SavedVariables& saved, const std::string& prefix, Problems& problems);

}  // namespace axle::tensorflow
