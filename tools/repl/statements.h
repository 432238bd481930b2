// Splits the text of an entry before it is checked: finds where statements end, and whether more lines must follow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace axle::repl {

// A statement as offsets into the text; it ends with its last token.
struct Statement {
  std::size_t begin = 0, end = 0;
  bool isDefinition = false;  // an import, a parameter or a binding; otherwise it is an expression
};

// Returns the statements at top level; nothing if the text is not UTF-8 or contains a NUL.
std::optional<std::vector<Statement>> statementsOf(std::string_view text);

// An entry under construction, typed line by line.
class EntryText {
 public:
  void add(std::string_view line);
  const std::string& text() const { return text_; }
  // Whether a bracket is open, or the parser expects more. A command is open only within brackets.
  bool isOpen() const { return state_ != State::whole; }
  bool hasOpenBracket() const { return isText_ && !open_.empty(); }
  // Whether an `else` could follow, but `line` does not begin with one.
  bool endsBefore(std::string_view line) const;

 private:
  enum class State : std::uint8_t { whole, open, lacksElse };
  State stateNow() const;

  std::string text_;
  std::vector<char> open_;  // brackets
  bool isText_ = true;
  State state_ = State::whole;
};

// Removes blanks at both ends.
std::string_view trimmed(std::string_view text);
// Returns the first word and the rest of the text.
std::pair<std::string_view, std::string_view> firstWord(std::string_view text);
// Returns the position of the token `mark` outside of all brackets and strings, or npos if there is none.
std::size_t findOutside(std::string_view text, std::string_view mark);
// Returns the parts between commas outside of all brackets and strings.
std::vector<std::string_view> splitAtCommas(std::string_view text);

// An argument of a call written `name : type`.
struct Annotation {
  std::string_view name, type;
};
std::vector<Annotation> annotationsIn(std::string_view text);

}  // namespace axle::repl
