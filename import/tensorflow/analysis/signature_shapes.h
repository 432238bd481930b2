// Compares element types and shapes that a signature declares with the graph. TensorFlow ignores them: if the graph
// contradicts one, the graph is right.
#pragma once

#include <set>
#include <string>

#include "import/tensorflow/graph.h"

namespace axle::tensorflow {

struct Analysis;

// Returns the inputs of which only the signature declares a shape.
std::set<std::string> inputsCompletedBySignature(const Model& model);

// Returns the inputs whose shapes in the graph differ from the signature's: also where a size is a number in the one
// and open in the other.
std::set<std::string> inputsContradictingSignature(Analysis& analysis);

// Notes the inputs and outputs whose types or shapes differ from the signature's, and the inputs whose signature was
// ignored. Gives these ports of `model`, which is the analysed one, the graph's types and shapes.
void correctSignature(Analysis& analysis, Model& model);

}  // namespace axle::tensorflow
