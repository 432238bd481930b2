// The standard layout of `.ax` text, which `axc fmt` writes.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "frontend/diagnostic.h"

namespace axle {

// Lines are at most this wide where the layout can break them.
inline constexpr std::uint32_t formatWidth = 120;

// The source's text in the standard layout, which does not depend on its line breaks and blanks. Tokens, comments and
// their order stay, except for `;` and `,` at the end of a list: a program's items end in `;`, other lists do not end
// in a separator. One of several blank lines between statements, and before comments, stays. Lines end as the text's
// first line does. Returns the errors of a text that does not parse.
tl::expected<std::string, Diagnostics> format(const SourceMap& sources, SourceId source);

}  // namespace axle
