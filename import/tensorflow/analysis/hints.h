// What the command line says of a tensor: `--input x=[n, 28]`, `--hint dense/MatMul:0=f32 [?, 10]`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "import/tensorflow/tensor.h"

namespace axle::tensorflow {

// A number, a name that stands for one size wherever it is given, or (`?`) neither.
struct HintSize {
  std::optional<std::int64_t> value;
  std::string name;
};

struct Hint {
  std::string option;  // as given: `--hint x=f32 [n]`
  std::string tensor;  // `NODE` or `NODE:PORT`
  std::optional<Type> type;
  std::optional<std::vector<HintSize>> shape;
  std::shared_ptr<const Tensor> value = nullptr;          // what it is in this run
  std::optional<std::int64_t> sampleRate = std::nullopt;  // of a WAV file: the shape is its samples'
};

// `[n, 28]`, `n,28`, `[]`, `..`; an element type may stand before it. The error says what is wrong with it.
tl::expected<Hint, std::string> parseHint(const std::string& option, const std::string& tensor, std::string_view fact);

}  // namespace axle::tensorflow
