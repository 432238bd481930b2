// Checks how the axes of every operator are linked, and that results depend on inputs only where links say so.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "backend/evaluate.h"
#include "ir/ops/table.h"
#include "tests/ir/read_facts.h"

namespace axle::ir {
namespace {

// `0<1.2`: axis 0 of the output follows axis 2 of input 1. `0<1.2(size stride dilation before after spread)`: with a
// window.
struct AxesExample {
  Op op;
  std::vector<std::string> inputs;
  std::vector<std::int64_t> ints;
  std::string declared;
  std::string links;
  bool runs = true;  // whether it can be evaluated without run-time sizes
};

// clang-format off
const AxesExample axesExamples[] = {
    {Op::neg, {"f32 [2, 3]"}, {}, "f32 [2, 3]", "0<0.0 1<0.1"},
    {Op::cast, {"f32 [2, 3]"}, {}, "f64 [2, 3]", "0<0.0 1<0.1"},
    {Op::add, {"f32 [2, 3]", "f32 [3]"}, {}, "f32 [2, 3]", "0<0.0 1<0.1 1<1.0"},
    {Op::mul, {"f32 [2, 1]", "f32 [1, 3]"}, {}, "f32 [2, 3]", "0<0.0 1<1.1"},
    {Op::less, {"f32 [2, 3]", "f32 []"}, {}, "bool [2, 3]", "0<0.0 1<0.1"},
    {Op::select, {"bool [2, 1]", "f32 [3]", "f32 [2, 3]"}, {}, "f32 [2, 3]", "0<0.0 1<1.0 0<2.0 1<2.1"},
    {Op::matmul, {"f32 [2, 3, 4]", "f32 [2, 4, 5]"}, {}, "f32 [2, 3, 5]", "0<0.0 1<0.1 0<1.0 2<1.2"},
    {Op::conv, {"f32 [2, 5, 3]", "f32 [2, 3, 4]"}, {2, 1, 1, 2, 1, 1}, "f32 [2, 3, 4]", "0<0.0 1<0.1(2 2 2 1 1 1) 2<1.2"},
    {Op::conv, {"f32 [1, 3, 2]", "f32 [2, 2, 1]"}, {1, 1, 0, 1, 2, 1}, "f32 [1, 5, 1]", "0<0.0 1<0.1(2 1 1 1 0 2) 2<1.2"},
    {Op::conv, {"f32 [1, 4, 3, 3]", "f32 [2, 2, 1, 3]"}, {1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 3}, "f32 [1, 3, 2, 3]", "0<0.0 1<0.1(2 1 1 0 0 1) 2<0.2(2 1 1 0 0 1) 3<1.3 3<0.3"},
    {Op::conv, {"f32 [1, 3, 2]", "f32 [1, 1, 6]"}, {1, 0, 0, 1, 1, 2}, "f32 [1, 3, 6]", "0<0.0 1<0.1(1 1 1 0 0 1) 2<1.2 2<0.2(3 1 1 2 0 3)"},
    {Op::convNchw, {"f32 [2, 2, 3, 4]", "f32 [3, 2, 2, 2]"}, {}, "f32 [2, 3, 2, 3]", "0<0.0 1<1.0 2<0.2(2 1 1 0 0 1) 3<0.3(2 1 1 0 0 1)"},
    {Op::maxPool, {"f32 [2, 5, 2]"}, {3, 2, 1, 1}, "f32 [2, 3, 2]", "0<0.0 1<0.1(3 2 1 1 1 1) 2<0.2"},
    {Op::avgPool, {"f32 [1, 4, 4, 1]"}, {2, 2, 2, 1, 0, 0, 0, 0}, "f32 [1, 2, 3, 1]", "0<0.0 1<0.1(2 2 1 0 0 1) 2<0.2(2 1 1 0 0 1) 3<0.3"},
    {Op::transpose, {"f32 [2, 3, 4]"}, {2, 0, 1}, "f32 [4, 2, 3]", "0<0.2 1<0.0 2<0.1"},
    {Op::reshape, {"f32 [2, 6, 4]"}, {}, "f32 [2, 3, 1, 2, 4]", "0<0.0 1<0.1(2 2 1 0 0 1) 4<0.2"},
    {Op::reshape, {"f32 [3, 1, 4]"}, {}, "f32 [12]", "0<0.0(4 1 1 3 0 4)"},
    {Op::concat, {"f32 [2, 3]", "f32 [2, 4]"}, {1}, "f32 [2, 7]", "0<0.0 1<0.1(1 1 1 0 4 1) 0<1.0 1<1.1(1 1 1 3 0 1)"},
    {Op::slice, {"f32 [2, 7]"}, {1, 1, 2}, "f32 [2, 3]", "0<0.0 1<0.1(1 2 1 -1 0 1)"},
    {Op::reverse, {"f32 [2, 4]"}, {1}, "f32 [2, 4]", "0<0.0 1<0.1(1 -1 1 -3 0 1)"},
    {Op::pad, {"f32 [2, 4]"}, {0, 0, 1, 2}, "f32 [2, 7]", "0<0.0 1<0.1(1 1 1 1 2 1)"},
    {Op::upsample, {"f32 [1, 2, 3, 2]"}, {2, 3}, "f32 [1, 4, 9, 2]", "0<0.0 1<0.1(2 1 1 1 0 2) 2<0.2(3 1 1 2 0 3) 3<0.3"},
    {Op::gather, {"f32 [2, 3, 4]", "i32 [5, 2]"}, {1}, "f32 [2, 5, 2, 4]", "0<0.0 1<1.0 2<1.1 3<0.2"},
    {Op::broadcast, {"f32 [2, 1]"}, {}, "f32 [3, 2, 4]", "1<0.0"},
    {Op::dims, {}, {2, 3}, "i64 [2]", ""},
    {Op::copy, {"f32 [2, 3]"}, {}, "f32 [2, 3]", "0<0.0 1<0.1"},
    {Op::reduceSum, {"f32 [2, 3, 4]", "f32 [2, 4]"}, {1}, "f32 [2, 4]", "0<0.0 1<0.2 0<1.0 1<1.1"},
    {Op::cumSum, {"f32 [2, 4]"}, {1, 0, 0}, "f32 [2, 4]", "0<0.0 1<0.1(4 1 1 3 0 1)"},
    {Op::cumMax, {"f32 [2, 4]"}, {1, 1, 1}, "f32 [2, 4]", "0<0.0 1<0.1(4 1 1 0 3 1)"},
    {Op::argsort, {"f32 [2, 4]"}, {1, 0}, "i64 [2, 4]", "0<0.0"},
    {Op::topPlaces, {"f32 [4, 2]"}, {0, 1, 1}, "i64 [3, 2]", "1<0.1"},
    {Op::argMax, {"f32 [2, 3, 4]"}, {1}, "i64 [2, 4]", "0<0.0 1<0.2"},
    {Op::searchSorted, {"f32 [4]", "f32 [2, 3]"}, {0}, "i64 [2, 3]", "0<1.0 1<1.1"},
    {Op::gatherElements, {"f32 [3, 2]", "i32 [4, 2]"}, {0}, "f32 [4, 2]", "1<0.1 0<1.0 1<1.1"},
    {Op::gatherNd, {"f32 [2, 3, 4]", "i32 [5, 2]"}, {}, "f32 [5, 4]", "0<1.0 1<0.2"},
    {Op::scatterElements, {"f32 [3, 2]", "i32 [4, 2]", "f32 [4, 2]"}, {0, 1}, "f32 [3, 2]", "0<0.0 1<0.1 1<1.1 1<2.1"},
    {Op::scatterNd, {"f32 [2, 3, 4]", "i32 [5, 1]", "f32 [5, 3, 4]"}, {1}, "f32 [2, 3, 4]", "0<0.0 1<0.1 2<0.2 1<2.1 2<2.2"},
    {Op::iota, {}, {0}, "i64 [3]", ""},
    {Op::randomBits, {"u64 []"}, {0}, "u64 [3]", ""},
    {Op::resize, {"f32 [2, 3, 4, 2]"}, {1, 0}, "f32 [2, 5, 2, 2]", "0<0.0 3<0.3"},
    {Op::frame, {"f32 [2, 7, 2]"}, {1, 2}, "f32 [2, 3, 3, 2]", "0<0.0 3<0.2 1<0.1(3 2 1 0 0 1) 2<0.1(3 1 2 0 0 1)"},
    {Op::overlapAdd, {"f32 [2, 3, 4]"}, {1, 2}, "f32 [2, 8]", "0<0.0 1<0.1(4 1 1 3 3 2) 1<0.2(3 1 2 4 4 1)"},
    {Op::fourier, {"f32 [2, 3, 8]"}, {2}, "f32 [2, 3, 5, 2]", "0<0.0 1<0.1"},
    {Op::fourier, {"f32 [3, 4, 2]"}, {0}, "f32 [3, 4, 2]", "0<0.0"},
    {Op::nonzero, {"f32 [2, 3]"}, {}, "i64 [k, 2]", "", false},
    {Op::segment, {"f32 [n, 3]", "i64 [2]"}, {}, "f32 [k, 3]", "1<0.1", false},
    {Op::size, {"i64 []"}, {}, "i64 []", "", false},
    {Op::guard, {"f32 [k, 3]"}, {}, "f32 [4, 3]", "0<0.0 1<0.1", false},
    {Op::require, {"i64 [n]", "i64 [n]", "f32 [k]"}, {0}, "f32 [m]", "0<2.0", false},
};
// clang-format on

std::string linksText(const DimStore& dims, const AxisMap& map) {
  std::string text;
  for (const AxisLink& link : map.links) {
    text += text.empty() ? "" : " ";
    if (link.output != 0) text += std::to_string(link.output) + ".";
    text +=
        std::to_string(link.outputAxis) + "<" + std::to_string(link.from.input) + "." + std::to_string(link.from.axis);
    if (!link.window) continue;
    const AxisWindow& w = *link.window;
    std::string sizes;
    for (Dim d : {w.size, w.stride, w.dilation, w.before, w.after, w.spread})
      sizes += (sizes.empty() ? "" : " ") + dims.print(d);
    text += "(" + sizes + ")";
  }
  return text;
}

// Whether position `p` of the output axis may read position `q` of the input axis.
bool mayRead(const DimStore& dims, const AxisLink& link, std::int64_t p, std::int64_t q) {
  if (!link.window) return p == q;
  auto number = [&](Dim d) { return dims.asConstant(d).value(); };
  const AxisWindow& w = *link.window;
  for (std::int64_t k = 0; k < number(w.size); ++k)
    if (p * number(w.stride) - number(w.before) + k * number(w.dilation) == q * number(w.spread)) return true;
  return false;
}

using Tensors = std::vector<std::vector<std::byte>>;

// Returns the position of an element along each axis.
std::vector<std::int64_t> positionOf(std::int64_t index, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; index /= shape[i]) position[i] = index % shape[i];
  return position;
}

// A model of one node whose inputs are constants, to change element by element.
class OneNode {
 public:
  test::Builder b;
  test::FactReader read{b};
  std::vector<OutletId> inputs;

  void addInput(const std::string& type) {
    const Fact fact = read.fact(type);
    const std::vector<std::int64_t> shape = constantShape(b.dims, fact).value();
    std::int64_t count = 1;
    for (std::int64_t size : shape) count *= size;
    std::vector<std::byte> bytes;
    for (std::int64_t i = 0; i < count; ++i) appendElement(bytes, fact.elem, static_cast<int>(random_() % 2));
    const OutletId id = b.add(Op::constant, {}, fact);
    b.model.constants.push_back({"", fact.elem, shape, std::nullopt, std::make_shared<std::vector<std::byte>>(bytes)});
    Graph& g = b.model.graphs[0];
    g[g[id].node].constant = ConstantId{static_cast<std::uint32_t>(b.model.constants.size() - 1)};
    inputs.push_back(id);
  }

  // Changes some elements of each input, one at a time, and checks where the results change.
  void expectChangesOnlyWhereLinked(const std::string& name) {
    const Graph& g = b.model.main();
    const Node& node = g.producer(g.outputs[0]);
    const AxisMap map = axes(b.model, g, node);
    const auto before = evaluate_(b.model);
    ASSERT_TRUE(before) << name;
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      Constant& constant = b.model.constants[input];
      const std::shared_ptr<const std::vector<std::byte>> whole = constant.bytes;
      const std::size_t width = info(constant.elem).bytes, count = whole->size() / width;
      for (std::size_t changed = 0; changed < count; changed += 1 + count / 16) {
        auto bytes = std::make_shared<std::vector<std::byte>>(*whole);
        change(bytes->data() + changed * width, constant.elem);
        constant.bytes = bytes;
        const auto after = evaluate_(b.model);
        ASSERT_TRUE(after) << name;
        const auto at = positionOf(static_cast<std::int64_t>(changed), constant.shape);
        for (const AxisLink& link : map.links)
          if (link.from.input == input)
            expectAlong(link, node, at[link.from.axis], (*before)[link.output], (*after)[link.output], name);
      }
      constant.bytes = whole;
    }
  }

 private:
  void expectAlong(const AxisLink& link, const Node& node, std::int64_t changed, const std::vector<std::byte>& before,
                   const std::vector<std::byte>& after, const std::string& name) {
    const Fact& fact = b.model.main()[node.outputs[link.output]].fact;
    const std::vector<std::int64_t> shape = constantShape(b.dims, fact).value();
    const std::size_t width = info(fact.elem).bytes;
    for (std::size_t i = 0; i < before.size() / width; ++i) {
      if (std::memcmp(&before[i * width], &after[i * width], width) == 0) continue;
      const std::int64_t p = positionOf(static_cast<std::int64_t>(i), shape)[link.outputAxis];
      EXPECT_TRUE(mayRead(b.dims, link, p, changed)) << name << ": axis " << link.outputAxis << " at " << p
                                                     << " reads input " << link.from.input << " at " << changed;
    }
  }

  static void appendElement(std::vector<std::byte>& bytes, Elem elem, int bit) {
    std::byte element[8] = {};
    const float single = 0.5F + static_cast<float>(bit);
    if (elem == Elem::f32)
      std::memcpy(element, &single, 4);
    else
      element[0] = static_cast<std::byte>(bit);  // little-endian integers and bools
    bytes.insert(bytes.end(), element, element + info(elem).bytes);
  }
  // Sets an element to NaN; exchanges 0 and 1 in integers and bools.
  static void change(std::byte* element, Elem elem) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    if (elem == Elem::f32)
      std::memcpy(element, &nan, 4);
    else
      element[0] ^= std::byte{1};
  }

  std::mt19937 random_{5};
  Evaluate evaluate_ =
      runtimeEvaluator([](std::uint32_t, const Constant&) { return FileResult<TensorBytes>(TensorBytes{}); });
};

TEST(AxisMaps, OfEveryOperatorHoldForValues) {
  std::set<const Rules*> seen;
  for (const AxesExample& e : axesExamples) {
    const std::string name(row(e.op).name);
    OneNode of;
    for (const std::string& type : e.inputs)
      if (e.runs)
        of.addInput(type);
      else
        of.inputs.push_back(of.b.input(of.read.fact(type)));
    const OutletId out = of.b.add(e.op, of.inputs, of.read.fact(e.declared), e.ints);
    of.b.output(out);
    const Graph& g = of.b.model.main();
    ASSERT_TRUE(infer(of.b.model, g, g.producer(out))) << name << ": " << infer(of.b.model, g, g.producer(out)).error();
    EXPECT_EQ(linksText(of.b.dims, axes(of.b.model, g, g.producer(out))), e.links) << name;
    if (e.runs) of.expectChangesOnlyWhereLinked(name);
    seen.insert(row(e.op).rules);
  }
  seen.insert(row(Op::input).rules);
  for (const OpRow& r : opTable()) EXPECT_TRUE(r.bodies > 0 || seen.contains(r.rules)) << r.name << " has no example";
}

// Returns the axes of the node `op` over two sequences and, for a loop, a state. Its body adds its inputs.
AxisMap bodyExample(OneNode& of, Op op) {
  of.b.model.graphs.emplace_back();
  const bool loops = op == Op::loop;
  if (loops) of.addInput("f32 [2]");
  for (int i = 0; i < 2; ++i) of.addInput("f32 [4, 2]");
  const Fact slice = of.read.fact("f32 [2]"), stack = of.read.fact("f32 [4, 2]");
  OutletId sum = of.b.input(slice, 1);
  for (std::size_t i = 1; i < of.inputs.size(); ++i) sum = of.b.add(Op::add, {sum, of.b.input(slice, 1)}, slice, {}, 1);
  if (loops) of.b.output(sum, 1);
  of.b.output(sum, 1);
  Node node;
  node.op = op;
  node.inputs = of.inputs;
  if (loops)
    node.attributes = LoopAttributes{1, 2};
  else
    node.attributes = MapAttributes{2};
  node.bodies = {GraphId{1}};
  Graph& g = of.b.model.graphs[0];
  const NodeId id = g.add(std::move(node), loops ? std::vector<Fact>{slice, stack} : std::vector<Fact>{stack});
  for (OutletId output : g[id].outputs) of.b.output(output);
  EXPECT_TRUE(infer(of.b.model, g, g[id]));
  return axes(of.b.model, g, g[id]);
}

TEST(AxisMaps, OfMapsAndLoopsRunAlongTheirSequences) {
  OneNode map, loop;
  EXPECT_EQ(linksText(map.b.dims, bodyExample(map, Op::map)), "0<0.0 0<1.0");
  map.expectChangesOnlyWhereLinked("MAP");
  EXPECT_EQ(linksText(loop.b.dims, bodyExample(loop, Op::loop)), "1.0<1.0(4 1 1 3 0 1) 1.0<2.0(4 1 1 3 0 1)");
  loop.expectChangesOnlyWhereLinked("LOOP");
}

}  // namespace
}  // namespace axle::ir
