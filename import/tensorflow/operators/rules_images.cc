// Images: sizes, crops, boxes, colours.
#include "import/tensorflow/operators/rule.h"

namespace axle::tensorflow {
namespace {

// An attribute of 0 leaves the number of channels to the file.
Outcome decoded(RuleNode& n, std::string_view) {
  std::int64_t channels = n.integer("channels");
  auto open = [&](const char* name) { return n.t.unknownSize(name); };
  Dim depth = channels > 0 ? n.t.constant(channels) : open("c");
  if (n.node.op == "DecodeAndCropJpeg") {
    auto window = n.sizes(1);  // y, x, height, width
    bool known = window && window->size() == 4;
    return n.giveShape(n.t.shape({known ? (*window)[2] : open("h"), known ? (*window)[3] : open("w"), depth}));
  }
  if (n.node.op == "DecodeGif") return n.giveShape(n.t.shape({open("f"), open("h"), open("w"), n.t.constant(3)}));
  if (n.node.op == "DecodeImage" && n.flag("expand_animations")) return n.giveShape(n.t.unknownShape("s"));
  return n.giveShape(n.t.shape({open("h"), open("w"), depth}));
}

// As many as there are, or, filled up, as many as are asked for.
Outcome paddedBoxes(RuleNode& n, std::string_view signature) {
  auto most = n.flag("pad_to_max_output_size") ? n.sizes(2) : std::nullopt;
  if (!most || most->size() != 1) return bySignature(n, signature);
  n.giveShape(n.t.shape({most->front()}));
  std::size_t port = 1;
  if (n.node.op == "NonMaxSuppressionV5") n.giveShape(n.t.shape({most->front()}), port++);
  return n.giveShape({}, port);
}

// Of all classes together, or so many of each; what is not found is filled up.
Outcome combinedBoxes(RuleNode& n, std::string_view) {
  GraphTyper& t = n.t;
  Dim images = t.unknownSize("n"), boxes = t.unknownSize("k"), classes = t.unknownSize("c");
  TypeId places = t.tensor(t.unknownElem(), t.shape({images, boxes, t.unknownSize("q"), t.constant(4)}), n.places.op);
  TypeId scores = t.tensor(t.unknownElem(), t.shape({images, boxes, classes}), n.places.op);
  if (!t.unify(places, t.typeOf(n.in(0)), n.places.op, "`" + n.node.op + "`") ||
      !t.unify(scores, t.typeOf(n.in(1)), n.places.op, "`" + n.node.op + "`"))
    return Outcome::failed;
  auto each = n.sizes(2), total = n.sizes(3);
  auto single = [&](const auto& value) { return value && value->size() == 1; };
  bool known = single(each) && single(total);
  Dim found = single(total) ? total->front() : t.unknownSize("k");
  if (n.flag("pad_per_class")) {
    DimStore& dims = t.solution().dims;
    found = known ? dims.min(found, dims.mul(each->front(), t.solution().resolve(classes))) : t.unknownSize("k");
  }
  n.giveShape(t.shape({images, found, t.constant(4)}));
  n.giveShape(t.shape({images, found}), 1);
  n.giveShape(t.shape({images, found}), 2);
  n.giveShape(t.shape({images}), 3);
  return known ? Outcome::done : Outcome::waits;
}

constexpr std::string_view glimpse = "(f [n, h, w, c], f [n, 2]; size : ints(2)) -> f [n, size[0], size[1], c]";
constexpr std::string_view resized = "(t [n, h, w, c]; size : ints(2)) -> u [n, size[0], size[1], c]";
constexpr std::string_view coloured = "(t s @ [3], u []) -> t s @ [3]";
constexpr std::string_view boxes = "(t [n, 4], t [n], m []) -> i [k]";

constexpr Rule rows[] = {
    {"DecodeJpeg", decoded},
    {"DecodeAndCropJpeg", decoded},
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
    {"NonMaxSuppressionV4", paddedBoxes, "(t [n, 4], t [n], m [], u [], u []) -> (i [k], i [])"},
    {"NonMaxSuppressionV5", paddedBoxes, "(t [n, 4], t [n], m [], t [], t [], t []) -> (i [k], t [k], i [])"},
    {"NonMaxSuppressionWithOverlaps", bySignature, "(t [n, n], t [n], i [], u [], u []) -> i [k]"},
    {"CombinedNonMaxSuppression", combinedBoxes},
    {"GenerateBoundingBoxProposals", bySignature,
     "(t [n, h, w, a], t [n, h, w, d], t [n, e], t x, t [], i [], t []; post_nms_topn : int) -> (t [n, post_nms_topn, "
     "4], t [n, post_nms_topn])"},
    {"ScaleAndTranslate", bySignature, "(t [n, h, w, c], f [2], f [2]; size : ints(2)) -> f [n, size[0], size[1], c]"},
    {"ImageProjectiveTransformV2", bySignature,
     "(t [n, h, w, c], f [k, 8]; output_shape : ints(2)) -> t [n, output_shape[0], output_shape[1], c]"},
    {"ImageProjectiveTransformV3", bySignature,
     "(t [n, h, w, c], f [k, 8], f []; output_shape : ints(2)) -> t [n, output_shape[0], output_shape[1], c]"},
    {"ExtractGlimpse", bySignature, glimpse},
    {"ExtractGlimpseV2", bySignature, glimpse},
    {"ExtractJpegShape", bySignature, "(t []) -> i [3]"},
    {"EncodeJpegVariableQuality", bySignature, "(t [h, w, c], i []) -> string []"},
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
