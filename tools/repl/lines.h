// Where lines come from: a terminal, with history and completion (libedit), or anything else, line by line.
#pragma once

#include <memory>
#include <string>

#include "tools/repl/session.h"

namespace axle::repl {

// A line that was pasted, with more of the same behind it, is `pasted`.
enum class Read : std::uint8_t { line, pasted, interrupted, end };

class Lines {
 public:
  virtual ~Lines() = default;
  // Without its end. `isMore`: of an entry that has begun.
  virtual Read next(std::string& line, bool isMore) = 0;
};

// `session` tells what completes a word; it must outlive the lines.
std::unique_ptr<Lines> terminalLines(Session& session);
// With `echo` each line is printed behind its prompt.
std::unique_ptr<Lines> plainLines(bool echo);

}  // namespace axle::repl
