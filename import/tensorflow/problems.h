// Collects what is wrong with one graph's files.
#pragma once

#include <string>
#include <utility>

#include "frontend/diagnostic.h"

namespace axle::tensorflow {

class Problems {
 public:
  Problems(std::string file, Diagnostics& diagnostics) : file_(std::move(file)), diagnostics_(diagnostics) {}

  // `node` is empty for the file as a whole; `function` is where the node stands, empty for the main graph.
  Diagnostic& add(const DiagnosticCode& code, std::string message, std::string node = {}, std::string function = {}) {
    Diagnostic d;
    d.code = &code;
    d.message = std::move(message);
    d.primary = place(std::move(node), std::move(function));
    diagnostics_.push_back(std::move(d));
    ++count_;
    return diagnostics_.back();
  }

  Label place(std::string node, std::string function = {}) const {
    return {ArtifactPlace{file_, std::move(node)}, function.empty() ? "" : "in function `" + function + "`"};
  }

  bool any() const { return count_ > 0; }
  // A hostile file could have a million of them.
  bool tooMany() const { return count_ >= 20; }
  const std::string& file() const { return file_; }
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  std::string file_;
  Diagnostics& diagnostics_;
  int count_ = 0;
};

}  // namespace axle::tensorflow
