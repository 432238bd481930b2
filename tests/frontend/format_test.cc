// Checks that formatting keeps the meaning of any program, and that formatting again changes nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "frontend/format.h"
#include "frontend/parser.h"
#include "tests/frontend/dump.h"
#include "tests/frontend/golden.h"
#include "tests/sanitized.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

// Returns the formatted text; none if it does not parse.
std::optional<std::string> formatted(const std::string& text) {
  SourceMap sources;
  auto result = format(sources, sources.add("test.ax", text));
  return result ? std::optional(*std::move(result)) : std::nullopt;
}

std::optional<std::string> treeOf(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  ast::Module module = parseModule(sources, sources.add("test.ax", text), "test", diagnostics);
  return hasErrors(diagnostics) ? std::nullopt : std::optional(test::dump(module));
}

// Splits a program without the lexer into comments, blanks, and the rest; a string is one piece.
struct Piece {
  enum Kind { code, blanks, comment } kind;
  std::string text;
};
std::vector<Piece> piecesOf(const std::string& text) {
  std::vector<Piece> pieces;
  auto kindAt = [&](std::size_t at) {
    if (text.compare(at, 2, "//") == 0) return Piece::comment;
    return std::string_view(" \t\r\n\f").find(text[at]) == std::string_view::npos ? Piece::code : Piece::blanks;
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t begin = at;
    Piece::Kind kind = kindAt(at);
    if (kind == Piece::comment) {
      at = std::min(text.find_first_of("\r\n", at), text.size());
    } else if (text[at] == '"') {
      for (++at; text[at] != '"'; ++at) at += text[at] == '\\';
      ++at;
    } else if (kind == Piece::code) {
      while (++at < text.size() && text[at] != '"' && kindAt(at) == kind) continue;
    } else {
      while (++at < text.size() && kindAt(at) == kind) continue;
    }
    pieces.push_back({kind, text.substr(begin, at - begin)});
  }
  return pieces;
}

std::vector<std::string> commentsOf(const std::string& text) {
  std::vector<std::string> comments;
  for (const Piece& piece : piecesOf(text))
    if (piece.kind == Piece::comment)
      comments.push_back(piece.text.substr(0, piece.text.find_last_not_of(" \t\f") + 1));
  return comments;
}

// Returns the program without comments and with single blanks.
std::string respaced(const std::string& text, const std::string& blank) {
  std::string out;
  bool apart = true;
  for (const Piece& piece : piecesOf(text)) {
    bool isCode = piece.kind == Piece::code;
    if (isCode || !apart) out += isCode ? piece.text : blank;
    apart = !isCode;
  }
  return out;
}

// Checks the requirements on the layout of any program; false if the text is not a program.
bool checkFormat(const std::string& text, const std::string& what) {
  std::optional<std::string> tree = treeOf(text), once = formatted(text);
  EXPECT_EQ(tree.has_value(), once.has_value()) << what;
  if (!tree || !once) return false;
  EXPECT_EQ(*tree, treeOf(*once)) << what;
  EXPECT_EQ(commentsOf(text), commentsOf(*once)) << what;
  EXPECT_EQ(*once, formatted(*once)) << what;
  for (std::size_t at = once->find('\n'); at != std::string::npos && at > 0; at = once->find('\n', at + 1))
    EXPECT_NE((*once)[at - 1], ' ') << what << ": a line ends in a blank\n" << *once;
  return true;
}

// Checks that comments and single blank lines stay, and that everything else is laid out again.
void checkCanonical(const std::string& text, const std::string& what) {
  std::optional<std::string> line = formatted(respaced(text, " "));
  ASSERT_TRUE(line) << what;
  EXPECT_EQ(line, formatted(respaced(text, "\n"))) << what;
  EXPECT_EQ(line, formatted(respaced(text, "\t"))) << what;
}

std::vector<std::string> repository() {
  std::vector<std::string> paths;
  for (const char* folder : {"docs", "examples", "stdlib", "tests"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().extension() == ".ax") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Format, EveryProgramOfTheRepository) {
  int programs = 0;
  for (const std::string& path : repository()) {
    std::string text = test::readFile(path);
    if (!checkFormat(text, path)) continue;
    checkCanonical(text, path);
    ++programs;
  }
  EXPECT_GT(programs, 200);
}

std::vector<std::string> programsToFormat() {
  std::vector<std::string> texts;
  for (const char* folder : {"tests/frontend/syntax", "examples/paper", "tests/typecheck/golden", "stdlib"})
    for (const std::string& path : test::filesIn(folder, ".ax")) texts.push_back(test::readFile(path));
  return texts;
}

// Comments, blank lines and separators in unusual places.
TEST(Format, CommentsAnywhere) {
  static const char* const pieces[] = {
      " // c\n",  "\n// c\n",  "\n\n// c\n\n", " // c\n// c\n", "\n",  "\n\n\n", "\r\n",
      " /// d\n", "\n/// d\n", "  ",           " , ",           " ; ", ""};
  constexpr int rounds = isSanitized ? 10 : 30;
  std::mt19937 random(1);
  int programs = 0;
  for (const std::string& seed : programsToFormat()) {
    for (int round = 0; round < rounds; ++round) {
      unsigned rarity = 2 + random() % 40;
      std::string text;
      for (const Piece& piece : piecesOf(seed)) {
        bool here = piece.kind == Piece::blanks && random() % rarity == 0;
        text += here ? pieces[random() % std::size(pieces)] : piece.text;
      }
      programs += checkFormat(text, text);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(programs, 16 * rounds);
}

TEST(Format, Mutants) {
  constexpr int rounds = isSanitized ? 7 : 20;
  std::mt19937 random(2);
  int programs = 0;
  for (const std::string& seed : programsToFormat()) {
    for (int round = 0; round < rounds; ++round) {
      std::string text = seed;
      std::size_t at = random() % text.size(), length = random() % 12;
      if (random() % 2 == 0)
        text.erase(at, length);
      else
        text.insert(at, text.substr(random() % text.size(), length));
      programs += checkFormat(text, text);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(programs, 10 * rounds);
}

TEST(Format, Goldens) {
  for (const std::string& path : test::filesIn("tests/frontend/format", ".before")) {
    std::optional<std::string> text = formatted(test::readFile(path));
    ASSERT_TRUE(text) << path;
    EXPECT_TRUE(checkFormat(test::readFile(path), path));
    test::expectGolden(fs::path(path).replace_extension(".after").string(), *text);
  }
}

TEST(Format, Ends) {
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted(" \n\n"), "");
  EXPECT_EQ(formatted(";;"), "");
  EXPECT_EQ(formatted("// c"), "// c\n");
  EXPECT_EQ(formatted("\n\n// c\n\n\n\n// d\n\n"), "// c\n\n// d\n");
  EXPECT_EQ(formatted("x=1"), "x = 1;\n");
  EXPECT_EQ(formatted("x=1 // c"), "x = 1;  // c\n");
  EXPECT_EQ(formatted("x=1;\r\ny=2;// c\r\n"), "x = 1;\r\ny = 2;  // c\r\n");
  EXPECT_EQ(formatted("x = 1 2;"), std::nullopt);
  EXPECT_EQ(formatted("x = \"\xc3\xa9\" ;"), "x = \"\xc3\xa9\";\n");
}

// The time is linear in the length of a program.
TEST(Format, LongPrograms) {
  std::string lines, arguments, nested;
  for (int i = 0; i < 20000; ++i) lines += "x = f(a, b) + c; // c\n";
  for (int i = 0; i < 20000; ++i) arguments += "a,";
  for (int i = 0; i < 100; ++i) nested = "f(fn (a) { " + nested + " b + c }, a," + std::to_string(i) + ")\n+";
  for (const std::string& text : {lines, "x = f(" + arguments + "b);", "x = " + nested + " 1;"}) {
    std::optional<std::string> once = formatted(text);
    ASSERT_TRUE(once);
    EXPECT_EQ(once, formatted(*once));
  }
}

}  // namespace
}  // namespace axle
