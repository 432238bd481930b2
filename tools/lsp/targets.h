// What names of the open documents stand for, and all places where one is used.
#pragma once

#include <string>
#include <vector>

#include "tools/lsp/state.h"

namespace axle::lsp {

// What a name stands for, as all open documents know it.
struct NameTarget {
  Meaning meaning;
  std::string file;  // that defines it; empty of operators, and of local names that callers do not use
};
NameTarget targetOf(Document& document, std::size_t piece, const NameUse& use);

// Where a name is used or defined.
struct NamePlace {
  Document* document;
  std::size_t piece;
  Span span;  // of the text
  bool defines, isAttribute;
};
// In all open documents, in their order. `target` is of a name in `document`.
std::vector<NamePlace> placesOf(State& state, Document& document, const NameTarget& target);

}  // namespace axle::lsp
