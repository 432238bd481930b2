// Hints of the command line about a tensor: `--input x=[n, 28]`, `--hint dense/MatMul:0=f32 [?, 10]`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "dims/arithmetic.h"
#include "import/tensorflow/tensor.h"

namespace axle::tensorflow {

// A step of computing a size: pushes a number or a name onto a stack, or applies an operation to its two top entries.
struct HintStep {
  DimOp op = DimOp::constant;
  std::int64_t value = 0;  // of a constant
  std::string name;        // of a symbol
};

// A size: a number, a name that means the same size in all hints, a formula, or unknown (`?`).
struct HintSize {
  std::optional<std::int64_t> value;
  std::string name;
  bool isStreamed = false;             // `~T`
  std::vector<HintStep> formula = {};  // of `~(2*T + 1)`

  // Returns the names in it.
  std::vector<std::string> names() const;
};

struct Hint {
  std::string option;  // as written: `--hint x=f32 [n]`
  std::string tensor;  // `NODE` or `NODE:PORT`
  std::optional<Type> type;
  std::optional<std::vector<HintSize>> shape;
  std::shared_ptr<const Tensor> value = nullptr;          // for this run
  std::optional<std::int64_t> sampleRate = std::nullopt;  // of a WAV file whose samples have the shape
};

// Parses a shape, `[n, 28]`, `[~(2*T), 28]`, `n,28`, `[]` or `..`, an element type, or both. The error says what is
// wrong with the text.
tl::expected<Hint, std::string> parseHint(const std::string& option, const std::string& tensor, std::string_view fact);

}  // namespace axle::tensorflow
