// Spectra and sound. The parts of complex numbers are a last axis, which signatures do not mention.
#include <algorithm>
#include <cmath>

#include "import/tensorflow/operators/node_formula.h"
#include "import/tensorflow/operators/operator_row.h"
#include "import/tensorflow/operators/shared_rules.h"
#include "import/tensorflow/problems.h"

namespace axle::tensorflow::signal {
namespace {

constexpr Message<arg::Number, arg::Number> spectrogramWindow{
    codes::nodeMisfit, "`AudioSpectrogram` needs windows of at least 2 samples and a stride of at least 1",
    "its window_size is {}, its stride {}"};

// [samples, channels] to [channels, frames, bins]. The length of the transform is the next power of two of the
// window's.
Outcome audioSpectrogramType(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  Dim samples = t.unknownSize("samples"), channels = t.unknownSize("channels");
  if (!requireDims(n, 0, {samples, channels})) return Outcome::failed;
  std::int64_t window = n.integer("window_size"), stride = n.integer("stride");
  if (window < 2 || stride < 1) return n.fail(spectrogramWindow, arg::Number{window}, arg::Number{stride});
  std::int64_t length = 1;
  while (length < window && length < (std::int64_t{1} << 40)) length *= 2;
  DimStore& dims = t.solution().dims;
  Dim frames = dims.add(dims.div(dims.sub(samples, t.constant(window)), t.constant(stride)), t.constant(1));
  return n.giveShape(t.shape({channels, dims.max(frames, t.constant(0)), t.constant(length / 2 + 1)}));
}

Outcome decodeWavType(RuleNode& n, std::string_view) {
  auto size = [&](const char* name) {
    std::int64_t wanted = n.integer(name, -1);
    return wanted >= 0 ? n.t.constant(wanted) : n.t.unknownSize(name);
  };
  n.giveShape(n.t.shape({size("desired_samples"), size("desired_channels")}));
  return n.giveShape({}, 1);
}

constexpr std::string_view fourier1 = "(t s @ [n]) -> t s @ [n]";
constexpr std::string_view fourier2 = "(t s @ [m, n]) -> t s @ [m, n]";
constexpr std::string_view fourier3 = "(t s @ [l, m, n]) -> t s @ [l, m, n]";

std::vector<std::optional<Known>> sampleRateValue(const RuleNode& n) {
  if (n.count() < 1 || !n.fact(0).sampleRate) return {};
  return {std::nullopt, Known::scalar(n.t.constant(*n.fact(0).sampleRate))};
}

// ---- formulas

constexpr double pi = 3.14159265358979323846;

// Crops or pads with zeros, to `size`, the axis that is `fromEnd` from the end (1: the last).
Expr fitted(NodeFormula& f, Expr x, std::int64_t size, std::size_t fromEnd) {
  auto sizes = f.dims(x);
  if (!sizes || sizes->size() < fromEnd) return {&f, {}};
  DimStore& dims = f.n.t.solution().dims;
  const auto axis = static_cast<std::int64_t>(sizes->size() - fromEnd);
  const Dim has = (*sizes)[sizes->size() - fromEnd], wanted = f.dim(size), kept = dims.min(has, wanted);
  if (kept != has) x = f.sliced(x, axis, f.dim(0), kept);
  return kept == wanted ? x : f.padEnd(x, axis, dims.sub(wanted, kept));
}

FormulaResults realTransformFormula(NodeFormula& f) {
  auto length = f.n.number(1);
  if (!length || *length < 1) return {};
  return {f.op("rfft", {fitted(f, f.in(0), *length, 1)})};
}

FormulaResults inverseRealTransformFormula(NodeFormula& f) {
  auto length = f.n.number(1);
  if (!length || *length < 1) return {};
  return {f.op("irfft", {fitted(f, f.in(0), *length / 2 + 1, 2)}, {{"n", f.n.t.integer(*length)}})};
}

// Transforms along each of the last axes.
FormulaResults transformFormula(NodeFormula& f) {
  const std::string& op = f.n.node.op;
  const std::string core = op.starts_with("I") ? "ifft" : "fft";
  auto sizes = f.dims(0);
  std::size_t axes = op.ends_with("3D") ? 3 : op.ends_with("2D") ? 2 : 1;
  if (!sizes || sizes->size() < axes + 1) return {};
  const auto last = static_cast<std::int64_t>(sizes->size()) - 2;
  Expr z = f.op(core, {f.in(0)});
  for (std::size_t i = 1; i < axes; ++i) {
    Statics swap{{"a", f.n.t.integer(last)}, {"b", f.n.t.integer(last - static_cast<std::int64_t>(i))}};
    z = f.op("swap_axes", {f.op(core, {f.op("swap_axes", {z}, swap)})}, swap);
  }
  return {z};
}

// ---- sound

// Uses the periodic Hann window and the transform of the next power of two.
FormulaResults spectrogramFormula(NodeFormula& f) {
  auto sizes = f.dims(0);
  std::int64_t window = f.n.integer("window_size"), stride = f.n.integer("stride");
  if (!sizes || sizes->size() != 2 || window < 2 || stride < 1 || f.number((*sizes)[0]).value_or(window) < window)
    return {};
  std::vector<double> hann;
  for (std::int64_t i = 0; i < window; ++i)
    hann.push_back(0.5 - 0.5 * std::cos(2 * pi * static_cast<double>(i) / static_cast<double>(window)));
  std::int64_t length = 1;
  while (length < window) length *= 2;
  Expr channels = f.transpose(f.in(0), {1, 0});
  Expr frames = f.op("frame", {channels}, {{"length", f.n.t.integer(window)}, {"step", f.n.t.integer(stride)}});
  Expr spectrum = f.op("rfft", {fitted(f, frames * f.reals(Elem::f32, {window}, hann), length, 1)});
  Expr power = f.reduce("sum", spectrum * spectrum, {-1});
  return {f.n.flag("magnitude_squared") ? power : apply("sqrt", power)};
}

double toMel(double frequency) { return 1127 * std::log1p(frequency / 700); }

// The weights [bins, bands] of a mel filter bank: a bin shares its weight between two neighbouring bands.
std::vector<double> melBands(std::int64_t bins, std::int64_t bands, double rate, double low, double high) {
  const double least = toMel(low), spacing = (toMel(high) - least) / static_cast<double>(bands + 1);
  auto centre = [&](std::int64_t band) { return least + spacing * static_cast<double>(band + 1); };
  const double width = 0.5 * rate / static_cast<double>(bins - 1);
  const auto first = static_cast<std::int64_t>(1.5 + low / width), last = static_cast<std::int64_t>(high / width);
  std::vector<double> matrix(static_cast<std::size_t>(bins * bands));
  std::int64_t next = 0;
  for (std::int64_t bin = std::max<std::int64_t>(first, 0); bin <= std::min(last, bins - 1); ++bin) {
    const double mel = toMel(static_cast<double>(bin) * width);
    while (next < bands && centre(next) < mel) ++next;
    const std::int64_t band = next - 1;
    const double from = band >= 0 ? centre(band) : least;
    const double weight = (centre(band + 1) - mel) / (centre(band + 1) - from);
    if (band >= 0) matrix[static_cast<std::size_t>(bin * bands + band)] += weight;
    if (band + 1 < bands) matrix[static_cast<std::size_t>(bin * bands + band + 1)] += 1 - weight;
  }
  return matrix;
}

// Returns the samples of a WAV file that stands for the input, cropped or padded to the requested size; missing
// channels repeat the last one.
FormulaResults decodeWavFormula(NodeFormula& f) {
  auto sizes = f.dims(0);
  auto rate = f.n.fact(0).sampleRate;
  if (!sizes || sizes->size() != 2 || !rate) return {};
  Expr samples = f.in(0);
  const std::int64_t wanted = f.n.integer("desired_samples", -1), channels = f.n.integer("desired_channels", -1);
  if (wanted >= 0) samples = fitted(f, samples, wanted, 2);
  const auto has = f.number((*sizes)[1]);
  if (channels == 1 && has != 1) {
    samples = f.slice(samples, 1, 0, 1);
  } else if (channels >= 0 && has != channels) {
    if (!has) return {};
    Sizes from;
    for (std::int64_t i = 0; i < channels; ++i) from.push_back(std::min(i, *has - 1));
    samples = f.gather(samples, f.integers(Elem::i64, {channels}, from), 1);
  }
  return {samples, f.integers(Elem::i32, {}, {*rate})};
}

FormulaResults mfccFormula(NodeFormula& f) {
  auto sizes = f.dims(0);
  auto rate = f.n.number(1);
  if (!sizes || sizes->size() != 3 || !rate || *rate < 1) return {};
  const std::int64_t bins = f.number(sizes->back()).value_or(0), bands = f.n.integer("filterbank_channel_count", 40);
  const std::int64_t count = f.n.integer("dct_coefficient_count", 13);
  if (bins < 2 || bands < 1 || count < 1 || count > bands) return {};
  std::vector<double> mel =
      melBands(bins, bands, static_cast<double>(*rate), static_cast<double>(f.n.real("lower_frequency_limit", 20)),
               static_cast<double>(f.n.real("upper_frequency_limit", 4000)));
  std::vector<double> cosines;  // [bands, count]
  for (std::int64_t j = 0; j < bands; ++j)
    for (std::int64_t i = 0; i < count; ++i)
      cosines.push_back(
          std::sqrt(2 / static_cast<double>(bands)) *
          std::cos(pi * static_cast<double>(i) * (static_cast<double>(j) + 0.5) / static_cast<double>(bands)));
  Expr energy =
      f.op("batch_matmul", {f.cast(apply("sqrt", f.in(0)), Elem::f64), f.reals(Elem::f64, {bins, bands}, mel)});
  Expr logs = apply("log", apply("maximum", energy, f.number(1e-12, Elem::f64)));
  return {f.cast(f.op("batch_matmul", {logs, f.reals(Elem::f64, {bands, count}, cosines)}), Elem::f32)};
}

}  // namespace

std::span<const OperatorRow> operators() {
  // clang-format off
  static constexpr OperatorRow rows[] = {
    // name               type                   value             formula
    // spectra
    {"FFT",               fourier1,              {},               transformFormula},
    {"IFFT",              fourier1,              {},               transformFormula},
    {"FFT2D",             fourier2,              {},               transformFormula},
    {"IFFT2D",            fourier2,              {},               transformFormula},
    {"FFT3D",             fourier3,              {},               transformFormula},
    {"IFFT3D",            fourier3,              {},               transformFormula},
    {"RFFT",              "(t s @ [n]; fft_length : ints(1)) -> u s @ [fft_length[0] / 2 + 1] where n >= fft_length[0]",
                                                 {},               realTransformFormula},
    {"IRFFT",             "(t s @ [n]; fft_length : ints(1)) -> u s @ [fft_length[0]] where n >= fft_length[0] / 2 + 1",
                                                 {},               inverseRealTransformFormula},
    {"RFFT2D",            "(t s @ [m, n]; fft_length : ints(2)) -> u s @ [fft_length[0], fft_length[1] / 2 + 1] where "
                          "m >= fft_length[0], n >= fft_length[1]"},
    {"IRFFT2D",           "(t s @ [m, n]; fft_length : ints(2)) -> u s @ [fft_length[0], fft_length[1]]"},
    {"BatchFFT",          fourier1},
    {"BatchIFFT",         fourier1},
    {"BatchFFT2D",        fourier2},
    {"BatchIFFT2D",       fourier2},
    {"BatchFFT3D",        fourier3},
    {"BatchIFFT3D",       fourier3},
    {"RFFT3D",            "(t s @ [l, m, n]; fft_length : ints(3)) -> u s @ [fft_length[0], fft_length[1], "
                          "fft_length[2] / 2 + 1] where l >= fft_length[0], m >= fft_length[1], n >= fft_length[2]"},
    {"IRFFT3D",           "(t s @ [l, m, n]; fft_length : ints(3)) -> u s @ [fft_length[0], fft_length[1], "
                          "fft_length[2]]"},
    // sound
    {"AudioSpectrogram",  audioSpectrogramType,  {},               spectrogramFormula},
    {"Mfcc",              "(t [c, n, b], i []; dct_coefficient_count : int) -> t [c, n, dct_coefficient_count]",
                                                 {},               mfccFormula},
    {"DecodeWav",         decodeWavType,         sampleRateValue,  decodeWavFormula},
    {"EncodeWav",         "(t [n, c], i []) -> string []"},
  };
  // clang-format on
  return rows;
}

}  // namespace axle::tensorflow::signal
