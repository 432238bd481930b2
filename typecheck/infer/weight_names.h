// Finds the names that a file of weights has for the tensors of a program, if it names them by another scheme.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "typecheck/check.h"

namespace axle {

// A tensor that a program names and the file lacks, and its sizes if they are declared as numbers.
struct MissingTensor {
  std::string name;
  std::optional<std::vector<std::int64_t>> sizes;
};

// The file's name of a tensor, and how it differs.
struct OtherName {
  std::string tensor;
  std::string scheme;  // in words: "begin with `model/`, have `/` between their parts"; empty if only `last` differs
  std::string last, ours;  // the last parts, if these differ
};
using OtherNames = std::map<std::string, OtherName>;  // by the program's name

// A name differs by a prefix, a suffix or separators, or in the last part: then the sizes may tell which one is meant.
// `named` are the names of all tensors of the program.
OtherNames otherNames(const WeightSource& file, const std::vector<std::string>& named,
                      const std::vector<MissingTensor>& missing);

// How names of one scheme differ, in words that follow "the names of the file".
std::string wordsOf(const std::vector<OtherName>& names);

}  // namespace axle
