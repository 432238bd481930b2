// Every row of the operator table infers facts and cost, and every core operator is lowered.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "frontend/modules.h"
#include "ir/lower/lower.h"
#include "ir/ops/rules.h"
#include "tests/ir/read_facts.h"

namespace axle::ir {
namespace {

TEST(Operators, RowsAreComplete) {
  std::set<Op> ops;
  std::set<std::string_view> names;
  for (const OpRow& r : opTable()) {
    EXPECT_TRUE(ops.insert(r.op).second) << r.name;
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_EQ(&row(r.op), &r) << r.name;
    EXPECT_NE(r.rules->facts, nullptr) << r.name;
    EXPECT_NE(r.rules->cost, nullptr) << r.name;
    EXPECT_NE(r.rules->axes, nullptr) << r.name;
    EXPECT_EQ(std::string_view(r.ints.names).empty(), r.ints.fixed == 0 && r.ints.perAxis == 0) << r.name;
    EXPECT_EQ(r.bodies > 0, r.op >= Op::reduce && r.op <= Op::branch) << r.name;
    EXPECT_TRUE(r.bodies == 0 || r.folding == Folding::never) << r.name;
  }
}

TEST(Operators, EveryCoreOperatorIsLowered) {
  std::map<std::string_view, int> lowered, declared;
  for (std::string_view name : loweredOperators()) ++lowered[name];
  for (const CoreOp& op : coreOps()) ++declared[op.name];
  EXPECT_EQ(lowered, declared);
}

// The facts and flops of one operator without bodies.
struct Example {
  Op op;
  std::vector<std::string> inputs;
  std::vector<std::int64_t> ints;
  std::string declared;  // by the node; used if the inputs do not determine it
  std::string expected;  // the inferred fact, or the error
  std::string flops;
};

// clang-format off
const Example examples[] = {
    {Op::dims, {}, {2, 3}, "i64 [2]", "i64 [2]", "0"},
    {Op::cast, {"f32 [n]"}, {}, "i8 [n]", "i8 [n]", "0"},
    {Op::select, {"bool [n, 1]", "f32 [4]", "f32 []"}, {}, "f32 [n, 4]", "f32 [n, 4]", "4*n"},
    {Op::select, {"f32 [n]", "f32 [n]", "f32 [n]"}, {}, "f32 [n]", "the condition is not bool", ""},
    {Op::matmul, {"f32 [b, n, 3]", "f32 [b, 3, 5]"}, {}, "f32 [b, n, 5]", "f32 [b, n, 5]", "30*b*n"},
    {Op::matmul, {"f32 [2, 3]", "f64 [3, 5]"}, {}, "f32 [2, 5]", "operands differ in their element type", ""},
    {Op::matmul, {"f32 [3]", "f32 [3]"}, {}, "f32 []", "operands are no matrices of one rank", ""},
    {Op::conv, {"f32 [n, 8, 8, 3]", "f32 [3, 3, 3, 4]"}, {2, 2, 0, 1, 0, 1, 1, 1, 1, 1, 1}, "f32 [n, 4, 4, 4]", "f32 [n, 4, 4, 4]", "3456*n"},
    {Op::conv, {"f32 [n, 8, 8, 3]", "f32 [3, 3, 2, 4]"}, {1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1}, "f32 [n, 6, 6, 4]", "image and filter differ in their channels", ""},
    {Op::conv, {"f32 [1, 5, 5, 3]", "f32 [3, 3, 1, 6]"}, {1, 1, 0, 0, 0, 0, 2, 2, 1, 1, 3}, "f32 [1, 1, 1, 6]", "f32 [1, 1, 1, 6]", "108"},
    {Op::conv, {"f32 [n, 8, 3]", "f32 [4, 3, 5]"}, {1, 3, 2, 1, 2, 1}, "f32 [n, 17, 5]", "f32 [n, 17, 5]", "2040*n"},
    {Op::conv, {"f32 [n, 3]", "f32 [3, 5]"}, {1}, "f32 [n, 5]", "image and filter are not of one rank, >= 3", ""},
    {Op::convNchw, {"f32 [n, 3, h, 8]", "f32 [4, 3, 2, 2]"}, {}, "f32 [n, 4, h - 1, 7]", "f32 [n, 4, h - 1, 7]", "672*n*h - 672*n"},
    {Op::maxPool, {"f32 [n, 8, 8, 3]"}, {2, 2, 2, 2, 0, 0, 0, 0}, "f32 [n, 4, 4, 3]", "f32 [n, 4, 4, 3]", "192*n"},
    {Op::avgPool, {"f32 [n, 7, 8, 3]"}, {2, 2, 2, 2, 0, 1, 0, 0}, "f32 [n, 4, 4, 3]", "f32 [n, 4, 4, 3]", "192*n"},
    {Op::transpose, {"f32 [n, 3, 5]"}, {2, 0, 1}, "f32 [5, n, 3]", "f32 [5, n, 3]", "0"},
    {Op::transpose, {"f32 [n, 3]"}, {1, 1}, "f32 [3, n]", "the axes are no permutation", ""},
    {Op::reshape, {"f32 [n, 6]"}, {}, "f32 [2*n, 3]", "f32 [2*n, 3]", "0"},
    {Op::reshape, {"f32 [6]"}, {}, "f32 [4]", "the number of elements changes", ""},
    {Op::concat, {"f32 [n, 3]", "f32 [n, 4]"}, {1}, "f32 [n, 7]", "f32 [n, 7]", "0"},
    {Op::concat, {"f32 [2, 3]", "f32 [4, 3]"}, {1}, "f32 [2, 6]", "the parts differ outside of the axis", ""},
    {Op::slice, {"f32 [n, 8]"}, {1, 2, 3}, "f32 [n, 2]", "f32 [n, 2]", "0"},
    {Op::reverse, {"f32 [n, 8]"}, {1}, "f32 [n, 8]", "f32 [n, 8]", "0"},
    {Op::reverse, {"f32 [n, 8]"}, {2}, "f32 [n, 8]", "the axis is out of range", ""},
    {Op::pad, {"f32 [n, 8]"}, {1, 2, 0, 1}, "f32 [n + 3, 9]", "f32 [n + 3, 9]", "0"},
    {Op::pad, {"f32 [n, 8]", "f32 []"}, {1, 2, 0, 1}, "f32 [n + 3, 9]", "f32 [n + 3, 9]", "0"},
    {Op::pad, {"f32 [n, 8]", "i8 []"}, {1, 2, 0, 1}, "f32 [n + 3, 9]", "the value is not a scalar of the tensor's element type", ""},
    {Op::upsample, {"f32 [n, 2, w, 3]"}, {2, 3}, "f32 [n, 4, 3*w, 3]", "f32 [n, 4, 3*w, 3]", "0"},
    {Op::gather, {"f32 [5, n, 3]", "i32 [2, 2]"}, {1}, "f32 [5, 2, 2, 3]", "f32 [5, 2, 2, 3]", "0"},
    {Op::gather, {"f32 [5]", "f32 [2]"}, {0}, "f32 [2]", "the indices are no integers", ""},
    {Op::broadcast, {"f32 [1, 3]"}, {}, "f32 [n, 2, 3]", "f32 [n, 2, 3]", "0"},
    {Op::broadcast, {"f32 [4]"}, {}, "f32 [3]", "sizes do not broadcast", ""},
    {Op::copy, {"f32 [n]"}, {}, "f32 [n]", "f32 [n]", "0"},
    {Op::nonzero, {"bool [n, 3]"}, {}, "i64 [k, 2]", "i64 [k, 2]", "3*n"},
    {Op::segment, {"f32 [n, 3]", "i64 [2]"}, {}, "f32 [k, 3]", "f32 [k, 3]", "0"},
    {Op::segment, {"f32 [n, 3]", "i32 [2]"}, {}, "f32 [k, 3]", "the ends are no i64", ""},
    {Op::size, {"i64 []"}, {}, "i64 []", "i64 []", "0"},
    {Op::size, {"i64 [2]"}, {}, "i64 []", "a size is an i64 scalar", ""},
    {Op::guard, {"f32 [k, 3]"}, {}, "f32 [4, 3]", "f32 [4, 3]", "0"},
    {Op::guard, {"f32 [k, 3]"}, {}, "f32 [k]", "the rank changes", ""},
    {Op::require, {"i64 [n]", "i64 [n]", "f32 [k]"}, {0}, "f32 [m]", "f32 [m]", "0"},
    {Op::require, {"i64 [n]", "i64 [n + 1]", "f32 [k]"}, {0}, "f32 [m]", "what is compared has two shapes", ""},
    {Op::resize, {"f32 [n, 4, w, 3]"}, {1, 0}, "f32 [n, 8, 2, 3]", "f32 [n, 8, 2, 3]", "384*n"},
    {Op::resize, {"f32 [n, 4, 3]"}, {1, 0}, "f32 [n, 8, 3]", "the image is not of rank 4", ""},
    {Op::frame, {"f32 [2, n, 3]"}, {1, 2}, "f32 [2, 5, 4, 3]", "f32 [2, 5, 4, 3]", "0"},
    {Op::frame, {"f32 [2]"}, {1, 2}, "f32 [2, 5]", "the axis is out of range", ""},
    {Op::overlapAdd, {"f32 [2, n, 4]"}, {1, 2}, "f32 [2, 2*n + 2]", "f32 [2, 2*n + 2]", "8*n"},
    {Op::fourier, {"f32 [n, 8]"}, {2}, "f32 [n, 5, 2]", "f32 [n, 5, 2]", "120*n"},
    {Op::fourier, {"f32 [n, 5, 2]"}, {3}, "f32 [n, 8]", "f32 [n, 8]", "120*n"},
    {Op::fourier, {"i32 [8]"}, {4}, "i32 [8]", "the signal is not of floats", ""},
    {Op::reduceSum, {"f32 [n, 3]", "f32 []"}, {1}, "f32 [n]", "f32 [n]", "3*n"},
    {Op::reduceProd, {"f32 [n, 3]", "f32 [n]"}, {1}, "f32 [n]", "f32 [n]", "3*n"},
    {Op::reduceMax, {"f32 [n, 3]", "f32 [2]"}, {0}, "f32 [3]", "the start value has neither the result's shape nor []", ""},
    {Op::reduceMin, {"i8 [n, 3]", "i8 []"}, {0}, "i8 [3]", "i8 [3]", "3*n"},
    {Op::bitcast, {"f32 [n]"}, {}, "i32 [n]", "i32 [n]", "0"},
    {Op::cumSum, {"f32 [n, 3]"}, {1, 0, 0}, "f32 [n, 3]", "f32 [n, 3]", "3*n"},
    {Op::cumProd, {"f32 [n, 3]"}, {2, 0, 0}, "f32 [n, 3]", "the axis is out of range", ""},
    {Op::cumMax, {"i8 [n]"}, {0, 1, 0}, "i8 [n]", "i8 [n]", "n"},
    {Op::cumMin, {"i8 [n]"}, {0, 0, 1}, "i8 [n]", "i8 [n]", "n"},
    {Op::argsort, {"f32 [n, 3]"}, {1, 0}, "i64 [n, 3]", "i64 [n, 3]", "3*n"},
    {Op::topPlaces, {"f32 [n, 3]"}, {1, 1, 0}, "i64 [n, 2]", "i64 [n, 2]", "3*n"},
    {Op::topPlaces, {"f32 [n, 3]"}, {2, 1, 0}, "i64 [n, 2]", "the axis is out of range", ""},
    {Op::argMax, {"f32 [n, 3]"}, {1}, "i64 [n]", "i64 [n]", "3*n"},
    {Op::argMin, {"f32 [n, 3]"}, {0}, "i64 [3]", "i64 [3]", "3*n"},
    {Op::searchSorted, {"f32 [n]", "f32 [2, 3]"}, {0}, "i64 [2, 3]", "i64 [2, 3]", "6"},
    {Op::searchSorted, {"f32 [n, 1]", "f32 [2]"}, {0}, "i64 [2]", "the tensor to search is not a vector", ""},
    {Op::gatherElements, {"f32 [5, n]", "i32 [2, n]"}, {0}, "f32 [2, n]", "f32 [2, n]", "0"},
    {Op::gatherElements, {"f32 [5, 3]", "i32 [2, 4]"}, {0}, "f32 [2, 4]", "the shapes differ outside of the axis", ""},
    {Op::gatherNd, {"f32 [5, 4, n]", "i32 [7, 2]"}, {}, "f32 [7, n]", "f32 [7, n]", "0"},
    {Op::gatherNd, {"f32 [5]", "i32 [7, 2]"}, {}, "f32 [7]", "the length of an index differs from the number of axes", ""},
    {Op::scatterElements, {"f32 [5, n]", "i32 [2, n]", "f32 [2, n]"}, {0, 1}, "f32 [5, n]", "f32 [5, n]", "0"},
    {Op::scatterNd, {"f32 [5, n]", "i32 [7, 1]", "f32 [7, n]"}, {1}, "f32 [5, n]", "f32 [5, n]", "0"},
    {Op::scatterNd, {"f32 [5, 3]", "i32 [7, 1]", "f32 [7, 4]"}, {1}, "f32 [5, 3]", "the updates have another shape", ""},
    {Op::iota, {}, {1}, "i64 [2, n]", "i64 [2, n]", "0"},
    {Op::randomBits, {"u64 []"}, {0}, "u64 [2, n]", "u64 [2, n]", "2*n"},
};
// clang-format on

// Whether operands and result have the same element type. Comparisons count as if they did, although their result is
// bool.
bool isElementwise(const OpRow& r) {
  return r.rules == &unaryRules || r.rules == &binaryRules || r.rules == &comparisonRules;
}

TEST(Operators, FactsFollowFromInputs) {
  std::set<Op> seen;
  for (const Example& e : examples) {
    seen.insert(e.op);
    test::Builder b;
    test::FactReader read(b);
    std::vector<OutletId> inputs;
    for (const std::string& text : e.inputs) inputs.push_back(b.input(read.fact(text)));
    OutletId out = b.add(e.op, inputs, read.fact(e.declared), e.ints);
    const Graph& g = b.model.main();
    Inferred inferred = infer(b.model, g, g.producer(out));
    ASSERT_TRUE(!inferred || inferred->size() == 1) << row(e.op).name;
    EXPECT_EQ(inferred ? typeText(b.dims, (*inferred)[0]) : inferred.error(), e.expected) << row(e.op).name;
    if (e.flops.empty()) continue;
    EXPECT_EQ(b.dims.print(cost(b.model, g, g.producer(out)).flops), e.flops) << row(e.op).name;
  }
  for (const OpRow& r : opTable()) {  // pointwise operators and those with bodies have separate tests
    bool elsewhere = r.op == Op::none || r.op == Op::input || r.op == Op::constant || isElementwise(r) || r.bodies > 0;
    EXPECT_EQ(seen.count(r.op), elsewhere ? 0u : 1u) << r.name;
  }
}

TEST(Operators, PointwiseOperatorsBroadcastFromTheTrailingEnd) {
  for (const OpRow& r : opTable()) {
    if (!isElementwise(r)) continue;
    test::Builder b;
    test::FactReader read(b);
    bool isLogical = r.op == Op::logicalAnd || r.op == Op::logicalOr || r.op == Op::logicalNot;
    bool givesBool = isLogical || (r.op >= Op::less && r.op <= Op::notEqual);
    std::string elem = isLogical ? "bool" : "f32", result = givesBool ? "bool" : "f32";
    std::vector<OutletId> inputs{b.input(read.fact(elem + " [n, 3]"))};
    if (r.inputs.least == 2) inputs.push_back(b.input(read.fact(elem + " [4, 1, 1]")));
    std::string expected = result + (inputs.size() == 2 ? " [4, n, 3]" : " [n, 3]");
    OutletId out = b.add(r.op, inputs, read.fact(expected));
    Inferred inferred = infer(b.model, b.model.main(), b.model.main().producer(out));
    ASSERT_TRUE(inferred) << r.name << inferred.error();
    EXPECT_EQ(typeText(b.dims, (*inferred)[0]), expected) << r.name;
  }
}

TEST(Operators, CountsAreChecked) {
  test::Builder b;
  Fact f = b.fact(Elem::f32, {4});
  OutletId x = b.input(f);
  auto wrong = [&](Op op, std::vector<OutletId> inputs, std::vector<std::int64_t> ints) {
    OutletId out = b.add(op, std::move(inputs), f, std::move(ints));
    Inferred inferred = infer(b.model, b.model.main(), b.model.main().producer(out));
    return inferred ? "" : inferred.error();
  };
  EXPECT_EQ(wrong(Op::add, {x}, {}), "ADD has 1 inputs");
  EXPECT_EQ(wrong(Op::transpose, {x}, {0, 1}), "TRANSPOSE has attributes for another number of axes than 1");
  EXPECT_EQ(wrong(Op::map, {x}, {1}), "MAP has 0 bodies");
}

}  // namespace
}  // namespace axle::ir
