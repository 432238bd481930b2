// Deep and long programs: parsing does not overflow the stack and takes linear time.
#include <gtest/gtest.h>

#include <ctime>

#include "frontend/deep_stack.h"
#include "frontend/parser.h"
#include "frontend/syntax_codes.h"
#include "tests/frontend/golden.h"
#include "tests/sanitized.h"

namespace axle {
namespace {

// Needs the deep stack because a call takes several times the stack under the sanitizers.
Diagnostics parse(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  onDeepStack([&] { parseModule(sources, sources.add("nest.ax", text), "nest", diagnostics); });
  for (const Diagnostic& diagnostic : diagnostics) EXPECT_FALSE(render(diagnostic, sources).empty());
  return diagnostics;
}

// Repeats `open` and `close` around `middle`; each repetition opens `brackets` brackets or conditions.
struct Nest {
  std::string before, open, middle, close, after;
  int brackets;
};
const Nest nests[] = {
    {"x = ", "(", "1", ")", ";", 1},
    {"x = ", "[", "1", "]", ";", 1},
    {"x = ", "f(", "1", ")", ";", 1},
    {"x = ", "a[", "1", "]", ";", 1},
    {"x = ", "(1 + 2 * -", "a", ")", ";", 1},
    {"x = ", "not (a and ", "b", ")", ";", 1},
    {"x = ", "(1, ", "1", ")", ";", 1},
    {"x = ", "f(k=[", "1", "])", ";", 2},
    {"x = ", "fn (a) { ", "a", " }", ";", 1},
    {"x = ", "fn (a) { y = ", "a", "; y }", ";", 1},
    {"x = ", "map(fn (a) { ", "a", " }, b)", ";", 2},
    {"x = ", "if a { ", "a", " } else { b }", ";", 1},
    {"x = ", "if ", "a", " { b } else { c }", ";", 1},
    {"x = ", "match a : t { ", "a", " }", ";", 1},
    {"x = ", "match ", "a", " : t { a }", ";", 1},
    {"", "(", "x", ")", " = 1;", 1},
    {"", "(a, ", "x", ")", " = 1;", 1},
    {"param p : ", "(", "t", ")", ";", 1},
    {"param p : ", "((u) -> ", "t", ")", ";", 2},
    {"param p : ", "(", "t", ") -> t", ";", 1},
    {"param p : t ", "(", "s", ")", ";", 1},
    {"param p : t ", "(s # [n] @ ", "s", ")", ";", 1},
    {"param p : t [", "(", "n", ")", "];", 1},
    {"param p : t [", "(+ 1 ", "n", ")", "];", 1},
    {"param p : t [", "max(1, ", "n", ")", "];", 1},
    {"param p : t [", "max(", "n", ", 1)", "];", 1},
    {"param p : t [", "max((", "n", "), 1)", "];", 2},
    {"param p : t [", "(- a ", "n", ")", "];", 1},
    {"param p : t [", "(- ", "n", " a)", "];", 1},
    {"param p : t [", "(-", "n", " + 1)", "];", 1},
    {"param p : t [rank(", "(", "s", " @ q)", ")];", 1},
    {"param p : t [", "~(1 - ", "n", ")", "];", 1},
    {"param p : t [", "rank([", "n", "])", "];", 2},
    {"op o : (t (", "f(", "s", ", s)", ")) -> t s;", 1},
    {"op o : (", "(t s) -> (", "t s", ")", ") -> t s;", 2},
};

TEST(Nesting, UpToTheLimit) {
  for (const Nest& nest : nests) {
    for (int levels : {1, 50, 480 / nest.brackets}) {
      Diagnostics found = parse(nest.before + test::repeated(nest.open, levels) + nest.middle +
                                test::repeated(nest.close, levels) + nest.after);
      for (const Diagnostic& diagnostic : found)
        EXPECT_EQ(diagnostic.code, &codes::nestedTooDeeply) << nest.open << ": " << diagnostic.message;
      if (levels < 400) {
        EXPECT_TRUE(found.empty()) << nest.open;
      }
    }
  }
}

TEST(Nesting, BeyondTheLimit) {
  for (const Nest& nest : nests) {
    for (int levels : {502, 20000}) {
      Diagnostics found = parse(nest.before + test::repeated(nest.open, levels) + nest.middle +
                                test::repeated(nest.close, levels) + nest.after);
      ASSERT_EQ(found.size(), 1u) << nest.open;
      EXPECT_EQ(found[0].code, &codes::nestedTooDeeply) << nest.open;
    }
  }
}

// The limit applies to brackets that are open at the same time, not to a whole program.
TEST(Nesting, ManySiblings) {
  EXPECT_TRUE(parse("x = f(" + test::repeated("(1), [2], if a { 1 } else { 2 }, ", 3000) + "3);").empty());
  EXPECT_TRUE(parse(test::repeated("x = if a { if b { 1 } else { 2 } } else { match c : t { 3 } };\n", 2000)).empty());
}

// A tree of brackets, each of which is ambiguous until it is closed.
TEST(Nesting, TreesOfBrackets) {
  struct Bush {
    std::string before, open, middle, close, after;
  };
  for (const Bush& bush :
       {Bush{"param p : t [", "max(", ", ", ")", "];"}, Bush{"param p : t [", "(- (", ") (", "))", "];"},
        Bush{"param p : t [", "(-", " - ", ")", "];"}, Bush{"param p : t [rank(", "(", " @ ", ")", ")];"},
        Bush{"op o : (t (", "f(", ", ", ")", ")) -> t s;"}, Bush{"param p : ", "(", ", ", ")", ";"},
        Bush{"param p : ", "((", ") -> ", ")", ";"}, Bush{"x = ", "f(", ")(", ")", ";"},
        Bush{"x = ", "(", ", ", ")", ";"}, Bush{"", "(", ", ", ")", " = x;"}}) {
    std::string text = "n";
    for (int i = 0; i < 12; ++i) text = bush.open + text + bush.middle + text + bush.close;
    EXPECT_TRUE(parse(bush.before + text + bush.after).empty()) << bush.open;
  }
}

// Each of these would take minutes if any step took quadratic time.
TEST(Nesting, LongBrokenPrograms) {
  for (const char* piece : {"(",        ")",
                            "[",        "]",
                            "{",        "}",
                            ";",        "(;",
                            "[;",       "{;",
                            "fn(",      "x ",
                            "x\n",      "a b\n",
                            "f(\n",     "x = 1\n",
                            "else ",    "@a ",
                            "\"\n",     "$ ",
                            "= ",       ", ",
                            "x, ",      "- ",
                            "not ",     "if ",
                            "match ",   "op a : (",
                            "import ",  "///\n",
                            "//\n",     "};\n",
                            "{ x };\n", "f = fn (x) {\n"}) {
    Diagnostics found = parse(test::repeated(piece, isSanitized ? 4000 : 20000));
    EXPECT_LE(found.size(), 300u) << piece;
  }
}

// Everything is on one line: the beginning of a token's line must not be searched for from each token. Measures
// processor time.
TEST(Nesting, LongLineInAnUnclosedBlock) {
  const std::clock_t begin = std::clock();
  EXPECT_EQ(parse("f = fn (x) { y = x; " + test::repeated("a = x + 1; ", 40000)).size(), 1u);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, isSanitized ? 60 : 6);
}

}  // namespace
}  // namespace axle
