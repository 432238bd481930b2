// Tests the text and JSON forms of diagnostics with every kind of label, and "did you mean".
#include <gtest/gtest.h>

#include "frontend/diagnostic.h"
#include "frontend/modules.h"
#include "frontend/syntax_codes.h"
#include "frontend/utf8.h"

namespace axle {
namespace {

// Returns the span of the `count`-th occurrence of `part` in the text.
Span spanOf(const SourceMap& sources, SourceId id, std::string_view part, int count = 1) {
  std::size_t at = std::string_view::npos;
  for (int i = 0; i < count; ++i) at = sources.text(id).find(part, at + 1);
  EXPECT_NE(at, std::string_view::npos) << part;
  return {id, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + part.size())};
}

struct Program {
  SourceMap sources;
  SourceId id;
  explicit Program(std::string text) : id(sources.add("model.ax", std::move(text))) {}
  Label at(std::string_view part, std::string label, int count = 1) {
    return {spanOf(sources, id, part, count), std::move(label)};
  }
};

Diagnostic diagnostic(const DiagnosticCode& code, std::string message, Label primary, std::vector<Label> secondary = {},
                      std::vector<std::string> notes = {}, std::vector<std::string> help = {}) {
  Diagnostic d;
  d.code = &code;
  d.message = std::move(message);
  d.primary = std::move(primary);
  d.secondary = std::move(secondary);
  d.notes = std::move(notes);
  d.help = std::move(help);
  return d;
}

TEST(Render, EachLabelOfALineHasItsCarets) {
  Program p("f = fn (x, w) {\n  matmul(x, w)\n};\n");
  Diagnostic d = diagnostic(codes::syntax, "sizes differ", p.at("matmul(x, w)", "these do not fit"),
                            {p.at("x", "[n, 3]", 2), p.at("w", "[4, k]", 2)}, {"3 is not 4"}, {"transpose one"});
  EXPECT_EQ(render(d, p.sources),
            "error[E0101]: sizes differ\n"
            " --> model.ax:2:3\n"
            "  |\n"
            "2 |   matmul(x, w)\n"
            "  |   ^^^^^^^^^^^^ these do not fit\n"
            "  |          - [n, 3]\n"
            "  |             - [4, k]\n"
            "  |\n"
            "  = note: 3 is not 4\n"
            "  = help: transpose one\n");
}

TEST(Render, TextWrapsAtTheTerminalsWidth) {
  Program p("f = fn (x, w) { matmul(x, w) + matmul(w, x) };\n");
  Diagnostic d = diagnostic(codes::syntax, "a message of more words than one line of this terminal holds",
                            p.at("matmul(w, x)", "a label that finds no room behind its carets"), {},
                            {"a note whose words go on in the column in which they began",
                             "first line\n  columns that    mean something are left as they are"});
  RenderOptions terminal;
  terminal.width = 40;
  EXPECT_EQ(render(d, p.sources, terminal),
            "error[E0101]: a message of more words\n"
            "  than one line of this terminal holds\n"
            " --> model.ax:1:32\n"
            "  |\n"
            "1 | ...matmul(x, w) + matmul(w, x) };\n"
            "  |                   ^^^^^^^^^^^^\n"
            "  | a label that finds no room behind\n"
            "  | its carets\n"
            "  |\n"
            "  = note: a note whose words go on in\n"
            "          the column in which they began\n"
            "  = note: first line\n"
            "            columns that    mean something are left as they are\n");
  terminal.width = 120;
  EXPECT_EQ(render(d, p.sources, terminal), render(d, p.sources));
}

TEST(Render, WideCharactersCountTwiceWhenTextWraps) {
  Program p("x = 1;\n");
  RenderOptions terminal;
  terminal.width = 40;
  auto head = [&](const std::string& message) {
    Diagnostic d = diagnostic(codes::syntax, message, p.at("x", ""));
    std::string shown = render(d, p.sources, terminal);
    return shown.substr(0, shown.find(" -->"));
  };
  const std::string five = "\u5f62\u72b6\u5f62\u72b6\u5f62";  // 10 columns
  EXPECT_EQ(head(five + " " + five + " a"), "error[E0101]: " + five + " " + five + " a\n");
  EXPECT_EQ(head(five + " " + five + " aaaaa"), "error[E0101]: " + five + " " + five + "\n  aaaaa\n");
}

TEST(Render, LinesBetween) {
  Program p("a = 1;\nb = 2;\nc = 3;\nd = 4;\ne = 5;\nf = 6;\n");
  Diagnostic d =
      diagnostic(codes::duplicateName, "m", p.at("c", "here"), {p.at("a", "one above"), p.at("f", "far below")});
  EXPECT_EQ(render(d, p.sources),
            "error[E0202]: m\n"
            " --> model.ax:3:1\n"
            "  |\n"
            "1 | a = 1;\n"
            "  | - one above\n"
            "2 | b = 2;\n"
            "3 | c = 3;\n"
            "  | ^ here\n"
            "...\n"
            "6 | f = 6;\n"
            "  | - far below\n");
}

TEST(Render, OtherFilesAndArtifacts) {
  Program p("param dense.kernel : f32 [3, 4];\n");
  SourceId other = p.sources.add("lib/nn.ax", "\n\n\n\n\n\n\n\n\n\nx = y;\n");
  Diagnostic d = diagnostic(codes::syntax, "shapes differ", p.at("f32 [3, 4]", "declared"),
                            {{ArtifactPlace{"weights.safetensors", "dense/kernel"}, "f32 [4, 3] in the file"},
                             {spanOf(p.sources, other, "y"), "used here"}});
  EXPECT_EQ(render(d, p.sources),
            "error[E0101]: shapes differ\n"
            "  --> model.ax:1:22\n"
            "   |\n"
            "1  | param dense.kernel : f32 [3, 4];\n"
            "   |                      ^^^^^^^^^^ declared\n"
            "  ::: weights.safetensors: tensor \"dense/kernel\"\n"
            "   | f32 [4, 3] in the file\n"
            "  ::: lib/nn.ax:11:5\n"
            "   |\n"
            "11 | x = y;\n"
            "   |     - used here\n");
  Diagnostic artifact =
      diagnostic(codes::syntax, "no such tensor", {ArtifactPlace{"weights.safetensors", "dense/kernel"}, ""});
  EXPECT_EQ(render(artifact, p.sources),
            "error[E0101]: no such tensor\n --> weights.safetensors: tensor \"dense/kernel\"\n");
  artifact.primary.place = ArtifactPlace{"graph.pb", "conv1/Conv2D"};
  EXPECT_EQ(render(artifact, p.sources), "error[E0101]: no such tensor\n --> graph.pb: node \"conv1/Conv2D\"\n");
}

TEST(Render, SpanOverLines) {
  Program p("f = fn (x) {\n  x\n};\n");
  Diagnostic d = diagnostic(codes::syntax, "m", p.at("fn (x) {\n  x\n}", "this function"));
  EXPECT_EQ(render(d, p.sources),
            "error[E0101]: m\n"
            " --> model.ax:1:5\n"
            "  |\n"
            "1 | f = fn (x) {\n"
            "  |     ^^^^^^^^ this function\n"
            "2 |   x\n"
            "3 | };\n"
            "  | ^\n");
}

TEST(Render, WideCharactersAndTabs) {
  Program p("\tx = \"\xe6\xbc\xa2\xe5\xad\x97 e\xcc\x81 \xf0\x9f\x98\x80\" y;\n");
  Diagnostic d = diagnostic(codes::syntax, "m", p.at("y", ""));
  EXPECT_EQ(render(d, p.sources),
            "error[E0101]: m\n"
            " --> model.ax:1:16\n"
            "  |\n"
            "1 |     x = \"\xe6\xbc\xa2\xe5\xad\x97 e\xcc\x81 \xf0\x9f\x98\x80\" y;\n"
            "  |                     ^\n");
}

TEST(Render, PlacesAtTheEdges) {
  Program p("x");
  Diagnostic d = diagnostic(codes::syntax, "m", {Span{p.id, 1, 1}, "end"});
  EXPECT_EQ(render(d, p.sources), "error[E0101]: m\n --> model.ax:1:2\n  |\n1 | x\n  |  ^ end\n");
  Program empty("");
  d.primary.place = Span{empty.id, 0, 0};
  EXPECT_EQ(render(d, empty.sources), "error[E0101]: m\n --> model.ax:1:1\n");
  Program newline("x\ny\n");
  d.primary = newline.at("\n", "the break");
  EXPECT_EQ(render(d, newline.sources), "error[E0101]: m\n --> model.ax:1:2\n  |\n1 | x\n  |  ^ the break\n");
}

TEST(Render, LongLinesAreElided) {
  Program p(std::string(300, 'a') + " b " + std::string(300, 'c'));
  Diagnostic d = diagnostic(codes::syntax, "m", p.at("b", "here"), {p.at("ccc", "and here", 250)});
  std::string text = render(d, p.sources);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    EXPECT_LT(end - at, 130u);
    at = end + 1;
  }
  EXPECT_NE(text.find("^ here"), std::string::npos);
  EXPECT_NE(text.find("--- and here"), std::string::npos);
}

TEST(Render, Colour) {
  Program p("x = y;");
  Diagnostic d = diagnostic(codes::syntax, "m", p.at("y", "l"));
  std::string text = render(d, p.sources, {true});
  EXPECT_NE(text.find("\x1b[1;31merror[E0101]\x1b[0m"), std::string::npos);
  EXPECT_EQ(render(d, p.sources).find('\x1b'), std::string::npos);
}

TEST(Json, EveryField) {
  Program p("\xc3\xa9;\nx = \"\xc3\xa9\" y;");
  Diagnostic d = diagnostic(codes::syntax, "a \"quoted\" message", p.at("y", "l"), {{ArtifactPlace{"w.npz", "t"}, "k"}},
                            {"n"}, {"h1", "h2"});
  EXPECT_EQ(
      renderJson(d, p.sources),
      "{\"code\":\"E0101\",\"severity\":\"error\",\"message\":\"a \\\"quoted\\\" message\","
      "\"primary\":{\"file\":\"model.ax\",\"line\":2,\"column\":9,\"end_line\":2,\"end_column\":10,\"label\":\"l\"},"
      "\"secondary\":[{\"file\":\"w.npz\",\"node\":\"t\",\"label\":\"k\"}],\"notes\":[\"n\"],\"help\":[\"h1\",\"h2\"]"
      "}");
}

TEST(Json, InvalidUtf8IsReplaced) {
  Program p("x");
  Diagnostic d = diagnostic(codes::syntax, "bad \xff byte", p.at("x", ""));
  EXPECT_NE(renderJson(d, p.sources).find("bad \xef\xbf\xbd byte"), std::string::npos);
}

struct Suggestion {
  std::string_view wrong, expected;  // empty: none
};
const Suggestion suggestions[] = {
    {"mathmul", "matmul"},
    {"matmull", "matmul"},
    {"rleu", "relu"},
    {"Relu", "relu"},
    {"strides", "stride"},
    {"pool_max", "max_pool"},
    {"conv2d_transpose", "conv_transpose2d"},
    {"x", ""},
    {"y", "Y"},
    {"banana", ""},
    {"softmx", "softmax"},
    {"sotfmax", "softmax"},
    {"matmul", ""},
    {"conv2", "conv2d"},
    {"conv_2d", "conv2d"},
    {"ad", ""},
};

TEST(Suggest, ClosestNames) {
  const std::vector<std::string_view> known = {"matmul",  "relu",   "stride", "max_pool",         "Y",
                                               "softmax", "conv2d", "add",    "conv_transpose1d", "conv_transpose2d"};
  for (const Suggestion& row : suggestions) {
    std::vector<std::string> found = closestNames(row.wrong, known);
    EXPECT_EQ(found.empty() ? "" : found[0], row.expected) << row.wrong;
  }
  const std::vector<std::string_view> near = {"abcx", "abcd", "abce", "zzzz"};
  EXPECT_EQ(closestNames("abcf", near, 2), (std::vector<std::string>{"abcd", "abce"}));
}

TEST(Text, Utf8) {
  EXPECT_EQ(validUtf8("a\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80"), 10u);
  for (const char* bad :
       {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\xf0\x9f\x98"})
    EXPECT_EQ(validUtf8(std::string("ab") + bad), 2u);
  EXPECT_EQ(displayWidth('a'), 1);
  EXPECT_EQ(displayWidth(0x301), 0);
  EXPECT_EQ(displayWidth(0x6f22), 2);
  EXPECT_EQ(displayWidth(0x1f600), 2);
}

TEST(Source, Positions) {
  SourceMap sources;
  SourceId id = sources.add("a", "x\r\n\xc3\xa9y\rz\n");
  auto place = [&](std::uint32_t offset) {
    Position p = sources.position(id, offset);
    return std::pair(p.line, p.column);
  };
  EXPECT_EQ(place(0), std::pair(1u, 1u));
  EXPECT_EQ(place(3), std::pair(2u, 1u));
  EXPECT_EQ(place(5), std::pair(2u, 2u));
  EXPECT_EQ(place(7), std::pair(3u, 1u));
  EXPECT_EQ(place(9), std::pair(4u, 1u));
  EXPECT_EQ(place(1000), std::pair(4u, 1u));
  EXPECT_EQ(sources.line(id, 2), "\xc3\xa9y");
  EXPECT_EQ(sources.line(id, 4), "");
  EXPECT_EQ(sources.line(id, 5), "");
  EXPECT_EQ(sources.text(Span{id, 3, 5}), "\xc3\xa9");
}

}  // namespace
}  // namespace axle
