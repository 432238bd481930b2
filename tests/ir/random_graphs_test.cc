// Checks that random graphs give the same bits before and after each pass. They have convolutions between pads, scales,
// transposes and reshapes, and loops, with symbolic sizes. Folding scales may round differently.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "backend/evaluate.h"
#include "dims/windows.h"
#include "ir/dump.h"
#include "ir/ops/table.h"
#include "ir/passes/attributes.h"
#include "ir/passes/match.h"
#include "tests/ir/build_graph.h"

namespace axle::ir {
namespace {

using Shape = std::vector<Dim>;

constexpr int seeds = 900, nodes = 14;
constexpr std::int64_t batch = 2, length = 7;  // the values of the symbolic sizes

// Returns a size with numbers for n and m.
Dim closedSize(DimStore& dims, Dim d, Dim n, Dim m) {
  return dims.substitute(d, [&](DimVar v) -> std::optional<Dim> {
    if (dims.variable(v) == n) return dims.constant(batch);
    return dims.variable(v) == m ? std::optional(dims.constant(length)) : std::nullopt;
  });
}

// Adds random operators to a graph over [n, m, k, c] images, where n and m are symbolic.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint32_t seed) : random_(seed) {
    n_ = b_.dims.variable(b_.dims.newVariable("n"));
    m_ = b_.dims.variable(b_.dims.newVariable("m"));
    for (int i = 0; i < 2; ++i) open_.push_back(b_.input({Elem::f32, {n_, m_, size(3 + i), size(4)}, {}}));
    open_.push_back(b_.input({Elem::f32, {n_, m_, size(1), size(4)}, {}}));
    while (open_.size() < nodes) addOne();
    for (int i = 0; i < 2; ++i) b_.output(open_[open_.size() - 1 - static_cast<std::size_t>(i)]);
    b_.output(pick());
  }
  Model& model() { return b_.model; }
  Dim n() const { return n_; }
  Dim m() const { return m_; }

 private:
  int below(int most) { return static_cast<int>(random_() % static_cast<std::uint32_t>(most)); }
  bool chance(int oneIn) { return below(oneIn) == 0; }
  Dim size(std::int64_t value) { return b_.dims.constant(value); }
  // Picks a value, mostly a recent one, so that chains grow.
  OutletId pick() {
    const auto count = static_cast<int>(open_.size());
    return open_[static_cast<std::size_t>(chance(3) ? below(count) : count - 1 - below(std::min(count, 2)))];
  }
  const Shape shapeOf(OutletId id) { return b_.model.graphs[0][id].fact.shape; }
  Elem elemOf(OutletId id) { return b_.model.graphs[0][id].fact.elem; }

  OutletId emit(Op op, std::vector<OutletId> inputs, Attributes attributes = {}, std::optional<Fact> declared = {}) {
    std::vector<Fact> facts;
    for (OutletId input : inputs) facts.push_back(b_.model.graphs[0][input].fact);
    Inferred inferred = inferNode(b_.dims, op, facts, attributes, {declared.value_or(Fact{})});
    if (!inferred) return inputs[0];
    const OutletId id = b_.add(op, std::move(inputs), inferred->front());
    b_.model.graphs[0][b_.model.graphs[0][id].node].attributes = std::move(attributes);
    return id;
  }
  OutletId constant(const std::vector<std::int64_t>& sizes, bool isPlain = false) {
    std::int64_t count = 1;
    for (std::int64_t size : sizes) count *= size;
    static constexpr float plain[] = {1, 0, -0.0F};
    const float same = plain[below(3)];
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(isPlain ? same : static_cast<float>(below(16) - 7) / 4 + 0.125F);
    return b_.constant<float>(Elem::f32, sizes, values);
  }
  std::int64_t lastSize(OutletId id) {
    return shapeOf(id).empty() ? 0 : b_.dims.asConstant(shapeOf(id).back()).value_or(0);
  }
  bool isImage(OutletId id) { return shapeOf(id).size() == 4 && elemOf(id) == Elem::f32 && lastSize(id) > 0; }
  OutletId reshape(OutletId id, Shape shape) {
    return emit(Op::reshape, {id}, {}, Fact{elemOf(id), std::move(shape), {}});
  }
  OutletId transpose(OutletId id, const std::vector<std::size_t>& perm) {
    return emit(Op::transpose, {id}, PermAttributes{perm});
  }

  OutletId unary(OutletId x) {
    static constexpr Op ops[] = {Op::relu, Op::neg, Op::abs, Op::floor, Op::tanh, Op::sigmoid, Op::relu, Op::copy};
    return emit(ops[below(8)], {x});
  }
  OutletId cast(OutletId x) {
    static constexpr Elem elems[] = {Elem::i32, Elem::f64, Elem::f32, Elem::i16, Elem::f16};
    const OutletId other = emit(Op::cast, {x}, {}, Fact{elems[below(5)], {}, {}});
    return emit(Op::cast, {other}, {}, Fact{Elem::f32, {}, {}});
  }
  OutletId binaryWithConstant(OutletId x) {
    static constexpr Op ops[] = {Op::add, Op::sub, Op::mul, Op::div, Op::maximum, Op::minimum};
    const std::int64_t last = lastSize(x);
    const OutletId c = constant(last > 0 && !chance(3) ? std::vector{last} : std::vector<std::int64_t>{}, chance(2));
    const Op op = ops[below(6)];
    return chance(4) ? emit(op, {c, x}) : emit(op, {x, c});
  }
  OutletId binary(OutletId x, OutletId y) {
    static constexpr Op ops[] = {Op::add, Op::sub, Op::mul, Op::maximum};
    return shapeOf(x) == shapeOf(y) ? emit(ops[below(4)], {x, y}) : x;
  }
  OutletId hardSwish(OutletId x) {
    if (elemOf(x) != Elem::f32) return x;
    const auto number = [&](float value) { return b_.constant<float>(Elem::f32, {}, {value}); };
    const OutletId gate = emit(Op::maximum, {emit(Op::add, {x, number(3)}), number(0)});
    return emit(Op::mul, {x, emit(Op::div, {emit(Op::minimum, {gate, number(6)}), number(6)})});
  }
  OutletId choose(OutletId x, OutletId y) {
    const OutletId isLarger = emit(Op::less, {x, constant({}, true)});
    return shapeOf(x) == shapeOf(y) ? emit(Op::select, {isLarger, x, y}) : x;
  }
  OutletId permute(OutletId x) {
    static const std::vector<std::vector<std::size_t>> perms{{0, 3, 1, 2}, {0, 2, 3, 1}, {1, 0, 2, 3}, {0, 1, 3, 2}};
    return shapeOf(x).size() == 4 ? transpose(x, perms[static_cast<std::size_t>(below(4))]) : x;
  }
  // Inserts or removes an axis of size 1, or joins two axes.
  OutletId reorder(OutletId x) {
    Shape shape = shapeOf(x);
    if (shape.size() < 4) {
      shape.insert(shape.begin() + below(static_cast<int>(shape.size())), size(1));
    } else if (const auto unit = std::find(shape.begin(), shape.end(), size(1)); unit != shape.end()) {
      shape.erase(unit);
    } else {
      shape[1] = b_.dims.mul(shape[0], shape[1]);
      shape.erase(shape.begin());
    }
    return reshape(x, shape);
  }
  OutletId slice(OutletId x) {
    const Shape shape = shapeOf(x);
    const auto axis = static_cast<std::size_t>(below(static_cast<int>(shape.size())));
    const std::int64_t now = *b_.dims.asConstant(closedSize(b_.dims, shape[axis], n_, m_));
    if (now < 2) return x;
    const int start = below(static_cast<int>(std::min<std::int64_t>(now, 3)));
    Fact kept{elemOf(x), shape, {}};
    kept.shape[axis] = b_.dims.sub(shape[axis], size(start));
    return emit(Op::slice, {x}, SliceAttributes{static_cast<std::size_t>(axis), size(start), size(1)}, kept);
  }
  OutletId concat(OutletId x, OutletId y) {
    Shape a = shapeOf(x), b = shapeOf(y);
    a.back() = b.back();
    return elemOf(x) == elemOf(y) && a == b ? emit(Op::concat, {x, y}, AxisAttributes{a.size() - 1}) : x;
  }
  OutletId pad(OutletId x) {
    const Dims zeros(shapeOf(x).size(), size(0));
    PadAttributes pads{zeros, zeros};
    for (std::size_t i = 1; i + 1 < zeros.size(); ++i) {
      pads.before[i] = size(below(3));
      pads.after[i] = size(below(3));
    }
    std::vector<OutletId> inputs{x};
    if (chance(3)) inputs.push_back(b_.constant<float>(Elem::f32, {}, {chance(2) ? -INFINITY : 0.0F}));
    return emit(Op::pad, inputs, pads);
  }
  OutletId conv(OutletId x) {
    if (!isImage(x)) return x;
    const std::int64_t channels = lastSize(x), groups = channels % 2 == 0 && chance(3) ? 2 : 1;
    const bool isUnit = b_.dims.asConstant(shapeOf(x)[2]) == 1;
    const OutletId filter = constant({1 + below(3), isUnit ? 1 : 1 + below(2), channels / groups, 4});
    ConvAttributes conv;
    conv.groups = size(groups);
    for (int i = 0; i < 2; ++i) {
      const int before = chance(2) ? 0 : below(3), after = chance(2) ? 0 : below(3);
      const bool isPadded = !(isUnit && i == 1);
      conv.strides.push_back(size(1 + (chance(3) ? below(2) : 0)));
      conv.before.push_back(size(isPadded ? before : 0));
      conv.after.push_back(size(isPadded ? after : 0));
      conv.dilations.push_back(size(1 + below(2)));
      conv.spreads.push_back(size(1));
    }
    const OutletId y = emit(Op::conv, {x, filter}, conv, Fact{Elem::f32, {}, {}});
    return chance(2) ? binaryWithConstant(binaryWithConstant(y)) : y;
  }
  // Adds a convolution with zeros between the elements of the image along its second axis, which has a constant size,
  // or one with several results for each channel.
  OutletId convWithoutKernel(OutletId x) {
    const std::int64_t channels = lastSize(x);
    if (!isImage(x) || !b_.dims.asConstant(shapeOf(x)[2]) || channels < 2) return x;
    const bool isSpread = chance(2);
    const int spread = isSpread ? 2 + below(2) : 1;
    const OutletId filter = isSpread ? constant({1, spread + below(4), channels, 4})
                                     : constant({1 + below(3), 1, 1, channels * (2 + below(2))});
    ConvAttributes conv;
    conv.groups = size(isSpread ? 1 : channels);
    for (const int s : {1, spread}) {
      conv.strides.push_back(size(1)), conv.dilations.push_back(size(1)), conv.spreads.push_back(size(s));
      conv.before.push_back(size(s > 1 ? below(6) - 1 : 0)), conv.after.push_back(size(s > 1 ? below(6) - 1 : 0));
    }
    return emit(Op::conv, {x, filter}, conv, Fact{Elem::f32, {}, {}});
  }
  OutletId convAsOneAxis(OutletId x) {
    const Shape shape = shapeOf(x);
    if (shape.size() != 3 || lastSize(x) == 0) return x;
    const OutletId y = conv(reshape(x, {shape[0], shape[1], size(1), shape[2]}));
    const Shape result = shapeOf(y);
    return result.size() == 4 && b_.dims.asConstant(result[2]) == 1 ? reshape(y, {result[0], result[1], result[3]}) : y;
  }
  // Adds a dilated convolution of x : [n, m, c] as TensorFlow writes it: blocks of the padded axis go to the batch.
  OutletId convInBlocks(OutletId x, Dim n) {
    const Dim two = size(2), odd = b_.dims.mod(m_, two), zero = size(0), one = size(1);
    const OutletId padded = emit(Op::pad, {x}, PadAttributes{{zero, two, zero}, {zero, odd, zero}});
    const Dim half = b_.dims.div(b_.dims.add(b_.dims.add(m_, two), odd), two), c = shapeOf(x)[2];
    const OutletId blocks = transpose(reshape(padded, {n, half, two, c}), {2, 0, 1, 3});
    const OutletId image = reshape(blocks, {b_.dims.mul(two, n), half, c});
    const ConvAttributes point{{one}, {zero}, {zero}, {one}, {one}, one};
    const OutletId y = emit(Op::conv, {image, constant({2, lastSize(x), 4})}, point, Fact{Elem::f32, {}, {}});
    const Dim results = shapeOf(y)[1];
    const OutletId back = transpose(reshape(y, {two, n, results, size(4)}), {1, 2, 0, 3});
    const OutletId whole = reshape(back, {n, b_.dims.mul(two, results), size(4)});
    const Dim kept = b_.dims.sub(b_.dims.mul(two, results), odd);
    return emit(Op::slice, {whole}, SliceAttributes{1, zero, one}, Fact{Elem::f32, {n, kept, size(4)}, {}});
  }
  // The same for a whole batch, or for its first image several times.
  OutletId convInBlocks(OutletId x) {
    const Shape shape = shapeOf(x);
    if (shape.size() != 3 || lastSize(x) == 0 || shape[1] != m_ || shape[0] != n_) return x;
    const Dim zero = size(0), one = size(1);
    const OutletId first =
        emit(Op::slice, {x}, SliceAttributes{0, zero, one}, Fact{Elem::f32, {one, m_, shape[2]}, {}});
    OutletId sum = convInBlocks(x, n_);
    for (int i = 0; i < 4; ++i) sum = emit(Op::add, {sum, convInBlocks(first, one)}, {});
    return sum;
  }
  OutletId pool(OutletId x) {
    if (!isImage(x)) return x;
    PoolAttributes pool;
    for (int i = 0; i < 2; ++i) {
      pool.sizes.push_back(size(1 + below(3)));
      pool.strides.push_back(size(1 + below(2)));
      pool.before.push_back(size(below(2)));
      pool.after.push_back(size(below(2)));
    }
    return emit(chance(3) ? Op::avgPool : Op::maxPool, {x}, pool, Fact{Elem::f32, {}, {}});
  }
  OutletId product(OutletId x) {
    const Shape shape = shapeOf(x);
    if (shape.size() != 3 || lastSize(x) == 0) return x;
    const Dim rows = b_.dims.mul(shape[0], shape[1]);
    const OutletId y = emit(Op::matmul, {reshape(x, {rows, shape[2]}), constant({lastSize(x), 4})});
    return binaryWithConstant(y);
  }
  OutletId reduce(OutletId x) {
    const int rank = static_cast<int>(shapeOf(x).size());
    if (rank < 4) return x;
    return emit(chance(2) ? Op::reduceSum : Op::reduceMax, {x, constant({})},
                AxisAttributes{static_cast<std::size_t>(below(rank))});
  }
  OutletId broadcast(OutletId x) {
    const Shape shape = shapeOf(x);
    const std::int64_t last = lastSize(x);
    if (last == 0) return x;
    const OutletId wide = emit(Op::broadcast, {constant({last})}, {}, Fact{Elem::f32, shape, {}});
    return emit(Op::mul, {x, wide});
  }

  // Adds a loop over the slices of x whose body computes the same in each iteration. It has a state that nothing reads,
  // one that does not change, and results of which only one is read.
  OutletId loop(OutletId x) {
    if (shapeOf(x).size() == 4 && chance(2)) x = transpose(x, {2, 0, 1, 3});
    const Shape shape = shapeOf(x);
    if (shape.size() < 2 || lastSize(x) == 0) return x;
    const auto g = b_.model.graphs.size();
    b_.model.graphs.emplace_back();
    const Fact row{Elem::f32, {shape.begin() + 1, shape.end()}, {}}, vector = b_.fact(Elem::f32, {lastSize(x)}),
                                                                     scalar = b_.fact(Elem::f32, {});
    const OutletId sum = b_.input(vector, g), count = b_.input(scalar, g), same = b_.input(vector, g);
    const OutletId element = b_.input(row, g), capture = b_.input(vector, g);
    const OutletId fixed = b_.add(Op::tanh, {b_.add(Op::mul, {capture, capture}, vector, {}, g)}, vector, {}, g);
    const OutletId one = b_.constant<float>(Elem::f32, {}, {1}, g);
    const OutletId next = b_.add(Op::add, {sum, b_.add(Op::mul, {fixed, same}, vector, {}, g)}, vector, {}, g);
    const OutletId counted = b_.add(Op::add, {count, one}, scalar, {}, g);
    const OutletId result = b_.add(Op::mul, {element, fixed}, row, {}, g);
    const OutletId unread = b_.add(Op::sub, {element, next}, row, {}, g);
    for (OutletId output : {next, counted, same, unread, result}) b_.output(output, g);
    Node node;
    node.op = Op::loop;
    node.inputs = {constant({lastSize(x)}), constant({}), constant({lastSize(x)}), x, constant({lastSize(x)})};
    node.attributes = LoopAttributes{3, 1};
    node.bodies = {GraphId{static_cast<std::uint32_t>(g)}};
    Graph& main = b_.model.graphs[0];
    const Fact all{Elem::f32, shape, {}};
    const std::vector<OutletId> outputs = main[main.add(std::move(node), {vector, scalar, vector, all, all})].outputs;
    return chance(2) ? outputs[4] : emit(Op::add, {outputs[4], outputs[chance(2) ? 0 : 2]});
  }

  void addOne() {
    const OutletId x = pick(), y = pick();
    if (shapeOf(x).empty()) return;
    const OutletId made = [&] {
      switch (below(21)) {
        case 0:
          return unary(x);
        case 1:
          return binaryWithConstant(x);
        case 2:
          return binary(x, y);
        case 3:
          return permute(x);
        case 4:
          return reorder(x);
        case 5:
          return slice(x);
        case 6:
          return concat(x, y);
        case 7:
          return conv(pad(x));
        case 8:
          return slice(conv(x));
        case 9:
          return convAsOneAxis(x);
        case 10:
          return convInBlocks(x);
        case 11:
          return pool(chance(2) ? pad(unary(x)) : x);
        case 12:
          return product(x);
        case 13:
          return reduce(x);
        case 14:
          return broadcast(x);
        case 15:
          return cast(x);
        case 16:
          return choose(x, y);
        case 17:
          return loop(x);
        case 18:
          return hardSwish(x);
        case 19:
          return convWithoutKernel(x);
        default:
          return conv(binaryWithConstant(x));
      }
    }();
    open_.push_back(made);
  }

  test::Builder b_;
  std::mt19937 random_;
  Dim n_, m_;
  std::vector<OutletId> open_;
};

// Returns the model with numbers for its sizes, and random inputs.
Model closed(const Model& model, Dim n, Dim m, std::uint32_t seed) {
  Model copy = model;
  DimStore& dims = *copy.dims;
  auto close = [&](Dim& d) { d = closedSize(dims, d, n, m); };
  std::mt19937 random(seed);
  Graph& graph = copy.graphs[0];
  for (Graph& each : copy.graphs) {
    for (Outlet& outlet : each.outlets)
      for (Dim& d : outlet.fact.shape) close(d);
    for (Node& node : each.nodes) changeSizes(node.attributes, close);
  }
  for (OutletId input : graph.inputs) {
    Fact& fact = graph[input].fact;
    const std::vector<std::int64_t> shape = *constantShape(dims, fact);
    std::int64_t count = 1;
    for (std::int64_t size : shape) count *= size;
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(random() % 65) / 16 - 2);
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    Node& node = graph[graph[input].node];
    node.op = Op::constant;
    node.constant = copy.addConstant(Elem::f32, shape, std::move(bytes));
    fact.value = node.constant;
  }
  graph.inputs.clear();
  copy.inputNames.clear();
  return copy;
}

using Values = std::vector<std::vector<std::byte>>;

// Returns the difference of the outputs; empty if they agree bit by bit, or within a tolerance. All NaNs are equal.
std::string difference(const Values& a, const Values& b, bool isRounded) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return "output " + std::to_string(i) + " has another size";
    for (std::size_t at = 0; at < a[i].size(); at += sizeof(float)) {
      float x = 0, y = 0;
      std::memcpy(&x, a[i].data() + at, sizeof x);
      std::memcpy(&y, b[i].data() + at, sizeof y);
      if (std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y))) continue;
      if (isRounded && (!std::isfinite(x) || std::abs(x - y) <= 1e-3F * (1 + std::abs(x)))) continue;
      return "output " + std::to_string(i) + " is " + std::to_string(y) + ", not " + std::to_string(x);
    }
  }
  return "";
}

struct Checked {
  bool runs = true;
  std::size_t patches = 0;
  std::string failure;
};

// Whether a pass changes the order in which sums are rounded.
bool roundsDifferently(const Pass& pass) { return pass.name == "fold-scales" || pass.name == "dense-windows"; }

Checked runAndCompare(RandomGraph& random, const Pass& pass, const PassContext& options, std::uint32_t seed) {
  Checked checked;
  Model& model = random.model();
  const Evaluate run = runtimeEvaluator({});
  const auto before = run(closed(model, random.n(), random.m(), seed));
  if (!before) return {false, 0, ""};
  const std::string text = dumpText(model, {});
  PassContext context = options;
  context.admit = [&](const Patch&) { return ++checked.patches > 0; };
  auto done = runPass(model, context, pass);
  if (!done) return {true, checked.patches, done.error() + "\n" + text};
  const auto after = run(closed(model, random.n(), random.m(), seed));
  const std::string wrong =
      after ? difference(*before, *after, roundsDifferently(pass)) : std::string("the new graph does not run");
  if (!wrong.empty()) checked.failure = wrong + "\n" + text + "\nafter\n" + dumpText(model, {});
  return checked;
}

// Whether rounding can decide later values, for example in floors, which then differ by more than the tolerance.
bool amplifiesRounding(const Model& model) {
  for (const Node& node : model.main().nodes)
    for (Op op : {Op::floor, Op::less, Op::cast, Op::div})
      if (node.op == op) return true;
  return false;
}

TEST(RandomGraphs, EachPassKeepsValues) {
  std::vector<std::size_t> patches(passTable().size());
  int runs = 0;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    RandomGraph random(seed);
    ASSERT_EQ(verify(random.model()), std::nullopt) << seed;
    for (std::size_t i = 0; i < passTable().size(); ++i) {
      const Pass& pass = passTable()[i];
      if (roundsDifferently(pass) && amplifiesRounding(random.model())) continue;
      const Checked checked = runAndCompare(random, pass, {runtimeEvaluator({}), false}, seed);
      patches[i] += checked.patches;
      runs += i == 0 && checked.runs;
      if (!checked.runs) break;  // a window of it is larger than its image
      ASSERT_EQ(checked.failure, "") << "seed " << seed << ", pass " << pass.name;
    }
  }
  EXPECT_GT(runs, seeds / 2);
  for (std::size_t i = 0; i < patches.size(); ++i) EXPECT_GT(patches[i], 20U) << passTable()[i].name;
}

}  // namespace
}  // namespace axle::ir
