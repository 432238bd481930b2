// Compares shapes that a signature declares with the graph. TensorFlow ignores them: if the graph contradicts one, the
// graph is right.
#pragma once

#include <set>
#include <string>

#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

struct Analysis;

// Returns the inputs whose shapes the signature knows better than the graph.
std::set<std::string> inputsCompletedBySignature(const Model& model);

// Returns the inputs whose known shapes in the graph differ from the signature's.
std::set<std::string> inputsContradictingSignature(Analysis& analysis);

// Notes the inputs and outputs whose shapes differ from the signature's, and the inputs whose signature was ignored.
void noteSignatureShapes(Analysis& analysis);

}  // namespace axle::tensorflow
