// Finds the meanings of names across the open documents, and all places where a name is used.
#pragma once

#include <string>
#include <vector>

#include "tools/lsp/state.h"

namespace axle::lsp {

// The meaning of a name, comparable across open documents.
struct NameTarget {
  Meaning meaning;
  std::string file;  // that defines it; empty for operators, and for local names that callers do not use
};
NameTarget targetOf(Document& document, std::size_t piece, const NameUse& use);

// A place where a name is used or defined.
struct NamePlace {
  Document* document;
  std::size_t piece;
  Span span;  // of the text
  bool defines, isAttribute;
};
// Returns the places in all open documents, in their order. `target` is the target of a name in `document`.
std::vector<NamePlace> placesOf(State& state, Document& document, const NameTarget& target);

}  // namespace axle::lsp
