#include "frontend/parser.h"

#include <antlr4-runtime.h>

#include <algorithm>
#include <functional>

#include "axle_grammar/AxParser.h"
#include "frontend/consequent_errors.h"
#include "frontend/format.h"
#include "frontend/layout.h"
#include "frontend/syntax_errors.h"
#include "frontend/tokens.h"
#include "frontend/transform.h"
#include "frontend/utf8.h"

namespace axle::codes {
const DiagnosticCode tooLarge{"E0002", Severity::error, "a source file is too large"};
const DiagnosticCode notText{"E0003", Severity::error, "a source is not UTF-8 text"};
}  // namespace axle::codes

namespace axle {

namespace {

using antlr4::atn::ParserATNSimulator;
using antlr4::atn::PredictionMode;
using grammar::AxParser;

constexpr Message<> sourceTooLarge{codes::tooLarge, "the source is larger than 16 MiB"};
constexpr Message<> nulByte{codes::notText, "the source contains a NUL byte"};
constexpr Message<> notUtf8{codes::notText, "the source is not UTF-8 text", "no character is encoded like this"};
constexpr Message<arg::Cause> parserFailed{codes::syntax, "the source cannot be read: {}"};
constexpr Message<Phrase> pieceExpected{codes::syntax, "expected {}"};
constexpr Message<> factExpected{codes::syntax, "expected a fact such as `n >= 1`"};

constexpr std::size_t maxSourceBytes = std::size_t{16} << 20;

// Returns the error of a source that cannot be a program: too large, or not UTF-8 text.
std::optional<Diagnostic> unreadable(const SourceMap& sources, SourceId source) {
  std::string_view text = sources.text(source);
  if (text.size() > maxSourceBytes)
    return Diagnostic(sourceTooLarge, ArtifactPlace{std::string(sources.path(source)), ""});
  std::size_t valid = validUtf8(text);
  std::size_t nul = text.find('\0');
  if (valid == text.size() && nul == std::string_view::npos) return std::nullopt;
  auto at = static_cast<std::uint32_t>(std::min(valid, nul));
  Diagnostic problem(nul < valid ? nulByte : notUtf8, Span{source, at, at + 1});
  problem.addHelp("save the file as UTF-8 text");
  return problem;
}

// Parses one window by an entry rule: first fast, with SLL prediction, up to the first error; then text with errors
// again with full prediction. The tree lives until the next call. Returns nullptr after too many errors.
template <class Tree>
Tree* parse(AxParser& parser, Tree* (AxParser::*entry)(), Tokens& tokens, std::string_view text,
            Diagnostics& diagnostics) {
  std::size_t begin = tokens.list().index();
  auto restart = [&] {
    parser.reset();
    tokens.list().seek(begin);
  };
  restart();
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  parser.getInterpreter<ParserATNSimulator>()->setPredictionMode(PredictionMode::SLL);
  try {
    return (parser.*entry)();
  } catch (const antlr4::ParseCancellationException&) {  // NOLINT(bugprone-empty-catch): its error is reported
  } catch (const antlr4::RecognitionException&) {        // NOLINT(bugprone-empty-catch)
  }
  restart();
  parser.setErrorHandler(std::make_shared<SyntaxErrors>(tokens, text, diagnostics));
  parser.getInterpreter<ParserATNSimulator>()->setPredictionMode(PredictionMode::LL);
  try {
    return (parser.*entry)();
  } catch (const antlr4::ParseCancellationException&) {
    return nullptr;
  } catch (const antlr4::RecognitionException&) {  // in a rule outside statements; already reported
    return nullptr;
  }
}

// Ends lines in CRLF if the source's first line does.
std::string withLineEndsOf(std::string_view source, std::string text) {
  std::size_t first = source.find_first_of("\r\n");
  if (first == std::string_view::npos || source.substr(first, 2) != "\r\n") return text;
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (char c : text) out += c == '\n' ? std::string_view("\r\n") : std::string_view(&c, 1);
  return out;
}

std::uint32_t placeOf(const Diagnostic& diagnostic) {
  const Span* span = std::get_if<Span>(&diagnostic.primary.place);
  return span == nullptr ? 0 : span->begin;
}

// Callbacks that get the parse trees of a source, in addition to its syntax tree, until an error is found.
template <class Tree>
struct TreeUse {
  std::function<void(const Tokens&, const transform::State&, Tree*)> window = [](auto&&...) {};
  std::function<void(const Tokens&)> end = [](const Tokens&) {};
};

// Returns a source's text with everything outside the parts blanked out, so that offsets stay the same.
std::string textOf(const SourceMap& sources, SourceId source, const Parts& parts) {
  std::string_view text = sources.text(source);
  std::string out(text.size(), ' ');
  for (Span part : parts) text.copy(out.data() + part.begin, part.end - part.begin, part.begin);
  return out;
}

// Parses `text`, the module's source or a part of it, one window after another; `transform` adds each to `module`.
template <class Tree>
void read(const SourceMap& sources, std::string_view text, ast::Module& module, Tree* (AxParser::*entry)(),
          const std::function<void(transform::State&, Tree*)>& transform, Diagnostics& diagnostics,
          const TreeUse<Tree>& use = {}) {
  SourceId source = module.source;
  if (std::optional<Diagnostic> problem = unreadable(sources, source)) {
    diagnostics.push_back(std::move(*problem));
    return;
  }
  Diagnostics found;
  bool isCut = false;
  try {
    Tokens tokens(text, source);
    if (!tokens.nestedTooDeeply()) {
      AxParser parser(&tokens.list());
      parser.removeErrorListeners();
      transform::State into(module, tokens, text, found);
      while (found.size() < maxErrors && tokens.nextWindow()) {
        Tree* tree = parse(parser, entry, tokens, text, found);
        if (tree == nullptr) continue;
        transform(into, tree);
        if (found.empty() && tokens.earlyErrors().empty()) use.window(tokens, into, tree);
      }
    }
    isCut = found.size() >= maxErrors;
    if (found.empty() && tokens.earlyErrors().empty()) use.end(tokens);
    for (EarlyError& addError : tokens.earlyErrors()) found.push_back(std::move(addError.diagnostic));
    std::stable_sort(found.begin(), found.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return placeOf(a) < placeOf(b); });
    dropConsequentErrors(found, sources, tokens.statementEnds());
    if (isCut) addNoteToLastError(found, "no more errors are reported: the text after this was not read");
  } catch (const std::exception& error) {
    report(found, parserFailed, Span{source, 0, 0}, arg::Cause{error.what()});
  }
  std::move(found.begin(), found.end(), std::back_inserter(diagnostics));
}

}  // namespace

ast::Module parseModule(const SourceMap& sources, SourceId source, std::string name, Diagnostics& diagnostics) {
  ast::Module module;
  module.source = source;
  module.name = std::move(name);
  read<AxParser::ProgramContext>(sources, sources.text(source), module, &AxParser::program, transform::program,
                                 diagnostics);
  return module;
}

ast::Module parseModule(const SourceMap& sources, Span part, std::string name, Diagnostics& diagnostics) {
  ast::Module module;
  module.source = part.source;
  module.name = std::move(name);
  std::string text = textOf(sources, part.source, {part});
  read<AxParser::ProgramContext>(sources, text, module, &AxParser::program, transform::program, diagnostics);
  return module;
}

namespace {

// Parses parts that must consist of exactly one construct, called `noun` in the error.
template <class Id, class Tree>
std::optional<Id> parsePiece(const SourceMap& sources, const Parts& parts, ast::Module& into,
                             Tree* (AxParser::*entry)(), Id (*transform)(transform::State&, Tree*), Format<> noun,
                             Diagnostics& diagnostics) {
  Id made;
  Diagnostics found;
  std::string text = textOf(sources, into.source, parts);
  read<Tree>(
      sources, text, into, entry, [&](transform::State& state, Tree* tree) { made = transform(state, tree); }, found);
  if (found.empty() && !made) {
    Span at{into.source, parts.front().begin, parts.front().begin};
    report(found, pieceExpected, at, noun);
  }
  bool isGood = !hasErrors(found);
  std::move(found.begin(), found.end(), std::back_inserter(diagnostics));
  return isGood ? std::optional(made) : std::nullopt;
}

}  // namespace

std::optional<ast::ExprId> parseValue(const SourceMap& sources, const Parts& parts, ast::Module& into,
                                      Diagnostics& diagnostics) {
  return parsePiece(sources, parts, into, &AxParser::valueOnly, transform::valueOnly, "an expression", diagnostics);
}

std::optional<ast::TypeId> parseType(const SourceMap& sources, const Parts& parts, ast::Module& into,
                                     Diagnostics& diagnostics) {
  return parsePiece(sources, parts, into, &AxParser::typeOnly, transform::typeOnly, "a type", diagnostics);
}

std::optional<ast::ShapeId> parseShape(const SourceMap& sources, const Parts& parts, ast::Module& into,
                                       Diagnostics& diagnostics) {
  return parsePiece(sources, parts, into, &AxParser::shapeOnly, transform::shapeOnly, "a shape", diagnostics);
}

tl::expected<std::string, Diagnostics> format(const SourceMap& sources, SourceId source) {
  ast::Module module;
  module.source = source;
  Diagnostics diagnostics;
  std::optional<Layout> layout;
  std::string text;
  auto started = [&](const Tokens& tokens) -> Layout& {
    if (!layout) layout.emplace(tokens.raw());
    return *layout;
  };
  TreeUse<AxParser::ProgramContext> use;
  use.window = [&](const Tokens& tokens, const transform::State& state, AxParser::ProgramContext* tree) {
    started(tokens).program(tree, state.bracketOperands);
  };
  use.end = [&](const Tokens& tokens) { text = started(tokens).finish(formatWidth); };
  read<AxParser::ProgramContext>(sources, sources.text(source), module, &AxParser::program, transform::program,
                                 diagnostics, use);
  if (hasErrors(diagnostics)) return tl::unexpected(std::move(diagnostics));
  return withLineEndsOf(sources.text(source), std::move(text));
}

std::optional<ParsedFact> parseFact(const SourceMap& sources, SourceId source, Diagnostics& diagnostics) {
  ParsedFact parsed;
  parsed.module.source = source;
  std::vector<ast::Fact> facts;
  std::size_t before = diagnostics.size();
  read<AxParser::FactOnlyContext>(
      sources, sources.text(source), parsed.module, &AxParser::factOnly,
      [&](transform::State& state, AxParser::FactOnlyContext* tree) { transform::factOnly(state, tree, facts); },
      diagnostics);
  if (diagnostics.size() > before) return std::nullopt;
  if (facts.size() != 1) {
    report(diagnostics, factExpected, Span{source, 0, 0});
    return std::nullopt;
  }
  parsed.fact = std::move(facts.front());
  return parsed;
}

}  // namespace axle
