// Text of an entry before it is checked: where statements end, and whether more lines must follow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace axle::repl {

// Offsets into the text; the end is that of the last token.
struct Statement {
  std::size_t begin = 0, end = 0;
  bool isDefinition = false;  // an import, a parameter, a binding; else an expression
};

// The statements at top level. None where the text is not UTF-8, or holds a NUL.
std::optional<std::vector<Statement>> statementsOf(std::string_view text);

// An entry that is typed line by line.
class EntryText {
 public:
  void add(std::string_view line);
  const std::string& text() const { return text_; }
  // A bracket is open, or the parser expects more. A command is open only within brackets.
  bool isOpen() const { return state_ != State::whole; }
  bool hasOpenBracket() const { return isText_ && !open_.empty(); }
  // An `else` could follow, and `line` does not begin with one.
  bool endsBefore(std::string_view line) const;

 private:
  enum class State : std::uint8_t { whole, open, lacksElse };
  State stateNow() const;

  std::string text_;
  std::vector<char> open_;  // brackets
  bool isText_ = true;
  State state_ = State::whole;
};

// Without blanks at both ends.
std::string_view trimmed(std::string_view text);
// The first word, and what follows it.
std::pair<std::string_view, std::string_view> firstWord(std::string_view text);
// The position of the token `mark` outside of all brackets and strings; npos where there is none.
std::size_t findOutside(std::string_view text, std::string_view mark);
// Parts between commas outside of all brackets and strings.
std::vector<std::string_view> splitAtCommas(std::string_view text);

// `name : type` in place of a call's argument.
struct Annotation {
  std::string_view name, type;
};
std::vector<Annotation> annotationsIn(std::string_view text);

}  // namespace axle::repl
