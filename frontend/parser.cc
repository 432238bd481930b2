#include "frontend/parser.h"

#include <antlr4-runtime.h>

#include <algorithm>
#include <functional>

#include "axle_grammar/AxParser.h"
#include "frontend/cascades.h"
#include "frontend/codes.h"
#include "frontend/format.h"
#include "frontend/layout.h"
#include "frontend/syntax_errors.h"
#include "frontend/text.h"
#include "frontend/tokens.h"
#include "frontend/transform.h"

namespace axle {

namespace {

using antlr4::atn::ParserATNSimulator;
using antlr4::atn::PredictionMode;
using grammar::AxParser;

constexpr std::size_t maxSourceBytes = std::size_t{16} << 20;

// What keeps a text from being a program at all.
std::optional<Diagnostic> unreadable(const SourceMap& sources, SourceId source) {
  std::string_view text = sources.text(source);
  if (text.size() > maxSourceBytes)
    return Diagnostic{&codes::tooLarge,
                      "the source is larger than 16 MiB",
                      {ArtifactPlace{std::string(sources.path(source)), ""}, ""},
                      {},
                      {},
                      {}};
  std::size_t valid = validUtf8(text);
  std::size_t nul = text.find('\0');
  if (valid == text.size() && nul == std::string_view::npos) return std::nullopt;
  auto at = static_cast<std::uint32_t>(std::min(valid, nul));
  bool isNul = nul < valid;
  return Diagnostic{&codes::notText,
                    isNul ? "the source contains a NUL byte" : "the source is not UTF-8 text",
                    {Span{source, at, at + 1}, isNul ? "" : "no character is encoded like this"},
                    {},
                    {},
                    {"save the file as UTF-8 text"}};
}

// Reads one window by an entry rule. Fast first: SLL prediction, giving up at the first error. Text with errors is read
// again with full prediction. The tree lasts until the next call; nullptr where there were too many errors.
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
  } catch (const antlr4::ParseCancellationException&) {
  } catch (const antlr4::RecognitionException&) {
  }
  restart();
  parser.setErrorHandler(std::make_shared<SyntaxErrors>(tokens, text, diagnostics));
  parser.getInterpreter<ParserATNSimulator>()->setPredictionMode(PredictionMode::LL);
  try {
    return (parser.*entry)();
  } catch (const antlr4::ParseCancellationException&) {
    return nullptr;
  } catch (const antlr4::RecognitionException&) {  // of a rule that no statement is in: it is reported
    return nullptr;
  }
}

// A text whose first line ends in CRLF keeps that.
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

// What is done with the trees of a source, besides making its syntax tree, while no error has been found.
template <class Tree>
struct TreeUse {
  std::function<void(const Tokens&, const Transform&, Tree*)> window = [](const Tokens&, const Transform&, Tree*) {};
  std::function<void(const Tokens&)> end = [](const Tokens&) {};
};

// Reads a whole source into `module` by `transform`, window after window.
template <class Tree>
void read(const SourceMap& sources, ast::Module& module, Tree* (AxParser::*entry)(),
          const std::function<void(Transform&, Tree*)>& transform, Diagnostics& diagnostics,
          const TreeUse<Tree>& use = {}) {
  SourceId source = module.source;
  std::string_view text = sources.text(source);
  if (std::optional<Diagnostic> problem = unreadable(sources, source)) {
    diagnostics.push_back(std::move(*problem));
    return;
  }
  Diagnostics found;
  try {
    Tokens tokens(text, source);
    if (!tokens.nestedTooDeeply()) {
      AxParser parser(&tokens.list());
      parser.removeErrorListeners();
      Transform into(module, tokens, text, found);
      while (found.size() < maxErrors && tokens.nextWindow()) {
        Tree* tree = parse(parser, entry, tokens, text, found);
        if (tree == nullptr) continue;
        transform(into, tree);
        if (found.empty() && tokens.troubles().empty()) use.window(tokens, into, tree);
      }
    }
    if (found.empty() && tokens.troubles().empty()) use.end(tokens);
    for (Trouble& trouble : tokens.troubles()) found.push_back(std::move(trouble.diagnostic));
    std::stable_sort(found.begin(), found.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return placeOf(a) < placeOf(b); });
    dropCascades(found, sources, tokens.statementEnds());
  } catch (const std::exception& error) {
    found.push_back({&codes::syntax,
                     std::string("the source cannot be read: ") + error.what(),
                     {Span{source, 0, 0}, ""},
                     {},
                     {},
                     {}});
  }
  std::move(found.begin(), found.end(), std::back_inserter(diagnostics));
}

}  // namespace

ast::Module parseModule(const SourceMap& sources, SourceId source, std::string name, Diagnostics& diagnostics) {
  ast::Module module;
  module.source = source;
  module.name = std::move(name);
  read<AxParser::ProgramContext>(
      sources, module, &AxParser::program,
      [](Transform& transform, AxParser::ProgramContext* tree) { transform.program(tree); }, diagnostics);
  return module;
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
  use.window = [&](const Tokens& tokens, const Transform& transform, AxParser::ProgramContext* tree) {
    started(tokens).program(tree, transform.bracketOperands());
  };
  use.end = [&](const Tokens& tokens) { text = started(tokens).finish(formatWidth); };
  read<AxParser::ProgramContext>(
      sources, module, &AxParser::program,
      [](Transform& transform, AxParser::ProgramContext* tree) { transform.program(tree); }, diagnostics, use);
  if (hasErrors(diagnostics)) return tl::unexpected(std::move(diagnostics));
  return withLineEndsOf(sources.text(source), std::move(text));
}

std::optional<ParsedFact> parseFact(const SourceMap& sources, SourceId source, Diagnostics& diagnostics) {
  ParsedFact parsed;
  parsed.module.source = source;
  std::vector<ast::Fact> facts;
  std::size_t before = diagnostics.size();
  read<AxParser::FactOnlyContext>(
      sources, parsed.module, &AxParser::factOnly,
      [&](Transform& transform, AxParser::FactOnlyContext* tree) { transform.factOnly(tree, facts); }, diagnostics);
  if (diagnostics.size() > before) return std::nullopt;
  if (facts.size() != 1) {
    diagnostics.push_back({&codes::syntax, "expected a fact such as `n >= 1`", {Span{source, 0, 0}, ""}, {}, {}, {}});
    return std::nullopt;
  }
  parsed.fact = std::move(facts.front());
  return parsed;
}

}  // namespace axle
