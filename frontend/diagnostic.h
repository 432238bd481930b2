// Diagnostics: values that say what is wrong, where, why, and how to mend it (LANGUAGE.md, section 7).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "frontend/source.h"

namespace axle {

enum class Severity { error, warning, note };

// One row of a table of codes. Each library has one (`frontend/codes.h`, `typecheck/codes.h`, `ir/codes.h`, ...): E01
// syntax, E02 names and modules, E03 types and shapes, E04 weights and parameters, E05 entries and lowering, E06 files,
// E07 bundles, E08 runs, E09 files of graphs.
struct DiagnosticCode {
  std::string_view code;  // "E0302"
  Severity severity;
  std::string_view title;  // a few words: the heading of its section in docs/errors.md, which explains it
};

// A place that is no source text: a tensor of a weights file, a node of an imported graph.
struct ArtifactPlace {
  std::string file;
  std::string node;  // the tensor's or node's name; empty for the whole file
};

struct Label {
  std::variant<Span, ArtifactPlace> place;
  std::string text;
};

// A change of a source text: what stands at the span becomes `text`.
struct Edit {
  Span span;
  std::string text;
};

// A mend. What a check finds are guesses; those that `offerFixes` (typecheck/report/fixes.h) leaves were tried: with one the
// error is gone and no other stands in its place.
struct Fix {
  std::string title;        // "transpose `w`", as its line of help
  std::vector<Edit> edits;  // in the order of the text, apart from each other
};

struct Diagnostic {
  const DiagnosticCode* code = nullptr;
  std::string message;  // one line, lower case, no full stop
  Label primary;
  std::vector<Label> secondary;
  std::vector<std::string> notes;
  std::vector<std::string> help;
  std::vector<Fix> fixes = {};  // of what stands in a source text
};

using Diagnostics = std::vector<Diagnostic>;

// Of one source, or of one check: more are not worth reading, and what explains each looks at the whole program.
inline constexpr std::size_t maxErrors = 100;

bool hasErrors(const Diagnostics& diagnostics);

struct RenderOptions {
  bool colour = false;
  std::size_t width = 0;  // columns of the terminal, in which text is broken; 0: there is none
};

// The text form: `error[E0302]: message`, then each place with its excerpt and caret line, notes and help.
std::string render(const Diagnostic& diagnostic, const SourceMap& sources, RenderOptions options = {});

// The JSON object of CLI.md ("D = {...}") as text.
std::string renderJson(const Diagnostic& diagnostic, const SourceMap& sources);
// A place of one.
std::string renderJson(const Label& label, const SourceMap& sources);

// The names closest to `wrong` for "did you mean", best first, at most `limit`.
std::vector<std::string> closestNames(std::string_view wrong, std::span<const std::string_view> known,
                                      std::size_t limit = 1);

}  // namespace axle
