// Compares the table of the lexer with the lexer that ANTLR generates.
#include "grammar/lexer_table.h"

#include <antlr4-runtime.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <tuple>
#include <vector>

#include "axle_grammar/AxLexer.h"
#include "frontend/tokens.h"
#include "tests/frontend/golden.h"

namespace axle {
namespace {

using LexedToken =
    std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;  // type, channel, first and last byte

std::vector<LexedToken> byGenerated(const std::string& text) {
  ByteStream bytes(text);
  grammar::AxLexer lexer(&bytes);
  lexer.removeErrorListeners();
  std::vector<LexedToken> out;
  for (auto token = lexer.nextToken(); token->getType() != antlr4::Token::EOF; token = lexer.nextToken())
    out.emplace_back(token->getType(), token->getChannel(), token->getStartIndex(), token->getStopIndex());
  return out;
}

std::vector<LexedToken> byTable(const std::string& text) {
  const RawTokens tokens(text, {});
  std::vector<LexedToken> out;
  for (std::size_t i = 0; i + 1 < tokens.count(); ++i)
    out.emplace_back(tokens[i]->getType(), tokens[i]->getChannel(), tokens[i]->getStartIndex(),
                     tokens[i]->getStopIndex());
  return out;
}

TEST(LexerTable, ReadsEverySourceAsTheGeneratedLexer) {
  std::size_t count = 0;
  for (const char* folder : {"stdlib", "tests", "examples"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".ax") continue;
      const std::string text = test::readFile(entry.path());
      EXPECT_EQ(byTable(text), byGenerated(text)) << entry.path();
      ++count;
    }
  EXPECT_GT(count, 100u);
}

TEST(LexerTable, ReadsAnyBytesAsTheGeneratedLexer) {
  static constexpr std::string_view pieces[] = {"fn",  "fnn", "i",    "if", "_",  "_a",   "a.b",  "a.",   "..", "...",
                                                ".",   "-",   "->",   "=",  "==", "!",    "<=",   "<",    "1",  "1.",
                                                "1.5", "1e",  "1e-5", "0f", "'",  "\"",   "\\",   "\n",   "\r", "/",
                                                "//",  "///", "////", " ",  "\t", "\xc3", "\x80", "\xff", "é"};
  std::mt19937 random(7);
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    for (std::size_t length = random() % 12; length > 0; --length)
      text += random() % 4 ? std::string(pieces[random() % std::size(pieces)])
                           : std::string(1, static_cast<char>(1 + random() % 255));
    if (text.starts_with("\xef\xbb\xbf")) continue;  // a byte order mark is no token
    ASSERT_EQ(byTable(text), byGenerated(text)) << text;
  }
}

}  // namespace
}  // namespace axle
