// Finds what a text defines and does not use.
#pragma once

#include <string>
#include <vector>

#include "tools/lsp/document.h"

namespace axle::lsp {

struct UnusedName {
  std::string name;
  Span span;  // offsets of the text
};

// The imports and weights that nothing names, and the parameters and names within functions that their functions do not
// use, in the order of the text. Other top-level names may be entries. Of a text with syntax errors, and of a long one,
// nothing is told.
std::vector<UnusedName> unusedNames(Document& document);

}  // namespace axle::lsp
