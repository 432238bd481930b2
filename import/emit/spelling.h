// The spelling of symbols.
#pragma once

#include <string>
#include <string_view>

#include "import/emit/tree.h"

namespace axle::emit {

// With letters, digits and `_` only, beginning with a letter or `_`.
std::string identifier(std::string_view text);
// A keyword, a core operator, an element type or a module of the standard library: no name of a value may be one.
bool isReserved(std::string_view name);
// The last part of a graph's name that says something, `weight` where none does: `dense/bias/read` is `bias`.
std::string lastWord(std::string_view path);
// `block1/conv/BiasAdd`: `block1/conv`.
std::string_view scopeOf(std::string_view path);
std::string_view commonScope(std::string_view a, std::string_view b);
// What weights are where no layer has said so: what the operator that reads them calls them, `kernel`.
void nameRoles(Program& program);
// Gives all symbols without a text one of their own.
void chooseNames(Program& program);

}  // namespace axle::emit
