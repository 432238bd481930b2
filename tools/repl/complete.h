// Completes a word: commands, files, names, operators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/repl/session.h"

namespace axle::repl {

struct Completion {
  std::size_t begin = 0;           // of the word, in the line
  std::vector<std::string> words;  // whole, sorted, each once
  std::string behind;              // added after the word if there is only one
};

// `line` ends at the cursor.
Completion completionOf(const Session& session, std::string_view line);

}  // namespace axle::repl
