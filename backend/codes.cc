#include "backend/codes.h"

namespace axle::codes {

constexpr DiagnosticCode unboundSymbol{
    "E0521", Severity::error, "a size that no input tells",
    "When a bundle runs, every symbolic size is computed from the sizes of the inputs: `n` from `f32 [n, 3]`, and from "
    "`f32 [2*n + 1]`\n"
    "too. A size that stands only inside of products with other unknown sizes, of quotients or of maxima cannot be "
    "computed back.\n\n"
    "    main = fn (x : f32 [h*w]) { reshape(x, [h, w]) };      // E0521: which h, which w?\n\n"
    "Fix it when the bundle is built, with `--set h=28`, or add an input that has the size.\n"};

constexpr DiagnosticCode missingWeights{
    "E0522", Severity::error, "a program with parameters and no weights",
    "A `param` is a tensor of a weights file, and its bytes are stored in the bundle. Give the file with `--weights "
    "FILE` (safetensors\n"
    "or npz), or have values drawn with `--weights random` to try a program before there are any.\n"};

constexpr DiagnosticCode unreadableWeight{"E0523", Severity::error, "a tensor that cannot be read",
                                          "The weights file names the tensor, but its bytes cannot be read: the file "
                                          "is damaged, or something changed it meanwhile.\n"};

constexpr DiagnosticCode changedWeight{"E0524", Severity::error, "a tensor whose size differs from its type",
                                       "The bytes that the weights file gives for a tensor are more or fewer than its "
                                       "type needs: something changed the file between\n"
                                       "checking the program and writing the bundle. Run the command again.\n"};

constexpr DiagnosticCode modelOutOfBounds{
    "E0525", Severity::error, "a model beyond what a bundle can hold",
    "A tensor of a bundle has at most 16 dimensions, and a manifest at most 2 GB.\n"};

}  // namespace axle::codes

namespace axle {

std::span<const DiagnosticCode* const> backendCodes() {
  static constexpr const DiagnosticCode* all[] = {&codes::unboundSymbol, &codes::missingWeights,
                                                  &codes::unreadableWeight, &codes::changedWeight,
                                                  &codes::modelOutOfBounds};
  return all;
}

}  // namespace axle
