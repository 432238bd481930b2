// Changes of the text that mend an error: few are thought of, each is tried, and those are told with which the error is
// gone and no other is there.
#pragma once

#include <functional>

#include "frontend/diagnostic.h"
#include "typecheck/check.h"

namespace axle {

// Of the errors in the root module's text, which `checked` and `diagnostics` are of. A fix that a diagnostic brings is
// taken for a guess too; each that holds gets a line of help, unless one says it already. Nothing is tried where the
// text is long, hard to decide about, or has syntax errors: all fixes are gone then.
// `goOn` is asked between tries, which may take a while; where it says no, false is returned and fixes are as far as
// they were tried.
bool offerFixes(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics,
                const std::function<bool()>& goOn = {});

// Of a longer text no mends are told.
inline constexpr std::size_t longestMended = 1 << 16;

}  // namespace axle
