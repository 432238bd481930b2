// Random numbers, and samples of candidates.
#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {
namespace {

constexpr std::string_view unary = "(t s) -> t s";
constexpr std::string_view random = "(shape : shape) -> t sized(shape)";
constexpr std::string_view seeded = "(shape : shape, i [2]) -> t sized(shape)";
constexpr std::string_view stateful = "(l [], shape : shape) -> t sized(shape)";
constexpr std::string_view sampled =
    "(i [b, num_true]; num_true : int, num_sampled : int) -> (i [num_sampled], f [b, num_true], f [num_sampled])";

constexpr Rule rows[] = {
    {"RandomUniform", bySignature, random},
    {"RandomStandardNormal", bySignature, random},
    {"TruncatedNormal", bySignature, random},
    {"RandomUniformInt", bySignature, "(shape : shape, t [], t []) -> t sized(shape)"},
    {"RandomGamma", bySignature, "(shape : shape, t a) -> t sized(shape) @ a"},
    {"RandomPoisson", bySignature, "(shape : shape, t a) -> t sized(shape) @ a"},
    {"RandomPoissonV2", bySignature, "(shape : shape, t a) -> u sized(shape) @ a"},
    {"RandomShuffle", bySignature, unary},
    {"Multinomial", bySignature, "(t [b, c]; num_samples : int) -> i [b, num_samples]"},
    {"StatelessMultinomial", bySignature, "(t [b, c], j [2]; num_samples : int) -> i [b, num_samples]"},
    {"StatelessRandomUniform", bySignature, seeded},
    {"StatelessRandomNormal", bySignature, seeded},
    {"StatelessTruncatedNormal", bySignature, seeded},
    {"StatelessRandomUniformInt", bySignature, "(shape : shape, i [2], t [], t []) -> t sized(shape)"},
    {"StatelessRandomUniformV2", bySignature, "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"StatelessRandomNormalV2", bySignature, "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"StatelessTruncatedNormalV2", bySignature, "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"LogUniformCandidateSampler", bySignature, sampled},
    {"UniformCandidateSampler", bySignature, sampled},
    {"LearnedUnigramCandidateSampler", bySignature, sampled},
    {"ThreadUnsafeUnigramCandidateSampler", bySignature, sampled},
    {"FixedUnigramCandidateSampler", bySignature, sampled},
    {"AllCandidateSampler", bySignature, sampled},
    {"ComputeAccidentalHits", bySignature, "(i [b, num_true], j [m]; num_true : int) -> (i [k], j [k], f [k])"},
    {"ParameterizedTruncatedNormal", bySignature, "(shape : shape, t a, t b, t c, t d) -> t sized(shape)"},
    {"StatelessParameterizedTruncatedNormal", bySignature,
     "(shape : shape, i [2], t a, t b, t c, t d) -> t sized(shape)"},
    {"StatelessRandomBinomial", bySignature, "(shape : shape, i [2], t a, t b) -> u sized(shape)"},
    {"StatelessRandomGammaV2", bySignature, "(shape : shape, i [2], t a) -> t sized(shape)"},
    {"StatelessRandomGammaV3", bySignature, "(shape : shape, i k, j c, l [], t a) -> t sized(shape)"},
    {"StatelessRandomPoisson", bySignature, "(shape : shape, i [2], t a) -> u sized(shape)"},
    {"StatelessRandomUniformFullInt", bySignature, seeded},
    {"StatelessRandomUniformFullIntV2", bySignature, "(shape : shape, i k, j c, l []) -> t sized(shape)"},
    {"StatelessRandomUniformIntV2", bySignature, "(shape : shape, i k, j c, l [], t [], t []) -> t sized(shape)"},
    {"StatelessRandomGetAlg", bySignature, "() -> i []"},
    {"StatelessRandomGetKeyCounter", bySignature, "(s [2]) -> (i [1], i [2])"},
    {"StatelessRandomGetKeyCounterAlg", bySignature, "(s [2]) -> (i [1], i [2], j [])"},
    {"StatelessShuffle", bySignature, "(t s, i k, j c, l []) -> t s"},
    {"StatelessSampleDistortedBoundingBox", bySignature,
     "(t [3], f [b, n, 4], f [], i [2]) -> (t [3], t [3], f [1, 1, 4])"},
    {"SampleDistortedBoundingBox", bySignature, "(t [3], f [b, n, 4]) -> (t [3], t [3], f [1, 1, 4])"},
    {"SampleDistortedBoundingBoxV2", bySignature, "(t [3], f [b, n, 4], f []) -> (t [3], t [3], f [1, 1, 4])"},
    {"StatefulStandardNormal", bySignature, random},
    {"StatefulStandardNormalV2", bySignature, stateful},
    {"StatefulTruncatedNormal", bySignature, stateful},
    {"StatefulUniform", bySignature, stateful},
    {"StatefulUniformFullInt", bySignature, stateful},
    {"StatefulUniformInt", bySignature, "(l [], shape : shape, t [], t []) -> t sized(shape)"},
    {"StatefulRandomBinomial", bySignature, "(l [], shape : shape, t a, t b) -> u sized(shape)"},
    {"NonDeterministicInts", bySignature, random},
    {"RngReadAndSkip", bySignature, "(i [], d []) -> v [3]"},
    {"RandomCrop", bySignature, "(t [h, w, c]; size : ints(2)) -> t [size[0], size[1], c]"},
    {"RandomGammaGrad", bySignature, "(t a, t b) -> t (a # b)"},
    {"StochasticCastToInt", bySignature, "(t s, k a, c b, l []) -> u s"},
    {"SobolSample", bySignature, "(i []; dim : int, num_results : int) -> t [num_results, dim]"},
};

}  // namespace

std::span<const Rule> randomRules() { return rows; }

}  // namespace axle::tensorflow
