// Suggested fixes: a few changes of the text are guessed and tried, and those are kept with which the error is gone and
// no other one appears.
#pragma once

#include <functional>

#include "frontend/diagnostic.h"
#include "typecheck/check.h"

namespace axle {

// Sets the fixes of the errors in the root module's text, from which `checked` and `diagnostics` come. Fixes that a
// diagnostic already has are guesses too. Each fix that works becomes a line of help, unless there is an equal one. If
// the text is long, has syntax errors or needed many queries of Z3, nothing is tried and all fixes are dropped. Trying
// may take a while: `goOn` is called before each try. If it returns false, so does this function, and only the fixes
// tried so far are set.
bool offerFixes(Checked& checked, const CheckOptions& options, Diagnostics& diagnostics,
                const std::function<bool()>& goOn = {});

// Longer texts (bytes) get no fixes.
inline constexpr std::size_t longestTextWithFixes = 1 << 16;

}  // namespace axle
