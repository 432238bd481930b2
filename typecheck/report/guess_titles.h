// What a guess says.
#pragma once

#include <string>
#include <vector>

#include "typecheck/report/guesses.h"

namespace axle {

// A title with what the edits make of an application, if that is short; of a long one, only what is new.
std::string titleWith(const Guesser& g, const Application& at, const std::string& title,
                      const std::vector<Edit>& edits);

// What the help says of a name that nothing uses, in the place of another one.
std::string insteadUnused(const std::string& name, const std::string& other);
// Whether a fix has such a title.
bool isOfUnused(const Fix& fix);

}  // namespace axle
