// Tests the syntax trees of valid programs: every construct of the language, and the spans of its parts.
#include <gtest/gtest.h>

#include <filesystem>

#include "frontend/parser.h"
#include "tests/frontend/dump.h"
#include "tests/frontend/golden.h"

namespace axle {
namespace {

struct Parsed {
  SourceMap sources;
  Diagnostics diagnostics;
  ast::Module module;

  explicit Parsed(const std::string& text) {
    SourceId id = sources.add("test.ax", text);
    module = parseModule(sources, id, "test", diagnostics);
  }
  std::string errors() const {
    std::string out;
    for (const Diagnostic& diagnostic : diagnostics) out += render(diagnostic, sources);
    return out;
  }
  // Returns the value of the last top-level binding.
  ast::ExprId value() const { return module.bindings[std::get<std::uint32_t>(module.items.back())].value; }
  std::string text(Span span) const { return std::string(sources.text(span)); }
  template <class Node>
  const Node& node(ast::ExprId id) const {
    return std::get<Node>(module[id].node);
  }
};

TEST(Syntax, Files) {
  for (const std::string& path : test::filesIn("tests/frontend/syntax", ".ax")) {
    Parsed parsed(test::readFile(path));
    EXPECT_EQ(parsed.errors(), "") << path;
    test::expectGolden(std::filesystem::path(path).replace_extension(".ast").string(), test::dump(parsed.module));
  }
}

TEST(Syntax, StdlibParses) {
  for (const std::string& path : test::filesIn("stdlib", ".ax"))
    EXPECT_EQ(Parsed(test::readFile(path)).errors(), "") << path;
}

struct Precedence {
  std::string text, tree;
};
const Precedence precedences[] = {
    {"a + b * c - d", "(- (+ a (* b c)) d)"},
    {"a / b * c % d", "(% (* (/ a b) c) d)"},
    {"-a * b", "(* (- a) b)"},
    {"-a(b)[0]", "(- (index (call a b) 0))"},
    {"- -a", "(- (- a))"},
    {"a - -b", "(- a (- b))"},
    {"-3", "-3"},
    {"- 3 * -2.5f32", "(* -3 -real:2.500000:f32)"},
    {"-3[0]", "(- (index 3 0))"},
    {"--3", "(- -3)"},
    {"-inf", "-inf"},
    {"-lowest", "(- lowest)"},
    {"a - 3", "(- a 3)"},
    {"not a == b", "(not (== a b))"},
    {"not not a", "(not (not a))"},
    {"not a and b or c and not d", "(or (and (not a) b) (and c (not d)))"},
    {"a < b or c >= d", "(or (< a b) (>= c d))"},
    {"x[..., -1]", "(index x ... -1)"},
    {"x[::2, 1:, :n - 1, :, a:b:c]", "(index x ::2 1:: :(- n 1): :: a:b:c)"},
    {"f(x, k=1, j=[2, 2])", "(call f x k=1 j=[2 2])"},
    {"f(x,)", "(call f x)"},
    {"fn(a, b,) {\n  g(a, b) + a;\n}", "(fn (a, b) {(+ (call g a b) a)})"},
    {"f(+, -, and, ==)", "(call f (section +) (section -) (section and) (section ==))"},
    {"(-)", "(group (section -))"},
    {"()", "(tuple)"},
    {"(a)", "(group a)"},
    {"(a, b), c", "(tuple (tuple a b) c)"},
    {"[[1, 2,], [],]", "[[1 2] []]"},
    {"0f", "0f"},
    {"3i64", "3:i64"},
    {"7f16", "7f:f16"},
    {"1e-5", "real:0.000010"},
    {"18446744073709551615", "18446744073709551615"},
    {"100000000000000000000f", "real:100000000000000000000.000000"},
    {"\"a\\\"b\\\\c\"", "\"a\"b\\c\""},
    {"reshape(x, [n, _])", "(call reshape x [n _])"},
    {"if a { b } else if c { d } else { e, f }", "(if a {b} (if c {d} {(tuple e f)}))"},
    {"1 - if a { b } else { c }", "(- 1 (if a {b} {c}))"},
    {"match y : f32 [k, 3] { k }", "(match y : f32 [k, 3] {k})"},
    {"s0'' + nn.relu.x'(infinite)", "(+ s0'' (call nn.relu.x' infinite))"},
};

TEST(Syntax, Precedence) {
  for (const Precedence& row : precedences) {
    Parsed parsed("v = " + row.text + ";");
    ASSERT_EQ(parsed.errors(), "") << row.text;
    EXPECT_EQ(test::dump(parsed.module, parsed.value()), row.tree) << row.text;
  }
}

TEST(Syntax, EmptyProgram) {
  for (const char* text : {"", ";", ";;\n;", "// only a comment", "\xef\xbb\xbf", "\n\n"}) {
    Parsed parsed(text);
    EXPECT_EQ(parsed.errors(), "") << text;
    EXPECT_TRUE(parsed.module.items.empty()) << text;
  }
}

TEST(Spans, OfParts) {
  Parsed parsed(
      "@inline(never)\n"
      "f = fn (x : f32 [n] , w; stride = [1, 1]) : t where n >= 1 {\n"
      "  y = conv2d( x , w, stride=[2, 2]) + -x;\n"
      "  y[0, 1:2 ]\n"
      "};");
  ASSERT_EQ(parsed.errors(), "");
  const ast::ExprFn& fn = parsed.node<ast::ExprFn>(parsed.value());
  EXPECT_EQ(parsed.text(fn.parameters[0].span), "x : f32 [n]");
  EXPECT_EQ(parsed.text(fn.parameters[0].name.span), "x");
  EXPECT_EQ(parsed.text(fn.parameters[1].span), "w");
  EXPECT_EQ(parsed.text(fn.statics[0].span), "stride = [1, 1]");
  EXPECT_EQ(parsed.text(fn.where[0].span), "n >= 1");
  EXPECT_EQ(parsed.text(fn.signature), "fn (x : f32 [n] , w; stride = [1, 1]) : t where n >= 1");
  EXPECT_EQ(parsed.text(parsed.module.types[fn.resultType.index].span), "t");
  const ast::ExprBlock& body = parsed.node<ast::ExprBlock>(fn.body);
  const ast::Binding& y = parsed.module.bindings[body.bindings[0]];
  EXPECT_EQ(parsed.text(y.span), "y = conv2d( x , w, stride=[2, 2]) + -x");
  const ast::ExprBinary& sum = parsed.node<ast::ExprBinary>(y.value);
  EXPECT_EQ(parsed.text(sum.opSpan), "+");
  EXPECT_EQ(parsed.text(parsed.module[sum.left].span), "conv2d( x , w, stride=[2, 2])");
  EXPECT_EQ(parsed.text(parsed.module[sum.right].span), "-x");
  EXPECT_EQ(parsed.text(parsed.node<ast::ExprCall>(sum.left).named[0].span), "stride=[2, 2]");
  EXPECT_EQ(parsed.text(parsed.module[body.result].span), "y[0, 1:2 ]");
  EXPECT_EQ(parsed.text(parsed.node<ast::ExprIndex>(body.result).items[1].span), "1:2");
  const ast::Binding& f = parsed.module.bindings[std::get<std::uint32_t>(parsed.module.items[0])];
  EXPECT_EQ(parsed.text(f.span).substr(0, 6), "f = fn");
  EXPECT_EQ(parsed.text(f.annotations[0].span), "@inline(never)");
}

TEST(Spans, CountBytes) {
  Parsed parsed("// \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\nx = \"\xc3\xa9\" + y;");
  ASSERT_EQ(parsed.errors(), "");
  const ast::ExprBinary& sum = parsed.node<ast::ExprBinary>(parsed.value());
  EXPECT_EQ(parsed.text(parsed.module[sum.left].span), "\"\xc3\xa9\"");
  EXPECT_EQ(parsed.text(parsed.module[sum.right].span), "y");
}

TEST(Recovery, BrokenStatementsStillBindTheirNames) {
  Parsed parsed(
      "a = 1 +;\nb, (c, _) = f(1 2);\nfn d(x y) { x };\nf = fn (x) {\n  y = x *;\n  z = y y; y\n};\nparam p : 3;\ne = "
      "5;");
  EXPECT_EQ(
      test::dump(parsed.module),
      "a = <error>\n(b, c) = <error>\nd = <error>\nf = (fn (x) {y = <error>; z = <error>; y})\np = <error>\ne = 5\n");
  EXPECT_EQ(parsed.diagnostics.size(), 6u) << parsed.errors();
}

}  // namespace
}  // namespace axle
