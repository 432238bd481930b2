// Images: sizes, crops, boxes, colours.
#include "ir/import/tensorflow/analysis/rule.h"

namespace axle::tensorflow {
namespace {

// An attribute of 0 leaves the number of channels to the file.
Outcome decoded(RuleNode& n, std::string_view) {
  std::int64_t channels = n.integer("channels");
  auto open = [&](const char* name) { return n.t.unknownSize(name); };
  Dim depth = channels > 0 ? n.t.constant(channels) : open("c");
  if (n.node.op == "DecodeGif") return n.giveShape(n.t.shape({open("f"), open("h"), open("w"), n.t.constant(3)}));
  if (n.node.op == "DecodeImage" && n.flag("expand_animations")) return n.giveShape(n.t.unknownShape("s"));
  return n.giveShape(n.t.shape({open("h"), open("w"), depth}));
}

constexpr std::string_view resized = "(t [n, h, w, c]; size : ints(2)) -> u [n, size[0], size[1], c]";
constexpr std::string_view coloured = "(t s @ [3], u []) -> t s @ [3]";
constexpr std::string_view boxes = "(t [n, 4], t [n], m []) -> i [k]";

constexpr Rule rows[] = {
    {"DecodeJpeg", decoded},
    {"DecodePng", decoded},
    {"DecodeBmp", decoded},
    {"DecodeGif", decoded},
    {"DecodeImage", decoded},
    {"EncodeJpeg", bySignature, "(t [h, w, c]) -> string []"},
    {"EncodePng", bySignature, "(t s @ [h, w, c]) -> string s"},
    {"ResizeBilinear", bySignature, resized},
    {"ResizeBicubic", bySignature, resized},
    {"ResizeArea", bySignature, resized},
    {"ResizeNearestNeighbor", bySignature, resized},
    {"CropAndResize", bySignature,
     "(t [n, h, w, c], f [k, 4], i [k]; crop_size : ints(2)) -> u [k, crop_size[0], crop_size[1], c]"},
    {"DrawBoundingBoxes", bySignature, "(t [n, h, w, c], f [n, k, 4]) -> t [n, h, w, c]"},
    {"DrawBoundingBoxesV2", bySignature, "(t [n, h, w, c], f [n, k, 4], f [m, d]) -> t [n, h, w, c]"},
    {"NonMaxSuppression", bySignature, boxes},
    {"NonMaxSuppressionV2", bySignature, "(t [n, 4], t [n], m [], u []) -> i [k]"},
    {"NonMaxSuppressionV3", bySignature, "(t [n, 4], t [n], m [], u [], u []) -> i [k]"},
    {"NonMaxSuppressionV4", bySignature, "(t [n, 4], t [n], m [], u [], u []) -> (i [k], i [])"},
    {"NonMaxSuppressionV5", bySignature, "(t [n, 4], t [n], m [], t [], t [], t []) -> (i [k], t [k], i [])"},
    {"RGBToHSV", bySignature, "(t s @ [3]) -> t s @ [3]"},
    {"HSVToRGB", bySignature, "(t s @ [3]) -> t s @ [3]"},
    {"AdjustHue", bySignature, coloured},
    {"AdjustSaturation", bySignature, coloured},
    {"AdjustContrast", bySignature, "(t s @ [h, w, c], u [], v [], x []) -> y s @ [h, w, c]"},
    {"AdjustContrastv2", bySignature, "(t s @ [h, w, c], u []) -> t s @ [h, w, c]"},
};

}  // namespace

std::span<const Rule> imageRules() { return rows; }

}  // namespace axle::tensorflow
