#include "tests/streams/random_program.h"

#include <fmt/format.h>

namespace axle::test {

namespace {

// A tensor [b, length, channels]; tensors with the same text have the same length.
struct Value {
  std::string name, length;
  std::int64_t channels = 1;
};

class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {
    batch_ = number(1, 2);
    const std::int64_t channels = number(1, 4);
    values_.push_back({"x", "T", channels});
    const std::int64_t steps = number(1, 7);
    for (std::int64_t i = 0; i < steps; ++i) step();
    std::string results = values_.back().name;
    if (number(0, 3) == 0 && values_.size() > 2) results += ", " + values_[values_.size() - 2].name;
    out_.batch = batch_, out_.channels = channels;
    out_.text = "import nn;\n" + params_ +
                fmt::format("main = fn (x : f32 [{}, ~T, {}]) {{\n{}  {}\n}};\n", batch_, channels, body_, results);
  }

  RandomProgram out_;

 private:
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  const Value& any() {
    return number(0, 2) != 0
               ? values_.back()
               : values_[static_cast<std::size_t>(number(0, static_cast<std::int64_t>(values_.size()) - 1))];
  }
  void add(const std::string& expression, std::string length, std::int64_t channels) {
    const std::string name = fmt::format("y{}", values_.size());
    body_ += fmt::format("  {} = {};\n", name, expression);
    values_.push_back({name, std::move(length), channels});
  }
  std::string param(const std::string& shape) {
    const std::string name = fmt::format("w{}", weights_++);
    params_ += fmt::format("param {} : f32 [{}];\n", name, shape);
    return name;
  }
  std::string derived(const Value& x, const std::string& how) { return fmt::format("({}){}", x.length, how); }

  void step() {
    using Step = void (Writer::*)(const Value&);
    constexpr Step steps[] = {
        &Writer::convolve, &Writer::convolve, &Writer::pool,      &Writer::pad,      &Writer::slice, &Writer::combine,
        &Writer::combine,  &Writer::spread,   &Writer::pointwise, &Writer::running,  &Writer::loop,  &Writer::group,
        &Writer::prefix,   &Writer::frames,   &Writer::dense,     &Writer::function, &Writer::resize};
    const Value x = any();
    (this->*steps[number(0, static_cast<std::int64_t>(std::size(steps)) - 1)])(x);
  }

  void convolve(const Value& x) {
    const std::int64_t taps = number(1, 5), dilation = number(1, 2), channels = number(1, 4);
    const std::string w = param(fmt::format("{}, {}, {}", taps, x.channels, channels));
    switch (number(0, 4)) {
      case 0:
        return add(fmt::format("nn.causal_conv1d({}, {}, dilation={})", x.name, w, dilation), x.length, channels);
      case 1:
        return add(fmt::format("conv1d({}, {}, padding=\"same\", dilation=[{}])", x.name, w, dilation), x.length,
                   channels);
      case 2:
        return add(fmt::format("conv1d({}, {}, dilation=[{}])", x.name, w, dilation),
                   derived(x, fmt::format("-{}", (taps - 1) * dilation)), channels);
      case 3: {
        const std::int64_t before = number(0, 4), after = number(0, 4), stride = number(1, 3);
        return add(fmt::format("conv1d({}, {}, padding=[[{}, {}]], stride=[{}])", x.name, w, before, after, stride),
                   derived(x, fmt::format("c{}.{}.{}", before + after - taps, stride, 0)), channels);
      }
      default:
        return add(fmt::format("conv1d({}, {}, padding=\"same\", stride=[2])", x.name, w), derived(x, "half"),
                   channels);
    }
  }

  void pool(const Value& x) {
    const char* what = number(0, 1) == 0 ? "max_pool1d" : "avg_pool1d";
    const std::int64_t size = number(1, 4), stride = number(1, 3);
    if (number(0, 1) == 0)
      return add(fmt::format("{}({}, size=[{}], stride=[1], padding=\"same\")", what, x.name, size), x.length,
                 x.channels);
    add(fmt::format("{}({}, size=[{}], stride=[{}])", what, x.name, size, stride),
        derived(x, fmt::format("c{}.{}.{}", -size, stride, 0)), x.channels);
  }

  void pad(const Value& x) {
    const std::int64_t before = number(0, 3), after = number(0, 3);
    const char* modes[] = {"constant", "edge", "reflect"};
    add(fmt::format("pad({}, [[0, 0], [{}, {}], [0, 0]], mode=\"{}\")", x.name, before, after, modes[number(0, 2)]),
        derived(x, fmt::format("+{}", before + after)), x.channels);
  }

  void slice(const Value& x) {
    const std::int64_t first = number(0, 3), step = number(1, 3);
    if (x.length == "T" && number(0, 1) == 0)
      return add(fmt::format("{}[:, {}:T - {}]", x.name, first, step), derived(x, fmt::format("-{}", first + step)),
                 x.channels);
    add(fmt::format("{}[:, {}::{}]", x.name, first, step), derived(x, fmt::format("s{}.{}", first, step)), x.channels);
  }

  // Combines a value with another of the same length, otherwise with itself a frame later.
  void combine(const Value& x) {
    for (int tries = 0; tries < 8; ++tries) {
      const Value other = any();
      if (other.length != x.length || other.name == x.name) continue;
      if (other.channels == x.channels && number(0, 1) == 0)
        return add(fmt::format("{} - 0.5 * {}", x.name, other.name), x.length, x.channels);
      return add(fmt::format("concat({}, {}, axis=2)", x.name, other.name), x.length, x.channels + other.channels);
    }
    add(fmt::format("{} + tanh({})", x.name, x.name), x.length, x.channels);
  }

  void spread(const Value& x) {
    const std::int64_t times = number(2, 3);
    if (number(0, 1) == 0)
      return add(fmt::format("repeat({}, times={}, axis=1)", x.name, times), derived(x, fmt::format("x{}", times)),
                 x.channels);
    const std::int64_t taps = number(1, 4), channels = number(1, 3);
    const std::string w = param(fmt::format("{}, {}, {}", taps, channels, x.channels));
    add(fmt::format("conv_transpose1d({}, {}, stride=[{}])", x.name, w, times),
        derived(x, fmt::format("t{}.{}", taps, times)), channels);
  }

  void pointwise(const Value& x) {
    const char* forms[] = {"relu({})",     "tanh({})", "softmax({})",
                           "{} * 0.5 + 1", "abs({})",  "amax({}, axis=2, keep=true)"};
    const std::int64_t form = number(0, 5);
    add(fmt::format(fmt::runtime(forms[form]), x.name), x.length, form == 5 ? 1 : x.channels);
  }

  void running(const Value& x) {
    const char* forms[] = {"cumsum({}, axis=1)", "cumsum({}, axis=1, exclusive=true)", "cummax({}, axis=1)",
                           "cummin({}, axis=1)", "cumprod(tanh({}), axis=1)"};
    add(fmt::format(fmt::runtime(forms[number(0, 4)]), x.name), x.length, x.channels);
  }

  void loop(const Value& x) {
    const std::string state = fmt::format("zeros([{}, {}])", batch_, x.channels);
    const std::string step = "fn (s, e) { s' = 0.5 * s + e; s', tanh(s') }";
    const std::string name = fmt::format("z{}", values_.size());
    body_ += fmt::format("  _, {} = loop({}, {}, transpose({}, perm=[1, 0, 2]));\n", name, state, step, x.name);
    add(fmt::format("transpose({}, perm=[1, 0, 2])", name), x.length, x.channels);
  }

  // Joins or splits frames.
  void group(const Value& x) {
    if (x.length != "T") return pointwise(x);
    if (x.channels % 2 == 0)
      return add(fmt::format("reshape({}, [{}, 2*T, {}])", x.name, batch_, x.channels / 2), derived(x, "x2"),
                 x.channels / 2);
    add(fmt::format("reshape(repeat({}, times=2, axis=1), [{}, T, {}])", x.name, batch_, 2 * x.channels), x.length,
        2 * x.channels);
  }

  void prefix(const Value& x) {
    const std::int64_t frames = number(1, 3);
    const std::string w = param(fmt::format("{}, {}, {}", batch_, frames, x.channels));
    if (number(0, 1) == 0)
      return add(fmt::format("concat({}, {}, axis=1)", w, x.name), derived(x, fmt::format("+{}", frames)), x.channels);
    add(fmt::format("concat({}, {}, axis=1)", x.name, w), derived(x, fmt::format("+{}", frames)), x.channels);
  }

  void frames(const Value& x) {
    const std::int64_t step = number(1, 3), length = step * number(1, 3);
    const std::string framed = fmt::format("frame({}, length={}, step={}, axis=1)", x.name, length, step);
    if (number(0, 1) == 0)
      return add(fmt::format("mean({}, axis=2)", framed), derived(x, fmt::format("c{}.{}.{}", -length, step, 0)),
                 x.channels);
    add(fmt::format("expand(overlap_add({}, step={}), axis=2)", x.name, step),
        derived(x, fmt::format("o{}.{}", x.channels, step)), 1);
  }

  void dense(const Value& x) {
    const std::int64_t channels = number(1, 4);
    const std::string w = param(fmt::format("{}, {}", x.channels, channels));
    add(fmt::format("batch_matmul({}, {})", x.name, w), x.length, channels);
  }

  // Adds a function of the program over another dimension than the stream.
  void function(const Value& x) {
    switch (number(0, 3)) {
      case 0:
        return add(fmt::format("reduce(fn (a, b) {{ 0.5 * a + b }}, 0.25, stack({0}, tanh({0}), relu({0})))", x.name),
                   x.length, x.channels);
      case 1:
        return add(fmt::format("map(fn (r) {{ cummax(r) }}, {})", x.name), x.length, x.channels);
      case 2: {
        const std::string w = param(fmt::format("3, {}, {}", x.channels, x.channels));
        return add(fmt::format("map(fn (r) {{ conv1d(expand(r, axis=0), {}, padding=\"same\")[0] }}, {})", w, x.name),
                   x.length, x.channels);
      }
      default: {
        const std::string w = param(fmt::format("4, 2, {}, {}", x.channels, x.channels)),
                          name = fmt::format("z{}", values_.size());
        body_ += fmt::format("  {}, _ = loop({}, fn (h, k) {{ 0.5 * h + nn.causal_conv1d(h, k), 0 }}, {});\n", name,
                             x.name, w);
        return add("tanh(" + name + ")", x.length, x.channels);
      }
    }
  }

  void resize(const Value& x) {
    if (x.length != "T") return spread(x);
    const std::int64_t times = number(0, 1) == 0 ? 2 : 4;  // for which a batch run computes positions without rounding
    const char* forms[] = {"resize_nearest(expand({0}, axis=3), size=[{1}*T, {2}])",
                           "resize(expand({0}, axis=3), size=[{1}*T, {2}])",
                           "resize(expand({0}, axis=3), size=[{1}*T, {2}], coordinates=\"asymmetric\")",
                           "resize(expand({0}, axis=3), size=[{1}*T, {2}], method=\"bicubic\")"};
    const std::string resized = fmt::format(fmt::runtime(forms[number(0, 3)]), x.name, times, x.channels);
    add(fmt::format("squeeze({}, axis=3)", resized), derived(x, fmt::format("x{}", times)), x.channels);
  }

  std::mt19937 random_;
  std::int64_t batch_ = 1;
  int weights_ = 0;
  std::vector<Value> values_;
  std::string params_, body_;
};

}  // namespace

RandomProgram randomProgram(unsigned seed) { return Writer(seed).out_; }

}  // namespace axle::test
