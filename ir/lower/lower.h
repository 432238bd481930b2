// Typed AST -> Graph: an entry with all functions inlined, or made the bodies of operators.
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

// A tensor of the main graph that a binding names, no constant and not ragged; of a tuple each part.
struct Traced {
  BindingId binding;
  std::string name;  // with those of bindings and functions around it, `hidden.dense.y`; others may have the same
  OutletId outlet;
};

struct Lowered {
  std::optional<Model> model;  // none, with diagnostics, where the entry cannot be compiled; or with a bug
  std::string bug;             // what a checked program should not hold; empty: none
  std::vector<Traced> traced;  // where asked for, in the order of the program
};

// Dimensions of the model are those of the checker's solution.
Lowered lower(Checked& checked, const Entry& entry, Diagnostics& diagnostics, const LowerLimits& limits = {},
              bool trace = false);

// The core operators that lowering knows, as `stdlib/core.ax` names them; prefix minus is "-" a second time.
std::vector<std::string_view> loweredOperators();

}  // namespace axle::ir
