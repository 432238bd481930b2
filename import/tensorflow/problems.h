// Problems of one graph: the diagnostic codes that several of reader, rules, analysis and tools use, and the reader's
// collector.
#pragma once

#include <string>
#include <utility>

#include "frontend/diagnostic.h"

namespace axle::codes {

inline const DiagnosticCode graphFile{"E0901", Severity::error, "a file that is no TensorFlow graph"};
inline const DiagnosticCode graphChoice{"E0903", Severity::error, "there is no such part of the SavedModel"};
inline const DiagnosticCode noSuchTensor{"E0904", Severity::error, "there is no such tensor"};
inline const DiagnosticCode inputCount{"E0909", Severity::error, "a node has too many or too few inputs"};
inline const DiagnosticCode badFunction{"E0913", Severity::error, "a function that is not whole"};
inline const DiagnosticCode nodeMisfit{"E0916", Severity::error, "a node does not fit what it takes"};

}  // namespace axle::codes

namespace axle::tensorflow {

// A place in a graph's file: a node of a function, or of the main graph if `function` is empty; the whole file if
// `node` is empty.
struct GraphPlace {
  std::string node, function;
};

class Problems {
 public:
  Problems(std::string file, Diagnostics& diagnostics) : file_(std::move(file)), diagnostics_(diagnostics) {}

  template <class... Args>
  Diagnostic& add(const Message<Args...>& message, GraphPlace at, const std::type_identity_t<Args>&... arguments) {
    ++count_;
    Diagnostic& d = report(diagnostics_, message, ArtifactPlace{file_, std::move(at.node)}, arguments...);
    if (!at.function.empty()) d.setLabel("in function {}", arg::Name{at.function});
    return d;
  }

  bool any() const { return count_ > 0; }
  // Whether to stop: a hostile file could have a million problems.
  bool tooMany() const { return count_ >= 20; }
  const std::string& file() const { return file_; }
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  std::string file_;
  Diagnostics& diagnostics_;
  int count_ = 0;
};

}  // namespace axle::tensorflow
