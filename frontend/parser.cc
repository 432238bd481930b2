#include "frontend/parser.h"

#include <antlr4-runtime.h>

#include <algorithm>

#include "axle_grammar/AxParser.h"
#include "frontend/cascades.h"
#include "frontend/codes.h"
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

// Reads one window. Fast first: SLL prediction, giving up at the first error. Text with errors is read again with full
// prediction. The tree lasts until the next call; nullptr where there were too many errors.
AxParser::ProgramContext* parse(AxParser& parser, Tokens& tokens, std::string_view text, Diagnostics& diagnostics) {
  std::size_t begin = tokens.list().index();
  auto restart = [&] {
    parser.reset();
    tokens.list().seek(begin);
  };
  restart();
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  parser.getInterpreter<ParserATNSimulator>()->setPredictionMode(PredictionMode::SLL);
  try {
    return parser.program();
  } catch (const antlr4::ParseCancellationException&) {
  } catch (const antlr4::RecognitionException&) {
  }
  restart();
  parser.setErrorHandler(std::make_shared<SyntaxErrors>(tokens, text, diagnostics));
  parser.getInterpreter<ParserATNSimulator>()->setPredictionMode(PredictionMode::LL);
  try {
    return parser.program();
  } catch (const antlr4::ParseCancellationException&) {
    return nullptr;
  }
}

std::uint32_t placeOf(const Diagnostic& diagnostic) {
  const Span* span = std::get_if<Span>(&diagnostic.primary.place);
  return span == nullptr ? 0 : span->begin;
}

}  // namespace

ast::Module parseModule(const SourceMap& sources, SourceId source, std::string name, Diagnostics& diagnostics) {
  ast::Module module;
  module.source = source;
  module.name = std::move(name);
  std::string_view text = sources.text(source);
  if (std::optional<Diagnostic> problem = unreadable(sources, source)) {
    diagnostics.push_back(std::move(*problem));
    return module;
  }
  Diagnostics found;
  try {
    Tokens tokens(text, source);
    if (!tokens.nestedTooDeeply()) {
      AxParser parser(&tokens.list());
      parser.removeErrorListeners();
      Transform transform(module, tokens, text, found);
      while (found.size() < maxErrors && tokens.nextWindow())
        if (AxParser::ProgramContext* tree = parse(parser, tokens, text, found)) transform.program(tree);
    }
    for (Trouble& trouble : tokens.troubles()) found.push_back(std::move(trouble.diagnostic));
    std::stable_sort(found.begin(), found.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return placeOf(a) < placeOf(b); });
    dropCascades(found, sources, tokens.statementEnds());
  } catch (const std::exception& error) {
    found.push_back({&codes::syntax,
                     std::string("the program cannot be read: ") + error.what(),
                     {Span{source, 0, 0}, ""},
                     {},
                     {},
                     {}});
  }
  std::move(found.begin(), found.end(), std::back_inserter(diagnostics));
  return module;
}

}  // namespace axle
