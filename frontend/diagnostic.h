// Diagnostics: values that describe an error: what is wrong, where, why, and how to correct it (docs/language.md,
// Errors).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/message.h"
#include "frontend/source.h"

namespace axle {

// A place outside source texts: a tensor of a weights file, a node of an imported graph.
struct ArtifactPlace {
  std::string file;
  std::string node;  // the tensor's or node's name; empty for the whole file
};

using LabelPlace = std::variant<Span, ArtifactPlace>;

struct Label {
  LabelPlace place;
  std::string text;
};

// A change of a source text: `text` replaces the span.
struct Edit {
  Span span;
  std::string text;
};

// A suggested change that corrects the error. Checks suggest candidates; `offerFixes` (typecheck/report/fixes.h) tries
// them and keeps those that remove the error without causing another.
struct Fix {
  std::string title;        // "transpose `w`", as its line of help
  std::vector<Edit> edits;  // in the order of the text, not overlapping
};

struct Diagnostic {
  Diagnostic() = default;
  template <class... Args>
  Diagnostic(const Message<Args...>& message, LabelPlace place, const std::type_identity_t<Args>&... arguments)
      : code(&message.code()),
        form(message.text()),
        arguments{arguments.text...},
        message(formatMessage(message.text(), {&arguments...})),
        primary{std::move(place), formatMessage(message.label(), {&arguments...})} {}

  // Whether the diagnostic was made from this message, with any arguments.
  template <class... Args>
  bool is(const Message<Args...>& declared) const {
    return code == &declared.code() && form == declared.text();
  }

  // Add texts with arguments, as in `d.addNote("its type is {}", arg::Type{type})`, or a Phrase chosen earlier.
  template <class... Args>
  Diagnostic& setLabel(std::type_identity_t<Format<Args...>> format, const Args&... arguments) {
    primary.text = formatMessage(format.text(), {&arguments...});
    return *this;
  }
  template <class... Args>
  Diagnostic& addLabel(LabelPlace place, std::type_identity_t<Format<Args...>> format, const Args&... arguments) {
    secondary.push_back({std::move(place), formatMessage(format.text(), {&arguments...})});
    return *this;
  }
  template <class... Args>
  Diagnostic& addNote(std::type_identity_t<Format<Args...>> format, const Args&... arguments) {
    notes.push_back(formatMessage(format.text(), {&arguments...}));
    return *this;
  }
  template <class... Args>
  Diagnostic& addHelp(std::type_identity_t<Format<Args...>> format, const Args&... arguments) {
    help.push_back(formatMessage(format.text(), {&arguments...}));
    return *this;
  }
  Diagnostic& setLabel(Phrase text) {
    primary.text = std::move(text.text);
    return *this;
  }
  Diagnostic& addLabel(LabelPlace place, Phrase text) {
    secondary.push_back({std::move(place), std::move(text.text)});
    return *this;
  }
  Diagnostic& addNote(Phrase text) {
    notes.push_back(std::move(text.text));
    return *this;
  }
  Diagnostic& addHelp(Phrase text) {
    help.push_back(std::move(text.text));
    return *this;
  }

  const DiagnosticCode* code = nullptr;
  std::string_view form;               // the declared text of its message, with placeholders for arguments
  std::vector<std::string> arguments;  // of the message, as printed
  std::string message;                 // one line, lower case, no full stop
  Label primary;
  std::vector<Label> secondary;
  std::vector<Label> passed;  // where sizes only pass by: not shown, but fixes are looked for there, too
  std::vector<std::string> notes;
  std::vector<std::string> help;
  std::vector<Fix> fixes;  // changes of source texts
};

using Diagnostics = std::vector<Diagnostic>;

template <class... Args>
Diagnostic& report(Diagnostics& diagnostics, const Message<Args...>& message, LabelPlace place,
                   const std::type_identity_t<Args>&... arguments) {
  return diagnostics.emplace_back(message, std::move(place), arguments...);
}

// The maximum number of errors reported for one source or one check: explaining an error can take time in proportion to
// the program.
inline constexpr std::size_t maxErrors = 100;

bool hasErrors(const Diagnostics& diagnostics);
bool hasSyntaxErrors(const Diagnostics& diagnostics);

// Adds a note to the last error, such as why no more errors follow.
void addNoteToLastError(Diagnostics& diagnostics, Phrase note);

struct RenderOptions {
  bool colour = false;
  std::size_t width = 0;  // columns of the terminal, to wrap text; 0: no terminal
};

// Returns the text form: `error[E0302]: message`, then each place with its excerpt and caret line, notes and help.
std::string render(const Diagnostic& diagnostic, const SourceMap& sources, RenderOptions options = {});

// Returns the diagnostic as a JSON object: code, severity, message, primary, secondary, notes, help.
std::string renderJson(const Diagnostic& diagnostic, const SourceMap& sources);
// One label of a diagnostic.
std::string renderJson(const Label& label, const SourceMap& sources);

// Returns the names closest to `wrong` for "did you mean", best first, at most `limit`.
std::vector<std::string> closestNames(std::string_view wrong, std::span<const std::string_view> known,
                                      std::size_t limit = 1);

}  // namespace axle
