// The standard layout of `.ax` text, which `axc fmt` writes.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "frontend/diagnostic.h"

namespace axle {

// The maximum width of lines, as far as the layout can break them.
inline constexpr std::uint32_t formatWidth = 120;

// Returns the source's text in the standard layout, which does not depend on its line breaks and blanks. Keeps tokens,
// comments and their order, except for `;` and `,` at the end of a list: a program's items end in `;`, other lists do
// not end in a separator. Reduces several blank lines between statements and before comments to one. Lines end like the
// first line of the text. Returns the errors if the text does not parse.
tl::expected<std::string, Diagnostics> format(const SourceMap& sources, SourceId source);

}  // namespace axle
