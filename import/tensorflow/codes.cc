#include "import/tensorflow/codes.h"

namespace axle::codes {

constexpr DiagnosticCode graphFile{"E0901", Severity::error, "a file that is no TensorFlow graph"};
constexpr DiagnosticCode graphText{"E0902", Severity::error, "the text of a graph is malformed"};
constexpr DiagnosticCode graphChoice{"E0903", Severity::error, "there is no such part of the SavedModel"};
constexpr DiagnosticCode noSuchTensor{"E0904", Severity::error, "there is no such tensor"};
constexpr DiagnosticCode danglingInput{"E0905", Severity::error, "a node takes from a node that is not there"};
constexpr DiagnosticCode noSuchPort{"E0906", Severity::error, "a node has no such output"};
constexpr DiagnosticCode duplicateNode{"E0907", Severity::error, "several nodes of one name"};
constexpr DiagnosticCode cycle{"E0908", Severity::error, "nodes that take from each other"};
constexpr DiagnosticCode inputCount{"E0909", Severity::error, "a node has too many or too few inputs"};
constexpr DiagnosticCode nodeAttribute{"E0910", Severity::error,
                                       "an attribute is missing, or is none that its operator takes"};
constexpr DiagnosticCode nodeConstant{"E0911", Severity::error, "a constant that is not what it says"};
constexpr DiagnosticCode missingFunction{"E0912", Severity::error, "a function that is not in the file"};
constexpr DiagnosticCode badFunction{"E0913", Severity::error, "a function that is not whole"};
constexpr DiagnosticCode checkpointFile{"E0914", Severity::error, "a checkpoint that cannot be read"};
constexpr DiagnosticCode variableValue{"E0915", Severity::error, "a variable without its value"};
constexpr DiagnosticCode nodeMisfit{"E0916", Severity::error, "a node does not fit what it takes"};
constexpr DiagnosticCode callsNotFollowed{"E0917", Severity::warning, "calls that are not followed"};
constexpr DiagnosticCode notComputed{"E0918", Severity::error, "nodes that cannot be computed yet"};

}  // namespace axle::codes

namespace axle {

std::span<const DiagnosticCode* const> tensorflowCodes() {
  static constexpr const DiagnosticCode* all[] = {
      &codes::graphFile,        &codes::graphText,      &codes::graphChoice,   &codes::noSuchTensor,
      &codes::danglingInput,    &codes::noSuchPort,     &codes::duplicateNode, &codes::cycle,
      &codes::inputCount,       &codes::nodeAttribute,  &codes::nodeConstant,  &codes::missingFunction,
      &codes::badFunction,      &codes::checkpointFile, &codes::variableValue, &codes::nodeMisfit,
      &codes::callsNotFollowed, &codes::notComputed};
  return all;
}

}  // namespace axle
