// Other libraries' names of operators, functions and attributes, with their equivalents in Axle, for suggestions in
// errors. Internal to typecheck/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"
#include "frontend/message.h"
#include "frontend/source.h"

namespace axle {

struct ForeignName {
  std::string_view theirs;  // in lower case, without `_` and without a prefix that ends in a dot
  std::string_view ours;    // an operator, or a function of a module; empty: there is no equivalent
  // The form of a call in Axle. `$1` is the second argument. `$1..` are all arguments from the second on or, if it is a
  // list or a tuple, its items. `name=$1` is left out if the call has no such argument. Empty: no form is suggested.
  std::string_view call;
  Format<> help;  // empty if `ours` is enough
};

std::span<const ForeignName> foreignNames();
// Returns the row of a name such as `torch.nn.MaxPool2d`; nullptr if it is unknown.
const ForeignName* foreignName(std::string_view name);

// Operators of Axle that take other arguments in other libraries, as in `transpose(x, 0, 1)`.
std::span<const ForeignName> foreignUses();
const ForeignName* foreignUse(std::string_view name);

// Returns the attribute among `known` that corresponds to another library's attribute: `axis` for `dim`. Empty if there
// is none.
std::string_view ourAttribute(std::string_view theirs, std::span<const std::string_view> known);

// A call found at the place of the call, its callee or an argument.
struct CallAt {
  Span span;
  std::string callee;
  const ast::ExprCall* call;
};
std::optional<CallAt> callAt(const ast::Module& module, const SourceMap& sources, Span place);

// Writes a call in Axle. `receiver` is the `x` of `x.view(...)`; `attributes` are those of our operator. None if there
// is no form, or an argument is missing.
std::optional<std::string> inOurWords(const ForeignName& name, const ast::Module& module, const SourceMap& sources,
                                      const ast::ExprCall* call, const std::string& receiver,
                                      std::span<const std::string_view> attributes);

}  // namespace axle
