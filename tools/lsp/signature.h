// Finds the parameters of operators and functions, which editors show while a call is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/lsp/document.h"

namespace axle::lsp {

struct SignaturePart {
  std::string label;  // "stride = [1, 1]"
  std::string name;   // of a static parameter or an attribute; empty for others
  std::vector<std::string> words;
};

// The parameters and attributes of an operator or a function.
struct Signature {
  std::string label;
  std::string doc;
  std::vector<SignaturePart> parameters;
};
// Returns nothing if the name is neither an operator nor a function with a known type.
std::optional<Signature> signatureOf(Document& document, const Meaning& meaning);

}  // namespace axle::lsp
