// Codes of reading graphs: E09.
#pragma once

#include "frontend/diagnostic.h"

namespace axle::codes {

inline const DiagnosticCode graphFile{"E0901", Severity::error, "a file that is no TensorFlow graph"};
inline const DiagnosticCode graphText{"E0902", Severity::error, "the text of a graph is malformed"};
inline const DiagnosticCode graphChoice{"E0903", Severity::error, "there is no such part of the SavedModel"};
inline const DiagnosticCode noSuchTensor{"E0904", Severity::error, "there is no such tensor"};
inline const DiagnosticCode danglingInput{"E0905", Severity::error, "a node takes from a node that is not there"};
inline const DiagnosticCode noSuchPort{"E0906", Severity::error, "a node has no such output"};
inline const DiagnosticCode duplicateNode{"E0907", Severity::error, "several nodes of one name"};
inline const DiagnosticCode cycle{"E0908", Severity::error, "nodes that take from each other"};
inline const DiagnosticCode inputCount{"E0909", Severity::error, "a node has too many or too few inputs"};
inline const DiagnosticCode nodeAttribute{"E0910", Severity::error,
                                          "an attribute is missing, or is none that its operator takes"};
inline const DiagnosticCode nodeConstant{"E0911", Severity::error, "a constant that is not what it says"};
inline const DiagnosticCode missingFunction{"E0912", Severity::error, "a function that is not in the file"};
inline const DiagnosticCode badFunction{"E0913", Severity::error, "a function that is not whole"};
inline const DiagnosticCode checkpointFile{"E0914", Severity::error, "a checkpoint that cannot be read"};
inline const DiagnosticCode variableValue{"E0915", Severity::error, "a variable without its value"};
inline const DiagnosticCode nodeMisfit{"E0916", Severity::error, "a node does not fit what it takes"};
inline const DiagnosticCode callsNotFollowed{"E0917", Severity::warning, "calls that are not followed"};
inline const DiagnosticCode notComputed{"E0918", Severity::error, "nodes that cannot be computed yet"};

}  // namespace axle::codes
