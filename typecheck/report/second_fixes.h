// Which fixes are not shown beside a likelier one.
#pragma once

#include <vector>

#include "typecheck/report/guesser.h"

namespace axle {

// Whether a guess is not shown behind fixes that mend, although it may mend, too: it mixes the elements of a `reshape`
// whose axes the first one turns, or gives a used name where the first one gives an unused one.
bool isOnlyFirst(const std::vector<Fix>& found, const Fix& guess);

// Whether somebody who has another mend of a size that is not free may still mean to write its value: not for a batch,
// nor a number that no weight has.
bool mayMeanValue(const ast::Module& module, const SourceMap& sources, const Diagnostic& error, const Fix& written);

}  // namespace axle
