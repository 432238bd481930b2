// Spectra, sound, recurrent blocks.
#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {
namespace {

// [samples, channels] to [channels, frames, bins]: of the power of two that holds a window.
Outcome audioSpectrogram(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  Dim samples = t.unknownSize("samples"), channels = t.unknownSize("channels");
  TypeId wanted = t.tensor(t.unknownElem(), t.shape({samples, channels}), n.places.op);
  if (!t.unify(wanted, t.typeOf(n.in(0)), n.places.op, "`AudioSpectrogram`")) return Outcome::failed;
  std::int64_t window = n.integer("window_size"), stride = n.integer("stride");
  if (window < 2 || stride < 1)
    return n.fail("`AudioSpectrogram` needs windows of at least 2 samples and a stride of at least 1",
                  "its window_size is " + std::to_string(window) + ", its stride " + std::to_string(stride));
  std::int64_t length = 1;
  while (length < window && length < (std::int64_t{1} << 40)) length *= 2;
  DimStore& dims = t.solution().dims;
  Dim frames = dims.add(dims.div(dims.sub(samples, t.constant(window)), t.constant(stride)), t.constant(1));
  return n.giveShape(t.shape({channels, dims.max(frames, t.constant(0)), t.constant(length / 2 + 1)}));
}

Outcome decodeWav(RuleNode& n, std::string_view) {
  auto size = [&](const char* name) {
    std::int64_t wanted = n.integer(name, -1);
    return wanted >= 0 ? n.t.constant(wanted) : n.t.unknownSize(name);
  };
  n.giveShape(n.t.shape({size("desired_samples"), size("desired_channels")}));
  return n.giveShape({}, 1);
}

constexpr std::string_view unary = "(t s) -> u s";
constexpr std::string_view fourier1 = "(t s @ [n]) -> t s @ [n]";
constexpr std::string_view fourier2 = "(t s @ [m, n]) -> t s @ [m, n]";
constexpr std::string_view fourier3 = "(t s @ [l, m, n]) -> t s @ [l, m, n]";

constexpr std::string_view lstmBlock =
    "(l [], t [n, b, i], t [b, c], t [b, c], t [i + c, 4*c], t [c], t [c], t [c], t [4*c])"
    " -> (t [n, b, c], t [n, b, c], t [n, b, c], t [n, b, c], t [n, b, c], t [n, b, c], t [n, b, c])";
constexpr std::string_view lstmCell =
    "(t [b, i], t [b, c], t [b, c], t [i + c, 4*c], t [c], t [c], t [c], t [4*c])"
    " -> (t [b, c], t [b, c], t [b, c], t [b, c], t [b, c], t [b, c], t [b, c])";
constexpr std::string_view gruCell =
    "(t [b, i], t [b, c], t [i + c, 2*c], t [i + c, c], t [2*c], t [c]) -> (t [b, c], t [b, c], t [b, c], t [b, c])";

constexpr Rule rows[] = {
    // Spectra; the last axis of a complex tensor's parts is none of the signature's.
    {"FFT", bySignature, fourier1},
    {"IFFT", bySignature, fourier1},
    {"FFT2D", bySignature, fourier2},
    {"IFFT2D", bySignature, fourier2},
    {"FFT3D", bySignature, fourier3},
    {"IFFT3D", bySignature, fourier3},
    {"RFFT", bySignature,
     "(t s @ [n]; fft_length : ints(1)) -> u s @ [fft_length[0] / 2 + 1] where n >= fft_length[0]"},
    {"IRFFT", bySignature,
     "(t s @ [n]; fft_length : ints(1)) -> u s @ [fft_length[0]] where n >= fft_length[0] / 2 + 1"},
    {"RFFT2D", bySignature,
     "(t s @ [m, n]; fft_length : ints(2)) -> u s @ [fft_length[0], fft_length[1] / 2 + 1]"
     " where m >= fft_length[0], n >= fft_length[1]"},
    {"IRFFT2D", bySignature, "(t s @ [m, n]; fft_length : ints(2)) -> u s @ [fft_length[0], fft_length[1]]"},
    {"BatchFFT", bySignature, fourier1},
    {"BatchIFFT", bySignature, fourier1},
    {"BatchFFT2D", bySignature, fourier2},
    {"BatchIFFT2D", bySignature, fourier2},
    {"BatchFFT3D", bySignature, fourier3},
    {"BatchIFFT3D", bySignature, fourier3},
    {"RFFT3D", bySignature,
     "(t s @ [l, m, n]; fft_length : ints(3)) -> u s @ [fft_length[0], fft_length[1], fft_length[2] / 2 + 1] where l "
     ">= fft_length[0], m >= fft_length[1], n >= fft_length[2]"},
    {"IRFFT3D", bySignature,
     "(t s @ [l, m, n]; fft_length : ints(3)) -> u s @ [fft_length[0], fft_length[1], fft_length[2]]"},
    {"Real", bySignature, unary},
    {"Imag", bySignature, unary},
    {"Angle", bySignature, unary},
    {"ComplexAbs", bySignature, unary},
    {"Conj", bySignature, unary},
    {"Complex", bySignature, "(t a, t b) -> u (a # b)"},
    // Sound.
    {"AudioSpectrogram", audioSpectrogram},
    {"Mfcc", bySignature, "(t [c, n, b], i []; dct_coefficient_count : int) -> t [c, n, dct_coefficient_count]"},
    {"DecodeWav", decodeWav},
    {"EncodeWav", bySignature, "(t [n, c], i []) -> string []"},
    // Recurrent blocks.
    {"BlockLSTM", bySignature, lstmBlock},
    {"BlockLSTMV2", bySignature, lstmBlock},
    {"LSTMBlockCell", bySignature, lstmCell},
    {"GRUBlockCell", bySignature, gruCell},
    {"CudnnRNN", bySignature, "(t [n, b, i], t h, t c, t p) -> (t [n, b, o], t h, t c, t r)"},
    {"CudnnRNNV3", bySignature, "(t [n, b, i], t h, t c, t p, l [b]) -> (t [n, b, o], t h, t c, t r, m e)"},
    {"CudnnRNNV2", bySignature, "(t [n, b, i], t h, t c, t p) -> (t [n, b, o], t h, t c, t r, m e)"},
    {"CudnnRNNBackpropV2", bySignature,
     "(t x, t h, t c, t p, t y, t a, t b, t d, t e, t f, t g, m k) -> (t x, t h, t c, t p)"},
    {"CudnnRNNParamsSize", bySignature, "(i [], i [], i []) -> l [1]"},
    {"CudnnRNNBackprop", bySignature,
     "(t x, t h, t c, t p, t y, t a, t b, t d, t e, t f, t g) -> (t x, t h, t c, t p)"},
    {"CudnnRNNBackpropV3", bySignature,
     "(t x, t h, t c, t p, l z, t y, t a, t b, t d, t e, t f, t g, m k) -> (t x, t h, t c, t p)"},
};

}  // namespace

std::span<const Rule> signalRules() { return rows; }

}  // namespace axle::tensorflow
