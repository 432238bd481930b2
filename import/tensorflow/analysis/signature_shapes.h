// Shapes that a signature declares. TensorFlow ignores them: where the graph contradicts one, the graph is right.
#pragma once

#include <set>
#include <string>

#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

struct Analysis;

// The inputs whose shapes the signature tells more of than the graph.
std::set<std::string> inputsCompletedBySignature(const Model& model);

// The inputs whose shapes in the graph, as far as they are known, differ from the signature's.
std::set<std::string> inputsContradictingSignature(Analysis& analysis);

// Notes the inputs and outputs whose shapes differ from the signature's, and the inputs whose signature was not
// followed.
void noteSignatureShapes(Analysis& analysis);

}  // namespace axle::tensorflow
