// Compares the whole output of the compiler for programs with errors with golden files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "frontend/diagnostic.h"
#include "frontend/modules.h"
#include "tests/frontend/golden.h"

namespace axle {
namespace {

namespace fs = std::filesystem;

const std::string folder = "tests/frontend/golden/";

std::string diagnose(const std::string& path) {
  SourceMap sources;
  Diagnostics diagnostics;
  loadModules(sources, path, {{"modules"}, {}}, diagnostics);
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) out += (out.empty() ? "" : "\n") + render(diagnostic, sources);
  return out;
}

// Generated programs that are too large or too odd for files.
struct Generated {
  std::string name;
  std::function<std::string()> text;
};
const Generated generated[] = {
    {"too_large", [] { return std::string((std::size_t{16} << 20) + 1, ' '); }},
    {"not_utf8", [] { return std::string("x = 1;\ny = \"caf\xe9\";\n"); }},
    {"nul_byte", [] { return std::string("x = 1;\ny\0= 2;\n", 14); }},
    {"byte_order_mark", [] { return std::string("\xef\xbb\xbfx = 1 2;\n"); }},
    {"carriage_returns", [] { return std::string("x = 1;\r\ny = 1 2;\r\n"); }},
    {"old_carriage_returns", [] { return std::string("x = 1;\ry = 1 2;\r"); }},
    {"nested_brackets",
     [] { return "x = " + test::repeated("(", 50000) + "1" + test::repeated(")", 50000) + ";\ny = 1;\n"; }},
    {"nested_conditions", [] { return "x = " + test::repeated("if ", 50000) + "a;\n"; }},
    {"long_sum", [] { return "x = 1" + test::repeated(" + 1", 5000) + ";\ny = 2 3;\n"; }},
    {"long_else_if", [] { return "f = fn (x) { " + test::repeated("if x { 1 } else ", 5000) + "{ 2 } };\n"; }},
    {"long_negation", [] { return "x = " + test::repeated("- ", 5000) + "a;\n"; }},
    {"long_not", [] { return "x = " + test::repeated("not ", 5000) + "a;\n"; }},
    {"long_arrow", [] { return "f = fn (x : " + test::repeated("(t) -> ", 5000) + "t) { x };\n"; }},
    {"long_dimension", [] { return "f = fn (x : t [n" + test::repeated("*n", 5000) + "]) { x };\n"; }},
    {"long_call", [] { return "x = f" + test::repeated("(1)", 5000) + ";\n"; }},
    {"long_line",
     [] { return "x = f(" + test::repeated("argument, ", 30) + "1 2" + test::repeated(", argument", 30) + ");\n"; }},
};

TEST(Golden, Files) {
  test::InFolder here(folder);
  for (const std::string& path : test::filesIn(".", ".ax")) {
    std::string name = fs::path(path).stem().string();
    test::expectGolden(name + ".expected", diagnose(name + ".ax"));
  }
}

TEST(Golden, Generated) {
  for (const Generated& program : generated) {
    fs::path scratch = fs::temp_directory_path() / ("axle_golden_" + std::to_string(getpid()));
    fs::create_directories(scratch);
    std::string found;
    {
      test::writeFile((scratch / (program.name + ".ax")).string(), program.text());
      test::InFolder there(scratch);
      found = diagnose(program.name + ".ax");
    }
    fs::remove_all(scratch);
    EXPECT_FALSE(found.empty()) << program.name;
    test::expectGolden(folder + "generated/" + program.name + ".expected", found);
  }
}

TEST(Golden, MissingFile) {
  test::InFolder here(folder);
  test::expectGolden("generated/missing_file.expected", diagnose("no_such_file.ax"));
  test::expectGolden("generated/folder.expected", diagnose("modules"));
}

TEST(Codes, AreRegisteredOnce) {
  std::string_view before;
  for (const DiagnosticCode* code : diagnosticCodes()) {
    EXPECT_LT(before, code->code);
    EXPECT_FALSE(code->title.empty());
    before = code->code;
  }
  EXPECT_FALSE(before.empty());
}

}  // namespace
}  // namespace axle
