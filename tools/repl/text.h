// What was typed, before it is checked: where statements end, and whether more must follow.
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

// Of the top level. None where that is no text: it is not UTF-8, or holds a NUL.
std::optional<std::vector<Statement>> statementsOf(std::string_view text);

// An entry that is typed line by line.
class EntryText {
 public:
  void add(std::string_view line);
  const std::string& text() const { return text_; }
  // A bracket is open, or the parser expects more; of a command the first only.
  bool isOpen() const { return state_ != State::whole; }
  bool hasOpenBracket() const { return isText_ && !open_.empty(); }
  // It is whole but for an `else`, with which that line does not begin.
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
// Where `mark` stands outside of all brackets and strings, `=` as itself only; npos where it does not.
std::size_t findOutside(std::string_view text, std::string_view mark);
// At each comma outside of all brackets and strings.
std::vector<std::string_view> splitAtCommas(std::string_view text);

// `name : type` where a call's argument stands.
struct Annotation {
  std::string_view name, type;
};
std::vector<Annotation> annotationsIn(std::string_view text);

}  // namespace axle::repl
