// Broken programs: for any bytes, parsing ends and reports sensible errors.
#include <gtest/gtest.h>

#include <random>

#include "frontend/parser.h"
#include "tests/frontend/golden.h"
#include "tests/sanitized.h"

namespace axle {
namespace {

// Checks that ids point into the module, spans into the text, and that every diagnostic can be printed.
void checkWhole(const SourceMap& sources, const ast::Module& module, const Diagnostics& diagnostics,
                const std::string& text) {
  for (const ast::Expr& expr : module.exprs) {
    ASSERT_LE(expr.span.begin, expr.span.end) << text;
    ASSERT_LE(expr.span.end, text.size()) << text;
  }
  for (const ast::Binding& binding : module.bindings) {
    ASSERT_LT(binding.pattern.index, module.patterns.size()) << text;
    ASSERT_LT(binding.value.index, module.exprs.size()) << text;
  }
  for (const Diagnostic& diagnostic : diagnostics) {
    ASSERT_FALSE(diagnostic.message.empty()) << text;
    ASSERT_FALSE(render(diagnostic, sources, {true}).empty()) << text;
    ASSERT_FALSE(renderJson(diagnostic, sources).empty()) << text;
    if (const Span* span = std::get_if<Span>(&diagnostic.primary.place)) {
      ASSERT_LE(span->begin, text.size()) << text;
    }
  }
}

// Returns the number of diagnostics.
std::size_t countErrors(const std::string& text) {
  SourceMap sources;
  SourceId id = sources.add("mutant.ax", text);
  Diagnostics diagnostics;
  ast::Module module = parseModule(sources, id, "mutant", diagnostics);
  checkWhole(sources, module, diagnostics, text);
  return diagnostics.size();
}

std::vector<std::string> wellFormedPrograms() {
  std::vector<std::string> texts;
  for (const char* folder : {"tests/frontend/syntax", "tests/frontend/golden", "stdlib"})
    for (const std::string& path : test::filesIn(folder, ".ax")) texts.push_back(test::readFile(path));
  return texts;
}

TEST(Mutation, FlippedBytes) {
  std::mt19937 random(1);
  for (const std::string& seed : wellFormedPrograms()) {
    for (int i = 0; i < 70; ++i) {
      std::string text = seed;
      for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips)
        text[random() % text.size()] ^= static_cast<char>(1u << random() % 8);
      countErrors(text);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Mutation, ThousandFlipsInOneProgram) {
  std::mt19937 random(2);
  std::string text = test::readFile("tests/frontend/syntax/everything.ax");
  for (int i = 0; i < 1000 && !HasFatalFailure(); ++i) {
    text[random() % text.size()] = static_cast<char>(0x20 + random() % 0x5f);
    countErrors(text);
  }
}

// Drops, doubles, swaps and inserts tokens, as people do.
TEST(Mutation, Tokens) {
  static const char* const pieces[] = {
      "(",  ")",   "[",     "]",     "{",      "}",     ";",   ",",  ":",     "=",  "->",     "==",   "+",   "-",
      "*",  "/",   "@",     "#",     "~",      "?",     "...", "..", "_",     "fn", "if",     "else", "op",  "and",
      "or", "not", "match", "where", "import", "param", "x",   "3",  "\"s\"", "\"", "///d\n", "//",   "inf", "nn.y'"};
  std::mt19937 random(3);
  for (const std::string& seed : wellFormedPrograms()) {
    for (int i = 0; i < 40; ++i) {
      std::string text = seed;
      std::size_t at = random() % text.size();
      std::size_t length = random() % 12;
      switch (random() % 3) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, text.substr(random() % text.size(), length));
          break;
        default:
          text.insert(at, std::string(" ") + pieces[random() % std::size(pieces)] + " ");
      }
      countErrors(text);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Mutation, TokenSoup) {
  static const char* const pieces[] = {"(",  ")",    "[",        "]",     "{",       "}",        ";",   ",",
                                       ":",  "=",    "->",       "<",     "+",       "-",        "fn",  "fn(",
                                       "if", "else", "op x : (", "match", "where",   "x",        "3",   "\"s\"",
                                       "_",  "@a",   "not",      "f32",   "param p", "import m", "...", "\n"};
  std::mt19937 random(4);
  for (int i = 0; i < 1000 && !HasFatalFailure(); ++i) {
    std::string text;
    for (int tokens = static_cast<int>(random() % 60); tokens > 0; --tokens)
      text += std::string(pieces[random() % std::size(pieces)]) + " ";
    countErrors(text);
  }
}

TEST(Mutation, TruncatedPrograms) {
  for (const std::string& seed : wellFormedPrograms())
    for (std::size_t length = 0; length < seed.size() && !HasFatalFailure(); length += isSanitized ? 199 : 29)
      countErrors(seed.substr(0, length));
}

TEST(Mutation, Noise) {
  std::mt19937 random(5);
  for (int i = 0; i < 300 && !HasFatalFailure(); ++i) {
    std::string text(random() % 400, ' ');
    for (char& c : text) c = static_cast<char>(random());
    countErrors(text);
  }
}

// One missing or extra token gives one error.
TEST(Mutation, OneMistakeIsOneError) {
  const std::string text =
      "import nn;\nparam w : f32 [3, 4];\n"
      "f = fn (x : f32 [n, 3], y; k = 2) : f32 [n, 4] where n >= 1 {\n"
      "  a, b = g(x[0, 1:2], y) * 2;\n"
      "  c = if a > 1 { a } else { b + 1 };\n"
      "  map(fn (r) { r + c }, x)\n};\n"
      "g = fn (x, y) { (x, y), 3 };\nh = reduce(+, 0f, w, axis=1);\n";
  ASSERT_EQ(countErrors(text), 0u);
  int errors = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (std::string_view("()[]{},;=:+*>").find(text[at]) == std::string_view::npos) continue;
    for (int change = 0; change < 2; ++change) {
      std::string mutant = text;
      if (change == 0)
        mutant.erase(at, 1);
      else
        mutant.insert(at, 1, text[at]);
      std::size_t found = countErrors(mutant);
      errors += found > 0;
      EXPECT_LE(found, 1u) << mutant;
    }
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace axle
