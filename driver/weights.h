// Opens the values of parameters: from a file of tensors, or drawn from a seed.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "backend/bundle.h"
#include "typecheck/check.h"

namespace axle::driver {

// The value of `--weights`: a file, or `random[:SEED]`. Drawn variances are positive: they are recognised by their
// names or by their use.
class Weights {
 public:
  static FileResult<Weights> open(const std::string& word);

  // Returns the source for the checker; null for drawn weights.
  const WeightSource* source() const { return file_ ? &source_ : nullptr; }
  // Returns the bytes of a program's parameters. Those in `positive`, by index, must be positive (positive_weights.h).
  // `program` must outlive the result.
  WeightBytes bytes(const TypedProgram& program, std::set<std::uint32_t> positive = {}) const;

 private:
  std::shared_ptr<const TensorFile> file_;
  WeightSource source_;
  std::uint64_t seed_ = 0;
};

}  // namespace axle::driver
