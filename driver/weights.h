// Where `param`s come from: a file of tensors, or a seed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/bundle.h"
#include "typecheck/check.h"

namespace axle::driver {

// `--weights W`: a file, or `random[:SEED]`.
class Weights {
 public:
  static FileResult<Weights> open(const std::string& word);

  // What the checker asks; none for drawn weights.
  const WeightSource* source() const { return file_ ? &source_ : nullptr; }
  // Bytes of the program's parameters, which must outlive the result.
  WeightBytes bytes(const TypedProgram& program) const;

 private:
  std::shared_ptr<const TensorFile> file_;
  WeightSource source_;
  std::uint64_t seed_ = 0;
};

}  // namespace axle::driver
