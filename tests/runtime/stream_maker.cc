#include "tests/runtime/stream_maker.h"

#include <memory>

#include "runtime/bundle.h"

namespace axle::runtime::test {
namespace {

using manifest::SinkKind;
using manifest::SourceKind;

constexpr std::uint32_t f32 = static_cast<std::uint32_t>(Elem::f32);
using Dims = std::vector<std::uint32_t>;

// Adds nodes to the graph of a maker. Values are f32.
struct Nodes {
  Maker& maker;

  std::uint32_t add(std::uint32_t op, const Dims& inputs, const Dims& shape, const Dims& ints = {},
                    Elem elem = Elem::f32) {
    const std::uint32_t value = Maker::value(maker.manifest.graph, elem, shape);
    Maker::node(maker.manifest.graph, op, inputs, {value}, ints);
    return value;
  }
  std::uint32_t number(std::int64_t value) { return maker.constantDim(value); }
  std::uint32_t minus(std::uint32_t dim, std::int64_t less) { return maker.dim(DimOp::sub, dim, number(less)); }
  std::uint32_t plus(std::uint32_t dim, std::int64_t more) { return maker.dim(DimOp::add, dim, number(more)); }
  std::uint32_t times(std::uint32_t dim, std::int64_t by) { return maker.dim(DimOp::mul, dim, number(by)); }
  std::uint32_t slice(std::uint32_t x, const Dims& shape, std::int64_t axis, std::uint32_t start,
                      std::int64_t step = 1) {
    return add(op::slice, {x}, shape, {number(axis), start, number(step)});
  }
};

// w[0 : k] + w[1 : k + 1] + w[2 : k + 2] for w of k + 2 frames
std::uint32_t sumOfThree(Nodes nodes, std::uint32_t w, const Dims& shape) {
  const auto part = [&](std::int64_t start) { return nodes.slice(w, shape, 0, nodes.number(start)); };
  return nodes.add(op::add, {nodes.add(op::add, {part(0), part(1)}, shape), part(2)}, shape);
}

// p[:, 0 : k] + p[:, 1 : k + 1]
std::uint32_t sumOfTwo(Nodes nodes, std::uint32_t p, const Dims& shape) {
  return nodes.add(op::add, {nodes.slice(p, shape, 1, nodes.number(0)), nodes.slice(p, shape, 1, nodes.number(1))},
                   shape);
}

// f[:, 0::2] - f[:, 1::2]
std::uint32_t differenceOfPairs(Nodes nodes, std::uint32_t f, const Dims& shape) {
  return nodes.add(op::sub,
                   {nodes.slice(f, shape, 1, nodes.number(0), 2), nodes.slice(f, shape, 1, nodes.number(1), 2)}, shape);
}

std::uint32_t total(Nodes nodes, std::uint32_t y, std::uint32_t z, const Dims& shape) {
  return nodes.add(op::cumSum, {nodes.add(op::mul, {y, z}, shape)}, shape,
                   {nodes.number(1), nodes.number(0), nodes.number(0)});
}

// Repeats each frame twice.
std::uint32_t twice(Nodes nodes, std::uint32_t x, const Dims& shape) {
  const std::uint32_t k = shape[1];
  const std::uint32_t column = nodes.add(op::reshape, {x}, {shape[0], k, nodes.number(1), shape[2]});
  const std::uint32_t both =
      nodes.add(op::concat, {column, column}, {shape[0], k, nodes.number(2), shape[2]}, {nodes.number(2)});
  return nodes.add(op::reshape, {both}, {shape[0], nodes.times(k, 2), shape[2]});
}

// x + the numbers of its frames, which are i64 [k]
std::uint32_t numbered(Nodes nodes, std::uint32_t x, std::uint32_t numbers, const Dims& shape) {
  const std::uint32_t floats = nodes.add(op::cast, {numbers}, {shape[1]});
  const std::uint32_t column = nodes.add(op::reshape, {floats}, {shape[1], nodes.number(1)});
  return nodes.add(op::add, {x, column}, shape);
}

}  // namespace

std::uint32_t StreamMaker::program(const Maker& maker) {
  stream.programs.push_back(maker.manifest);
  return static_cast<std::uint32_t>(stream.programs.size() - 1);
}

std::vector<std::byte> StreamMaker::bundle() const {
  manifest::Manifest manifest = batch.manifest;
  const std::string message = encodeStream(stream);
  manifest.stream = std::as_bytes(std::span(message));
  return makeBundle(manifest, batch.weights, encodeDebug(batch.debug));
}

manifest::Schedule growing(std::vector<std::uint64_t> first, std::uint64_t step) { return {std::move(first), 1, step}; }

manifest::Source windowOf(std::uint32_t buffer, std::int64_t first, std::int64_t last, std::int64_t stride,
                          std::int64_t spread) {
  return {static_cast<std::uint32_t>(SourceKind::window), buffer, stride, spread, first, last};
}

manifest::Source sourceOf(manifest::SourceKind kind, std::uint32_t index, std::int64_t first, std::int64_t last) {
  return {static_cast<std::uint32_t>(kind), index, 0, 0, first, last};
}

manifest::Sink sinkOf(manifest::SinkKind kind, std::uint32_t index) {
  return {static_cast<std::uint32_t>(kind), index};
}

StreamMaker neighbours() {
  StreamMaker whole;
  {
    Maker& maker = whole.batch;
    maker.manifest.producer = "a test", maker.manifest.entry = "main";
    maker.manifest.entryType = "(f32 [~T, 2]) -> f32 [~T, 2]";
    Nodes nodes{maker};
    const std::uint32_t n = maker.symbol("T", 0, 0), two = nodes.number(2), zero = nodes.number(0);
    const std::uint32_t x = maker.input("x", "f32 [~T, 2]", Elem::f32, {n, two});
    const std::uint32_t padded =
        nodes.add(op::pad, {x}, {nodes.plus(n, 2), two}, {nodes.number(1), nodes.number(1), zero, zero});
    maker.output("out", "f32 [~T, 2]", sumOfThree(nodes, padded, {n, two}));
    maker.guard(n, FactRelation::ne, nodes.number(1), "T != 1");
  }
  Maker stage;
  Nodes nodes{stage};
  const std::uint32_t m = stage.symbol("m", 0, 0), two = nodes.number(2);
  const std::uint32_t w = stage.input("w", "", Elem::f32, {m, two});
  stage.output("y", "", sumOfThree(nodes, w, {nodes.minus(m, 2), two}));
  whole.stream.stages = {{whole.program(stage), {windowOf(0, -1, 1)}, {sinkOf(SinkKind::append, 1)}, 0, 0}};
  whole.stream.inputs = {{true, 0, 1, 1}};
  whole.stream.buffers.resize(2);
  whole.stream.buffers[0] = {0, {}, 2, growing({0}), growing({0}), {}, 1};
  whole.stream.buffers[1] = {0, {}, 0, growing({0, 0}), growing({0}), {}, 0};
  whole.stream.outputs = {{1, 1, 1, 1}};
  return whole;
}

StreamMaker neighboursAsSums() {
  StreamMaker whole = neighbours();
  whole.stream.programs.clear();
  whole.stream.stages.clear();
  for (const bool isMiddle : {false, true}) {
    Maker stage;
    Nodes nodes{stage};
    const std::uint32_t m = stage.symbol("m", 0, 0), two = nodes.number(2), one = nodes.number(1);
    const std::uint32_t x = stage.input("x", "", Elem::f32, {m, two});
    stage.output(
        "y", "",
        isMiddle ? nodes.add(op::copy, {x}, {m, two}) : nodes.add(op::concat, {x, x}, {m, nodes.number(4)}, {one}));
    manifest::Sink sink = sinkOf(SinkKind::add, 1);
    sink.step = sink.per = sink.count = sink.spacing = 1;
    sink.along = 1, sink.run = 2;
    if (!isMiddle) sink.shift = -1, sink.count = sink.spacing = 2;
    whole.stream.stages.push_back({whole.program(stage), {windowOf(0, 0, 0)}, {sink}, 0, 0});
  }
  whole.stream.buffers[0].history = 0;
  whole.stream.buffers[1].history = 2;
  return whole;
}

// Inputs x : f32 [2, n, 3], fast : f32 [2, 2*n, 3], bias : f32 [3].
//   p = concat(bias, x)                      pieces: a slot, and a buffer
//   y[t] = p[t] + p[t + 1]                   windows
//   z[t] = fast[2*t] - fast[2*t + 1]         windows with a stride, of an input with another rate
//   s[t] = s[t - 1] + y[t] * z[t]            a state, first bias
//   r = each s twice                         a program with a scale
//   q = concat(r[1], r, r[-2])               slots from the begin and the end
//   out.0 = q + the numbers of its frames;  out.1 = s
StreamMaker everything() {
  StreamMaker whole;
  {
    Maker& maker = whole.batch;
    maker.manifest.producer = "a test", maker.manifest.entry = "main";
    maker.manifest.entryType = "(f32 [2, ~T, 3], f32 [2, ~(2*T), 3], f32 [3]) -> ...";
    Nodes nodes{maker};
    const std::uint32_t n = maker.symbol("T", 0, 1), one = nodes.number(1), two = nodes.number(2),
                        three = nodes.number(3);
    const Dims shape{two, n, three}, frame{two, one, three};
    const std::uint32_t x = maker.input("x", "f32 [2, ~T, 3]", Elem::f32, shape);
    const std::uint32_t fast = maker.input("fast", "f32 [2, ~(2*T), 3]", Elem::f32, {two, nodes.times(n, 2), three});
    const std::uint32_t bias = maker.input("bias", "f32 [3]", Elem::f32, {three});
    const std::uint32_t before = nodes.add(op::broadcast, {bias}, frame);
    const std::uint32_t p = nodes.add(op::concat, {before, x}, {two, nodes.plus(n, 1), three}, {one});
    const std::uint32_t y = sumOfTwo(nodes, p, shape), z = differenceOfPairs(nodes, fast, shape);
    const std::uint32_t s = nodes.add(op::add, {total(nodes, y, z, shape), before}, shape);
    const std::uint32_t r = twice(nodes, s, shape), length = nodes.times(n, 2), longer = nodes.plus(length, 2);
    const std::uint32_t q =
        nodes.add(op::concat, {nodes.slice(r, frame, 1, one), r, nodes.slice(r, frame, 1, nodes.minus(length, 2))},
                  {two, longer, three}, {one});
    const std::uint32_t numbers = nodes.add(op::iota, {}, {longer}, {nodes.number(0)}, Elem::i64);
    maker.output("out.0", "f32 [2, ~(2*T + 2), 3]", numbered(nodes, q, numbers, {two, longer, three}));
    maker.output("out.1", "f32 [2, ~T, 3]", s);
    maker.guard(n, FactRelation::ge, one, "T >= 1");
  }
  manifest::Stream& stream = whole.stream;
  // Adds a stage; `make` returns the outputs for inputs of these types.
  const auto stage = [&](std::vector<manifest::Source> sources, std::vector<manifest::Sink> sinks, auto make) {
    Maker maker;
    make(maker, Nodes{maker});
    stream.stages.push_back({whole.program(maker), std::move(sources), std::move(sinks), 0, 0});
  };
  const auto frames = [](Maker& maker, Nodes nodes, std::uint32_t input, const std::string& symbol) {
    return Dims{nodes.number(2), maker.symbol(symbol, input, 1), nodes.number(3)};
  };
  stream.slots = 3;
  stream.states = {{sourceOf(SourceKind::slot, 0), {}}};
  stage({sourceOf(SourceKind::port, 2)}, {sinkOf(SinkKind::fillSlot, 0)}, [&](Maker& maker, Nodes nodes) {
    const std::uint32_t bias = maker.input("bias", "", Elem::f32, {nodes.number(3)});
    maker.output("", "", nodes.add(op::broadcast, {bias}, {nodes.number(2), nodes.number(1), nodes.number(3)}));
  });
  stage({windowOf(2, 0, 1)}, {sinkOf(SinkKind::append, 3)}, [&](Maker& maker, Nodes nodes) {
    const Dims window = frames(maker, nodes, 0, "m");
    const std::uint32_t p = maker.input("p", "", Elem::f32, window);
    maker.output("", "", sumOfTwo(nodes, p, {window[0], nodes.minus(window[1], 1), window[2]}));
  });
  stage({windowOf(1, 0, 1, 2)}, {sinkOf(SinkKind::append, 4)}, [&](Maker& maker, Nodes nodes) {
    const Dims window = frames(maker, nodes, 0, "m");
    const std::uint32_t f = maker.input("f", "", Elem::f32, window);
    const std::uint32_t k = maker.dim(DimOp::div, window[1], nodes.number(2));
    maker.output("", "", differenceOfPairs(nodes, f, {window[0], k, window[2]}));
  });
  stage({windowOf(3, 0, 0), windowOf(4, 0, 0), sourceOf(SourceKind::state, 0)},
        {sinkOf(SinkKind::append, 5), sinkOf(SinkKind::setState, 0)}, [&](Maker& maker, Nodes nodes) {
          const Dims shape = frames(maker, nodes, 0, "k"), frame{shape[0], nodes.number(1), shape[2]};
          const std::uint32_t y = maker.input("y", "", Elem::f32, shape), z = maker.input("z", "", Elem::f32, shape),
                              state = maker.input("s", "", Elem::f32, frame);
          const std::uint32_t s = nodes.add(op::add, {total(nodes, y, z, shape), state}, shape);
          maker.output("", "", s);
          maker.output("", "", nodes.slice(s, frame, 1, nodes.minus(shape[1], 1)));
        });
  stage({windowOf(5, 0, 0, 1, 2)}, {sinkOf(SinkKind::append, 6)}, [&](Maker& maker, Nodes nodes) {
    const Dims shape = frames(maker, nodes, 0, "k");
    maker.output("", "", twice(nodes, maker.input("s", "", Elem::f32, shape), shape));
  });
  stream.stages.back().scale = 2;
  for (const std::uint32_t slot : {1u, 2u})
    stage({slot == 1 ? sourceOf(SourceKind::begin, 6, 1, 1) : sourceOf(SourceKind::end, 6, 2, 1)},
          {sinkOf(SinkKind::fillSlot, slot)}, [&](Maker& maker, Nodes nodes) {
            const Dims frame{nodes.number(2), nodes.number(1), nodes.number(3)};
            maker.output(
                "", "",
                nodes.add(op::neg, {nodes.add(op::neg, {maker.input("r", "", Elem::f32, frame)}, frame)}, frame));
          });
  stage({windowOf(7, 0, 0), sourceOf(SourceKind::count)}, {sinkOf(SinkKind::append, 8)},
        [&](Maker& maker, Nodes nodes) {
          const Dims shape = frames(maker, nodes, 0, "k");
          const std::uint32_t q = maker.input("q", "", Elem::f32, shape),
                              numbers = maker.input("numbers", "", Elem::i64, {shape[1]});
          maker.output("", "", numbered(nodes, q, numbers, shape));
        });
  stream.inputs = {{true, 1, 1, 1}, {true, 1, 2, 1}, {}};
  const manifest::Schedule same = growing({0}), doubled = growing({0}, 2), more = growing({1}),
                           sure = growing({0, 3}, 2), length = growing({2}, 2);
  stream.buffers = {
      {1, {}, 0, same, same, {}, 1},
      {1, {}, 0, doubled, doubled, {}, 2},
      {1, {}, 1, more, more, {sourceOf(SourceKind::slot, 0), windowOf(0, 0, 0)}, 0},
      {1, {}, 0, same, same, {}, 0},
      {1, {}, 0, same, same, {}, 0},
      {1, {}, 0, same, same, {}, 0},
      {1, {}, 2, doubled, doubled, {}, 0},
      {1, {}, 0, sure, length, {sourceOf(SourceKind::slot, 1), windowOf(6, 0, 0), sourceOf(SourceKind::slot, 2)}, 0},
      {1, {}, 0, sure, length, {}, 0},
  };
  stream.outputs = {{8, 1, 1, 2}, {5, 0, 1, 1}};
  return whole;
}

Result<std::shared_ptr<const StreamModel>> streamModel(const std::vector<std::byte>& bundle) {
  auto kept = std::make_shared<std::vector<std::byte>>(bundle);
  auto loaded = loadBundle(*kept, kept, {true, 1u << 26});
  if (!loaded) return tl::unexpected(std::move(loaded.error()));
  return readStreamModel(std::move(*loaded));
}

}  // namespace axle::runtime::test
