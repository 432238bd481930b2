// Lowers a typed program to graphs: functions are inlined, or become bodies of operators.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "typecheck/check.h"

namespace axle::ir {

struct LowerLimits {
  std::size_t nodes = 1'000'000;
  std::size_t calls = 400'000;
  std::size_t depth = 2'000;     // of calls
  std::size_t nesting = 40'000;  // of expressions, through calls
};

// A named tensor of the main graph that is neither constant nor ragged. A tuple has one for each part.
struct Traced {
  BindingId binding;
  std::string name;  // begins with the bindings and functions around it: `hidden.dense.y`; not unique
  OutletId outlet;
};

struct Lowered {
  std::optional<Model> model;  // none if the entry cannot be compiled; then there is a diagnostic or a bug
  std::string bug;  // a bug of the compiler: something that a checked program cannot contain; otherwise empty
  std::vector<Traced> traced;  // if `trace` is set, in the order of the program
};

// Lowers an entry. The model's dimensions are those of the checker's solution, which must outlive it.
Lowered lower(Checked& checked, const Entry& entry, Diagnostics& diagnostics, const LowerLimits& limits = {},
              bool trace = false);

// The core operators that can be lowered, by their names in `stdlib/core.ax`; "-" occurs twice, infix and prefix.
std::vector<std::string_view> loweredOperators();

}  // namespace axle::ir
