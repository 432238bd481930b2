// Sources of lines: a terminal, with history and completion (libedit), or any other input, line by line.
#pragma once

#include <memory>
#include <string>

#include "tools/repl/session.h"

namespace axle::repl {

// `pasted`: a line that was pasted, and more lines of the paste follow.
enum class LineKind : std::uint8_t { line, pasted, interrupted, end };

class Lines {
 public:
  virtual ~Lines() = default;
  // Reads a line, without its end. `isMore`: the line continues an entry.
  virtual LineKind next(std::string& line, bool isMore) = 0;
  // Keeps a whole entry for later recall, if there is a history.
  virtual void remember(const std::string& entry) = 0;
};

// `session` completes words; it must outlive the result.
std::unique_ptr<Lines> terminalLines(Session& session);
// With `echo` each line is printed after its prompt.
std::unique_ptr<Lines> plainLines(bool echo);

}  // namespace axle::repl
