// Compiles a program of one entry from text, and runs it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "runtime/session.h"
#include "runtime/tensor.h"

namespace axle::test {

struct PortType {
  Elem elem = Elem::f32;
  std::vector<std::optional<std::int64_t>> sizes;  // none if a size is not a number
  friend bool operator==(const PortType&, const PortType&) = default;
};

// Checks the text of a program, and lowers it if the checker accepts it.
class Program {
 public:
  // `operators`: declarations that replace those of core.ax.
  explicit Program(const std::string& text, std::span<const CoreOp> operators = coreOps());

  // Returns the diagnostics of a program that cannot be compiled; empty if it can.
  const std::string& refusal() const { return refusal_; }
  // Returns the text of a compiler bug; empty if there is none.
  const std::string& problem() const { return problem_; }
  // Returns the results by the type of the entry; a ragged result becomes its concatenated rows and its row splits.
  const std::vector<PortType>& results() const { return results_; }

  ir::Model& model() { return compilation_->model(); }
  // Returns a session of the current model; if there is none, `text` has the reason.
  std::optional<runtime::Session> session(std::string& text);

 private:
  std::string rendered();
  void addResult(const EntryPort& port);

  std::unique_ptr<driver::Compilation> compilation_;
  std::vector<PortType> results_;
  std::string refusal_, problem_;
};

// Binds the tensors in the order of the inputs and runs. Returns the error, or an empty text; sets `fault` if the run
// itself failed.
struct Ran {
  std::string problem;
  bool fault = false;
};
Ran run(runtime::Session& session, const std::vector<runtime::Tensor>& inputs);

PortType typeOf(const runtime::TensorView& view);
std::string textOf(const PortType& type);

}  // namespace axle::test
