// The one layout of `.ax` text that `axc fmt` writes.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "frontend/diagnostic.h"

namespace axle {

// Lines are this wide where they can be.
inline constexpr std::uint32_t formatWidth = 120;

// The source's text in the one layout, whatever its line breaks and blanks are now. Tokens, comments and their order
// stay, but for `;` and `,` at the end of a list: a program's items end in `;`, other lists do not end in a separator.
// Of blank lines between statements, and before comments, one stays. Lines end as the text's first line does. What is
// no program, because it does not parse, gives the errors.
tl::expected<std::string, Diagnostics> format(const SourceMap& sources, SourceId source);

}  // namespace axle
