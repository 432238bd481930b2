// Finds the names in a piece of a module and their referents: local names by the place of their definition, all others
// by their text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"
#include "frontend/source.h"

namespace axle::lsp {

enum class NameKind : std::uint8_t {
  local,      // a parameter, a binding of a block, a size or a shape of a signature
  topLevel,   // of the module, of another one (`nn.relu`), or a core operator
  symbol,     // `+`: a core operator written as a symbol
  attribute,  // of a call, `stride=`
  module,     // in an `import`
};

struct NameUse {
  Span span;
  std::string name;
  NameKind kind = NameKind::topLevel;
  bool defines = false;
  Span definition;     // of a local one
  std::string callee;  // of an attribute
  std::size_t arity = 0;
};

struct LocalName {
  std::string name;
  Span definition;
  Span scope;             // the text where it can be used
  std::string_view sort;  // for a name in a type: "a size", "a shape" and so on; empty for values
};

struct PieceNames {
  std::vector<NameUse> uses;  // in the order of the text
  std::vector<LocalName> locals;
};

// `sharedNames` are names of sizes and shapes that the module's parameters share, sorted.
PieceNames namesOf(const ast::Module& piece, const SourceMap& sources, const std::vector<std::string>& sharedNames);

}  // namespace axle::lsp
