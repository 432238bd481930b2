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

// What a node of the pattern asks for, or what a hole stands for.
struct LayerTerm {
  enum class Kind : std::uint8_t {
    op,        // an application of the core operator `name`, with the attributes and sizes of `at`
    tuple,     // its parts
    part,      // part `part` of the input
    split,     // part `part` of a `split`, whose operand is the input
    function,  // a function, by its body; `symbols`: the holes of its parameters
    index,     // `input[number]`
    number,    // a literal
    value,     // hole: a parameter of the library's function
    setting,   // hole: a static parameter
    symbol,    // hole: a parameter of a function within
    unknown,   // matches nothing
  } kind = Kind::unknown;
  std::string name;
  ScopedExpr at;
  std::vector<ScopedExpr> parts;  // of an operator
  std::size_t part = 0;
  std::vector<std::uint8_t> symbols;

  // Where the expression is an argument: whose parameter it is.
  struct Argument {
    Scope* scope;
    std::size_t parameter;
  };
  std::vector<Argument> arguments;
};

using LayerPattern = patterns::Pattern<std::shared_ptr<const LayerTerm>>;

// Valid until the library makes the next one.
struct Layer {
  LayerPattern pattern;
  Scope* scope = nullptr;
  // The names of holes, by index. A part of a parameter that is a tuple has a hole of its own, `norm.0`.
  std::vector<std::string> values, settings, symbols;

  std::size_t setting(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::find(settings, name) - settings.begin());
  }
};

Layer layerOf(Library& library, const LibraryFunction& function);

}  // namespace axle::emit
