// Codes and messages of diagnostics. Both are declared where they are emitted:
//
//   const DiagnosticCode duplicateName{"E0202", Severity::error, "duplicate name"};
//   constexpr Message<arg::Name> importedTwice{duplicateName, "module {} imported twice", "again here"};
//
// and emitted with arguments of these types: `report(diagnostics, importedTwice, span, arg::Name{import.name.text})`.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace axle {

enum class Severity { error, warning, note };

// A code that `axc explain` lists and that has a page, docs/errors/CODE.md. Constructing one registers it, so it is a
// constant with static storage: `const` in the file that emits it, `inline const` in a header where several files do.
// E00 source files, E01 syntax, E02 names and modules, E03 types and shapes, E04 weights and parameters, E05 entries
// and lowering, E06 files, E07 bundles, E08 runs, E09 files of graphs; N with the same digits for notes.
class DiagnosticCode {
 public:
  DiagnosticCode(std::string_view code, Severity severity, std::string_view title) noexcept;
  DiagnosticCode(const DiagnosticCode&) = delete;
  DiagnosticCode& operator=(const DiagnosticCode&) = delete;

  const std::string_view code;  // "E0302"
  const Severity severity;
  const std::string_view title;  // a few words: the heading of its page

 private:
  friend std::vector<const DiagnosticCode*> diagnosticCodes();
  const DiagnosticCode* const next_;  // the code that was registered before
};

// All codes of the program, ordered by code.
std::vector<const DiagnosticCode*> diagnosticCodes();

// ---- arguments: each type is a kind of thing that messages mention, and decides how it is printed

struct MessageArgument {
  std::string text;  // as printed

 protected:
  explicit MessageArgument(std::string_view text) : text(text) {}
  MessageArgument(std::string_view text, char quote) : text(1, quote) { this->text.append(text) += quote; }
};

namespace arg {

// A name in the program or in a graph: `x`.
struct Name : MessageArgument {
  explicit Name(std::string_view name) : MessageArgument(name, '`') {}
};
// `x`, `y`, `z`
struct Names : MessageArgument {
  template <class Range>
  explicit Names(const Range& names) : MessageArgument("") {
    for (const auto& name : names) text.append(text.empty() ? "`" : ", `").append(name) += '`';
  }
};
// A piece of source text or of a command line: `x + 1`.
struct Code : MessageArgument {
  explicit Code(std::string_view code) : MessageArgument(code, '`') {}
};
// `model.ax`
struct FileName : MessageArgument {
  explicit FileName(std::string_view path) : MessageArgument(path, '`') {}
};
// A tensor of a weights file: "layers.0.weight".
struct TensorName : MessageArgument {
  explicit TensorName(std::string_view name) : MessageArgument(name, '"') {}
};
// A string of the program: "same".
struct String : MessageArgument {
  explicit String(std::string_view string) : MessageArgument(string, '"') {}
};

// The following are printed unchanged.

// The operation or declaration that requires something, in words: "`matmul`", "the annotation of `x`".
struct Subject : MessageArgument {
  explicit Subject(std::string_view words) : MessageArgument(words) {}
};
struct Size : MessageArgument {
  explicit Size(std::string_view size) : MessageArgument(size) {}
};
struct Shape : MessageArgument {
  explicit Shape(std::string_view shape) : MessageArgument(shape) {}
};
struct Type : MessageArgument {
  explicit Type(std::string_view type) : MessageArgument(type) {}
};
struct ElementType : MessageArgument {
  explicit ElementType(std::string_view name) : MessageArgument(name) {}
};
// The form that a value must have, in words: "a list of axes".
struct Form : MessageArgument {
  explicit Form(std::string_view words) : MessageArgument(words) {}
};
// The error text of the system or a library.
struct Cause : MessageArgument {
  explicit Cause(std::string_view text) : MessageArgument(text) {}
};
struct Number : MessageArgument {
  template <std::integral Integer>
  explicit Number(Integer value) : MessageArgument(std::to_string(value)) {}
};
// "1 argument", "2 arguments"
struct Counted : MessageArgument {
  Counted(std::size_t count, std::string_view noun) : MessageArgument(std::to_string(count)) {
    text.append(" ").append(noun).append(count == 1 ? "" : "s");
  }
};

}  // namespace arg

// ---- texts with places for arguments

// A text in which `{}` is a placeholder for the next argument and `{0}` for the first. Other braces are literal. The
// compiler checks that the placeholders match the arguments.
template <class... Args>
  requires(std::derived_from<Args, MessageArgument> && ...)
class Format {
 public:
  template <std::size_t length>
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is a format
  consteval Format(const char (&text)[length]) : text_(text) {
    const unsigned every = (1u << sizeof...(Args)) - 1;
    if (used(text_) != every) throw "an argument that the text does not mention";
  }

  constexpr std::string_view text() const { return text_; }

  // Returns the arguments that a text mentions, as bits. Rejects placeholders without an argument.
  static consteval unsigned used(std::string_view text) {
    unsigned bits = 0;
    std::size_t next = 0;
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      if (text[at] != '{') continue;
      std::size_t index = sizeof...(Args);
      if (text[at + 1] == '}')
        index = next++;
      else if (at + 2 < text.size() && text[at + 2] == '}' && text[at + 1] >= '0' && text[at + 1] <= '9')
        index = static_cast<std::size_t>(text[at + 1] - '0');
      else
        continue;
      if (index >= sizeof...(Args)) throw "a place without an argument";
      bits |= 1u << index;
    }
    return bits;
  }

 private:
  std::string_view text_;
};

// Returns the text with its placeholders filled. For use by the classes below, whose texts are known to match their
// arguments.
std::string formatMessage(std::string_view text, std::initializer_list<const MessageArgument*> arguments);

// A part of a message that is chosen among several texts or has its own arguments: Phrase("a tuple"),
// Phrase("{} and {}", arg::Size{a}, arg::Size{b}).
class Phrase : public MessageArgument {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a literal is a phrase
  template <std::size_t length>
  Phrase(const char (&text)[length]) : MessageArgument(text) {}
  template <class... Args>
  Phrase(std::type_identity_t<Format<Args...>> format, const Args&... arguments)
      : MessageArgument(formatMessage(format.text(), {&arguments...})) {}
  // NOLINTEND(google-explicit-constructor)
};

// A message of a code: one line, lower case, without a full stop; and the label of the place it marks. Each argument is
// mentioned in one or both.
template <class... Args>
class Message {
 public:
  template <std::size_t textLength, std::size_t labelLength = 1>
  consteval Message(const DiagnosticCode& code, const char (&text)[textLength], const char (&label)[labelLength] = "")
      : code_(&code), text_(text), label_(label) {
    const unsigned every = (1u << sizeof...(Args)) - 1;
    if ((Format<Args...>::used(text_) | Format<Args...>::used(label_)) != every)
      throw "an argument that neither the text nor the label mentions";
  }

  constexpr const DiagnosticCode& code() const { return *code_; }
  constexpr std::string_view text() const { return text_; }
  constexpr std::string_view label() const { return label_; }

 private:
  const DiagnosticCode* code_;
  std::string_view text_, label_;
};

}  // namespace axle
