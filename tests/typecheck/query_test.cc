// Tests queries of a checked program: checking additional text, types for given sizes, unifying types, tracing sizes.
#include "typecheck/report/query.h"

#include <gtest/gtest.h>

#include "frontend/parser.h"
#include "typecheck/infer/name_codes.h"
#include "typecheck/report/conflict_messages.h"
#include "typecheck/report/derivation.h"

namespace axle {
namespace {

constexpr const char* path = "asked.ax";

class Asked {
 public:
  explicit Asked(const std::string& source) {
    LoadOptions load;
    load.texts[fileIdentity(path)] = source;
    modules = loadModules(sources, path, load, diagnostics);
    options.keepProofs = true;
    checked = check(modules, sources, options, diagnostics);
    EXPECT_FALSE(hasErrors(diagnostics)) << told();
  }

  // Checks additional text of the program.
  void more(const std::string& source) {
    modules.modules.push_back(parseModule(sources, sources.add("more.ax", source), "more", diagnostics));
    modules.imports.push_back(modules.imports.back());
    checkMore(*checked, options, diagnostics);
  }

  std::string type(const std::string& name) { return printBinding(*checked, *rootBinding(*checked, name)); }

  std::optional<Answer> with(const std::string& function, const std::string& name, const std::string& shape) {
    ast::Module module;
    module.source = sources.add("given", shape);
    Span whole{module.source, 0, static_cast<std::uint32_t>(shape.size())};
    GivenSize given{name, whole, std::nullopt, 0};
    if (shape.starts_with('['))
      given.shape = parseShape(sources, {whole}, module, diagnostics);
    else
      given.size = std::stoll(shape);
    return resultWith(*checked, *rootBinding(*checked, function), module, {given}, diagnostics);
  }

  std::optional<Unified> unified(const std::string& a, const std::string& b) {
    ast::Module module;
    module.source = sources.add("types", a + b);
    auto middle = static_cast<std::uint32_t>(a.size()), end = static_cast<std::uint32_t>(a.size() + b.size());
    auto left = parseType(sources, {Span{module.source, 0, middle}}, module, diagnostics);
    auto right = parseType(sources, {Span{module.source, middle, end}}, module, diagnostics);
    return left && right ? unify(*checked, module, *left, *right, diagnostics) : std::nullopt;
  }

  std::string told() const {
    std::string text;
    for (const Diagnostic& d : diagnostics) text += render(d, sources);
    return text;
  }

  SourceMap sources;
  Diagnostics diagnostics;
  Modules modules;
  CheckOptions options;
  CheckedPtr checked;
};

TEST(Query, AdditionalTextIsCheckedInTheProgramsScope) {
  Asked asked("f = fn (x : f32 [n, m]) { transpose(x) }; a = full([2, 3], 1f32);");
  asked.more("b = f(a); c = matmul(a, b);");
  EXPECT_FALSE(hasErrors(asked.diagnostics)) << asked.told();
  EXPECT_EQ(asked.type("b"), "f32 [3, 2]");
  EXPECT_EQ(asked.type("c"), "f32 [2, 2]");
  EXPECT_EQ(bindingTypes(*asked.checked, printBinding).size(), 4u);
  asked.more("d = matmul(a, a);");
  ASSERT_TRUE(hasErrors(asked.diagnostics));
  EXPECT_EQ(asked.diagnostics.front().code, &codes::dimMismatch);
  EXPECT_FALSE(rootBinding(*asked.checked, "d"));
}

TEST(Query, ItemsOfSeveralModulesAreOneProgramInTheirOrder) {
  Asked asked("f = fn (x) { x }; g = fn (x) { f(x) };");
  asked.modules.modules.push_back(parseModule(
      asked.sources, asked.sources.add("later.ax", "f = fn (x : f32 [n]) { x };"), "later", asked.diagnostics));
  asked.modules.imports.emplace_back();
  asked.modules.program = {{1, 0}, {0, 1}};  // the later f, then g
  CheckedPtr both = check(asked.modules, asked.sources, asked.options, asked.diagnostics);
  EXPECT_FALSE(hasErrors(asked.diagnostics)) << asked.told();
  EXPECT_EQ(printBinding(*both, *rootBinding(*both, "g")), "(f32 [n]) -> f32 [n]");
}

TEST(Query, ResultsForGivenShapesAndSizes) {
  Asked asked("f = fn (x : f32 [n, m], w : f32 s) { matmul(x, transpose(x)), w }; g = f;");
  auto byParameter = asked.with("f", "x", "[3, 4]");
  ASSERT_TRUE(byParameter) << asked.told();
  EXPECT_EQ(byParameter->types, std::vector<std::string>{"(f32 [3, 3], f32 s)"});
  EXPECT_FALSE(byParameter->isClosed);
  EXPECT_EQ(asked.with("g", "x", "[3, k]")->types, std::vector<std::string>{"(f32 [3, 3], f32 s)"});
  EXPECT_EQ(asked.with("f", "n", "7")->types, std::vector<std::string>{"(f32 [7, 7], f32 s)"});
  EXPECT_EQ(asked.with("f", "s", "[5, 6]")->types, std::vector<std::string>{"(f32 [n, n], f32 [5, 6])"});
  EXPECT_EQ(asked.type("f"), "(f32 [n, m], f32 s) -> (f32 [n, n], f32 s)");  // unchanged
  EXPECT_FALSE(asked.with("f", "x", "[3]"));
  EXPECT_EQ(asked.diagnostics.back().code, &codes::rankMismatch) << asked.told();
  EXPECT_FALSE(asked.with("f", "y", "[3, 4]"));
  EXPECT_EQ(asked.diagnostics.back().code, &codes::unknownName);
  EXPECT_FALSE(asked.with("f", "k", "3"));
  EXPECT_EQ(asked.diagnostics.back().code, &codes::unknownName);
}

TEST(Query, TypesAreUnified) {
  Asked asked("x = 1;");
  auto same = asked.unified("f32 [n, 3]", " t [4, k]");
  ASSERT_TRUE(same) << asked.told();
  EXPECT_EQ(same->type, "f32 [4, 3]");
  EXPECT_EQ(same->names, (std::vector<std::string>{"k = 3", "n = 4", "t = f32"}));
  EXPECT_FALSE(asked.unified("f32 [n, n]", " f32 [3, 4]"));
  EXPECT_EQ(asked.diagnostics.back().code, &codes::dimMismatch) << asked.told();
  EXPECT_FALSE(asked.unified("f32 [n]", " i32 [n]"));
}

TEST(Query, SizesAreTracedToTheirOrigins) {
  Asked asked("x = full([3, 4], 1f32);\ny = matmul(x, full([4, 5], 1f32));");
  auto found = derivation(*asked.checked, "y", *rootBinding(*asked.checked, "y"), 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->what, "5");
  auto reaches = [&](const Derivation& d, const std::string& text) {
    return std::any_of(d.steps.begin(), d.steps.end(),
                       [&](const DerivationStep& s) { return s.place && asked.sources.text(*s.place) == text; });
  };
  EXPECT_TRUE(reaches(*found, "full([4, 5], 1f32)"));
  EXPECT_FALSE(reaches(*found, "full([3, 4], 1f32)"));
  EXPECT_TRUE(reaches(*derivation(*asked.checked, "y", *rootBinding(*asked.checked, "y"), -2), "full([3, 4], 1f32)"));
  EXPECT_FALSE(derivation(*asked.checked, "y", *rootBinding(*asked.checked, "y"), 2));
}

TEST(Query, StreamsOfAFunction) {
  Asked asked("f = fn (x : f32 [~T, 4], w : f32 [4]) { x[2:], w };");
  Streams streams = streamsOf(*asked.checked, *rootBinding(*asked.checked, "f"));
  EXPECT_EQ(streams.inputs, std::vector<std::string>{"x : f32 [~T, 4]"});
  EXPECT_EQ(streams.outputs, std::vector<std::string>{"f32 [~(T - 2), 4]"});
}

}  // namespace
}  // namespace axle
