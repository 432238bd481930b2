// What other libraries call operators, functions and attributes, and how the same is written here. Internal to
// typecheck/.
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
  std::string_view theirs;  // in lower case, without `_` and without what stands before a dot
  std::string_view ours;    // an operator, or a function of a module; empty: there is none
  // How a call is written here: `$1` is its second argument, `$1..` are all from there on or, where that is a list or a
  // tuple, its items; `name=$1` is left out where there is none. Empty: as it is there.
  std::string_view call;
  Format<> help;  // empty where `ours` says enough
};

std::span<const ForeignName> foreignNames();
// Of a name such as `torch.nn.MaxPool2d`; nullptr where it is unknown.
const ForeignName* foreignName(std::string_view name);

// Operators of ours that others call otherwise, as in `transpose(x, 0, 1)`.
std::span<const ForeignName> foreignUses();
const ForeignName* foreignUse(std::string_view name);

// What ours call an attribute of theirs: of `known` the one that `dim` means. Empty where that is unknown.
std::string_view ourAttribute(std::string_view theirs, std::span<const std::string_view> known);

// A call in an expression that stands, or whose callee or argument stands, at a place.
struct CallAt {
  Span span;
  std::string callee;
  const ast::ExprCall* call;
};
std::optional<CallAt> callAt(const ast::Module& module, const SourceMap& sources, Span place);

// The call in our words; `receiver` is the `x` of `x.view(...)`, `attributes` those of ours. None where it cannot be.
std::optional<std::string> inOurWords(const ForeignName& name, const ast::Module& module, const SourceMap& sources,
                                      const ast::ExprCall* call, const std::string& receiver,
                                      std::span<const std::string_view> attributes);

}  // namespace axle
