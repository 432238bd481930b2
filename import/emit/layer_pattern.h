// A function of the library as a pattern (patterns/pattern.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/emit/library.h"
#include "patterns/pattern.h"

namespace axle::emit {

// The requirement of a pattern's node, or the meaning of a hole.
struct LayerTerm {
  enum class Kind : std::uint8_t {
    op,        // an application of the core operator `name`, with the attributes and sizes of `at`
    tuple,     // its parts
    part,      // part `part` of the input
    split,     // part `part` of a `split`, whose operand is the input
    function,  // a function, matched by its body; `symbols`: the holes of its parameters
    index,     // `input[number]`
    number,    // a literal
    value,     // hole: a parameter of the library's function
    setting,   // hole: a static parameter
    symbol,    // hole: a parameter of an inner function
    unknown,   // matches nothing
  } kind = Kind::unknown;
  std::string name;
  ScopedExpr at;
  std::vector<ScopedExpr> parts;  // of an operator
  std::size_t part = 0;
  std::vector<std::uint8_t> symbols;

  // The parameters for which the expression is an argument.
  struct Argument {
    Scope* scope;
    std::size_t parameter;
  };
  std::vector<Argument> arguments;
};

using LayerPattern = patterns::Pattern<std::shared_ptr<const LayerTerm>>;

// A library function as a pattern. Valid until the library opens the next one.
struct Layer {
  LayerPattern pattern;
  Scope* scope = nullptr;
  // The names of holes, by index. Each part of a tuple parameter has its own hole, `norm.0`.
  std::vector<std::string> values, settings, symbols;

  std::size_t setting(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(settings, name) - settings.begin());
  }
};

Layer layerOf(Library& library, const LibraryFunction& function);

}  // namespace axle::emit
