// Checks that symbols are computed from the sizes of inputs, and dimensions become a pool of expressions.
#include "backend/symbols.h"

#include <gtest/gtest.h>

#include "backend/dims.h"

namespace axle {
namespace {

class Symbols : public ::testing::Test {
 protected:
  DimVar symbol(const char* name) {
    symbols.push_back(dims.newVariable(name));
    return symbols.back();
  }
  Dim of(DimVar v) { return dims.variable(v); }
  Dim num(std::int64_t value) { return dims.constant(value); }

  // Returns `n = (input.axis - offset) / coefficient; ...`, then the symbols that stay open.
  std::string recipes(const std::vector<std::vector<Dim>>& inputs) {
    Recipes found = bindSymbols(dims, symbols, inputs);
    std::string text;
    for (const SymbolRecipe& r : found.bound)
      text += dims.name(r.symbol) + " = (" + std::to_string(r.input) + "." + std::to_string(r.axis) + " - (" +
              dims.print(r.offset) + ")) / (" + dims.print(r.coefficient) + "); ";
    for (DimVar v : found.unbound) text += dims.name(v) + "?";
    return text;
  }

  DimStore dims;
  std::vector<DimVar> symbols;
};

TEST_F(Symbols, ASizeThatIsTheSymbolIsPreferred) {
  Dim n = of(symbol("n"));
  EXPECT_EQ(recipes({{dims.mul(num(2), n)}, {num(3), n}}), "n = (1.1 - (0)) / (1); ");
}

TEST_F(Symbols, LinearSizesAreSolved) {
  Dim n = of(symbol("n"));
  EXPECT_EQ(recipes({{dims.add(dims.mul(num(2), n), num(1))}}), "n = (0.0 - (1)) / (2); ");
}

TEST_F(Symbols, CoefficientsAndOffsetsMentionEarlierSymbols) {
  Dim h = of(symbol("h")), w = of(symbol("w"));
  EXPECT_EQ(recipes({{dims.add(dims.mul(h, w), h)}, {h}}), "h = (1.0 - (0)) / (1); w = (0.0 - (h)) / (h); ");
}

TEST_F(Symbols, CoefficientsThatMayBe0AreTheLastToBeUsed) {
  Dim n = of(symbol("n")), m = of(symbol("m"));
  EXPECT_EQ(recipes({{n}, {dims.mul(n, m), dims.mul(num(2), m)}}), "n = (0.0 - (0)) / (1); m = (1.1 - (0)) / (2); ");
}

TEST_F(Symbols, QuotientsOfBoundSymbolsAreOffsets) {
  Dim d = of(symbol("d")), k = of(symbol("k"));
  EXPECT_EQ(recipes({{d, dims.add(dims.div(d, num(2)), k)}}), "d = (0.0 - (0)) / (1); k = (0.1 - (d / 2)) / (1); ");
}

TEST_F(Symbols, ProductsSquaresAndQuotientsStayOpen) {
  Dim h = of(symbol("h")), w = of(symbol("w")), q = of(symbol("q")), r = of(symbol("r"));
  EXPECT_EQ(recipes({{dims.mul(h, w)}, {dims.mul(q, q)}, {dims.div(r, num(2))}}), "h?w?q?r?");
  Diagnostic d = unboundSymbol(dims, symbols[0], {});
  EXPECT_EQ(d.code->code, "E0521");
  EXPECT_EQ(d.message, "the size `h` cannot be computed from the sizes of the inputs");
  EXPECT_EQ(d.help, std::vector<std::string>{"give its value: --set h=4"});
}

TEST_F(Symbols, ThePoolEvaluatesLikeTheStore) {
  DimVar n = symbol("n"), m = symbol("m");
  Dim x = dims.sub(dims.mul(num(3), dims.mul(of(n), of(n))), dims.ceildiv(of(m), num(4)));
  Dim y = dims.max(dims.sub(of(m), num(7)), dims.mod(of(n), num(3)));
  Dim z = dims.sub(num(5), of(n));
  DimPool pool(dims, symbols);
  std::vector<std::uint32_t> ids{pool.index(x), pool.index(y), pool.index(z)};
  std::vector<DimValue> values(pool.nodes().size());
  for (std::int64_t a : {0, 1, 5, 17})
    for (std::int64_t b : {0, 3, 4, 30}) {
      std::vector<DimValue> bound{{a, DimState::known}, {b, DimState::known}};
      evaluateDims(pool.nodes(), bound, values);
      EXPECT_EQ(values[ids[0]].value, 3 * a * a - (b + 3) / 4);
      EXPECT_EQ(values[ids[1]].value, std::max(b - 7, a % 3));
      EXPECT_EQ(values[ids[2]].value, 5 - a);
    }
}

TEST_F(Symbols, EqualDimensionsAreOneNode) {
  Dim n = of(symbol("n"));
  DimPool pool(dims, symbols);
  EXPECT_EQ(pool.index(dims.add(n, num(1))), pool.index(dims.add(num(1), n)));
  EXPECT_EQ(pool.nodes().size(), 3u);
}

}  // namespace
}  // namespace axle
