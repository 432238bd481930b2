// Parameters of operators and functions, as they are shown while a call is written.
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

// What an operator or a function takes.
struct Signature {
  std::string label;
  std::string doc;
  std::vector<SignaturePart> parameters;
};
// None where the name means no operator and no function whose type is known.
std::optional<Signature> signatureOf(Document& document, const Meaning& meaning);

}  // namespace axle::lsp
