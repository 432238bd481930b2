// Draws random applications of an operator from its signature alone: sorts, ranks, packs.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "io/elem.h"
#include "runtime/tensor.h"
#include "typecheck/types/operator_signatures.h"

namespace axle::test {

// Requirements on an operator's arguments that its signature does not state; most operators need no row.
struct Ranges {
  std::string_view op;
  std::string_view function;  // for parameters that are functions; `#` stands for the elements of the sequences
  std::string_view second;    // the second function, if there are two
  std::int64_t least, most;   // the range of whole numbers
  std::int64_t smallest;      // the smallest size
};
const Ranges* rangesOf(std::string_view op);

struct Argument {
  Elem elem = Elem::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::string> symbols;   // for each size its name, or the number if it has none
  std::vector<std::int64_t> lengths;  // of its elements, if axis 1 is ragged; the size of the axis is their sum
  bool ragged() const { return symbols.size() > 1 && symbols[1][0] == '*'; }
};

struct Application {
  std::vector<Argument> arguments;
  std::string call, result;  // `op(a, b, axis=1)`; the annotation of the result, if only a use tells its element

  // Returns a program of one entry, with the sizes as numbers or as names.
  std::string program(bool symbolic) const;
};

using Random = std::mt19937_64;

// Draws an application. Returns none, with the reason, if the signature has something that cannot be drawn.
std::optional<Application> draw(const OperatorTable::Entry& entry, Random& random, std::string& reason);

// Returns suitable elements: small indices, moderate numbers. A ragged argument becomes its rows and its row splits.
std::vector<runtime::Tensor> fill(const Application& application, Random& random);

}  // namespace axle::test
